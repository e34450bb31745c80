# Made from the asynchronous source by `pnpm clients`.
"""Sandboxes: machines of their own for programs, with files, ports and a terminal."""

from __future__ import annotations

import secrets
from types import TracebackType
from typing import Any, Iterator, Callable, Mapping, cast

from .._core.errors import NotFoundError
from .._core.options import create_timeout, sandbox_spec
from .._core.output import ExecResult
from .._generated import management as t
from .files import Files
from .guest import Guest
from .operations import Operations
from .process import Process, execute, start
from .terminal import Terminal, open_terminal


class Sandbox:
    """One sandbox. It sleeps when it is not used, and any request wakes it. `with` deletes it at the end of the block."""

    # Name of the sandbox in its workspace.
    name: str
    # As it was when this object was made; `refresh` reads it again.
    info: t.Sandbox
    # Files of the sandbox.
    files: Files

    def __init__(self, api: Operations, info: t.Sandbox) -> None:
        self._api = api
        self.info = info
        self.name = info["metadata"]["name"]
        self._guest = Guest(api, info["metadata"].get("workspace", ""), self.name)
        self.files = Files(self._guest)

    def exec(
        self,
        command: str,
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        input: str | bytes | None = None,
        check: bool = False,
        on_stdout: Callable[[str], None] | None = None,
        on_stderr: Callable[[str], None] | None = None,
    ) -> ExecResult:
        """Runs a command of the shell to its end. `input` is the whole input. With `check` another exit code than 0 is an ExitError."""
        return execute(
            self._guest,
            command,
            cwd=cwd,
            env=env,
            input=input,
            check=check,
            on_stdout=on_stdout,
            on_stderr=on_stderr,
        )

    def spawn(
        self,
        command: str,
        *,
        name: str | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        keep_alive: bool | None = None,
        stdin: bool = False,
    ) -> Process:
        """Starts a command and does not wait for its end. The sandbox does not sleep while a process with `keep_alive` runs, and `stdin`
        opens the input for `write`."""
        return start(
            self._guest, command, name=name, cwd=cwd, env=env, keep_alive=keep_alive, stdin=stdin
        )

    def process(self, name: str) -> Process:
        """A process that was started before, by its name or number."""
        return Process(self._guest, name)

    def terminal(self, *, cols: int = 80, rows: int = 24, session_id: str | None = None) -> Terminal:
        """Opens a terminal, or continues that of the same `session_id`."""
        return open_terminal(self._guest, cols=cols, rows=rows, session_id=session_id)

    def port(self, number: int) -> str:
        """Address at which a port answers to requests with the key. Previews are for browsers."""
        return f"{self._guest.address()}/port/{number}"

    def preview(self, name: str, port: int, *, public: bool = False) -> t.Preview:
        """Creates an address of a port for browsers (`spec.url`). A private one needs a token, a public one is open to everyone."""
        body = cast(t.PreviewInput, {"metadata": {"name": name}, "spec": {"port": port, "public": public}})
        return self._api.create_preview(sandbox_name=self.name, body=body)

    def refresh(self) -> Sandbox:
        """Reads the sandbox again, with its present state."""
        return Sandbox(self._api, self._api.get_sandbox(sandbox_name=self.name))

    def delete(self) -> None:
        """Deletes the sandbox and its files. Does nothing where it is gone already."""
        try:
            self._api.delete_sandbox(sandbox_name=self.name)
        except NotFoundError:
            pass

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.delete()


class Sandboxes:
    """Sandboxes of the workspace."""

    def __init__(self, api: Operations) -> None:
        self._api = api

    def create(
        self,
        name: str | None = None,
        *,
        image: str | None = None,
        memory: int | None = None,
        env: Mapping[str, str] | None = None,
        ports: list[int] | None = None,
        ttl: str | None = None,
        or_existing: bool = False,
        spec: Mapping[str, Any] | None = None,
    ) -> Sandbox:
        """Creates a sandbox, and returns when it takes requests. `memory` is in MB, `ttl` a lifetime such as 30m, and `ports` are those of
        programs that speak HTTP. `or_existing` answers with the sandbox that has the name, where there is one."""
        made = sandbox_spec(image=image, memory=memory, env=env, ports=ports, ttl=ttl, spec=spec)
        chosen = name or f"sandbox-{secrets.token_hex(4)}"
        info = self._api.create_sandbox(
            body=cast(t.SandboxInput, {"metadata": {"name": chosen}, "spec": made}),
            create_if_not_exist=True if or_existing else None,
            timeout=create_timeout,
        )
        return Sandbox(self._api, info)

    def get(self, name: str) -> Sandbox:
        """The sandbox of a name."""
        return Sandbox(self._api, self._api.get_sandbox(sandbox_name=name))

    def list(self) -> Iterator[Sandbox]:
        """All sandboxes, page by page as they are read."""
        cursor: str | None = None
        while True:
            page = self._api.list_sandboxes(cursor=cursor)
            for info in page["data"]:
                yield Sandbox(self._api, cast(t.Sandbox, info))
            if not page["meta"]["hasMore"]:
                return
            cursor = page["meta"]["nextCursor"]

# Made from the asynchronous source by `pnpm clients`.
"""Files of a sandbox."""

from __future__ import annotations

import json
from typing import Any, Iterator, Callable, Sequence, cast
from urllib.parse import quote, urlencode

import httpx

from .._core.errors import BerthError
from .._core.options import part_bytes, transfer_timeout
from .._core.paths import file_path, tree_path
from .._generated import guest as g
from .guest import Guest
from .transport import lines_in

_watch_silent = 90.0
_archive_type = "application/x-tar"


class Files:
    """Files of a sandbox. Paths from `/` on are absolute, others are relative to the working directory, and `~/` is the home."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest

    def read(self, path: str) -> bytes:
        """Reads a whole file."""
        answer = self._guest.send(
            "GET",
            f"/filesystem{file_path(path)}?download=true",
            repeatable=True,
            timeout=transfer_timeout,
        )
        return answer.content

    def read_text(self, path: str) -> str:
        """Reads a whole file as UTF-8."""
        return (self.read(path)).decode()

    def write(
        self,
        path: str,
        data: str | bytes,
        *,
        permissions: str | None = None,
        on_progress: Callable[[int], None] | None = None,
    ) -> None:
        """Creates the file, with the folders above it, or replaces its content. `permissions` are octal. `on_progress` is called with the
        bytes that are there."""
        content = data.encode() if isinstance(data, str) else data
        if len(content) > part_bytes:
            self._write_in_parts(path, content, permissions, on_progress)
            return
        self._guest.json(
            "PUT",
            f"/filesystem{file_path(path)}",
            repeatable=True,
            timeout=transfer_timeout,
            files=_form(content, permissions),
        )
        if on_progress is not None:
            on_progress(len(content))

    def make_folder(self, path: str) -> None:
        """Creates a folder, with those above it."""
        self._guest.json(
            "PUT", f"/filesystem{file_path(path)}", repeatable=True, json={"isDirectory": True}
        )

    def list(self, path: str) -> g.Directory:
        """Files and folders of a folder. The path is absolute."""
        return cast(g.Directory, self._guest.json("GET", f"/filesystem/tree{tree_path(path)}", repeatable=True))

    def write_archive(self, path: str, archive: bytes) -> None:
        """Writes what an archive (tar) holds below a folder. What is there and not in the archive is kept. The path is absolute."""
        self._guest.send(
            "PUT",
            f"/filesystem/tree{tree_path(path)}",
            repeatable=True,
            timeout=transfer_timeout,
            headers={"content-type": _archive_type},
            content=archive,
        )

    def read_archive(self, path: str) -> bytes:
        """All that is below a folder, as an archive (tar). The path is absolute."""
        answer = self._guest.send(
            "GET",
            f"/filesystem/tree{tree_path(path)}",
            repeatable=True,
            timeout=transfer_timeout,
            headers={"accept": _archive_type},
        )
        return answer.content

    def remove(self, path: str, *, recursive: bool = False) -> None:
        """Deletes a file or a folder. A folder with content needs `recursive`."""
        query = "?recursive=true" if recursive else ""
        # The second of two requests would find nothing to delete.
        self._guest.json("DELETE", f"/filesystem{file_path(path)}{query}", repeatable=False)

    def find(self, path: str, patterns: Sequence[str] = ("*",), *, whole: bool = False) -> g.FindAnswer:
        """Finds files by patterns of the shell on their names, below a folder. With `whole` every file there is, with hidden
        ones; otherwise the first ones, without hidden ones and folders of dependencies."""
        everything = {"maxResults": "0", "excludeHidden": "false", "excludeDirs": ""} if whole else {}
        query = urlencode({"patterns": ",".join(patterns), **everything})
        found = self._guest.json("GET", f"/filesystem-find{file_path(path)}?{query}", repeatable=True)
        return cast(g.FindAnswer, found)

    def search(self, path: str, text: str) -> g.ContentSearchAnswer:
        """Finds lines that hold a text, below a folder."""
        query = urlencode({"query": text})
        found = self._guest.json(
            "GET", f"/filesystem-content-search{file_path(path)}?{query}", repeatable=True
        )
        return cast(g.ContentSearchAnswer, found)

    def watch(self, path: str, *, recursive: bool = False) -> Iterator[dict[str, Any]]:
        """Changes of a folder: `op`, `name`, `path` and `error`. Ends in an error where the connection breaks."""
        below = "%2F**" if recursive else ""
        answer = self._guest.open(
            "GET", f"/watch/filesystem{file_path(path)}{below}", repeatable=True, silent=_watch_silent
        )
        for line in lines_in(answer):
            if line.startswith("{"):
                yield json.loads(line)

    def _write_in_parts(
        self, path: str, content: bytes, permissions: str | None, on_progress: Callable[[int], None] | None
    ) -> None:
        begun = self._guest.json(
            "POST",
            f"/filesystem-multipart/initiate{file_path(path)}",
            repeatable=True,
            json={} if permissions is None else {"permissions": permissions},
        )
        upload = f"/filesystem-multipart/{quote(begun['uploadId'], safe='')}"
        try:
            parts: list[dict[str, Any]] = []
            for number, at in enumerate(range(0, len(content), part_bytes), start=1):
                part = content[at : at + part_bytes]
                receipt = self._guest.json(
                    "PUT",
                    f"{upload}/part?partNumber={number}",
                    repeatable=True,
                    timeout=transfer_timeout,
                    files=_form(part, None),
                )
                parts.append({"partNumber": number, "etag": receipt["etag"]})
                if on_progress is not None:
                    on_progress(at + len(part))
            self._guest.json(
                "POST", f"{upload}/complete", repeatable=False, timeout=transfer_timeout, json={"parts": parts}
            )
        except (BerthError, httpx.HTTPError):
            self._guest.json("DELETE", f"{upload}/abort", repeatable=True)
            raise


def _form(content: bytes, permissions: str | None) -> dict[str, Any]:
    # Fields before the file: they are read in their order.
    fields: dict[str, Any] = {} if permissions is None else {"permissions": (None, permissions)}
    return {**fields, "file": ("file", content)}

# pyright: strict
"""A sandbox as the backend of an agent of deepagents (the extra `berth-sdk[deepagents]`)."""

from __future__ import annotations

import asyncio
from threading import Timer

from deepagents.backends.protocol import ExecuteResponse, FileDownloadResponse, FileUploadResponse
from deepagents.backends.sandbox import BaseSandbox

from . import AsyncSandbox, BerthError, NotFoundError, Sandbox
from ._core.output import ResultCollector

# The exit code of the program `timeout`.
_timed_out = 124


class SandboxBackend(BaseSandbox):
    """For the client `Berth`. Its asynchronous methods run in threads."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @property
    def id(self) -> str:
        return self._sandbox.name

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        parts: list[str] = []
        collected = ResultCollector(parts.append, parts.append)
        process = self._sandbox.spawn(command)
        is_late = False

        def end() -> None:
            nonlocal is_late
            is_late = True
            process.kill()

        timer = Timer(timeout or 0, end)
        try:
            if timeout:
                timer.start()
            for event in process.events():
                collected.take(event)
        except BaseException:
            # The rest of its output would not be read.
            process.kill()
            raise
        finally:
            timer.cancel()
        result = collected.finish(False)
        exit_code = _timed_out if is_late else result.exit_code
        return ExecuteResponse("".join(parts), exit_code, truncated=not result.is_complete)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        answers: list[FileUploadResponse] = []
        for path, content in files:
            try:
                self._sandbox.files.write(path, content)
                answers.append(FileUploadResponse(path))
            except (BerthError, ValueError) as error:
                answers.append(FileUploadResponse(path, _code(error)))
        return answers

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        answers: list[FileDownloadResponse] = []
        for path in paths:
            try:
                answers.append(FileDownloadResponse(path, self._sandbox.files.read(path)))
            except (BerthError, ValueError) as error:
                answers.append(FileDownloadResponse(path, error=_code(error)))
        return answers


class AsyncSandboxBackend(BaseSandbox):
    """For the client `AsyncBerth`. The agent is called with `ainvoke` or `astream`."""

    def __init__(self, sandbox: AsyncSandbox) -> None:
        self._sandbox = sandbox

    @property
    def id(self) -> str:
        return self._sandbox.name

    async def aexecute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        parts: list[str] = []
        try:
            async with asyncio.timeout(timeout or None):
                result = await self._sandbox.exec(command, on_stdout=parts.append, on_stderr=parts.append)
        except TimeoutError:
            return ExecuteResponse("".join(parts), _timed_out)
        return ExecuteResponse("".join(parts), result.exit_code, truncated=not result.is_complete)

    async def aupload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        answers: list[FileUploadResponse] = []
        for path, content in files:
            try:
                await self._sandbox.files.write(path, content)
                answers.append(FileUploadResponse(path))
            except (BerthError, ValueError) as error:
                answers.append(FileUploadResponse(path, _code(error)))
        return answers

    async def adownload_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        answers: list[FileDownloadResponse] = []
        for path in paths:
            try:
                answers.append(FileDownloadResponse(path, await self._sandbox.files.read(path)))
            except (BerthError, ValueError) as error:
                answers.append(FileDownloadResponse(path, error=_code(error)))
        return answers

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        raise _synchronous()

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        raise _synchronous()

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        raise _synchronous()


def _code(error: BerthError | ValueError) -> str:
    """A code of deepagents, or the text of the error."""
    if isinstance(error, NotFoundError):
        return "file_not_found"
    return "invalid_path" if isinstance(error, ValueError) else error.message


def _synchronous() -> RuntimeError:
    return RuntimeError("This backend is asynchronous. Call the agent with ainvoke or astream, or use SandboxBackend.")

"""Output of a process as events, and its result."""

from __future__ import annotations

import base64
import json
from codecs import getincrementaldecoder
from dataclasses import dataclass
from typing import Any, Callable, Literal

from .._generated import guest
from .errors import BerthError, ConnectionFailedError, ErrorFacts


@dataclass(frozen=True)
class Output:
    """Bytes of a stream."""

    type: Literal["stdout", "stderr"]
    bytes: bytes


@dataclass(frozen=True)
class Notice:
    """A line of the sandbox itself; `gap` where output is no longer kept: 32 MiB are, of both streams together."""

    type: Literal["notice", "gap"]
    text: str


@dataclass(frozen=True)
class End:
    """The end of a process, as the last event."""

    process: guest.Process
    type: Literal["end"] = "end"


Event = Output | Notice | End


@dataclass(frozen=True)
class ExecResult:
    """The end of a process, with its output."""

    # 128 and the number of the signal where a signal ended the process.
    exit_code: int
    stdout: str
    stderr: str
    # False where output was dropped before it was read.
    is_complete: bool
    # The process as the sandbox describes it.
    process: guest.Process


class ExitError(BerthError):
    """A process ended with another code than 0, and the caller asked for 0."""

    # The result, with the whole output.
    result: ExecResult

    def __init__(self, result: ExecResult) -> None:
        said = "\n".join((result.stderr.strip() or result.stdout.strip()).split("\n")[-10:])
        command = result.process["command"]
        tail = f"\n{said}" if said else ""
        super().__init__(ErrorFacts("exit", f'"{command}" ended with exit code {result.exit_code}.{tail}'))
        self.result = result


@dataclass
class Place:
    """Where a stream is continued after a break."""

    offset: int = 0
    breaks: int = 0


class StreamBroken(Exception):
    """The sandbox could not read its own output; the stream is continued."""


def event_in(line: str, place: Place) -> Event | None:
    """None for keepalives, and for what a later service may send."""
    if not line.startswith("{"):
        return None
    told: dict[str, Any] = json.loads(line)
    kind: Any = told.get("type")
    if kind == "error":
        raise StreamBroken
    place.breaks = 0
    if "next" in told:
        place.offset = int(told["next"])
    if kind == "end":
        return End(told["process"])
    if kind in ("notice", "gap"):
        return Notice(kind, told["data"])
    if kind in ("stdout", "stderr"):
        data: str = told["data"]
        return Output(kind, base64.b64decode(data) if told.get("encoding") == "base64" else data.encode())
    return None


class ResultCollector:
    """Joins the output of a process; characters may arrive in parts."""

    def __init__(
        self, on_stdout: Callable[[str], None] | None = None, on_stderr: Callable[[str], None] | None = None
    ) -> None:
        decoder = getincrementaldecoder("utf-8")
        self._decoders = {"stdout": decoder("replace"), "stderr": decoder("replace")}
        self._texts: dict[str, list[str]] = {"stdout": [], "stderr": []}
        self._callbacks = {"stdout": on_stdout, "stderr": on_stderr}
        self._process: guest.Process | None = None
        self._is_complete = True

    def take(self, event: Event) -> None:
        if isinstance(event, Output):
            self._add(event.type, self._decoders[event.type].decode(event.bytes))
        elif isinstance(event, End):
            self._process = event.process
            for stream in ("stdout", "stderr"):
                self._add(stream, self._decoders[stream].decode(b"", True))
        elif event.type == "gap":
            self._is_complete = False

    def finish(self, check: bool) -> ExecResult:
        process = self._process
        if process is None:
            raise ConnectionFailedError(ErrorFacts("no_end", "The process has not ended."))
        stdout, stderr = "".join(self._texts["stdout"]), "".join(self._texts["stderr"])
        result = ExecResult(process["exitCode"], stdout, stderr, self._is_complete, process)
        if check and result.exit_code != 0:
            raise ExitError(result)
        return result

    def _add(self, stream: str, text: str) -> None:
        if text == "":
            return
        self._texts[stream].append(text)
        callback = self._callbacks[stream]
        if callback is not None:
            callback(text)

"""Processes of a sandbox."""

from __future__ import annotations

import asyncio
import base64
from contextlib import suppress
from typing import Any, AsyncIterator, Callable, Mapping, cast
from urllib.parse import quote

import httpx

from .._core.cancelled import AsyncCancelled
from .._core.errors import (
    BerthError,
    ConnectionFailedError,
    ErrorFacts,
    NotFoundError,
    TimedOutError,
    UnavailableError,
)
from .._core.options import process_request, random_name, silent_seconds
from .._core.output import End, Event, ExecResult, Place, ResultCollector, StreamBroken, event_in
from .._generated import guest as g
from .guest import AsyncGuest
from .transport import lines_in

# Breaks in a row without a byte between them.
_max_breaks = 10
_first_pause = 0.1
_max_pause = 3.0


class AsyncProcess:
    """A process of a sandbox."""

    # Names the process in its sandbox.
    name: str

    def __init__(self, guest: AsyncGuest, name: str) -> None:
        self._guest = guest
        self.name = name
        self._path = f"/process/{quote(name, safe='')}"

    async def info(self) -> g.Process:
        """The process as the sandbox describes it now."""
        return cast(g.Process, await self._guest.json("GET", self._path, repeatable=True))

    async def events(self) -> AsyncIterator[Event]:
        """All output that is kept, and what follows, with the end as the last event."""
        async for event in follow(self._guest, self.name):
            yield event

    async def wait(self, *, check: bool = False) -> ExecResult:
        """Waits for the end. With `check` another exit code than 0 is an ExitError."""
        result = ResultCollector()
        async for event in follow(self._guest, self.name):
            result.take(event)
        return result.finish(check)

    async def write(self, data: str | bytes) -> None:
        """Writes to the input of a process that was started with `stdin`."""
        if isinstance(data, str):
            given: dict[str, Any] = {"data": data}
        else:
            given = {"data": base64.b64encode(data).decode(), "encoding": "base64"}
        # Twice the same input is another input.
        await self._guest.json("POST", f"{self._path}/stdin", repeatable=False, json=given)

    async def end_input(self) -> None:
        """Closes the input; the process reads its end."""
        await self._guest.json("POST", f"{self._path}/stdin", repeatable=True, json={"end": True})

    async def signal(self, name: str) -> None:
        """Sends a signal, for example SIGHUP."""
        await self._guest.json("POST", f"{self._path}/signal", repeatable=False, json={"signal": name})

    async def stop(self, grace: int = 10) -> bool:
        """Sends SIGTERM, and SIGKILL to what is left after the grace in seconds. False when the process had ended."""
        return await self._end(f"{self._path}?grace={grace}")

    async def kill(self) -> bool:
        """Kills the process and everything that it started. False when the process had ended."""
        return await self._end(f"{self._path}/kill")

    async def _end(self, path: str) -> bool:
        try:
            await self._guest.json("DELETE", path, repeatable=True)
            return True
        except NotFoundError:
            return False


async def start(
    guest: AsyncGuest,
    command: str,
    *,
    name: str | None,
    cwd: str | None,
    env: Mapping[str, str] | None,
    keep_alive: bool | None,
    stdin: bool,
) -> AsyncProcess:
    request = process_request(
        command, name or random_name(), cwd=cwd, env=env, keep_alive=keep_alive, stdin=stdin
    )
    # A name of the caller may be that of a process that has ended, which would not be started again.
    once = name is None
    path = "/process?once=true" if once else "/process"
    started = await guest.json("POST", path, repeatable=once, json=request)
    return AsyncProcess(guest, started["name"])


async def execute(
    guest: AsyncGuest,
    command: str,
    *,
    cwd: str | None,
    env: Mapping[str, str] | None,
    input: str | bytes | None,
    check: bool,
    on_stdout: Callable[[str], None] | None,
    on_stderr: Callable[[str], None] | None,
) -> ExecResult:
    """Runs a command to its end. The client chooses the name of the process, so a repeated request is no second run."""
    name = random_name()
    process = AsyncProcess(guest, name)
    request = process_request(command, name, cwd=cwd, env=env, keep_alive=None, stdin=input is not None)
    result = ResultCollector(on_stdout, on_stderr)
    started = False
    try:
        if input is not None:
            await guest.json("POST", "/process?once=true", repeatable=True, json=request)
            await _send_input(process, input)
        opened = await guest.open(
            "POST", "/process?format=events&once=true", repeatable=True, silent=silent_seconds, json=request
        )
        started = True
        async for event in follow(guest, name, opened):
            result.take(event)
    except AsyncCancelled:
        # The caller does not want it any more. Without an answer the process may run on, but the cancellation counts.
        with suppress(BerthError):
            if not started:
                await _take_name(guest, name)
            await process.kill()
        raise
    return result.finish(check)


async def _take_name(guest: AsyncGuest, name: str) -> None:
    """A start that is still on its way finds the name taken, and starts nothing. One that has arrived is found."""
    await guest.json("POST", "/process?once=true", repeatable=True, json={"command": "true", "name": name})


async def _send_input(process: AsyncProcess, input: str | bytes) -> None:
    try:
        await process.write(input)
        await process.end_input()
    except BerthError as error:
        # The process has ended, or reads no more: what it made of the input is its result.
        if error.status in (404, 422):
            return
        # It would wait for the rest of its input.
        await process.kill()
        raise


async def follow(
    guest: AsyncGuest, name: str, opened: httpx.Response | None = None
) -> AsyncIterator[Event]:
    """The exact output. A stream that breaks is continued where it broke, so no byte is lost or repeated."""
    place = Place()
    path = f"/process/{quote(name, safe='')}/output"
    if opened is None:
        opened = await guest.open("GET", path, repeatable=True, silent=silent_seconds)
    ended = False
    while True:
        if opened is not None:
            try:
                # Read beyond the end: a connection is used again where its body was read to the end.
                async for line in lines_in(opened):
                    event = event_in(line, place)
                    ended = ended or isinstance(event, End)
                    if event is not None:
                        yield event
            except (httpx.HTTPError, StreamBroken):
                pass
        if ended:
            return
        place.breaks += 1
        if place.breaks > _max_breaks:
            message = f"The output broke off at {place.offset} and could not be continued. The process may still run."
            raise ConnectionFailedError(ErrorFacts("output_lost", message))
        await asyncio.sleep(min(_max_pause, _first_pause * 2 ** (place.breaks - 1)))
        try:
            opened = await guest.open(
                "GET", f"{path}?offset={place.offset}", repeatable=True, silent=silent_seconds
            )
        except (ConnectionFailedError, TimedOutError, UnavailableError):
            # The gateway, or the machine of the sandbox, is away for a moment.
            opened = None

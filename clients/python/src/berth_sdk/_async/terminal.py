"""A terminal of a sandbox. The session outlives a connection: a terminal of the same id continues it."""

from __future__ import annotations

import json
from typing import AsyncIterator
from urllib.parse import urlencode

from websockets.asyncio.client import ClientConnection as AsyncConnection
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from .guest import AsyncGuest


class AsyncTerminal:
    """A terminal of a sandbox."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def write(self, text: str) -> None:
        """Types a text; a carriage return is the Enter key."""
        await self._connection.send(json.dumps({"type": "input", "data": text}))

    async def resize(self, cols: int, rows: int) -> None:
        """Tells the size of the window."""
        await self._connection.send(json.dumps({"type": "resize", "cols": cols, "rows": rows}))

    async def output(self) -> AsyncIterator[str]:
        """What is shown, until the connection ends."""
        try:
            while True:
                frame = json.loads(await self._connection.recv())
                if frame.get("type") == "output":
                    yield frame["data"]
        except ConnectionClosed:
            return

    async def aclose(self) -> None:
        """Ends the connection; the session goes on for ten minutes."""
        await self._connection.close()


async def open_terminal(guest: AsyncGuest, *, cols: int, rows: int, session_id: str | None) -> AsyncTerminal:
    query = {"cols": str(cols), "rows": str(rows)}
    if session_id is not None:
        query["sessionId"] = session_id
    headers = {} if guest.key is None else {"Authorization": f"Bearer {guest.key}"}
    address = (await guest.address()).replace("http", "ws", 1)
    url = f"{address}/terminal/ws?{urlencode(query)}"
    return AsyncTerminal(await connect(url, additional_headers=headers))

# Made from the asynchronous source by `pnpm clients`.
"""A terminal of a sandbox. The session outlives a connection: a terminal of the same id continues it."""

from __future__ import annotations

import json
from typing import Iterator
from urllib.parse import urlencode

from websockets.sync.client import ClientConnection as Connection
from websockets.sync.client import connect
from websockets.exceptions import ConnectionClosed

from .guest import Guest


class Terminal:
    """A terminal of a sandbox."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def write(self, text: str) -> None:
        """Types a text; a carriage return is the Enter key."""
        self._connection.send(json.dumps({"type": "input", "data": text}))

    def resize(self, cols: int, rows: int) -> None:
        """Tells the size of the window."""
        self._connection.send(json.dumps({"type": "resize", "cols": cols, "rows": rows}))

    def output(self) -> Iterator[str]:
        """What is shown, until the connection ends."""
        try:
            while True:
                frame = json.loads(self._connection.recv())
                if frame.get("type") == "output":
                    yield frame["data"]
        except ConnectionClosed:
            return

    def close(self) -> None:
        """Ends the connection; the session goes on for ten minutes."""
        self._connection.close()


def open_terminal(guest: Guest, *, cols: int, rows: int, session_id: str | None) -> Terminal:
    query = {"cols": str(cols), "rows": str(rows)}
    if session_id is not None:
        query["sessionId"] = session_id
    headers = {} if guest.key is None else {"Authorization": f"Bearer {guest.key}"}
    address = (guest.address()).replace("http", "ws", 1)
    url = f"{address}/terminal/ws?{urlencode(query)}"
    return Terminal(connect(url, additional_headers=headers))

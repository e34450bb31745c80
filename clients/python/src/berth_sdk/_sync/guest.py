# Made from the asynchronous source by `pnpm clients`.
"""Requests to the API inside one sandbox, through the gateway."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx

from .management import Management


class Guest:
    def __init__(self, management: Management, workspace: str, name: str) -> None:
        self._management = management
        self._path = f"/{workspace}/sandboxes/{quote(name, safe='')}"

    @property
    def key(self) -> str | None:
        return self._management.transport.key

    def address(self) -> str:
        """Address below which the routes are."""
        return f"{self._management.gateway_url()}{self._path}"

    def send(self, method: str, path: str, *, repeatable: bool, **more: Any) -> httpx.Response:
        url = f"{self.address()}{path}"
        return self._management.transport.send(method, url, repeatable=repeatable, **more)

    def json(self, method: str, path: str, *, repeatable: bool, **more: Any) -> Any:
        return (self.send(method, path, repeatable=repeatable, **more)).json()

    def open(
        self, method: str, path: str, *, repeatable: bool, silent: float, json: Any = None
    ) -> httpx.Response:
        url = f"{self.address()}{path}"
        return self._management.transport.open(
            method, url, repeatable=repeatable, silent=silent, json=json
        )

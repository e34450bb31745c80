# Made from the asynchronous source by `pnpm clients`.
"""Requests to the management API of one deployment."""

from __future__ import annotations

import uuid
from typing import Any, Mapping, cast
from urllib.parse import quote

from .._core.options import address_of, prefix, variable
from .._generated import management as t
from .transport import Transport


class Management:
    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        workspace: str | None = None,
        *,
        gateway_url: str | None = None,
        request_timeout: float = 60.0,
        max_tries: int = 5,
    ) -> None:
        """Address, key and workspace come from BERTH_URL, BERTH_KEY and BERTH_WORKSPACE where they are left out. `request_timeout` is in
        seconds, and `max_tries` counts the first one."""
        self._url = address_of(url)
        self._workspace = workspace or variable("BERTH_WORKSPACE")
        self._gateway_url = gateway_url.rstrip("/") if gateway_url else None
        self._discovery: t.Discovery | None = None
        self.transport = Transport(
            key=key or variable("BERTH_KEY"), max_tries=max_tries, request_timeout=request_timeout
        )

    def close(self) -> None:
        """Closes the connections."""
        self.transport.close()

    def gateway_url(self) -> str:
        """Address of the gateway, which serves agents and sandboxes by path."""
        return self._gateway_url or (self._discover())["gatewayUrl"]

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str],
        query: Mapping[str, Any],
        body: Any = None,
        at_root: bool = False,
        public: bool = False,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """One request of the management API. It is repeated where the connection breaks: a POST has its key, and the others do the same twice."""
        filled = path
        for name, value in params.items():
            filled = filled.replace("{" + name + "}", quote(value, safe=""))
        headers = {} if public else self._headers()
        if method == "POST":
            headers["idempotency-key"] = idempotency_key or str(uuid.uuid4())
        asked = {name: _query_text(value) for name, value in query.items() if value is not None}
        answer = self.transport.send(
            method,
            f"{self._url}{'' if at_root else prefix}{filled}",
            headers=headers,
            repeatable=True,
            public=public,
            timeout=timeout,
            params=asked,
            **({} if body is None else {"json": body}),
        )
        return answer.json() if answer.content else None

    def _headers(self) -> dict[str, str]:
        told = self._discover()
        long = told["brand"]["long"]
        headers = {f"{long}-Version": told["versions"][-1]}
        if self._workspace is not None:
            headers[f"X-{long}-Workspace"] = self._workspace
        return headers

    def _discover(self) -> t.Discovery:
        """Read once."""
        if self._discovery is None:
            answer = self.transport.send(
                "GET", f"{self._url}/.well-known/berth", repeatable=True, public=True
            )
            self._discovery = cast(t.Discovery, answer.json())
        return self._discovery


def _query_text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)

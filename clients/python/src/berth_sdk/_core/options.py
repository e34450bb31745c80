"""Settings of the client, and what a process is started with."""

from __future__ import annotations

import os
import secrets
from typing import Any, Mapping

from .errors import ErrorFacts, InvalidRequestError

prefix = "/v0"
# The service waits up to 55 seconds for a sandbox.
create_timeout = 70.0
# The time for one part of a file, or a whole download.
transfer_timeout = 600.0
# The sandbox sends a keepalive every five seconds.
silent_seconds = 20.0
# Larger files are sent in parts, so that a break repeats one part alone.
part_bytes = 8 * 1024 * 1024


def address_of(url: str | None) -> str:
    found = url or os.environ.get("BERTH_URL")
    if not found:
        message = 'The address of the deployment is not known. Give "url", or set BERTH_URL.'
        raise InvalidRequestError(ErrorFacts("no_settings", message))
    return found.rstrip("/").removesuffix("/v0")


def variable(name: str) -> str | None:
    return os.environ.get(name) or None


def random_name() -> str:
    return f"x-{secrets.token_hex(6)}"


def process_request(
    command: str,
    name: str,
    *,
    cwd: str | None,
    env: Mapping[str, str] | None,
    keep_alive: bool | None,
    stdin: bool,
) -> dict[str, Any]:
    request: dict[str, Any] = {"command": command, "name": name}
    if cwd is not None:
        request["workingDir"] = cwd
    if env is not None:
        request["env"] = dict(env)
    if keep_alive is not None:
        request.update(keepAlive=keep_alive, timeout=0)
    if stdin:
        request["stdin"] = True
    return request


def sandbox_spec(
    *,
    image: str | None,
    memory: int | None,
    env: Mapping[str, str] | None,
    ports: tuple[int, ...] | list[int] | None,
    ttl: str | None,
    spec: Mapping[str, Any] | None,
) -> dict[str, Any]:
    result: dict[str, Any] = dict(spec or {})
    runtime: dict[str, Any] = dict(result.get("runtime") or {})
    if image is not None:
        runtime["image"] = image
    if memory is not None:
        runtime["memory"] = memory
    if ttl is not None:
        runtime["ttl"] = ttl
    if env is not None:
        runtime["envs"] = [{"name": name, "value": value} for name, value in env.items()]
    if ports is not None:
        runtime["ports"] = [{"target": port, "protocol": "HTTP"} for port in ports]
    if runtime:
        result["runtime"] = runtime
    return result

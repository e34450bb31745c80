"""Errors of the client. Each carries what the service told: its code, its own sentence, and whether a repetition is safe."""

from __future__ import annotations

import json
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Mapping, cast


@dataclass(frozen=True)
class ErrorFacts:
    """What is known of a failure. `code` is `http_<status>` where the service gave none."""

    code: str
    message: str
    status: int | None = None
    request_id: str | None = None
    retryable: bool = False
    docs_url: str | None = None
    # Nothing of the request has reached a workload, so it may be sent again whatever it does.
    not_dispatched: bool = False
    retry_after: float | None = None


class BerthError(Exception):
    """A request that failed. The message is that of the service where it gave one."""

    # Stable name of the problem; `http_<status>` where the service gave none.
    code: str
    message: str
    # Status of the answer; None when there was none.
    status: int | None
    # Names the request in the logs of the service.
    request_id: str | None
    # The same request may succeed later.
    retryable: bool
    # Page that explains the problem.
    docs_url: str | None
    # Nothing of the request has reached a workload.
    not_dispatched: bool
    # The service asks to wait for these seconds.
    retry_after: float | None

    def __init__(self, facts: ErrorFacts) -> None:
        super().__init__(facts.message)
        self.facts = facts
        self.code = facts.code
        self.status = facts.status
        self.message = facts.message
        self.request_id = facts.request_id
        self.retryable = facts.retryable
        self.docs_url = facts.docs_url
        self.not_dispatched = facts.not_dispatched
        self.retry_after = facts.retry_after


class InvalidRequestError(BerthError):
    """The request is not as the service wants it."""


class AccessError(BerthError):
    """The key is missing, wrong, or may not do this."""


class NotFoundError(BerthError):
    """There is no such thing, or the key does not reach it."""


class ConflictError(BerthError):
    """The name is taken, or the thing is in use."""


class QuotaError(BerthError):
    """A limit of the account or of its money is used up."""


class RateLimitedError(BerthError):
    """More requests than a limit allows at once."""


class PortUnreachableError(BerthError):
    """Nothing listens on the port of the sandbox."""


class UnavailableError(BerthError):
    """The service or the workload cannot answer now."""


class ConnectionFailedError(BerthError):
    """The connection broke, so it is not known what the service did."""


class TimedOutError(BerthError):
    """No answer within the time that the caller gave."""


def is_passing(error: BerthError) -> bool:
    """The service, or the way to it, is away for a moment."""
    return isinstance(error, (ConnectionFailedError, UnavailableError, TimedOutError))


_quota_codes = {"QUOTA_EXCEEDED", "USAGE_LIMIT_EXCEEDED", "quota_exceeded", "limit_reached"}
_shown_characters = 300


def error_from(facts: ErrorFacts) -> BerthError:
    status = facts.status or 0
    if facts.code in _quota_codes or status == 402:
        return QuotaError(facts)
    if facts.code == "PORT_UNREACHABLE":
        return PortUnreachableError(facts)
    if status in (401, 403):
        return AccessError(facts)
    if status == 404:
        return NotFoundError(facts)
    if status == 409:
        return ConflictError(facts)
    if status == 429:
        return RateLimitedError(facts)
    if status >= 500 or status == 408:
        return UnavailableError(facts)
    return InvalidRequestError(facts)


def read_error(status: int, headers: Mapping[str, str], text: str) -> ErrorFacts:
    """Reads the error bodies of the service: the API, the gateway and the sandbox each have their own form."""
    body = _object_in(text)
    request_id = headers.get("x-request-id")
    retry_after = _retry_after(headers.get("retry-after"))
    plain = f"http_{status}"
    shown = text[:_shown_characters] or f"Status {status}"
    error = body.get("error")
    if isinstance(error, dict):
        told = cast(dict[str, Any], error)
        return ErrorFacts(
            code=_text(told.get("code")) or plain,
            message=_joined(_text(told.get("message")) or shown, _text(told.get("action"))),
            status=status,
            request_id=request_id,
            retryable=told.get("retryable") is True,
            docs_url=_text(told.get("docs_url")),
            not_dispatched=told.get("dispatch_state") == "not_dispatched",
            retry_after=retry_after,
        )
    message = _text(body.get("message"))
    if message is None:
        return ErrorFacts(plain, _text(error) or shown, status, request_id, retry_after=retry_after)
    # The creation of a sandbox has its code in another place.
    code = _text(error) or _text(body.get("code")) or plain
    return ErrorFacts(code, message, status, request_id, status in (429, 503), retry_after=retry_after)


def _object_in(text: str) -> dict[str, Any]:
    try:
        value: Any = json.loads(text)
    except ValueError:
        return {}
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value != "" else None


def _joined(*sentences: str | None) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def _retry_after(value: str | None) -> float | None:
    """In seconds, or a date."""
    if value is None:
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except ValueError:
        return None

# Made from the asynchronous source by `pnpm clients`.
"""Sends one request until it has an answer: time limits, repetition where it is safe, and errors by their family."""

from __future__ import annotations

import time
import random
from typing import Any, Iterator, Mapping

import httpx

from .._core.errors import (
    BerthError,
    ConnectionFailedError,
    ErrorFacts,
    TimedOutError,
    error_from,
    read_error,
)
from .._core.retry import pause_before_retry


class Transport:
    def __init__(self, *, key: str | None, max_tries: int, request_timeout: float) -> None:
        self.key = key
        self._max_tries = max_tries
        self._request_timeout = request_timeout
        # Many streams may be open at once.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
        self._client = httpx.Client(limits=limits, follow_redirects=False)

    def close(self) -> None:
        self._client.close()

    def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        repeatable: bool,
        public: bool = False,
        timeout: float | None = None,
        **body: Any,
    ) -> httpx.Response:
        """The whole answer. Throws for a status from 400 on."""
        tries = 0
        while True:
            tries += 1
            try:
                answer = self._client.request(
                    method, url, headers=self._headers(headers, public), timeout=self._limit(timeout), **body
                )
            except httpx.HTTPError as cause:
                error = unanswered(method, url, cause)
            else:
                if answer.status_code < 400:
                    return answer
                error = error_from(read_error(answer.status_code, answer.headers, answer.text))
            self._pause_or_raise(error, tries, repeatable)

    def open(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        repeatable: bool,
        silent: float,
        json: Any = None,
    ) -> httpx.Response:
        """The head of an answer whose body is read piece by piece, and has to be closed."""
        tries = 0
        while True:
            tries += 1
            try:
                limit = httpx.Timeout(self._request_timeout, read=max(silent, self._request_timeout))
                request = self._client.build_request(
                    method, url, headers=self._headers(headers, False), json=json, timeout=limit
                )
                answer = self._client.send(request, stream=True)
                if answer.status_code < 400:
                    return answer
                answer.read()
                error = error_from(read_error(answer.status_code, answer.headers, answer.text))
            except httpx.HTTPError as cause:
                error = unanswered(method, url, cause)
            self._pause_or_raise(error, tries, repeatable)

    def _pause_or_raise(self, error: BerthError, tries: int, repeatable: bool) -> None:
        pause = pause_before_retry(
            error, tries, max_tries=self._max_tries, repeatable=repeatable, random=random.random()
        )
        if pause is None:
            raise error
        time.sleep(pause)

    def _limit(self, timeout: float | None) -> httpx.Timeout:
        return httpx.Timeout(timeout or self._request_timeout, connect=10.0)

    def _headers(self, headers: Mapping[str, str] | None, public: bool) -> dict[str, str]:
        own = {} if self.key is None or public else {"authorization": f"Bearer {self.key}"}
        return {**(headers or {}), **own}


def lines_in(answer: httpx.Response) -> Iterator[str]:
    """Lines of a body as they arrive. Ends in an error where the connection breaks."""
    rest = b""
    try:
        # Not by httpx: it also ends a line at U+2028 and others, which JSON may hold.
        for piece in answer.iter_bytes():
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield line.decode()
        if rest:
            yield rest.decode()
    finally:
        answer.close()


def unanswered(method: str, url: str, cause: httpx.HTTPError) -> BerthError:
    request = f"{method} {url.split('?')[0]}"
    if isinstance(cause, httpx.TimeoutException):
        error: BerthError = TimedOutError(ErrorFacts("timeout", f"{request} was not answered in time."))
    else:
        error = ConnectionFailedError(ErrorFacts("connection", f"{request} got no answer: {cause}"))
    error.__cause__ = cause
    return error


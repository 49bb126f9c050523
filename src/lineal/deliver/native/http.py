"""Requests to a catalog's own interface: JSON, a bearer token, and back-off.

Only the standard library is used, so these catalogs need no extra.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from lineal.deliver.failures import (
    MOVED,
    REFUSALS,
    Refused,
    Stopped,
    address_of,
    describe_answer,
    is_page,
)

BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""The answers after which the same request is sent again."""

FIRST_PAUSE = 0.3
LONGEST_PAUSE = 30.0
MOST_BYTES = 10_000_000
"""The bytes of an answer that are read."""


class Answer(NamedTuple):
    """The response of a server to a request."""

    status: int
    body: Any


class _NoRedirect(HTTPRedirectHandler):
    """Refuses redirects: a POST to an address that has moved would become a GET at the new one."""

    def redirect_request(self, *args: object, **options: object) -> None:
        """Refuse every redirect: a token goes only to the address that the user named."""
        return


class Server:
    """A catalog's server."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.url = str(config["url"]).rstrip("/")
        self.where = address_of(self.url)
        self._timeout = float(config["timeout"])
        self._retries = int(config["retries"])
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        self._headers |= config.get("headers", {})
        if config.get("token"):
            self._headers["Authorization"] = f"Bearer {config['token']}"

        self._opener = build_opener(_NoRedirect)

    def ask(
        self, method: str, path: str, body: Any = None, allowed: Collection[int] = ()
    ) -> Answer:
        """Send a request until it is answered; a status that is not allowed is an error."""
        pause = FIRST_PAUSE
        for attempt in range(self._retries + 1):
            is_last = attempt == self._retries
            answer, wait = self._try(method, path, body, is_last)
            if answer is not None and (is_last or answer.status not in BUSY):
                return self._judge(answer, allowed)

            time.sleep(min(wait or pause, LONGEST_PAUSE))
            pause *= 2

        raise Stopped(f"{self.where} cannot be reached")  # pragma: no cover

    def _try(
        self, method: str, path: str, body: object, is_last: bool
    ) -> tuple[Answer | None, float]:
        """Send a request once: the answer, and the seconds that the server asks to wait."""
        data = None if body is None else json.dumps(body).encode()
        address = f"{self.url}/{path.lstrip('/')}"
        request = Request(address, data, self._headers, method=method)  # noqa: S310  checked: http(s)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return _read(response.status, response.headers, response.read(MOST_BYTES)), 0.0
        except HTTPError as refusal:
            with refusal:
                data = refusal.read(MOST_BYTES)
                return _read(refusal.code, refusal.headers, data), _seconds(refusal.headers)
        except (URLError, HTTPException, OSError) as problem:
            if is_last:
                raise Stopped(
                    f"{self.where} cannot be reached: {describe_problem(problem)}"
                ) from problem

        return None, 0.0

    def _judge(self, answer: Answer, allowed: Collection[int]) -> Answer:
        """Return an answer that is allowed; say what any other means."""
        status = answer.status
        if status in MOVED:
            raise Stopped(describe_answer(self.where, status))

        if answer.body is PAGE:
            raise Stopped(f"{self.where} answers with a web page: check the address and --endpoint")

        if status < 300 or status in allowed:
            return answer

        reason = describe_answer(self.where, status)
        if status in REFUSALS:
            raise Refused(reason)

        raise Stopped(reason)


PAGE = object()
"""The body of an answer that is a web page: a login page, or a proxy."""


def _read(status: int, headers: Any, data: bytes) -> Answer:
    """Return an answer with its body as JSON, if it is any."""
    if status < 300 and is_page(str(headers.get("Content-Type", "")), data):
        return Answer(status, PAGE)

    try:
        return Answer(status, json.loads(data)) if data else Answer(status, None)
    except ValueError:
        return Answer(status, None)


def _seconds(headers: Any) -> float:
    """Retry-After: 2"""
    try:
        return max(0.0, float(headers.get("Retry-After", 0)))
    except ValueError:  # a date
        return 0.0


def describe_problem(problem: Exception) -> str:
    """Say in words why a server cannot be reached."""
    cause = getattr(problem, "reason", problem)
    if isinstance(cause, TimeoutError):
        return "no answer within the time that --timeout gives"

    name = type(cause).__name__
    if "SSL" in name:
        return "its certificate is not trusted"

    if isinstance(cause, OSError | HTTPException):
        return "the connection is refused or closed"

    return name

"""Why events did not arrive: in words that tell what to do, and without anything secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from lineal.model.sequences import first_or_none

Event = dict[str, Any]


class Unavailable(RuntimeError):
    """A client that is needed is not installed, or cannot make such a transport."""


class NotSent(RuntimeError):
    """Events did not arrive: which ones, and why the first of them did not."""

    def __init__(self, left: Sequence[Event], reason: str) -> None:
        super().__init__(reason)
        self.left = list(left)
        self.reason = reason


class Refused(RuntimeError):
    """The server answers that it does not take this event; others may still be welcome."""


class Stopped(RuntimeError):
    """The server, the way to it or the token fails: no other event would arrive."""


REFUSALS = frozenset({400, 404, 409, 413, 422})
"""The answers that speak of one event, and not of the server or the token."""

REMEDIES = {
    401: ": check the token, it may have expired",
    403: ": the token does not allow this",
    404: ": check the address and --endpoint",
    413: ": the event is larger than it takes",
    429: ": it asks for fewer events at a time",
}
"""The advice for each kind of answer."""


MOVED = range(300, 400)
"""The answers that name another address: a posted event would be turned into a request and lost."""


def describe_answer(where: str, status: int, phrase: str = "") -> str:
    """http://localhost:8080 answers 401 Unauthorized: check the token, it may have expired"""
    server = where or "the server"
    if status in MOVED:
        return f"{server} sends events to another address"

    return f"{server} answers {status} {phrase}".strip() + REMEDIES.get(status, "")


PAGE_TYPES = ("text/html", "application/xhtml")
PAGE_STARTS = (b"<!doctype html", b"<html")


def is_page(content_type: str, body: bytes) -> bool:
    """Tell whether an answer is a web page: a login page or a proxy, whatever its status says.

    A server may leave out the Content-Type, so the first bytes count, too.
    """
    start = body[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return content_type.lower().startswith(PAGE_TYPES) or start.startswith(PAGE_STARTS)


REASONS = {
    "ConnectionError": "the connection is refused or closed",
    "ChunkedEncodingError": "the connection is closed before the answer is complete",
    "ConnectTimeout": "no connection within the time that --timeout gives",
    "ReadTimeout": "no answer within the time that --timeout gives",
    "ConnectTimeoutError": "no connection within the time that --timeout gives",
    "ReadTimeoutError": "no answer within the time that --timeout gives",
    "RetryError": "it kept failing",
    "SSLError": "its certificate is not trusted",
}
"""Why a server cannot be reached, by the class of the error that a client raises."""


def reason_of_retries(problem: BaseException) -> object:
    """Return the failure that the client gave up on: it reports a late answer as a
    ConnectionError, which holds the list of attempts and their last reason.
    """
    attempts = first_or_none(problem.args)
    return getattr(attempts, "reason", None)


def is_address(url: str) -> bool:
    """Tell whether a text is the address of a server: http or https, a host, and a port if any."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")
        is_port = parts.port is None or parts.port > 0
    except ValueError:  # http://[::1, http://host:port, or a host with a label that is too long
        return False

    is_plain = url.isprintable() and " " not in url
    return parts.scheme in ("http", "https") and bool(host) and is_port and is_plain


def address_of(url: str) -> str:
    """Return the scheme, host and port of an address, without user info, path or query."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:  # http://[::1 or http://host:port
        return "the address"

    if not url:
        return ""

    return f"{parts.scheme}://{parts.hostname or ''}{port}"

"""Send events: to the console or a file directly, to a server by the transports of OpenLineage's
own client.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lineal.views.openlineage import line

API_KEY = "OPENLINEAGE_API_KEY"

Event = dict[str, Any]
Write = Callable[[str], None]


class Unavailable(RuntimeError):
    """OpenLineage's client is not installed, or cannot make such a transport."""


class NotSent(RuntimeError):
    """Events did not arrive: which ones, and why the first of them did not."""

    def __init__(self, left: Sequence[Event], reason: str) -> None:
        super().__init__(reason)
        self.left = list(left)
        self.reason = reason


def to_console() -> dict[str, Any]:
    """Return the configuration that writes events to standard output."""
    return {"type": "console"}


def to_file(path: str) -> dict[str, Any]:
    """One event a line, after those that the file has."""
    return {"type": "file", "log_file_path": path, "append": True}


def to_server(
    url: str, endpoint: str, timeout: float, retries: int, token: str | None = None
) -> dict[str, Any]:
    """Return the configuration that posts events one by one; what fails in transit, or at a server
    that is busy, is tried again. The token of another server is never sent: without one, that of
    OpenLineage's client is.
    """
    times = {"total": retries, "connect": retries, "read": retries}
    config = {"type": "http", "url": url, "endpoint": endpoint, "timeout": timeout, "retry": times}
    key = os.environ.get(API_KEY) if token is None else token
    if key:
        return {**config, "auth": {"type": "api_key", "apiKey": key}}
    return config


def send(events: Sequence[Event], config: dict[str, Any] | None, write: Write) -> int:
    """Send events, and return how many; `write` is given what goes to the console.

    The console and a local file need no client. Without a config the events go as the client is
    configured:
    openlineage.yml, OPENLINEAGE_URL and its other variables.
    """
    kind = (config or {}).get("type")
    if kind == "console":
        return _write_all(events, write)
    if config is not None and kind == "file" and "://" not in config["log_file_path"]:
        return _append(events, Path(config["log_file_path"]))
    return _emit(events, config)


def _write_all(events: Sequence[Event], write: Write) -> int:
    """Write events, one per line; return how many."""
    for event in events:
        write(f"{line(event)}\n")
    return len(events)


def _append(events: Sequence[Event], path: Path) -> int:
    """Append events to a local file; an error tells which are not in it."""
    written = 0
    try:
        with path.open("a", encoding="utf-8") as stream:
            for event in events:
                stream.write(f"{line(event)}\n")
                stream.flush()
                written += 1
    except OSError as problem:
        raise NotSent(events[written:], f"cannot write to {path}: {problem.strerror}") from problem
    return written


def _emit(events: Sequence[Event], config: dict[str, Any] | None) -> int:
    """Hand events to a transport of OpenLineage's client.

    An event that the server refuses costs no other event anything; any other failure ends it.
    """
    transport = _transport(config)
    refused: list[Event] = []
    reason = ""
    for number, event in enumerate(events):
        try:
            _post(transport, event, config)
        except _Refused as refusal:
            refused.append(event)
            reason = reason or str(refusal)
        except NotSent as failure:
            left = [*refused, *events[number:]]
            raise NotSent(left, reason or failure.reason) from failure
    transport.close()
    if refused:
        raise NotSent(refused, reason)
    return len(events)


class _Refused(RuntimeError):
    """The server answers that it does not take this event."""


def _post(transport: Any, event: Event, config: dict[str, Any] | None) -> None:
    """Post one event; the answer has to be one of a lineage endpoint."""
    try:
        answer = transport.emit(_in_order(event))
    except Exception as problem:  # whatever a transport raises: of requests, urllib3, Kafka, …
        status = getattr(getattr(problem, "response", None), "status_code", None)
        reason = _reason(problem, config)
        if status in REFUSALS:
            raise _Refused(reason) from problem
        raise NotSent([event], reason) from problem
    where = address_of((config or {}).get("url", ""))
    if _leads_elsewhere(answer):
        raise NotSent([event], f"{where} sends events to another address")
    if _is_page(answer):
        reason = f"{where} answers with a web page: check the address and --endpoint"
        raise NotSent([event], reason)


REFUSALS = frozenset({400, 413, 422})
"""The answers that speak of one event, and not of the server or the token."""


def _is_page(answer: Any) -> bool:
    """Content-Type: text/html      a login page or a proxy, whatever its status says"""
    headers = getattr(answer, "headers", None) or {}
    return str(headers.get("Content-Type", "")).lower().startswith("text/html")


class _Key(str):
    """A key of a JSON object that sorts by its position: the client sorts keys, and fields have an
    order.
    """

    __slots__ = ("position",)
    position: int

    def __lt__(self, other: str) -> bool:
        if isinstance(other, _Key):
            return self.position < other.position
        return str.__lt__(self, other)


def _in_order(value: Any) -> Any:
    """The same value with keys that keep their order when they are sorted."""
    if isinstance(value, list):
        return [_in_order(each) for each in value]
    if not isinstance(value, dict):
        return value
    ordered = {}
    for position, (name, each) in enumerate(value.items()):
        key = _Key(name)
        key.position = position
        ordered[key] = _in_order(each)
    return ordered


def _leads_elsewhere(answer: Any) -> bool:
    """302 Found

    what is posted to an address that has moved is asked for at the new one, and kept nowhere
    """
    status = getattr(answer, "status_code", 200)
    method = getattr(getattr(answer, "request", None), "method", "POST")
    return isinstance(status, int) and (300 <= status < 400 or method != "POST")


def _transport(config: dict[str, Any] | None) -> Any:
    """The client is an extra: it is looked for when events are to be sent, and not before."""
    try:
        package = import_module("openlineage.client")
        transports = import_module("openlineage.client.transport")
    except ImportError as missing:
        raise Unavailable(
            "OpenLineage's client is not installed: pip install 'lineal[openlineage]'"
        ) from missing
    try:
        if config is None:
            return package.OpenLineageClient().transport
        return transports.get_default_factory().create(config)
    except Exception as problem:
        raise Unavailable(
            f"OpenLineage's client cannot do this: {_reason(problem, config)}"
        ) from problem


def _reason(problem: Exception, config: dict[str, Any] | None) -> str:
    """What went wrong, in a line, without what is secret: keys, and passwords in addresses."""
    response = getattr(problem, "response", None)
    where = address_of((config or {}).get("url", ""))
    if response is not None:
        answer = f"{where or 'the server'} answers {response.status_code} {response.reason}"
        remedy = REMEDIES.get(response.status_code, "")
        return f"{answer.strip()}{remedy}"
    name = type(problem).__name__
    if where:
        return f"{where} cannot be reached: {REASONS.get(name, name)}"
    cause = problem.__cause__ or problem
    return " ".join(str(cause).split())[:300] or name


REMEDIES = {
    401: ": check the token, it may have expired",
    403: ": the token does not allow this",
    404: ": check the address and --endpoint",
    413: ": the event is larger than it takes",
}
"""What to do about an answer."""

REASONS = {
    "ConnectionError": "the connection is refused or closed",
    "ChunkedEncodingError": "the connection is closed before the answer is complete",
    "ConnectTimeout": "no connection within the time that --timeout gives",
    "ReadTimeout": "no answer within the time that --timeout gives",
    "RetryError": "it went on failing",
    "SSLError": "its certificate is not trusted",
}


def address_of(url: str) -> str:
    """Return the scheme, host and port of an address, without user info, path or query."""
    try:
        parts = urlsplit(url)
    except ValueError:  # http://[::1
        return "the address"
    if not url:
        return ""
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}"

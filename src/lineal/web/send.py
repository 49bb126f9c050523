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
    """An event did not arrive: how many did before it, and why this one did not."""

    def __init__(self, sent: int, reason: str) -> None:
        super().__init__(reason)
        self.sent = sent
        self.reason = reason


def to_console() -> dict[str, Any]:
    return {"type": "console"}


def to_file(path: str) -> dict[str, Any]:
    """One event a line, after those that the file has."""
    return {"type": "file", "log_file_path": path, "append": True}


def to_server(url: str, endpoint: str, timeout: float, retries: int) -> dict[str, Any]:
    """Events are posted one by one; what fails in transit, or at a server that is busy, is tried
    again.
    """
    times = {"total": retries, "connect": retries, "read": retries}
    config = {"type": "http", "url": url, "endpoint": endpoint, "timeout": timeout, "retry": times}
    key = os.environ.get(API_KEY)
    return {**config, "auth": {"type": "api_key", "apiKey": key}} if key else config


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
    for event in events:
        write(f"{line(event)}\n")
    return len(events)


def _append(events: Sequence[Event], path: Path) -> int:
    """Append events to a local file; an error says how many of them are in it."""
    written = 0
    try:
        with path.open("a", encoding="utf-8") as stream:
            for event in events:
                stream.write(f"{line(event)}\n")
                stream.flush()
                written += 1
    except OSError as problem:
        raise NotSent(written, f"cannot write to {path}: {problem.strerror}") from problem
    return written


def _emit(events: Sequence[Event], config: dict[str, Any] | None) -> int:
    """Hand events to a transport of OpenLineage's client."""
    transport = _transport(config)
    for number, event in enumerate(events):
        try:
            answer = transport.emit(_in_order(event))
        except Exception as problem:  # whatever a transport raises: of requests, urllib3, Kafka, …
            raise NotSent(number, _reason(problem, config)) from problem
        if _leads_elsewhere(answer):
            raise NotSent(
                number, f"{_address((config or {}).get('url', ''))} sends events to another address"
            )
    transport.close()
    return len(events)


class _Key(str):
    """A key of a JSON object that sorts by its position: the client sorts keys, and fields have an
    order.
    """

    __slots__ = ("position",)
    position: int

    def __lt__(self, other: str) -> bool:
        return (
            self.position < other.position if isinstance(other, _Key) else str.__lt__(self, other)
        )


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
    where = _address((config or {}).get("url", ""))
    if response is not None:
        return f"{where or 'the server'} answers {response.status_code} {response.reason}".strip()
    name = type(problem).__name__
    if where:
        return f"{where} cannot be reached: {REASONS.get(name, name)}"
    cause = problem.__cause__ or problem
    return " ".join(str(cause).split())[:300] or name


REASONS = {
    "ConnectionError": "the connection is refused or closed",
    "ChunkedEncodingError": "the connection is closed before the answer is complete",
    "ConnectTimeout": "no connection within the time that --timeout gives",
    "ReadTimeout": "no answer within the time that --timeout gives",
    "RetryError": "it went on failing",
    "SSLError": "its certificate is not trusted",
}


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:  # http://[::1
        return "the address"
    if not url:
        return ""
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}"

"""Events on their way: to a console, a file or a server, by the transports of OpenLineage's own client."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

API_KEY = "OPENLINEAGE_API_KEY"
CONSOLE_LOG = "openlineage.client.transport.console"

Event = Mapping[str, Any]
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
    """Events are posted one by one; what fails in transit, or at a server that is busy, is tried again."""
    times = {"total": retries, "connect": retries, "read": retries}
    config = {"type": "http", "url": url, "endpoint": endpoint, "timeout": timeout, "retry": times}
    key = os.environ.get(API_KEY)
    return {**config, "auth": {"type": "api_key", "apiKey": key}} if key else config


def send(events: Sequence[Event], config: dict[str, Any] | None, write: Write) -> int:
    """How many events were sent; `write` is given what goes to the console.

    Without a config they go as the client is configured: openlineage.yml, OPENLINEAGE_URL and its other variables.
    """
    transport = _transport(config)
    with _console(write):
        for number, event in enumerate(events):
            try:
                answer = transport.emit(event)
            except Exception as problem:  # whatever a transport raises: of requests, urllib3, Kafka, …
                raise NotSent(number, _reason(problem, config)) from problem
            if _leads_elsewhere(answer):
                raise NotSent(number, f"{_address((config or {}).get('url', ''))} sends events to another address")
        transport.close()
    return len(events)


def _leads_elsewhere(answer: Any) -> bool:
    """302 Found      what is posted to an address that has moved is asked for at the new one, and kept nowhere"""
    status = getattr(answer, "status_code", 200)
    method = getattr(getattr(answer, "request", None), "method", "POST")
    return isinstance(status, int) and (300 <= status < 400 or method != "POST")


def _transport(config: dict[str, Any] | None) -> Any:
    """The client is an extra: it is looked for when events are to be sent, and not before."""
    try:
        package = import_module("openlineage.client")
        transports = import_module("openlineage.client.transport")
    except ImportError as missing:
        raise Unavailable("OpenLineage's client is not installed: pip install 'lineal[openlineage]'") from missing
    try:
        if config is None:
            return package.OpenLineageClient().transport
        return transports.get_default_factory().create(config)
    except Exception as problem:
        raise Unavailable(f"OpenLineage's client cannot do this: {_reason(problem, config)}") from problem


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
    return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}" if url else ""


@contextmanager
def _console(write: Write) -> Iterator[None]:
    """The client's console is a logger: what it says goes where results go."""
    handler = _Handler(write)
    logger = logging.getLogger(CONSOLE_LOG)
    before, propagate = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
        logger.propagate = propagate


class _Handler(logging.Handler):
    def __init__(self, write: Write) -> None:
        super().__init__()
        self.write = write

    def emit(self, record: logging.LogRecord) -> None:
        self.write(record.getMessage() + "\n")

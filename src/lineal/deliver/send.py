"""Send events: to the console or a file directly, to a server by the transports of OpenLineage's
own client, to a catalog's own interface by a courier of `native/`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from lineal.deliver.batches import Batches
from lineal.deliver.failures import (
    MOVED,
    REASONS,
    Event,
    NotSent,
    Refused,
    Stopped,
    Unavailable,
    address_of,
    describe_answer,
    is_page,
    reason_of_retries,
)
from lineal.deliver.native import NATIVE, courier_of
from lineal.views.openlineage import line

__all__ = ["Event", "NotSent", "Unavailable", "address_of", "send"]

API_KEY = "OPENLINEAGE_API_KEY"

Write = Callable[[str], None]
Accepted = Callable[[Event], None]


def to_console() -> dict[str, object]:
    """Return the configuration that writes events to standard output."""
    return {"type": "console"}


def to_file(path: str) -> dict[str, object]:
    """One event a line, after those that the file has."""
    return {"type": "file", "log_file_path": path, "append": True}


def to_server(
    url: str,
    endpoint: str,
    timeout: float,
    retries: int,
    token: str | None = None,
    headers: dict[str, str] | None = None,
) -> dict[str, object]:
    """Return the configuration that posts events one by one; what fails in transit, or at a server
    that is busy, is tried again. The token of another server is never sent: without one, that of
    OpenLineage's client is.
    """
    times = {"total": retries, "connect": retries, "read": retries}
    config = {"type": "http", "url": url, "endpoint": endpoint, "timeout": timeout, "retry": times}
    if headers:
        config["custom_headers"] = headers

    key = os.environ.get(API_KEY, "").strip() if token is None else token
    if key:
        return {**config, "auth": {"type": "api_key", "apiKey": key}}

    return config


def in_batches(config: dict[str, Any], endpoint: str, size: int, retries: int) -> dict[str, object]:
    """Return the configuration of `to_server` for a server that takes several events at a time."""
    batch = {"endpoint": endpoint, "size": size}
    token = config.get("auth", {}).get("apiKey", "")
    headers = config.get("custom_headers", {})
    return {**config, "batch": batch, "token": token, "headers": headers, "retries": retries}


def send(
    events: Sequence[Event],
    config: dict[str, Any] | None,
    write: Write,
    accepted: Accepted = lambda event: None,
    unresolved: Write = lambda name: None,
) -> int:
    """Send events, and return how many; `write` is given the text for the console, `accepted` each
    event that a server has taken, `unresolved` each dataset that a server says it does not find.

    The console and a local file need no client. Without a config the events go as the client is
    configured: openlineage.yml, OPENLINEAGE_URL and its other variables.
    """
    kind = (config or {}).get("type")
    if kind == "console":
        return _write_all(events, write)

    if config is not None and kind == "file" and "://" not in config["log_file_path"]:
        return _append(events, Path(config["log_file_path"]))

    if config is not None and kind == NATIVE:
        return _send_each(events, courier_of(config).send, accepted)

    if config is not None and "batch" in config:
        return Batches(config, unresolved).send(events, accepted)

    transport = _transport(config)
    count = _send_each(events, lambda event: _post(transport, event, config), accepted)
    transport.close()
    return count


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


def _send_each(events: Sequence[Event], post: Accepted, accepted: Accepted) -> int:
    """Send events one by one.

    An event that the server refuses costs no other event anything; any other failure ends it.
    """
    refused: list[Event] = []
    reason = ""
    for number, event in enumerate(events):
        try:
            post(event)
        except Refused as refusal:
            refused.append(event)
            reason = reason or str(refusal)
        except Stopped as failure:
            left = [*refused, *events[number:]]
            raise NotSent(left, reason or str(failure)) from failure
        else:
            accepted(event)

    if refused:
        raise NotSent(refused, reason)

    return len(events)


def _post(transport: Any, event: Event, config: dict[str, Any] | None) -> None:
    """Post one event; the answer has to be one of a lineage endpoint."""
    try:
        answer = transport.emit(_in_order(event))
    except Exception as problem:  # whatever a transport raises: of requests, urllib3, Kafka, …
        status = getattr(getattr(problem, "response", None), "status_code", None)
        reason = _reason(problem, config)
        if status in REFUSALS:
            raise Refused(reason) from problem

        raise Stopped(reason) from problem

    where = address_of((config or {}).get("url", ""))
    if _leads_elsewhere(answer):
        raise Stopped(f"{where} sends events to another address")

    if _is_page(answer):
        raise Stopped(f"{where} answers with a web page: check the address and --endpoint")


REFUSALS = frozenset({400, 413, 422})
"""The answers of a lineage endpoint that speak of one event, and not of the server or the token."""


def _is_page(answer: object) -> bool:
    """Tell whether the answer of a transport is a web page; transports without answers give none."""
    headers = getattr(answer, "headers", None) or {}
    body = getattr(answer, "content", b"")
    start = body if isinstance(body, bytes) else b""
    return is_page(str(headers.get("Content-Type", "")), start)


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


def _in_order(value: object) -> Any:
    """The same value with keys that keep their order when they are sorted."""
    if isinstance(value, list):
        return list(map(_in_order, value))

    if not isinstance(value, dict):
        return value

    ordered = {}
    for position, (name, each) in enumerate(value.items()):
        key = _Key(name)
        key.position = position
        ordered[key] = _in_order(each)

    return ordered


def _leads_elsewhere(answer: object) -> bool:
    """302 Found

    what is posted to an address that has moved is asked for at the new one, and kept nowhere
    """
    status = getattr(answer, "status_code", 200)
    method = getattr(getattr(answer, "request", None), "method", "POST")
    return isinstance(status, int) and (status in MOVED or method != "POST")


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
    """Return the cause of a failure, in a line, without secrets: keys, and passwords in
    addresses.
    """
    response = getattr(problem, "response", None)
    where = address_of((config or {}).get("url", ""))
    if response is not None:
        return describe_answer(where, response.status_code, response.reason or "")

    name = type(problem).__name__
    retried = reason_of_retries(problem)
    if busy := STATUS.search(str(retried)):
        return describe_answer(where, int(busy[0]), "again and again")

    if where:
        reason = REASONS.get(type(retried).__name__, REASONS.get(name, name))
        return f"{where} cannot be reached: {reason}"

    cause = problem.__cause__ or problem
    return " ".join(str(cause).split())[:300] or name


STATUS = re.compile(r"(?<=too many )\d{3}(?= error responses)")
"""How the client says that a server stayed busy."""

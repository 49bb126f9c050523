"""Events in batches, for a catalog that takes several in one request.

    POST /api/v1/openlineage/lineage/batch
    {"events": […]}
    {"status": "partial_success", "failedEvents": [{"index": 3, "reason": …}]}

A batch that is refused as a whole is halved until the events that are refused stand alone, so that
they cost no other event anything. A server without such an address gets the events one by one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from lineal.deliver.failures import Event, NotSent, Refused, Stopped, describe_answer
from lineal.deliver.native.http import Answer, Server
from lineal.views.openlineage import line

MOST_BYTES = 1_000_000
"""The bytes of the events of one batch; a larger event goes alone."""

UNKNOWN_ADDRESS = frozenset({404, 405})
"""The answers of a server that takes no batches."""


class Batches:
    """Brings events to a catalog, several with each request."""

    def __init__(self, config: Mapping[str, Any], unresolved: Callable[[str], None]) -> None:
        """`unresolved` is given each dataset that the catalog says it does not find."""
        self._server = Server(config)
        self._single = str(config["endpoint"])
        self._path = str(config["batch"]["endpoint"])
        self._size = int(config["batch"]["size"])
        self._takes_batches = self._size > 1
        self._unresolved = unresolved

    def send(self, events: Sequence[Event], accepted: Callable[[Event], None]) -> int:
        """Send events; `accepted` is given each that the catalog has taken. NotSent tells the rest."""
        waiting = deque(parts_of(events, self._size))
        refused: list[Event] = []
        reason = ""
        while waiting:
            part = waiting.popleft()
            try:
                failures = self._post(part)
            except Refused as refusal:
                if len(part) > 1:
                    waiting.extendleft(reversed(halves_of(part)))
                    continue

                failures = {0: str(refusal)}
            except Stopped as stop:
                left = [*refused, *part, *chain.from_iterable(waiting)]
                raise NotSent(left, reason or str(stop)) from stop

            for index, event in enumerate(part):
                if index in failures:
                    refused.append(event)
                    reason = reason or failures[index]
                else:
                    accepted(event)

        if refused:
            raise NotSent(refused, reason)

        return len(events)

    def _post(self, part: list[Event]) -> dict[int, str]:
        """Post one batch; return why events of it failed, by their positions."""
        if self._takes_batches:
            request = {"events": part}
            answer = self._server.ask("POST", self._path, request, (400, *UNKNOWN_ADDRESS))
            if answer.status not in UNKNOWN_ADDRESS:
                return self._judge(answer, len(part))

            self._takes_batches = False

        if len(part) > 1:
            raise Refused(f"{self._server.where} takes events one by one")

        self._note(self._server.ask("POST", self._single, part[0]))
        return {}

    def _judge(self, answer: Answer, count: int) -> dict[int, str]:
        """Return the failures that the answer to a batch lists."""
        self._note(answer)
        failures = dict(failures_of(answer, count, self._server.where))
        if answer.status == 400 and not failures:
            raise Refused(describe_answer(self._server.where, answer.status))

        return failures

    def _note(self, answer: Answer) -> None:
        """Pass on the names of datasets that the catalog did not find."""
        found = answer.body.get("unresolvedDatasets") if isinstance(answer.body, dict) else None
        for each in found if isinstance(found, list) else ():
            self._unresolved(first_line(each.get("name") if isinstance(each, dict) else each))


def parts_of(events: Sequence[Event], size: int) -> Iterator[list[Event]]:
    """Yield the events in their order, at most `size` of them and one megabyte at a time."""
    part: list[Event] = []
    total = 0
    for event in events:
        own = len(line(event).encode())
        if part and (len(part) == size or total + own > MOST_BYTES):
            yield part
            part, total = [], 0

        part.append(event)
        total += own

    if part:
        yield part


def halves_of(part: list[Event]) -> list[list[Event]]:
    """Return the first and the second half."""
    middle = len(part) // 2
    return [part[:middle], part[middle:]]


def failures_of(answer: Answer, count: int, where: str) -> Iterator[tuple[int, str]]:
    """Yield position and reason of each event of a batch that failed, as the answer lists them."""
    body = answer.body if isinstance(answer.body, dict) else {}
    for failed in body.get("failedEvents") or ():
        index = failed.get("index") if isinstance(failed, dict) else None
        if isinstance(index, int) and 0 <= index < count:
            yield index, f"{where} did not take it: {first_line(failed.get('reason'))}"


def first_line(text: object) -> str:
    """Return the first line of what a server says, cut to a readable length."""
    lines = str(text or "no reason given").split("\n")
    return lines[0].strip()[:300]

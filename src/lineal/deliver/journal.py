"""A file of events that are still to be sent: it survives an interruption, and nothing of it is sent
twice.

    events.ndjson         the events, one a line
    events.ndjson.sent    a digest for each of them that was accepted; gone when the run has ended
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lineal.deliver.failures import Event
from lineal.views.openlineage import line


class NotEvents(ValueError):
    """A file to send again has a line that is not an event."""


class Journal:
    """The events of a file, and which of them a server has accepted."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._sent = file.with_name(f"{file.name}.sent")
        self._earlier = read_events(file) if file.exists() else []

    def begin(self, events: Sequence[Event]) -> None:
        """Add events before the first of them is sent."""
        self._write([*self._earlier, *events])

    def accept(self, event: Event) -> None:
        """Note that a server has accepted an event."""
        with self._sent.open("a", encoding="utf-8") as stream:
            stream.write(f"{digest(event)}\n")

    def end(self, left: Sequence[Event]) -> None:
        """Leave only the events that did not arrive; no file where there is none."""
        rest = [*self._earlier, *left]
        if rest:
            self._write(rest)
        else:
            self.file.unlink(missing_ok=True)

        self._sent.unlink(missing_ok=True)

    def _write(self, events: Sequence[Event]) -> None:
        """Replace the file: written next to it, then renamed. Events that were sent before are left
        out.
        """
        keep_only(events, self.file)
        self._sent.unlink(missing_ok=True)


class Resumed(Journal):
    """A file whose own events are sent: it stays, empty where all have arrived."""

    def __init__(self, file: Path) -> None:
        super().__init__(file)
        self.events = self._earlier
        self._earlier = []

    def end(self, left: Sequence[Event]) -> None:
        """Leave only the events that still did not arrive."""
        self._write(left)


def keep_only(left: Sequence[Event], file: Path) -> None:
    """Leave nothing but these events in a file: written next to it, then renamed."""
    beside = file.with_name(f"{file.name}.part")
    beside.write_text("".join(f"{line(event)}\n" for event in left), encoding="utf-8")
    beside.replace(file)


def read_events(file: Path) -> list[Event]:
    """Return the events of a file, but for those that an interrupted run has sent."""
    sent = _sent_digests(file)
    events: list[Event] = []
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        event = _event_of(text, f"{file}:{number}")
        own = digest(event)
        if sent[own]:
            sent[own] -= 1
        else:
            events.append(event)

    return events


def _sent_digests(file: Path) -> Counter[str]:
    """Return how often each event was accepted."""
    beside = file.with_name(f"{file.name}.sent")
    if not beside.exists():
        return Counter()

    return Counter(beside.read_text(encoding="utf-8").split())


def _event_of(text: str, place: str) -> Event:
    """Return the event of a line."""
    try:
        event = json.loads(text)
    except ValueError as problem:
        raise NotEvents(f"{place}: not an event in JSON") from problem

    if not isinstance(event, dict) or "eventTime" not in event:
        raise NotEvents(f"{place}: not an OpenLineage event")

    return event


def digest(event: Event) -> str:
    """Return a short name of an event."""
    return hashlib.sha256(line(event).encode()).hexdigest()[:32]

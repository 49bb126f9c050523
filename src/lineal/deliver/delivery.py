"""A delivery: the events that a catalog takes, those that arrived, and those that are left.

    outcome = deliver(events, config, PROFILES["dataplex"], print)
    outcome.sent, outcome.left, outcome.reason

Nothing is lost: what did not arrive is in `left`, and `keep` writes it to a file that can be sent
again as it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lineal.deliver.profiles import MEGABYTE, Profile
from lineal.deliver.send import Event, NotSent, Write, send
from lineal.model.consumers import CONSUMERS
from lineal.views.openlineage import line


class Outcome(NamedTuple):
    """What became of the events of one delivery."""

    sent: int
    left: list[Event]
    reason: str
    """why the first of those that are left did not arrive"""
    without_run: int = 0
    """events that no catalog takes, and that were not sent"""

    @property
    def total(self) -> int:
        """How many events there were to send."""
        return self.sent + len(self.left)


class Shipment(NamedTuple):
    """The events that a catalog turns into lineage, and those that are too large for it."""

    events: list[Event]
    too_large: list[Event]
    without_run: int = 0
    """events about datasets that no job reads or writes: catalogs refuse them"""


def pack(events: Sequence[Event], profile: Profile | None) -> Shipment:
    """Return the events for a catalog: the run states that it takes, within the size that it takes."""
    if profile is None:
        return Shipment(list(events), [])
    shipment = Shipment([], [], sum("run" not in event for event in events))
    for event in events:
        if "run" not in event or event.get("eventType") not in profile.states:
            continue
        fits = not profile.largest or size_of(event) <= profile.largest
        (shipment.events if fits else shipment.too_large).append(event)
    return shipment


def bare_names(events: Sequence[Event], profile: Profile) -> list[str]:
    """Return the tables that a catalog cannot find, since their names lack a schema."""
    found: dict[str, None] = {}
    for event in events:
        for dataset in (*event.get("inputs", ()), *event.get("outputs", ())):
            facets = dataset.get("facets", {})
            kind = facets.get("datasetType", {}).get("datasetType", "").lower()
            is_short = dataset["name"].count(".") + 1 < profile.name_parts
            if is_short and "symlinks" not in facets and kind not in CONSUMERS:
                found[dataset["name"]] = None
    return list(found)


def size_of(event: Event) -> int:
    """Return the bytes that an event has on its way."""
    return len(line(event).encode())


def deliver(
    events: Sequence[Event], config: dict[str, Any] | None, profile: Profile | None, write: Write
) -> Outcome:
    """Send events; `write` is given what goes to the console."""
    shipment = pack(events, profile)
    left: list[Event] = []
    reason = ""
    try:
        send(shipment.events, config, write)
    except NotSent as failure:
        left, reason = failure.left, failure.reason
    sent = len(shipment.events) - len(left)
    if shipment.too_large and profile is not None:
        left += shipment.too_large
        limit = f"{profile.largest / MEGABYTE:g} MB"
        reason = reason or f"{profile.title} takes events of at most {limit}"
    return Outcome(sent, left, reason, shipment.without_run)


def keep(left: Sequence[Event], file: Path) -> None:
    """Append the events that did not arrive to a file."""
    with file.open("a", encoding="utf-8") as stream:
        stream.writelines(f"{line(event)}\n" for event in left)


def keep_only(left: Sequence[Event], file: Path) -> None:
    """Leave nothing but these events in a file: written beside it, then renamed."""
    beside = file.with_name(f"{file.name}.part")
    beside.write_text("".join(f"{line(event)}\n" for event in left), encoding="utf-8")
    beside.replace(file)


class NotEvents(ValueError):
    """A file to send again has a line that is not an event."""


def read_events(file: Path) -> list[Event]:
    """Return the events of a file that `keep` has written."""
    events: list[Event] = []
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            event = json.loads(text)
        except ValueError as problem:
            raise NotEvents(f"{file}:{number}: not an event in JSON") from problem
        if not isinstance(event, dict) or "eventTime" not in event:
            raise NotEvents(f"{file}:{number}: not an OpenLineage event")
        events.append(event)
    return events

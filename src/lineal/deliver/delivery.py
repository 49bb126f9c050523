"""A delivery: the events that a catalog takes, those that arrived, and those that are left.

    outcome = deliver(events, config, PROFILES["dataplex"], print)
    outcome.sent, outcome.left, outcome.reason

Nothing is lost: what did not arrive is in `left`, and a journal keeps it in a file that can be sent
again as it is, also after an interruption.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lineal.deliver.journal import Journal
from lineal.deliver.profiles import MEGABYTE, Profile
from lineal.deliver.send import Event, NotSent, Write, send
from lineal.model.consumers import CONSUMERS
from lineal.model.openlineage import NO_NAMESPACE
from lineal.views.openlineage import line


class Outcome(NamedTuple):
    """The result of one delivery of events."""

    sent: int
    left: list[Event]
    reason: str
    """why the first of those that are left did not arrive"""
    without_run: int = 0
    """events that no catalog takes, and that were not sent"""
    unresolved: tuple[str, ...] = ()
    """the datasets that the catalog says it does not find"""

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

        if profile.unknown_type:
            event = with_types(event, profile.unknown_type)

        fits = not profile.largest or size_of(event) <= profile.largest
        (shipment.events if fits else shipment.too_large).append(event)

    return shipment


def with_types(event: Event, unknown: str) -> Event:
    """Return an event whose `schema` facets have a type for every column."""
    datasets = {
        side: [_with_types(dataset, unknown) for dataset in event.get(side, ())]
        for side in ("inputs", "outputs")
    }
    return {**event, **datasets}


def _with_types(dataset: Event, unknown: str) -> Event:
    """Return a dataset of an event, with a type for every column."""
    facets = dataset.get("facets", {})
    if "schema" not in facets:
        return dataset

    fields = [
        field if "type" in field else {"name": field["name"], "type": unknown, **field}
        for field in facets["schema"].get("fields", ())
    ]
    return {**dataset, "facets": {**facets, "schema": {**facets["schema"], "fields": fields}}}


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


def without_namespace(events: Sequence[Event]) -> list[str]:
    """Return the tables of which nobody has said where they are."""
    found: dict[str, None] = {}
    for event in events:
        for dataset in (*event.get("inputs", ()), *event.get("outputs", ())):
            kind = dataset.get("facets", {}).get("datasetType", {}).get("datasetType", "").lower()
            if dataset["namespace"] == NO_NAMESPACE and kind not in CONSUMERS:
                found[dataset["name"]] = None

    return list(found)


def count_edges(events: Sequence[Event]) -> int:
    """Return how many pairs of columns events tell of; START and COMPLETE of a run tell the same."""
    edges: set[tuple[str, ...]] = set()
    for event in events:
        for output in event.get("outputs", ()):
            ends = (output["namespace"], output["name"])
            fields = output.get("facets", {}).get("columnLineage", {}).get("fields", {})
            for name, made in fields.items():
                for source in made["inputFields"]:
                    edges.add((*ends, name, source["namespace"], source["name"], source["field"]))

    return len(edges)


def size_of(event: Event) -> int:
    """Return the bytes that an event has on its way."""
    return len(line(event).encode())


def deliver(
    events: Sequence[Event],
    config: dict[str, Any] | None,
    profile: Profile | None,
    write: Write,
    journal: Journal | None = None,
) -> Outcome:
    """Send events; `write` is given the text for the console, the journal the events to be sent and
    those that were accepted.
    """
    shipment = pack(events, profile)
    left: list[Event] = []
    reason = ""
    unresolved: dict[str, None] = {}
    accepted = journal.accept if journal is not None else _ignore
    if journal is not None:
        journal.begin([*shipment.events, *shipment.too_large])

    try:
        send(
            shipment.events, config, write, accepted, lambda name: unresolved.setdefault(name, None)
        )
    except NotSent as failure:
        left, reason = failure.left, failure.reason

    sent = len(shipment.events) - len(left)
    if shipment.too_large and profile is not None:
        left += shipment.too_large
        limit = f"{profile.largest / MEGABYTE:g} MB"
        reason = reason or f"{profile.title} takes events of at most {limit}"

    if journal is not None:
        journal.end(left)

    return Outcome(sent, left, reason, shipment.without_run, tuple(unresolved))


def _ignore(event: Event) -> None:
    """Keep no note of an event that was accepted."""

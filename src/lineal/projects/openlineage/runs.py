"""Jobs and datasets of events: the events of a run are one story, in any order.

A job event replaces what was said of the job before; the events of one run, and those of one
dataset, add up. A facet that is said again is replaced by the later one, and one that is marked as
deleted goes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from lineal.model.boundary import attempt_each
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.grouping import group_pairs
from lineal.model.job import Run
from lineal.model.openlineage import Named
from lineal.model.plain import as_mapping
from lineal.projects.openlineage.stream import JsonObject
from lineal.projects.openlineage.values import Complain, entries, objects, read_name
from lineal.projects.text import Report

Facets = dict[str, dict[str, Any]]

STATES = {"START": 0, "RUNNING": 1, "OTHER": 2, "COMPLETE": 3, "ABORT": 4, "FAIL": 4}
ENDED = ("COMPLETE", "ABORT", "FAIL")
FAILED = ("ABORT", "FAIL")
EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass
class Story:
    """All that the events tell of one run, one job or one dataset."""

    job: Named | None
    place: Place
    time: str
    moment: datetime
    run: Run | None = None
    failed: str = ""
    facets: Facets = field(default_factory=dict)
    lineage: list[Any] | None = None
    """the entries of the explicit lineage facet"""
    inputs: dict[Named, Facets] = field(default_factory=dict)
    outputs: dict[Named, Facets] = field(default_factory=dict)

    @property
    def order(self) -> tuple[datetime, str, tuple[str, str], str]:
        """Return the sort key of a run."""
        return self.moment, self.time, self.job or ("", ""), self.run.id if self.run else ""


@dataclass(frozen=True)
class Event:
    """One event whose outer parts are as they should be."""

    value: Mapping[str, Any]
    place: Place
    time: str
    moment: datetime
    text: str
    job: Named | None
    run: str = ""
    state: str = ""

    @property
    def order(self) -> tuple[datetime, int, str]:
        """Return the sort key of an event."""
        return self.moment, STATES.get(self.state, 2), self.text

    @property
    def subject(self) -> tuple[object, ...]:
        """Return the run, job or dataset that an event is about."""
        if self.run:
            return ("run", self.run, self.job)

        if self.job:
            return ("job", self.job)

        return ("dataset", read_name(self.value["dataset"]))


def stories_of_runs(events: Iterable[JsonObject], report: Report) -> list[Story]:
    """The stories, the earliest first."""
    told: dict[tuple[object, ...], list[Event]] = {}
    read = partial(_event, report=report)
    for event in attempt_each(events, read, lambda written: written.place, report, "this event"):
        told.setdefault(event.subject, []).append(event)

    _report_shared_ids(told, report)

    def tell(several: list[Event]) -> Story:
        """Tell the story of the events of one run."""
        return _story(sorted(several, key=lambda event: event.order), report)

    made = attempt_each(told.values(), tell, lambda several: several[0].place, report, "this run")
    return sorted(made, key=lambda story: story.order)


def problem_of(value: object) -> str:
    """Return the reason why a value is not an event; empty for a valid event."""
    if not isinstance(value, dict):
        return "an event is a JSON object"

    if not isinstance(value.get("eventTime"), str):
        return "an event has an eventTime"

    if "dataset" in value and "job" not in value:
        if read_name(value["dataset"]):
            return ""

        return "a dataset has a namespace and a name"

    if not read_name(value.get("job")):
        return "an event is about a job or a dataset, with a namespace and a name"

    if "run" in value and not (
        isinstance(as_mapping(value["run"]).get("runId"), str) and value["run"]["runId"]
    ):
        return "a run has a runId"

    return ""


def _event(written: JsonObject, report: Report) -> Event | None:
    """Return an event that was read; None and a diagnostic if it is not one."""
    value, place = written
    complain = _complaint(place, report)
    text, problem = _text(value), problem_of(value)
    if text is None:
        problem = "it nests too deeply"

    if text is None or problem:
        complain(f"{problem}: the event is left out")
        return None

    time, run, state = value["eventTime"], "", ""
    moment = _moment(time)
    if moment is None:
        complain(f"eventTime {time!r} is not a time: the event counts as the first")

    if "run" in value:
        run, state = value["run"]["runId"], value.get("eventType", "OTHER")
        if not isinstance(state, str) or state not in STATES:
            complain(f"eventType {state!r} is not known: taken for OTHER")
            state = "OTHER"

    return Event(
        value, place, time, moment or EARLIEST, text, read_name(value.get("job")), run, state
    )


def _text(value: Any) -> str | None:
    """Return a value as JSON in a fixed order; None if it nests too deeply."""
    try:
        return json.dumps(value, sort_keys=True)
    except RecursionError:
        return None


def _moment(text: str) -> datetime | None:
    """Return a time in UTC; None if the text is not a time."""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            return found.replace(tzinfo=UTC)

        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _report_shared_ids(told: Mapping[tuple[object, ...], list[Event]], report: Report) -> None:
    """A run is that of one job; an id that two jobs use is that of two runs."""
    runs = group_pairs((several[0].run, several[0]) for several in told.values() if several[0].run)
    for run, firsts in runs.items():
        if len(firsts) > 1:
            jobs = ", ".join(sorted(".".join(event.job or ()) for event in firsts))
            message = f"run {run} belongs to several jobs: {jobs}; each is read on its own"
            report(Diagnostic(Code.EVENT_ERROR, message, firsts[1].place))


def _story(events: list[Event], report: Report) -> Story:
    """Return what the events of one run say together."""
    last = events[-1]
    if not last.run and last.job:
        events = [last]  # what a job event says is the whole of it

    ended = [event for event in events if event.state in ENDED]
    final = ended[-1] if ended else last
    story = Story(final.job, final.place, final.time, final.moment)
    for event in events:
        _tell(story, event, _complaint(event.place, report))

    if final.run:
        started = next((event.time for event in events if event.state == "START"), events[0].time)
        story.run = Run(final.run, started, final.time)
        story.failed = final.state if final.state in FAILED else ""

    return story


def _tell(story: Story, event: Event, complain: Complain) -> None:
    """Add what one event says to a story."""
    value = event.value
    if event.job is None:
        _describe(story.outputs, value["dataset"], "dataset", complain)
        return

    job = value["job"]
    _update(story.facets, job.get("facets"), "job.facets", complain)
    lineage = as_mapping(as_mapping(job.get("facets")).get("lineage")).get("entries")
    if isinstance(lineage, list):
        story.lineage = [*(story.lineage or ()), *lineage]

    for side, into in (("inputs", story.inputs), ("outputs", story.outputs)):
        for dataset in objects(value.get(side), side, complain):
            _describe(into, dataset, side, complain)


def _describe(
    into: dict[Named, Facets], dataset: Mapping[str, object], side: str, complain: Complain
) -> None:
    """Add the facets of a dataset."""
    name = read_name(dataset)
    if name is None:
        complain(f"a dataset of {side} has no namespace and name: left out")
    else:
        _update(into.setdefault(name, {}), dataset.get("facets"), f"{name.name}.facets", complain)


def _update(facets: Facets, given: object, what: str, complain: Complain) -> None:
    """Update facets by those of a later event; a deleted facet disappears."""
    for name, facet in entries(given, what, complain):
        if facet.get("_deleted") is True:
            facets.pop(name, None)
        else:
            facets[name] = facet


def _complaint(place: Place, report: Report) -> Complain:
    """Return the function that reports problems at a place."""
    return partial(_report, report, place)


def _report(report: Report, place: Place, message: str) -> None:
    """Report a problem at a place."""
    report(Diagnostic(Code.EVENT_ERROR, message, place))

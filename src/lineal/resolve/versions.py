"""Versions of names: which are shown as datasets, and what the hidden ones hold from statement to
statement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from sys import maxsize
from typing import NamedTuple

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import NOTHING
from lineal.algebra.relation import one_row, project, scan_on_demand
from lineal.extract.entries import Definition, Entry, Setting, State
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.statements.steps import Plan, Step
from lineal.model.edge import Dataset
from lineal.model.script import Script
from lineal.model.sequences import flatten, last_or_none
from lineal.resolve.alterations import Makes, change_of, schema_frame
from lineal.resolve.boundary import Boundary
from lineal.resolve.catalog import NameCatalog
from lineal.resolve.naming import Naming
from lineal.resolve.schemas import Schemas, named_columns
from lineal.resolve.timeline import Change, Timeline, Version

AddPlan = Callable[[Plan, Reading, Facts, Entry], Definition | None]
"""Adds a statement to the name that it writes."""

AT_THE_END = maxsize
"""A position behind every statement."""


class Arranged(NamedTuple):
    """A script whose steps have their full names, and where their order matters, its timeline."""

    reading: Reading
    facts: Facts
    steps: list[Step]
    namings: list[Naming | None]
    timeline: Timeline | None


class Versions:
    """The versions of all scripts whose order matters."""

    def __init__(self, catalog: NameCatalog, schemas: Schemas, boundary: Boundary) -> None:
        self.catalog = catalog
        self.schemas = schemas
        self.boundary = boundary
        self.hidden: list[tuple[Version, Reading]] = []
        self.names: dict[int, str] = {}
        """of the hidden versions that are kept as nodes"""

    @property
    def collapse(self) -> bool:
        """Tell whether temporary tables are composed into what reads them."""
        return self.catalog.corpus.collapse_temporary

    def name_kept(self, scripts: list[Arranged]) -> None:
        """Give the temporary tables that are shown a name of their own.

        --no-collapse-temp

        #t, and where something else has that name: load.sql::#t, load.sql::#t@2
        """
        if not any(script.timeline is not None for script in scripts):
            return

        shown = set(chain.from_iterable(map(shown_keys, scripts)))
        kept = [
            (version, home(script.reading.script))
            for script in scripts if script.timeline is not None
            for version in script.timeline.versions if version.hidden
        ]  # fmt: skip
        plain = Counter(version.name for version, _ in kept)
        met: Counter[str] = Counter()
        for version, where in kept:
            free = (
                plain[version.name] == 1
                and version.key not in shown
                and not self.catalog.declares(version.key)
            )
            name = version.name if free or not where else f"{where}::{version.name}"
            met[name] += 1
            self.names[id(version)] = name if met[name] == 1 else f"{name}@{met[name]}"

    def add(self, script: Arranged, add_plan: AddPlan) -> None:
        """Shown versions are definitions of their names; of a hidden one every statement leaves a
        state.
        """
        timeline = script.timeline
        assert timeline is not None
        writes: list[tuple[int, Version, Plan]] = []
        for version in timeline.versions:
            if version.hidden and self.collapse and not version.filled_elsewhere:
                self.hidden.append((version, script.reading))
                self.hide(version, timeline)
            else:
                self.show(version, timeline)

            writes += [(position, version, plan) for position, plan in version.writes]

        for position, version, plan in sorted(writes, key=lambda write: write[0]):
            entry = version.entry or version.states[version.positions.index(position)]
            if entry.__class__ is State and plan.schema is not None:
                continue  # CREATE TABLE #t (a INT): its first state has the columns

            definition = add_plan(plan, script.reading, script.facts, entry)
            if definition is not None:
                definition.setting = Setting(timeline, position, script.namings[position])

    def forget(self, script: Arranged) -> None:
        """Nothing of a script stays: it could not be added."""
        self.hidden = [
            (version, reading) for version, reading in self.hidden if reading is not script.reading
        ]

    # -- shown -------------------------------------------------------------------------------------

    def show(self, version: Version, timeline: Timeline) -> None:
        """Show a version as a dataset."""
        name, key = version.name, version.key
        if version.hidden:  # kept as a node of its own, next to whatever else has the name
            name = self.names[id(version)]
            key = f"{key}@{name}"

        entry = version.entry = self.catalog.entry(
            key, name, "temporary" if version.hidden else "table"
        )
        entry.changes += [(timeline, position, change) for position, change in version.changes]
        if (
            version.before is not None
            and entry.declared is None
            and version.before.entry is not None
        ):
            entry.declared = version.before.entry.declared

    def show_unread(self) -> None:
        """A temporary table that nothing reads is a result: it stays, and with it what it was made
        of.
        """
        for version, _ in self.hidden:
            written = flatten(state.definitions for state in version.states)
            if version.read or version.superseded or not written:
                continue

            try:
                self.show_result(version, written)
            except Exception as error:
                for definition in written:
                    self.boundary.fail(definition, error)

    def show_result(self, version: Version, written: list[Definition]) -> None:
        """Show a hidden version after all: its statements write a dataset of its name."""
        name = self.names[id(version)]
        entry = self.catalog.entry(f"{version.key}@{name}", name, "temporary")
        columns = named_columns(self.schemas.schema(version.states[-1]))
        for definition in written:
            definition.entry, definition.target = entry, entry.dataset
            if definition.frame is not None:
                definition.frame = self.schemas.spell_out(definition.frame)

            entry.add(definition)

        entry.scanned = scan_on_demand(
            entry.dataset, columns, all(each.failure is None for each in written)
        )

    # -- hidden ------------------------------------------------------------------------------------

    def hide(self, version: Version, timeline: Timeline) -> None:
        """Leave a state for each statement that writes or alters a version."""
        dataset = Dataset(self.catalog.corpus.namespace, version.name)
        if version.before is not None:
            leave(version, dataset, -1, self.columns_of(version.before))
        elif version.external:
            entry = self.catalog.entry(version.origin, version.name, "table")
            leave(version, dataset, -1, lambda _: self.schemas.declared_frame(entry))

        events: list[tuple[int, Plan | Change]] = [*version.writes, *version.changes]
        for position, event in sorted(events, key=lambda event: event[0]):
            if not isinstance(event, Plan):
                leave(version, dataset, position, change_of(event))
            elif event.schema is not None:
                leave(version, dataset, position, self.columns_like(event, timeline, position))
            else:
                leave(version, dataset, position, None)

    def columns_like(self, plan: Plan, timeline: Timeline, position: int) -> Makes:
        """Return the columns that a statement declares.

        CREATE TABLE #t (a INT), CREATE TEMP TABLE t (LIKE s)
        """
        if not plan.like:
            return schema_frame(plan, self.catalog.facts)

        name, key = plan.like[0]
        version = timeline.at(key, position)
        if version is None:
            version = Version(name, key)
            version.entry = self.catalog.entry(key, name, "table")

        return self.columns_of(version, position)

    def frame_before(self, source: Entry) -> Frame:
        """The columns of a table that no INSERT decides: one of them may read the copy."""
        if isinstance(source, State) or source.deciding:
            return self.schemas.schema(source)

        return self.schemas.declared_frame(source)

    def columns_of(self, version: Version, position: int = AT_THE_END) -> Makes:
        """Return the columns of a version without its rows, as they are at a position.

        TRUNCATE t      its columns, of which nothing is left
        """

        def empty_frame(_: Frame | None) -> Frame:
            """Return a frame with the same columns that nothing flows into."""
            source = version.state_at(position) if version.states else version.entry
            assert source is not None
            slots = self.frame_before(source).slots
            return project(
                one_row(),
                [slot if slot.star else Slot(slot.name, slot.key, NOTHING) for slot in slots],
            )

        return empty_frame


def home(script: Script) -> str:
    """Return the scope of a script's names: its file, or for a statement of a log its own name."""
    return script.target or script.file if script.recurs else script.file


def shown_keys(script: Arranged) -> Iterable[str]:
    """The names that a script gives to what stays."""
    if script.timeline is not None:
        return (version.key for version in script.timeline.versions if not version.hidden)

    return (step.key for step in script.steps if isinstance(step, Plan))


def leave(version: Version, dataset: Dataset, position: int, makes: Makes | None) -> None:
    """A statement leaves the version in another state."""
    state = State(dataset, version, last_or_none(version.states))
    state.makes = makes
    version.states.append(state)
    version.positions.append(position)


def evaluations_of(definition: Definition) -> list[Evaluation]:
    """Of a statement, and of those that made what it reads and that are hidden."""
    assert definition.evaluation is not None
    found = [definition.evaluation]
    if not definition.evaluation.composed:
        return found

    seen: set[int] = set()
    for evaluation in found:  # grows while it is walked
        for state in evaluation.composed:
            reached: Entry | None = state
            while isinstance(reached, State) and id(reached) not in seen:
                seen.add(id(reached))
                found += [
                    each.evaluation for each in reached.definitions if each.evaluation is not None
                ]
                reached = reached.before

    return found


def forget_states(state: State) -> list[State]:
    """A statement is evaluated again: what it left, and every later state of the same version."""
    states = state.version.states[state.version.states.index(state) :]
    for each in states:
        each.scanned = None

    return states

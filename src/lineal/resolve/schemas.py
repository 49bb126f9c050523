"""The columns of datasets: as their definitions make them, else as they are declared."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple

from lineal.algebra.frame import Frame
from lineal.algebra.relation import merge, scan_on_demand
from lineal.algebra.symbols import share_states
from lineal.extract.entries import Definition, Entry, State
from lineal.model.boundary import internal_error
from lineal.model.extraction import DatasetInfo
from lineal.model.sequences import second_of_each
from lineal.resolve.alterations import altered_columns, use_former_names
from lineal.resolve.boundary import Boundary
from lineal.resolve.catalog import NameCatalog
from lineal.resolve.hooks import EvaluationHooks

COMPUTED_KINDS = frozenset(("seed", "temporary", "type", "function"))
"""Their columns cannot be stale: a seed's columns are read from its file."""


class Altered(NamedTuple):
    """The columns of a table after its ALTER statements, and what they were computed from."""

    info: DatasetInfo | None
    changes: int
    frame: Frame


frame_of = attrgetter("frame")


class Made:
    """The columns that some statements make of a name, which more of them can be added to."""

    __slots__ = ("columns", "defines", "frames", "is_open")

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        """the frames of the statements, in order"""
        self.columns: dict[str, str] = {}
        """the names of the columns by their keys"""
        self.defines = False
        """whether one of the statements decides the schema"""
        self.is_open = False
        """whether there may be more columns: a star over an unknown schema, or an open text"""

    @property
    def complete(self) -> bool:
        """Tell whether these are all columns of the name."""
        return self.defines and not self.is_open

    def add(self, definitions: Iterable[Definition]) -> None:
        """Add statements that are evaluated."""
        for definition in definitions:
            assert definition.frame is not None
            self.frames.append(definition.frame)
            self.defines = self.defines or definition.plan.defines
            self.is_open = self.is_open or definition.reading.script.open
            for slot in definition.frame.slots:
                if slot.star is None:
                    self.columns.setdefault(slot.key, slot.name)
                else:
                    self.is_open = True

    def is_start_of(self, frames: list[Frame]) -> bool:
        """Tell whether these are the first of some frames."""
        return self.frames == frames[: len(self.frames)]


class Schemas:
    """The frame that each entry is scanned as."""

    def __init__(self, catalog: NameCatalog, boundary: Boundary, hooks: EvaluationHooks) -> None:
        self.catalog = catalog
        self.boundary = boundary
        self.hooks = hooks
        self.facts = catalog.facts
        self.depth = 0
        """how many definitions are under way, each for the sake of the one before"""
        self.states = share_states()
        """the contents of temporary tables from statement to statement, if they are large"""
        self.altered: dict[Entry, Altered] = {}
        """the columns of tables with ALTER statements: each statement may ask for them"""
        self.former: dict[Entry, Made] = {}
        """the columns that the statements evaluated so far make of a table: each statement that
        changes the table asks for them
        """

    def schema(self, entry: Entry) -> Frame:
        """The scan of a dataset: its definition's columns, else the declared ones, else an open
        star.
        """
        if entry.scanned is None:
            if isinstance(entry, State):
                return self.state_frame(entry)

            defining = entry.defining
            for definition in defining:
                if definition.frame is None:
                    self.hooks.evaluate(definition)

            try:
                entry.scanned = (
                    self.defined_frame(entry, defining) if defining else self.declared_frame(entry)
                )
            except Exception as error:
                entry.scanned = self.unknown_frame(entry, error)

        return entry.scanned

    def unknown_frame(self, entry: Entry, error: Exception) -> Frame:
        """The columns of a dataset cannot be determined: to its readers it is
        unknown.
        """
        for definition in entry.defining:
            self.boundary.fail(definition, error)

        if not entry.defining:
            place = entry.declared.place if entry.declared is not None else None
            self.boundary.lose(internal_error(error, place, f"the declaration of {entry.dataset}"))

        return scan_on_demand(entry.dataset, [], False)

    def defined_frame(self, entry: Entry, defining: list[Definition]) -> Frame:
        """Return the frame that the definitions of a name make, completed by the declared
        columns.
        """
        made = Made()
        made.add(defining)
        return self.made_frame(entry, defining, made)

    def made_frame(self, entry: Entry, defining: list[Definition], made: Made) -> Frame:
        """Complete the columns that definitions make by the declared ones."""
        columns, complete = made.columns, made.complete
        if not complete and entry.declared is not None:
            columns = dict(columns)
            for info in entry.declared.columns:
                columns.setdefault(self.facts.fold(info.name, False), info.name)

            complete = entry.declared.complete
        elif entry.ddl and entry.declared is not None and is_declared_apart(entry, defining):
            columns = dict(columns)
            for name, key in self.declared_columns(entry.declared):
                columns.setdefault(key, name)

        listed = [(name, key) for key, name in columns.items()]
        return scan_on_demand(
            entry.dataset, altered_columns(listed, entry) if entry.changes else listed, complete
        )

    def declared_frame(self, entry: Entry) -> Frame:
        """Return the frame of the columns that are declared for a name."""
        if entry.like:
            return self.likeness(entry)

        info = entry.declared
        known = self.altered.get(entry)
        if known is not None and known.info is info and known.changes == len(entry.changes):
            return known.frame

        columns = self.declared_columns(info) if info is not None else []
        if entry.changes:
            columns = altered_columns(columns, entry)

        declared_in = entry.declared_in if entry.kind not in COMPUTED_KINDS else None
        frame = scan_on_demand(
            entry.dataset, columns, info is not None and info.complete, declared_in
        )
        if entry.changes:
            self.altered[entry] = Altered(info, len(entry.changes), frame)

        return frame

    def declared_columns(self, info: DatasetInfo) -> list[tuple[str, str]]:
        """The columns with their keys; where "Id" and id are two columns, both are meant exactly."""
        keys, fold, quoted = self.facts.keys, self.facts.fold, info.quoted
        columns = [
            (name, fold(name, True) if name in quoted else keys[name]) for name in info.names
        ]
        if len(set(second_of_each(columns))) == len(columns):
            return columns

        return [(name, fold(name, True)) for name, _ in columns]

    def likeness(self, entry: Entry) -> Frame:
        """Return the columns that a table takes over from others.

        CREATE TABLE t (LIKE s, a INT)      the columns of s, and those of its own
        """
        like, entry.like = entry.like, ()  # a circle of likenesses ends here
        named = (self.catalog.entry(key, name, "table") for name, key in like)
        try:
            others = [self.schema(other) for other in named if other is not entry]
        finally:
            entry.like = like

        columns = {key: name for other in others for name, key in named_columns(other)}
        own = self.declared_columns(entry.declared) if entry.declared is not None else []
        for name, key in own:
            columns.setdefault(key, name)

        complete = all(other.complete for other in others)
        return scan_on_demand(
            entry.dataset, [(name, key) for key, name in columns.items()], complete
        )

    def former_state(self, entry: Entry) -> Frame:
        """Return a table as it was before the statement that reads it.

        SELECT … FROM {{ this }}

        what the name was before: as its other statements made it, else as declared
        """
        defining = list(filter(frame_of, entry.defining))
        if defining:
            return self.made_frame(entry, defining, self.made_so_far(entry, defining))

        declared = self.declared_frame(entry)
        if entry.declared is None or entry.declared.complete or not entry.declared.names:
            return declared

        return scan_on_demand(
            entry.dataset,
            [(slot.name, slot.key) for slot in declared.slots if slot.star is None],
            True,
        )

    def made_so_far(self, entry: Entry, defining: list[Definition]) -> Made:
        """Return the columns that the evaluated statements make of a name; each call adds the
        statements that were evaluated since the call before.
        """
        frames: list[Frame] = list(map(frame_of, defining))
        made = self.former.get(entry)
        if made is None or not made.is_start_of(frames):
            made = self.former[entry] = Made()

        made.add(defining[len(made.frames) :])
        return made

    def target_columns(self, definition: Definition) -> list[tuple[str, str]]:
        """Return the columns of the table that a statement writes.

        INSERT INTO t SELECT …      the target's schema, where it is known and complete
        """
        entry = definition.entry
        if isinstance(entry, State):
            if entry.before is None:
                return []

            frame = self.schema(entry.before)
        elif entry.deciding:
            frame = self.schema(entry)
        elif entry.like or (entry.declared is not None and entry.declared.complete):
            frame = self.declared_frame(entry)
        else:
            return []

        if entry.changes:
            frame = use_former_names(frame, entry, definition)

        if not frame.complete:
            return []

        filled = filled_columns(entry)
        return [(slot.name, slot.key) for slot in frame.slots if slot.name not in filled]

    def state_frame(self, state: State) -> Frame:
        """Return the contents of a hidden version after a statement: its former contents and the
        added rows.
        """
        waiting = [state]
        while waiting[-1].before is not None and waiting[-1].before.scanned is None:
            waiting.append(waiting[-1].before)

        frame = waiting[-1].before.scanned if waiting[-1].before is not None else None
        for each in reversed(waiting):
            if each.makes is not None:
                frame = each.makes(frame)

            for definition in each.definitions:
                written = (
                    definition.frame
                    if definition.frame is not None
                    else self.hooks.evaluate(definition)
                )
                frame = written if frame is None else merge(frame, written)

            if frame is not None:
                frame = self.states.share(frame)

            each.scanned = frame

        assert frame is not None
        return frame

    def spell_out(self, frame: Frame) -> Frame:
        """Return the contents of a shown dataset, with temporary tables replaced by their sources."""
        return self.states.put_values(frame) if self.states.lineages else frame


def is_declared_apart(entry: Entry, defining: list[Definition]) -> bool:
    """Tell whether a file declares a table by DDL which another file defines by a query."""
    return bool(entry.declared_in - {each.reading.script.file for each in defining})


def named_columns(frame: Frame) -> list[tuple[str, str]]:
    """Return the names and keys of the columns; stars are left out."""
    return [(slot.name, slot.key) for slot in frame.slots if slot.star is None]


def cycle_message(entry: Entry) -> str:
    """Say that the definition of a name needs the name itself."""
    return f"'{entry.dataset}' is defined through itself"


def filled_columns(entry: Entry) -> set[str]:
    """CREATE TABLE t (id INT IDENTITY, a INT)      id: the table fills it, no INSERT by position"""
    if isinstance(entry, State):
        declared = [plan.schema for _, plan in entry.version.writes if plan.schema is not None]
        columns = declared[-1] if declared else []
    else:
        columns = entry.declared.columns if entry.declared is not None else []

    return {column.name for column in columns if column.filled}

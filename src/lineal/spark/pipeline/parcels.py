"""One part of a corpus, resolved: here, or by a task on an executor. A parcel holds the rows of its
tables, and all that the driver has to know of it.
"""

from __future__ import annotations

import gc
import marshal
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lineal.algebra.frame import Frame
from lineal.extract.entries import Definition, Entry
from lineal.graph.boundary import sound_part
from lineal.incremental import codec
from lineal.incremental.memory import Memory
from lineal.model.boundary import told_by_all
from lineal.model.collector import without_collector
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Column, Dataset, Edge, dataset_of
from lineal.model.extraction import Extraction
from lineal.model.ledger import DYNAMIC, Coverage
from lineal.model.names import column_key
from lineal.model.redaction import redact_text
from lineal.model.script import Corpus, Script
from lineal.model.sequences import first_of_each
from lineal.model.way import Way
from lineal.resolve.edges import Edges
from lineal.resolve.scripts import Prepared
from lineal.resolve.stars import open_star_message
from lineal.spark.pipeline.closing import closure_of_part
from lineal.spark.pipeline.gathering import (
    Gathering,
    Keys,
    PackedMemory,
    Resolved,
    Written,
    resolve_together,
)
from lineal.spark.pipeline.guard import NOBODY, Death, Fault, Note, in_child
from lineal.spark.pipeline.hashing import hash_of, hashes, numbers_in
from lineal.spark.pipeline.logged import Logged, unpack_seen
from lineal.spark.pipeline.pages import pack_page, read_page
from lineal.spark.pipeline.share import Batches, Row, Setting, corpus_of, script_in
from lineal.spark.pipeline.tables import LISTED, USED, part_tables

LATE = 1 << 61
"""A rank after those of all statements: the columns that stars pass on."""

ABOUT = "about"
PARCEL = "name string, data binary"
PARCEL_SCHEMA = pa.schema([("name", pa.string()), ("data", pa.binary())])


STATEMENTS = pa.schema(
    [
        ("at", pa.int64()), ("key", pa.binary()), ("script", pa.binary()),
        ("record", pa.binary()), ("seen", pa.binary()), ("lent", pa.bool_()),
    ]
)  # fmt: skip


class PartSetting(NamedTuple):
    """The settings that all parts share."""

    setting: Setting
    sessions: bool
    """whether statements were run in several databases"""
    closure: bool
    """whether it is wanted"""


class About(NamedTuple):
    """The facts about a part that the driver needs, as plain values."""

    coverage: dict[str, Any]
    dynamic: tuple[int, int]
    """the parts of the input that only a run knows; and the statements that are lost to them"""
    told: list[tuple[Any, ...]]
    """the diagnostics that every command shows"""
    records: dict[bytes, bytes]
    """those that have changed"""
    gone: list[bytes]
    """the statements that have none any more"""
    faults: dict[bytes, tuple[str, float]]
    poisoned: dict[str, str]
    read_here: int
    defined: bytes
    """hashes of the keys that the part defines, and of those that it has met"""
    met: bytes
    closed: bool
    """whether its closure comes along"""


class Part(Gathering):
    """The definitions of a part, whose statements have places in the whole log."""

    def __init__(
        self, corpus: Corpus, memory: PackedMemory, places: Mapping[str, int] | None
    ) -> None:
        super().__init__(corpus, memory)
        self.places = places
        """of each statement by its name; None for a part that is the whole"""
        self.lent: frozenset[str] = frozenset()
        """statements of another part, of which this one has copies: they give no rows here"""
        self.lent_keys: frozenset[bytes] = frozenset()
        self.root = 0
        self.passed_on: dict[tuple[Dataset, str], int] = {}
        """the columns that are known because a star passes them on, each with its rank"""

    def place_of(self, definition: Definition) -> int:
        """Return the place of a statement in the log."""
        return self.places[definition.reading.script.file] if self.places is not None else 0

    def is_lent(self, definition: Definition) -> bool:
        """Tell whether a definition is a copy."""
        return definition.reading.script.file in self.lent

    def prepare(self, script: Script) -> Prepared:
        """Read a script; a copy is counted by its own part."""
        before = self.boundary.coverage.statements.copy()
        found = super().prepare(script)
        if script.file in self.lent:
            self.boundary.coverage.statements = before

        return found

    def edges_into(self, definition: Definition, frame: Frame) -> list[Edge]:
        """Return the edges of a definition; a copy has none, and its columns are not counted."""
        if not self.is_lent(definition):
            return super().edges_into(definition, frame)

        evaluation = definition.evaluation
        assert evaluation is not None
        self.boundary.coverage.columns.count(
            -evaluation.references,
            ambiguous=-evaluation.ambiguous,
            unresolved=-evaluation.unresolved,
        )
        return []

    def writes(self) -> list[Written]:
        """Return what statements write, without copies."""
        return [each for each in super().writes() if each.statement not in self.lent]

    @cached_property
    def lent_entries(self) -> dict[str, Entry]:
        """Return the names that copies define, by their keys."""
        return {
            key: entry
            for key, entry in self.entries.items()
            if any(map(self.is_lent, entry.definitions)) or self.lent & entry.ddl.keys()
        }

    def own_rows(self, extraction: Extraction) -> Extraction:
        """Return an extraction without the reads and the datasets of copies."""
        if not self.lent:
            return extraction

        own = extraction.for_one_use()
        lent = {self.output.shown.dataset(each.dataset) for each in self.lent_entries.values()}
        return Extraction(
            own.edges,
            [each for each in own.reads if each.target not in lent],
            {key: info for key, info in own.datasets.items() if key not in lent},
            own.diagnostics,
            own.coverage,
        )

    def key_of_column(self, column: Column) -> tuple[Dataset, str]:
        """Return a column as evidence knows it."""
        return column.dataset, column_key(column.name, self.facts.fold)

    @cached_property
    def used(self) -> dict[tuple[Dataset, str], int]:
        """The columns that statements use, each with the place of the first."""
        found: dict[tuple[Dataset, str], int] = {}
        for definition in self.order:
            place = self.place_of(definition)
            for column in definition.evaluation.learnt if definition.evaluation is not None else ():
                found.setdefault(self.key_of_column(column), place)

        return found

    @cached_property
    def opened(self) -> dict[Dataset, int]:
        """The datasets with open stars, each with the place of its first statement."""
        found = self.stars.open_definitions()
        return {dataset: self.place_of(several[0]) for dataset, several in found.items()}

    def add_closing(
        self, origin: Column, way: Way, target: Column, definition: Definition, edges: Edges
    ) -> None:
        """Add an edge through an open star, and note the column that it leads to.

        Stars are closed from the last dataset to the first, and each goes on to those it reads.
        """
        if self.places is not None:
            if self.key_of_column(target) in self.used:
                self.root = self.opened[target.dataset]

            self.passed_on.setdefault(self.key_of_column(origin), LATE - self.root)

        super().add_closing(origin, way, target, definition, edges)


class PartOrder:
    """Where in the whole log the rows of a part belong (`tables.Order`)."""

    def __init__(self, part: Part, resolved: Resolved) -> None:
        self.part = part
        self.resolved = resolved
        self.shown = part.output.shown
        self.respelled = set(first_of_each(self.shown.columns))

    def first_places(self, failed: bool) -> dict[Dataset, int]:
        """The datasets that statements write, each with the place of the first."""
        found: dict[Dataset, int] = {}
        for each in self.part.order:
            if not each.hidden and (failed or each.failure is None):
                found.setdefault(self.shown.dataset(each.target), self.part.place_of(each))

        return found

    @cached_property
    def edges(self) -> list[tuple[int, int]]:
        """The places of the edges."""
        first = self.first_places(failed=False)
        targets = (edge.target for edge in self.resolved.extraction.edges)
        return rank_places(first[dataset_of(target)] for target in targets)

    def edge(self, number: int) -> tuple[int, int]:
        """Return the place of an edge."""
        return self.edges[number]

    @cached_property
    def datasets(self) -> dict[Dataset, int]:
        """The datasets that statements write, each with the place of the first."""
        return self.first_places(failed=True)

    def dataset(self, dataset: Dataset) -> int:
        """Return the first statement that writes a dataset; -1 if none does."""
        return self.datasets.get(dataset, -1)

    @cached_property
    def known(self) -> dict[Dataset, int]:
        """How many columns of each dataset that nobody writes are known without its use."""
        return {
            entry.dataset: sum(slot.star is None for slot in entry.scanned.slots)
            for entry in self.part.entries.values()
            if not entry.definitions and entry.scanned is not None
        }

    def column(self, dataset: Dataset, position: int, name: str) -> tuple[int, str | None, int]:
        """Return the group of a listed column, and the key and the rank of one that only use tells of."""
        part = self.part
        shared = part.places is not None and dataset not in self.respelled
        if not shared or position <= self.known.get(dataset, position):
            return LISTED, None, position

        place = part.key_of_column(Column(dataset, name))
        return USED, place[1], part.used.get(place, part.passed_on.get(place, LATE))

    @cached_property
    def writes(self) -> list[tuple[int, int]]:
        """The places of the statements that write."""
        places = self.part.places or {}
        return rank_places(places[each.statement] for each in self.resolved.writes)

    def write(self, number: int) -> tuple[int, int]:
        """Return the place of a statement that writes."""
        return self.writes[number] if self.part.places is not None else (0, number)

    @cached_property
    def stars(self) -> dict[str, int]:
        """The messages about open stars, each with the place of the first."""
        found: dict[str, int] = {}
        for dataset, several in self.part.stars.open_definitions().items():
            frames = (each.frame for each in several if each.frame is not None)
            for slot in chain.from_iterable(frame.stars for frame in frames):
                if slot.star is not None:
                    message = redact_text(open_star_message(slot.star.dataset))
                    found.setdefault(message, self.part.opened[dataset])

        return found

    def diagnostic(self, found: Diagnostic) -> int:
        """Return the place of an open star, which is reported once; else -1."""
        if found.code is Code.OPEN_STAR and self.part.places is not None:
            return self.stars.get(found.message, -1)

        return -1


def rank_places(places: Iterable[int]) -> list[tuple[int, int]]:
    """Return ascending places, each with its number among those that are equal."""
    found: list[tuple[int, int]] = []
    before, rank = -1, 0
    for place in places:
        if place < before:
            raise ValueError("rows of a part are not in the order of the log")

        rank = rank + 1 if place == before else 0
        before = place
        found.append((place, rank))

    return found


Rows = Iterator[tuple[str, pa.Table]]


def rows_of(part: Part, resolved: Resolved, by_name: Mapping[str, Logged]) -> Rows:
    """Yield the rows of all tables of a part, page by page."""
    resolved = resolved._replace(extraction=part.own_rows(resolved.extraction))
    order = PartOrder(part, resolved)
    for name, pages in part_tables(resolved, by_name, order):
        for page in pages:
            yield name, page


def sound_rows(
    part: Part, resolved: Resolved, by_name: Mapping[str, Logged], take: Callable[[Rows], object]
) -> Any:
    """Return what becomes of the rows of a part, without datasets over which that fails."""

    def work(sound: Extraction) -> Any:
        """Return the rows of a sound part."""
        return take(rows_of(part, resolved._replace(extraction=sound), by_name))

    return sound_part(resolved.extraction, work)


def about_part(
    part: Part,
    resolved: Resolved,
    faults: Mapping[bytes, Any],
    had_records: Collection[bytes],
    closed: bool,
) -> About:
    """Return what the driver has to know of a part."""
    extraction = resolved.extraction
    dynamic = sum(found.code is Code.DYNAMIC for found in extraction.diagnostics)
    lost = extraction.coverage.statements.count_of(Code.DYNAMIC.code)
    entries = [each for each in part.entries.items() if each[0] not in part.lent_entries]
    changes = part.memory.changes(part.facts.fold)
    return About(
        extraction.coverage.to_json(),
        (dynamic, lost),
        list(map(codec.diagnostic_out, told_by_all(extraction.diagnostics))),
        {key: record for key, record in changes.items() if key not in part.lent_keys},
        [key for key in had_records if key not in part.memory.now and key not in part.lent_keys],
        {key: tuple(fault) for key, fault in faults.items()},
        resolved.poisoned,
        resolved.here,
        hashes(key for key, entry in entries if entry.definitions or entry.ddl),
        hashes(key for key, _ in entries),
        closed,
    )  # fmt: skip


def packed_parcel(told: About, rows: Iterable[tuple[str, bytes]]) -> pa.RecordBatch:
    """Return a parcel on its way to the driver."""
    made = [(ABOUT, marshal.dumps(tuple(told))), *rows]
    columns = list(map(list, zip(*made, strict=True)))
    return pa.RecordBatch.from_arrays(
        [pa.array(columns[0], pa.string()), pa.array(columns[1], pa.binary())], schema=PARCEL_SCHEMA
    )


def part_resolver(setting: Any, guard: bool = False) -> Callable[[Batches], Batches]:
    """Parts → parcels; a row holds a part. The argument is broadcast: a PartSetting."""
    resolve = parcel_apart if guard else parcel_of

    def work(batches: Batches) -> Batches:
        """Resolve the parts of the batches, each by itself."""
        gc.freeze()  # nobody looks for garbage in what is here to stay
        for batch in batches:
            for data in batch.column(0):
                yield resolve(read_page(data.as_buffer()).to_pylist(), setting.value)
                gc.collect()

    return work


MOST_DEATHS = 2
"""Children that a statement may end before it is given up: the first may have had other reasons."""


def parcel_apart(rows: list[Row], about_all: PartSetting) -> pa.RecordBatch:
    """Resolve one part in children, which may die of a statement: then without that statement."""
    faults: dict[bytes, Fault] = {}
    deaths: Counter[int | None] = Counter()

    def work(several: list[Row], note: Note) -> list[bytes]:
        """Resolve the part in a guarded process."""
        made = parcel_of(several, about_all, note, faults)
        return [pack_page(pa.Table.from_batches([made]))]

    while True:
        found = in_child(work, rows, about_all.setting.seconds)
        if not isinstance(found, Death):
            return read_page(found[0]).combine_chunks().to_batches()[0]

        deaths[found.at] += 1
        if deaths[found.at] < MOST_DEATHS:
            continue

        if found.at is None or rows[found.at]["lent"]:
            raise RuntimeError(f"{len(rows):,} statements that belong together: {found.fault.why}")

        faults[rows[found.at]["key"]] = found.fault


def parcel_of(
    rows: list[Row],
    about_all: PartSetting,
    note: Note = lambda number: None,
    faults: Mapping[bytes, Fault] = MappingProxyType({}),
) -> pa.RecordBatch:
    """Resolve one part, whose statements are in their order, and pack what the driver needs of it.

    Some statements have been given up; and a guard is told which one is worked on.
    """
    setting = about_all.setting
    scripts = list(map(script_in, rows))
    corpus = corpus_of(setting, scripts)
    places = {script.file: row["at"] for script, row in zip(scripts, rows, strict=True)}
    keys = {id(script): row["key"] for script, row in zip(scripts, rows, strict=True)}
    records = {row["key"]: row["record"] for row in rows if row["record"] is not None}
    lent = [(script, row) for script, row in zip(scripts, rows, strict=True) if row["lent"]]
    given_up = GivenUp(dict(faults))
    numbers = {script.file: number for number, script in enumerate(scripts)}

    def hear(script: Script | None) -> None:
        """Tell the guard which statement is worked on."""
        note(numbers[script.file] if script is not None else NOBODY)

    def begin() -> Part:
        """Return an empty part that evaluation starts from."""
        part = Part(corpus, PackedMemory(records), places)
        part.hear = hear
        part.keys = keys
        part.catalog.has_sessions = about_all.sessions
        part.lent = frozenset(script.file for script, _ in lent)
        part.lent_keys = frozenset(row["key"] for _, row in lent)
        return part

    with without_collector():
        asked = Keys(corpus, Memory())
        asked.keys = keys
        part, extraction, poisoned = resolve_together(
            begin, corpus, given_up, asked, setting.seconds
        )
        if part.lent & poisoned.keys():
            raise ValueError("a copy was given up, which only its own part may do")

        part.catalog.declared.clear()  # what is declared and not read is told by the rest
        resolved = Resolved(
            extraction, part.shown_statements(), poisoned, part.read_here, part.writes()
        )
        by_name = {
            script.file: unpack_seen(row["seen"], script.file)
            for script, row in zip(scripts, rows, strict=True)
        }
        pages = sound_rows(part, resolved, by_name, pack_rows)
        own_closure = about_all.closure and not lent
        closure = closure_of(part, resolved) if own_closure else None
        pages += pack_rows(closure or ())
        told = about_part(part, resolved, given_up.faults, records, closure is not None)
        made = packed_parcel(told, pages)
        part.let_go()
        return made


def pack_rows(found: Iterable[tuple[str, pa.Table]]) -> list[tuple[str, bytes]]:
    """Return rows of tables as bytes, without empty pages."""
    return [(name, pack_page(page)) for name, page in found if page.num_rows]


def closure_of(part: Part, resolved: Resolved) -> list[tuple[str, pa.Table]] | None:
    """Return the closure of a part, if it can be told by itself."""
    written = {part.output.shown.dataset(each.target) for each in part.order}

    def work(sound: Extraction) -> list[tuple[str, pa.Table]] | None:
        """Return the closure of a sound part."""
        return closure_of_part(sound.edges, written)

    return sound_part(resolved.extraction, work)


def rest_of(corpus: Corpus, met: Iterable[bytes]) -> tuple[Part, Resolved]:
    """Return what a corpus tells without its statements: its problems, and the declared datasets
    that parts have not met.
    """
    part = Part(replace(corpus, scripts=[], occurrences=[]), PackedMemory({}), {})
    extraction = part.extract()
    declared = part.catalog.declared
    number = {hash_of(key): key for key in declared}
    for each in met if number else ():
        for found in number.keys() & set(numbers_in(each).tolist()):
            declared.pop(number[found], None)

    return part, Resolved(extraction, {}, {}, 0, [])


class GivenUp(NamedTuple):
    """The statements of a part that are given up here."""

    faults: dict[bytes, Fault]


def has_crossed(defined: list[bytes], met: list[bytes]) -> bool:
    """Tell whether a part has met a name that another one defines."""
    by_part = list(map(numbers_in, defined))
    names = np.concatenate(by_part)
    owner = np.repeat(np.arange(len(by_part)), list(map(len, by_part)))
    order = np.argsort(names, kind="stable")
    names, owner = names[order], owner[order]
    if not len(names):
        return False

    for number, data in enumerate(met):
        asked = numbers_in(data)
        at = np.minimum(np.searchsorted(names, asked), len(names) - 1)
        if np.any((names[at] == asked) & (owner[at] != number)):
            return True

    return False


def add_coverage(whole: Coverage, dynamic: list[tuple[int, int]]) -> None:
    """Correct the counts that differ between parts and the whole: each has left out its own losses."""
    apart = sum(max(0, parts - lost) for parts, lost in dynamic)
    together = max(0, sum(parts for parts, _ in dynamic) - sum(lost for _, lost in dynamic))
    whole.columns.found += together - apart
    if apart != together:
        whole.columns.lost["resolved", DYNAMIC] += together - apart

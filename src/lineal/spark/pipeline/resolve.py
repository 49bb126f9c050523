"""Group by group on the executors, then everything together: each record is checked against its
questions.

Statements that share a written name are a group, and one task evaluates it level by level. On the
first level are statements that read nothing which another one defines; on the next those that read
only what is known by then, and so on. A group that is too large for one task has a job for each
level. What the levels leave over (circles, procedural code) is read here.
"""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lineal.extract.sql.dialects import facts_of
from lineal.incremental import codec
from lineal.incremental.memory import Memory
from lineal.model.boundary import is_debugging, told_by_all
from lineal.model.collector import uncollected
from lineal.model.diagnostic import Diagnostic
from lineal.model.extraction import Extraction
from lineal.model.ledger import Coverage
from lineal.model.script import Corpus
from lineal.resolve.catalog import PYTHON
from lineal.spark.pipeline.book import Book
from lineal.spark.pipeline.closing import NODE, PAIR, Closing
from lineal.spark.pipeline.components import component_numbers, members
from lineal.spark.pipeline.gathering import (
    Keys,
    PackedMemory,
    Resolved,
    forget_records,
    together,
)
from lineal.spark.pipeline.guard import Fault, fault_of
from lineal.spark.pipeline.logged import Logged, occurrence_of
from lineal.spark.pipeline.merging import Merging
from lineal.spark.pipeline.order import Glance
from lineal.spark.pipeline.parcels import (
    ABOUT,
    PARCEL,
    STATEMENTS,
    About,
    Part,
    PartSetting,
    Rows,
    add_coverage,
    crossing,
    parcel_of,
    resolving,
    rest_of,
    rows_of,
    sound_rows,
)
from lineal.spark.pipeline.parts import PER_PART, split
from lineal.spark.pipeline.sessions import parallelism, sharing
from lineal.spark.pipeline.share import (
    FOUND,
    PACKED,
    Learnt,
    Row,
    Setting,
    evaluate_levels,
    evaluated_apart,
    evaluating,
    learn,
    own_copy,
)
from lineal.spark.pipeline.shelving import pack_page, read_page
from lineal.spark.pipeline.state import State
from lineal.spark.pipeline.tables import Pages

FEWEST = 64
"""Statements that are worth a job of their own."""

PER_TASK = 400
"""Statements of one task: what a killed executor loses."""

LARGEST = 2_000
"""Statements that depend on each other and that one task evaluates: larger groups go level by level."""

WAVE = 2_000
"""Statements of one job for each task that runs at the same time: what a killed driver loses."""

PARTS_AT_ONCE = 2
"""Parts of one job for each task that runs at the same time: their rows come back at once."""


@dataclass
class Resolution:
    """The lineage of a corpus: resolved here as a whole, or the rows of its parts."""

    coverage: Coverage
    told: list[Diagnostic]
    """the diagnostics that every command shows"""
    poisoned: dict[str, str]
    """the statements that were given up, and why"""
    parsed: int
    """statements that executors read in this run"""
    here: int = 0
    """those that are left for the step that combines the records"""
    whole: tuple[Part, Resolved, dict[str, Logged]] | None = None
    """with the statements by their names, if it is a log"""
    rows: Merging | None = None
    closing: Closing | None = None
    """the closures of the parts"""

    @property
    def extraction(self) -> Extraction:
        """Return the lineage, if it is here."""
        if self.whole is None:
            raise ValueError("a corpus in parts has tables only")

        return self.whole[1].extraction

    def write(self, folder: Path, prepare: Callable[[str, Pages], int]) -> dict[str, int]:
        """Prepare the tables one by one, and return how many rows each has."""
        if self.whole is None:
            assert self.rows is not None
            return prepare_tables(self.rows, prepare)

        def write_rows(rows: Rows) -> dict[str, int]:
            """Write the rows into the tables of the folder."""
            merging = Merging(folder, 0)
            for name, page in rows:
                merging.add(name, page)

            return prepare_tables(merging, prepare)

        return dict(sound_rows(*self.whole, write_rows))


def prepare_tables(merging: Merging, prepare: Callable[[str, Pages], int]) -> dict[str, int]:
    """Prepare the tables of all parts."""
    made = {name: prepare(name, pages) for name, pages in merging.tables()}
    merging.remove()
    return made


def resolve(
    spark: SparkSession,
    corpus: Corpus,
    state: State,
    seconds: float,
    book: Book | None = None,
    closure: bool = False,
) -> Resolution:
    """Exactly what `extract` gives for the corpus; what the folder knows already is not parsed
    again. The statements of a log are in its book, and not in the corpus.
    """
    if book is None:
        about = Keys(corpus, Memory()).about
        book = Book.of(state.folder.aside("book"), corpus.scripts, about)

    levels = Levels(spark, corpus, book, state, seconds)
    with uncollected():
        parsed = levels.all()
        levels.forget()
        found = resolve_parts(levels, corpus, closure)
        if found is None:
            found = resolve_whole(levels, corpus)

        resolution, changed, gone = found
        resolution.parsed = parsed
        state.settle(map(book.key, range(len(book))), changed, gone)
        return resolution


Found = tuple[Resolution, dict[bytes, bytes], set[bytes]]
"""With the records that have changed, and the statements that have none any more."""


def resolve_whole(levels: Levels, corpus: Corpus) -> Found:
    """Resolve all statements here."""
    state, book = levels.state, levels.book
    logged: dict[str, Logged] = {}
    if book.is_log:
        corpus.scripts = book.scripts()
        logged = book.logged(corpus.scripts)
        corpus.occurrences = list(map(occurrence_of, logged.values()))

    asked = Keys(corpus, Memory())
    asked.keys = {id(script): book.key(at) for at, script in enumerate(corpus.scripts)}
    scripts = corpus.scripts  # their ids are keys, also of those that are given up

    def begin() -> Part:
        """Return an empty part that evaluation starts from."""
        made = Part(corpus, PackedMemory(state.records), None)
        made.keys = asked.keys
        return made

    part, extraction, poisoned = together(begin, corpus, state, asked, levels.setting.seconds)
    changed = part.memory.changes(facts_of(corpus.dialect).fold)
    gone = {key for key in map(asked.key_of, scripts) if key not in part.memory.now}
    forget_records(part)
    programs = sum(script.dialect == PYTHON for script in corpus.scripts)
    here = part.read_here + programs
    resolved = Resolved(extraction, part.shown_statements(), poisoned, here, part.writes())
    told = told_by_all(extraction.diagnostics)
    whole = part, resolved, logged
    return Resolution(extraction.coverage, told, poisoned, 0, here, whole), changed, gone


def resolve_parts(levels: Levels, corpus: Corpus, closure: bool) -> Found | None:
    """Resolve the parts of a log on the executors; None if it has only one, or if parts need each
    other after all.
    """
    book, state = levels.book, levels.state
    given_up = levels.given_up()
    parts = split(book, corpus, state.records, set(given_up)) if book.is_log else []
    if len(parts) < 2:
        return None

    merging = Merging(state.folder.aside("parts"), len(book))
    closing = Closing(state.folder.aside("closing")) if closure else None
    taking = Taking(merging, closing)
    try:
        told = [each for wave in levels.part_waves(parts) for each in levels.parcels(wave, taking)]
    except Exception:
        if is_debugging():
            raise

        told = []  # a part that fails by itself is tried with all others

    if not told or crossing([each.defined for each in told], [each.met for each in told]):
        taking.remove()
        return None

    poisoned = {book.script(number).file: why for number, why in given_up.items()}
    found = united(corpus, state, told, poisoned, merging)
    if closing is not None and closing.is_whole:
        found[0].closing = closing
    elif closing is not None:
        closing.remove()

    return found


class Taking(NamedTuple):
    """Takes the rows of parts."""

    merging: Merging
    closing: Closing | None

    def begin_part(self, told: About) -> None:
        """From here on all rows are those of another part."""
        if self.closing is not None:
            self.closing.begin_part(told.closed)

    def add(self, name: str, page: pa.Table) -> None:
        """Take rows of a table."""
        if name in (NODE, PAIR):
            if self.closing is not None:
                self.closing.add(name, page)
        else:
            self.merging.add(name, page)

    def remove(self) -> None:
        """Remove all rows."""
        self.merging.remove()
        if self.closing is not None:
            self.closing.remove()


def united(
    corpus: Corpus, state: State, told: list[About], poisoned: dict[str, str], merging: Merging
) -> Found:
    """Put together what the parts tell."""
    rest, resolved = rest_of(corpus, (each.met for each in told))
    for name, page in rows_of(rest, resolved, {}):
        merging.add(name, page)

    coverage = resolved.extraction.coverage
    changed: dict[bytes, bytes] = {}
    gone: set[bytes] = set()
    diagnostics = dict.fromkeys(told_by_all(resolved.extraction.diagnostics))
    for each in told:
        coverage.add(Coverage.from_json(each.coverage))
        diagnostics.update((codec.diagnostic_in(found), None) for found in each.told)
        poisoned |= each.poisoned
        state.faults.update((key, Fault(*fault)) for key, fault in each.faults.items())
        changed.update(each.records)
        gone.update(each.gone)

    add_coverage(coverage, [each.dynamic for each in told])
    here = sum(each.read_here for each in told)
    resolution = Resolution(coverage, list(diagnostics), poisoned, 0, here, None, merging)
    return resolution, changed, gone


Group = TypeVar("Group", bound=Sized)


def share_out(groups: Iterable[Group], size: int) -> Iterator[list[Group]]:
    """Yield groups, each as a whole, in shares of about so many items."""
    share: list[Group] = []
    count = 0
    for group in groups:
        share.append(group)
        count += len(group)
        if count >= size:
            yield share
            share, count = [], 0

    if share:
        yield share


def by_level(groups: list[list[Row]]) -> list[Row]:
    """Return the rows of some groups in the order in which they can be evaluated."""
    return sorted(chain.from_iterable(groups), key=itemgetter("level"))


class Levels:
    """The statements that nobody has read yet, level by level."""

    def __init__(
        self, spark: SparkSession, corpus: Corpus, book: Book, state: State, seconds: float
    ) -> None:
        self.spark = spark
        self.book = book
        self.state = state
        procedural = [number for number, is_one in enumerate(book.procedural) if is_one]
        self.setting = Setting(
            corpus.dialect, corpus.datasets, corpus.functions, corpus.namespace, corpus.collapse_temporary,
            list(map(book.script, procedural)), seconds, corpus.defaults, tuple(corpus.meanings),
        )  # fmt: skip
        self.procedural = list(map(book.key, procedural))
        self.learnt: Learnt = {}

    @cached_property
    def glance(self) -> Glance:
        """Return what the words of all statements write and mention."""
        return self.book.glance()

    def row(self, number: int) -> Row:
        """Return a script as a row for the executors."""
        glance = self.glance
        return {
            "key": self.book.key(number), "script": self.book.packed(number),
            "mentions": glance.mentioned_by(number), "writes": glance.shared_writes(number),
            "level": int(glance.levels[number]),
        }  # fmt: skip

    def given_up(self) -> dict[int, str]:
        """Return the statements that were given up, and why."""
        faults = self.state.faults
        keys = enumerate(map(self.book.key, range(len(self.book)))) if faults else ()
        return {number: faults[key].why for number, key in keys if key in faults}

    def all(self) -> int:
        """How many statements were new."""
        work, others = self.new_numbers()
        if len(work) < FEWEST:
            self.screen([*others, *work])
            return 0

        self.screen(others)
        if self.state.records:
            self.learn(self.known_writers(work))

        large: list[int] = []
        self.evaluate(self.small_groups(work, large))
        for _, same in groupby(sorted(large, key=self.level_of), self.level_of):
            level = list(same)
            self.evaluate([number] for number in level)
            self.learn(level)

        return len(work)

    def known_writers(self, work: object) -> Iterator[int]:
        """Yield the statements that may be known, and write a name which new ones mention."""
        glance, asked = self.glance, np.zeros(self.glance.names, bool)
        asked[glance.mentions.where(self.are_new(work)[glance.mentions.statements]).names] = True
        for pairs in (glance.makes, glance.fills):
            yield from np.unique(pairs.statements[asked[pairs.names]]).tolist()

    def are_new(self, work: Any) -> Any:
        """Return of each statement whether it is among the new ones."""
        found = np.zeros(len(self.book), bool)
        found[np.frombuffer(work, np.int32)] = True
        return found

    def small_groups(self, work: Any, large: list[int]) -> Iterator[Any]:
        """Yield the groups of new statements; those that are too large for one task are noted."""
        is_new = self.are_new(work)
        mentions = self.glance.mentions
        pairs = mentions.where(is_new[mentions.statements])
        names = self.glance.names
        found = component_numbers(len(self.book), pairs.statements, pairs.names, names)
        for group in members(found):
            if not is_new[group[0]]:
                continue

            if len(group) > LARGEST:
                large += group.tolist()
            else:
                yield group

    def new_numbers(self) -> tuple[Any, list[int]]:
        """The new statements that have a level, and the others."""
        work = array("i")
        others: list[int] = []
        for number in range(len(self.book)):
            if self.is_sql(number) and self.is_new(number):
                fit = self.glance.levels[number] >= 0 and not self.book.procedural[number]
                (work if fit else others).append(number)

        return work, others

    def is_sql(self, number: int) -> bool:
        """Tell whether a script has SQL: programs call each other, and stay here."""
        return self.book.is_log or bool(self.book.packed(number))

    def is_new(self, number: int) -> bool:
        """Tell whether no earlier run has dealt with a script."""
        key, state = self.book.key(number), self.state
        return not any(key in known for known in (state.records, state.faults, state.unfit))

    def screen(self, numbers: Iterable[int]) -> None:
        """Read the statements for the driver in a process that may crash."""
        whole = self.setting
        self.setting = whole._replace(procedural=[], only_read=True)
        self.evaluate([number] for number in numbers if self.is_new(number))
        known = zip(whole.procedural, self.procedural, strict=True)
        sound = [script for script, key in known if key not in self.state.faults]
        self.setting = whole._replace(procedural=sound)

    @cached_property
    def tasks(self) -> int:
        """Return how many tasks run at the same time."""
        return parallelism(self.spark)

    def evaluate(self, groups: Iterable[Any]) -> None:
        """Evaluate scripts, wave by wave; those of a group depend on each other."""
        for wave in share_out(groups, WAVE * self.tasks):
            self.evaluate_wave([list(map(self.row, map(int, group))) for group in wave])

    def evaluate_wave(self, groups: list[list[Row]]) -> None:
        """Evaluate the scripts of one job, and keep their records and faults."""
        few = sum(map(len, groups)) < FEWEST
        records: dict[bytes, bytes] = {}
        faults: dict[bytes, Fault] = {}
        unfit: set[bytes] = set()
        for row in self.here(groups) if few else self.elsewhere(groups):
            if row["fault"] is not None:
                faults[row["key"]] = fault_of(row["fault"], self.setting.seconds)
            elif row["record"] is not None:
                records[row["key"]] = row["record"]
            else:
                unfit.add(row["key"])

        self.state.keep(records, faults, unfit)

    def here(self, groups: list[list[Row]]) -> list[Row]:
        """So few that a job would take longer."""
        known = own_copy(self.learnt)
        found = evaluate_levels(by_level(groups), self.setting, known, evaluated_apart)
        return [row for batch in found for row in batch.to_pylist()]

    def elsewhere(self, groups: list[list[Row]]) -> list[Row]:
        """Evaluate scripts on the executors, guarded if a worker dies."""
        try:
            return self.job(groups)
        except (PySparkException, Py4JError):  # a statement may have killed a worker
            return self.job(groups, guard=True)

    def job(self, groups: list[list[Row]], guard: bool = False) -> list[Row]:
        """Run one Spark job that evaluates scripts; a task has whole groups."""
        spark, count = self.spark, sum(map(len, groups))
        tasks = max(self.tasks, -(-count // PER_TASK))
        shares = share_out(groups, -(-count // tasks))
        # each batch becomes a partition as it is, and nothing has to be shuffled
        batches = [pa.RecordBatch.from_pylist(by_level(share), PACKED) for share in shares]
        frame = spark.createDataFrame(pa.Table.from_batches(batches))
        with sharing(spark, self.setting) as setting, sharing(spark, self.learnt) as learnt:
            found = frame.mapInArrow(evaluating(setting, learnt, guard), FOUND).toArrow()

        return list(found.to_pylist())

    def part_waves(self, parts: list[Any]) -> Iterator[list[list[Row]]]:
        """Yield the statements of some parts with their records, so many as go into one job."""
        for wave in share_out(parts, PARTS_AT_ONCE * self.tasks * PER_PART):
            yield [list(map(self.statement, part.tolist())) for part in wave]

    def statement(self, number: int) -> Row:
        """Return a statement with its record, on its way to the task that resolves its part."""
        key = self.book.key(number)
        return {
            "at": number, "key": key, "script": self.book.packed(number),
            "record": self.state.records.get(key), "seen": self.book.seen(number),
        }  # fmt: skip

    def parcels(self, parts: list[list[Row]], taking: Taking) -> Iterator[About]:
        """Resolve some parts: take their rows, and yield what they tell."""
        setting = PartSetting(self.setting, self.book.has_sessions, taking.closing is not None)
        try:
            found = self.parcels_elsewhere(parts, setting)
        except (PySparkException, Py4JError):  # whatever a worker died of: the driver goes on
            found = [parcel_of(part, setting) for part in parts]

        rows = chain.from_iterable(zip(*batch.columns, strict=True) for batch in found)
        for name, data in rows:
            if name.as_py() == ABOUT:
                told = About(*marshal.loads(data.as_py()))  # noqa: S302  from our own executors
                taking.begin_part(told)
                yield told
            else:
                taking.add(name.as_py(), read_page(data.as_buffer()))

    def parcels_elsewhere(
        self, parts: list[list[Row]], setting: PartSetting
    ) -> list[pa.RecordBatch]:
        """Resolve parts on the executors, each by a task."""
        pages = [pack_page(pa.Table.from_pylist(part, STATEMENTS)) for part in parts]
        # each batch becomes a partition as it is, and nothing has to be shuffled
        batches = [pa.RecordBatch.from_arrays([pa.array([page])], ["part"]) for page in pages]
        frame = self.spark.createDataFrame(pa.Table.from_batches(batches))
        with sharing(self.spark, setting) as shared:
            return list(frame.mapInArrow(resolving(shared), PARCEL).toArrow().to_batches())

    def forget(self) -> None:
        """Everything is evaluated: nobody asks for names again."""
        self.learnt = {}
        vars(self).pop("glance", None)

    def learn(self, numbers: Iterable[int]) -> None:
        """Learn the columns of the names that scripts write, as far as they are known."""
        for number in numbers:
            names = self.glance.shared_writes(number)
            key = self.book.key(number)
            data = self.state.records.get(key) if names else None
            if data is not None:
                learn(self.learnt, names, key, self.book.script(number), data)

    def level_of(self, number: int) -> int:
        """Return the level on which all that a script reads is known."""
        return int(self.glance.levels[number])

"""Group by group on the executors, then everything together: each record is checked against its
questions.

Statements that share a written name are a group, and one task evaluates it level by level. On the
first level are statements that read nothing which another one defines; on the next those that read
only what is known by then, and so on. A group that is too large for one task is cut into bands of
levels, and each band has its own jobs. What the levels leave over (circles, procedural code) is
read here.
"""

from __future__ import annotations

import gc
import marshal
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lineal.extract.sql.dialects import facts_of
from lineal.incremental import codec
from lineal.incremental.memory import Memory
from lineal.model.boundary import is_debugging, told_by_all
from lineal.model.collector import without_collector
from lineal.model.diagnostic import Diagnostic
from lineal.model.extraction import Extraction
from lineal.model.ledger import Coverage
from lineal.model.script import Corpus
from lineal.model.sequences import flatten
from lineal.resolve.catalog import PYTHON
from lineal.spark.pipeline.arrays import Array
from lineal.spark.pipeline.bands import Bands
from lineal.spark.pipeline.blobs import Records
from lineal.spark.pipeline.book import Book
from lineal.spark.pipeline.closing import NODE, PAIR, Closing
from lineal.spark.pipeline.components import component_numbers, members
from lineal.spark.pipeline.errors import remedy_of
from lineal.spark.pipeline.freed import give_back_memory
from lineal.spark.pipeline.gathering import (
    Keys,
    PackedMemory,
    Resolved,
    forget_records,
    resolve_together,
)
from lineal.spark.pipeline.guard import Fault, fault_of
from lineal.spark.pipeline.logged import Logged, occurrence_of
from lineal.spark.pipeline.merging import Merging
from lineal.spark.pipeline.order import Glance
from lineal.spark.pipeline.pages import list_array, pack_page, read_page
from lineal.spark.pipeline.parcels import (
    ABOUT,
    PARCEL,
    STATEMENTS,
    About,
    Part,
    PartSetting,
    Rows,
    add_coverage,
    has_crossed,
    parcel_apart,
    part_resolver,
    rest_of,
    rows_of,
    sound_rows,
)
from lineal.spark.pipeline.parts import PER_PART, PartNumbers, split
from lineal.spark.pipeline.sessions import parallelism, share_value
from lineal.spark.pipeline.share import (
    FOUND,
    PACKED,
    Batches,
    Setting,
    evaluate_levels,
    evaluated_apart,
    script_evaluator,
)
from lineal.spark.pipeline.state import ByKey, State
from lineal.spark.pipeline.tables import Pages

FEWEST = 64
"""Statements that are worth a job of their own."""

PER_TASK = 400
"""Statements of one task: what a killed executor loses."""

LARGEST = 2_000
"""Statements that depend on each other and that one task evaluates: larger groups go level by level."""

WAVE = 2_000
"""Statements of one job for each task that runs at the same time: what a killed driver loses."""

MOST_TOLD = 100
"""Statements that decide one name and that are sent along with its readers, at most."""

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
        book = Book.from_scripts(state.folder.aside("book"), corpus.scripts, about)

    levels = Levels(spark, corpus, book, state, seconds)
    with without_collector():
        parsed = levels.all()
        levels.forget()
        found = resolve_parts(levels, corpus, closure)
        if found is None:
            found = resolve_whole(levels, corpus)

        resolution, changed, gone = found
        resolution.parsed = parsed
        state.settle(map(book.key, range(len(book))), changed, gone)
        return resolution


Found = tuple[Resolution, ByKey, set[bytes]]
"""With the records that have changed, and the statements that have none any more."""


def resolve_whole(levels: Levels, corpus: Corpus) -> Found:
    """Resolve all statements here."""
    state, book = levels.state, levels.book
    logged: dict[str, Logged] = {}
    if book.is_log:
        corpus.scripts = book.scripts()
        logged = book.logged_statements(corpus.scripts)
        corpus.occurrences = list(map(occurrence_of, logged.values()))

    asked = Keys(corpus, Memory())
    asked.keys = {id(script): book.key(at) for at, script in enumerate(corpus.scripts)}
    scripts = corpus.scripts  # their ids are keys, also of those that are given up

    def begin() -> Part:
        """Return an empty part that evaluation starts from."""
        made = Part(corpus, PackedMemory(state.records), None)
        made.keys = asked.keys
        return made

    part, extraction, poisoned = resolve_together(
        begin, corpus, state, asked, levels.setting.seconds
    )
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
    taking = Taking(merging, closing, Records(state.folder.aside("changed")))
    try:
        told = flatten(levels.parcels(wave, taking) for wave in levels.part_waves(parts))
    except Exception as problem:
        if is_debugging() or remedy_of(str(problem)) is not None:
            raise

        told = []  # a part that fails by itself is tried with all others

    if not told or has_crossed([each.defined for each in told], [each.met for each in told]):
        taking.remove()
        return None

    poisoned = {book.script(number).file: why for number, why in given_up.items()}
    found = unite_parts(corpus, state, told, poisoned, taking)
    if closing is not None and closing.is_whole:
        found[0].closing = closing
    elif closing is not None:
        closing.remove()

    return found


class Taking(NamedTuple):
    """Takes the rows of parts."""

    merging: Merging
    closing: Closing | None
    changed: Records
    """the records of statements that have changed: on disk, since they may be many"""

    def begin_part(self, told: About) -> About:
        """Take the records of the next part, whose rows follow, and return what else it tells."""
        if self.closing is not None:
            self.closing.begin_part(told.closed)

        for key, record in told.records.items():
            self.changed.put(key, record)

        return told._replace(records={})

    def add(self, name: str, page: pa.Table) -> None:
        """Take rows of a table."""
        if name in (NODE, PAIR):
            if self.closing is not None:
                self.closing.add(name, page)
        else:
            self.merging.add(name, page)

    def remove(self) -> None:
        """Remove all rows and records."""
        self.merging.remove()
        self.changed.close()
        if self.closing is not None:
            self.closing.remove()


def unite_parts(
    corpus: Corpus, state: State, told: list[About], poisoned: dict[str, str], taking: Taking
) -> Found:
    """Put together what the parts tell."""
    rest, resolved = rest_of(corpus, (each.met for each in told))
    for name, page in rows_of(rest, resolved, {}):
        taking.merging.add(name, page)

    coverage = resolved.extraction.coverage
    gone: set[bytes] = set()
    diagnostics = dict.fromkeys(told_by_all(resolved.extraction.diagnostics))
    for each in told:
        coverage.add(Coverage.from_json(each.coverage))
        diagnostics.update((codec.diagnostic_in(found), None) for found in each.told)
        poisoned |= each.poisoned
        state.faults.update((key, Fault(*fault)) for key, fault in each.faults.items())
        gone.update(each.gone)

    add_coverage(coverage, [each.dynamic for each in told])
    here = sum(each.read_here for each in told)
    resolution = Resolution(coverage, list(diagnostics), poisoned, 0, here, None, taking.merging)
    return resolution, taking.changed, gone


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
        self.known = np.zeros(len(book), bool)
        """of each statement whether an earlier job or run has a record of it"""

    @cached_property
    def glance(self) -> Glance:
        """Return what the words of all statements write and mention."""
        return self.book.glance()

    def page(self, groups: list[Array]) -> pa.Table:
        """Return the scripts of a task in the order of their levels, after the known ones that
        decide what they read.
        """
        glance, own = self.glance, np.concatenate(groups)
        names = np.unique(glance.mentioned_by(own)[1])
        told = glance.deciders_of(names, MOST_TOLD)
        told = np.setdiff1d(told[self.known[told]], own)
        told = np.array([each for each in told.tolist() if self.has_record(each)], own.dtype)
        numbers = np.concatenate((told, own[np.argsort(glance.levels[own], kind="stable")]))
        every = numbers.tolist()
        keys, records = list(map(self.book.key, every)), self.state.records
        columns = [
            pa.array(keys, pa.binary()),
            pa.array(list(map(self.book.pack_script, every)), pa.binary()),
            list_array(*glance.mentioned_by(numbers)),
            list_array(*glance.written_by(numbers)),
            pa.array(glance.levels[numbers], pa.int32()),
            pa.array(
                [*map(records.get, keys[: len(told)]), *[None] * len(own)],
                pa.binary(),
            ),
        ]
        return pa.table(columns, schema=PACKED)

    def has_record(self, number: int) -> bool:
        """Tell whether a statement has a record: one that was given up has none."""
        return self.book.key(number) in self.state.records

    def given_up(self) -> dict[int, str]:
        """Return the statements that were given up, and why."""
        faults = self.state.faults
        keys = enumerate(map(self.book.key, range(len(self.book)))) if faults else ()
        return {number: faults[key].why for number, key in keys if key in faults}

    def all(self) -> int:
        """How many statements were new."""
        work, others = self.new_numbers()
        if len(work) < FEWEST:
            self.screen([*others, *work.tolist()])
            return 0

        self.screen(others)
        large: list[Array] = []
        self.evaluate(self.small_groups(work, large))
        for groups in Bands(self.glance, np.concatenate(large), LARGEST).all() if large else ():
            self.evaluate(groups)

        return len(work)

    def small_groups(self, work: Array, large: list[Array]) -> Iterator[Array]:
        """Yield the groups of new statements; those that are too large for one task are noted."""
        is_new = np.zeros(len(self.book), bool)
        is_new[work] = True
        mentions = self.glance.mentions
        pairs = mentions.where(is_new[mentions.statements])
        names = self.glance.names
        found = component_numbers(len(self.book), pairs.statements, pairs.names, names)
        for group in members(found):
            if not is_new[group[0]]:
                continue

            if len(group) > LARGEST:
                large.append(group)
            else:
                yield group

    def new_numbers(self) -> tuple[Array, list[int]]:
        """The new statements that have a level, and the others."""
        count = len(self.book)
        new = np.fromiter(map(self.is_new, range(count)), bool, count)
        self.known = ~new
        if not self.book.is_log:
            new &= np.fromiter(map(self.is_sql, range(count)), bool, count)

        fit = self.glance.levels >= 0
        fit &= np.frombuffer(self.book.procedural, np.uint8) == 0
        return np.flatnonzero(new & fit), np.flatnonzero(new & ~fit).tolist()

    def is_sql(self, number: int) -> bool:
        """Tell whether a script has SQL: programs call each other, and stay here."""
        return self.book.is_log or bool(self.book.pack_script(number))

    def is_new(self, number: int) -> bool:
        """Tell whether no earlier run has dealt with a script."""
        key, state = self.book.key(number), self.state
        known = (state.records, state.faults, state.unfit)
        return not any(key in each for each in known if each)

    def screen(self, numbers: Iterable[int]) -> None:
        """Read the statements for the driver in a process that may crash."""
        whole = self.setting
        self.setting = whole._replace(procedural=[], only_read=True)
        self.evaluate(np.array([number]) for number in numbers if self.is_new(number))
        known = zip(whole.procedural, self.procedural, strict=True)
        sound = [script for script, key in known if key not in self.state.faults]
        self.setting = whole._replace(procedural=sound)

    @cached_property
    def tasks(self) -> int:
        """Return how many tasks run at the same time."""
        return parallelism(self.spark)

    def evaluate(self, groups: Iterable[Array]) -> None:
        """Evaluate scripts, wave by wave; those of a group depend on each other."""
        for wave in share_out(groups, WAVE * self.tasks):
            self.evaluate_wave(wave)
            self.known[np.concatenate(wave)] = True
            give_back_memory()

    def evaluate_wave(self, groups: list[Array]) -> None:
        """Evaluate the scripts of one job, and keep their records and faults."""
        count = sum(map(len, groups))
        records: dict[bytes, bytes] = {}
        faults: dict[bytes, Fault] = {}
        unfit: set[bytes] = set()
        for key, record, fault in self.here(groups) if count < FEWEST else self.elsewhere(groups):
            if fault is not None:
                faults[key] = fault_of(fault, self.setting.seconds)
            elif record is not None:
                records[key] = record
            else:
                unfit.add(key)

        self.state.keep(records, faults, unfit)

    def here(self, groups: list[Array]) -> Iterator[Answer]:
        """So few that a job would take longer."""
        rows = self.page(groups).to_pylist()
        return answers_in(evaluate_levels(rows, self.setting, evaluated_apart))

    def elsewhere(self, groups: list[Array]) -> Iterator[Answer]:
        """Evaluate scripts on the executors, guarded if a worker dies."""
        pages = list(map(self.page, self.shares(groups)))
        try:
            return self.job(pages)
        except (PySparkException, Py4JError):  # a statement may have killed a worker
            return self.job(pages, guard=True)

    def shares(self, groups: list[Array]) -> Iterator[list[Array]]:
        """Yield the groups of each task."""
        count = sum(map(len, groups))
        tasks = max(self.tasks, -(-count // PER_TASK))
        return share_out(groups, -(-count // tasks))

    def job(self, pages: list[pa.Table], guard: bool = False) -> Iterator[Answer]:
        """Run one Spark job that evaluates scripts; a task has whole groups."""
        with share_value(self.spark, self.setting) as setting:
            return answers_in(self.run_tasks(pages, script_evaluator(setting, guard), FOUND))

    def run_tasks(
        self, pages: Iterable[pa.Table], work: Callable[[Batches], Batches], schema: str
    ) -> list[pa.RecordBatch]:
        """Run one Spark job, with a task for each page."""
        # each batch becomes a partition as it is, and nothing has to be shuffled
        batches = [
            pa.RecordBatch.from_arrays([pa.array([pack_page(page)], pa.binary())], ["page"])
            for page in pages
        ]
        frame = self.spark.createDataFrame(pa.Table.from_batches(batches))
        found = list(frame.mapInArrow(work, schema).toArrow().to_batches())
        del frame
        gc.collect(0)  # the JVM keeps the rows as long as an object of Python names them
        return found

    def part_waves(self, parts: list[PartNumbers]) -> Iterator[list[pa.Table]]:
        """Yield the statements of some parts with their records, so many as go into one job."""
        tables = map(self.statements, parts)
        for wave in share_out(tables, PARTS_AT_ONCE * self.tasks * PER_PART):
            give_back_memory()
            yield wave

    def statements(self, part: PartNumbers) -> pa.Table:
        """Return statements with their records, on their way to the task that resolves their part."""
        whole = np.sort(np.concatenate(part))
        book, records, numbers = self.book, self.state.records, whole.tolist()
        keys = list(map(book.key, numbers))
        columns = [
            pa.array(whole, pa.int64()),
            pa.array(keys, pa.binary()),
            pa.array(list(map(book.pack_script, numbers)), pa.binary()),
            pa.array(list(map(records.get, keys)), pa.binary()),
            pa.array(list(map(book.packed_runs, numbers)), pa.binary()),
            pa.array(np.isin(whole, part.lent)),
        ]
        return pa.table(columns, schema=STATEMENTS)

    def parcels(self, parts: list[pa.Table], taking: Taking) -> Iterator[About]:
        """Resolve some parts: take their rows, and yield what they tell."""
        setting = PartSetting(self.setting, self.book.has_sessions, taking.closing is not None)
        try:
            found = self.parcels_elsewhere(parts, setting)
        except (PySparkException, Py4JError):  # a statement may have killed a worker
            found = self.parcels_guarded(parts, setting)

        rows = chain.from_iterable(zip(*batch.columns, strict=True) for batch in found)
        for name, data in rows:
            if name.as_py() == ABOUT:
                told = About(*marshal.loads(data.as_py()))  # noqa: S302  from our own executors
                yield taking.begin_part(told)
            else:
                taking.add(name.as_py(), read_page(data.as_buffer()))

    def parcels_elsewhere(
        self, parts: list[pa.Table], setting: PartSetting, guard: bool = False
    ) -> list[pa.RecordBatch]:
        """Resolve parts on the executors, each by a task."""
        with share_value(self.spark, setting) as shared:
            return self.run_tasks(parts, part_resolver(shared, guard), PARCEL)

    def parcels_guarded(self, parts: list[pa.Table], setting: PartSetting) -> list[pa.RecordBatch]:
        """Resolve parts in child processes: of the executors, and of the driver if these fail."""
        try:
            return self.parcels_elsewhere(parts, setting, guard=True)
        except (PySparkException, Py4JError) as problem:
            if remedy_of(str(problem)) is not None:
                raise

            return [parcel_apart(part.to_pylist(), setting) for part in parts]

    def forget(self) -> None:
        """Everything is evaluated: nobody asks for names again."""
        vars(self).pop("glance", None)


Answer = tuple[bytes, bytes | None, str | None]
"""Of a statement its key, and its record or its fault."""


def answers_in(batches: Iterable[pa.RecordBatch]) -> Iterator[Answer]:
    """Yield what executors have found."""
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

"""Group by group on the executors, then everything together: each record is held against its
questions.

Statements that share a written name are a group, and one task evaluates it level by level. On the
first level are statements that read nothing which another one defines; on the next those that read
only what is known by then, and so on. A group that is too large for one task has a job for each
level. What the levels leave over (circles, procedural code) is read here.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, cast

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lineal.algebra.frame import Frame
from lineal.extract.entries import Definition
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.procedural.detection import may_be_procedural
from lineal.extract.sql.reading import offset_of
from lineal.incremental.memory import Held, Memory, Record, Remembering
from lineal.model.collector import uncollected
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script
from lineal.model.way import Way
from lineal.resolve.catalog import PYTHON
from lineal.resolve.definitions import Definitions
from lineal.resolve.digests import is_whole
from lineal.resolve.edges import Edges
from lineal.resolve.scripts import Prepared
from lineal.spark.pipeline.clock import Blaming, TooLong
from lineal.spark.pipeline.guard import Fault, fault_of, too_long
from lineal.spark.pipeline.order import Glance, glance, groups_of
from lineal.spark.pipeline.sessions import parallelism, sharing
from lineal.spark.pipeline.share import (
    FOUND,
    PACKED,
    Learnt,
    Place,
    Row,
    Setting,
    evaluate_levels,
    evaluated_apart,
    evaluating,
    learn,
    packed,
)
from lineal.spark.pipeline.state import State

FEWEST = 64
"""Statements that are worth a job of their own."""

PER_TASK = 400
"""Statements of one task: what a killed executor loses."""

LARGEST = 2_000
"""Statements that depend on each other and that one task evaluates: larger groups go level by level."""

WAVE = 20_000
"""Statements of one job: what a killed driver loses."""

Pair = tuple[Column, "Column | Dataset"]
Names = frozenset[str]
NOBODY: Names = frozenset()


class Resolved(NamedTuple):
    """The lineage of a corpus, with the statements that each edge comes from."""

    extraction: Extraction
    statements: dict[Pair, Names]
    poisoned: dict[str, str]
    """the statements that were given up, and why"""
    parsed: int
    """statements that executors read in this run"""
    here: int
    """those that were left for the driver"""
    writes: list[Written]
    """what the statements of a log write, in the order of definition"""


class Written(NamedTuple):
    """A statement, and a dataset that it writes, or a function that it defines."""

    statement: str
    target: Dataset
    offset: int | None
    """where in the script it starts; None where that is not known"""
    whole: bool
    """it counts with the script around it"""
    procedural: bool
    """a procedure holds it"""
    function: bool = False


class Noting(Definitions):
    """Notes which statements an edge comes from, and which are parsed."""

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.statements_of: dict[Pair, Names] = {}
        self.names_of: dict[str, Names] = {}
        """of each file the set of its name: its edges share it"""
        self.read_here = 0
        self.clock = Blaming(60)

    def within(self, seconds: float) -> Extraction:
        """Everything together; TooLong, with who is to blame, if one statement takes longer."""
        self.clock = Blaming(seconds)
        with self.clock.ticking():
            return self.extract()

    def prepare(self, script: Script) -> Prepared:
        """Read a script while the clock watches it."""
        self.clock.take(script)
        found = super().prepare(script)
        self.clock.take(None)
        return found

    def frame_of(self, definition: Definition, evaluation: Evaluation) -> Frame:
        """Evaluate a definition while the clock watches its script."""
        before = self.clock.take(definition.reading.script)
        try:
            return super().frame_of(definition, evaluation)
        finally:
            self.clock.take(before)

    def edges_into(self, definition: Definition, frame: Frame) -> list[Edge]:
        """Return the edges of a definition, and note its statement for each."""
        made = super().edges_into(definition, frame)
        for edge in made:
            self.note(edge.source, edge.target, definition)
        return made

    def add_closing(
        self, origin: Column, way: Way, target: Column, definition: Definition, edges: Edges
    ) -> None:
        """Add an edge through an open star, and note its statement."""
        self.note(origin, target, definition)
        super().add_closing(origin, way, target, definition, edges)

    def shown_statements(self) -> dict[Pair, Names]:
        """The statements that each edge comes from, by the names that are shown."""
        shown = self.output.shown
        if not shown.differ:
            return self.statements_of
        found: dict[Pair, Names] = {}
        for (source, target), files in self.statements_of.items():
            pair = shown.column(source), shown.target(target)
            found[pair] = found.get(pair, NOBODY) | files
        return found

    def note(self, source: Column, target: Column | Dataset, definition: Definition) -> None:
        """Note that a statement makes an edge."""
        file, pair = definition.reading.script.file, (source, target)
        own = self.names_of.setdefault(file, frozenset((file,)))
        held = self.statements_of.setdefault(pair, own)
        if held is not own:
            self.statements_of[pair] = held | own

    def writes(self) -> list[Written]:
        """Programs are left out: only scripts have them, and their statements are written down as
        they are.
        """
        shown = [
            each for each in self.order if not each.hidden and each.reading.script.dialect != PYTHON
        ]
        space = self.corpus.namespace
        routines = [
            (reading.script.file, Dataset(space, name)) for name, reading in self.routines_read
        ]
        return [
            *(_written_statement(each, self.output.shown.dataset(each.target)) for each in shown),
            *(Written(file, target, 0, True, True, True) for file, target in routines),
        ]

    def parsed(self, reading: Any) -> list[Any]:
        """Parse a script here, and count it."""
        self.read_here += 1
        return super().parsed(reading)


def _written_statement(definition: Definition, target: Dataset) -> Written:
    reading, node = definition.reading, definition.plan.node
    offset = offset_of(node) if node is not None else None
    held = reading.found is not None
    is_function = definition.plan.kind == "function"
    return Written(reading.script.file, target, offset, is_whole(definition), held, is_function)


class Keys(Remembering):
    """Asked for the keys of scripts, over and over."""

    def __init__(self, corpus: Corpus, memory: Memory) -> None:
        super().__init__(corpus, memory)
        self.keys: dict[int, bytes] = {}

    def key_of(self, script: Script) -> bytes:
        """Return the key of a script, worked out once."""
        found = self.keys.get(id(script))
        if found is None:
            found = self.keys[id(script)] = super().key_of(script)
        return found


class Packed:
    """A record that is unpacked for each look at it, and held packed."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __getitem__(self, part: Any) -> Any:
        return marshal.loads(self.data)[part]  # noqa: S302  from our own executors


def pack(record: Any) -> bytes:
    """Return a record as it is kept."""
    return record.data if isinstance(record, Packed) else marshal.dumps(record)


class PackedMemory(Memory):
    """A memory whose records stay packed."""

    def __init__(self, packed: dict[bytes, bytes]) -> None:
        super().__init__()
        self.packed = packed

    def record(self, key: bytes) -> Record | None:
        """Unpack the record of a script."""
        data = self.packed.get(key)
        return marshal.loads(data) if data is not None else None  # noqa: S302  also


class Gathering(Noting, Keys):
    """Puts records together."""

    memory: PackedMemory

    def hold(self, held: Held) -> Held:
        """Note a script, and pack its record again."""
        if held.record is not None:
            held.record = cast("Record", Packed(self.memory.packed[held.key]))
        return super().hold(held)


def resolve(spark: SparkSession, corpus: Corpus, state: State, seconds: float) -> Resolved:
    """Exactly what `extract` gives for the corpus; what the folder knows already is not parsed
    again.
    """
    asked = Keys(corpus, Memory())
    levels = Levels(spark, corpus, asked, state, seconds)
    with uncollected():
        return _resolved(levels, corpus, state, seconds)


def _resolved(levels: Levels, corpus: Corpus, state: State, seconds: float) -> Resolved:
    asked = levels.asked
    parsed = levels.all()
    levels.forget()
    keys = {asked.key_of(script): script.file for script in corpus.scripts}

    def gathering() -> Gathering:
        made = Gathering(corpus, PackedMemory(state.records))
        made.keys = asked.keys
        return made

    gathered, extraction, poisoned = together(gathering, corpus, state, asked, seconds)
    gathered.memory.settle()
    state.settle(set(keys), {key: pack(record) for key, record in gathered.memory.now.items()})
    forget_records(gathered)
    programs = sum(script.dialect == PYTHON for script in corpus.scripts)
    here = gathered.read_here + programs
    return Resolved(
        extraction, gathered.shown_statements(), poisoned, parsed, here, gathered.writes()
    )


def forget_records(gathered: Gathering) -> None:
    """Everything is resolved, and kept for the next run: no table needs a record any more."""
    gathered.memory.packed, gathered.memory.now = {}, {}
    for held in gathered.held:
        held.record = None


Gathered = TypeVar("Gathered", bound=Noting)


def together(
    begin: Callable[[], Gathered], corpus: Corpus, state: State, asked: Keys, seconds: float
) -> tuple[Gathered, Extraction, dict[str, str]]:
    """Resolve all scripts except those given up: a script that takes too long here is left out,
    too, and the others begin anew.
    """
    scripts = list(corpus.scripts)
    while True:
        poisoned = {
            script.file: fault.why
            for script in scripts
            if (fault := state.faults.get(asked.key_of(script))) is not None
        }
        corpus.scripts = [script for script in scripts if script.file not in poisoned]
        corpus.occurrences = [each for each in corpus.occurrences if each.name not in poisoned]
        gathered = begin()
        try:
            return gathered, gathered.within(seconds), poisoned
        except TooLong as late:
            state.faults[asked.key_of(late.hand)] = too_long(seconds)


Item = TypeVar("Item")


def share_out(groups: Iterable[list[Item]], size: int) -> Iterator[list[list[Item]]]:
    """Yield groups, each as a whole, in shares of about so many items."""
    share: list[list[Item]] = []
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
        self, spark: SparkSession, corpus: Corpus, asked: Keys, state: State, seconds: float
    ) -> None:
        self.spark = spark
        self.asked = asked
        self.state = state
        # programs call each other
        self.scripts = [script for script in corpus.scripts if script.dialect != PYTHON]
        procedural = [
            script for script in self.scripts if may_be_procedural(script.text, script.dialect)
        ]
        self.setting = Setting(
            corpus.dialect, corpus.datasets, corpus.functions, corpus.namespace, corpus.collapse_temporary, procedural,
            seconds, corpus.defaults, tuple(corpus.meanings),
        )  # fmt: skip
        self.learnt: Learnt = {}

    @cached_property
    def glanced(self) -> Glance:
        """Return what the words of all statements write and mention."""
        return glance([script.text for script in self.scripts])

    @cached_property
    def places(self) -> dict[int, Place]:
        """Return what the words of each script tell."""
        shared, glanced = self.glanced.shared, self.glanced
        about = zip(self.scripts, glanced.mentions, glanced.writes, glanced.levels(), strict=True)
        return {
            id(script): Place(mentions, writes & shared, level)
            for script, mentions, writes, level in about
        }

    def packed(self, work: list[Script]) -> list[dict[str, Any]]:
        """Return scripts as rows for the executors."""
        return [
            packed(self.asked.key_of(script), script, self.places.get(id(script), Place()))
            for script in work
        ]

    def all(self) -> int:
        """How many statements were new."""
        work, others = self.new_scripts()
        if len(work) < FEWEST:
            self.screen([*others, *work])
            return 0
        self.screen(others)
        self.learn(
            script for script in self.scripts if self.asked.key_of(script) in self.state.records
        )
        groups = groups_of([self.places[id(script)].mentions for script in work])
        small = [[work[at] for at in group] for group in groups if len(group) <= LARGEST]
        self.evaluate(small)
        large = [work[at] for group in groups if len(group) > LARGEST for at in group]
        for _, same in groupby(sorted(large, key=self.level_of), self.level_of):
            level = list(same)
            self.evaluate([script] for script in level)
            self.learn(level)
        return len(work)

    def new_scripts(self) -> tuple[list[Script], list[Script]]:
        """The new statements that have a level, and the others."""
        work: list[Script] = []
        others: list[Script] = []
        for script in filter(self.is_new, self.scripts):
            has_level = self.places[id(script)].level >= 0
            fit = has_level and not may_be_procedural(script.text, script.dialect)
            (work if fit else others).append(script)
        return work, others

    def is_new(self, script: Script) -> bool:
        """Tell whether no earlier run has dealt with a script."""
        key = self.asked.key_of(script)
        return not any(
            key in known for known in (self.state.records, self.state.faults, self.state.unfit)
        )

    def screen(self, scripts: list[Script]) -> None:
        """What only the driver will read is read before by somebody who may die of it."""
        whole = self.setting
        self.setting = whole._replace(procedural=[], only_read=True)
        self.evaluate([script] for script in scripts if self.is_new(script))
        sound = [
            script
            for script in whole.procedural
            if self.asked.key_of(script) not in self.state.faults
        ]
        self.setting = whole._replace(procedural=sound)

    def evaluate(self, groups: Iterable[list[Script]]) -> None:
        """Evaluate scripts, wave by wave; those of a group depend on each other."""
        for wave in share_out(groups, WAVE):
            self.evaluate_wave([self.packed(group) for group in wave])

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
        found = evaluate_levels(by_level(groups), self.setting, {**self.learnt}, evaluated_apart)
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
        tasks = max(parallelism(spark), -(-count // PER_TASK))
        shares = share_out(groups, -(-count // tasks))
        # each batch becomes a partition as it is, and nothing has to be shuffled
        batches = [pa.RecordBatch.from_pylist(by_level(share), PACKED) for share in shares]
        frame = spark.createDataFrame(pa.Table.from_batches(batches))
        with sharing(spark, self.setting) as setting, sharing(spark, self.learnt) as learnt:
            found = frame.mapInArrow(evaluating(setting, learnt, guard), FOUND).toArrow()
        return list(found.to_pylist())

    def forget(self) -> None:
        """Everything is evaluated: nobody asks for names again."""
        self.learnt = {}
        for name in ("glanced", "places"):
            vars(self).pop(name, None)

    def learn(self, scripts: Iterable[Script]) -> None:
        """Learn the columns of the names that the scripts write, as far as they are known."""
        for script in scripts:
            names = self.places[id(script)].writes
            data = self.state.records.get(self.asked.key_of(script)) if names else None
            if data is not None:
                learn(self.learnt, names, self.asked.key_of(script), script, data)

    def level_of(self, script: Script) -> int:
        """Return the level on which all that a script reads is known."""
        return self.places[id(script)].level

"""Level by level on the executors, then everything together: each record is held against its questions.

On the first level are statements that read nothing which another one defines; on the next those that read only what is
known by then, and so on. What the levels leave over (circles, long chains, procedural code) is read here.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import SparkSession

from lineal.algebra.frame import Frame
from lineal.extract.definitions import PYTHON, Definitions, Edges
from lineal.extract.entries import Definition
from lineal.extract.memory import Memory, Record, Remembering
from lineal.extract.sql.procedural.glance import may_be_procedural
from lineal.model.collector import uncollected
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script
from lineal.model.way import Way
from lineal.spark.bulk.glance import glance
from lineal.spark.bulk.share import FOUND, PACKED, Setting, Told, columns_of, evaluated, evaluating, packed
from lineal.spark.bulk.state import State

FEWEST = 64
"""Statements that are worth a job of their own."""

PER_TASK = 400
"""Statements of one task: what a killed executor loses."""

WAVE = 20_000
"""Statements of one job: what a killed driver loses."""

Pair = tuple[Column, "Column | Dataset"]


class Resolved(NamedTuple):
    """The lineage of a corpus, with the statements that each edge comes from."""

    extraction: Extraction
    statements: dict[Pair, set[str]]
    poisoned: dict[str, str]
    """the statements that were given up, and why"""
    parsed: int
    """statements that executors read in this run"""
    here: int
    """those that were left for the driver"""


class Noting(Definitions):
    """Notes which statements an edge comes from, and which are parsed."""

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.statements_of: dict[Pair, set[str]] = {}
        self.read_here = 0

    def edges_into(self, definition: Definition, frame: Frame) -> list[Edge]:
        made = super().edges_into(definition, frame)
        for edge in made:
            self.note(edge.source, edge.target, definition)
        return made

    def add_closing(self, origin: Column, way: Way, target: Column, definition: Definition, edges: Edges) -> None:
        self.note(origin, target, definition)
        super().add_closing(origin, way, target, definition, edges)

    def note(self, source: Column, target: Column | Dataset, definition: Definition) -> None:
        self.statements_of.setdefault((source, target), set()).add(definition.reading.script.file)

    def parsed(self, reading: Any) -> list[Any]:
        self.read_here += 1
        return super().parsed(reading)


class Keys(Remembering):
    """Asked for the keys of scripts, over and over."""

    def __init__(self, corpus: Corpus, memory: Memory) -> None:
        super().__init__(corpus, memory)
        self.keys: dict[int, bytes] = {}

    def key_of(self, script: Script) -> bytes:
        found = self.keys.get(id(script))
        if found is None:
            found = self.keys[id(script)] = super().key_of(script)
        return found


class Gathering(Noting, Keys):
    """Puts records together."""


def resolve(spark: SparkSession, corpus: Corpus, state: State, seconds: float) -> Resolved:
    """Exactly what `extract` gives for the corpus; what the folder knows already is not parsed again."""
    if corpus.meanings or corpus.defaults or any(script.dialect == PYTHON for script in corpus.scripts):
        return here(corpus)
    with uncollected():
        return _resolved(spark, corpus, state, seconds)


def _resolved(spark: SparkSession, corpus: Corpus, state: State, seconds: float) -> Resolved:
    asked = Keys(corpus, Memory())
    parsed = Levels(spark, corpus, asked, state, seconds).all()
    keys = {asked.key_of(script): script.file for script in corpus.scripts}
    poisoned = {keys[key]: why for key, why in sorted(state.faults.items()) if key in keys}
    corpus.scripts = [script for script in corpus.scripts if script.file not in poisoned]
    corpus.occurrences = [each for each in corpus.occurrences if each.name not in poisoned]
    memory = Memory()
    memory.records = dict(state.records)
    gathered = Gathering(corpus, memory)
    gathered.keys = asked.keys
    extraction = gathered.extract()
    state.settle(set(keys), memory.now)
    return Resolved(extraction, gathered.statements_of, poisoned, parsed, gathered.read_here)


def here(corpus: Corpus) -> Resolved:
    """In one process: programs, and names that have defaults, are not shared out."""
    gathered = Noting(corpus)
    return Resolved(gathered.extract(), gathered.statements_of, {}, 0, len(corpus.scripts))


class Levels:
    """The statements that nobody has read yet, level by level."""

    def __init__(self, spark: SparkSession, corpus: Corpus, asked: Keys, state: State, seconds: float) -> None:
        self.spark = spark
        self.asked = asked
        self.state = state
        self.scripts = corpus.scripts
        procedural = [script for script in corpus.scripts if may_be_procedural(script.text, script.dialect)]
        self.setting = Setting(
            corpus.dialect, corpus.datasets, corpus.functions, corpus.namespace, corpus.collapse_temporary, procedural,
            seconds,
        )  # fmt: skip
        self.learnt: dict[str, list[Told]] = {}
        self.glanced = glance([script.text for script in corpus.scripts])
        self.writes = dict(zip(map(id, corpus.scripts), self.glanced.writes, strict=True))

    def all(self) -> int:
        """How many statements were new."""
        work = self.by_level()
        new = sum(map(len, work))
        if new < FEWEST:
            return 0
        self.learn(script for script in self.scripts if self.asked.key_of(script) in self.state.records)
        for several in work:
            for start in range(0, len(several), WAVE):
                wave = several[start : start + WAVE]
                self.evaluate(wave)
                self.learn(wave)
        return new

    def by_level(self) -> list[list[Script]]:
        found = self.glanced.levels()
        work: dict[int, list[Script]] = {}
        for script, level in zip(self.scripts, found, strict=True):
            key = self.asked.key_of(script)
            new = not any(key in known for known in (self.state.records, self.state.faults, self.state.unfit))
            if level >= 0 and new and not may_be_procedural(script.text, script.dialect):
                work.setdefault(level, []).append(script)
        return [several for _, several in sorted(work.items())]

    def evaluate(self, work: list[Script]) -> None:
        records: dict[bytes, Record] = {}
        faults: dict[bytes, str] = {}
        unfit: set[bytes] = set()
        for row in self.here(work) if len(work) < FEWEST else self.elsewhere(work):
            if row["fault"] is not None:
                faults[row["key"]] = row["fault"]
            elif row["record"] is not None:
                records[row["key"]] = marshal.loads(row["record"])  # noqa: S302  from our own executors
            else:
                unfit.add(row["key"])
        self.state.keep(records, faults, unfit)

    def here(self, work: list[Script]) -> list[dict[str, Any]]:
        """So few that a job would take longer."""
        found = evaluated(packed(work), self.setting, self.learnt)
        return list(found.to_pylist())

    def elsewhere(self, work: list[Script]) -> list[dict[str, Any]]:
        context = self.spark.sparkContext
        setting, learnt = context.broadcast(self.setting), context.broadcast(self.learnt)
        tasks = max(context.defaultParallelism, -(-len(work) // PER_TASK))
        frame = self.spark.createDataFrame(pa.Table.from_pylist(packed(work), PACKED)).repartition(tasks)
        found = frame.mapInArrow(evaluating(setting, learnt), FOUND).toArrow()
        setting.destroy()
        learnt.destroy()
        return list(found.to_pylist())

    def learn(self, scripts: Iterable[Script]) -> None:
        """What is known by now of the names that statements write."""
        for script in scripts:
            names = self.writes[id(script)]
            key = self.asked.key_of(script) if names else b""
            record = self.state.records.get(key) if names else None
            if record is not None:
                nothing = [None] * len(record[4])
                told = Told(key, replace(script, text=""), (*record[:4], nothing, nothing), columns_of(record))
                for name in names:
                    self.learnt.setdefault(name, []).append(told)

"""Group by group on the executors, then everything together: each record is checked against its
questions.

Statements that share a written name are a group, and one task evaluates it level by level. On the
first level are statements that read nothing which another one defines; on the next those that read
only what is known by then, and so on. A group that is too large for one task has a job for each
level. What the levels leave over (circles, procedural code) is read here.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lineal.extract.sql.procedural.detection import may_be_procedural
from lineal.incremental import codec
from lineal.incremental.memory import Memory
from lineal.model.boundary import is_debugging, told_by_all
from lineal.model.collector import uncollected
from lineal.model.diagnostic import Diagnostic
from lineal.model.extraction import Extraction
from lineal.model.ledger import Coverage
from lineal.model.script import Corpus, Script
from lineal.resolve.catalog import PYTHON
from lineal.spark.pipeline.gathering import (
    Keys,
    PackedMemory,
    Resolved,
    forget_records,
    pack,
    together,
)
from lineal.spark.pipeline.guard import Fault, fault_of
from lineal.spark.pipeline.merging import Merging
from lineal.spark.pipeline.order import Glance, glance, groups_of
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
from lineal.spark.pipeline.parts import split
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
from lineal.spark.pipeline.statements import Logged
from lineal.spark.pipeline.tables import Pages

FEWEST = 64
"""Statements that are worth a job of their own."""

PER_TASK = 400
"""Statements of one task: what a killed executor loses."""

LARGEST = 2_000
"""Statements that depend on each other and that one task evaluates: larger groups go level by level."""

WAVE = 20_000
"""Statements of one job: what a killed driver loses."""

PARTS_AT_ONCE = 8_000
"""Statements whose rows come back at once."""


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
    whole: tuple[Part, Resolved] | None = None
    rows: Merging | None = None

    @property
    def extraction(self) -> Extraction:
        """Return the lineage, if it is here."""
        if self.whole is None:
            raise ValueError("a corpus in parts has tables only")

        return self.whole[1].extraction

    def write(
        self, logged: Mapping[str, Logged], folder: Path, prepare: Callable[[str, Pages], int]
    ) -> dict[str, int]:
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

        return dict(sound_rows(*self.whole, logged, write_rows))


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
    logged: Mapping[str, Logged] | None = None,
) -> Resolution:
    """Exactly what `extract` gives for the corpus; what the folder knows already is not parsed
    again.
    """
    asked = Keys(corpus, Memory())
    levels = Levels(spark, corpus, asked, state, seconds)
    with uncollected():
        parsed = levels.all()
        levels.forget()
        keys = {asked.key_of(script) for script in corpus.scripts}
        found = resolve_parts(levels, corpus, logged or {})
        if found is None:
            found = resolve_whole(levels, corpus)

        resolution, records = found
        resolution.parsed = parsed
        state.settle(keys, records)
        return resolution


Found = tuple[Resolution, dict[bytes, bytes]]
"""With the records that the next run may use."""


def resolve_whole(levels: Levels, corpus: Corpus) -> Found:
    """Resolve all statements here."""
    asked, state = levels.asked, levels.state

    def begin() -> Part:
        """Return an empty part that evaluation starts from."""
        made = Part(corpus, PackedMemory(state.records), None)
        made.keys = asked.keys
        return made

    part, extraction, poisoned = together(begin, corpus, state, asked, levels.setting.seconds)
    part.memory.settle()
    records = {key: pack(record) for key, record in part.memory.now.items()}
    forget_records(part)
    programs = sum(script.dialect == PYTHON for script in corpus.scripts)
    here = part.read_here + programs
    resolved = Resolved(extraction, part.shown_statements(), poisoned, here, part.writes())
    told = told_by_all(extraction.diagnostics)
    return Resolution(extraction.coverage, told, poisoned, 0, here, (part, resolved)), records


def resolve_parts(levels: Levels, corpus: Corpus, logged: Mapping[str, Logged]) -> Found | None:
    """Resolve the parts of a log on the executors; None if it has only one, or if parts need each
    other after all.
    """
    asked, state = levels.asked, levels.state
    poisoned = {
        script.file: fault.why
        for script in corpus.scripts
        if (fault := state.faults.get(asked.key_of(script))) is not None
    }
    sound = replace(corpus, scripts=[each for each in corpus.scripts if each.file not in poisoned])
    parts = split(sound, state.records, asked.key_of) if logged else []
    if len(parts) < 2:
        return None

    merging = Merging(state.folder.aside("parts"), len(sound.scripts))
    shipped = (
        [packed_statement(number, at, sound.scripts[at], levels, logged) for at in part]
        for number, part in enumerate(parts)
    )
    try:
        waves = share_out(shipped, PARTS_AT_ONCE)
        told = [each for wave in waves for each in levels.parcels(wave, merging)]
    except Exception:
        if is_debugging():
            raise

        told = []  # a part that fails by itself is tried with all others

    if not told or crossing([each.defined for each in told], [each.met for each in told]):
        merging.remove()
        return None

    return united(corpus, state, told, poisoned, merging, levels)


def united(
    corpus: Corpus,
    state: State,
    told: list[About],
    poisoned: dict[str, str],
    merging: Merging,
    levels: Levels,
) -> Found:
    """Put together what the parts tell."""
    rest, resolved = rest_of(corpus, (each.met for each in told))
    for name, page in rows_of(rest, resolved, {}):
        merging.add(name, page)

    coverage = resolved.extraction.coverage
    keys = {levels.asked.key_of(script) for script in corpus.scripts if script.file not in poisoned}
    records = {key: state.records[key] for key in keys if key in state.records}
    diagnostics = dict.fromkeys(told_by_all(resolved.extraction.diagnostics))
    for each in told:
        coverage.add(Coverage.from_json(each.coverage))
        diagnostics.update((codec.diagnostic_in(found), None) for found in each.told)
        poisoned |= each.poisoned
        state.faults.update((key, Fault(*fault)) for key, fault in each.faults.items())
        records.update(each.records)
        for key in each.gone:
            records.pop(key, None)

    add_coverage(coverage, [each.dynamic for each in told])
    corpus.scripts = [script for script in corpus.scripts if script.file not in poisoned]
    corpus.occurrences = [each for each in corpus.occurrences if each.name not in poisoned]
    here = sum(each.read_here for each in told)
    return Resolution(coverage, list(diagnostics), poisoned, 0, here, None, merging), records


def packed_statement(
    part: int, at: int, script: Script, levels: Levels, logged: Mapping[str, Logged]
) -> Row:
    """Return a statement with its record, on its way to the task that resolves its part."""
    key, seen = levels.asked.key_of(script), logged[script.file]
    row = packed(key, script, Place())
    about = (seen.runs, seen.first, seen.last, seen.users)
    return {
        "part": part, "at": at, "key": key, "script": row["script"], "record": levels.state.records.get(key),
        "seen": marshal.dumps(about),
    }  # fmt: skip


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

    def parcels(self, parts: list[list[Row]], merging: Merging) -> Iterator[About]:
        """Resolve some parts: take their rows, and yield what they tell."""
        sessions = any(script.catalog or script.schemas for script in self.scripts)
        setting = PartSetting(self.setting, sessions)
        try:
            found = self.parcels_elsewhere(parts, setting)
        except (PySparkException, Py4JError):  # whatever a worker died of: the driver goes on
            found = [row for part in parts for row in parcel_of(part, setting).to_pylist()]

        for row in found:
            if row["name"] == ABOUT:
                yield About(*marshal.loads(row["data"]))  # noqa: S302  from our own executors
            else:
                merging.add(row["name"], pa.ipc.open_stream(row["data"]).read_all())

    def parcels_elsewhere(self, parts: list[list[Row]], setting: PartSetting) -> list[Row]:
        """Resolve parts on the executors; the rows of a part go to one task."""
        batches = [pa.RecordBatch.from_pylist(part, STATEMENTS) for part in parts]
        frame = self.spark.createDataFrame(pa.Table.from_batches(batches))
        frame = frame.repartition(len(parts), "part")
        with sharing(self.spark, setting) as shared:
            found = frame.mapInArrow(resolving(shared), PARCEL).toArrow()

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

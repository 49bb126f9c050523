"""The stages of the pipeline, in order, and the summary of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from lineal.extract.sql.dialects import facts_of
from lineal.incremental.memory import Memory
from lineal.model.collector import without_collector
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.extraction import Extraction
from lineal.model.ledger import Coverage
from lineal.model.script import Corpus, Defaults
from lineal.projects import load
from lineal.projects.logs.histories import is_not_due
from lineal.projects.logs.period import ALWAYS, Period
from lineal.projects.pipeline.restored import Restored
from lineal.projects.schema import schema_datasets
from lineal.spark.availability import one_line, refusal_of
from lineal.spark.pipeline import rows
from lineal.spark.pipeline.address import expand_patterns, local
from lineal.spark.pipeline.book import Book
from lineal.spark.pipeline.closure import BUDGET, EdgesOf
from lineal.spark.pipeline.closure import write as write_closure
from lineal.spark.pipeline.errors import BulkError, is_full_disk, remedy_of
from lineal.spark.pipeline.folder import Folder
from lineal.spark.pipeline.freed import give_back_memory
from lineal.spark.pipeline.gathering import Keys
from lineal.spark.pipeline.guard import fault_of
from lineal.spark.pipeline.history import check_not_a_stream
from lineal.spark.pipeline.output import Output
from lineal.spark.pipeline.presets import preset_of
from lineal.spark.pipeline.resolve import Resolution, resolve
from lineal.spark.pipeline.settings import settings
from lineal.spark.pipeline.shelving import Kept
from lineal.spark.pipeline.state import State, open_state
from lineal.spark.pipeline.statements import Log, Wanted, count_runs, statements, text_key
from lineal.spark.pipeline.tables import SCHEMAS, Pages, quarantine_pages
from lineal.store.outputs import Output as Tables

RUNTIME = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "200000",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
    "spark.sql.execution.arrow.maxBytesPerBatch": "64m",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
}
"""Spark's settings that the stages rely on; restored at the end."""

Say = Callable[[str], object]


@dataclass(frozen=True)
class Options:
    """The options of a run."""

    paths: tuple[str, ...]
    folder: str | Path
    format: str | None = None
    preset: str | None = None
    log: tuple[tuple[str, str], ...] = ()
    dialect: str | None = None
    schema: str | Mapping[str, Any] | None = None
    defaults: Defaults | None = None
    collapse: bool = True
    closure: bool = True
    budget: int = BUDGET
    """bytes of a graph that every executor may hold"""
    fresh: bool = False
    seconds: float = 60.0
    period: Period = ALWAYS
    """the statements of a log that ran outside it are left out"""


@dataclass
class Summary:
    """The results of a run."""

    files: int = 0
    """of a folder of scripts; a log has rows"""
    rows: int = 0
    texts: int = 0
    statements: int = 0
    parsed: int = 0
    here: int = 0
    edges: int = 0
    columns: int = 0
    quarantined: dict[str, int] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)
    seconds: dict[str, float] = field(default_factory=dict)
    closure: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    told: list[Diagnostic] = field(default_factory=list)
    """the diagnostics that every command shows"""
    kept: Extraction | None = None
    """the lineage, if the driver holds it"""
    folder: Folder | None = None

    @cached_property
    def extraction(self) -> Extraction:
        """Return the lineage; that of a large log is read from the tables."""
        return self.kept if self.kept is not None else self.read_tables()

    def read_tables(self) -> Extraction:
        """Return the lineage that the tables hold."""
        if self.folder is None:
            return Extraction()

        with self.folder.local_copy() as path:
            return Restored(Tables(path)).extraction()

    @property
    def throughput(self) -> float:
        """Rows a second, or statements of scripts, over all stages."""
        return (self.rows or self.statements) / max(sum(self.seconds.values()), 0.001)

    @property
    def repetition(self) -> float:
        """Rows for each statement."""
        return self.rows / max(self.statements, 1)


def run(
    options: Options, spark: SparkSession, say: Say = lambda stage: None, state: State | None = None
) -> Summary:
    """Extract everything at the paths, and write it to the folder; who has opened it already gives
    what it knows.
    """
    preset_of(options.preset)
    refused = refusal_of(spark.version)
    if refused is not None:
        raise BulkError(refused)

    with ExitStack() as stack:
        stack.enter_context(in_one_line(options.folder))
        if state is None:
            state = stack.enter_context(open_state(options.folder, spark, options.fresh))

        check_not_a_stream(state.folder)
        stack.enter_context(settings(spark, RUNTIME))
        return Run(options, spark, state, say).all()


@contextmanager
def in_one_line(folder: str | Path) -> Iterator[None]:
    """Say in one line why a run has ended, and what to do about it."""
    try:
        yield
    except OSError as problem:
        if not is_full_disk(problem):
            raise

        raise BulkError(
            f"no space left on the driver's disk for {folder}: free some (run the same command again to continue)"
        ) from problem
    except (PySparkException, Py4JError) as problem:
        known = remedy_of(str(problem))
        if known is not None:
            raise BulkError(known) from problem

        raise BulkError(
            f"Spark gave up: {one_line(problem)} (run the same command again to continue)"
        ) from problem


class Counted(NamedTuple):
    """The counts of a stream so far: each text with its runs, and whose history it is."""

    texts: DataFrame
    preset: str | None


class Run:
    """One run, stage by stage."""

    def __init__(
        self,
        options: Options,
        spark: SparkSession,
        state: State,
        say: Say,
        counted: Counted | None = None,
    ) -> None:
        self.options = options
        self.counted = counted
        self.spark = spark
        self.state = state
        self.say = say
        self.output = Output(state.folder, spark)
        self.summary = Summary()
        self.began = time.monotonic()

    def all(self) -> Summary:
        """Run every stage, and return the summary."""
        self.state.forgive(self.options.seconds)
        corpus, log = self.stage("read", self.read)
        options = self.options
        work = partial(resolve, self.spark, corpus, self.state, options.seconds, log.book)
        resolution = self.stage("extract", partial(work, closure=options.closure))
        poisoned = {name: each.why for name, each in log.poisoned.items()} | resolution.poisoned
        runs = log.runs_of(poisoned)
        summary, coverage = self.summary, resolution.coverage
        coverage.miss(Code.LIMIT_EXCEEDED.code, len(poisoned))
        lost = sum(count for why, count in log.quarantined.items() if not is_not_due(why))
        coverage.miss(Code.LOG_ROW.code, lost)
        summary.rows, summary.texts, summary.statements = log.rows, log.texts, log.size
        if log.files:
            summary.files, summary.statements = log.files, coverage.statements.found

        summary.parsed, summary.here, summary.coverage = (
            resolution.parsed,
            resolution.here,
            coverage,
        )
        summary.told, summary.folder = resolution.told, self.state.folder
        summary.quarantined = dict(log.quarantined)
        for name, why in poisoned.items():
            summary.quarantined[why] = summary.quarantined.get(why, 0) + runs.get(name, 1)

        self.state.begin()
        quarantine = quarantine_pages(poisoned, runs, log.quarantined)
        made = self.stage("write", lambda: self.write(resolution, log, quarantine))
        if resolution.whole is not None:
            summary.kept = resolution.extraction

        summary.edges, summary.columns = made["edges"], made["columns"]
        for name, count in made.items():
            self.output.commit(name, count)

        if options.closure:
            summary.closure = self.stage("closure", lambda: self.close(resolution))
        else:
            self.output.forget("nodes", "closure")

        said = {
            "complete": True, "rows": log.rows, "statements": summary.statements, "dialect": corpus.dialect,
            "namespace": corpus.namespace,
            "coverage": coverage.to_json(),
        }  # fmt: skip
        summary.tables = self.output.written
        self.state.finish({**said, "tables": summary.tables})
        self.output.tidy()
        return summary

    def write(self, resolution: Resolution, log: Log, quarantine: Pages) -> dict[str, int]:
        """Prepare all tables, and return how many rows each has."""
        prepare = self.output.prepare
        statements = chain([SCHEMAS["statements"].empty_table()], log.tables.pages())
        with without_collector():
            made = {"statements": prepare("statements", statements)}
            made |= resolution.write(self.state.folder.aside("parts"), prepare)
            return made | {"quarantine": prepare("quarantine", quarantine)}

    def close(self, resolution: Resolution) -> dict[str, Any]:
        """Write what every column comes from, at any distance."""
        if resolution.closing is not None:
            return resolution.closing.write(self.output)

        kept = self.summary.kept
        edges = kept.edges if kept is not None else EdgesOf(self.output)
        return write_closure(self.spark, self.output, edges, self.options.budget)

    def stage(self, name: str, work: Callable[[], Any]) -> Any:
        """Run one stage, and take its time."""
        self.say(name)
        started = time.monotonic()
        found = work()
        give_back_memory()
        self.summary.seconds[name] = time.monotonic() - started
        return found

    # -- input -------------------------------------------------------------------------------------

    def read(self) -> tuple[Corpus, Log]:
        """Read the log or the folder of scripts."""
        return self.of_counted(self.counted) if self.counted is not None else self.of_paths()

    def apply_settings(self, corpus: Corpus) -> Corpus:
        """Return the corpus with what the user has asked for."""
        corpus.collapse_temporary = self.options.collapse
        if self.options.defaults is not None:
            corpus.defaults = self.options.defaults

        return corpus

    def of_paths(self) -> tuple[Corpus, Log]:
        """Return the statements at the paths."""
        options = self.options = replace(self.options, paths=expand_patterns(self.options.paths))
        kind = options.format or rows.format_of(options.paths)
        if kind == "files":
            return self.of_files()

        check_outside(options.folder, options.paths)
        facts_of(options.dialect or "")  # one that nobody knows is said before anything is read
        found, recognized = rows.read(self.spark, log_of(options))
        return self.of_counted(Counted(count_runs(found), recognized))

    def of_counted(self, counted: Counted) -> tuple[Corpus, Log]:
        """Return the distinct statements of texts whose runs are counted."""
        options = self.options
        preset = preset_of(counted.preset)
        usual = preset.dialect if preset is not None else ""
        dialect = usual if options.dialect is None else options.dialect
        corpus = Corpus(dialect)
        corpus.datasets = schema_datasets(options.schema, "", corpus.diagnostics.append)
        for path in options.paths:
            corpus.files.add(path)  # a history counts as one, into however many parts it is cut

        about = Keys(self.apply_settings(corpus), Memory()).about
        wanted = Wanted(dialect, options.seconds, about, self.state.texts)
        log = statements(counted.texts, wanted, self.state.folder.aside("book"))
        self.state.keep_texts(
            {
                text_key(each.text, dialect): fault_of(each.why, options.seconds)
                for each in log.poisoned.values()
            }
        )
        return corpus, log

    def of_files(self) -> tuple[Corpus, Log]:
        """Return the scripts of folders."""
        from lineal.projects import unite_corpora

        options = self.options
        if options.preset or options.log or options.period != ALWAYS:
            raise BulkError(
                "a folder of scripts is not a log: leave out --preset, --log-…, --since and --until"
            )

        several = [
            load(_local_path(path), options.dialect, options.schema) for path in options.paths
        ]
        corpus = several[0] if len(several) == 1 else unite_corpora(several)
        if corpus.given:
            raise BulkError(
                "the pipeline does not read saved lineage and events: `lineal lineage` does"
            )

        files = len({script.file for script in corpus.scripts})
        folder, about = (
            self.state.folder.aside("book"),
            Keys(self.apply_settings(corpus), Memory()).about,
        )
        book = Book.from_scripts(folder, corpus.scripts, about)
        return corpus, Log(book, Kept(folder), 0, 0, 0, {}, {}, files)


def log_of(options: Options) -> rows.Log:
    """Return the address of the log, and the options for its columns."""
    return rows.Log(options.paths, options.format, options.preset, options.log, options.period)


def check_outside(folder: str | Path, paths: tuple[str, ...]) -> None:
    """A log that has the output in it would be another one the next time."""
    out = local(folder)
    for path in paths:
        read = local(path)
        if out is not None and read is not None and out.resolve().is_relative_to(read.resolve()):
            raise BulkError(
                f"{folder} is inside {path}, and the next run would read it: choose a folder outside it"
            )


def _local_path(path: str) -> Path:
    """Return a local path; raise BulkError if it is elsewhere."""
    found = local(path)
    if found is None:
        raise BulkError(
            f"{path} is not on this machine: scripts are read by the driver, so bring them here first"
        )

    return found

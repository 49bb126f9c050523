"""From executions to lineage: each plan is read as it arrives, and what cannot be read is said
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from lineal.extract.catalyst.plan import (
    Names,
    Origins,
    Variable,
    extract,
    origin_of_plan,
    variables_in,
)
from lineal.model.diagnostic import Code, Diagnostic, order_of
from lineal.model.edge import Column, Dataset, Edge, Site, Usage
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.model.job import Run
from lineal.model.ledger import Coverage, Files, Statements
from lineal.model.paths import is_path
from lineal.model.sequences import flatten
from lineal.spark.availability import one_line
from lineal.spark.job_capture.listener import CHECKPOINTS, VARIABLES, Closed, Execution, Problem

NO_SINKS = frozenset(("ForeachBatchSink", "ForeachWriterTable"))
"""Sinks of streams that call a function: what that writes is an execution of its own."""

MEMORY = "MemorySink"
"""df.writeStream.format("memory").queryName("v")

v is a temporary view, over rows that have lost their plan
"""

NOWHERE = frozenset(("noop-table", "console", MEMORY))
"""df.write.format("noop")

what Spark calls the tables of sinks that keep nothing beyond the session
"""

MAKES = frozenset((
    "CreateDataSourceTableAsSelectCommand", "CreateHiveTableAsSelectCommand", "CreateTableAsSelect",
    "ReplaceTableAsSelect", "CreateDeltaTableCommand", "CreateViewCommand", "AlterViewAsCommand",
))  # fmt: skip
"""Commands that make a table or view: what it was before counts no more."""

REWRITTEN = "default_rewrite_catalog."
"""CALL lake.system.rewrite_data_files('t')

where Iceberg writes the rows of a table into new files of the same
"""

RunId = Callable[[Execution], str]
Read = TypeVar("Read")


class Write(NamedTuple):
    """One dataset, written once: its lineage, and when it happened."""

    target: Dataset
    extraction: Extraction
    run: Run
    failure: str = ""
    dataset_lineage: str = ""
    """the session's value of the setting DATASET_LINEAGE"""
    session: int = 0
    """which session has written it"""


class Recorder:
    """The writes of a job. `told` is called with each of them, `said` with each new problem."""

    def __init__(
        self, names: Names, told: Callable[[Write], None], said: Callable[[str], None]
    ) -> None:
        self._names = names
        self._told = told
        self._said = said
        self._found: dict[Any, Extraction] = {}
        self._problems: dict[str, Diagnostic] = {}
        self._lost = Coverage()
        """the writes without a result: each counts, also those that are alike"""
        self._inside: dict[int, list[Execution]] = {}
        self._checkpoints = Origins()
        self._variables: dict[int, dict[str, Variable]] = {}
        """the lineage of each session's variables"""
        self._usages: dict[Any, Usage] = {}
        """each kind of usage once"""
        self._lock = Lock()
        self._states: dict[Dataset, dict[Any, Extraction]] = {}
        """the current writes of each target: those since it was last replaced"""
        self._before: dict[Dataset, DatasetInfo] = {}
        """the columns that datasets had when the job first met them"""
        self.writes = 0
        self.failed = 0

    def take(self, told: Execution | Closed | Problem, run_id: RunId) -> None:
        """Record an execution; any failure here is a diagnostic, and the job continues."""
        try:
            if isinstance(told, Problem):
                self.lose("listener", f"Spark's listener failed: {told.text}")
            elif isinstance(told, Closed):
                self._take_inside(self._inside.pop(told.root, ()), self._checkpoints, run_id)
            elif told.root != told.id:
                self._inside.setdefault(told.root, []).append(told)
            else:
                self._take_batch(told, self._inside.pop(told.id, ()), run_id)
                self._take(told, self._checkpoints, run_id)
        except Exception as problem:
            self.lose(type(problem).__name__, f"an execution cannot be read: {one_line(problem)}")

    def close(self, run_id: RunId) -> None:
        """Those that ran inside an execution whose end was never told."""
        for root in list(self._inside):
            self.take(Closed(root), run_id)

    def problem(self, key: str, message: str) -> None:
        """The first of its kind is said; all the others are alike."""
        if key not in self._problems:
            self._problems[key] = Diagnostic(Code.NOT_CAPTURED, message)
            self._said(message)

    def lose(self, key: str, message: str) -> None:
        """Count a write that cannot be recorded, and report the first of its kind."""
        lost = Coverage(Files(1), Statements(1))
        lost.fail(Code.NOT_CAPTURED.code)
        self._lost.add(lost)
        self.problem(key, message)

    def extraction(self) -> Extraction:
        """Return everything that was captured so far."""
        with self._lock:
            return self._unite(self._found.values())

    def _without_plan(self, found: Extraction) -> Extraction:
        """Without the plan that it was read from: a job of a thousand writes keeps their edges, not
        their plans.
        """
        usages = self._usages

        def without_places(usage: Usage) -> Usage:
            """Return a usage without places; equal usages are one object."""
            site = Site(None, "", usage.path, usage.reader.level)
            return usages.setdefault(
                (usage.way, usage.doubt, site), Usage(usage.way, usage.doubt, None, site)
            )

        found.edges = [
            Edge(edge.source, edge.target, tuple(map(without_places, edge.usages)))
            for edge in found.edges
        ]
        return found

    def _take_batch(self, batch: Execution, inside: Sequence[Execution], run_id: RunId) -> None:
        """foreachBatch hands over rows without a history: the stream's own plan has made them."""
        # a stream's batch may be executed by an execution of its own
        inside = [inner for inner in inside if inner.kind != batch.kind]
        if not inside:
            return

        origins = Origins(self._checkpoints)
        if batch.plan:
            variables = self._variables.get(batch.session)
            origins.add(
                read_deeply(
                    lambda: origin_of_plan(batch.plan, self._names, origins, batch.rdd, variables)
                )
            )

        self._take_inside(inside, origins, run_id)

    def _take_inside(self, inside: Sequence[Execution], origins: Origins, run_id: RunId) -> None:
        """Record the executions inside another one."""
        for inner in inside:
            self._take(inner, origins, run_id)

    def _take(self, execution: Execution, origins: Origins, run_id: RunId) -> None:
        """Record the lineage of one execution."""
        if execution.sink in NO_SINKS:
            return

        if not execution.plan:
            reason = f": {execution.problem}" if execution.problem else ""
            self.lose(
                execution.kind, f"{execution.kind} writes, but its plan cannot be read{reason}"
            )
            return

        text, variables = execution.plan, self._variables.setdefault(execution.session, {})
        try:
            if execution.kind in VARIABLES:
                if not execution.failure:
                    variables.update(
                        read_deeply(lambda: variables_in(text, self._names, origins, variables))
                    )

                return

            if execution.kind in CHECKPOINTS or execution.sink == MEMORY:
                origins.add(
                    read_deeply(
                        lambda: origin_of_plan(text, self._names, origins, execution.rdd, variables)
                    )
                )
                return

            found = read_deeply(
                lambda: extract(text, execution.kind, self._names, origins, variables)
            )
            found = self._without_plan(found)
        except Exception as problem:
            self.lose(
                execution.kind, f"the plan of {execution.kind} cannot be read: {one_line(problem)}"
            )
            return

        target = next(iter(found.datasets))
        if target.name in NOWHERE or target.name.startswith(REWRITTEN):
            return

        self.writes += 1
        run = Run(run_id(execution), moment(execution.started), moment(execution.ended))
        if execution.failure:
            self.failed += 1
        else:
            with self._lock:
                facts = facts_of(found)
                self._found.setdefault(facts, found)
                self._keep(execution, target, facts, found)

        self._told(
            Write(
                target, found, run, execution.failure, execution.dataset_lineage, execution.session
            )
        )

    def _keep(
        self, execution: Execution, target: Dataset, facts: object, found: Extraction
    ) -> None:
        """Keep the sources of the target as the job knew them before it wrote."""
        makes = makes_anew(execution, target)
        known = self._states.keys()
        for dataset, info in found.datasets.items():
            if dataset not in known and info.complete and not (makes and dataset == target):
                self._before.setdefault(dataset, info)

        if makes or target not in self._states:
            self._states[target] = {}

        self._states[target][facts] = found

    def latest(self) -> Extraction:
        """Return the final contents of the targets, without writes that a later one replaced."""
        with self._lock:
            held = flatten(several.values() for several in self._states.values())
            return self._unite(held)

    def _unite(self, several: Iterable[Extraction]) -> Extraction:
        """Unite writes with the problems of the job, and count the lost writes."""
        found = unite_writes(list(several), list(self._problems.values()))
        found.coverage.add(self._lost)
        return found

    def targets(self) -> set[Dataset]:
        """The datasets that were written."""
        with self._lock:
            return set(self._states)

    def schemas(self) -> list[DatasetInfo]:
        """The datasets that were there before the job wrote them, with the columns that they had."""
        with self._lock:
            return list(self._before.values())

    def lineage(self, plan: str, target: str, session: int) -> Extraction:
        """Return the lineage of a plan before it is written, with the known checkpoints and
        variables.
        """
        variables = self._variables.get(session)
        return read_deeply(lambda: extract(plan, target, self._names, self._checkpoints, variables))


def makes_anew(execution: Execution, target: Dataset) -> bool:
    """df.write.mode("overwrite").saveAsTable("t"), .parquet("/t")

    t is what is written, whatever it was
    """
    return execution.kind in MAKES or (
        is_path(target.name) and execution.mode in ("Overwrite", "ErrorIfExists")
    )


def read_deeply(read: Callable[[], Read]) -> Read:
    """A chain of some hundred steps is a thousand calls deep."""
    try:
        return read()
    except RecursionError:
        from lineal.extract.sql.parse import allow_deep_calls

        with allow_deep_calls():
            return read()


def facts_of(found: Extraction) -> Any:
    """A stream writes the same from the same, again and again."""
    edges = frozenset(
        (edge.source, edge.target, usage.way) for edge in found.edges for usage in edge.usages
    )
    columns = tuple((dataset, tuple(info.names)) for dataset, info in found.datasets.items())
    return edges, columns, frozenset(found.reads)


def unite_writes(several: list[Extraction], problems: list[Diagnostic]) -> Extraction:
    """One edge per pair with the usages of all; a dataset as the last that wrote it has left it."""
    edges: dict[tuple[Column, Column | Dataset], dict[Any, Usage]] = {}
    datasets: dict[Dataset, DatasetInfo] = {}
    coverage = Coverage()
    for found in several:
        coverage.add(found.coverage)
        for edge in found.edges:
            usages = edges.setdefault((edge.source, edge.target), {})
            for usage in edge.usages:
                usages.setdefault((usage.way, usage.doubt, usage.path), usage)

        written = next(iter(found.datasets), None)
        for dataset, info in found.datasets.items():
            if dataset == written or not (dataset in datasets and datasets[dataset].complete):
                datasets[dataset] = info

    diagnostics = {*problems, *chain.from_iterable(found.diagnostics for found in several)}
    return Extraction(
        edges=[
            Edge(source, target, tuple(usages.values()))
            for (source, target), usages in edges.items()
        ],
        reads=list(dict.fromkeys(chain.from_iterable(found.reads for found in several))),
        datasets=datasets,
        diagnostics=sorted(diagnostics, key=order_of),
        coverage=coverage,
    )


def moment(milliseconds: int) -> str:
    """Return a time in milliseconds as ISO 8601 in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

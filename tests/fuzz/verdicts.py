"""The verdict on a mutant: it is read next to a good file, which must keep exactly its result.

A mutant may be refused, with a diagnostic or with the one line of a ProjectError. It may not raise
anything else, give an `internal-error`, take more CPU time than any honest text of its size, or
count as understood.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

import lineal
from fuzz.mutants import LINES, Mutant
from invented_names import invented_names
from lineal.graph.diff import diff
from lineal.graph.graph import Graph
from lineal.incremental.extraction import extract
from lineal.model import boundary
from lineal.model.boundary import DEBUG, trace_id
from lineal.model.diagnostic import Code
from lineal.projects import load
from lineal.projects.errors import ProjectError
from lineal.projects.policy import read_policy
from lineal.service.answers import Misasked
from lineal.service.editor.positions import Text
from lineal.service.editor.questions import answer
from lineal.service.editor.workspace import Workspace
from lineal.service.project import Project
from lineal.service.source import Source
from lineal.service.unused import Subject, plan_unused
from lineal.store.saved import OPENING
from lineal.views import OUTPUTS
from lineal.views import diff as diff_view
from lineal.views import unused as unused_view

CPU_SECONDS = 20
"""What a mutant may take; honest texts of this size take a few milliseconds."""

NEIGHBOR_SQL = """CREATE VIEW nb_view AS SELECT a AS x, b + c AS y FROM nb_source WHERE d > 1;
CREATE TABLE nb_table AS
SELECT v.x, CASE WHEN v.y > 0 THEN s.e ELSE s.f END AS z FROM nb_view AS v JOIN nb_source AS s ON v.x = s.a;
"""
NEIGHBOR_JOB = """from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
frame = spark.table("nb_other").where("d > 1").select("a", "b")
frame.withColumnRenamed("b", "c").write.saveAsTable("nb_job")
"""
NEIGHBOR_LINES = (
    "CREATE VIEW nb_view AS SELECT a AS x, b + c AS y FROM nb_source WHERE d > 1",
    "INSERT INTO nb_table SELECT x, y FROM nb_view",
)
LOG_COLUMNS = {"text": "query_text"}

FAILED = frozenset(
    (Code.PARSE_ERROR, Code.TOO_DEEP, Code.INTERNAL_ERROR, Code.LOG_ROW, Code.UNREADABLE)
)
"""Something was not read or not understood: less than 100 per cent."""


@dataclass(frozen=True)
class Finding:
    """What is wrong with the reading of a mutant."""

    kind: str
    signature: str
    """the same for two findings with one cause, as far as one can tell"""
    detail: str = field(compare=False, default="")

    def __str__(self) -> str:
        return f"{self.kind} [{self.signature}]\n{self.detail}"


class TooSlow(BaseException):
    """The mutant has used up its CPU time. No boundary holds it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """A clock that counts the CPU time of this process: a busy machine does not matter."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1)  # again: a callback swallows what it raises
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def noting(failures: list[str]) -> Iterator[None]:
    """Note every failure that a boundary holds, also one that nobody is told of."""
    name_trace = boundary.trace_id

    def noted(error: BaseException) -> str:
        failures.append(f"{name_trace(error)} {boundary.describe_error(error)}")
        return name_trace(error)

    boundary.trace_id = noted
    try:
        yield
    finally:
        boundary.trace_id = name_trace


Facts = dict[str, list[str]]


def facts_of(found: lineal.Lineage) -> Facts:
    """Everything that is said of the neighbors, without the folder that they are in."""
    said: Facts = {}
    for edge in found.edges:
        usages = [(usage.way, usage.doubt, usage.calls) for usage in edge.usages]
        said.setdefault(edge.into.name, []).append(f"{edge.source} {edge.target} {usages}")
    for read in found.reads:
        said.setdefault(read.target.name, []).append(f"{read[:3]}")
    for info in found.datasets:
        said.setdefault(info.dataset.name, []).append(f"{info.kind} {info.names} {info.complete}")
    return {name: sorted(facts) for name, facts in said.items() if name.startswith("nb_")}


class Bench:
    """A folder in which mutants are read, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, Facts] = {}
        self.good = folder / "good"
        self.good.mkdir(parents=True)
        (self.good / "nb.sql").write_text(NEIGHBOR_SQL, encoding="utf-8")
        (self.good / "nb_job.py").write_text(NEIGHBOR_JOB, encoding="utf-8")

    def fresh(self) -> Path:
        """An empty folder for the mutant."""
        made = self.folder / "mutant"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        return made

    # -- staging: what is read, and what is read when the mutant is a harmless text -------------

    def stage(self, mutant: Mutant) -> Callable[[], lineal.Lineage]:
        """Write a mutant and its neighbors, and say how they are read."""
        return STAGES[mutant.format](self, mutant)

    def in_a_folder(self, mutant: Mutant, name: str) -> Callable[[], lineal.Lineage]:
        where = self.fresh()
        for file in self.good.iterdir():
            shutil.copy(file, where)
        (where / name).write_bytes(mutant.data)
        dialect = None if mutant.dialect == "python" else mutant.dialect
        return lambda: lineal.lineage(where, dialect)

    def beside(self, mutant: Mutant, name: str) -> Callable[[], lineal.Lineage]:
        where = self.fresh() / name
        where.write_bytes(mutant.data)
        return lambda: lineal.lineage([self.good, where])

    def log(self, mutant: Mutant, name: str) -> Callable[[], lineal.Lineage]:
        """Alone next to good files, or as one of two logs of which the columns are named."""
        if mutant.view % 2 and not name.endswith(".json"):
            return self.beside(mutant, name)
        where = self.fresh()
        rows = [json.dumps({"query_text": text}) for text in NEIGHBOR_LINES]
        (where / "nb.jsonl").write_text("\n".join(rows), encoding="utf-8")
        (where / name).write_bytes(mutant.data)
        return lambda: lineal.lineage(where, log=LOG_COLUMNS)

    def line_of_log(self, mutant: Mutant) -> Callable[[], lineal.Lineage]:
        where = self.fresh() / "queries.jsonl"
        first, last = (json.dumps({"query_text": text}).encode() for text in NEIGHBOR_LINES)
        where.write_bytes(b"\n".join((first, mutant.data, last)))
        return lambda: lineal.lineage(where, log=LOG_COLUMNS)

    def event(self, mutant: Mutant) -> Callable[[], lineal.Lineage]:
        where = self.fresh() / "events.ndjson"
        first, last = self.good_events
        where.write_bytes(b"\n".join((first, mutant.data, last)))
        return lambda: lineal.lineage(where)

    @cached_property
    def good_events(self) -> list[bytes]:
        found = lineal.lineage(list(NEIGHBOR_LINES))
        return found.to("openlineage").encode().splitlines()[:2]

    def file_of_project(self, mutant: Mutant) -> Callable[[], lineal.Lineage]:
        """A small project of the one file, what it needs, and a good model."""
        where = self.fresh()
        project = mutant.seed.project
        assert project is not None
        for name in PROJECT_FILES:
            if (project / name).is_file():
                shutil.copy(project / name, where)
        file = Path(mutant.seed.name)
        parts = ("macros", "modules", *(str(file.parent) for _ in "x" if len(file.parts) > 1))
        for part in dict.fromkeys(parts):
            if (project / part).is_dir():
                shutil.copytree(project / part, where / part, dirs_exist_ok=True)
        (where / file).write_bytes(mutant.data)
        if str(file) in PROJECT_FILES:
            return lambda: lineal.lineage([self.good, where])
        for name, text in NEIGHBOR_MODELS[(where / "dbt_project.yml").exists()].items():
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            (where / name).write_text(text, encoding="utf-8")
        return lambda: lineal.lineage(where)

    def saved(self, mutant: Mutant) -> Callable[[], lineal.Lineage]:
        is_own = mutant.seed.text.startswith(OPENING)
        return self.beside(mutant, "mutant.lineal.json" if is_own else "mutant.json")

    def schema(self, mutant: Mutant) -> Callable[[], lineal.Lineage]:
        where = self.fresh() / ("schema.json" if mutant.seed.text[:1] == "{" else "schema.yml")
        where.write_bytes(mutant.data)
        return lambda: lineal.lineage(self.good, schema=where)

    def file_of_tree(self, mutant: Mutant) -> Callable[[], lineal.Lineage]:
        """A whole sample project in which one file is the mutant, and a good model."""
        where, project = self.fresh(), mutant.seed.project
        assert project is not None
        shutil.copytree(project, where, dirs_exist_ok=True)
        (where / mutant.seed.name).write_bytes(mutant.data)
        if mutant.seed.name in PROJECT_FILES:
            return lambda: lineal.lineage([self.good, where])
        name, text = NEIGHBOR_IN[mutant.format]
        (where / name).write_text(text, encoding="utf-8")
        return lambda: lineal.lineage(where)

    def policy(self, mutant: Mutant) -> Callable[[], lineal.Lineage]:
        """Two states of the neighbors, compared under the policy."""
        file = self.fresh() / "lineal-policy.yml"
        file.write_bytes(mutant.data)

        def read() -> lineal.Lineage:
            rules = read_policy(file)
            found = lineal.lineage(self.good)
            difference = diff(self.changed.graph, found.graph, rules)
            assert diff_view.as_json(diff_view.Compared(difference, "base", "head"))
            return found

        return read

    @cached_property
    def changed(self) -> lineal.Lineage:
        """The neighbors before a change of their rows and columns."""
        return lineal.lineage({"nb": NEIGHBOR_SQL.replace("d > 1", "d > e").replace("b + c", "b")})

    def draft(self, mutant: Mutant) -> Callable[[], lineal.Lineage]:
        """An open document that becomes the mutant; everything is asked about it."""
        where = self.fresh()
        for file in self.good.iterdir():
            shutil.copy(file, where)
        file = where / "mutant.sql"
        file.write_text(mutant.seed.text, encoding="utf-8")

        def read() -> lineal.Lineage:
            workspace = Workspace(Project(Source((str(where),), dialect=mutant.dialect or None)))
            try:
                workspace.refresh()
                workspace.put(str(file), mutant.data.decode("utf-8", "replace"))
                ask_everything(workspace, str(file), mutant)
                assert workspace.state is not None
                return lineal.Lineage(workspace.state.extraction)
            finally:
                workspace.documents.close()

        return read

    def unused(self, mutant: Mutant) -> Callable[[], lineal.Lineage]:
        """The mutant next to its neighbors, with a patch that removes what nobody reads."""
        if mutant.seed.project is None:
            read = self.in_a_folder(mutant, "mutant.sql")
        else:
            read = self.file_of_project(mutant)
        source = Source((str(self.folder / "mutant"),), dialect=mutant.dialect or None)

        def read_and_plan() -> lineal.Lineage:
            found = read()
            corpus = load(source.paths[0], source.dialect)
            plan = plan_unused(Subject(source, corpus, Graph(extract(corpus))))
            assert unused_view.as_json(found.graph, plan.outputs, plan.verdicts, plan.patch)
            return found

        return read_and_plan

    # -- judging ------------------------------------------------------------------------------

    def judge(self, mutant: Mutant) -> Finding | None:
        """What is wrong with the reading of a mutant; None if nothing is."""
        expected = self.expected(mutant)
        read = self.stage(mutant)
        failures: list[str] = []
        try:
            with limited(CPU_SECONDS), noting(failures):
                found = read()
                shown = show(found, mutant.view)
                after = facts_of(found)
                codes = {each.code for each in found.diagnostics}
        except ProjectError as refused:
            return None if str(refused) else Finding("refusal without a word", mutant.format)
        except TooSlow as slow:
            return Finding("hang", place_of(slow), "".join(traceback.format_exception(slow)[-12:]))
        except Exception as error:
            return Finding("traceback", trace_id(error), "".join(traceback.format_exception(error)))
        if failures:
            messages = [str(each) for each in found.diagnostics if each.code is Code.INTERNAL_ERROR]
            return Finding("internal-error", failures[0][:8], "\n".join([*failures, *messages]))
        if mutant.format == "sql" and (invented := invented_in(mutant, found)):
            return Finding("invented name", invented[0], "\n".join(invented))
        return self.wrong(found, shown, codes, after, expected)

    def wrong(
        self, found: lineal.Lineage, shown: str, codes: set[Code], after: Facts, expected: Facts
    ) -> Finding | None:
        """What is wrong with a reading that came to its end."""
        if not shown:
            return Finding("empty view", "view")
        lost = {name: facts for name, facts in expected.items() if after.get(name) != facts}
        if lost:
            now = {name: after.get(name) for name in lost}
            return Finding("lost neighbor", "neighbor", f"{lost}\nis now\n{now}")
        percent = found.coverage.percent
        if percent is None:
            return None
        if not 0 <= percent <= 100:
            return Finding("percentage", "range", f"{percent} {found.coverage}")
        failed = codes & FAILED
        if failed and percent == 100:
            names = ", ".join(sorted(code.code for code in failed))
            return Finding("percentage", names, f"100 per cent with {names}: {found.coverage}")
        return None

    def expected(self, mutant: Mutant) -> Facts:
        """What is said of the neighbors when the mutant is a harmless text."""
        if mutant.format == "schema":
            return {}  # it may say something of the neighbors
        key = f"{mutant.format} {mutant.dialect} {mutant.seed.project} {mutant.view % 2}"
        if mutant.seed.name in PROJECT_FILES:
            key += mutant.seed.name
        if key not in self.known:
            harmless = replace(mutant, text=HARMLESS.get(mutant.format, mutant.seed.text))
            self.known[key] = facts_of(self.stage(harmless)())
            assert self.known[key], f"there are no neighbors of {harmless}"
        return self.known[key]

    def traceback_of(self, mutant: Mutant) -> str:
        """The traceback behind an internal error, if the boundary does not hold it."""
        os.environ[DEBUG] = "1"
        try:
            show(self.stage(mutant)(), mutant.view)
        except BaseException as error:
            return "".join(traceback.format_exception(error)[-8:])
        finally:
            del os.environ[DEBUG]
        return ""


def invented_in(mutant: Mutant, found: lineal.Lineage) -> list[str]:
    """The names of a reading that are neither in the mutant nor in its neighbors."""
    text = mutant.data.decode("utf-8", "replace") + mutant.data.decode("latin-1")
    neighbors = f"mutant {NEIGHBOR_SQL} {NEIGHBOR_JOB}"
    return invented_names(f"{text} {neighbors}", found.edges, found.datasets)


def show(found: lineal.Lineage, number: int) -> str:
    """A reading in one of the views."""
    name = OUTPUTS[number % len(OUTPUTS)]
    if name == "chain":
        name = "json"
    return found.to(name)


def ask_everything(workspace: Workspace, path: str, mutant: Mutant) -> None:
    """Ask every question of an editor at some positions of a document."""
    text = workspace.text(path)
    positions = [Text(text).position(len(text) * step // STEPS) for step in range(STEPS + 1)]
    positions.append({"line": mutant.view * 7, "character": 10_000})
    answer(workspace, "check", {})
    answer(workspace, "lenses", {"path": path})
    with contextlib.suppress(Misasked):
        answer(workspace, "completion", {"path": path, "position": positions[mutant.view % STEPS]})
    for position in positions:
        span = {"start": position, "end": positions[-2]}
        asked = {"path": path, "position": position, "range": span, "new_name": "renamed"}
        for question in AT_A_POSITION:
            with contextlib.suppress(Misasked):
                answer(workspace, question, asked)


STEPS = 4
AT_A_POSITION = (
    "hover", "definition", "references", "prepare_rename", "rename", "actions", "name",
)  # fmt: skip


def place_of(error: BaseException) -> str:
    """The innermost function of lineal in a traceback."""
    inner = ""
    trace = error.__traceback__
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__"))
        if module.startswith("lineal"):
            inner = f"{module}.{trace.tb_frame.f_code.co_name}"
        trace = trace.tb_next
    return inner


PROJECT_FILES = (
    *("lineal.yml", "dbt_project.yml", "profiles.yml"),
    *("config.yaml", "workflow_settings.yaml"),
)
NEIGHBOR_QUERY = "SELECT a AS x, b + c AS y FROM nb_source WHERE d > 1"
NEIGHBOR_MODELS = {
    True: {"models/nb_model.sql": NEIGHBOR_QUERY},
    False: {
        "nodes/nb_model/nb_model.sql": NEIGHBOR_QUERY,
        "nodes/nb_model/nb_model.yml": "name: nb_model\nkind: sql\ncolumns: [{name: x}, {name: y}]\n",
    },
}
NEIGHBOR_IN = {
    "sqlmesh": ("models/nb_model.sql", f"MODEL (name nb_model, kind VIEW);\n{NEIGHBOR_QUERY}"),
    "dataform": (
        "definitions/nb_model.sqlx",
        f'config {{ type: "view", schema: "nb_schema" }}\n{NEIGHBOR_QUERY}',
    ),
    "consumers": ("models/nb_model.sql", NEIGHBOR_QUERY),
}
HARMLESS = {
    "sql": "SELECT 1",
    "pyspark": "x = 1",
    "notebook": '{"cells": []}',
    "log-csv": "query_text\nSELECT 1\n",
    "log-json": '[{"query_text": "SELECT 1"}]',
    "log-jsonl": "{}",
    "event": "{}",
    "dataframes": "x = 1",
    "embedded": "x = 1",
    "policy": "",
    "draft": "SELECT 1",
}

STAGES: dict[str, Callable[[Bench, Mutant], Callable[[], Any]]] = {
    "sql": lambda bench, mutant: bench.in_a_folder(mutant, "mutant.sql"),
    "pyspark": lambda bench, mutant: bench.in_a_folder(mutant, "mutant.py"),
    "notebook": lambda bench, mutant: bench.in_a_folder(mutant, "mutant.ipynb"),
    "log-csv": lambda bench, mutant: bench.log(mutant, "mutant.csv"),
    "log-json": lambda bench, mutant: bench.log(mutant, "mutant.json"),
    "log-jsonl": Bench.line_of_log,
    "lineal-project": Bench.file_of_project,
    "dbt-project": Bench.file_of_project,
    "schema": Bench.schema,
    "manifest": lambda bench, mutant: bench.beside(mutant, "manifest.json"),
    "event": Bench.event,
    "saved": Bench.saved,
    "dataframes": lambda bench, mutant: bench.in_a_folder(mutant, "mutant.py"),
    "embedded": lambda bench, mutant: bench.in_a_folder(mutant, "mutant.py"),
    "sqlmesh": Bench.file_of_tree,
    "dataform": Bench.file_of_tree,
    "consumers": Bench.file_of_tree,
    "policy": Bench.policy,
    "draft": Bench.draft,
    "unused": Bench.unused,
}
assert all(format in STAGES for format in LINES)

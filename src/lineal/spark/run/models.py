"""Models and functions: what becomes of a node's SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lineal.extract.sql.translate import SPOKEN, statement
from lineal.model.script import Function, Script
from lineal.spark.functions import head_and_body
from lineal.spark.names import quoted
from lineal.spark.run.errors import Origin, Views, fault_of
from lineal.spark.run.jobs import Job
from lineal.spark.run.python_models import PythonModels
from lineal.spark.run.result import Fault, Refused
from lineal.spark.run.seeds import seed_frame
from lineal.spark.run.state import Entry
from lineal.spark.run.warehouse import Tables, new_version

FUNCTION_KINDS = ("", "TEMPORARY ")
"""A view can read a function of the catalogue only; one of the session is for catalogues that keep no functions."""


class Builder:
    """Builds each kind of job."""

    def __init__(
        self,
        tables: Tables,
        spark: Any,
        views: Views,
        python: PythonModels | None,
        *,
        full_refresh: bool,
        own_functions: bool,
    ) -> None:
        self.tables = tables
        self.spark = spark
        self.python = python
        self.views = views
        self.full_refresh = full_refresh
        self.function_kind = FUNCTION_KINDS[not own_functions]
        self.build_by_kind: dict[str, Callable[[Job], Entry]] = {
            "seed": self.seed,
            "view": self.view,
            "table": self.table,
            "incremental": self.incremental,
            "function": self.function,
        }

    def build(self, job: Job) -> Entry:
        """What the job makes; Refused, with file and line, if Spark does not take it."""
        for hook in job.step.before:
            self.hook(hook)
        return self.build_by_kind[job.kind](job)

    def finish(self, job: Job) -> None:
        for hook in job.step.after:
            self.hook(hook)

    def text(self, job: Job) -> str:
        """The rendered SQL of this build: of a first one, or of one on top of what is there."""
        return job.step.texts[-1 if self.goes_on(job) else 0]

    def goes_on(self, job: Job) -> bool:
        return job.kind == "incremental" and not self.full_refresh and self.tables.stands(job.name)

    # -- by kind -----------------------------------------------------------------------------------

    def seed(self, job: Job) -> Entry:
        with self.blamed(Origin(job.step.file, "", line=0)):
            return self.tables.replace(job.name, seed_frame(job, self.spark, self.tables.scratch()))

    def view(self, job: Job) -> Entry:
        """CREATE VIEW v AS …"""
        sql = statement(job.step.texts[0], job.dialect)
        with self.blamed(origin_of(job, sql, f"CREATE OR REPLACE VIEW {quoted(job.name)} AS\n")):
            return self.tables.view(job.name, lambda head: head + sql, sql)

    def table(self, job: Job) -> Entry:
        if job.is_python:
            return self.of_python(job, None)
        with self.queried(job) as frame:
            return self.tables.replace(job.name, frame)

    def incremental(self, job: Job) -> Entry:
        """The first time a table; later what is new is added, or replaces the rows with the same unique_key."""
        if not self.goes_on(job):
            return self.table(job)
        keys = unique_key(job)
        if job.is_python:
            return self.of_python(job, keys)
        with self.queried(job) as frame:
            return self.tables.extend(job.name, frame, keys)

    def of_python(self, job: Job, keys: list[str] | None) -> Entry:
        """The table of a Python model; with a list of keys, which may be empty, on top of what is there."""
        assert self.python is not None, "a run with Python models can execute them"
        with self.python.made(job, incremental=keys is not None) as made:
            if made.in_place:
                return Entry(job.name, "table", new_version(), "")
            if keys is None or made.whole:
                return made.within_time(lambda: self.tables.replace(job.name, made.frame))
            return made.within_time(lambda: self.tables.extend(job.name, made.frame, keys))

    def function(self, job: Job) -> Entry:
        function = job.function
        assert function is not None
        head, body = definition(function, job, self.function_kind)
        with self.blamed(origin_of(job, body, head)):
            self.spark.sql(head + body)
        return Entry(job.name, "function", "", "")

    def hook(self, script: Script) -> None:
        sql = statement(script.text, script.dialect)
        line = script.line if script.dialect.lower() in SPOKEN else 0
        with self.blamed(Origin(script.file, sql, line=line)):
            self.spark.sql(sql)

    # -- around them -------------------------------------------------------------------------------

    @contextmanager
    def queried(self, job: Job) -> Iterator[Any]:
        """The rows of the model's query; Spark's grammar says that it is one, before anything is carried out."""
        sql = statement(self.text(job), job.dialect)
        head = "CREATE TEMPORARY VIEW lineal AS\n"
        with self.blamed(origin_of(job, sql, head)):
            self.spark._jsparkSession.sessionState().sqlParser().parsePlan(head + sql)
        with self.blamed(origin_of(job, sql)):
            yield self.spark.sql(sql)

    @contextmanager
    def blamed(self, origin: Origin) -> Iterator[None]:
        """What Spark refuses is said with the file and line it stands at."""
        try:
            yield
        except Refused:
            raise
        except Exception as problem:
            raise Refused(fault_of(problem, origin, self.views)) from problem


def session_function(job: Job) -> str:
    """The statement that declares a function of the project for one session."""
    assert job.function is not None
    head, body = definition(job.function, job, FUNCTION_KINDS[1])
    return head + body


def unique_key(job: Job) -> list[str]:
    keys = job.step.settings.get("unique_key") or []
    return [str(key) for key in keys] if isinstance(keys, list) else [str(keys)]


def origin_of(job: Job, sql: str, head: str = "") -> Origin:
    """Where a job's SQL comes from; a translation has no lines of its own."""
    return Origin(job.step.file, sql, head, line=1 if job.dialect.lower() in SPOKEN else 0)


def definition(function: Function, job: Job, kind: str) -> tuple[str, str]:
    """CREATE FUNCTION f(a DOUBLE) RETURNS DOUBLE RETURN ⏎ a / 2      the head and the body"""
    untyped = [name for name, type_ in zip(function.parameters, function.types, strict=True) if not type_]
    if untyped:
        raise Refused(Fault(f"the parameter {untyped[0]} has no type: Spark needs one", job.step.place))
    return head_and_body(function, job.dialect, kind)

"""Models and functions: what becomes of a node's SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from lineal.extract.sql.translate import SPOKEN
from lineal.extract.sql.translator import Translated, Translator, Untranslatable
from lineal.model.script import Function, Script
from lineal.spark.functions import head_and_body
from lineal.spark.names import quote_name
from lineal.spark.run.errors import Origin, Views, fault_of
from lineal.spark.run.incremental import Growth, growth_of
from lineal.spark.run.jobs import Job
from lineal.spark.run.python_models import PythonModels
from lineal.spark.run.result import Fault, Missing, Refused
from lineal.spark.run.seeds import seed_frame, source_frame
from lineal.spark.run.snapshots import Taking, snapshot_of
from lineal.spark.run.state import Entry
from lineal.spark.run.warehouse import Tables, new_version

FUNCTION_KINDS = ("", "TEMPORARY ")
"""A view can read a function of the catalog only; one of the session is for catalogs that keep
no functions.
"""


class Builder:
    """Builds each kind of job."""

    def __init__(
        self,
        tables: Tables,
        spark: Any,
        views: Views,
        translator: Translator,
        python: PythonModels | None,
        *,
        full_refresh: bool,
        own_functions: bool,
    ) -> None:
        self.tables = tables
        self.spark = spark
        self.python = python
        self.views = views
        self.translator = translator
        self.full_refresh = full_refresh
        self.function_kind = FUNCTION_KINDS[not own_functions]
        self.build_by_kind: dict[str, Callable[[Job], Entry | None]] = {
            "seed": self.seed,
            "view": self.view,
            "table": self.table,
            "incremental": self.incremental,
            "snapshot": self.snapshot,
            "source": self.source,
            "function": self.function,
        }

    def build(self, job: Job) -> Entry | None:
        """Return the table that the job makes, None if it exists already; Refused, with file and
        line, if Spark rejects it.
        """
        return self.build_by_kind[job.kind](job)

    def translate(self, job: Job, text: str) -> Translated:
        """The job's SQL as Spark reads it."""
        try:
            return self.translator.query(Script(text, job.dialect, job.step.file, job.step.line))
        except Untranslatable as problem:
            raise Refused(Fault(problem.message, problem.place or job.step.place)) from None

    def text(self, job: Job) -> str:
        """Return the rendered SQL of this build: of a first build, or of an incremental one."""
        found = job.step.texts[-1 if self.goes_on(job) else 0]
        if not found.strip():
            build = "later" if self.goes_on(job) else "first"
            raise Refused(Fault(f"its SQL for a {build} build does not render", job.step.place))

        return found

    def goes_on(self, job: Job) -> bool:
        """Tell whether an incremental model is built on top of its existing table."""
        if job.step.materialized != "incremental" or not self.tables.stands(job.table):
            return False

        says = job.step.settings.get("full_refresh")
        return not (self.full_refresh if says is None else str(says).lower() == "true")

    # -- by kind -----------------------------------------------------------------------------------

    def seed(self, job: Job) -> Entry:
        """Load a seed file into its table."""
        with self.blame_line(Origin(job.step.file, "", line=0)):
            return self.tables.replace(
                job.table, seed_frame(job, self.spark, self.tables.scratch())
            )

    def view(self, job: Job) -> Entry:
        """CREATE VIEW v AS …"""
        text = self.text(job)
        sql = self.translate(job, text)
        head = f"CREATE OR REPLACE VIEW {quote_name(job.table)} AS\n"
        with self.blame_line(origin_of(job, text, sql, head)):
            return self.tables.view(job.table, lambda head: head + sql.sql, sql.sql)

    def table(self, job: Job) -> Entry:
        """Rebuild a table."""
        if job.is_python:
            return self.of_python(job, None)

        with self.query_rows(job) as frame:
            return self.tables.replace(job.table, frame)

    def incremental(self, job: Job) -> Entry:
        """Build a table the first time; later add the new rows, or replace the rows with the same
        unique_key.
        """
        growth = growth_of(job, lambda text: self.translator.expression(text, job.dialect))
        if not self.goes_on(job):
            return self.table(job)

        if job.is_python:
            return self.of_python(job, growth)

        with self.query_rows(job) as frame:
            return self.tables.extend(job.table, frame, growth)

    def of_python(self, job: Job, growth: Growth | None) -> Entry:
        """Build the table of a Python model; on top of the existing rows, if it says how
        it grows.
        """
        assert self.python is not None, "a run with Python models can execute them"
        with self.python.run_model(job, incremental=growth is not None) as made:
            if made.in_place:
                return Entry(job.table, "table", new_version(), "")

            if growth is None or made.whole:
                return made.within_time(lambda: self.tables.replace(job.table, made.frame))

            return made.within_time(lambda: self.tables.extend(job.table, made.frame, growth))

    def snapshot(self, job: Job) -> Entry:
        """The versions of rows: those that have changed since the last run are closed, and the new
        ones are added.
        """
        snapshot = snapshot_of(job, lambda text: self.translator.expression(text, job.dialect))
        text = self.text(job)
        sql = self.translate(job, snapshot.query(text))
        with self.blame_line(replace(origin_of(job, text, sql), line=0)):
            now = self.spark.sql("SELECT current_timestamp()").first()[0]
            taking = Taking(snapshot, self.spark.sql(sql.sql), now)
            stands = self.tables.stands(job.table)
            rows = (
                taking.again(self.spark.table(quote_name(job.table))) if stands else taking.first()
            )
            return self.tables.replace(job.table, rows)

    def source(self, job: Job) -> Entry | None:
        """Return the data of a source: from a seed, a file or the catalog."""
        settings = job.step.settings
        if "seed" in settings:
            seed = self.translator.tables.get(settings["seed"], settings["seed"])
            sql = f"SELECT * FROM {quote_name(seed)}"  # noqa: S608
            return self.tables.view(job.table, lambda head: head + sql, sql)

        if "file" in settings:
            with self.blame_line(Origin(str(settings["file"]), "", line=0)):
                return self.tables.replace(
                    job.table, source_frame(job, self.spark, self.tables.scratch())
                )

        *above, schema, name = [
            "",
            "",
            *settings.get("relation", ()),
        ][-3:]
        for parts in dict.fromkeys(
            ((*above, schema, name), (schema, name), tuple(job.name.split(".")))
        ):
            table = ".".join(filter(None, parts))
            if self.exists(table):
                self.translator.point(job.name, table)
                return None

        raise Missing(Fault(how_to_provide(job), job.step.place))

    def exists(self, table: str) -> bool:
        """Tell whether the catalog has a table that no run of ours has made."""
        try:
            return bool(self.spark.catalog.tableExists(quote_name(table)))
        except Exception:  # a catalog of that name is not there
            return False

    def function(self, job: Job) -> Entry:
        """Create a function."""
        function = job.function
        assert function is not None
        head, body = definition(function, job, self.function_kind)
        kept = job.dialect.lower() in SPOKEN
        with self.blame_line(Origin(job.step.file, body, head, line=1 if kept else 0)):
            self.spark.sql(head + body)

        return Entry(job.name, "function", "", "")

    # -- around them -------------------------------------------------------------------------------

    @contextmanager
    def query_rows(self, job: Job) -> Iterator[Any]:
        """The rows of the model's query; Spark's grammar says that it is one, before anything is
        executed.
        """
        text = self.text(job)
        sql = self.translate(job, text)
        head = "CREATE TEMPORARY VIEW lineal AS\n"
        with self.blame_line(origin_of(job, text, sql, head)):
            self.spark._jsparkSession.sessionState().sqlParser().parsePlan(head + sql.sql)

        with self.blame_line(origin_of(job, text, sql)):
            yield self.spark.sql(sql.sql)

    @contextmanager
    def blame_line(self, origin: Origin) -> Iterator[None]:
        """Report an error of Spark with the file and line that caused it."""
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


def origin_of(job: Job, text: str, sql: Translated, head: str = "") -> Origin:
    """Where a job's SQL comes from; a translation has no lines of its own."""
    step = job.step
    return Origin(step.file, sql.sql, head, step.line if sql.kept else 0, text, step.line)


def how_to_provide(job: Job) -> str:
    """nothing provides the source web.visits: add …"""
    table = job.name.rpartition(".")[2]
    relation = ".".join(job.step.settings.get("relation", ())[-2:])
    known = f" {relation}" if "{" not in relation else ""
    return (
        f"nothing provides the source {job.name}: add a seed {table}.csv or the file .lineal/sources/{job.name}.csv, "
        f"or run with a catalog that has the table{known}"
    )


def definition(function: Function, job: Job, kind: str) -> tuple[str, str]:
    """CREATE FUNCTION f(a DOUBLE) RETURNS DOUBLE RETURN ⏎ a / 2      the head and the body"""
    untyped = [
        name for name, type_ in zip(function.parameters, function.types, strict=True) if not type_
    ]
    if untyped:
        raise Refused(
            Fault(f"the parameter {untyped[0]} has no type: Spark needs one", job.step.place)
        )

    return head_and_body(function, job.dialect, kind)

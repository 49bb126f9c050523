"""A job, run for real on empty tables: what it would write is analyzed by Spark, and not written."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from casefile import Case
from jobbook import Job, facts_in, schema
from lineal.extract.catalyst.plan import Names
from lineal.model.extraction import DatasetInfo
from lineal.model.paths import path_name
from lineal.spark import lineage

WRITES = re.compile(
    r"\s*(INSERT|MERGE|UPDATE|DELETE|CREATE\s+(OR\s+REPLACE\s+)?TABLE)\b", re.IGNORECASE
)
MADE = re.compile(
    r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.`]+)", re.IGNORECASE
)
HOLDER = "a_path"


class JobRun:
    """What is known while a job runs: the facts so far, and the tables that stand for paths."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        self.sql = type(spark).sql
        self.facts: set[str] = set()
        self.paths: dict[str, str] = {}
        self.databases: set[str] = set()
        self.tables: set[str] = set()

    def ask(self, text: str) -> Any:
        return self.sql(self.spark, text)

    def holder_of(self, path: str) -> str:
        return self.paths.setdefault(path_name(path), f"{HOLDER}.p{len(self.paths)}")

    def make_database(self, table: str) -> None:
        database = table.split(".")[0] if "." in table else "default"
        if database not in self.databases and database != "default":
            self.ask(f"CREATE DATABASE IF NOT EXISTS {database}")
            self.databases.add(database)

    def make(self, table: str, columns: str) -> None:
        self.make_database(table)
        self.ask(f"DROP TABLE IF EXISTS {table}")
        self.tables.add(table)
        self.ask(f"CREATE TABLE {table} ({columns}) USING parquet")

    def make_all(self, known: Iterable[DatasetInfo]) -> None:
        for info in known:
            name = str(info.dataset)
            table = self.holder_of(name) if "/" in name else name
            self.make(table, ", ".join(f"`{column.name}` {column.type}" for column in info.columns))

    def make_like(self, table: str, df: Any) -> None:
        self.make(table, re.sub(r"\bVOID\b", "STRING", df._jdf.schema().toDDL()))

    def found(self, df_or_sql: Any, target: str | None = None) -> None:
        facts = facts_in(lineage(df_or_sql, self.spark, target, Names()))
        holders = {holder: path for path, holder in self.paths.items()}
        self.facts |= {
            re.sub(rf"\b{HOLDER}\.p\d+", lambda held: holders[held[0]], fact) for fact in facts
        }

    def defined(self, df: Any, table: str, target: str) -> None:
        self.found(df, target)
        if not self.spark.catalog.tableExists(table):
            self.make_like(table, df)

    def drop_all(self) -> None:
        self.ask("USE default")
        for view in self.spark.catalog.listTables():
            if view.isTemporary:
                self.spark.catalog.dropTempView(view.name)
        for table in self.tables:
            self.ask(f"DROP TABLE IF EXISTS {table}")
        for database in self.databases:
            self.ask(f"DROP DATABASE IF EXISTS {database} CASCADE")


def statement(run: JobRun) -> Callable[..., Any]:
    def sql(spark: Any, sqlQuery: str, args: Any = None, **named: Any) -> Any:
        if not WRITES.match(sqlQuery):
            return run.sql(spark, sqlQuery, args, **named)
        text = re.sub(
            r"^(\s*CREATE)\s+OR\s+REPLACE\s+(TABLE)", r"\1 \2", sqlQuery, flags=re.IGNORECASE
        )
        made = MADE.match(text)
        if made and not re.search(r"\bAS\s+(SELECT|WITH)\b", text, re.IGNORECASE):
            return run.sql(spark, text, args, **named)
        run.found(with_values(text, args))
        if made:
            query = re.split(r"\bAS\s+(?=SELECT\b|WITH\b)", text, maxsplit=1, flags=re.IGNORECASE)[
                1
            ]
            run.make_like(made[1], run.ask(query))
        return None

    return sql


def with_values(text: str, args: Any) -> str:
    """WHERE id = :id      a command is analyzed as a text, so its arguments are written into it"""
    for name, value in (args or {}).items() if isinstance(args, dict) else ():
        text = re.sub(rf":{name}\b", lambda _, value=value: repr(value), text)
    return text


def to_table(run: JobRun) -> Callable[..., Any]:
    def saveAsTable(writer: Any, name: str, *_: Any, **__: Any) -> None:
        run.defined(writer._df, name, name)

    return saveAsTable


def into_table(run: JobRun) -> Callable[..., Any]:
    def insertInto(writer: Any, tableName: str, overwrite: bool | None = None) -> None:
        writer._df.createOrReplaceTempView("what_is_inserted")
        run.found(f"INSERT INTO {tableName} SELECT * FROM what_is_inserted")
        run.spark.catalog.dropTempView("what_is_inserted")

    return insertInto


def to_path(run: JobRun) -> Callable[..., Any]:
    def save(writer: Any, path: str, *_: Any, **__: Any) -> None:
        run.defined(writer._df, run.holder_of(path), path_name(path))

    return save


def from_path(run: JobRun) -> Callable[..., Any]:
    def load(reader: Any, path: str, *_: Any, **__: Any) -> Any:
        return run.spark.table(run.holder_of(path))

    return load


def by_name(run: JobRun) -> Callable[..., Any]:
    def write(writer: Any, *_: Any) -> None:
        run.defined(writer._df, writer.lineal_target, writer.lineal_target)

    return write


@contextmanager
def intercepted(run: JobRun) -> Iterator[None]:
    from pyspark.sql import DataFrameWriterV2
    from pyspark.sql.readwriter import DataFrameReader, DataFrameWriter

    begin = DataFrameWriterV2.__init__

    def remembering(writer: Any, df: Any, table: str) -> None:
        begin(writer, df, table)
        writer.lineal_target = table

    patches = [
        patch.object(type(run.spark), "sql", statement(run)),
        patch.object(type(run.spark), "stop", lambda spark: None),
        patch.object(DataFrameWriter, "saveAsTable", to_table(run)),
        patch.object(DataFrameWriter, "insertInto", into_table(run)),
        patch.object(DataFrameWriterV2, "__init__", remembering),
        *[
            patch.object(DataFrameWriter, name, to_path(run))
            for name in ("save", "parquet", "csv", "json", "orc")
        ],
        *[
            patch.object(DataFrameReader, name, from_path(run))
            for name in ("load", "parquet", "csv", "json", "orc")
        ],
        *[
            patch.object(DataFrameWriterV2, name, by_name(run))
            for name in (
                "create",
                "append",
                "replace",
                "createOrReplace",
                "overwrite",
                "overwritePartitions",
            )
        ],
    ]
    with ExitStack() as stack:
        for each in patches:
            stack.enter_context(each)
        yield


@contextmanager
def imported_from(job: Job) -> Iterator[None]:
    """The job's own folder comes first, and its modules are forgotten afterwards."""
    before = set(sys.modules)
    folder = str(job.entry.parent)
    with (
        patch.object(sys, "path", [folder, *sys.path]),
        patch.object(sys, "argv", [str(job.entry)]),
    ):
        yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(folder):
            del sys.modules[name]


def facts_by_running(job: Job, spark: Any) -> set[str]:
    run = JobRun(spark)
    try:
        text = "".join(path.read_text() for path in job.files)
        run.make_all(info for info in schema() if re.split(r"[.:]", info.dataset.name)[0] in text)
        with intercepted(run), imported_from(job):
            runpy.run_path(str(job.entry), run_name="__main__")
    finally:
        run.drop_all()
    return run.facts


def facts_of_case(case: Case, spark: Any) -> set[str]:
    """A case's own job; what it calls `result` it writes, too."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    run = JobRun(spark)
    names = {"spark": spark, "F": F, "Window": Window, "col": F.col}
    try:
        run.make_all(
            info for info in case.schema if not is_made_first(info.dataset.name, case.pyspark)
        )
        with intercepted(run):
            exec(compile(case.pyspark, str(case.path), "exec"), names)
            for name in case.results:
                names[name].write.saveAsTable(name)
    finally:
        run.drop_all()
    return run.facts


def is_made_first(table: str, program: str) -> bool:
    """Whether a program makes a table before it reads it."""
    made, read = (program.find(f'{method}("{table}")') for method in ("saveAsTable", "table"))
    return made >= 0 and (read < 0 or made < read)

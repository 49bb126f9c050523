"""Hooks: the statements around a model, and around a whole run.

Files of parquet cannot be changed row by row. A hook that deletes, updates or inserts rows of its
own model is therefore executed as what it means: the model's table is written again with the rows
that it has afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from lineal.extract.sql.translate import SPOKEN
from lineal.extract.sql.translator import RowChange, Translator, Untranslatable
from lineal.model.script import Script
from lineal.spark.names import column, quote_name
from lineal.spark.run.errors import Origin, fault_of
from lineal.spark.run.jobs import Job, key_of
from lineal.spark.run.result import Fault, Refused
from lineal.spark.run.state import Entry
from lineal.spark.run.warehouse import Folder, Tables


class Hooks:
    """Carries out hooks."""

    def __init__(self, tables: Tables, spark: Any, translator: Translator) -> None:
        self.tables = tables
        self.spark = spark
        self.translator = translator
        self.made: list[str] = []

    def open(self, schemas: Iterable[str]) -> None:
        """Make the schemas that hooks may name. What they make there lasts as long as the run."""
        if not isinstance(self.tables, Folder):
            return

        for name in schemas:
            with suppress(Exception):  # a hook that needs it says so
                if not self.spark.catalog.databaseExists(name):
                    self.spark.sql(f"CREATE SCHEMA {quote_name(name)}")
                    self.made.append(name)

    def close(self) -> None:
        """Drop the schemas that were made for hooks."""
        for name in self.made:
            with suppress(Exception):  # Spark may be gone already
                self.spark.sql(f"DROP SCHEMA IF EXISTS {quote_name(name)} CASCADE")

    def run(self, script: Script, job: Job | None = None) -> Entry | None:
        """Carry out every statement of a hook; what it makes of the job's own table, if it changes
        that.
        """
        try:
            statements = self.translator.statements(script)
        except Untranslatable as problem:
            raise Refused(Fault(problem.message, problem.place)) from None

        made: Entry | None = None
        for statement in statements:
            change = self.translator.row_change(statement.sql)
            line = script.line if script.dialect.lower() in SPOKEN and statement.kept else 0
            origin = Origin(script.file, statement.sql, "", line, script.text, script.line)
            try:
                if change is not None and job is not None and self.is_own(change, job):
                    made = self.change_rows(change, job)
                else:
                    self.spark.sql(statement.sql)
            except Refused:
                raise
            except Exception as problem:
                raise Refused(fault_of(problem, origin)) from problem

        return made

    def is_own(self, change: RowChange, job: Job) -> bool:
        """Tell whether a hook changes the table of its own model."""
        return (
            isinstance(self.tables, Folder)
            and job.kind != "view"
            and key_of(change.table) == job.slot
        )

    def change_rows(self, change: RowChange, job: Job) -> Entry:
        """The model's table with the rows that it has afterwards."""
        if not self.tables.stands(job.table):
            raise Refused(Fault(f"{job.name} is not built yet", job.step.place))

        rows = self.spark.table(quote_name(job.table))
        return self.tables.replace(job.table, CHANGES[change.kind](rows, change, self.spark))


def without_rows(rows: Any, change: RowChange, spark: Any) -> Any:
    """DELETE FROM t WHERE a      a row stays if the condition is false, or null"""
    if change.condition:
        return rows.where(f"NOT COALESCE({change.condition}, FALSE)")

    return rows.limit(0)


def with_values(rows: Any, change: RowChange, spark: Any) -> Any:
    """UPDATE t SET a = b + 1 WHERE c"""
    from pyspark.sql import functions as F

    test = F.expr(change.condition) if change.condition else F.lit(True)
    kinds = {key_of(each.name): (each.name, each.dataType) for each in rows.schema.fields}
    made = {}
    for name, value in change.assigned:
        if key_of(name) not in kinds:
            raise Refused(Fault(f"there is no column {name}"))

        own, kind = kinds[key_of(name)]
        made[own] = F.when(test, F.expr(value).cast(kind)).otherwise(F.col(column(own)))

    return rows.select(*(made.get(name, F.col(column(name))).alias(name) for name in rows.columns))


def with_rows(rows: Any, change: RowChange, spark: Any) -> Any:
    """INSERT INTO t (a, b) SELECT …      by position; a column that is not named is null"""
    from pyspark.sql import functions as F

    fresh = spark.sql(change.query)
    named = list(map(key_of, change.columns)) or list(map(key_of, rows.columns))
    if len(fresh.columns) != len(named):
        raise Refused(Fault(f"{len(fresh.columns)} values are inserted into {len(named)} columns"))

    fresh = fresh.toDF(*named)
    values = (
        F.col(column(key_of(each.name))) if key_of(each.name) in named else F.lit(None)
        for each in rows.schema.fields
    )
    kinds = rows.schema.fields
    made = (
        value.cast(each.dataType).alias(each.name)
        for value, each in zip(values, kinds, strict=True)
    )
    return rows.unionAll(fresh.select(*made))


CHANGES: Mapping[str, Callable[[Any, RowChange, Any], Any]] = {
    "delete": without_rows,
    "update": with_values,
    "insert": with_rows,
}

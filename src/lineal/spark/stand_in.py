"""Stand-ins: empty tables with the known columns, so that Spark can analyze statements over tables
it does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from lineal.extract.catalyst.plan import Names
from lineal.extract.sql.translate import type_name
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.paths import is_path
from lineal.model.script import Corpus, Function
from lineal.model.sequences import invert
from lineal.spark.availability import one_line
from lineal.spark.functions import head_and_body
from lineal.spark.names import column as quoted

UNKNOWN_TYPE = "STRING"
ODD = re.compile(r"[^A-Za-z0-9_]+")
"""Letters that the session catalog refuses in the name of a table or a database."""


class StandIns:
    """The stand-ins of one corpus; they are gone when the block ends."""

    def __init__(self, spark: Any, corpus: Corpus, tables: Mapping[str, str] | None = None) -> None:
        self.spark = spark
        self.corpus = corpus
        self.renamed = dict(tables or {})
        """datasets whose stand-ins have other names"""
        self.views: set[str] = set()
        self.tables: set[str] = set()
        self.databases: set[str] = set()
        self.functions: list[str] = []
        self.types: dict[str, str] = {}
        self.refusals: list[Diagnostic] = []
        self.guessed = False
        """Whether a stand-in has a column whose type is not known."""
        self.database = str(spark._jsparkSession.sessionState().catalog().getCurrentDatabase())

    @property
    def names(self) -> Names:
        """Return how names of the session map to datasets."""
        datasets = invert(self.renamed)
        views, meanings = frozenset(self.views), self.corpus.meanings
        return Names(self.corpus.namespace, self.database, views, meanings, datasets)

    def __enter__(self) -> StandIns:
        return self

    def __exit__(self, *_: object) -> None:
        for view in sorted(self.views):
            self.spark.catalog.dropTempView(view)

        for table in sorted(self.tables):
            self.spark.sql(f"DROP TABLE IF EXISTS {table}")

        for database in sorted(self.databases):
            self.spark.sql(f"DROP DATABASE IF EXISTS {quoted(database)} CASCADE")

        for function in self.functions:
            self.spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {quoted(function)}")

    def add(self, info: DatasetInfo, as_table: bool = False) -> None:
        """Create an empty stand-in for a dataset."""
        columns = [(column.name, self.type_of(column)) for column in info.columns]
        self.create(str(info.dataset), columns, as_table)

    def add_like(self, name: str, plan: object, found: Extraction) -> None:
        """The stand-in of what a statement has just defined: Spark's types, the statement's names."""
        target = next(info for info in found.datasets.values() if str(info.dataset) == name)
        fields = list(schema_of(plan).fields())
        types = [str(field.dataType().sql()).replace("VOID", UNKNOWN_TYPE) for field in fields]
        names = [column.name for column in target.columns]
        self.create(name, list(zip(names, types, strict=False)))

    def create(self, name: str, columns: list[tuple[str, str]], as_table: bool = False) -> None:
        """Create an empty view or table with these columns."""
        name = self.renamed.get(name, name)
        columns = [(column, self.spark_type(kind)) for column, kind in columns]
        if "." in name or as_table:
            self.create_table(name, columns)
            return

        chosen = (
            ", ".join(
                f"CAST(NULL AS {kind}) AS {quoted(column)}" for column, kind in distinct(columns)
            )
            or "1"
        )
        self.spark.sql(
            f"CREATE OR REPLACE TEMPORARY VIEW {quoted(name)} AS SELECT {chosen} WHERE FALSE"
        )
        self.views.add(name.lower())

    def spark_type(self, kind: str) -> str:
        """The type, if Spark has it: JSON and UUID are text here."""
        if kind not in self.types:
            try:
                self.spark._jsparkSession.sessionState().sqlParser().parseDataType(kind)
                self.types[kind] = kind
            except Exception:  # whatever its parser says, it is no type of Spark's
                self.types[kind] = UNKNOWN_TYPE

        return self.types[kind]

    def create_table(self, name: str, columns: list[tuple[str, str]]) -> None:
        """Create an empty table, and its database if needed."""
        parts = name.split(".")[-2:]
        if len(parts) == 2 and parts[0] not in self.databases:
            self.spark.sql(f"CREATE DATABASE IF NOT EXISTS {quoted(parts[0])}")
            self.databases.add(parts[0])

        table = ".".join(map(quoted, parts))
        listed = ", ".join(f"{quoted(column)} {kind}" for column, kind in distinct(columns))
        self.spark.sql(f"DROP TABLE IF EXISTS {table}")
        if name.lower() in self.views:
            self.spark.catalog.dropTempView(name)
            self.views.discard(name.lower())

        self.spark.sql(f"CREATE TABLE {table} ({listed}) USING parquet")
        self.tables.add(table)

    def add_functions(self) -> None:
        """Declare the functions of the project."""
        for function in self.corpus.functions:
            if not function.table:
                self.declare(function)

    def declare(self, function: Function) -> None:
        """One that Spark refuses is left out: its callers are refused then, with their places."""
        try:
            self.spark.sql(declaration(function, self.corpus.dialect))
        except Exception as problem:
            message = f"Spark refuses the function {function.name}: {one_line(problem)}"
            self.refusals.append(
                Diagnostic(Code.ENGINE_REFUSED, message, Place(function.body.file, 1, 1))
            )
        else:
            self.functions.append(function.name)

    def add_table_function(self, name: str) -> None:
        """A table function, once what its body reads is there."""
        for function in self.corpus.functions:
            if function.table and function.name.lower() == name.lower():
                self.declare(function)

    def type_of(self, column: ColumnInfo) -> str:
        """Return the Spark type of a column; an unknown one is guessed."""
        self.guessed = self.guessed or not column.type
        return spark_type(column.type, self.corpus.dialect)


def stand_in_names(datasets: Iterable[str]) -> dict[str, str]:
    """Return the stand-ins of datasets whose own names the session catalog refuses.

    shop.sales.orders      shop__sales.orders: there is one catalog, and it has no hyphens
    """
    listed = sorted(set(datasets))
    taken = {name.lower() for name in listed}
    found = {}
    for name in listed:
        *schema, own = name.split(".")
        if is_path(name) or not schema or (len(schema) == 1 and not ODD.search(schema[0] + own)):
            continue

        made = f"{ODD.sub('_', '__'.join(schema))}.{ODD.sub('_', own)}"
        number = 1
        chosen = made
        while chosen.lower() in taken:
            number += 1
            chosen = f"{made}_{number}"

        taken.add(chosen.lower())
        found[name] = chosen

    return found


def declaration(function: Function, dialect: str) -> str:
    """CREATE TEMPORARY FUNCTION f(a DOUBLE) RETURNS DOUBLE RETURN a / 2; a parameter without a type
    is a number
    """
    given = [*function.types, *[""] * len(function.parameters)][: len(function.parameters)]
    typed = replace(function, types=tuple(kind or "DOUBLE" for kind in given))
    return "".join(head_and_body(typed, dialect, "TEMPORARY "))


def spark_type(kind: str, dialect: str) -> str:
    """VARCHAR in any dialect is STRING in Spark."""
    if kind:
        return type_name(kind, dialect)

    return UNKNOWN_TYPE


def schema_of(plan: Any) -> Any:
    """The schema of a query, or of the query that a command keeps."""
    for keeper in ("query", "plan"):
        try:
            return getattr(plan, keeper)().schema()
        except Exception:  # noqa: S112  # py4j knows no other way to ask whether a method is there
            continue

    return plan.schema()


def distinct(columns: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """A table cannot have one name twice; the first counts."""
    return list({name.lower(): (name, kind) for name, kind in reversed(columns)}.values())[::-1]

"""Datasets of programs of any DataFrame library: files, tables, SQL texts, and writes.

Names and paths are those that a PySpark job would have: one dataset has one name, whichever library
reads or writes it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lineal.extract.pyspark.dispatch import relation_in
from lineal.extract.pyspark.file_contents import opened_path
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.names import owned_name
from lineal.extract.pyspark.relation import Relation, open_star
from lineal.extract.pyspark.run import Run, Write
from lineal.extract.pyspark.session import dataset, read_name, read_path_or_table, read_table
from lineal.extract.pyspark.sinks import write_dataset, write_to
from lineal.extract.pyspark.sql_texts import sql
from lineal.extract.pyspark.values import SchemaValue, Value, inputs_of
from lineal.extract.sql.dialects import facts_of
from lineal.model.way import Confidence


def read_path(run: Run, path: Value, node: ast.AST, columns: list[str] | None = None) -> Relation:
    """Read a file or folder.

    pd.read_csv("data/orders.csv"), pl.scan_parquet(f"s3://{bucket}/orders/")

    `columns` are all of its columns, where the call lists them.
    """
    return as_relation(read_name(run, opened_path(path), node, reader_of(columns)))


def reader_of(columns: list[str] | None) -> Any:
    """Return what reads a path: with the columns that the call lists, else with those known."""
    if columns is None:
        return read_path_or_table

    schema = SchemaValue([(name, "") for name in columns])

    def read_columns(run: Run, name: str, node: ast.AST) -> Relation:
        """pd.read_csv(path, names=["id", "amount"])"""
        spelled = run.program.path_of(name)
        return dataset(run, spelled, spelled, node, schema=schema, of_format=True)

    return read_columns


def read_table_name(run: Run, name: Value, node: ast.AST) -> Relation:
    """Read a table of a database by its name.

    pd.read_sql_table("orders", con), session.table("raw.orders")
    """
    return as_relation(read_name(run, name, node, read_table))


def as_relation(held: Value) -> Relation:
    """Return the relation of a value that was read."""
    return relation_in(held) or Relation([open_star()], {})


@contextmanager
def use_dialect(run: Run, dialect: str) -> Iterator[None]:
    """Read SQL texts in a dialect while the block runs."""
    before = run.facts
    run.facts = facts_of(dialect)
    try:
        yield
    finally:
        run.facts = before


def read_sql(
    run: Run, text: Value, dialect: str, node: ast.AST, relations: dict[str, Relation] | None = None
) -> Relation:
    """Run a SQL text of another database than Spark; DataFrames may be tables of it.

    pd.read_sql("SELECT …", con), duckdb.sql("SELECT … FROM df")
    """
    with use_dialect(run, dialect or "spark"):
        held = sql(run, Invocation([text], dict(relations or {}), node))

    found = relation_in(held)
    if found is not None and not found.attributes:
        return found

    if found is not None:
        query = Write(run.home, found, node, run.reading, "query")
        query.script = run.script
        run.queries.append(query)
        return found

    inputs = inputs_of(held)
    return Relation([open_star()], {}, inputs)


def write_path(
    run: Run, relation: Relation, path: Value, node: ast.AST, append: bool = False
) -> None:
    """Write a file or folder.

    df.to_csv("out/orders.csv"), df.write_parquet(path)
    """
    write_to(run, relation, opened_path(path), node, path=True, defines=not append)


def write_table(
    run: Run, relation: Relation, name: Value, node: ast.AST, append: bool = False
) -> None:
    """Write a table of a database.

    df.to_sql("orders", con), session.write_pandas(df, "ORDERS")
    """
    write_to(run, relation, name, node, defines=not append)


def write_model(run: Run, relation: Relation, name: str, node: ast.AST, kind: str) -> None:
    """Write a dataset of a kind of its own: what a model was trained on."""
    write_dataset(run, Write(owned_name(name, run.home), relation, node, run.reading, kind))


def unknown_relation(run: Run, what: str, node: ast.AST, *inputs: Relation) -> Relation:
    """Return the relation of a frame of which only a run knows the columns; its inputs are read."""
    run.dynamic(what, node, Confidence.UNKNOWN)
    return Relation([open_star()], {}, inputs)

"""The types that the text tells, against those of Spark's analyzer: claimed types must be right."""

from __future__ import annotations

import os
from typing import Any

import pytest
from sqlglot import exp

import lineal
from casefile import Case, all_cases, corpus_of
from data.typed import typed_queries
from generators.queries import SHOP, Query
from generators.rounds import draw_examples, shrink_example
from generators.strategies import queries
from lineal.spark.stand_in import StandIns

WIDE = {
    "i": "int", "b": "bigint", "s": "smallint", "y": "tinyint", "d": "decimal(10,2)", "e": "decimal(38,18)",
    "f": "float", "g": "double", "x": "string", "k": "boolean", "dt": "date", "ts": "timestamp", "n": "binary",
    "st": "struct<a:int,c:struct<z:string>>", "ar": "array<int>", "ax": "array<struct<p:int>>",
    "m": "map<string,bigint>",
}  # fmt: skip
SCHEMA = {"t": WIDE, "u": {"i": "bigint", "x": "string", "w": "date"}}

TEXTS = typed_queries("typed_spark.txt")


def claimed(text: str, schema: Any) -> list[str]:
    found = lineal.lineage({"result": text}, dialect="spark", schema=schema)
    return [
        column.type
        for info in found.datasets
        if info.dataset.name == "result"
        for column in info.columns
    ]


def wrong(text: str, schema: Any, spark: Any) -> tuple[list[str], int]:
    """Wrong claims, and the number of claims."""
    fields = spark.sql(text).schema.fields
    types = claimed(text, schema)
    if len(types) != len(fields):  # names that are there twice
        return [], 0
    pairs = [
        (kind, field.dataType.simpleString())
        for kind, field in zip(types, fields, strict=True)
        if kind
    ]
    return [f"{text}: {kind} is {true}" for kind, true in pairs if read(kind) != read(true)], len(
        pairs
    )


def read(text: str) -> exp.DataType:
    return exp.DataType.build(text, dialect="spark")


@pytest.fixture(scope="module")
def tables(spark: Any) -> Any:
    for name, columns in SCHEMA.items():
        ddl = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        spark.createDataFrame([], ddl).createOrReplaceTempView(name)
    yield spark
    for name in SCHEMA:
        spark.catalog.dropTempView(name)


def test_claimed_types_of_expressions_are_true(tables: Any) -> None:
    found, claims, refused = [], 0, []
    for text in TEXTS:
        try:
            faults, number = wrong(text, SCHEMA, tables)
        except Exception as problem:
            refused.append(f"{text}: {str(problem)[:80]}")
            continue
        found += faults
        claims += number
    assert found == []
    assert len(refused) <= 5, refused
    assert claims >= 0.75 * len(TEXTS)


SEED = int(os.environ.get("LINEAL_SEED") or 0)
FRESH = int(os.environ.get("LINEAL_FRESH_QUERIES") or 100)


def test_claimed_types_of_random_queries_are_true(tables: Any) -> None:
    """The same queries on every run; `make hunt` draws others."""
    types = {"number": "double", "text": "string"}
    schema = {
        table: {n: types[kind] for n, kind in columns.items()} for table, columns in SHOP.items()
    }
    for name, columns in schema.items():
        ddl = ", ".join(f"`{column}` {kind}" for column, kind in columns.items())
        tables.createDataFrame([], ddl).createOrReplaceTempView(name)
    found, claims = [], 0
    texts = [query.sql() for query in draw_examples(queries(), SEED, FRESH)]
    for text in texts:
        faults, count = wrong_unless_refused(text, schema, tables)
        found += faults
        claims += count
    if found:

        def fails(query: Query) -> bool:
            return bool(wrong_unless_refused(query.sql(), schema, tables)[0])

        small = shrink_example(queries(), SEED, FRESH, fails)
        found.append(f"the smallest: {small.sql() if small else ''}")
    for name in schema:
        tables.catalog.dropTempView(name)
    assert found == [], f"LINEAL_SEED={SEED}"
    assert claims >= 0.8 * FRESH


def wrong_unless_refused(text: str, schema: Any, spark: Any) -> tuple[list[str], int]:
    """Return `wrong`, or nothing for a query that Spark refuses."""
    try:
        return wrong(text, schema, spark)
    except Exception:
        return [], 0


def is_one_query(case: Case) -> bool:
    text = case.sql.strip().rstrip(";")
    return (
        case.dialect == "spark"
        and case.complete
        and not case.differs
        and ";" not in text
        and text[:4].upper() in ("SELE", "WITH")
    )


CASES = [case for case in all_cases() if is_one_query(case)]


def test_claimed_types_of_the_cases_are_true(spark: Any) -> None:
    found, claims = [], 0
    for case in CASES:
        schema = {
            info.dataset.name: {column.name: column.type for column in info.columns}
            for info in case.schema
        }
        if not all(kind for columns in schema.values() for kind in columns.values()):
            continue
        with StandIns(spark, corpus_of(case)) as stand_ins:
            for info in case.schema:
                stand_ins.add(info)
            try:
                faults, number = wrong(case.sql.strip().rstrip(";"), schema, spark)
            except Exception:
                continue  # what Spark makes of the case is the matter of test_two_engines
        found += [f"{case.name}: {fault}" for fault in faults]
        claims += number
    assert found == []
    assert claims > 100

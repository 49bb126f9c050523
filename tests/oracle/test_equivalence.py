"""Queries that share a normal form return the same rows: SQLite and DuckDB run both over random
tables.

    LINEAL_SEED=7 LINEAL_PAIRS=100000 pytest tests/oracle/test_equivalence.py     other pairs, and more
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from random import Random
from typing import Any

import duckdb
import pytest
import sqlglot

from generators.rewritten_queries import TABLES, draw_rows
from generators.rounds import draw_examples, shrink_example
from generators.strategies import query_pairs
from lineal.extract.sql.canonical import canonical

SEED = int(os.environ.get("LINEAL_SEED") or 0)
PAIRS = int(os.environ.get("LINEAL_PAIRS") or 1200)
PARTS = 4
FILLS = 9
"""Fillings of the tables that every pair is run over: SQLite has all but one, as it is quicker."""
FRESH = 500
"""Pairs after which the tables are filled again."""

Rows = Counter[tuple[object, ...]]
Pair = tuple[str, str]


@pytest.mark.parametrize("part", range(PARTS))
def test_equal_statements_are_never_refuted(part: int) -> None:
    count, number = PAIRS // PARTS, SEED * PARTS + part
    called_equal = 0
    databases: list[Any] = []
    pairs = draw_examples(query_pairs(), number, count)
    for at, pair in enumerate(pairs):
        if at % FRESH == 0:
            databases = fill_databases(number + at)
        if are_called_equal(pair):
            called_equal += 1
            if is_refuted(pair, databases):
                pytest.fail(f"LINEAL_SEED={SEED}\n{smallest(pair, number, count, databases)}")
    print(f"LINEAL_SEED={SEED}: {len(pairs)} pairs, {called_equal} called equal, none refuted")
    assert len(pairs) > 0.9 * count
    assert called_equal > count // 3


def fill_databases(number: int) -> list[Any]:
    """Return databases with random rows: one of DuckDB, the others of SQLite."""
    fills = [Random(number * FILLS + fill) for fill in range(FILLS)]
    return [
        *(filled(sqlite3.connect(":memory:"), fill) for fill in fills[1:]),
        filled(duckdb.connect(config={"threads": 1}), fills[0]),
    ]


def are_called_equal(pair: Pair) -> bool:
    return meaning(pair[0]) == meaning(pair[1])


def is_refuted(pair: Pair, databases: list[Any]) -> bool:
    """Tell whether a database returns other rows for the second query than for the first."""
    for database in databases:
        before, after = rows(database, pair[0]), rows(database, pair[1])
        if before is not None and after is not None and before != after:
            return True
    return False


def smallest(pair: Pair, number: int, count: int, databases: list[Any]) -> str:
    """Return the smallest pair that is called equal and is not."""

    def fails(each: Pair) -> bool:
        return each == pair or (are_called_equal(each) and is_refuted(each, databases))

    one, other = shrink_example(query_pairs(), number, count, fails) or pair
    return f"called equal:\n{one}\n{other}"


def test_a_pair_that_is_not_equal_is_found_out() -> None:
    """The test itself can fail: a join that drops rows does not get through."""
    pair = "SELECT a FROM t", "SELECT a FROM t WHERE a > 0"
    databases = [each for number in range(5) for each in fill_databases(number)]
    assert is_refuted(pair, databases)
    assert not is_refuted((pair[0], pair[0]), databases)


def meaning(query: str) -> str:
    return canonical(sqlglot.parse_one(query, dialect="duckdb"), "duckdb", TABLES.get)


def filled(database: Any, random: Random) -> Any:
    """Return a database with random rows."""
    for table, several in draw_rows(random).items():
        columns = ", ".join(f"{name} INT" for name in TABLES[table])
        database.execute(f"CREATE TABLE {table} ({columns})")
        marks = ", ".join("?" for _ in TABLES[table])
        for row in several:
            database.execute(f"INSERT INTO {table} VALUES ({marks})", row)
    return database


def rows(database: Any, query: str) -> Rows | None:
    """Return the rows of a query; None where DuckDB fails inside, which is its own defect."""
    try:
        return Counter(database.execute(query).fetchall())
    except duckdb.InternalException:
        return None

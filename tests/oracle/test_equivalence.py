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

from generators.rewritten_queries import TABLES, draw_pair, draw_rows
from lineal.extract.sql.canonical import canonical

SEED = int(os.environ.get("LINEAL_SEED") or 0)
PAIRS = int(os.environ.get("LINEAL_PAIRS") or 1200)
PARTS = 4
FILLS = 9
"""Fillings of the tables that every pair is run over: SQLite has all but one, as it is quicker."""
FRESH = 500
"""Pairs after which the tables are filled again."""

Rows = Counter[tuple[object, ...]]


@pytest.mark.parametrize("part", range(PARTS))
def test_equal_statements_are_never_refuted(part: int) -> None:
    count = PAIRS // PARTS
    first = (SEED * PARTS + part) * count
    called_equal = 0
    databases: list[Any] = []
    for number in range(first, first + count):
        if (number - first) % FRESH == 0:
            fills = [Random(number * FILLS + fill) for fill in range(FILLS)]
            databases = [filled(sqlite3.connect(":memory:"), fill) for fill in fills[1:]]
            databases.append(filled(duckdb.connect(config={"threads": 1}), fills[0]))
        one, other = draw_pair(number)
        if meaning(one) == meaning(other):
            called_equal += 1
            refute(one, other, databases, number)
    print(f"LINEAL_SEED={SEED}: {count} pairs, {called_equal} called equal, none refuted")
    assert called_equal > count // 3


def refute(one: str, other: str, databases: list[Any], number: int) -> None:
    """Fail if a pair that is called equal is not."""
    for database in databases:
        before, after = rows(database, one), rows(database, other)
        if before is None or after is None:
            continue
        assert before == after, f"pair {number} is called equal:\n{one}\n{other}"


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

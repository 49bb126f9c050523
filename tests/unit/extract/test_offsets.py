"""Where a node starts is where its leftmost leaf does, however it is found out."""

from __future__ import annotations

import logging

import pytest
import sqlglot

from casefile import Case, all_cases
from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.reading import FRONTS, LEFT, leftmost, offset_of
from lineal.extract.sql.words import FAILURES

CASES = all_cases()


@pytest.fixture(autouse=True)
def quiet_parser(caplog):
    caplog.set_level(logging.CRITICAL, logger="sqlglot")


def starts(text: str, dialect: str) -> list[tuple[str, int | None, int | None]]:
    """Of every node of which the start is guessed: its kind, the guess, and the truth."""
    try:
        trees = parser_dialect(dialect).parse(text)
    except FAILURES:
        return []
    nodes = [
        node
        for tree in trees
        if tree is not None
        for node in tree.walk()
        if type(node) in FRONTS.keys() | LEFT
    ]
    return [(node.key, offset_of(node), leftmost(node)) for node in nodes]


def test_every_node_of_every_case_starts_at_its_leftmost_leaf():
    found = [start for case in CASES for start in of_case(case)]
    assert [start for start in found if start[1] != start[2]] == []
    assert len(found) > 1_000


def of_case(case: Case) -> list[tuple[str, int | None, int | None]]:
    return starts(case.sql, case.dialect)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("WITH a AS (SELECT x FROM t) INSERT INTO u SELECT x FROM a", "postgres"),
        ("FROM t INSERT INTO u SELECT x INSERT INTO v SELECT y", "hive"),
        ("FROM t SELECT x", "duckdb"),
        ("WITH (SELECT max(x) FROM t) AS top SELECT y FROM u WHERE y = top", "clickhouse"),
        ("SELECT b = a + 1 FROM t", "tsql"),
        ("CREATE TABLE u (a INT, b INT) AS SELECT a, b FROM t", "postgres"),
        ("SELECT 1 = 1, 2 + x FROM t WHERE 3 < y AND z", ""),
    ],
)
def test_the_first_place_in_the_text_counts(text: str, dialect: str):
    found = starts(text, dialect)
    assert found
    assert [start for start in found if start[1] != start[2]] == []


def test_a_long_sum_has_a_start():
    tree = sqlglot.parse_one("SELECT " + " + ".join(f"a{n}" for n in range(400)) + " FROM t")
    assert offset_of(tree) == len("SELECT ")

"""Braces of Python's str.format() and f-strings in SQL: placeholders in names, unknown values
elsewhere.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import lineal
from casefile import codes_in, edges_in
from lineal.incremental.extraction import extract
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script
from lineal.projects import corpus_of_text

DIALECTS = ("spark", "postgres", "snowflake", "bigquery", "tsql", "duckdb")

STATEMENTS: dict[str, list[str]] = {
    "SELECT b AS {b} FROM x": ["x.b -> m.{b}  IDENTITY"],
    "SELECT {columns} FROM {schema}.{table}": [],
    "SELECT {y}.a FROM {x} {y}": ["{x}.a -> m.a  IDENTITY"],
    "SELECT a FROM p_{x}_m_{y}_s": ["p_{x}_m_{y}_s.a -> m.a  IDENTITY"],
    "SELECT a FROM date{x}": ["date{x}.a -> m.a  IDENTITY"],
    "SELECT a AS {row[name]} FROM x": ["x.a -> m.{row[name]}  IDENTITY"],
    "SELECT a FROM x WHERE {cond} AND b = {v}": ["x.a -> m.a  IDENTITY", "x.b => m  FILTER"],
    "SELECT a FROM x {where_clause} ORDER BY b": ["x.a -> m.a  IDENTITY", "x.b => m  SORT"],
    "SELECT a FROM x ORDER BY b {direction}": [
        "x.a -> m.a  IDENTITY  [MEDIUM]",
        "x.b => m  SORT  [MEDIUM]",
    ],
    "WITH {c} AS (SELECT a FROM t) SELECT a FROM {c}": ["t.a -> m.a  IDENTITY"],
    "INSERT INTO {t} ({c1}, {c2}) SELECT a, b FROM s": [
        "s.a -> {t}.{c1}  IDENTITY",
        "s.b -> {t}.{c2}  IDENTITY",
    ],
    "CREATE VIEW {s}.{v} AS SELECT a FROM {s}.t": ["{s}.t.a -> {s}.{v}.a  IDENTITY"],
    "UPDATE {t} SET {c} = d": ["{t}.d -> {t}.{c}  IDENTITY"],
    "SELECT sum({c}) AS s, b FROM x GROUP BY b, {k}": [
        "x.b -> m.b  IDENTITY",
        "x.b => m  GROUP_BY",
    ],
    "SELECT {s}.{f}(a) AS a FROM x": ["x.a -> m.a  TRANSFORMATION"],
    "SELECT CAST(a AS {type}) AS a FROM x": ["x.a -> m.a  TRANSFORMATION"],
    "SELECT a FROM x UNION ALL SELECT {b} FROM y": ["x.a -> m.a  IDENTITY"],
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", STATEMENTS)
def test_formats_in_every_position(sql: str, dialect: str) -> None:
    found = extract(corpus_of_text({"m": sql}, dialect))
    assert sourced(found) == STATEMENTS[sql]
    assert codes_in(found) == ("dynamic",)


def sourced(extraction: Extraction) -> list[str]:
    """The edges, without the columns that have no sources."""
    return sorted(line for line in edges_in(extraction, []) if not line.startswith("->"))


PARTS = ("alias", "table", "cond", "more", "f", "type")
TEXTS = [
    "SELECT a AS {alias}, b FROM x",
    "SELECT {alias}, x.{alias}, b_{alias}, c FROM x",
    "SELECT {f}(a) AS a, CAST(b AS {type}) AS b FROM x WHERE {cond}",
    "SELECT a FROM x WHERE b = 1 {more}",
]


@pytest.mark.parametrize("sql", TEXTS)
def test_a_file_and_a_program_mean_the_same(sql: str) -> None:
    lines = ["import sys", *(f"{name} = sys.argv[{at}]" for at, name in enumerate(PARTS, 1))]
    program = "\n".join([*lines, f'spark.sql(f"{sql}").write.saveAsTable("m")', ""])
    read = extract(Corpus("spark", [Script(program, "python", "job.py")], []))
    written = extract(corpus_of_text({"m": sql}, "spark"))
    assert sourced(read) == sourced(written)
    assert codes_in(read) == codes_in(written) == ("dynamic",)
    assert names_of(read) == names_of(written)


def names_of(extraction: Extraction) -> list[str]:
    """The columns of m."""
    return next(
        list(info.names) for dataset, info in extraction.datasets.items() if str(dataset) == "m"
    )


NO_NAMES = [
    "SELECT a AS @x FROM t",
    "SELECT a FROM t AS ?",
    "WITH ? AS (SELECT a FROM t) SELECT a FROM y",
    "SELECT a AS {x: 1} FROM t",
    "SELECT a FROM {x: 1}",
    "INSERT INTO {x: 1} SELECT a FROM t",
    "WITH q ({x: 1}) AS (SELECT a FROM t) SELECT a FROM q",
    "UPDATE t SET {x: 1} = a",
    "SELECT t.{x: 1} FROM t",
]


@pytest.mark.parametrize("sql", NO_NAMES)
def test_a_value_where_a_name_must_be_is_an_error_with_its_place(sql: str) -> None:
    found = lineal.lineage(sql, "spark").extraction
    assert not found.edges
    assert [each.code.code for each in found.diagnostics if each.place is not None] == [
        "parse-error"
    ]


def test_a_statement_that_is_nothing_but_a_placeholder_is_not_read() -> None:
    found = extract(corpus_of_text({"m": "SELECT a FROM t;\n{footer};"}, "spark"))
    told = [
        (each.code.code, each.message, each.place.line)
        for each in found.diagnostics
        if each.place is not None
    ]
    assert told == [("dynamic", "{footer} was not rendered: the statement is not read", 2)]


OTHERS: dict[tuple[str, str], list[str]] = {
    ("duckdb", "SELECT {'p': a, 'q': b} AS s FROM t"): [
        "t.a -> m.s  TRANSFORMATION",
        "t.b -> m.s  TRANSFORMATION",
    ],
    ("clickhouse", "SELECT a FROM t WHERE d = {day:Date}"): [
        "t.a -> m.a  IDENTITY",
        "t.d => m  FILTER",
    ],
    ("postgres", "SELECT '{1,2}'::int[] AS x, a FROM t WHERE b = '{c}'"): [
        "t.a -> m.a  IDENTITY",
        "t.b => m  FILTER",
    ],
    ("snowflake", "SELECT a, {} AS b FROM t"): ["t.a -> m.a  IDENTITY"],
    ("spark", "SELECT a /* {b} */ FROM t -- {c}"): ["t.a -> m.a  IDENTITY"],
}


@pytest.mark.parametrize(("dialect", "sql"), OTHERS)
def test_other_braces_keep_their_meaning(dialect: str, sql: str) -> None:
    found = extract(corpus_of_text({"m": sql}, dialect))
    assert sourced(found) == OTHERS[dialect, sql]
    assert codes_in(found) == ()


def test_a_number_in_braces_counts_in_a_pattern() -> None:
    sql = """SELECT * FROM t MATCH_RECOGNIZE (ORDER BY b MEASURES FIRST(A.c) AS f
             PATTERN (A{2} B) DEFINE A AS c > 1)"""
    assert codes_in(extract(corpus_of_text({"m": sql}, "trino"))) == ()


def test_a_name_that_is_nothing_but_a_placeholder_belongs_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "daily.sql").write_text(
        "CREATE TABLE ${out} (a INT, b INT); INSERT INTO ${out} SELECT c, d FROM {env}_raw.x;"
        "INSERT INTO z SELECT b FROM ${out};"
    )
    (tmp_path / "hourly.sql").write_text("INSERT INTO ${out} SELECT c FROM {env}_raw.x")
    found = lineal.lineage(tmp_path).extraction
    assert sourced(found) == [
        "daily.sql::{out}.b -> z.b  IDENTITY",
        "{env}_raw.x.c -> daily.sql::{out}.a  IDENTITY",
        "{env}_raw.x.c -> hourly.sql::{out}.c  IDENTITY",
        "{env}_raw.x.d -> daily.sql::{out}.b  IDENTITY",
    ]
    assert codes_in(found) == ("dynamic",)

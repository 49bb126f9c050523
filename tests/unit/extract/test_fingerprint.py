"""Fingerprints: which literals are masked, and which are not."""

from __future__ import annotations

import pytest

from lineal.extract.sql.fingerprint import MASK, fingerprint, masked_words
from lineal.extract.sql.words import words
from lineal.model.script import Script


def masked(text: str, dialect: str = "") -> str:
    tokens, _ = words(Script(text, dialect))
    return " ".join(word if word == MASK else word[1:] for word in masked_words(tokens))


def same(one: str, other: str, dialect: str = "") -> bool:
    return fingerprint(Script(one, dialect)) == fingerprint(Script(other, dialect))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a FROM t WHERE b = 5", "SELECT a FROM t -- really\nWHERE b = 'x'"),
        ("SELECT a FROM t WHERE b <> 5 AND c >= -1.5", "SELECT a FROM t WHERE b <> 6 AND c >= 7"),
        ("SELECT a FROM t WHERE b IN (1, 2, 3)", "SELECT a FROM t WHERE b IN (-7)"),
        ("SELECT a FROM t WHERE (b, c) IN ((1, 2), (3, 4))", "SELECT a FROM t WHERE (b, c) IN ((5, 6), (7, 8))"),
        ("SELECT a FROM t WHERE b BETWEEN 1 AND 2", "SELECT a FROM t WHERE b BETWEEN 'x' AND 'y'"),
        ("SELECT a FROM t WHERE b NOT LIKE 'x%'", "SELECT a FROM t WHERE b NOT LIKE '%y'"),
        ("SELECT a FROM t LIMIT 5 OFFSET 10", "SELECT a FROM t LIMIT 6 OFFSET 0"),
        ("SELECT a FROM t LIMIT 5, 10", "SELECT a FROM t LIMIT 1, 2"),
        ("SELECT a FROM t WHERE d > DATE '2024-01-01'", "SELECT a FROM t WHERE d > DATE '2025-01-01'"),
        ("SELECT a FROM t WHERE d > now() AND f(b = 1)", "SELECT a FROM t WHERE d > now() AND f(b = 2)"),
        ("SELECT CASE WHEN b = 1 THEN c END AS x FROM t", "SELECT CASE WHEN b = 2 THEN c END AS x FROM t"),
        ("SELECT (SELECT max(b) FROM u WHERE c = 1) AS x", "SELECT (SELECT max(b) FROM u WHERE c = 2) AS x"),
        ("SELECT a FROM t JOIN u ON t.x = u.x AND u.k = 1", "SELECT a FROM t JOIN u ON t.x = u.x AND u.k = 2"),
        ("SELECT a FROM (SELECT a FROM t WHERE b = 1) s", "SELECT a FROM (SELECT a FROM t WHERE b = 2) s"),
        ("INSERT INTO t VALUES (1, 'a'), (2, NULL)", "INSERT INTO t VALUES (3, 'c')"),
        ("INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 1",
         "INSERT INTO t (a) VALUES (2) ON CONFLICT (a) DO UPDATE SET b = 2"),
        ("UPDATE t SET a = 1, b = 'x' WHERE c = 2", "UPDATE t SET a = 2, b = 'y' WHERE c = 3"),
        ("MERGE INTO t USING s ON t.i = s.i WHEN MATCHED AND s.o = 'D' THEN DELETE",
         "MERGE INTO t USING s ON t.i = s.i WHEN MATCHED AND s.o = 'E' THEN DELETE"),
    ],
)  # fmt: skip
def test_a_literal_that_cannot_matter_is_masked(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("dialect", "one", "other"),
    [
        ("", "SELECT a, b FROM t ORDER BY 1", "SELECT a, b FROM t ORDER BY 2"),
        ("", "SELECT a, count(*) FROM t WHERE b = 1 GROUP BY 1", "SELECT a, count(*) FROM t WHERE b = 1 GROUP BY 2"),
        ("spark", "SELECT a = 5 FROM t", "SELECT a = 6 FROM t"),
        ("spark", "SELECT sum(a) FILTER (WHERE b = 5) FROM t", "SELECT sum(a) FILTER (WHERE b = 6) FROM t"),
        ("spark", "SELECT (SELECT a FROM t WHERE b = 5)", "SELECT (SELECT a FROM t WHERE b = 6)"),
        ("spark", "SELECT stack(2, a, b, c, d) FROM t", "SELECT stack(1, a, b, c, d) FROM t"),
        ("spark", "SELECT * FROM t PIVOT (sum(v) FOR k IN ('a'))", "SELECT * FROM t PIVOT (sum(v) FOR k IN ('b'))"),
        ("spark", "SELECT * FROM t JOIN u ON t.x = u.x PIVOT (sum(v) FOR k IN ('a'))",
         "SELECT * FROM t JOIN u ON t.x = u.x PIVOT (sum(v) FOR k IN ('b'))"),
        ("duckdb", "WITH p AS (PIVOT t ON y IN (2000) USING sum(x)) FROM p",
         "WITH p AS (PIVOT t ON y IN (2010) USING sum(x)) FROM p"),
        ("duckdb", "SELECT COLUMNS('a.*') FROM t", "SELECT COLUMNS('b.*') FROM t"),
        ("duckdb", "SELECT COLUMNS(c -> c LIKE 'a%') AS x FROM t", "SELECT COLUMNS(c -> c LIKE 'b%') AS x FROM t"),
        ("snowflake", "SELECT * ILIKE '%a' FROM t", "SELECT * ILIKE '%b' FROM t"),
        ("postgres", "SELECT j -> 'a' AS x FROM t", "SELECT j -> 'b' AS x FROM t"),
        ("postgres", "SELECT a FROM t WHERE j ->> 'a' = 'x'", "SELECT a FROM t WHERE j ->> 'b' = 'x'"),
        ("postgres", "SELECT DISTINCT ON (a) b = 5 FROM t", "SELECT DISTINCT ON (a) b = 6 FROM t"),
        ("", "SELECT date_trunc('day', a) AS x FROM t", "SELECT date_trunc('month', a) AS x FROM t"),
        ("", "SELECT a FROM t WHERE f('x') = 1", "SELECT a FROM t WHERE f('y') = 1"),
        ("bigquery", "SELECT STRUCT(1 AS a).a AS x", "SELECT STRUCT(2 AS a).a AS x"),
        ("duckdb", "SELECT * FROM read_csv('a.csv', header = 1)", "SELECT * FROM read_csv('b.csv', header = 1)"),
        ("duckdb", "SELECT * FROM read_csv('a.csv', skip = 1)", "SELECT * FROM read_csv('a.csv', skip = 2)"),
        ("", "INSERT INTO t VALUES (1, 2)", "INSERT INTO t VALUES (1, 2, 3)"),
        ("", "INSERT INTO t SELECT 5, a FROM s", "INSERT INTO t SELECT 6, a FROM s"),
        ("postgres", "SET search_path = 'a'", "SET search_path = 'b'"),
        ("tsql", "SELECT a FROM t WHERE b = 5 SET @q = 'x' EXEC(@q)",
         "SELECT a FROM t WHERE b = 5 SET @q = 'y' EXEC(@q)"),
        ("", "SELECT a FROM t WHERE b = 5", "SELECT A FROM t WHERE b = 5"),
        ("", 'SELECT a FROM t', 'SELECT "a" FROM t'),
        ("", "SELECT offset, 5 FROM t", "SELECT offset, 6 FROM t"),
    ],
)  # fmt: skip
def test_a_literal_that_can_matter_stays(dialect: str, one: str, other: str) -> None:
    assert not same(one, other, dialect)


def test_every_statement_of_a_text_starts_anew() -> None:
    assert masked("SET x = 5; SELECT a FROM t WHERE b = 5; COPY t FROM 's' WHERE a = 5") == (
        "SET x = 5 ; SELECT a FROM t WHERE b = ? ; COPY t FROM s WHERE a = 5"
    )


@pytest.mark.parametrize(
    "text",
    ["", ";", "'", "SELECT 'a", "((((", "))))", "= 5", "SELECT a WHERE", "IN (", "\0", "AND 5"],
)
def test_broken_text_has_a_fingerprint(text: str) -> None:
    assert same(text, text) and len(fingerprint(Script(text, ""))) == 64
    assert not same(text + " x", text)

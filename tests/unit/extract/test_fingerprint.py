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
        ("SELECT 'x' AS k, 5 AS n, a FROM t", "SELECT 'other' AS k, -77 AS n, a FROM t"),
        ("INSERT INTO u SELECT DISTINCT 5 AS n, a FROM t", "INSERT INTO u SELECT DISTINCT 6 AS n, a FROM t"),
        ("SELECT DATE '2026-01-31' AS d, a FROM t", "SELECT DATE '2026-02-28' AS d, a FROM t"),
        ("SELECT a * 2 AS b, (a + c) / 100 AS d FROM t", "SELECT a * 3 AS b, (a + c) / 10 AS d FROM t"),
        ("SELECT 1 - a AS b, a * 0.5 AS c FROM t", "SELECT 2 - a AS b, a * 0.7 AS c FROM t"),
        ("SELECT a FROM t WHERE b > c * 2 AND d = sum(e + 1)", "SELECT a FROM t WHERE b > c * 7 AND d = sum(e + 9)"),
        ("SELECT a FROM t WHERE d > CURRENT_DATE - 7", "SELECT a FROM t WHERE d > CURRENT_DATE - 30"),
        ("SELECT a FROM t WHERE d > CURRENT_DATE - INTERVAL '7 days'",
         "SELECT a FROM t WHERE d > CURRENT_DATE - INTERVAL '1 month'"),
        ("SELECT d + INTERVAL 7 DAY AS e FROM t", "SELECT d + INTERVAL 30 DAY AS e FROM t"),
        ("SELECT date_add(d, 7) AS e FROM t", "SELECT date_add(d, -30) AS e FROM t"),
        ("SELECT a FROM t WHERE d > to_date('2026-01-31', 'yyyy-MM-dd')",
         "SELECT a FROM t WHERE d > to_date('2025-12-31', 'yyyy-MM-dd')"),
        ("SELECT a FROM t WHERE datediff(day, DATE '2026-01-31', d) > 5",
         "SELECT a FROM t WHERE datediff(day, DATE '2025-01-31', d) > 6"),
        ("INSERT OVERWRITE TABLE u PARTITION (day = '2026-01-31', hour) SELECT a, hour FROM t",
         "INSERT OVERWRITE TABLE u PARTITION (day = '2026-02-01', hour) SELECT a, hour FROM t"),
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
        ("", "SELECT 5, a FROM t", "SELECT 6, a FROM t"),
        ("", "SELECT 5 AS n FROM t", "SELECT 'x' AS n FROM t"),
        ("", "SELECT 5 AS n FROM t", "SELECT 5000000000 AS n FROM t"),
        ("", "SELECT a * 0.5 AS n FROM t", "SELECT a * 0.55 AS n FROM t"),
        ("", "SELECT 5 AS a FROM t", "SELECT 5 AS b FROM t"),
        ("mysql", "SELECT 5 AS 'a' FROM t", "SELECT 5 AS 'b' FROM t"),
        ("spark", "SELECT a + 5 FROM t", "SELECT a + 6 FROM t"),
        ("spark", "SELECT a[1] AS x FROM t", "SELECT a[2] AS x FROM t"),
        ("duckdb", "SELECT a[b + 1] AS x FROM t", "SELECT a[b + 2] AS x FROM t"),
        ("spark", "SELECT a['x'] AS x FROM t", "SELECT a['y'] AS x FROM t"),
        ("postgres", "SELECT j - 'a' AS x FROM t", "SELECT j - 'b' AS x FROM t"),
        ("postgres", "SELECT j -> 1 AS x FROM t", "SELECT j -> 2 AS x FROM t"),
        ("postgres", "SELECT j -> 1 - a AS x FROM t", "SELECT j -> 2 - a AS x FROM t"),
        ("spark", "SELECT get_json_object(j, '$.a') AS x FROM t", "SELECT get_json_object(j, '$.b') AS x FROM t"),
        ("spark", "SELECT from_json(j, 'a INT').a AS x FROM t", "SELECT from_json(j, 'b INT').a AS x FROM t"),
        ("spark", "SELECT to_date(a, 'yyyy') AS x FROM t", "SELECT to_date(a, 'dd') AS x FROM t"),
        ("spark", "SELECT stack(2, a, b) AS x FROM t", "SELECT stack(1, a, b) AS x FROM t"),
        ("", "SELECT a + 1 AS x FROM t ORDER BY 1", "SELECT a + 1 AS x FROM t ORDER BY 2"),
        ("spark", "SELECT * FROM (SELECT 'a' AS k, v FROM t) PIVOT (sum(v) FOR k IN ('a'))",
         "SELECT * FROM (SELECT 'b' AS k, v FROM t) PIVOT (sum(v) FOR k IN ('a'))"),
        ("snowflake", "BEGIN LET q := (SELECT 'SELECT a FROM t' AS q); EXECUTE IMMEDIATE :q; END",
         "BEGIN LET q := (SELECT 'SELECT b FROM t' AS q); EXECUTE IMMEDIATE :q; END"),
        ("hive", "ALTER TABLE t ADD PARTITION (day = 'a')", "ALTER TABLE t ADD PARTITION (day = 'b')"),
    ],
)  # fmt: skip
def test_a_literal_that_can_matter_stays(dialect: str, one: str, other: str) -> None:
    assert not same(one, other, dialect)


def test_every_statement_of_a_text_starts_over() -> None:
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

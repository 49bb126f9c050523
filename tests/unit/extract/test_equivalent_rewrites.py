"""Rewrites that `lineal diff` proves to be equal, and pairs that only look so."""

from __future__ import annotations

import pytest

import lineal
from lineal.graph.diff import diff
from lineal.model.policy import Level

SCHEMA = """
CREATE TABLE t (id INT, a INT, b INT, c INT);
CREATE TABLE u (id INT, x INT, y INT);
CREATE TABLE v (k INT, x INT, z INT);
"""
EQUAL = {
    "CTE to subquery": (
        "WITH w AS (SELECT id, a FROM t WHERE b > 1) SELECT w.id, w.a FROM w",
        "SELECT q.id, q.a FROM (SELECT id, a FROM t WHERE b > 1) AS q",
    ),
    "subquery to plain query": (
        "SELECT q.id FROM (SELECT id, b FROM t WHERE b > 1) q WHERE q.id < 9",
        "SELECT id FROM t WHERE id < 9 AND 1 < b",
    ),
    "projection pruning": (
        "WITH w AS (SELECT id, a, b, c FROM t) SELECT id, a FROM w",
        "SELECT id, a FROM t",
    ),
    "pruning under a group": (
        "SELECT g.id, g.s FROM (SELECT id, sum(a) AS s, max(b) AS m FROM t GROUP BY id) g JOIN u ON u.id = g.id",
        "WITH g AS (SELECT id AS i, sum(a) AS total FROM t GROUP BY 1)"
        " SELECT g.i AS id, g.total AS s FROM u JOIN g ON g.i = u.id",
    ),
    "a filter pushed below a join": (
        "SELECT t.id, u.x FROM t JOIN u ON t.id = u.id WHERE t.b > 1",
        "SELECT t.id, u.x FROM (SELECT * FROM t WHERE b > 1) t JOIN u ON t.id = u.id",
    ),
    "a filter pushed below a group": (
        "SELECT k, s FROM (SELECT a AS k, sum(b) AS s FROM t GROUP BY a) q WHERE k > 3",
        "SELECT a AS k, sum(b) AS s FROM t WHERE a > 3 GROUP BY a",
    ),
    "a filter in a left join": (
        "SELECT t.id, u.x FROM t LEFT JOIN (SELECT id, x FROM u WHERE y = 2) u ON u.id = t.id",
        "SELECT t.id, u.x FROM t LEFT JOIN u ON u.id = t.id AND u.y = 2",
    ),
    "HAVING to an outer WHERE": (
        "SELECT id, count(*) AS n FROM t GROUP BY id HAVING count(*) > 1",
        "SELECT id, n FROM (SELECT id, count(1) AS n FROM t GROUP BY id) q WHERE n > 1",
    ),
    "join order": (
        "SELECT t.id, u.x, v.z FROM t JOIN u ON t.id = u.id JOIN v ON v.x = u.x",
        "SELECT t.id, u.x, v.z FROM v JOIN u ON v.x = u.x JOIN t ON u.id = t.id",
    ),
    "order of left joins": (
        "SELECT t.id, u.x, v.z FROM t LEFT JOIN u ON u.id = t.id LEFT JOIN v ON v.k = t.a",
        "SELECT t.id, u.x, v.z FROM t LEFT JOIN v ON v.k = t.a LEFT JOIN u ON u.id = t.id",
    ),
    "comma join": (
        "SELECT t.id FROM t JOIN u ON t.id = u.id",
        "SELECT t.id FROM u, t WHERE u.id = t.id",
    ),
    "a left join that a filter makes an inner one": (
        "SELECT t.id FROM t LEFT JOIN u ON t.id = u.id WHERE u.x = 1",
        "SELECT t.id FROM t JOIN u ON t.id = u.id WHERE u.x = 1",
    ),
    "redundant DISTINCT": (
        "SELECT DISTINCT id, sum(a) AS s FROM t GROUP BY id",
        "SELECT id, sum(a) AS s FROM t GROUP BY id",
    ),
    "DISTINCT twice": (
        "SELECT DISTINCT a FROM (SELECT DISTINCT a, b FROM t) q",
        "SELECT DISTINCT a FROM t",
    ),
    "DISTINCT to GROUP BY": ("SELECT DISTINCT a, b FROM t", "SELECT a, b FROM t GROUP BY a, b"),
    "DISTINCT inside IN": (
        "SELECT id FROM t WHERE id IN (SELECT DISTINCT id FROM u)",
        "SELECT id FROM t WHERE id IN (SELECT id FROM u)",
    ),
    "CASE to COALESCE": (
        "SELECT CASE WHEN a IS NOT NULL THEN a ELSE b END AS v FROM t",
        "SELECT COALESCE(a, b) AS v FROM t",
    ),
    "CASE IS NULL to COALESCE": (
        "SELECT CASE WHEN a IS NULL THEN 0 ELSE a END AS v FROM t",
        "SELECT COALESCE(a, 0) AS v FROM t",
    ),
    "CASE to NULLIF": (
        "SELECT CASE WHEN a = 0 THEN NULL ELSE a END AS v FROM t",
        "SELECT NULLIF(a, 0) AS v FROM t",
    ),
    "IN to EXISTS": (
        "SELECT id FROM t WHERE id IN (SELECT id FROM u WHERE x > 1)",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND u.x > 1)",
    ),
    "alias changes": (
        "SELECT o.id, p.x AS value FROM t AS o JOIN u AS p ON o.id = p.id",
        "SELECT orders.id, u.x AS value FROM t AS orders JOIN u ON u.id = orders.id",
    ),
    "column aliases inside": (
        "WITH w AS (SELECT id AS one, a AS two FROM t) SELECT one AS id, two AS a FROM w",
        "SELECT id, a FROM t",
    ),
    "NULL-safe comparison": (
        "SELECT id FROM t WHERE a = b OR (a IS NULL AND b IS NULL)",
        "SELECT id FROM t WHERE a IS NOT DISTINCT FROM b",
    ),
    "IN list to OR": (
        "SELECT id FROM t WHERE a IN (1, 2)",
        "SELECT id FROM t WHERE a = 2 OR a = 1",
    ),
    "BETWEEN": (
        "SELECT id FROM t WHERE a BETWEEN 1 AND 5",
        "SELECT id FROM t WHERE a >= 1 AND a <= 5",
    ),
    "De Morgan": (
        "SELECT id FROM t WHERE NOT (a = 1 OR b = 2)",
        "SELECT id FROM t WHERE a <> 1 AND b <> 2",
    ),
    "FILTER to CASE": (
        "SELECT sum(a) FILTER (WHERE b > 1) AS s FROM t",
        "SELECT sum(CASE WHEN b > 1 THEN a END) AS s FROM t",
    ),
    "columns of a union": (
        "SELECT a, id FROM (SELECT id, a, b FROM t UNION ALL SELECT id, x, y FROM u) q",
        "SELECT x AS a, id FROM u UNION ALL SELECT a, id FROM t",
    ),
}  # fmt: skip
UNEQUAL = {
    "NOT IN to NOT EXISTS": (
        "SELECT id FROM t WHERE id NOT IN (SELECT id FROM u)",
        "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.id)",
    ),
    "IN to JOIN": (
        "SELECT t.id FROM t WHERE id IN (SELECT id FROM u)",
        "SELECT t.id FROM t JOIN u ON u.id = t.id",
    ),
    "DISTINCT dropped": ("SELECT DISTINCT a FROM t", "SELECT a FROM t"),
    "DISTINCT of fewer columns": (
        "SELECT a FROM (SELECT DISTINCT a, b FROM t) q",
        "SELECT DISTINCT a FROM t",
    ),
    "DISTINCT without a key": (
        "SELECT DISTINCT sum(a) AS s FROM t GROUP BY id",
        "SELECT sum(a) AS s FROM t GROUP BY id",
    ),
    "ON to WHERE of a left join": (
        "SELECT t.id FROM t LEFT JOIN u ON u.id = t.id AND u.y = 2",
        "SELECT t.id FROM t LEFT JOIN u ON u.id = t.id WHERE u.y = 2",
    ),
    "a left join turned": (
        "SELECT t.id, u.x FROM t LEFT JOIN u ON u.id = t.id",
        "SELECT t.id, u.x FROM u LEFT JOIN t ON u.id = t.id",
    ),
    "left joins that depend on each other": (
        "SELECT t.id FROM t LEFT JOIN u ON u.id = t.id LEFT JOIN v ON v.k = u.x",
        "SELECT t.id FROM t LEFT JOIN u ON u.id = t.id LEFT JOIN v ON v.k = t.a",
    ),
    "a value computed before a left join": (
        "SELECT t.id, w.v FROM t LEFT JOIN (SELECT id, coalesce(x, 0) AS v FROM u) w ON w.id = t.id",
        "SELECT t.id, coalesce(u.x, 0) AS v FROM t LEFT JOIN u ON u.id = t.id",
    ),
    "COALESCE turned": ("SELECT COALESCE(a, b) AS v FROM t", "SELECT COALESCE(b, a) AS v FROM t"),
    "CASE of another column": (
        "SELECT CASE WHEN c IS NOT NULL THEN a ELSE b END AS v FROM t",
        "SELECT COALESCE(a, b) AS v FROM t",
    ),
    "NULL-safe as a value": (
        "SELECT (a = b OR (a IS NULL AND b IS NULL)) AS e FROM t",
        "SELECT (a IS NOT DISTINCT FROM b) AS e FROM t",
    ),
    "a division moved before a filter": (
        "SELECT a / b AS q FROM t WHERE b <> 0",
        "SELECT q FROM (SELECT a / b AS q, b FROM t) w WHERE b <> 0",
    ),
    "a cast dropped": (
        "WITH w AS (SELECT id, CAST(a AS DATE) AS d FROM t) SELECT id FROM w",
        "SELECT id FROM t",
    ),
    "a filter on an aggregate pushed": (
        "SELECT id FROM (SELECT id, sum(a) AS s FROM t GROUP BY id) q WHERE s > 1",
        "SELECT id FROM t WHERE a > 1 GROUP BY id",
    ),
    "a filter of one group of all rows": (
        "SELECT count(*) AS n FROM t HAVING max(a) > 1",
        "SELECT count(*) AS n FROM t WHERE a > 1",
    ),
    "UNION to UNION ALL": (
        "SELECT id FROM t UNION SELECT id FROM u",
        "SELECT id FROM t UNION ALL SELECT id FROM u",
    ),
    "EXCEPT turned": (
        "SELECT id FROM t EXCEPT SELECT id FROM u",
        "SELECT id FROM u EXCEPT SELECT id FROM t",
    ),
    "COUNT of a column": ("SELECT count(a) AS n FROM t", "SELECT count(*) AS n FROM t"),
    "LIMIT of a turned join": (
        "SELECT t.id FROM t JOIN u ON u.id = t.id LIMIT 1",
        "SELECT t.id FROM u JOIN t ON u.id = t.id LIMIT 1",
    ),
    "a filter before LIMIT": (
        "SELECT id FROM (SELECT id FROM t ORDER BY a LIMIT 3) q WHERE id > 1",
        "SELECT id FROM t WHERE id > 1 ORDER BY a LIMIT 3",
    ),
    "a filter before a window": (
        "SELECT id FROM (SELECT id, rank() OVER (ORDER BY a) AS r, b FROM t) q WHERE r = 1 AND b > 1",
        "SELECT id FROM (SELECT id, rank() OVER (ORDER BY a) AS r, b FROM t WHERE b > 1) q WHERE r = 1",
    ),
    "a volatile CTE read twice": (
        "WITH w AS (SELECT random() AS r FROM t) SELECT p.r, q.r AS s FROM w p, w q",
        "SELECT p.r, q.r AS s FROM (SELECT random() AS r FROM t) p, (SELECT random() AS r FROM t) q",
    ),
    "the other side of a self join": (
        "SELECT p.id FROM t p JOIN t q ON p.a = q.b",
        "SELECT q.id FROM t p JOIN t q ON p.a = q.b",
    ),
    "another order": ("SELECT id FROM t ORDER BY id", "SELECT id FROM t ORDER BY a"),
    "a filter in the branches of a union": (
        "SELECT id FROM (SELECT id, a FROM t UNION ALL SELECT id, 'x' FROM u) q WHERE a > '1'",
        "SELECT id FROM t WHERE a > '1' UNION ALL SELECT id FROM u WHERE 'x' > '1'",
    ),
}  # fmt: skip


def verdict(before: str, after: str, schema: str = SCHEMA) -> Level:
    """Return the verdict on a model that is written in another way."""
    one, other = (
        lineal.lineage(f"{schema}CREATE VIEW w AS {query}", dialect="duckdb").graph
        for query in (before, after)
    )
    return diff(one, other).verdict


@pytest.mark.parametrize("name", EQUAL)
def test_an_equal_rewrite_is_proven(name: str) -> None:
    assert verdict(*EQUAL[name]) is Level.SAFE


@pytest.mark.parametrize("name", UNEQUAL)
def test_unequal_statements_are_not_called_equal(name: str) -> None:
    assert verdict(*UNEQUAL[name]) is not Level.SAFE


def test_most_are_proven_without_a_schema() -> None:
    proven = [name for name, pair in EQUAL.items() if verdict(*pair, schema="") is Level.SAFE]
    assert len(proven) >= len(EQUAL) - 2, sorted(set(EQUAL) - set(proven))


@pytest.mark.parametrize("name", UNEQUAL)
def test_nothing_more_is_proven_without_a_schema(name: str) -> None:
    assert verdict(*UNEQUAL[name], schema="") is not Level.SAFE


def test_a_statement_that_is_too_large_is_not_proven() -> None:
    """Each CTE reads the one before it twice: 2 to the power of 20 scans."""
    ctes = ["w0 AS (SELECT id FROM t)"]
    ctes += [f"w{n} AS (SELECT p.id FROM w{n - 1} p, w{n - 1} q)" for n in range(1, 21)]
    query = f"WITH {', '.join(ctes)} SELECT id FROM w20"
    assert (
        verdict(query, query.replace("SELECT id FROM w20", "SELECT w20.id FROM w20")) is Level.SAFE
    )
    assert verdict(query, f"{query} WHERE id IS NOT NULL AND id = id") is Level.REVIEW


def test_many_equal_sources_take_little_memory() -> None:
    """dbt's `generate_series` cross joins one CTE as often as a number has bits."""
    joined = " CROSS JOIN ".join(f"p AS p{number}" for number in range(16))
    total = " + ".join(f"p{number}.n * {2**number}" for number in range(16))
    query = f"WITH p AS (SELECT 0 AS n UNION ALL SELECT 1) SELECT {total} AS n FROM {joined}"
    assert verdict(query, query.replace("SELECT 1)", "SELECT 2)")) is Level.REVIEW
    renamed = query.replace("p AS (", "bits AS (").replace(" p AS", " bits AS")
    assert verdict(query, renamed) is Level.SAFE

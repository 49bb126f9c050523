"""Statements that grow: each function gives SQL of size n, and the schema that it needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Made = tuple[str, dict[str, dict[str, str]]]


def cte_chain(n: int) -> Made:
    """n CTEs, each over the one before"""
    steps = "".join(
        f", c{i} AS (SELECT a + 1 AS a, b FROM c{i - 1} WHERE b > {i})" for i in range(1, n)
    )
    return f"WITH c0 AS (SELECT a, b FROM t){steps} SELECT * FROM c{n - 1}", {}


def union_branches(n: int) -> Made:
    """n branches of UNION ALL, each over a table of its own"""
    return " UNION ALL ".join(f"SELECT a, b FROM t{i} WHERE c = {i}" for i in range(n)), {}


def nested_tables(n: int) -> Made:
    """n derived tables, each inside the next"""
    return "SELECT a FROM " + "(SELECT a + 1 AS a, b FROM " * n + "t" + ") AS x" * n, {}


def wide_stars(n: int) -> Made:
    """n columns through 20 CTEs of SELECT *"""
    steps = "".join(f", s{i} AS (SELECT * FROM s{i - 1})" for i in range(1, 20))
    return f"WITH s0 AS (SELECT * FROM t){steps} SELECT * FROM s19", {
        "t": {f"c{i}": "int" for i in range(n)}
    }


def long_sum(n: int) -> Made:
    """a sum of n terms"""
    return "SELECT " + " + ".join(["a"] * n) + " AS x FROM t", {}


def long_or(n: int) -> Made:
    """an OR of n comparisons"""
    return "SELECT a FROM t WHERE " + " OR ".join(f"b = {i}" for i in range(n)), {}


def doubled_ctes(n: int) -> Made:
    """n CTEs, each a self-join of the one before"""
    steps = "".join(
        f", c{i} AS (SELECT abs(x.a) + ceil(y.a) AS a, x.b FROM c{i - 1} x JOIN c{i - 1} y ON x.b = y.b)"
        for i in range(1, n)
    )
    return f"WITH c0 AS (SELECT a, b FROM t){steps} SELECT * FROM c{n - 1}", {}


def reversed_views(n: int) -> Made:
    """n views, the last one first"""
    return ";\n".join(
        f"CREATE VIEW v{i} AS SELECT a + 1 AS a, b FROM v{i - 1}" for i in range(n, 0, -1)
    ), {}


Shape = Callable[[int], Made]


def many_inserts(n: int) -> Made:
    """INSERT INTO t …; INSERT INTO t …      one table that many statements write"""
    return "; ".join(f"INSERT INTO t (a) SELECT a{i} FROM s" for i in range(n)), None


def staged_script(n: int) -> Made:
    """CREATE TEMP TABLE …

    each step reads the one before it, and a name that is made again and again
    """
    steps = [
        f"CREATE TEMP TABLE x{i} AS SELECT a + 1 AS a FROM {f'x{i - 1}' if i else 's'}"
        for i in range(n)
    ]
    again = [
        "DROP TABLE IF EXISTS y; CREATE TABLE y AS SELECT a FROM s; INSERT INTO z SELECT a FROM y"
    ] * n
    return "; ".join([*steps, *again, f"CREATE VIEW v AS SELECT a FROM x{n - 1}"]), None


BOUND: dict[str, tuple[Shape, int]] = {
    "chain of 1,000 CTEs": (cte_chain, 1000),
    "UNION ALL of 1,000 branches": (union_branches, 1000),
    "200 nested derived tables": (nested_tables, 200),
    "500 columns through 20 SELECT *": (wide_stars, 500),
}
"""What must finish in under a second, and grow no worse than 2.4 times from n to 2n."""

OTHERS: dict[str, tuple[Shape, int]] = {
    "sum of 5,000 terms": (long_sum, 5000),
    "OR of 5,000 comparisons": (long_or, 5000),
    "100 CTEs, each a self-join": (doubled_ctes, 100),
    "1,000 views in reverse order": (reversed_views, 1000),
    "2,000 INSERTs into one table": (many_inserts, 2000),
    "500 temporary tables, and a table made 500 times": (staged_script, 500),
}


def folder(path: Path, count: int) -> Path:
    """Files with a view each, in folders of 200, most of them over views of earlier files."""
    for number in range(count):
        source, other = (f"v{number * step // 100}" if number > 50 else "raw" for step in (97, 61))
        file = path / f"m{number // 200}" / f"v{number}.sql"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            f"CREATE VIEW v{number} AS WITH c AS (SELECT id, k, x + {number} AS x, y FROM {source} WHERE k > 7), "
            f"d AS (SELECT id, max(x) AS m, sum(y) AS s FROM {other} GROUP BY id) "
            "SELECT c.id, c.k, CASE WHEN c.x > d.m THEN c.x ELSE coalesce(d.s, 0) END AS x, "
            "row_number() OVER (PARTITION BY c.k ORDER BY c.y) AS y FROM c LEFT JOIN d ON c.id = d.id"
        )
    return path

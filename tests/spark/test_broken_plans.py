"""Every handler of Catalyst's plans, broken in turn: no result looks complete."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

import lineal.spark
from lineal.extract.catalyst.plan import Names, extract
from lineal.projects import corpus_of_text
from lineal.spark import plan_lineage
from lineal.spark.plan import analyze, describe_plan
from lineal.spark.plan_lineage import of_corpus

pytestmark = pytest.mark.poisoned

QUERIES = (
    "SELECT a.id, upper(b.name) AS n, a.x + 1 AS y FROM t a LEFT JOIN u b ON a.id = b.id WHERE a.x > 1",
    "SELECT id, sum(x) AS s, count(DISTINCT y) AS c FROM t GROUP BY id HAVING sum(x) > 1 ORDER BY id LIMIT 3",
    "SELECT id, sum(x) FILTER (WHERE y > 1) AS s, grouping(id) AS g FROM t GROUP BY CUBE (id)",
    "SELECT DISTINCT id FROM t UNION ALL SELECT id FROM u EXCEPT SELECT id FROM t INTERSECT SELECT id FROM u",
    "SELECT id, row_number() OVER (PARTITION BY y ORDER BY x) AS r, lag(x) OVER (ORDER BY y) AS l FROM t",
    "WITH c AS (SELECT id, x FROM t) SELECT l.id, r.x FROM c l JOIN c r ON l.id = r.id",
    "SELECT id, e, p FROM t LATERAL VIEW posexplode(xs) v AS p, e",
    "SELECT inline(array(struct(id, x))) FROM t",
    "SELECT stack(2, id, x, y, id) AS (a, b) FROM t",
    "SELECT json_tuple(name, 'a', 'b') AS (a, b) FROM u",
    "SELECT s.f AS f, s.g.h AS h, m['k'] AS k, xs[0] AS i, struct(id, x).id AS j FROM n",
    "SELECT named_struct('a', id, 'b', x) AS s, array(id, x) AS l, map('k', y) AS m FROM t",
    "SELECT transform(xs, e -> e + id) AS a, filter(xs, e -> e > x) AS b FROM t",
    "SELECT aggregate(xs, 0, (c, e) -> c + e) AS d FROM t",
    "SELECT CASE WHEN x > 1 THEN y ELSE id END AS c, if(x > 1, y, id) AS i, coalesce(x, y) AS o FROM t",
    "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id) AND x IN (SELECT id FROM u)",
    "SELECT id, (SELECT max(name) FROM u WHERE u.id = t.id) AS m FROM t",
    "SELECT t.id, l.n FROM t, LATERAL (SELECT name AS n FROM u WHERE u.id = t.id) l",
    "SELECT * FROM (SELECT id, y, x FROM t) PIVOT (sum(x) FOR y IN (1 AS one, 2 AS two))",
    "SELECT * FROM (SELECT id, x, y FROM t) UNPIVOT (v FOR k IN (x, y))",
    "SELECT window(d, '1 hour').start AS w, sum(id) AS s FROM d GROUP BY window(d, '1 hour')",
    "SELECT id, sha2(name, 256) AS h, mask(name) AS m, concat(name, 'x') AS c, cast(id AS string) AS t FROM u",
    "SELECT * FROM VALUES (1, 'a') AS v(id, name)",
    "SELECT id FROM range(3)",
    "SELECT to_json(struct(id, x)) AS j, from_json(name, 'a INT').a AS f FROM t JOIN u USING (id)",
    "SELECT /*+ BROADCAST(u) */ t.id FROM t TABLESAMPLE (10 PERCENT) JOIN u ON t.id = u.id",
    "SELECT try_add(x, y) AS a, x BETWEEN 1 AND y AS b, name LIKE 'a%' AS l FROM t JOIN u USING (id)",
    "SELECT id, rand() AS r, current_date() AS d, nullif(x, y) AS u FROM t",
    "SELECT max_by(x, y) AS m, first(x) AS f, collect_list(y) AS c, percentile_approx(x, 0.5) AS p FROM t",
    "SELECT id, explode_outer(m) AS (k, v) FROM n",
)
TABLES = {
    "t": "id INT, x INT, y INT, xs ARRAY<INT>",
    "u": "id INT, name STRING",
    "n": "id INT, s STRUCT<f: INT, g: STRUCT<h: INT>>, m MAP<STRING, INT>, xs ARRAY<INT>, x INT",
    "d": "id INT, d TIMESTAMP",
}
TABLES_OF_HANDLERS = {
    "operators": ("operators.walk", "OPERATORS"),
    "expressions": ("expressions.walk", "EXPRESSIONS"),
    "generators": ("operators.generate", "GENERATORS"),
    "parts of structs": ("expressions.structs", "PARTS"),
    "original expressions": ("expressions.refits", "ORIGINALS"),
}
FEWEST = {"operators": 15, "expressions": 20}
"""How many handlers of a table the queries reach, at the least."""

Table = dict[Any, Callable[..., Any]]


class Broken(Exception):
    """What a broken handler raises."""


def broken(*arguments: Any, **named: Any) -> Any:
    raise Broken("broken on purpose")


def table_of(name: str) -> Table:
    module, attribute = TABLES_OF_HANDLERS[name]
    found: Table = getattr(import_module(f"lineal.extract.catalyst.{module}"), attribute)
    return found


@pytest.fixture(scope="module")
def plans(spark: Any) -> list[str]:
    """The plans of the queries, over tables that have no rows."""
    for name, columns in TABLES.items():
        spark.createDataFrame([], columns).createOrReplaceTempView(name)
    found = [describe_plan(analyze(query, spark), spark, {}) for query in QUERIES]
    for name in TABLES:
        spark.catalog.dropTempView(name)
    return found


def reached_by(plans: list[str], table: Table) -> dict[Any, str]:
    """The first plan that reaches each handler of a table."""
    found: dict[Any, str] = {}
    with pytest.MonkeyPatch.context() as patched:
        for key, handler in list(table.items()):
            patched.setitem(table, key, noting(handler, key, found))
        for plan in plans:
            found["now"] = plan
            extract(plan, "o", Names())
    del found["now"]
    return found


def noting(handler: Any, key: Any, found: dict[Any, str]) -> Any:
    def noted(*arguments: Any, **named: Any) -> Any:
        found.setdefault(key, found["now"])
        return handler(*arguments, **named)

    return noted if callable(handler) else handler


@pytest.mark.parametrize("name", TABLES_OF_HANDLERS)
def test_a_broken_handler_of_a_plan(
    name: str, plans: list[str], spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_of(name)
    reached = reached_by(plans, table)
    assert len(reached) >= FEWEST.get(name, 1)
    for key, plan in reached.items():
        monkeypatch.setattr(plan_lineage, "describe_plan", lambda *_, plan=plan: plan)
        with monkeypatch.context() as patched:
            patched.setitem(table, key, broken)
            found = lineal.spark.lineage("SELECT 1", spark)
        (told,) = found.diagnostics
        assert (told.code.code, found.coverage.percent) == ("internal-error", 0.0), key
        assert "Broken: broken on purpose" in told.message


def test_both_engines_lose_one_statement(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"v": "SELECT upper(name) AS n FROM u", "w": "SELECT name AS n FROM u"}
    corpus = corpus_of_text(texts, "spark", {"u": {"name": "string"}})
    monkeypatch.setitem(table_of("expressions"), "Upper", broken)
    static, exact = of_corpus(corpus, spark)
    assert [each.code.code for each in exact.diagnostics] == ["internal-error"]
    assert [str(edge) for edge in exact.edges] == ["u.name -> w.n  IDENTITY"]
    assert static.coverage.percent == 100
    assert exact.coverage.percent == 50


def test_a_broken_handler_lowers_the_coverage_of_a_capture(
    spark: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setitem(table_of("operators"), "Filter", broken)
    with lineal.spark.capture(spark) as captured:
        spark.range(3).write.mode("overwrite").parquet(str(tmp_path / "whole"))
        spark.range(3).filter("id > 1").write.mode("overwrite").parquet(str(tmp_path / "lost"))
    assert captured.extraction.coverage.percent == 50
    assert [str(edge.into) for edge in captured.extraction.edges if "lost" in str(edge)] == []

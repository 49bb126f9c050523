"""A project's SQL as Spark runs it: relations under their names in Spark, other dialects in Spark's
words.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from lineal.extract.sql.translator import RowChange, Translator, Untranslatable
from lineal.model.script import Script

ALIASES = {
    "shop.main.dim_customers": "customers",
    "main.orders": "orders",
    "shop.web.visits": "web.visits",
}
COLUMNS = {
    "orders": {
        "a": "int",
        "b": "int",
        "x": "decimal(10,2)",
        "f": "double",
        "d": "date",
        "e": "date",
        "t": "timestamp",
        "s": "string",
        "l": "array<int>",
    }
}


def columns_of(table: str) -> Mapping[str, str]:
    return COLUMNS.get(table.lower(), {})


def translated(text: str, dialect: str, **tables: str) -> str:
    translator = Translator(dialect, ALIASES, tables, columns_of)
    return " ".join(translator.query(Script(text, dialect, "m.sql")).sql.split())


# -- names -----------------------------------------------------------------------------------------


def test_names_are_replaced_in_a_text_that_only_spark_reads() -> None:
    text = "select id from from `shop`.main.DIM_CUSTOMERS where"
    assert translated(text, "spark") == "select id from from `customers` where"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select id from shop.main.dim_customers", "select id from `customers` AS `dim_customers`"),
        ("select id from shop.main.dim_customers c", "select id from `customers` c"),
        ("select id from `main`.`orders`", "select id from `orders`"),
        ("select main.orders.id from main.orders", "select `orders`.id from `orders`"),
        ("select * from shop.web.visits", "select * from `web`.`visits` AS `visits`"),
        (
            "with orders as (select * from main.orders) select * from orders",
            "with orders as (select * from `orders`) select * from orders",
        ),
    ],
)
def test_text_that_spark_reads_keeps_its_words_but_for_the_names(text: str, expected: str) -> None:
    assert translated(text, "spark") == expected.replace(" AS `visits`", "")


def test_lines_stay_where_spark_reads_the_text() -> None:
    found = Translator("spark", ALIASES, {}).query(
        Script("select\n  id\nfrom main.orders\n", "spark")
    )
    assert found.kept and found.sql == "select\n  id\nfrom `orders`\n"


def test_a_name_that_spark_does_not_take_is_replaced_everywhere() -> None:
    text = 'select "my-model".id from "my-model"'
    assert translated(text, "duckdb", **{"my-model": "my_model"}) == (
        "SELECT `my-model`.id FROM `my_model` AS `my-model`"
    )


def test_a_source_that_the_catalog_has_is_read_where_it_is() -> None:
    translator = Translator("duckdb", ALIASES, {})
    translator.point("web.visits", "site.page_visits")
    assert (
        "FROM `site`.`page_visits`"
        in translator.query(Script("select * from shop.web.visits", "duckdb")).sql
    )
    assert translator.datasets == {"site.page_visits": "web.visits"}


# -- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dialect", "expression", "expected"),
    [
        ("duckdb", "a / b", "TRY_DIVIDE(CAST(a AS DOUBLE), b)"),
        ("duckdb", "f / b", "TRY_DIVIDE(f, b)"),
        ("duckdb", "a / b / 2", "TRY_DIVIDE(CAST(TRY_DIVIDE(CAST(a AS DOUBLE), b) AS DOUBLE), 2)"),
        ("postgres", "a / b", "CAST(a / b AS BIGINT)"),
        ("postgres", "x / b", "x / b"),
        ("snowflake", "a / b", "a / b"),
        ("duckdb", "cast(x as int)", "CAST(ROUND(x) AS INT)"),
        ("duckdb", "cast(a as int)", "CAST(a AS INT)"),
        ("tsql", "cast(x as int)", "CAST(x AS INT)"),
        ("postgres", "s::numeric", "CAST(s AS DECIMAL(38, 12))"),
        ("snowflake", "s::number", "CAST(s AS DECIMAL(38, 0))"),
        ("duckdb", "date_part('dow', t)", "( DAYOFWEEK(t) - 1 )"),
        ("duckdb", "isodow(d)", "( WEEKDAY(d) + 1 )"),
        ("bigquery", "extract(dayofweek from d)", "EXTRACT(DAYOFWEEK FROM d)"),
        ("postgres", "d - e", "DATEDIFF(d, e)"),
        ("postgres", "(d - e) / 7", "CAST(( DATEDIFF(d, e) ) / 7 AS BIGINT)"),
        ("snowflake", "datediff(day, d, e)", "DATEDIFF(e, d)"),
        (
            "snowflake",
            "datediff(month, d, e)",
            "( ( YEAR(e) - YEAR(d) ) * 12 + ( MONTH(e) - MONTH(d) ) )",
        ),
        ("trino", "date_diff('month', d, e)", "DATEDIFF(MONTH, d, e)"),
        ("snowflake", "dateadd(day, 1, t)", "DATEADD(DAY, 1, t)"),
        ("snowflake", "dateadd(day, 1, d)", "DATE_ADD(d, 1)"),
        ("snowflake", "dateadd(hour, 2, t)", "DATEADD(HOUR, 2, t)"),
        ("duckdb", "d + interval (a) day", "d + ( ( a ) * INTERVAL '1' DAY )"),
        ("duckdb", "date_trunc('month', d)", "TRUNC(d, 'MONTH')"),
        ("duckdb", "date_trunc('month', t)", "DATE_TRUNC('MONTH', t)"),
        ("duckdb", "l[1]", "GET(l, 0)"),
        ("duckdb", "len(l)", "SIZE(l)"),
        ("duckdb", "len(s)", "LENGTH(s)"),
        ("duckdb", "arbitrary(a)", "ANY_VALUE(a)"),
        ("duckdb", "median(x)", "MEDIAN(x)"),
    ],
)
def test_constructs_with_another_meaning_in_spark_are_rewritten(
    dialect: str, expression: str, expected: str
) -> None:
    assert (
        translated(f"select {expression} as v from orders", dialect)
        == f"SELECT {expected} AS v FROM orders"
    )


def test_types_are_known_through_ctes_and_stars() -> None:
    text = "with o as (select * from orders), p as (select o.*, a as c from o) select c / b as v from p"
    assert translated(text, "postgres").endswith("SELECT CAST(c / b AS BIGINT) AS v FROM p")


def test_percentiles_are_exact() -> None:
    found = translated(
        "select percentile_cont(0.5) within group (order by x) as m from orders", "postgres"
    )
    assert "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x" in found


def test_distinct_on_and_qualify_leave_no_column_behind() -> None:
    found = translated("select distinct on (a) * from orders order by a, b desc", "duckdb")
    assert found == (
        "SELECT * EXCEPT (_lineal_row) FROM ( SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY a NULLS LAST, "
        "b DESC) AS _lineal_row FROM orders ) AS _lineal WHERE _lineal_row = 1"
    )
    found = translated(
        "select o.*, b + 1 as k from orders o qualify row_number() over (partition by a order by k) = 1 and o.s <> 'x'",
        "snowflake",
    )
    assert found == (
        "SELECT * EXCEPT (_lineal_0) FROM ( SELECT o.*, b + 1 AS k, ROW_NUMBER() OVER (PARTITION BY a ORDER BY "
        "( b + 1 ) NULLS LAST) AS _lineal_0 FROM orders AS o ) AS _lineal WHERE _lineal_0 = 1 AND s <> 'x'"
    )


def test_ctes_stay_in_the_query_that_has_them() -> None:
    text = "(with q as (select 1 as x) select x from q) union all (with q as (select 2 as x) select x from q)"
    assert translated(text, "duckdb").count("WITH q AS") == 2


def test_a_text_that_cannot_be_read_says_where() -> None:
    with pytest.raises(Untranslatable, match="cannot be translated to Spark") as refused:
        Translator("duckdb", ALIASES, {}).query(
            Script("select a,\n  ) from t\n", "duckdb", "models/m.sql")
        )
    assert refused.value.place is not None and refused.value.place.line == 2


def test_inexact_translations_are_reported() -> None:
    found = Translator("snowflake", {}, {}).query(
        Script("select try_to_number(s) as n from t", "snowflake")
    )
    assert found.notes


def test_syntax_that_only_databricks_reads_is_translated() -> None:
    text = "select * from main.orders qualify row_number() over (partition by a order by b) = 1"
    translator = Translator("databricks", ALIASES, {}, accepts=lambda sql: "qualify" not in sql)
    found = translator.query(Script(text, "databricks"))
    assert not found.kept and "EXCEPT" in found.sql and "`orders`" in found.sql


# -- hooks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "change"),
    [
        ("DELETE FROM t WHERE a < 3", RowChange("delete", "t", "a < 3")),
        ("TRUNCATE TABLE t", RowChange("delete", "t")),
        (
            "UPDATE t SET a = b + 1, c = 2 WHERE d",
            RowChange("update", "t", "d", (("a", "b + 1"), ("c", "2"))),
        ),
        (
            "INSERT INTO s.t (a, b) SELECT 1, 2",
            RowChange("insert", "s.t", query="SELECT 1, 2", columns=("a", "b")),
        ),
        ("GRANT SELECT ON t TO x", None),
        ("SELECT 1", None),
        ("DELETE FROM t AS x WHERE x.a = 1", None),
    ],
)
def test_the_row_change_of_a_hook_is_recognized(sql: str, change: RowChange | None) -> None:
    assert Translator("spark", {}, {}).row_change(sql) == change


@pytest.mark.parametrize(
    ("dialect", "condition", "expected"),
    [
        ("duckdb", "regexp_matches(s, 'x', 'i')", "s RLIKE '(?i)x'"),
        ("duckdb", "regexp_matches(s, 'x')", "s RLIKE 'x'"),
        ("postgres", "s ~* 'x'", "s RLIKE '(?i)x'"),
        ("snowflake", "regexp_like(s, 'x')", "s RLIKE '^(?:x)$'"),
    ],
)
def test_the_flags_of_regular_expressions(dialect: str, condition: str, expected: str) -> None:
    assert (
        translated(f"select {condition} as a from t", dialect) == f"SELECT {expected} AS a FROM t"
    )


def test_flags_that_spark_does_not_have_are_refused() -> None:
    with pytest.raises(Untranslatable, match="the flags 'q'"):
        translated("select regexp_matches(s, 'x', 'q') as a from t", "duckdb")

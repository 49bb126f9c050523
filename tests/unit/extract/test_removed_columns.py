"""Columns taken out of SELECT lists: what stays is the same, row by row, when DuckDB runs it."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import duckdb
import pytest

from lineal.extract.sql.removals.sql_columns import remove_columns

TABLES = """
CREATE TABLE orders (id INT, customer_id INT, amount INT, tip INT, status TEXT, day DATE, tags TEXT[]);
INSERT INTO orders VALUES (1, 1, 60, 5, 'paid', DATE '2026-01-01', ['a', 'b']),
  (2, 1, 70, NULL, 'open', DATE '2026-01-02', ['b']), (3, 2, 20, 1, 'paid', DATE '2026-01-02', []),
  (4, 3, 90, 9, 'void', DATE '2026-01-04', NULL), (5, 3, 90, 9, 'void', DATE '2026-01-04', ['c']);
CREATE TABLE customers (id INT, name TEXT, country TEXT);
INSERT INTO customers VALUES (1, 'Ann', 'DE'), (2, 'Bob', 'FR'), (3, 'Cid', 'DE'), (4, 'Dee', NULL);
"""


class Case(NamedTuple):
    """A query, the columns to remove, those that go, and a word of the reason for those that stay."""

    sql: str
    columns: str
    removed: str = ""
    kept: str = ""
    lingering: str = ""


CASES = {
    "one line": Case("select id, amount, tip from orders", "amount", "amount"),
    "the first": Case("select id, amount, tip from orders", "id", "id"),
    "the last two": Case("select id, amount, tip from orders", "amount tip", "amount tip"),
    "lines": Case(
        "select\n  id,\n  amount, -- in cents\n  tip\nfrom orders\n", "amount tip", "amount tip"
    ),
    "commas first": Case("select\n    id\n  , amount\n  , tip\nfrom orders", "id tip", "id tip"),
    "an expression": Case(
        "select id, case when tip > 1 then 'x' else 'y' end as big, amount from orders",
        "big",
        "big",
    ),
    "a name without AS": Case("select id, amount * 2 twice, tip from orders", "twice", "twice"),
    "a quoted name": Case('select id, amount as "The Sum" from orders', "The Sum", "The Sum"),
    "a call with commas": Case(
        "select id, coalesce(tip, amount, 0) as t, amount from orders", "t", "t"
    ),
    "is distinct from": Case(
        "select id, tip is distinct from amount as odd, amount from orders", "odd", "odd"
    ),
    "all but one": Case("select id, tip from orders", "id tip", "id", "only column"),
    "distinct": Case("select distinct status, day from orders", "day", "", "DISTINCT"),
    "distinct on": Case(
        "select distinct on (customer_id) customer_id, amount, tip from orders order by customer_id, id",
        "tip",
        "",
        "DISTINCT",
    ),
    "an aggregate": Case(
        "select status, sum(amount) as s, max(tip) as t from orders group by status", "t", "t"
    ),
    "a key": Case(
        "select status, day, count(*) as n from orders group by status, day",
        "day",
        "",
        "grouping key",
    ),
    "a key with a table": Case(
        "select o.status, count(*) as n from orders o group by o.status",
        "status",
        "",
        "grouping key",
    ),
    "a key by its name": Case(
        "select year(day) as y, count(*) as n from orders group by y", "y", "", "grouping key"
    ),
    "a key by its expression": Case(
        "select year(day) as y, count(*) as n from orders group by year(day)",
        "y",
        "",
        "grouping key",
    ),
    "keys by position": Case(
        "select status, sum(amount) as s, max(tip) as t from orders group by 1", "s", "s"
    ),
    "a key by position": Case(
        "select sum(amount) as s, status, day from orders group by 2, 3", "s", "", "positions"
    ),
    "group by all": Case(
        "select status, sum(tip) as t from orders group by all", "status", "", "grouping key"
    ),
    "aggregates of all rows": Case(
        "select count(*) as n, 1 as one from orders", "n", "", "how many rows"
    ),
    "one aggregate of two": Case(
        "select count(*) as n, max(tip) as t, 1 as one from orders", "n", "", "how many rows"
    ),
    "rows from a list": Case(
        "select id, unnest(tags) as tag from orders", "tag", "", "how many rows"
    ),
    "a window": Case(
        "select id, row_number() over (partition by status order by id) as r, tip from orders",
        "r",
        "r",
    ),
    "qualify": Case(
        "select id, tip, row_number() over (partition by status order by id) as r from orders qualify r = 1",
        "r tip",
        "tip",
        "another part",
    ),
    "a lateral alias": Case(
        "select amount + 1 as more, more * 2 as most, id from orders", "more", "", "another part"
    ),
    "where with the same name": Case(
        "select id, status, tip from orders where status = 'paid'", "status", "status"
    ),
    "order by the alias": Case(
        "select id, amount + tip as total, tip from orders order by total",
        "total",
        "",
        "another part",
    ),
    "order by position": Case(
        "select id, amount, tip from orders order by 2", "id tip", "tip", "positions"
    ),
    "a union": Case(
        "select id, tip from orders union all select id, 0 from customers", "tip", "", "UNION"
    ),
    "except in a star": Case("select * exclude (tags) from orders", "tip", "", "passes"),
    "a star": Case("select * from orders", "tip", "", "passes"),
    "a star over a CTE": Case(
        "with renamed as (\n  select\n    id as order_id,\n    tip,\n    amount\n  from orders\n)\n"
        "select * from renamed",
        "tip order_id",
        "tip order_id",
    ),
    "a star over a CTE over a star": Case(
        "with source as (select * from orders), renamed as (select id as order_id, tip from source)"
        " select * from renamed",
        "tip",
        "tip",
    ),
    "a star over a CTE that another reads": Case(
        "with o as (select id, tip, amount from orders) select * from o where amount > (select avg(amount) from o)",
        "tip",
        "",
        "several queries",
    ),
    "a star over two": Case(
        "with a as (select id, tip from orders), b as (select id as cid, name from customers)"
        " select * from a join b on a.id = b.cid",
        "tip",
        "",
        "several datasets",
    ),
    "a star of one of two": Case(
        "with a as (select id, tip, amount from orders), b as (select id as cid, name from customers)"
        " select a.*, b.name from a join b on a.id = b.cid",
        "tip",
        "tip",
    ),
    "a CTE behind a column": Case(
        "with sums as (select customer_id, sum(amount) as s, max(tip) as t from orders group by customer_id)"
        " select c.id, sums.s, sums.t from customers c join sums on sums.customer_id = c.id",
        "t",
        "t",
    ),
    "a CTE whose column a join needs": Case(
        "with o as (select id, customer_id, tip from orders)"
        " select c.name, o.customer_id, o.tip from customers c join o on o.customer_id = c.id",
        "customer_id",
        "customer_id",
    ),
    "a CTE with DISTINCT": Case(
        "with o as (select distinct customer_id, status from orders)"
        " select c.name, o.status from customers c join o on o.customer_id = c.id",
        "status",
        "status",
        "",
        "status",
    ),
    "a subquery": Case(
        "select x.id, x.t from (select id, tip * 2 as t, amount from orders) x", "t", "t"
    ),
    "a scalar subquery": Case(
        "select id, (select max(tip) from orders) as top, name from customers", "top", "top"
    ),
    "using": Case(
        "with o as (select customer_id, tip from orders), c as (select id as customer_id, name from customers)"
        " select customer_id, name, tip from o join c using (customer_id)",
        "tip",
        "tip",
    ),
    "a column that an outer query filters": Case(
        "with o as (select id, status, tip from orders) select * from o where status = 'paid'",
        "status tip",
        "tip",
        "in addition to the star",
    ),
    "a view": Case("create view v as select id, tip from orders", "tip", "tip"),
    "a view with names": Case(
        "create view v (a, b) as select id, tip from orders", "b", "", "settings"
    ),
    "two of one name": Case("select id, tip, tip from orders", "tip", "", "two items"),
}


@pytest.mark.parametrize("name", CASES)
def test_remaining_columns_are_the_same(name: str) -> None:
    case = CASES[name]
    wanted = case.columns.split() if '"' not in case.sql else [case.columns]
    found = remove_columns(case.sql, "m.sql", "duckdb", wanted)
    expected = case.removed.split() if '"' not in case.sql else [case.removed]
    assert found.removed == expected
    kept = {**found.refused, **found.passed}
    assert set(kept) == set(wanted) - set(expected)
    assert all(case.kept in reason for reason in kept.values())
    assert found.lingering == set(case.lingering.split())
    before, after = rows_of(case.sql), rows_of(found.text)
    assert list(after) == [column for column in before if column not in expected]
    assert combined(after, list(after)) == combined(before, list(after))


def rows_of(sql: str) -> dict[str, list[object]]:
    """Return the columns of a query, each with its values in one order of rows."""
    database = duckdb.connect()
    database.execute(TABLES)
    if sql.startswith("create view"):
        database.execute(sql)
        sql = "select * from v"
    if " tip, tip " in sql:
        return {}
    found = database.execute(sql)
    columns = [column[0] for column in found.description or ()]
    rows = found.fetchall()
    return {column: [row[at] for row in rows] for at, column in enumerate(columns)}


def combined(table: dict[str, list[object]], columns: list[str]) -> Counter[str]:
    """Return the rows of some columns, in any order."""
    return Counter(map(repr, zip(*(table[column] for column in columns), strict=True)))


TEMPLATES = {
    "a macro in another item": (
        "select id, {{ cents('tip') }} as tip, {{ star('x') }} from {{ ref('o') }}",
        "id",
        "select {{ cents('tip') }} as tip, {{ star('x') }} from {{ ref('o') }}",
    ),
    "the item of a macro": (
        "select id, {{ cents('tip') }} as tip from {{ ref('o') }}",
        "tip",
        "select id from {{ ref('o') }}",
    ),
    "an item that a macro makes": ("select id, {{ star('x') }} from o", "tip", None),
    "a loop": ("select id, {% for m in ms %}{{ m }}_x, {% endfor %}tip from o", "tip", None),
    "an item behind a loop": (
        "select\n  id,\n  {% for m in ms %}\n  {{ m }}_x,\n  {% endfor %}\n  a,\n  tip\nfrom o",
        "a",
        "select\n  id,\n  {% for m in ms %}\n  {{ m }}_x,\n  {% endfor %}\n  tip\nfrom o",
    ),
    "a condition": ("select id, {% if x %} tip, {% endif %} a from o", "tip", None),
    "a key in config": ("{{ config(unique_key='tip') }}\nselect id, tip from o", "tip", None),
    "an incremental model": (
        "{{ config(materialized='incremental') }}\nselect id, tip from o",
        "tip",
        None,
    ),
    "a condition behind the list": (
        "select id, tip from o {% if target.name == 'dev' %} limit 10 {% endif %}",
        "tip",
        "select id from o {% if target.name == 'dev' %} limit 10 {% endif %}",
    ),
    "a comment of Jinja": ("select id, {# the tip #} tip from o", "tip", "select id from o"),
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_stay_whole(name: str) -> None:
    text, column, expected = TEMPLATES[name]
    found = remove_columns(text, "m.sql", "duckdb", [column])
    assert found.text == (text if expected is None else expected)
    assert bool(found.refused) == (expected is None)


def test_an_insert_matches_by_position() -> None:
    found = remove_columns("insert into t select id, tip from orders", "m.sql", "duckdb", ["tip"])
    assert found.refused == {"tip": "INSERT matches columns by position"}


def test_the_statement_at_a_line_is_edited() -> None:
    text = "create view a as\nselect id, tip from o;\ncreate view b as\nselect id, tip from o;\n"
    found = remove_columns(text, "m.sql", "duckdb", ["tip"], line=3)
    assert found.text == text[: text.rindex(", tip")] + " from o;\n"


def test_headers_of_sqlmesh_and_dataform_count_as_settings() -> None:
    mesh = "MODEL (name x, kind FULL, grain id);\n\nSELECT id, tip, a FROM t;\n"
    found = remove_columns(mesh, "m.sql", "duckdb", ["id", "tip"])
    assert found.text == mesh.replace(" tip,", "")
    assert found.refused == {"id": "the settings of the model name it"}
    sqlx = 'config { type: "table", uniqueKey: ["id"] }\nselect id, tip, ${f("a")} as a from ${ref("t")}\n'
    found = remove_columns(sqlx, "m.sqlx", "bigquery", ["id", "a"])
    assert found.text == sqlx.replace(', ${f("a")} as a', "")
    assert found.refused == {"id": "the settings of the model name it"}

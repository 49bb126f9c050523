"""What a change selects: every model whose result differs is selected, and DuckDB says which differ."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import pytest

import lineal
from lineal.graph.diff import diff
from lineal.graph.diff.selection import select_affected
from lineal.model.edge import Dataset

SOURCES = """
CREATE TABLE raw_orders (id INT, customer_id INT, amount INT, status TEXT, day DATE);
CREATE TABLE raw_customers (id INT, name TEXT, country TEXT);
"""
ROWS = """
INSERT INTO raw_orders VALUES (1, 1, 60, 'paid', DATE '2026-01-01'), (2, 1, 70, 'open', DATE '2026-01-02'),
  (3, 2, 20, 'paid', DATE '2026-01-02'), (4, 3, 90, 'void', DATE '2026-01-04');
INSERT INTO raw_customers VALUES (1, 'Ann', 'DE'), (2, 'Bob', 'FR'), (3, 'Cid', 'DE'), (4, 'Dee', 'IT');
"""
MODELS = {
    "stg_orders": "SELECT id, customer_id, amount, day FROM raw_orders WHERE status <> 'void'",
    "stg_customers": "SELECT id AS customer_id, name, country FROM raw_customers",
    "sums": "SELECT customer_id, sum(amount) AS total, count(*) AS n FROM stg_orders GROUP BY customer_id",
    "days": "SELECT DISTINCT day FROM stg_orders",
    "counted": "SELECT count(*) AS n FROM stg_orders",
    "customers": "SELECT c.customer_id, c.name, s.total FROM stg_customers c"
    " LEFT JOIN sums s ON s.customer_id = c.customer_id",
    "countries": "SELECT country, count(*) AS n FROM stg_customers GROUP BY country",
    "big": "SELECT customer_id FROM sums WHERE total > 100",
    "copied": "SELECT * FROM stg_customers",
}
ALL_OF_ORDERS = {"stg_orders", "sums", "days", "counted", "customers", "big"}

CHANGES = {
    "another layout": (
        {"stg_orders": "SELECT o.id, o.customer_id, o.amount, o.day\nFROM raw_orders AS o\nWHERE o.status <> 'void'"},
        set(),
    ),
    "a CTE": (
        {"countries": "WITH c AS (SELECT * FROM stg_customers) SELECT country, count(*) AS n FROM c GROUP BY country"},
        set(),
    ),
    "another value": (
        {"stg_orders": "SELECT id, customer_id, amount * 2 AS amount, day FROM raw_orders WHERE status <> 'void'"},
        {"stg_orders", "sums", "customers", "big"},
    ),
    "a key that is compared": (
        {"stg_orders": "SELECT id, customer_id, amount, day + 1 AS day FROM raw_orders WHERE status <> 'void'"},
        {"stg_orders", "days"},
    ),
    "other rows": (
        {"stg_orders": "SELECT id, customer_id, amount, day FROM raw_orders WHERE status <> 'void' AND amount > 50"},
        ALL_OF_ORDERS,
    ),
    "another literal in a filter": (
        {"stg_orders": "SELECT id, customer_id, amount, day FROM raw_orders WHERE status <> 'open'"},
        ALL_OF_ORDERS,
    ),
    "a column that few read": (
        {"stg_customers": "SELECT id AS customer_id, upper(name) AS name, country FROM raw_customers"},
        {"stg_customers", "customers", "copied"},
    ),
    "a new column": (
        {"stg_customers": "SELECT id AS customer_id, name, country, 1 AS one FROM raw_customers"},
        {"stg_customers", "copied"},
    ),
    "groups that are left out": (
        {"sums": f"{MODELS['sums']} HAVING sum(amount) > 30"},
        {"sums", "customers", "big"},
    ),
    "a column that is gone": (
        {"stg_customers": "SELECT id AS customer_id, name FROM raw_customers"},
        {"stg_customers", "countries", "copied"},
    ),
    "a model that is new": (
        {"fresh": "SELECT name FROM customers"},
        {"fresh"},
    ),
    "another join": (
        {"customers": MODELS["customers"].replace("LEFT JOIN", "JOIN")},
        {"customers"},
    ),
}  # fmt: skip
"""What is changed, and what has to run: written before the first run."""

Rows = list[tuple[object, ...]]


@pytest.mark.parametrize("change", CHANGES)
def test_changed_models_are_selected(change: str) -> None:
    edits, expected = CHANGES[change]
    after = {**MODELS, **edits}
    selected = selected_of(MODELS, after)
    assert selected == expected
    before, now = built(MODELS), built(after)
    differs = {name for name in after if before.get(name) != now[name]}
    assert differs <= selected


def test_another_description_selects_nothing() -> None:
    assert selected_of(MODELS, dict(MODELS)) == set()


def test_a_seed_with_other_rows_reaches_all_that_reads_it() -> None:
    same = graph_of(MODELS)
    found = diff(same, graph_of(MODELS))
    selected = select_affected(found, [Dataset("", "raw_customers")])
    assert {each.dataset.name for each in selected} == {
        "raw_customers", "stg_customers", "customers", "countries", "copied",
    }  # fmt: skip


def test_a_removed_model_selects_who_still_reads_it() -> None:
    after = {name: query for name, query in MODELS.items() if name != "sums"}
    assert selected_of(MODELS, after) == {"customers", "big"}


def test_a_repaired_model_selects_all_that_could_not_be_built() -> None:
    """The base names a missing column: nothing behind it was built."""
    broken = {"stg_customers": "SELECT id AS customer_id, name, country, email FROM raw_customers"}
    before, after = {**MODELS, **broken}, MODELS
    old, new = built(before), built(after)
    differs = {name for name in after if old[name] != new[name]}
    assert {"stg_customers", "customers", "countries", "copied"} <= differs
    found = diff(
        *(lineal.lineage({"s": SOURCES, **each}, "duckdb").graph for each in (before, after))
    )
    assert differs <= {each.dataset.name for each in select_affected(found)}


def graph_of(models: Mapping[str, str]) -> lineal.Graph:
    views = ";\n".join(f"CREATE TABLE {name} AS {query}" for name, query in models.items())
    return lineal.lineage(f"{SOURCES}{views}", dialect="duckdb").graph


def selected_of(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    found = diff(graph_of(before), graph_of(after))
    return {each.dataset.name for each in select_affected(found)}


def built(models: Mapping[str, str]) -> dict[str, Rows | str]:
    """The rows of each model; what cannot be built has the error for rows."""
    database = duckdb.connect()
    database.execute(SOURCES + ROWS)
    made: dict[str, Rows | str] = {}
    for name, query in models.items():
        try:
            database.execute(f"CREATE TABLE {name} AS {query}")
            made[name] = sorted(database.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
        except duckdb.Error as error:
            made[name] = str(error)
    return made

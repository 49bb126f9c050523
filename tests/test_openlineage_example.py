"""The query of seed 001 (OpenLineage's facet) and the model of seed 003, with the usages that they
list.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import lineal
from lineal.model.diagnostic import Severity

FACET = """\
INSERT INTO top_delivery_times (
    order_id,
    order_placed_on,
    order_delivered_on,
    order_delivery_time
)
SELECT
    order_id,
    order_placed_on,
    order_delivered_on,
    DATEDIFF(minute, order_placed_on, order_delivered_on) AS order_delivery_time,
FROM delivery_7_days
ORDER BY order_delivery_time DESC
LIMIT 1;
"""
SCHEMA = {
    "delivery_7_days": {
        "order_id": "int",
        "order_placed_on": "timestamp",
        "order_delivered_on": "timestamp",
    },
    "top_delivery_times": {
        "order_id": "int",
        "order_placed_on": "timestamp",
        "order_delivered_on": "timestamp",
        "order_delivery_time": "int",
    },
}
DIALECTS = [
    None,
    "",
    "snowflake",
    "redshift",
    "spark",
    "databricks",
    "tsql",
    "duckdb",
    "clickhouse",
    "bigquery",
]

FIELDS = {
    ("order_id", "order_id"): {"IDENTITY"},
    ("order_placed_on", "order_placed_on"): {"IDENTITY"},
    ("order_delivered_on", "order_delivered_on"): {"IDENTITY"},
    ("order_placed_on", "order_delivery_time"): {"TRANSFORMATION"},
    ("order_delivered_on", "order_delivery_time"): {"TRANSFORMATION"},
}
ROWS = {"order_placed_on": {"SORT"}, "order_delivered_on": {"SORT"}}


@pytest.mark.parametrize("schema", [None, SCHEMA], ids=["no schema", "schema"])
@pytest.mark.parametrize(
    "text", [FACET, FACET.replace("time,\nFROM", "time\nFROM")], ids=["trailing comma", "none"]
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_facet_is_that_of_the_specification(
    dialect: str | None, text: str, schema: Mapping[str, object] | None
) -> None:
    found = lineal.lineage(text, dialect=dialect, schema=schema)
    assert [str(each) for each in found.diagnostics if each.severity > Severity.INFO] == []
    assert {edge.source.dataset.name for edge in found.edges} == {"delivery_7_days"}
    assert {edge.into.name for edge in found.edges} == {"top_delivery_times"}
    fields = {
        (edge.source.name, edge.target.name): {usage.how.value for usage in edge.usages}
        for edge in found.edges
        if isinstance(edge.target, lineal.Column)
    }
    rows = {
        edge.source.name: {usage.how.value for usage in edge.usages}
        for edge in found.edges
        if not edge.field_level
    }
    assert (fields, rows) == (FIELDS, ROWS)
    assert not any(usage.masked for edge in found.edges for usage in edge.usages)
    assert {
        usage.how.type for edge in found.edges for usage in edge.usages if edge.field_level
    } == {"DIRECT"}
    assert {
        usage.how.type for edge in found.edges for usage in edge.usages if not edge.field_level
    } == {"INDIRECT"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_date_part_is_not_a_column(dialect: str | None) -> None:
    found = lineal.lineage(FACET, dialect=dialect)
    named = {column.name for column in found.columns} | {read.column for read in found.reads}
    assert "minute" not in {name.lower() for name in named if name}


@pytest.mark.parametrize("dialect", [None, "", "snowflake", "redshift", "spark"])
def test_the_reads_name_the_clauses(dialect: str | None) -> None:
    found = lineal.lineage(FACET, dialect=dialect)
    sorted_by = {read.column for read in found.reads if read.clause.value == "ORDER BY"}
    assert sorted_by <= {"order_placed_on", "order_delivered_on"}
    assert {read.column for read in found.reads} - {None} == {
        "order_id",
        "order_placed_on",
        "order_delivered_on",
    }


CUSTOMERS = """\
SELECT
  c.customer_id as customer_id,
  c.first_name,
  c.last_name,
  COUNT(o.order_id) as total_orders,
  SUM(o.amount) as total_spent
FROM stg_customers c
LEFT JOIN stg_orders o ON c.customer_id = o.customer_id
GROUP BY c.customer_id, c.first_name, c.last_name
"""
CUSTOMER_ROWS = [
    ("stg_customers", "customer_id", "customers", "customer_id", "direct", 0.95),
    ("stg_customers", "first_name", "customers", "first_name", "direct", 0.95),
    ("stg_customers", "last_name", "customers", "last_name", "direct", 0.95),
    ("stg_orders", "order_id", "customers", "total_orders", "aggregation", 0.90),
    ("stg_orders", "amount", "customers", "total_spent", "aggregation", 0.90),
]


@pytest.mark.parametrize("dialect", [None, "spark", "snowflake", "postgres", "bigquery"])
def test_the_customers_model(dialect: str | None) -> None:
    found = lineal.lineage({"customers": CUSTOMERS}, dialect=dialect)
    rows = [
        (
            *str(edge.source).split("."),
            *str(edge.target).split("."),
            edge.transformation_type,
            edge.score,
        )
        for edge in found.edges
        if edge.field_level
    ]
    assert rows == CUSTOMER_ROWS


def test_its_join_and_its_groups_are_of_the_dataset() -> None:
    found = lineal.lineage({"customers": CUSTOMERS})
    rows = {
        str(edge.source): {usage.how.value for usage in edge.usages}
        for edge in found.edges
        if not edge.field_level
    }
    assert rows == {
        "stg_customers.customer_id": {"JOIN", "GROUP_BY"},
        "stg_customers.first_name": {"GROUP_BY"},
        "stg_customers.last_name": {"GROUP_BY"},
        "stg_orders.customer_id": {"JOIN"},
    }
    assert {edge.score for edge in found.edges if not edge.field_level} == {0.75}

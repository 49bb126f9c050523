"""The rows view, and the five rows of the customers model that it was asked for with."""

from __future__ import annotations

import csv
import json

import pytest

import lineal

CUSTOMERS = {
    "customers": """
        SELECT
          c.customer_id AS customer_id,
          c.first_name,
          c.last_name,
          COUNT(o.order_id) AS total_orders,
          SUM(o.amount) AS total_spent
        FROM stg_customers c
        LEFT JOIN stg_orders o ON c.customer_id = o.customer_id
        GROUP BY c.customer_id, c.first_name, c.last_name
    """
}
EXPECTED = [
    ("stg_customers", "customer_id", "customers", "customer_id", "direct", 0.95),
    ("stg_customers", "first_name", "customers", "first_name", "direct", 0.95),
    ("stg_customers", "last_name", "customers", "last_name", "direct", 0.95),
    ("stg_orders", "order_id", "customers", "total_orders", "aggregation", 0.90),
    ("stg_orders", "amount", "customers", "total_spent", "aggregation", 0.90),
]
HEADER = ["source", "source_column", "target", "target_column", "transformation_type", "confidence"]


def test_the_customers_model_has_its_five_rows() -> None:
    header, *rows = csv.reader(lineal.lineage(CUSTOMERS).to("rows").splitlines())
    assert header == HEADER
    assert [(*row[:5], float(row[5])) for row in rows] == EXPECTED
    assert [row[5] for row in rows] == ["0.95", "0.95", "0.95", "0.90", "0.90"]


def test_json_has_the_same_rows() -> None:
    made = json.loads(lineal.lineage(CUSTOMERS).to("rows-json"))
    assert [tuple(row.values()) for row in made] == EXPECTED
    assert list(made[0]) == HEADER


def test_the_same_rows_by_target_column() -> None:
    made = json.loads(lineal.lineage(CUSTOMERS).to("rows-grouped"))
    keys = ("table", "column", "transformation_type", "confidence")
    assert made == [
        {
            "target": target,
            "target_column": name,
            "source_columns": [dict(zip(keys, (source, column, kind, score), strict=True))],
        }
        for source, column, target, name, kind, score in EXPECTED
    ]
    assert list(made[0]) == ["target", "target_column", "source_columns"]


def test_a_column_has_all_of_its_sources_and_a_literal_has_no_source() -> None:
    sql = {
        "a": "SELECT x + y AS z, 1 AS one, t.x FROM t",
        "b": "SELECT z, one FROM a UNION ALL SELECT x, max(q) OVER (PARTITION BY p) FROM u",
    }
    found = lineal.lineage(sql)
    grouped = [
        (
            each.target,
            each.target_column,
            [(source.table, source.column) for source in each.source_columns],
        )
        for each in found.relations()
    ]
    assert grouped == [
        ("a", "z", [("t", "x"), ("t", "y")]),
        ("a", "x", [("t", "x")]),
        ("b", "z", [("a", "z"), ("u", "x")]),
        ("b", "one", [("a", "one"), ("u", "p"), ("u", "q")]),
    ]
    assert [each.target_column for each in found.relations("A")] == ["z", "x"]
    kinds = {source.transformation_type for source in found.relations("b")[1].source_columns}
    assert kinds == {"direct", "window_function"}
    with pytest.raises(lineal.UnknownName, match="unknown dataset c"):
        found.relations("c")


def test_a_trace_is_grouped_too() -> None:
    found = lineal.lineage({"a": "SELECT x AS y, k FROM t", "b": "SELECT y AS z, k FROM a"})
    assert [each["target_column"] for each in json.loads(found.to("rows-grouped", "b.z"))] == [
        "y",
        "z",
    ]


@pytest.mark.parametrize(
    ("expression", "kind", "score"),
    [
        ("rank() OVER (ORDER BY a)", "window_function", "0.75"),
        ("lag(a) OVER (ORDER BY b)", "window_function", "0.85"),
        ("sum(a) OVER (PARTITION BY b)", "window_function", "0.85"),
        ("a + 1", "expression", "0.80"),
        ("CASE WHEN a > 1 THEN 1 END", "expression", "0.75"),
    ],
)
def test_transformation_types(expression: str, kind: str, score: str) -> None:
    rows = list(
        csv.reader(
            lineal.lineage({"m": f"SELECT {expression} AS x FROM t"}).to("rows").splitlines()
        )
    )
    assert [row[4:] for row in rows if row[1] == "a"] == [[kind, score]]


def test_a_field_keeps_its_path_and_doubt_lowers_the_number() -> None:
    rows = (
        lineal.lineage({"m": "SELECT t.s.x AS y, z FROM t JOIN u ON t.id = u.id"}, "spark")
        .to("rows")
        .splitlines()
    )
    assert rows[1:] == ["t,s.x,m,y,expression,0.80", "t,z,m,z,direct,0.475", "u,z,m,z,direct,0.475"]


def test_odd_names_stay_one_cell_and_one_line() -> None:
    made = lineal.lineage({'a,"b': 'SELECT "x,\n\ty" AS "z""q" FROM t'}, "postgres").to("rows")
    [_, row] = csv.reader(made.splitlines())
    assert row == ["t", "x,\\n\\ty", 'a,"b', 'z"q', "direct", "0.95"]


def test_nothing_is_an_empty_list() -> None:
    found = lineal.lineage({"m": "SELECT 1 AS x"})
    assert found.to("rows") == ",".join(HEADER) + "\n"
    assert json.loads(found.to("rows-json")) == []
    assert json.loads(found.to("rows-grouped")) == found.relations() == []

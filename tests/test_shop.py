"""The sample project of seed 000: every row of its matrices, chains, traces and counts comes out as
listed there.

The expectations are data (tests/data/shop/*.tsv), transcribed from the seed's "Test Harness". The
PySpark models, which the seed does not have, stand downstream of its models; python.tsv lists their
edges.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

import lineal
from lineal.graph.describe import description_status

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data" / "shop"


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


EDGES, INSPECT, COUNTS = rows("edges"), rows("inspect"), rows("counts")
UPSTREAM, DOWNSTREAM, PYTHON = rows("upstream"), rows("downstream"), rows("python")
MODELS = [row["model"] for row in COUNTS]
CHAINS = list(dict.fromkeys((row["chain_model"], row["chain_column"]) for row in UPSTREAM))
PYTHON_MODELS = list(dict.fromkeys(row["model"] for row in PYTHON))
STARTS = list(dict.fromkeys(row["start"] for row in DOWNSTREAM))

EXACT = (
    "count", "max", "cast", "coalesce", "nullif", "coalesce+sum", "cast+multiply", "cents_to_dollars", "safe_divide",
)  # fmt: skip
BEGINS = {
    "case": "case",
    "nested case": "case",
    "subtraction": "subtract",
}
"""The seed's words for a transform: those of semantics §4, and those that say how its calls begin.
"""


@cache
def shop() -> lineal.Lineage:
    return lineal.lineage(ROOT / "examples" / "shop")


def into(model: str, *, field_level: bool) -> list[lineal.Edge]:
    edges = [
        edge for edge in shop().edges if edge.into.name == model and edge.field_level == field_level
    ]
    return (
        edges if field_level else [edge for edge in edges if not shop().graph.also_selected(edge)]
    )


def named(columns: Iterable[str]) -> str:
    return ".".join(columns)


def edge_id(row: dict[str, str]) -> str:
    return f"{row['source_model']}.{row['source_column']}->{row['model']}.{row['target_column']}"


# -- the per-model matrices ------------------------------------------------------------------------


@pytest.mark.parametrize("row", EDGES, ids=edge_id)
def test_edge(row: dict[str, str]) -> None:
    source, target = (
        f"{row['source_model']}.{row['source_column']}",
        f"{row['model']}.{row['target_column']}",
    )
    found = [
        edge for edge in shop().edges if (str(edge.source), str(edge.target)) == (source, target)
    ]
    assert [edge.kind for edge in found] == [row["kind"]]
    assert found[0].level is found[0].level.HIGH and not found[0].ambiguous
    if row["desc_status"] != "n/a":
        assert description_status(shop().graph, found[0]) == row["desc_status"]


@pytest.mark.parametrize("model", MODELS)
def test_a_model_has_its_edges_and_no_others(model: str) -> None:
    found = {
        (str(edge.target), str(edge.source), edge.kind) for edge in into(model, field_level=True)
    }
    assert found == {
        (
            f"{model}.{row['target_column']}",
            f"{row['source_model']}.{row['source_column']}",
            row["kind"],
        )
        for row in EDGES
        if row["model"] == model
    }


@pytest.mark.parametrize("model", MODELS)
def test_a_model_has_its_inspect_edges_and_no_others(model: str) -> None:
    found = {(str(edge.source), ", ".join(edge.used_in)) for edge in into(model, field_level=False)}
    listed = [row for row in INSPECT if row["model"] == model]
    assert found == {
        (f"{row['source_model']}.{row['source_column']}", row["used_in"]) for row in listed
    }


@pytest.mark.parametrize("row", COUNTS, ids=lambda row: row["model"])
def test_each_model_has_the_expected_counts(row: dict[str, str]) -> None:
    assert len(into(row["model"], field_level=True)) == int(row["select_edges"])
    assert len(into(row["model"], field_level=False)) == int(row["inspect_edges"])


def test_the_project_has_the_expected_totals() -> None:
    """104 SELECT edges and 9 inspect edges; the seed's total of 8 is a slip, its own rows add up to
    9.
    """
    assert len(MODELS) == 16
    assert len(EDGES) == sum(len(into(model, field_level=True)) for model in MODELS) == 104
    assert len(INSPECT) == sum(len(into(model, field_level=False)) for model in MODELS) == 9


def test_every_edge_leads_into_a_model_or_the_function() -> None:
    assert {edge.into.name for edge in shop().edges} == {
        *MODELS,
        *PYTHON_MODELS,
        "order_volume_by_status",
    }


def test_the_literal_of_the_union_is_a_column_without_sources() -> None:
    assert "int_all_orders.source" in map(str, shop().columns)
    assert shop().upstream("int_all_orders.source") == []


def test_nothing_is_in_doubt() -> None:
    assert [
        str(diagnostic) for diagnostic in shop().diagnostics if diagnostic.severity.label != "info"
    ] == []
    coverage = shop().coverage
    assert coverage.statements.found == coverage.statements.parsed == coverage.statements.evaluated
    assert (coverage.columns.ambiguous, coverage.columns.unresolved) == (0, 0)


# -- the traces ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "column"), CHAINS, ids=map(named, CHAINS))
def test_upstream_chain(model: str, column: str) -> None:
    found = [
        (str(edge.source), str(edge.target), edge.kind)
        for edge in shop().upstream(f"{model}.{column}")
    ]
    listed = [
        row for row in UPSTREAM if (row["chain_model"], row["chain_column"]) == (model, column)
    ]
    assert len(found) == len(set(found))
    assert set(found) == {(row["source"], row["target"], row["kind"]) for row in listed}


@pytest.mark.parametrize("model", dict.fromkeys(model for model, _ in CHAINS))
def test_every_column_of_a_traced_model_has_its_chain(model: str) -> None:
    """A column without a chain in the seed would be one that nothing asserts."""
    columns = {str(column) for column in shop().columns if column.dataset.name == model}
    assert columns == {f"{each}.{column}" for each, column in CHAINS if each == model}


TRANSFORMS = sorted(
    {(row["source"], row["target"], row["transform"]) for row in UPSTREAM if row["transform"]}
)


@pytest.mark.parametrize(
    ("source", "target", "word"), TRANSFORMS, ids=[f"{t[0]}->{t[1]}" for t in TRANSFORMS]
)
def test_transform(source: str, target: str, word: str) -> None:
    (edge,) = (
        edge for edge in shop().edges if (str(edge.source), str(edge.target)) == (source, target)
    )
    made = {usage.transform for usage in edge.usages}
    if word in EXACT:
        assert made == {word}
    elif word in BEGINS:
        assert {transform.split("+")[0] for transform in made} == {BEGINS[word]}
    else:
        assert word == "expression"
        assert made and "direct" not in made


@pytest.mark.parametrize("start", STARTS)
def test_downstream_trace(start: str) -> None:
    found = [
        (
            str(edge.source),
            str(edge.target),
            edge.kind,
            ", ".join(edge.used_in) if edge.kind == "inspect" else "",
        )
        for edge in shop().downstream(start)
        if edge.into.name not in PYTHON_MODELS
    ]
    listed = [row for row in DOWNSTREAM if row["start"] == start]
    assert len(found) == len(set(found)) == {"raw_customers.id": 8, "raw_orders.amount": 20}[start]
    assert set(found) == {
        (row["source"], row["target"], row["kind"], row["used_in"]) for row in listed
    }


# -- the PySpark models ----------------------------------------------------------------------------


@pytest.mark.parametrize("model", PYTHON_MODELS)
def test_a_python_model_has_its_edges_and_no_others(model: str) -> None:
    values = {
        (str(edge.target), str(edge.source), edge.kind, "")
        for edge in into(model, field_level=True)
    }
    decide = {
        (model, str(edge.source), "inspect", ", ".join(edge.used_in))
        for edge in into(model, field_level=False)
    }
    assert values | decide == {
        (
            f"{model}.{row['target_column']}" if row["target_column"] else model,
            f"{row['source_model']}.{row['source_column']}",
            row["kind"],
            row["used_in"],
        )
        for row in PYTHON
        if row["model"] == model
    }


def test_a_chain_passes_through_sql_and_pyspark() -> None:
    assert len(PYTHON_MODELS) == 5
    found = {str(edge.target) for edge in shop().downstream("raw_orders.amount")}
    assert {"stg_orders.amount", "fct_orders.amount", "feat_customer_orders.running_total"} <= found
    assert "rpt_customer_segments.segment" in found
    assert "rpt_revenue_by_status.completed" in found


def test_depths_count_the_hops_from_the_start() -> None:
    depths = {str(edge.target): edge.depth for edge in shop().upstream("dim_customers.customer_id")}
    assert depths == {
        "dim_customers.customer_id": 1,
        "int_customer_metrics.customer_id": 2,
        "stg_customers.customer_id": 3,
    }


def test_the_trace_continues_through_the_table_function() -> None:
    """The seed stops at the function's output; semantics §5 continues, since the body is known."""
    found = {
        (str(edge.source), str(edge.target)) for edge in shop().upstream("rpt_order_volume.status")
    }
    assert ("order_volume_by_status.status", "rpt_order_volume.status") in found
    assert ("fct_orders.status", "order_volume_by_status.status") in found
    assert ("raw_orders.status", "stg_orders.status") in found
    down = {str(edge.target) for edge in shop().downstream("raw_orders.status")}
    assert {"order_volume_by_status.status", "rpt_order_volume.status"} <= down

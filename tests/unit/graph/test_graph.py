from __future__ import annotations

from itertools import pairwise
from time import process_time

import pytest
from handmade import column, dataset, extraction, graph, ranking, usages

import lineal
from lineal.graph.graph import Graph, UnknownName
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import DatasetInfo, Extraction


def test_names_are_found_whatever_their_case() -> None:
    found = graph("Orders.Id -> Mart.Order_Id")
    assert found.dataset("MART") == dataset("Mart")
    assert found.column("orders.ID") == column("Orders.Id")
    assert found.find("mart.order_id") == column("Mart.Order_Id")
    assert found.find("mart") == dataset("Mart")


def test_of_several_spellings_the_exact_one_wins() -> None:
    found = graph("a.x -> T.x\na.x -> t.x\na.x -> t.X")
    assert found.dataset("t") == dataset("t")
    assert found.column("t.X") == column("t.X")
    with pytest.raises(UnknownName, match="could be any of"):
        graph("a.x -> Tt.x\na.x -> tT.x").dataset("tt")


def test_a_test_does_not_take_the_name_of_the_model_that_it_checks() -> None:
    orders, check = Dataset("", "prod.sales.orders"), Dataset("", "not_null:prod.sales.orders")
    infos = {orders: DatasetInfo(orders, "model"), check: DatasetInfo(check, "test")}
    found = Graph(Extraction([], datasets=infos))
    assert found.dataset("orders") == orders
    assert found.dataset("not_null:prod.sales.orders") == check


def test_a_dataset_is_found_by_the_last_parts_of_its_name() -> None:
    orders = Dataset("", "prod.sales.orders")
    found = Graph(Extraction([Edge(Column(orders, "id"), column("v.id"), usages("IDENTITY"))]))
    assert found.dataset("orders") == found.dataset("sales.orders") == orders
    assert (
        found.column("sales.orders.id")
        == found.column("prod.sales.orders.id")
        == Column(orders, "id")
    )
    assert found.find("sales.orders") == orders


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            "int_customer_rankin.customer_id",
            "unknown dataset int_customer_rankin; did you mean int_customer_ranking?",
        ),
        ("stg_orders.amout", "unknown column amout in stg_orders; did you mean amount?"),
        ("stg_orders.zzzzz", "unknown column zzzzz in stg_orders"),
        ("stg_orders", "stg_orders names no column: write dataset.column"),
        ("amout", "unknown column amout; did you mean amount?"),
    ],
)
def test_an_unknown_name_is_reported_with_a_suggestion(asked: str, said: str) -> None:
    with pytest.raises(UnknownName) as caught:
        ranking().column(asked)
    assert str(caught.value) == said


def test_a_column_without_its_dataset_is_found_where_one_dataset_has_it() -> None:
    assert ranking().column("VALUE_PER_ORDER") == column("int_customer_ranking.value_per_order")
    nested = graph("t.address.city -> v.town")
    assert nested.column("address.city") == column("t.address.city")


def test_a_column_that_several_datasets_have_lists_them_sorted_and_cut_at_twenty() -> None:
    many = graph("\n".join(f"t{number:02}.x -> v{number}.y{number}" for number in range(23)))
    with pytest.raises(UnknownName) as caught:
        many.column("x")
    said = str(caught.value)
    assert said.startswith("23 datasets have a column x: write one of t00.x, t01.x, ")
    assert said.endswith(", t19.x and 3 more")


def test_edges_come_in_the_order_of_definition_with_rows_last() -> None:
    edges = [
        str(edge).split("  ")[0]
        for edge in ranking().edges
        if edge.into.name == "int_customer_ranking"
    ]
    assert edges == [
        "stg_customers.customer_id -> int_customer_ranking.customer_id",
        "stg_customers.customer_name -> int_customer_ranking.customer_name",
        "int_customer_metrics.lifetime_value -> int_customer_ranking.lifetime_value",
        "int_customer_metrics.lifetime_value -> int_customer_ranking.value_or_zero",
        "int_customer_metrics.total_orders -> int_customer_ranking.nonzero_orders",
        "int_customer_metrics.total_orders -> int_customer_ranking.value_per_order",
        "int_customer_metrics.lifetime_value -> int_customer_ranking.value_per_order",
        "stg_customers.customer_id => int_customer_ranking",
        "int_customer_metrics.customer_id => int_customer_ranking",
    ]


def test_an_inspect_edge_knows_whether_its_column_is_selected_too() -> None:
    found = {
        str(edge): ranking().also_selected(edge) for edge in ranking().edges if not edge.field_level
    }
    assert found["stg_customers.customer_id => int_customer_ranking  JOIN"] is True
    assert found["int_customer_metrics.customer_id => int_customer_ranking  JOIN"] is False


def test_a_field_that_is_filtered_is_not_the_field_that_is_selected() -> None:
    found = graph("t.address.zip -> v.zip\nt.address.city => v  FILTER\nt.address => v  SORT")
    said = [found.also_selected(edge) for edge in found.edges if not edge.field_level]
    assert sorted(said) == [False, True]  # the city is not selected, the address in part is


def test_columns_are_those_listed_then_those_that_edges_name() -> None:
    made = extraction("t.a -> v.a\n-> v.literal")
    made.edges.append(Edge(column("v.learnt"), column("w.x"), usages("IDENTITY")))
    assert [each.name for each in Graph(made).columns(dataset("v"))] == ["a", "literal", "learnt"]


def test_100_000_edges_are_indexed_in_well_under_a_second() -> None:
    one = usages("IDENTITY")
    sets = [Dataset("", f"t{number}") for number in range(1_001)]
    columns = [[Column(each, f"c{position}") for position in range(100)] for each in sets]
    edges = [Edge(a, b, one) for pair in pairwise(columns) for a, b in zip(*pair, strict=True)]
    made = Extraction(edges, datasets={each: DatasetInfo(each, "view") for each in sets})
    before = process_time()
    found = Graph(made)
    assert process_time() - before < 1.0
    assert len(found.edges) == 100_000


def test_a_name_that_is_not_known_is_repeated_without_its_password() -> None:
    graph = Graph(lineal.lineage("CREATE VIEW v AS SELECT a FROM t").extraction)
    for ask in (graph.dataset, graph.column):
        with pytest.raises(UnknownName) as caught:
            ask("s3a://KEY:hushhush@lake/orders")
        assert "lake/orders" in str(caught.value)
        assert "hushhush" not in str(caught.value)

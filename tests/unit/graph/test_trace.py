from __future__ import annotations

from handmade import LINEAGEX, column, graph, ranking

from lineal.graph.graph import Graph
from lineal.graph.trace import TracedEdge, downstream, upstream


def said(found: list[TracedEdge]) -> list[str]:
    return [f"{traced.depth} {traced.source} {traced.kind} {traced.target}" for traced in found]


def up(found: Graph, start: str, **options: int) -> list[str]:
    return said(upstream(found, [column(start)], **options))  # type: ignore[arg-type]


def down(found: Graph, start: str, depth: int | None = None) -> list[str]:
    return said(downstream(found, [column(start)], depth=depth))


def test_upstream_follows_values_to_their_origins() -> None:
    assert up(ranking(), "int_customer_ranking.value_or_zero") == [
        "1 int_customer_metrics.lifetime_value transform int_customer_ranking.value_or_zero",
        "2 stg_orders.amount transform int_customer_metrics.lifetime_value",
        "3 raw_orders.amount copy stg_orders.amount",
    ]


def test_upstream_with_rows_adds_what_decides_the_rows_on_the_way() -> None:
    assert up(ranking(), "int_customer_ranking.lifetime_value", with_rows=True) == [
        "1 int_customer_metrics.customer_id inspect int_customer_ranking",
        "1 int_customer_metrics.lifetime_value copy int_customer_ranking.lifetime_value",
        "1 stg_customers.customer_id inspect int_customer_ranking",
        "2 stg_customers.customer_id inspect int_customer_metrics",
        "2 stg_orders.amount transform int_customer_metrics.lifetime_value",
        "2 stg_orders.customer_id inspect int_customer_metrics",
        "3 raw_orders.amount copy stg_orders.amount",
    ]


def test_with_rows_does_not_say_twice_what_the_trace_has() -> None:
    rows = up(ranking(), "int_customer_ranking.customer_id", with_rows=True)
    assert "1 stg_customers.customer_id inspect int_customer_ranking" not in rows
    assert "1 int_customer_metrics.customer_id inspect int_customer_ranking" in rows


def test_downstream_has_inspect_edges_as_leaves() -> None:
    assert down(ranking(), "raw_customers.id") == [
        "1 raw_customers.id rename stg_customers.customer_id",
        "2 stg_customers.customer_id copy int_customer_metrics.customer_id",
        "2 stg_customers.customer_id copy int_customer_ranking.customer_id",
        "3 int_customer_metrics.customer_id inspect int_customer_ranking",
    ]


def test_depth_bounds_a_trace() -> None:
    assert len(up(ranking(), "int_customer_ranking.value_or_zero", depth=2)) == 2
    assert len(down(ranking(), "raw_customers.id", 2)) == 3
    assert up(ranking(), "int_customer_ranking.value_or_zero", depth=0) == []


def test_each_edge_is_listed_once_at_its_shortest_depth() -> None:
    found = graph("a.x -> b.x\nb.x -> c.x\na.x -> c.x\nc.x -> d.x")
    assert up(found, "d.x") == [
        "1 c.x copy d.x",
        "2 a.x copy c.x",
        "2 b.x copy c.x",
        "3 a.x copy b.x",
    ]
    assert down(found, "a.x") == [
        "1 a.x copy b.x",
        "1 a.x copy c.x",
        "2 b.x copy c.x",
        "2 c.x copy d.x",
    ]


def test_cycles_end() -> None:
    found = graph("a.x -> b.x\nb.x -> a.x\na.x -> a.x")
    assert len(up(found, "a.x")) == len(down(found, "a.x")) == 3


def test_a_field_and_its_column_are_connected() -> None:
    found = graph(
        "raw.json -> t.address\nt.address.city -> v.city\nt.address -> w.address\nt.address.zip => u  FILTER"
    )
    assert up(found, "v.city") == ["1 t.address.city rename v.city", "2 raw.json rename t.address"]
    assert down(found, "t.address") == [
        "1 t.address copy w.address",
        "1 t.address.city rename v.city",
        "1 t.address.zip inspect u",
    ]
    assert down(found, "t.address.city") == [
        "1 t.address copy w.address",
        "1 t.address.city rename v.city",
    ]


def test_a_trace_goes_through_an_open_star_with_doubt() -> None:
    found = graph("t.* -> v.*\nv.x -> w.x\nt.y -> v.y")
    found.infos[column("v.x").dataset].columns = [
        info for info in found.infos[column("v.x").dataset].columns if info.name != "x"
    ]
    traced = upstream(found, [column("w.x")])
    assert said(traced) == ["1 v.x copy w.x", "2 t.x copy v.x"]
    assert traced[1].level.name == "MEDIUM" and not traced[1].ambiguous
    assert up(found, "v.y") == ["1 t.y copy v.y"]
    assert said(downstream(found, [column("t.x")])) == ["1 t.x copy v.x", "2 v.x copy w.x"]


def test_behind_two_open_stars_both_are_candidates() -> None:
    found = graph("a.* -> v.*\nb.* -> v.*")
    traced = upstream(found, [column("v.x")])
    assert said(traced) == ["1 a.x copy v.x", "1 b.x copy v.x"]
    assert all(each.ambiguous and each.level.name == "LOW" for each in traced)


def test_a_chain_of_20_000_hops_is_walked_without_recursion() -> None:
    hops = 20_000
    found = graph("\n".join(f"t{number}.x -> t{number + 1}.x" for number in range(hops)))
    assert upstream(found, [column(f"t{hops}.x")])[-1].depth == hops
    assert downstream(found, [column("t0.x")])[-1].depth == hops


def test_the_three_views_of_lineagex() -> None:
    found = graph(LINEAGEX)
    assert down(found, "web.page") == [
        "1 web.page rename webact.wpage",
        "1 web.page rename webinfo.wpage",
        "2 webact.wpage copy info.wpage",
        "2 webinfo.wpage copy webact.wpage",
    ]


def test_a_traced_edge_has_all_that_its_edge_has() -> None:
    (traced,) = upstream(graph("t.a -> v.b  AGGREGATION sum"), [column("v.b")])
    assert traced.transformation_type == "aggregation" and traced.score == 0.9
    assert str(traced) == "t.a -> v.b  AGGREGATION"

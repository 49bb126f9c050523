from __future__ import annotations

from handmade import LINEAGEX, column, graph

from lineal.graph.graph import Graph
from lineal.graph.impact import impact


def why(found: Graph, start: str) -> dict[str, str]:
    return {str(each.column): each.why for each in impact(found, column(start))}


def test_example_1_of_lineagex() -> None:
    assert why(graph(LINEAGEX), "web.page") == {
        "webinfo.wpage": "contributed",
        "webact.wpage": "both",
        "info.wpage": "both",
        "webact.wcid": "referenced",
        "webact.wdate": "referenced",
        "webact.wreg": "referenced",
        "info.name": "referenced",
        "info.age": "referenced",
        "info.oid": "referenced",
        "info.wcid": "referenced",
        "info.wdate": "referenced",
        "info.wreg": "referenced",
    }


def test_the_surest_and_nearest_come_first() -> None:
    found = [(str(each.column), each.depth) for each in impact(graph(LINEAGEX), column("web.page"))]
    assert found[:5] == [
        ("webact.wpage", 1),
        ("webinfo.wpage", 1),
        ("info.wpage", 2),
        ("webact.wcid", 1),
        ("webact.wdate", 1),
    ]


def test_a_path_says_how_a_column_is_reached() -> None:
    found = impact(graph(LINEAGEX), column("web.page"))
    paths = {str(each.column): [str(step) for step in each.path] for each in found}
    assert paths["info.wpage"] == ["web.page", "webact.wpage", "info.wpage"]
    assert paths["webact.wreg"] == ["web.page", "webact", "webact.wreg"]
    assert paths["info.age"] == ["web.page", "webact", "webact.wcid", "info", "info.age"]


def test_rows_decide_columns_without_sources_too() -> None:
    assert why(graph("t.a => v  FILTER\n-> v.one"), "t.a") == {"v.one": "referenced"}


def test_a_column_does_not_reach_itself() -> None:
    assert why(graph("t.a -> t.a\nt.a => t  FILTER\nt.b -> t.b"), "t.a") == {"t.b": "referenced"}


def test_a_field_reaches_what_its_column_reaches() -> None:
    found = graph("t.address.city -> v.city\nt.address -> w.address\nt.address.zip -> v.zip")
    assert set(why(found, "t.address.city")) == {"v.city", "w.address"}
    assert set(why(found, "t.address")) == {"v.city", "v.zip", "w.address"}


def test_cycles_end() -> None:
    assert why(graph("a.x -> b.x\nb.x -> a.x\nb.x => a  JOIN\n-> a.y"), "a.x") == {
        "b.x": "both",  # by way of a's rows, which b.x decides
        "a.y": "referenced",
    }


def test_linear_work_stays_linear() -> None:
    """A chain of 20,000 hops, and 300 wide tables whose keys decide the rows of the next."""
    hops = 20_000
    chain = graph("\n".join(f"t{number}.x -> t{number + 1}.x" for number in range(hops)))
    found = impact(chain, column("t0.x"))
    assert len(found) == hops and found[-1].depth == hops
    assert len(found[-1].path) == hops + 1

    wide = "\n".join(
        line
        for number in range(300)
        for line in (
            f"w{number}.k => w{number + 1}  JOIN",
            *(f"w{number}.c{position} -> w{number + 1}.c{position}" for position in range(100)),
            f"w{number}.k -> w{number + 1}.k",
        )
    )
    reached = impact(graph(wide), column("w0.k"))
    assert len(reached) == 300 * 101

"""The closure: by tracing and by joins the same, and as the graph's own traces have it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from logbook import contents, table

import lineal
from lineal.graph.trace import downstream, upstream
from lineal.model.edge import Column
from lineal.model.way import How, compose, way
from lineal.spark.pipeline import closure
from lineal.spark.pipeline.folder import Local
from lineal.spark.pipeline.output import Output

SQL = """
CREATE VIEW a AS SELECT id, x + 1 AS x, CASE WHEN k THEN y END AS y FROM t;
CREATE VIEW b AS SELECT id, sum(x) AS x, max(y) AS y FROM a WHERE x > 1 GROUP BY id;
CREATE VIEW c AS SELECT b.id, b.x, a.y FROM b JOIN a ON a.id = b.id;
CREATE VIEW d AS SELECT c.id, x AS first, y AS second FROM c;
"""


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closure, "BLOCK", 7)


def written(spark: Any, folder: Path, budget: int) -> list[tuple[str, str, int, str, int]]:
    closure.write(spark, Output(Local(folder), spark), lineal.lineage(SQL).edges, budget)
    names = {row["id"]: f"{row['dataset']}.{row['column']}" for row in table(folder, "nodes")}
    return [
        (
            names[row["source"]],
            names[row["target"]],
            row["depth"],
            names[row["via"]],
            row["subtypes"],
        )
        for row in table(folder, "closure")
    ]


def test_it_is_what_the_traces_say(spark: Any, tmp_path: Path) -> None:
    found = written(spark, tmp_path / "out", closure.BUDGET)
    graph = lineal.lineage(SQL).graph
    expected = set()
    for info in graph.infos:
        for column in graph.columns(info):
            depths: dict[str, int] = {}
            for each in upstream(graph, [column]):
                depths[str(each.source)] = min(each.depth, depths.get(str(each.source), 99))
            expected |= {(source, str(column), depth) for source, depth in depths.items()}
    fields = {
        (source, target, depth)
        for source, target, depth, _, _ in found
        if not target.endswith(".None")
    }
    assert fields == expected
    whys = {(source, target): (via, bits) for source, target, _, via, bits in found}
    assert whys["t.x", "d.first"] == ("c.x", closure.BITS[How.AGGREGATION])
    assert whys["t.k", "d.second"] == ("c.y", closure.BITS[How.CONDITIONAL])
    assert whys["a.x", "b.None"][1] == closure.BITS[How.FILTER]


NESTED = """
CREATE VIEW v AS SELECT s, k FROM t;
CREATE VIEW w AS SELECT v.s.f AS f, v.s.g AS g, v.k AS k FROM v;
CREATE VIEW x AS SELECT f + 1 AS f, t.s.g AS h, `s.f` AS i FROM w JOIN t;
"""


def test_fields_go_where_their_columns_go(spark: Any, tmp_path: Path) -> None:
    """Also a column called s.f, next to the field f of s: nodes that are written alike are one."""
    found = lineal.lineage(NESTED, dialect="spark")
    graph, nodes = closure.graph_of(found.edges)
    names = [f"{row['dataset']}.{row['column']}" for row in nodes.to_pylist()]
    by_tracing = [row for made in closure.trace_in_blocks(spark, graph) for row in made.to_pylist()]
    by_joins = [row for made in closure.trace_by_depth(spark, graph) for row in made.to_pylist()]
    assert by_tracing == by_joins
    pairs = {(names[row["source"]], names[row["target"]], row["depth"]) for row in by_tracing}
    assert {
        ("t.s", "w.f", 2),
        ("t.s", "x.f", 3),
        ("v.s", "w.g", 1),
        ("v.s.f", "x.f", 2),
        ("t.s", "x.h", 1),
    } <= pairs
    assert not {("v.s.f", "w.g", 1), ("v.s.g", "x.f", 2)} & pairs
    columns = {
        end for edge in found.edges for end in (edge.source, edge.target) if isinstance(end, Column)
    }
    traced = {
        (str(column), str(each.target), each.depth)
        for column in columns
        for each in downstream(found.graph, [column])
        if isinstance(each.target, Column) and column != each.target
    }
    shortest = {
        (source, target): min(d for s, t, d in traced if (s, t) == (source, target))
        for source, target, _ in traced
    }
    assert {pair for pair in pairs if not pair[1].endswith(".None")} == {
        (*pair, depth) for pair, depth in shortest.items()
    }


def test_joins_give_the_same_bytes(spark: Any, tmp_path: Path) -> None:
    assert written(spark, tmp_path / "traced", closure.BUDGET) == written(
        spark, tmp_path / "joined", 0
    )
    assert contents(tmp_path / "traced") == contents(tmp_path / "joined")


def test_random_graphs_with_circles(spark: Any) -> None:
    random = Random(3)
    pairs = sorted({(random.randrange(40), random.randrange(40)) for _ in range(90)})
    bits = np.array([random.choice((1, 2, 4, 3, 64, 65)) for _ in pairs])
    graph = closure.arrays(
        np.array([s for s, _ in pairs]), np.array([t for _, t in pairs]), bits, 40
    )
    by_tracing = [row for made in closure.trace_in_blocks(spark, graph) for row in made.to_pylist()]
    by_joins = [row for made in closure.trace_by_depth(spark, graph) for row in made.to_pylist()]
    assert by_tracing == by_joins
    reached = {(s, t) for s, t in pairs if s != t}
    while True:
        more = {(s, u) for s, t in reached for v, u in pairs if t == v and s != u} | reached
        if more == reached:
            break
        reached = more
    assert {(row["source"], row["target"]) for row in by_tracing} == reached


def test_subtypes_compose_as_ways_do() -> None:
    for outer in How:
        for inner in How:
            found = closure.compose_subtypes(
                np.array([closure.BITS[outer]]), np.array([closure.BITS[inner]])
            )
            assert found.tolist() == [closure.BITS[compose(way(outer), way(inner)).how]]


def test_nothing_to_trace(spark: Any, tmp_path: Path) -> None:
    assert closure.write(spark, Output(Local(tmp_path), spark), [])["pairs"] == 0
    assert table(tmp_path, "closure") == []


def by_hand(edges: set[tuple[int, int]], nodes: int) -> list[tuple[int, int, int, int]]:
    """Source, target, depth and the smallest last stop of a shortest way."""
    onward: dict[int, list[int]] = {}
    for source, target in sorted(edges):
        onward.setdefault(source, []).append(target)
    found = []
    for source in range(nodes):
        depths, border, depth = {source: 0}, [source], 0
        while border:
            depth += 1
            fresh: dict[int, int] = {}
            for stop in sorted(border):
                for target in onward.get(stop, ()):
                    if target not in depths:
                        fresh.setdefault(target, stop)
            depths |= dict.fromkeys(fresh, depth)
            found += [(source, target, depth, stop) for target, stop in fresh.items()]
            border = list(fresh)
    return sorted(found)


def held(graph: closure.Arrays) -> list[tuple[int, int, int, int]]:
    tables = [part.table() for part in closure.parts(graph, 0, graph.nodes)]
    return [tuple(row.values())[:4] for table in tables for row in table.to_pylist()]  # type: ignore[misc]


@pytest.mark.parametrize("most", [1, 100, closure.MOST])
@pytest.mark.parametrize("marks", [1, closure.MARKS])
def test_any_split_and_any_marks_give_the_pairs_by_hand(
    monkeypatch: pytest.MonkeyPatch, most: int, marks: int
) -> None:
    monkeypatch.setattr(closure, "MOST", most)
    monkeypatch.setattr(closure, "MARKS", marks)
    random = Random(most + marks)
    for count in (0, 10, 60, 300):
        edges = {(random.randrange(50), random.randrange(50)) for _ in range(count)}
        sources, targets = (np.array([edge[end] for edge in edges], np.int64) for end in (0, 1))
        graph = closure.arrays(sources, targets, np.full(len(edges), 2), 50)
        assert held(graph) == by_hand(edges, 50)


def test_a_chain_deeper_than_a_byte_counts() -> None:
    graph = closure.arrays(np.arange(399), np.arange(1, 400), np.full(399, 1), 400)
    found = held(graph)
    assert len(found) == 400 * 399 // 2
    assert found[398] == (0, 399, 399, 398)


def test_numbers_without_room_for_their_places_are_ordered_alike() -> None:
    keys = np.array([5, 1, 5, 3, 1], np.int64) << 59
    small, which = closure.order_keys(keys >> 40)
    large, same = closure.order_keys(keys)
    assert which.tolist() == same.tolist() == [1, 4, 3, 0, 2]
    assert (small << 40).tolist() == large.tolist()

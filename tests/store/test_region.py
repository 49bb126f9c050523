"""A trace in the part of a store that recursive SQL finds is the trace in the whole graph."""

from __future__ import annotations

from random import Random

import pytest
from random_lineage import lineage

from lineal.graph.graph import Graph
from lineal.graph.trace import TracedEdge, downstream, upstream
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import Extraction
from lineal.store.lineage import Store

FAR = 1_000_000


def told(found: list[TracedEdge]) -> list[tuple[object, ...]]:
    return [
        (edge.depth, edge.source, edge.target, [usage[:2] for usage in edge.usages])
        for edge in found
    ]


def starts(found: Extraction) -> list[Column]:
    graph = Graph(found)
    listed = [column for dataset in graph.infos for column in graph.columns(dataset)]
    nested = [edge.source for edge in found.edges if edge.source.path]
    unlisted = [Column(dataset, "never listed") for dataset in graph.infos]
    return [*listed, *nested[:5], *unlisted]


@pytest.mark.parametrize("seed", range(12))
def test_a_trace_in_the_store_is_that_of_the_graph(store: Store, seed: int) -> None:
    found = lineage(Random(seed), size=(10, 30, 60)[seed % 3])
    store.load("p", found)
    graph = Graph(found)
    met = 0
    for column in starts(found):
        for hops in (1, 2, FAR):
            up = Graph(store.region("p", [column], up=hops, with_rows=True))
            for with_rows in (False, True):
                whole = told(upstream(graph, [column], depth=hops, with_rows=with_rows))
                assert told(upstream(up, [column], depth=hops, with_rows=with_rows)) == whole
                met += len(whole)
            down = Graph(store.region("p", [column], down=hops))
            assert told(downstream(down, [column], depth=hops)) == told(
                downstream(graph, [column], depth=hops)
            )
    assert met > 10


def test_a_past_state_is_traced_as_it_was(store: Store) -> None:
    random = Random(7)
    versions = {f"2026-01-0{day}": lineage(random) for day in range(1, 4)}
    for day, found in versions.items():
        store.load("p", found, now=day)
    for day, found in versions.items():
        for column in starts(found)[:10]:
            part = Graph(
                store.region("p", [column], up=FAR, down=FAR, with_rows=True, at=f"{day}T12:00")
            )
            assert told(upstream(part, [column])) == told(upstream(Graph(found), [column]))
            assert told(downstream(part, [column])) == told(downstream(Graph(found), [column]))


def test_a_long_chain_and_a_circle_end(store: Store) -> None:
    usages = lineage(Random(1)).edges[0].usages
    columns = [Column(Dataset("", f"t{number}"), "x") for number in range(300)]
    pairs = zip(columns, [*columns[1:], columns[0]], strict=True)
    edge = type(lineage(Random(1)).edges[0])
    found = Extraction([edge(source, target, usages) for source, target in pairs])
    store.load("p", found)
    part = store.region("p", [columns[0]], up=FAR)
    assert told(upstream(Graph(part), [columns[0]])) == told(upstream(Graph(found), [columns[0]]))
    assert len(part.edges) == 300
    assert len(store.region("p", [columns[0]], up=10).edges) == 10


def test_a_part_has_only_visited_edges(store: Store) -> None:
    found = lineage(Random(2), size=60, names=("a", "b"))
    store.load("p", found)
    alone = Dataset("", "alone")
    assert store.region("p", [Column(alone, "x")], up=FAR, down=FAR).edges == []

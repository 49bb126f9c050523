"""Table-level lineage: which dataset is read to make which, from reads, so that nothing that is
named is missed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lineal.graph.graph import Graph
from lineal.model.edge import Dataset
from lineal.model.grouping import group
from lineal.model.sequences import flatten, positions_of
from lineal.model.way import Clause


class TableEdge(NamedTuple):
    """A dataset is read to make another: the columns that are named, and their clauses."""

    source: Dataset
    target: Dataset
    columns: tuple[str, ...]
    clauses: tuple[str, ...]


def tables(graph: Graph) -> list[TableEdge]:
    """Every pair of a dataset and one that it is read for, in the order of definition."""
    columns: dict[tuple[Dataset, Dataset], dict[str, None]] = {}
    clauses: dict[tuple[Dataset, Dataset], set[Clause]] = {}
    for read in graph.reads:
        pair = (read.dataset, read.target)
        columns.setdefault(pair, {})
        clauses.setdefault(pair, set()).add(read.clause)
        if read.column is not None:
            columns[pair][read.column] = None

    rank = positions_of(graph.infos)
    found = [
        TableEdge(
            source, target, tuple(columns[source, target]), _in_order(clauses[source, target])
        )
        for source, target in columns
    ]
    unknown = len(rank)
    return sorted(
        found, key=lambda edge: (rank.get(edge.target, unknown), rank.get(edge.source, unknown))
    )


def reaching(edges: Iterable[TableEdge], start: Dataset, *, up: int, down: int) -> list[TableEdge]:
    """The table-level edges within so many hops upstream and downstream of a dataset."""
    edges = list(edges)
    behind = group(edges, lambda edge: edge.target)
    ahead = group(edges, lambda edge: edge.source)
    kept = set(map(id, _edges_within(behind, start, up, upwards=True)))
    kept.update(map(id, _edges_within(ahead, start, down, upwards=False)))
    return [edge for edge in edges if id(edge) in kept]


def _edges_within(
    edges: dict[Dataset, list[TableEdge]], start: Dataset, hops: int, *, upwards: bool
) -> list[TableEdge]:
    """Return the edges between datasets within so many hops."""
    found: list[TableEdge] = []
    visited, border = {start}, [start]
    while border and hops > 0:
        hops -= 1
        met = flatten(edges.get(dataset, ()) for dataset in border)
        found += met
        reached = dict.fromkeys(edge.source if upwards else edge.target for edge in met)
        border = [dataset for dataset in reached if dataset not in visited]
        visited.update(border)

    return found


def _in_order(clauses: set[Clause]) -> tuple[str, ...]:
    """Return the clauses in the order in which SQL writes them."""
    return tuple(clause.value for clause in Clause if clause in clauses)

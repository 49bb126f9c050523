"""Traces: where a column comes from, and where it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from lineal.graph.graph import Graph, overlap, whole_column
from lineal.model.edge import Column, Dataset, Edge, Usage


class TracedEdge(NamedTuple):
    """An edge and its distance from where the trace began; it has all that its edge has."""

    edge: Edge
    depth: int

    @property
    def source(self) -> Column:
        """Return the column that the edge comes from."""
        return self.edge.source

    @property
    def target(self) -> Column | Dataset:
        """Return the column or dataset that the edge leads into."""
        return self.edge.target

    @property
    def usages(self) -> tuple[Usage, ...]:
        """Return the usages of the edge."""
        return self.edge.usages

    @property
    def kind(self) -> str:
        """Return the kind of the edge."""
        return self.edge.kind

    def __getattr__(self, name: str) -> Any:
        return getattr(self.edge, name)

    def __str__(self) -> str:
        return str(self.edge)


def upstream(
    graph: Graph, starts: Iterable[Column], *, with_rows: bool = False, depth: int | None = None
) -> list[TracedEdge]:
    """Return the field-level edges that lead to the columns, followed to their origins.

    With rows: also the columns that decide the rows of each dataset on the way, as leaves.
    """
    starts = list(starts)
    found = _walk(starts, graph.into, _source, depth)
    if with_rows:
        found += _rows(graph, starts, found, depth)

    return sorted(found, key=_by_depth)


def downstream(
    graph: Graph, starts: Iterable[Column], *, depth: int | None = None
) -> list[TracedEdge]:
    """Return the edges downstream of the columns. Field-level edges are followed to the end; the
    datasets whose rows a column decides and the consumers that read it are leaves. A dataset that
    the column also reaches at field level is listed once.
    """
    starts = list(starts)

    def leaving(column: Column) -> list[Edge]:
        """Return the edges that leave a column, those into rows and tests included."""
        deciding = [edge for edge in graph.decided_by(column) if not graph.also_selected(edge)]
        return [*graph.out_of(column), *deciding, *graph.checked_by(column)]

    return sorted(_walk(starts, leaving, _target, depth), key=_by_depth)


def _walk(
    starts: list[Column],
    edges_at: Callable[[Column], list[Edge]],
    beyond: Callable[[Edge], Column | None],
    depth: int | None,
) -> list[TracedEdge]:
    """Breadth first, so that each edge is met at its shortest depth."""
    found: dict[tuple[Column, Column | Dataset], TracedEdge] = {}
    visited = set(starts)
    border, distance = starts, 0
    while border and (depth is None or distance < depth):
        distance += 1
        ahead: list[Column] = []
        for column in border:
            for edge in edges_at(column):
                found.setdefault((edge.source, edge.target), TracedEdge(edge, distance))
                follow = beyond(edge)
                if follow is not None and follow not in visited:
                    visited.add(follow)
                    ahead.append(follow)

        border = ahead

    return list(found.values())


def _rows(
    graph: Graph, starts: list[Column], found: list[TracedEdge], depth: int | None
) -> list[TracedEdge]:
    """The dataset-level edges into each dataset that a trace visits, unless the trace has the pair
    already.
    """
    distance = {start.dataset: 0 for start in starts}
    selected: dict[tuple[Column, Dataset], list[Column]] = {}
    for edge, at in found:
        distance[edge.source.dataset] = min(at, distance.get(edge.source.dataset, at))
        selected.setdefault((whole_column(edge.source), edge.into), []).append(edge.source)

    rows: list[TracedEdge] = []
    for dataset, at in distance.items():
        if depth is not None and at >= depth:
            continue

        for edge in graph.rows_into(dataset):
            shown = selected.get((whole_column(edge.source), dataset), ())
            if not any(overlap(edge.source, column) for column in shown):
                rows.append(TracedEdge(edge, at + 1))

    return rows


def _source(edge: Edge) -> Column | None:
    """Return the source of an edge."""
    return edge.source


def _target(edge: Edge) -> Column | None:
    """Return the target of an edge, if it is a column."""
    if isinstance(edge.target, Column):
        return edge.target

    return None


def _by_depth(traced: TracedEdge) -> tuple[int, str, bool, str]:
    """Return the sort key of a traced edge."""
    edge = traced.edge
    return (traced.depth, str(edge.source), not edge.field_level, str(edge.target))

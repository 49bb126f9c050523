"""A report: the part of a graph that somebody asked for. Every view shows a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from lineal.graph.classify import Classification
from lineal.graph.describe import description, description_status
from lineal.graph.graph import Graph, overlap, whole_column
from lineal.graph.impact import Impact, impact
from lineal.graph.select import ALL
from lineal.graph.tables import TableEdge, reaching, tables
from lineal.graph.trace import TracedEdge, downstream, upstream
from lineal.model.diagnostic import Diagnostic, order_of
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.grouping import group_pairs

UPSTREAM, DOWNSTREAM, BOTH = "upstream", "downstream", "both"


class Chain(NamedTuple):
    """One column's trace in one direction."""

    start: Column
    direction: str
    edges: list[TracedEdge]


@dataclass(frozen=True)
class Report:
    """A graph and what to show of it: some edges, and the chains, impacts or tables that were asked
    for.
    """

    graph: Graph
    edges: tuple[Edge, ...]
    entire: bool = False
    chains: tuple[Chain, ...] = ()
    impacted: Column | None = None
    impacts: tuple[Impact, ...] = ()
    tables: tuple[TableEdge, ...] | None = None
    focus: tuple[Dataset, ...] = ()

    @cached_property
    def labels(self) -> Classification:
        """Return the classification of all columns."""
        return Classification(self.graph)

    @property
    def table_edges(self) -> tuple[TableEdge, ...]:
        """The edges between tables; none if the report is about columns."""
        return self.tables or ()

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The diagnostics up to now: a lookup for a view may fail, too."""
        return sorted([*self.graph.extraction.diagnostics, *self._conflicts], key=order_of)

    @cached_property
    def _conflicts(self) -> list[Diagnostic]:
        """Return the conflicts between declared and inherited labels."""
        return self.labels.conflicts()

    @cached_property
    def depths(self) -> dict[tuple[Column, Column | Dataset], int]:
        """How far an edge is from where the trace began; empty where nothing was traced."""
        depths: dict[tuple[Column, Column | Dataset], int] = {}
        for chain in self.chains:
            for edge, depth in chain.edges:
                pair = (edge.source, edge.target)
                depths[pair] = min(depth, depths.get(pair, depth))

        return depths

    @cached_property
    def rows(self) -> list[Edge]:
        """The edges without those inspect edges whose column is shown to reach the same dataset at
        field level.
        """
        selected = group_pairs(
            ((whole_column(edge.source), edge.into), edge.source)
            for edge in self.edges
            if edge.field_level
        )

        def is_selected(edge: Edge) -> bool:
            """Tell whether a selected edge says the same as an edge into rows."""
            alike = selected.get((whole_column(edge.source), edge.into), ())
            return not edge.field_level and any(overlap(edge.source, column) for column in alike)

        return [edge for edge in self.edges if not is_selected(edge)]

    @cached_property
    def datasets(self) -> list[Dataset]:
        """The datasets that the shown edges touch, in the order of definition."""
        if self.entire:
            return list(self.graph.infos)

        touched = set(self.focus)
        for edge in self.edges:
            touched |= {edge.source.dataset, edge.into}

        for pair in self.table_edges:
            touched |= {pair.source, pair.target}

        for chain in self.chains:
            touched.add(chain.start.dataset)

        touched |= {found.column.dataset for found in self.impacts}
        return [dataset for dataset in self.graph.infos if dataset in touched]

    def columns(self) -> dict[Dataset, list[Column]]:
        """The columns to show of each dataset: all of them, or those that the shown edges touch."""
        if self.entire:
            return {dataset: self.graph.columns(dataset) for dataset in self.datasets}

        touched: dict[Column, None] = {whole_column(chain.start): None for chain in self.chains}
        for edge in self.rows:
            touched[whole_column(edge.source)] = None
            if isinstance(edge.target, Column):
                touched[whole_column(edge.target)] = None

        shown: dict[Dataset, list[Column]] = {dataset: [] for dataset in self.datasets}
        for column in touched:
            shown[column.dataset].append(column)

        return shown

    def status(self, edge: Edge) -> str | None:
        """Return how the description of an edge's target relates to its source's."""
        return description_status(self.graph, edge)

    def description(self, column: Column) -> str:
        """Return the description of a column."""
        return description(self.graph, column)


def report_of_label(report: Report, label: str) -> Report:
    """Of a report, the edges along which a label goes from column to column."""
    labels = report.labels
    edges = [edge for edge in report.edges if labels.passes_on(edge, label)]
    chains = tuple(
        chain._replace(
            edges=_connected_edges(
                [each for each in chain.edges if labels.passes_on(each.edge, label)], chain
            )
        )
        for chain in report.chains
    )
    if chains:
        shown = {(edge.source, edge.target) for chain in chains for edge, _ in chain.edges}
        edges = [edge for edge in edges if (edge.source, edge.target) in shown]

    return replace(report, edges=tuple(edges), chains=chains, entire=False)


def _connected_edges(edges: list[TracedEdge], chain: Chain) -> list[TracedEdge]:
    """Those that still lead to or from the column that the chain began with."""
    up = chain.direction == UPSTREAM
    by_near: dict[Column | Dataset, list[TracedEdge]] = {}
    for traced in edges:
        near = traced.target if up else traced.source
        by_near.setdefault(whole_column(near) if isinstance(near, Column) else near, []).append(
            traced
        )

    waiting: list[Column | Dataset] = [whole_column(chain.start)]
    kept: set[int] = set()
    while waiting:
        for traced in by_near.pop(waiting.pop(), ()):
            kept.add(id(traced))
            far = traced.source if up else traced.target
            waiting.append(whole_column(far) if isinstance(far, Column) else far)

    return [traced for traced in edges if id(traced) in kept]


def report_of_all(graph: Graph) -> Report:
    """All edges."""
    return Report(graph, tuple(graph.edges), entire=True)


def edges_around(graph: Graph, node: Dataset, direction: str = UPSTREAM) -> Report:
    """The edges into a dataset, or those that leave it."""
    edges = tuple(
        edge
        for edge in graph.edges
        if (direction != DOWNSTREAM and edge.into == node)
        or (direction != UPSTREAM and edge.source.dataset == node)
    )
    return Report(graph, edges, focus=(node,))


def report_of_trace(
    graph: Graph, starts: Sequence[Column], *, up: int = 0, down: int = 0, with_rows: bool = False
) -> Report:
    """So many hops upstream and downstream of the columns."""
    chains: list[Chain] = []
    for start in starts:
        if up:
            found = upstream(graph, [start], with_rows=with_rows, depth=up)
            chains.append(Chain(start, UPSTREAM, found))

        if down:
            chains.append(Chain(start, DOWNSTREAM, downstream(graph, [start], depth=down)))

    edges = {(edge.source, edge.target): edge for chain in chains for edge, _ in chain.edges}
    focus = tuple({start.dataset: None for start in starts})
    return Report(
        graph, tuple(sorted(edges.values(), key=graph.order_of)), chains=tuple(chains), focus=focus
    )


def unite_reports(graph: Graph, parts: Sequence[Report]) -> Report:
    """Several parts of one graph as one, each edge once."""
    edges = {(edge.source, edge.target): edge for part in parts for edge in part.edges}
    tables = {each: None for part in parts for each in part.table_edges}
    return Report(
        graph,
        tuple(sorted(edges.values(), key=graph.order_of)),
        chains=tuple(chain for part in parts for chain in part.chains),
        tables=tuple(tables) if any(part.tables is not None for part in parts) else None,
        focus=tuple({dataset: None for part in parts for dataset in part.focus}),
    )


def impact_of(graph: Graph, column: Column) -> Report:
    """Everything that a change of the column reaches, with the edges that it goes along."""
    found = impact(graph, column)
    reached = {column, *(one.column for one in found)}
    edges = {
        (edge.source, edge.target): edge
        for at in reached
        for edge in (*graph.out_of(at), *graph.decided_by(at))
    }
    ordered = tuple(sorted(edges.values(), key=graph.order_of))
    return Report(graph, ordered, impacted=column, impacts=tuple(found), focus=(column.dataset,))


def table_level(
    graph: Graph, node: Dataset | None = None, *, up: int = ALL, down: int = ALL
) -> Report:
    """Which dataset is read to make which."""
    found: Iterable[TableEdge] = tables(graph)
    if node is None:
        return Report(graph, (), entire=True, tables=tuple(found))

    return Report(graph, (), tables=tuple(reaching(found, node, up=up, down=down)), focus=(node,))

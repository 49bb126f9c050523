"""Whether a column's description still says what its source's says."""

from __future__ import annotations

from lineal.graph.graph import Graph
from lineal.model.edge import Column, Edge

INHERITED, MODIFIED, MISSING = "inherited", "modified", "missing"


def description(graph: Graph, column: Column) -> str:
    info = graph.info(column)
    return info.description.strip() if info else ""


def description_status(graph: Graph, edge: Edge) -> str | None:
    """inherited: both are equal; modified: they differ; missing: one lacks. An inspect edge has none."""
    if not isinstance(edge.target, Column):
        return None
    source, target = description(graph, edge.source), description(graph, edge.target)
    if not source or not target:
        return MISSING
    return INHERITED if source == target else MODIFIED

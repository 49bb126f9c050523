"""Whether a column's description still says what its source's says, and what it could take over
from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lineal.graph.graph import Graph
from lineal.model.edge import Column, Edge

INHERITED, MODIFIED, MISSING = "inherited", "modified", "missing"


def description(graph: Graph, column: Column) -> str:
    """Return the description of a column, or an empty text."""
    info = graph.info(column)
    if info:
        return info.description.strip()

    return ""


def description_status(graph: Graph, edge: Edge) -> str | None:
    """inherited: both are equal; modified: they differ; missing: one lacks. An inspect edge has
    none.
    """
    if not isinstance(edge.target, Column):
        return None

    source, target = description(graph, edge.source), description(graph, edge.target)
    if not source or not target:
        return MISSING

    if source == target:
        return INHERITED

    return MODIFIED


def is_passed_on(graph: Graph, column: Column) -> bool:
    """Tell whether a column is nothing but copies and renames of others."""
    edges = graph.into(column)
    return bool(edges) and all(edge.kind in ("copy", "rename") for edge in edges)


class Inherited(NamedTuple):
    """A description that a column can take over, and the nearest column that has it written down."""

    text: str
    source: Column


def inheritance(graph: Graph) -> dict[Column, Inherited]:
    """Return the description that each column without one can inherit: it is passed on, and its
    sources agree.

    What a source takes over itself goes further on: from the column that says it down every chain.
    """
    found: dict[Column, Inherited | None] = {}
    lacking = [column for column in _listed_columns(graph) if _may_inherit(graph, column)]
    wanted = set(lacking)
    for start in lacking:
        waiting = [start]
        while waiting:  # sources first; a circle ends where it began, with nothing to take over
            column = waiting[-1]
            ahead = [
                edge.source
                for edge in graph.into(column)
                if edge.source in wanted and edge.source not in found
            ]
            found.setdefault(column, None)
            if ahead:
                waiting.append(ahead[0])
            else:
                found[column] = _common_description(graph, column, found)
                waiting.pop()

    return {column: each for column, each in found.items() if each is not None}


def _listed_columns(graph: Graph) -> Iterator[Column]:
    """Yield the columns that datasets declare."""
    for dataset, info in graph.infos.items():
        yield from (Column(dataset, column.name) for column in info.columns)


def _may_inherit(graph: Graph, column: Column) -> bool:
    """Tell whether a column without a description takes that of its source."""
    info = graph.info(column)
    return (
        info is not None
        and info.inherits
        and not info.description.strip()
        and is_passed_on(graph, column)
    )


def _common_description(
    graph: Graph, column: Column, found: dict[Column, Inherited | None]
) -> Inherited | None:
    """Return the description on which all described sources agree."""
    said: list[Inherited] = []
    for edge in graph.into(column):
        own = description(graph, edge.source)
        each = Inherited(own, edge.source) if own else found.get(edge.source)
        if each is not None:
            said.append(each)

    if len({each.text for each in said}) == 1:
        return said[0]

    return None

"""Edges with some datasets composed away: what remains is how their sources reach their readers."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lineal.model.edge import Column, Dataset, Edge, Usage
from lineal.model.way import Way, compose


def compose_through(edges: Iterable[Edge], hidden: Collection[Dataset]) -> list[Edge]:
    """a → f → b, with f hidden: a → b. Chains of hidden datasets are followed, circles are left."""
    kept = list(edges)
    for dataset in hidden:
        kept = _compose_one(kept, dataset)

    return kept


def _compose_one(edges: list[Edge], hidden: Dataset) -> list[Edge]:
    """Return the edges with those through the hidden dataset composed."""
    into_column: dict[str, list[Edge]] = {}
    into_rows: list[Edge] = []
    rest: list[Edge] = []
    leaving: list[Edge] = []
    for edge in edges:
        if edge.into == hidden and edge.source.dataset != hidden:
            if isinstance(edge.target, Column):
                into_column.setdefault(edge.target.name, []).append(edge)
            else:
                into_rows.append(edge)
        elif edge.source.dataset == hidden:
            leaving.append(edge)
        else:
            rest.append(edge)

    made: dict[tuple[Column, Column | Dataset], dict[Way, Usage]] = {}
    for edge in rest:
        _add(made, edge.source, edge.target, edge.usages)

    for outer in leaving:
        if outer.into == hidden:
            continue

        for inner in into_column.get(outer.source.name, ()):
            composed = [
                u._replace(way=compose(o.way, u.way)) for o in outer.usages for u in inner.usages
            ]
            _add(made, inner.source, outer.target, composed)

    for reader in {outer.into for outer in leaving} - {hidden}:
        for inner in into_rows:
            _add(made, inner.source, reader, inner.usages)

    return [Edge(source, target, tuple(ways.values())) for (source, target), ways in made.items()]


def _add(
    made: dict[tuple[Column, Column | Dataset], dict[Way, Usage]],
    source: Column,
    target: Column | Dataset,
    usages: Iterable[Usage],
) -> None:
    """Add usages to an edge, each way once."""
    ways = made.setdefault((source, target), {})
    for usage in usages:
        ways.setdefault(usage.way, usage)

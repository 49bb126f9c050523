"""The edges of a corpus, by the dataset that they lead into."""

from __future__ import annotations

from lineal.model.edge import Column, Dataset, Edge, Usage
from lineal.model.sequences import flatten


class Edges:
    """Edges by the dataset they lead into; several statements into one target unite."""

    def __init__(self) -> None:
        self.into: dict[Dataset, list[Edge]] = {}
        self.united: dict[Dataset, dict[tuple[Column, Column | Dataset], Edge]] = {}
        """of the targets that several statements write"""

    def add(self, target: Dataset, edges: list[Edge]) -> None:
        """Add the edges of one statement to those of others with the same target."""
        held = self.into.setdefault(target, edges)
        if held is edges:
            return

        united = self.united.get(target)
        if united is None:
            united = self.united[target] = {(edge.source, edge.target): edge for edge in held}

        for edge in edges:
            before = united.get((edge.source, edge.target))
            if before is not None:
                edge = Edge(edge.source, edge.target, unite_usages(before.usages, edge.usages))

            united[edge.source, edge.target] = edge

    def all(self) -> list[Edge]:
        """Every edge, by its target."""
        united = ((target, self.united.get(target)) for target in self.into)
        return flatten(found.values() if found else self.into[target] for target, found in united)


def unite_usages(held: tuple[Usage, ...], more: tuple[Usage, ...]) -> tuple[Usage, ...]:
    """Two statements give one edge: each way once, the surer of two alike."""
    ways = {usage.way: usage for usage in held}
    for usage in more:
        before = ways.get(usage.way)
        if before is None or usage.level > before.level:
            ways[usage.way] = usage

    return tuple(ways.values())

"""The rest of a graph after a removal: it has to be the same as before.

    differences(before, after, {Column(orders, "tip")}, {Dataset("", "old_mart")})

Each difference names the dataset that is no longer the same, and says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Set
from typing import NamedTuple

from lineal.graph.graph import Graph, whole_column
from lineal.model.consumers import TEST
from lineal.model.diagnostic import Diagnostic
from lineal.model.edge import Column, Dataset, Edge


class Removal(NamedTuple):
    """The columns and datasets of a removal."""

    columns: Set[Column]
    datasets: Set[Dataset]


class Change(NamedTuple):
    """A dataset whose lineage is not what it was."""

    dataset: Dataset
    problem: str


def differences(before: Graph, after: Graph, gone: Removal) -> Iterator[Change]:
    """Yield the datasets that were to stay as they are and do not."""
    wanted, found = _edges(before, gone), _edges(after, gone)
    for name, info in before.infos.items():
        if name in gone.datasets or info.kind == TEST:
            continue

        if name not in after.infos:
            if before.infos[name].produced:
                yield Change(name, "it is not made any more")

            continue

        if _columns(before, name, gone) != _columns(after, name, gone):
            yield Change(name, "it would have other columns")
        elif wanted.get(name) != found.get(name):
            yield Change(name, "its columns or rows would come from elsewhere")


def _columns(graph: Graph, name: Dataset, gone: Removal) -> list[str]:
    """Return the columns that statements make, without those that are gone."""
    made = graph.infos[name].produced_columns
    return [info.name for info in made if Column(name, info.name) not in gone.columns]


Fact = tuple[str, str, tuple[str, ...]]


def _edges(graph: Graph, gone: Removal) -> dict[Dataset, set[Fact]]:
    """Return the edges into each dataset, as plain facts without places."""
    found: dict[Dataset, set[Fact]] = {}
    for edge in graph.extraction.edges:
        target = edge.target
        is_gone = isinstance(target, Column) and whole_column(target) in gone.columns
        if not is_gone:
            found.setdefault(edge.into, set()).add(_fact(edge))

    return found


def _fact(edge: Edge) -> Fact:
    """Return an edge in words, without places."""
    usages = {f"{usage.how.name} {usage.masked} {usage.level.name}" for usage in edge.usages}
    return str(edge.source), str(edge.target), tuple(sorted(usages))


def new_diagnostics(
    before: list[Diagnostic], after: list[Diagnostic], message_of: Callable[[Diagnostic], str]
) -> list[Diagnostic]:
    """Return the diagnostics that there are more of than before."""
    known = Counter((each.code, message_of(each)) for each in before)
    fresh: list[Diagnostic] = []
    for each in after:
        key = (each.code, message_of(each))
        known[key] -= 1
        if known[key] < 0:
            fresh.append(each)

    return fresh

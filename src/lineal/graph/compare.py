"""Two engines on the same input: where they agree, and every edge on which they do not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lineal.model.edge import Dataset, Edge
from lineal.model.extraction import Extraction

Fact = tuple[str, str, str]
"""source → target, and how: what two engines have to agree on"""


class Disagreement(NamedTuple):
    """An edge that only one of the two engines has."""

    target: str
    edge: str
    only_in: str

    def __str__(self) -> str:
        return f"{self.edge}  (only in {self.only_in})"


def compare(
    left: Extraction | Iterable[Edge],
    right: Extraction | Iterable[Edge],
    names: tuple[str, str] = ("static", "catalyst"),
    targets: Iterable[Dataset] | None = None,
) -> list[Disagreement]:
    """Every fact that one has and the other lacks, sorted; of all targets, or of the named ones."""
    wanted = {str(target).lower() for target in targets} if targets is not None else None
    ours, theirs = facts(left, wanted), facts(right, wanted)
    only = [
        (names[0], ours.keys() - theirs.keys(), ours),
        (names[1], theirs.keys() - ours.keys(), theirs),
    ]
    found = [
        Disagreement(table[fact], fact_text(fact), name)
        for name, facts_, table in only
        for fact in facts_
    ]
    return sorted(found)


def count_common(left: Extraction | Iterable[Edge], right: Extraction | Iterable[Edge]) -> int:
    """How many facts both have."""
    return len(facts(left, None).keys() & facts(right, None).keys())


def facts(edges: Extraction | Iterable[Edge], wanted: set[str] | None) -> dict[Fact, str]:
    """Return the facts of all edges, with the dataset that each leads into."""
    listed = edges.edges if isinstance(edges, Extraction) else edges
    found: dict[Fact, str] = {}
    for edge in listed:
        into = str(edge.into).lower()
        if wanted is not None and into not in wanted:
            continue

        arrow = "->" if edge.field_level else "=>"
        for usage in edge.usages:
            how = usage.how.value + (" masked" if usage.masked else "")
            found[str(edge.source).lower(), f"{arrow} {str(edge.target).lower()}", how] = into

    return found


def fact_text(fact: Fact) -> str:
    """Return a fact as one line."""
    source, target, how = fact
    return f"{source} {target}  {how}"

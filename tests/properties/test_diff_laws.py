"""Laws of comparing: nothing differs from itself, there and back is the same, and other ways to
write are cosmetic.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from rewrites import REWRITES
from test_rewrites import Query, corpus, lineage, singles

from lineal.graph.diff import Difference, diff
from lineal.graph.graph import Graph
from lineal.model.policy import Level

COSMETIC = [name for name in REWRITES if name != "CTE to view"]
"""A view is another dataset."""


def graph(query: Query, text: str | None = None) -> Graph:
    return Graph(lineage(query, [text if text is not None else query.text]))


def test_nothing_differs_from_itself() -> None:
    for query in corpus()[::5]:
        made = diff(graph(query), graph(query))
        assert made.is_empty and made.edges == [] and made.columns == [], query.name


def test_there_and_back() -> None:
    for one, other in pairwise(corpus()[::12]):
        there, back = diff(graph(one), graph(other)), diff(graph(other), graph(one))
        renamed = there.pairs.renamed
        assert {old: new for new, old in back.pairs.renamed.items()} == renamed, (
            one.name,
            other.name,
        )
        if renamed:  # each side is told of under the other's names
            continue
        assert changes(there, forward=True) == changes(back, forward=False), (one.name, other.name)
        assert columns(there, "added") == columns(back, "removed")
        assert columns(there, "removed") == columns(back, "added")


def changes(made: Difference, *, forward: bool) -> set[tuple[object, ...]]:
    return {
        (
            edge.source.lower(),
            edge.target.lower(),
            *((edge.before, edge.after) if forward else (edge.after, edge.before)),
        )
        for edge in made.edges
    }


def columns(made: Difference, what: str) -> set[tuple[str, str]]:
    return {
        (each.dataset.lower(), each.column.lower())
        for each in made.columns
        if each.kind == f"column-{what}"
    }


@pytest.mark.parametrize("name", COSMETIC)
def test_another_way_to_write_it_is_safe(name: str) -> None:
    """Whatever is proven to mean the same; test_meaning says how much that is."""
    for query, tree, _ in singles()[::6]:
        dialect = query.dialect or None
        texts = REWRITES[name](tree.copy(), query.columns, dialect)
        if texts:
            before, after = graph(query, tree.sql(dialect=dialect)), graph(query, texts[0])
            made = diff(before, after)
            pairs = list(
                zip(before.extraction.statements, after.extraction.statements, strict=True)
            )
            if all(
                one.words == other.words or one.meaning == other.meaning for one, other in pairs
            ):
                assert made.verdict is Level.SAFE and made.findings == (), (
                    f"{query.name}: {texts[0]}"
                )
            else:
                assert len(made.findings) == 1, f"{query.name}: {texts[0]}"

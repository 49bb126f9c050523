"""The questions that may be asked of a lineage; each answer is plain values, ready for JSON.

The page's API and the tool server for agents ask these, so that they give the same answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lineal.graph.change import parse
from lineal.graph.dataset_effects import effects_on_dataset
from lineal.graph.effects import Effects, effects
from lineal.graph.graph import Graph, UnknownName
from lineal.graph.tables import tables
from lineal.graph.trace import TracedEdge, downstream, upstream
from lineal.model.edge import Column, Dataset, Edge
from lineal.views import effects as effects_view
from lineal.views import json as json_view
from lineal.views.report import Report, report_of_all

UPSTREAM, DOWNSTREAM, BOTH = "upstream", "downstream", "both"
DIRECTIONS = (UPSTREAM, DOWNSTREAM, BOTH)

Values = dict[str, Any]


class Questions:
    """The questions that one graph answers."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.report: Report = report_of_all(graph)

    # -- names -------------------------------------------------------------------------------------

    def search(self, words: list[str]) -> list[Values]:
        """Return the datasets and columns whose names or descriptions have all words, best first."""
        return sorted(self._hits(words), key=lambda hit: rank_hit(hit, words))

    def _hits(self, words: list[str]) -> Iterator[Values]:
        """Yield the datasets and columns whose name or description has the words."""
        for dataset, info in self.graph.infos.items():
            if has_words(words, dataset.name, info.description):
                yield hit_of("dataset", dataset.name, info.description)

            for column in self.graph.columns(dataset):
                known = self.graph.info(column)
                about = known.description if known else ""
                if has_words(words, str(column), about):
                    yield hit_of("column", str(column), about)

    # -- one dataset or column ---------------------------------------------------------------------

    def dataset(self, name: str) -> Values:
        """Return a dataset with its columns and edges."""
        dataset = self.graph.dataset(name)
        into = [edge for edge in self.graph.edges if edge.into == dataset]
        out_of = [edge for edge in self.graph.edges if edge.source.dataset == dataset]
        return {
            **json_view.dataset(self.report, dataset),
            "into": self.edges(into),
            "out_of": self.edges(out_of),
        }

    def column(self, name: str) -> Values:
        """Return a column with its edges."""
        column = self.graph.column(name)
        out_of = [*self.graph.out_of(column), *self.graph.decided_by(column)]
        return {
            "dataset": column.dataset.name,
            **json_view.column(self.report, column),
            "into": self.edges(self.graph.into(column)),
            "out_of": self.edges(out_of),
        }

    def neighbors(self, dataset: Dataset) -> tuple[list[str], list[str]]:
        """Return the datasets that a dataset reads, and those that read it."""
        reads: dict[str, None] = {}
        readers: dict[str, None] = {}
        for edge in tables(self.graph):
            if edge.target == dataset:
                reads[edge.source.name] = None

            if edge.source == dataset:
                readers[edge.target.name] = None

        return sorted(reads), sorted(readers)

    # -- paths -------------------------------------------------------------------------------------

    def trace(
        self, name: str, direction: str, depth: int | None = None, with_rows: bool = False
    ) -> list[Values]:
        """Return the edges upstream or downstream of a column, each with its depth."""
        column = self.graph.column(name)
        found: list[TracedEdge] = []
        if direction in (UPSTREAM, BOTH):
            found += upstream(self.graph, [column], with_rows=with_rows, depth=depth)

        if direction in (DOWNSTREAM, BOTH):
            found += downstream(self.graph, [column], depth=depth)

        return [{**json_view.edge(self.report, each.edge), "depth": each.depth} for each in found]

    def edges_between(self, source: str, target: str) -> list[Edge]:
        """Return the edges from a column to a column or dataset."""
        start = self.graph.column(source)
        end = self.graph.find(target)
        found = [*self.graph.out_of(start), *self.graph.decided_by(start)]
        if isinstance(end, Column):
            return [edge for edge in found if edge.target == end]

        return [edge for edge in found if edge.into == end]

    # -- changes -----------------------------------------------------------------------------------

    def impact(self, name: str, change: str) -> Values:
        """Return the effects of a change of a column, or of all columns of a dataset."""
        made: Values = json.loads(effects_view.as_json(self.effects(name, change), self.graph))
        return made

    def effects(self, name: str, change: str) -> Effects:
        """Return the effects of a change."""
        wanted = parse(change)
        found = self.graph.find(name)
        if isinstance(found, Column):
            return effects(self.graph, found, wanted)

        return effects_on_dataset(self.graph, found, wanted)

    # -- the run -----------------------------------------------------------------------------------

    def coverage(self) -> Values:
        """Return the ledger of the run."""
        return self.graph.extraction.coverage.to_json()

    def edges(self, edges: list[Edge]) -> list[Values]:
        """Return edges as JSON values."""
        return [json_view.edge(self.report, edge) for edge in edges]


def hit_of(kind: str, name: str, description: str) -> Values:
    """Return a hit of a search."""
    return {"kind": kind, "name": name, "description": description or None}


def has_words(words: list[str], name: str, about: str) -> bool:
    """Tell whether a name or its description has all words."""
    text = f"{name}\n{about}".lower()
    return all(word in text for word in words)


def rank_hit(hit: Values, words: list[str]) -> tuple[int, bool, int, str]:
    """Return how a hit is sorted: exact names first, then beginnings, then the rest."""
    asked = " ".join(words)
    name = hit["name"].lower()
    last = name.rpartition(".")[2]
    if asked in (name, last):
        closeness = 0
    elif last.startswith(asked) or name.startswith(asked):
        closeness = 1
    elif asked in name:
        closeness = 2
    else:
        closeness = 3

    return closeness, hit["kind"] != "dataset", len(name), name


__all__ = ["BOTH", "DIRECTIONS", "DOWNSTREAM", "UPSTREAM", "Questions", "UnknownName"]

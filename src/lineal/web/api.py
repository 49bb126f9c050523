"""What the page, and whoever else is on this machine, may ask of a lineage; the answers are JSON.

    GET /api/version                                 {"version": …}; another one when a file has
    changed
    GET /api/lineage                                 everything, as the page reads it
    GET /api/coverage                                the ledger: what was read, and what was not
    GET /api/search?q=WORDS                          datasets and columns whose names or
    descriptions have the words
    GET /api/node?name=DATASET                       a dataset, its columns, the edges into it and
    out of it
    GET /api/column?name=DATASET.COLUMN              a column, the edges into it and out of it
    GET /api/trace?column=C&direction=upstream       every edge on the way; downstream, both;
    depth=N hops
    GET /api/impact?column=C&change=drop             what a change does, as `lineal impact --output
    json` says it
    GET /api/diff                                    what has changed, as `lineal diff --output
    json` says it

A question that cannot be answered is a 400 or 404 with a `message`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from lineal.graph.change import UnknownChange
from lineal.graph.change import parse as change_of
from lineal.graph.effects import effects
from lineal.graph.graph import Graph, UnknownName
from lineal.graph.trace import TracedEdge, downstream, upstream
from lineal.model.edge import Edge
from lineal.views import effects as effects_view
from lineal.views import json as json_view
from lineal.views.report import Report, everything
from lineal.web.server import Answer, Request, Routes, message_answer

MOST_HITS = 100
DIRECTIONS = {"upstream": (True, False), "downstream": (False, True), "both": (True, True)}


class Unasked(Exception):
    """A question without what it needs."""


class Api:
    """Routes over the lineage that `current` gives: a graph, the page's data, and a version of
    both.
    """

    def __init__(
        self,
        current: Callable[[], tuple[Graph, Mapping[str, Any], str]],
        difference: Callable[[], str] = str,
    ) -> None:
        self.current = current
        self.difference = difference
        """what has changed since the revision that the server was started with; none: ''"""

    @property
    def routes(self) -> Routes:
        """Return the function that answers each path."""
        asked: dict[str, Callable[[Request], Any]] = {
            "version": self.version,
            "lineage": self.lineage,
            "search": self.search,
            "node": self.node,
            "column": self.column,
            "trace": self.trace,
            "impact": self.impact,
            "diff": self.diff,
            "coverage": self.coverage,
        }
        return {("GET", f"/api/{name}"): _answering(question) for name, question in asked.items()}

    @property
    def graph(self) -> Graph:
        """Return the current graph."""
        return self.current()[0]

    def version(self, request: Request) -> dict[str, str]:
        """Return the version of the current lineage."""
        return {"version": self.current()[2]}

    def lineage(self, request: Request) -> dict[str, Any]:
        """Return the whole lineage, as the page reads it."""
        _, data, version = self.current()
        return {**data, "at": version}

    def coverage(self, request: Request) -> dict[str, Any]:
        """Return the ledger."""
        return self.graph.extraction.coverage.to_json()

    def search(self, request: Request) -> dict[str, Any]:
        """Return the datasets and columns that have all words."""
        words = _require_parameter(request, "q").lower().split()
        graph = self.graph
        hits: list[dict[str, Any]] = []
        for dataset, info in graph.infos.items():
            if _has(words, dataset.name, info.description):
                hits.append(
                    {
                        "kind": "dataset",
                        "name": dataset.name,
                        "description": info.description or None,
                    }
                )
            for column in graph.columns(dataset):
                known = graph.info(column)
                about = known.description if known else ""
                if _has(words, str(column), about):
                    hits.append(
                        {"kind": "column", "name": str(column), "description": about or None}
                    )
            if len(hits) >= MOST_HITS:
                break
        return {"hits": hits[:MOST_HITS]}

    def node(self, request: Request) -> dict[str, Any]:
        """Return a dataset with its columns and edges."""
        graph = self.graph
        dataset = graph.dataset(_require_parameter(request, "name"))
        report = everything(graph)
        into = [edge for edge in graph.edges if edge.into == dataset]
        out_of = [edge for edge in graph.edges if edge.source.dataset == dataset]
        return {
            **json_view.dataset(report, dataset),
            "into": _edges(report, into),
            "out_of": _edges(report, out_of),
        }

    def column(self, request: Request) -> dict[str, Any]:
        """Return a column with its edges."""
        graph = self.graph
        column = graph.column(_require_parameter(request, "name"))
        report = everything(graph)
        out_of = [*graph.out_of(column), *graph.decided_by(column)]
        return {
            "dataset": column.dataset.name,
            **json_view.column(report, column),
            "into": _edges(report, graph.into(column)),
            "out_of": _edges(report, out_of),
        }

    def trace(self, request: Request) -> dict[str, Any]:
        """Return the edges upstream or downstream of a column."""
        graph = self.graph
        column = graph.column(_require_parameter(request, "column"))
        direction = request.query.get("direction", "upstream")
        if direction not in DIRECTIONS:
            raise Unasked(f"direction is one of {', '.join(DIRECTIONS)}")
        up, down = DIRECTIONS[direction]
        depth = _number(request, "depth")
        found: list[TracedEdge] = upstream(graph, [column], depth=depth) if up else []
        if down:
            found += downstream(graph, [column], depth=depth)
        report = everything(graph)
        return {
            "edges": [{**json_view.edge(report, each.edge), "depth": each.depth} for each in found]
        }

    def impact(self, request: Request) -> Any:
        """Return the effects of a change of a column."""
        graph = self.graph
        column = graph.column(_require_parameter(request, "column"))
        found = effects(graph, column, change_of(request.query.get("change", "values")))
        return json.loads(effects_view.as_json(found, graph))

    def diff(self, request: Request) -> Any:
        """Return the difference that the server was started with."""
        self.current()
        text = self.difference()
        if not text:
            raise UnknownName("nothing is compared: lineal serve --diff BASE")
        return json.loads(text)


def _answering(question: Callable[[Request], Any]) -> Callable[[Request], Answer]:
    """Return a handler that answers with JSON, or with an error message."""

    def answer(request: Request) -> Answer:
        try:
            return Answer(200, json.dumps(question(request), ensure_ascii=True).encode())
        except UnknownName as mistake:
            return message_answer(404, str(mistake))
        except (Unasked, UnknownChange) as mistake:
            return message_answer(400, str(mistake))

    return answer


def _require_parameter(request: Request, name: str) -> str:
    value = request.query.get(name, "")
    if not value:
        raise Unasked(f"say which: ?{name}=…")
    return value


def _number(request: Request, name: str) -> int | None:
    """Return a parameter as a number; None if it is missing."""
    value = request.query.get(name)
    if value is None:
        return None
    if not value.isdecimal() or not value.isascii():
        raise Unasked(f"{name} is a number")
    return int(value[:9])


def _has(words: list[str], name: str, about: str) -> bool:
    """Tell whether a name or its description has all words."""
    text = f"{name}\n{about}".lower()
    return all(word in text for word in words)


def _edges(report: Report, edges: list[Edge]) -> list[dict[str, Any]]:
    """Return edges as JSON values."""
    return [json_view.edge(report, edge) for edge in edges]

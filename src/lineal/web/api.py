"""The questions that the page and other programs on this machine may ask of a lineage; the answers are JSON.

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
from lineal.graph.graph import Graph, UnknownName
from lineal.service.questions import DIRECTIONS, UPSTREAM, Questions
from lineal.web.server import Answer, Request, Routes, message_answer

MOST_HITS = 100


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
        problem: Callable[[], str] = str,
    ) -> None:
        self.current = current
        self._asked: Questions | None = None
        self.problem = problem
        """why the files could not be read again after a change; '': they could"""
        self.difference = difference
        """the changes since the revision that the server was started with; none: ''"""

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
        return {("GET", f"/api/{name}"): _answer_with(question) for name, question in asked.items()}

    @property
    def questions(self) -> Questions:
        """Return the questions about the current graph."""
        graph = self.current()[0]
        if self._asked is None or self._asked.graph is not graph:
            self._asked = Questions(graph)

        return self._asked

    def version(self, request: Request) -> dict[str, str]:
        """Return the version of the current lineage."""
        found = {"version": self.current()[2]}
        if problem := self.problem():
            found["problem"] = problem

        return found

    def lineage(self, request: Request) -> dict[str, Any]:
        """Return the whole lineage, as the page reads it."""
        _, data, version = self.current()
        return {**data, "at": version}

    def coverage(self, request: Request) -> dict[str, Any]:
        """Return the ledger."""
        return self.questions.coverage()

    def search(self, request: Request) -> dict[str, object]:
        """Return the datasets and columns that have all words."""
        words = _require_parameter(request, "q").lower().split()
        return {"hits": self.questions.search(words)[:MOST_HITS]}

    def node(self, request: Request) -> dict[str, Any]:
        """Return a dataset with its columns and edges."""
        return self.questions.dataset(_require_parameter(request, "name"))

    def column(self, request: Request) -> dict[str, Any]:
        """Return a column with its edges."""
        return self.questions.column(_require_parameter(request, "name"))

    def trace(self, request: Request) -> dict[str, Any]:
        """Return the edges upstream or downstream of a column."""
        column = _require_parameter(request, "column")
        direction = request.query.get("direction", UPSTREAM)
        if direction not in DIRECTIONS:
            raise Unasked(f"direction is one of {', '.join(DIRECTIONS)}")

        depth = _number(request, "depth")
        return {"edges": self.questions.trace(column, direction, depth)}

    def impact(self, request: Request) -> Any:
        """Return the effects of a change of a column or dataset."""
        column = _require_parameter(request, "column")
        return self.questions.impact(column, request.query.get("change", "values"))

    def diff(self, request: Request) -> Any:
        """Return the difference that the server was started with."""
        self.current()
        text = self.difference()
        if not text:
            raise UnknownName("nothing is compared: lineal serve --diff BASE")

        return json.loads(text)


def _answer_with(question: Callable[[Request], object]) -> Callable[[Request], Answer]:
    """Return a handler that answers with JSON, or with an error message."""

    def answer(request: Request) -> Answer:
        """Answer a question; mistakes become error responses."""
        try:
            return Answer(200, json.dumps(question(request), ensure_ascii=True).encode())
        except UnknownName as mistake:
            return message_answer(404, str(mistake))
        except (Unasked, UnknownChange) as mistake:
            return message_answer(400, str(mistake))

    return answer


def _require_parameter(request: Request, name: str) -> str:
    """Return a parameter of the request; raise Unasked if it is missing."""
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

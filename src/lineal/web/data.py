"""What the page knows: a graph as columns of numbers, which a browser reads quickly, and the texts behind it.

    datasets   a row each: name, kind, description, group, place, first column
    columns    in the order of their datasets; an edge names them by number
    edges      source and target column, kind, level, marks, and where its usages begin
    rows       what decides a dataset's rows: source column, target dataset
    usages     subtype, clause, level, expression, place
    words      every text that stands in the tables above, once

What a number means is in `web/src/data.ts`, which reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lineal.graph.classify import Classification
from lineal.graph.describe import INHERITED, MISSING, MODIFIED, description_status
from lineal.graph.diff import Finding, Overlay
from lineal.graph.graph import Graph, whole
from lineal.model.diagnostic import Diagnostic, Place, order_of
from lineal.model.edge import Column, Dataset, Edge, Usage

VERSION = 1
KINDS = ("copy", "rename", "transform", "inspect")
STATUSES = (None, INHERITED, MODIFIED, MISSING)
AMBIGUOUS, MASKED, STATUS = 1, 2, 4
"""The marks of an edge: two flags, and its description's status times four."""


def page_data(
    graph: Graph,
    *,
    title: str,
    start: str = "",
    texts: Mapping[str, str] | None = None,
    over: Overlay | None = None,
    findings: Iterable[Finding] = (),
) -> dict[str, Any]:
    """Everything that the page shows. `texts` are the sources by file, `start` is what it opens with.

    With an overlay it shows what has changed: the graph is that of both sides.
    """
    tables = _Tables(graph)
    made = tables.data(title, start, texts or {})
    return made | {"diff": tables.diff(over, findings) if over is not None else None, "words": list(tables.words)}


class _Words(dict[str, int]):
    """Each text's number; the empty one is 0."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


class _Tables:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.labels = Classification(graph)
        self.words = _Words({"": 0})
        self.columns: dict[Column, int] = {}
        self.datasets: dict[Dataset, int] = {}
        for dataset in graph.infos:
            self.datasets[dataset] = len(self.datasets)
            for column in graph.columns(dataset):
                self.columns[column] = len(self.columns)
        self.usages: list[tuple[Any, ...]] = []
        self.order = sorted(graph.edges, key=lambda edge: not edge.field_level)
        """the edges by number: those into columns, then those into datasets"""

    def data(self, title: str, start: str, texts: Mapping[str, str]) -> dict[str, Any]:
        fields = [self.edge(edge) for edge in self.order if edge.field_level]
        rows = [self.edge(edge) for edge in self.order if not edge.field_level]
        return {
            "version": VERSION,
            "title": title,
            "start": start,
            "datasets": _transposed(map(self.dataset, self.datasets), 9),
            "columns": _transposed(map(self.column, self.columns), 5),
            "edges": _transposed(fields, 8),
            "rows": _transposed(rows, 8),
            "usages": _transposed(self.usages, 11),
            "diagnostics": [self.diagnostic(found) for found in self.diagnostics()],
            "coverage": vars(self.graph.extraction.coverage),
            "texts": {file: text for file, text in sorted(texts.items()) if file in self.words},
        }

    def diff(self, over: Overlay, findings: Iterable[Finding]) -> dict[str, Any]:
        """Numbers of what is added, removed or changed, and what it amounts to."""
        edges = {(edge.source, edge.target): number for number, edge in enumerate(self.order)}
        return {
            "datasets": [(self.datasets[dataset], mark) for dataset, mark in over.datasets.items()],
            "columns": [(self.columns[whole(column)], mark) for column, mark in over.columns.items()],
            "edges": [(edges[pair], mark) for pair, mark in over.edges.items()],
            "findings": [
                {
                    "level": finding.level.name,
                    "kind": finding.kind,
                    "dataset": finding.dataset,
                    "details": [str(detail) for detail in finding.details],
                    "follows": list(finding.follows),
                }
                for finding in findings
            ],
        }

    def dataset(self, dataset: Dataset) -> tuple[Any, ...]:
        info = self.graph.infos[dataset]
        columns = self.graph.columns(dataset)
        first = self.columns[columns[0]] if columns else -1
        say = self.words
        return (
            say[dataset.name], say[dataset.namespace], say[info.kind], say[info.description], *self.place(info.place),
            first, len(columns),
        )  # fmt: skip

    def column(self, column: Column) -> tuple[Any, ...]:
        info = self.graph.info(column)
        labels = self.words["\n".join(self.labels.of(column))]
        if info is None:
            return self.words[column.name], 0, 0, labels, 0
        say = self.words
        declared = int(bool(info.classification))
        return say[column.name], say[info.type], say[info.description], labels, declared

    def edge(self, edge: Edge) -> tuple[Any, ...]:
        first = len(self.usages)
        self.usages += map(self.usage, edge.usages)
        target, into = edge.target, self.datasets[edge.into]
        marks = AMBIGUOUS * edge.ambiguous + MASKED * edge.masked
        marks += STATUS * STATUSES.index(description_status(self.graph, edge))
        return (
            self.columns[whole(edge.source)],
            self.columns[whole(target)] if isinstance(target, Column) else into,
            KINDS.index(edge.kind),
            int(edge.level),
            marks,
            first,
            self.words[".".join(edge.source.path)],
            self.words[".".join(target.path)] if isinstance(target, Column) else 0,
        )

    def usage(self, usage: Usage) -> tuple[Any, ...]:
        say, doubt = self.words, usage.doubt
        evidence = doubt.evidence if doubt is not None else ""
        return (
            say[usage.how.value], say[usage.clause.value], int(usage.masked), int(usage.level), say[evidence],
            say[usage.expression], say[usage.transform], int(doubt is not None and doubt.ambiguous),
            *self.place(usage.place),
        )  # fmt: skip

    def place(self, place: Place | None) -> tuple[int, int, int]:
        return (self.words[place.file], place.line, place.column) if place is not None else (0, 0, 0)

    def diagnostics(self) -> list[Diagnostic]:
        return sorted([*self.graph.extraction.diagnostics, *self.labels.conflicts()], key=order_of)

    def diagnostic(self, found: Diagnostic) -> dict[str, Any]:
        at = self.place(found.place)
        return {
            "code": found.code.code,
            "severity": found.severity.label,
            "message": found.message,
            "hint": found.advice,
            "place": at,
        }


def _transposed(rows: Iterable[tuple[Any, ...]], width: int) -> list[list[Any]]:
    """Columns compress better than rows, and become typed arrays."""
    several = [list(column) for column in zip(*rows, strict=True)]
    return several or [[] for _ in range(width)]

"""The data of the page: a graph as columns of numbers, which a browser reads quickly, and its
texts.

    datasets   a row each: name, kind, description, place, first column, tags
    columns    in the order of their datasets; an edge names them by number
    edges      source and target column, kind, level, marks, and where its usages begin
    rows       what decides a dataset's rows: source column, target dataset
    usages     subtype, clause, level, expression, place
    brought    a label that a column has from another one, and from which
    named      who names a column: those statements break when it goes
    reads      which dataset reads which
    links      which dataset is made from which, and by edges of which kinds
    words      every text that stands in the tables above, once

What a number means is in `web/src/data.ts`, which reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from lineal.graph.classify import Classification
from lineal.graph.describe import INHERITED, MISSING, MODIFIED, description_status
from lineal.graph.diff import Finding, Overlay
from lineal.graph.effects import OF_ONE_TYPE, OF_THE_SAME_TYPE
from lineal.graph.graph import Graph, whole_column
from lineal.graph.names_used import NamesUsed
from lineal.model.diagnostic import Diagnostic, Place, order_of
from lineal.model.edge import Column, Dataset, Edge, Usage
from lineal.model.redaction import redact_text
from lineal.model.way import Confidence

VERSION = 5
LONGEST_SQL = 40_000
"""Characters of a statement that are compared on the page."""
KINDS = ("copy", "rename", "transform", "inspect")
STATUSES = (None, INHERITED, MODIFIED, MISSING)
AMBIGUOUS, MASKED, STATUS = 1, 2, 4
"""The marks of an edge: two flags, and its description's status times four."""
DECLARED, LISTED = 1, 2
"""The marks of a column: its labels are its own, its dataset lists it."""
READ, LOW, MEDIUM, DOUBTFUL = (1 << (len(KINDS) + number) for number in range(4))
"""The marks of a link, after one for each kind of edge: a statement reads the dataset; an edge has
low or unknown confidence; one has medium confidence; one is ambiguous."""


def page_data(
    graph: Graph,
    *,
    title: str,
    start: str = "",
    texts: Mapping[str, str] | None = None,
    over: Overlay | None = None,
    findings: Iterable[Finding] = (),
) -> dict[str, object]:
    """Everything that the page shows. `texts` are the sources by file, `start` is what it opens
    with.

    With an overlay it shows what has changed: the graph is that of both sides.
    """
    tables = _Tables(graph)
    made = tables.data(title, start, texts or {})
    return made | {
        "diff": tables.diff(over, findings) if over is not None else None,
        "words": list(tables.words),
    }


def texts_of(graph: Graph, read: Callable[[str], str]) -> dict[str, str]:
    """Return the sources that places point at, by file: statements of a query history, and what
    `read` gives for a file. `read` decides which files may be read: a place may be forged.
    """
    kept = graph.extraction.texts
    files = {usage.place.file for edge in graph.edges for usage in edge.usages if usage.place}
    files |= {info.place.file for info in graph.infos.values() if info.place}
    found: dict[str, str] = {}
    for file in sorted(files - {""}):
        text = kept[file] if file in kept else read(file)
        if text:
            found[file] = redact_text(text)

    return found


class _Words(dict[str, int]):
    """Each text's number; the empty one is 0."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


class _Tables:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.labels = Classification(graph)
        self.used = NamesUsed(graph)
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
        """Return the whole document for the page."""
        fields = [self.edge(edge) for edge in self.order if edge.field_level]
        rows = [self.edge(edge) for edge in self.order if not edge.field_level]
        return {
            "version": VERSION,
            "title": title,
            "start": start,
            "datasets": _transpose(map(self.dataset, self.datasets), 12),
            "columns": _transpose(map(self.column, self.columns), 5),
            "edges": _transpose(fields, 8),
            "rows": _transpose(rows, 8),
            "usages": _transpose(self.usages, 11),
            "brought": _transpose(self.labels_brought(), 3),
            "named": _transpose(self.naming_rows(), 6),
            "reads": _transpose(self.reads(), 2),
            "links": _transpose(self.links(), 3),
            "calls": {"fixed": sorted(OF_ONE_TYPE), "kept": sorted(OF_THE_SAME_TYPE)},
            "diagnostics": list(map(self.diagnostic, self.diagnostics())),
            "coverage": self.graph.extraction.coverage.to_json(),
            "texts": {file: text for file, text in sorted(texts.items()) if file in self.words},
        }

    def diff(self, over: Overlay, findings: Iterable[Finding]) -> dict[str, Any]:
        """Return the numbers of added, removed and changed items, with the findings."""
        edges = {(edge.source, edge.target): number for number, edge in enumerate(self.order)}
        return {
            "datasets": [(self.datasets[dataset], mark) for dataset, mark in over.datasets.items()],
            "columns": [
                (self.columns[whole_column(column)], mark) for column, mark in over.columns.items()
            ],
            "edges": [(edges[pair], mark) for pair, mark in over.edges.items()],
            "findings": [
                {
                    "level": finding.level.name,
                    "kind": finding.kind,
                    "dataset": finding.dataset,
                    "details": list(map(list, finding.details)),
                    "follows": list(finding.follows),
                }
                for finding in findings
            ],
            "rewritten": {
                name: [redact_text(_limit_text(text)) for text in both]
                for name, both in over.rewritten.items()
            },
        }

    def dataset(self, dataset: Dataset) -> tuple[Any, ...]:
        """Return the row of a dataset."""
        info = self.graph.infos[dataset]
        columns = self.graph.columns(dataset)
        first = self.columns[columns[0]] if columns else -1
        say = self.words
        place = self.place(self.defining_place(dataset))
        return (
            say[dataset.name], say[dataset.namespace], say[info.kind], say[info.description], *place,
            first, len(columns), int(bool(columns) and self.used.by_position(columns[0])),
            say["\n".join(info.tags)], say["\n".join(self.graph.jobs.writers(dataset))],
        )  # fmt: skip

    def defining_place(self, dataset: Dataset) -> Place | None:
        """Return where a dataset is declared, else the first place in the statement that makes it."""
        return self.graph.infos[dataset].place or self.first_places.get(dataset)

    @cached_property
    def first_places(self) -> dict[Dataset, Place]:
        """The first place of the usages into each dataset."""
        found: dict[Dataset, Place] = {}
        for edge in self.order:
            for usage in edge.usages:
                place = usage.place
                known = found.get(edge.into)
                if place is not None and (known is None or place < known):
                    found[edge.into] = place

        return found

    def column(self, column: Column) -> tuple[Any, ...]:
        """Return the row of a column."""
        info = self.graph.info(column)
        labels = self.words["\n".join(self.labels.labels_of(column))]
        if info is None:
            return self.words[column.name], 0, 0, labels, 0

        say = self.words
        marks = DECLARED * bool(info.classification) + LISTED
        return say[column.name], say[info.type], say[info.description], labels, marks

    def labels_brought(self) -> Iterator[tuple[int, int, int]]:
        """Step by step, so that a way of a hundred columns is not written a hundred times."""
        for column, number in self.columns.items():
            if self.labels.labels_of(column):
                for each in self.labels.labels_brought(column):
                    yield number, self.words[each.label], self.columns[whole_column(each.path[-2])]

    def naming_rows(self) -> Iterator[tuple[int, ...]]:
        """Yield which dataset names which column, and where."""
        for column, number in self.columns.items():
            for dataset, naming in self.used.readers(column).items():
                if naming is not None:
                    yield (
                        number,
                        self.datasets[dataset],
                        self.words[naming.clause],
                        *self.place(naming.place),
                    )

    def reads(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of datasets of which one reads the other."""
        pairs = {(read.dataset, read.target): None for read in self.graph.reads}
        for dataset, target in pairs:
            if dataset in self.datasets and target in self.datasets:
                yield self.datasets[dataset], self.datasets[target]

    def links(self) -> Iterator[tuple[int, int, int]]:
        """Yield the pairs of datasets with an edge or a read between them, and the pair's marks."""
        marks: dict[tuple[int, int], int] = {}
        for edge in self.order:
            pair = (self.datasets[edge.source.dataset], self.datasets[edge.into])
            mark = (1 << KINDS.index(edge.kind)) + DOUBTFUL * edge.ambiguous
            mark += LOW * (edge.level <= Confidence.LOW) + MEDIUM * (
                edge.level == Confidence.MEDIUM
            )
            marks[pair] = marks.get(pair, 0) | mark

        for pair in self.reads():
            marks[pair] = marks.get(pair, 0) | READ

        for (source, target), mark in marks.items():
            if source != target:
                yield source, target, mark

    def edge(self, edge: Edge) -> tuple[Any, ...]:
        """Return the row of an edge, and add its usages."""
        first = len(self.usages)
        self.usages += map(self.usage, edge.usages)
        target, into = edge.target, self.datasets[edge.into]
        marks = AMBIGUOUS * edge.ambiguous + MASKED * edge.masked
        marks += STATUS * STATUSES.index(description_status(self.graph, edge))
        return (
            self.columns[whole_column(edge.source)],
            self.columns[whole_column(target)] if isinstance(target, Column) else into,
            KINDS.index(edge.kind),
            int(edge.level),
            marks,
            first,
            self.words[".".join(edge.source.path)],
            self.words[".".join(target.path)] if isinstance(target, Column) else 0,
        )

    def usage(self, usage: Usage) -> tuple[Any, ...]:
        """Return the row of a usage."""
        say, doubt = self.words, usage.doubt
        evidence = doubt.evidence if doubt is not None else ""
        return (
            say[usage.how.value], say[usage.clause.value], int(usage.masked), int(usage.level), say[evidence],
            say[usage.expression], say["+".join(usage.calls) or "direct"], int(doubt is not None and doubt.ambiguous),
            *self.place(usage.place),
        )  # fmt: skip

    def place(self, place: Place | None) -> tuple[int, int, int]:
        """Return a place as numbers: file, line, column."""
        if place is not None:
            return (self.words[place.file], place.line, place.column)

        return (0, 0, 0)

    def diagnostics(self) -> list[Diagnostic]:
        """Return all diagnostics in their order."""
        return sorted([*self.graph.extraction.diagnostics, *self.labels.conflicts()], key=order_of)

    def diagnostic(self, found: Diagnostic) -> dict[str, Any]:
        """Return a diagnostic as JSON values."""
        at = self.place(found.place)
        return {
            "code": found.code.code,
            "severity": found.severity.label,
            "message": found.message,
            "hint": found.advice,
            "place": at,
            "dataset": self.owner(found.place),
        }

    def owner(self, place: Place | None) -> int:
        """Return the dataset whose definition a place is in, or -1: of several datasets of one file
        the last that begins before it.
        """
        if place is None:
            return -1

        folder, _, name = place.file.rpartition("/")
        stem = name.partition(".")[0]
        known = self.definitions.get(place.file) or self.definitions.get(f"{folder}/{stem}", [])
        before = [number for line, number in known if line <= place.line]
        if before:
            return before[-1]

        return known[0][1] if known else -1

    @cached_property
    def definitions(self) -> dict[str, list[tuple[int, int]]]:
        """The lines at which datasets begin, by file, and by its path without the ending: a model's
        columns are declared next to its SQL.
        """
        found: dict[str, list[tuple[int, int]]] = {}
        for dataset, number in self.datasets.items():
            place = self.defining_place(dataset)
            if place is not None:
                folder, _, name = place.file.rpartition("/")
                for key in (place.file, f"{folder}/{name.partition('.')[0]}"):
                    found.setdefault(key, []).append((place.line, number))

        return {file: sorted(several) for file, several in found.items()}


def _limit_text(text: str) -> str:
    """Return a text, cut where it is too long to be compared."""
    if len(text) <= LONGEST_SQL:
        return text

    return f"{text[:LONGEST_SQL]}\n… {len(text) - LONGEST_SQL:,} more characters"


def _transpose(rows: Iterable[tuple[Any, ...]], width: int) -> list[list[Any]]:
    """Columns compress better than rows, and become typed arrays."""
    several = list(map(list, zip(*rows, strict=True)))
    return several or [[] for _ in range(width)]

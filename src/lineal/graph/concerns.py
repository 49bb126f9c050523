"""Which diagnostics concern a dataset: those of the definitions that it depends on.

a.sql    CREATE VIEW a AS SELECT x FROM t, u        ambiguous-column
b.sql    CREATE VIEW b AS SELECT x FROM a           concerned by the diagnostic of a.sql
c.sql    CREATE VIEW c AS SELECT y FROM t, u        ambiguous-column, of no concern to b
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from lineal.graph.graph import Graph
from lineal.model import names
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Dataset
from lineal.model.extraction import DatasetInfo
from lineal.model.statement import Statement

WITHOUT_RESULT = frozenset(
    (Code.PARSE_ERROR, Code.TOO_DEEP, Code.INTERNAL_ERROR, Code.LIMIT_EXCEEDED)
)
"""The statement of such a diagnostic writes something that nobody knows."""

PROGRAM = "python"
"""The kind of a write of a program: the lines before it decide it."""


class Anchor(NamedTuple):
    """Where the text begins that defines or declares a dataset."""

    line: int
    column: int
    dataset: Dataset


class Concerns(NamedTuple):
    """The diagnostics of a run, parted by a question about some datasets."""

    own: list[Diagnostic]
    """those of the definitions that the datasets depend on, those of the whole run, and failures of
    lineal itself, which decide the exit code
    """
    others: list[Diagnostic]


def part_diagnostics(
    graph: Graph, asked: Iterable[Dataset], shown: Iterable[Dataset], found: list[Diagnostic]
) -> Concerns:
    """Part the diagnostics: those about the shown datasets or their upstream, and all others."""
    files = {each.place.file for each in found if each.place is not None}
    if not files:
        return Concerns(found, [])

    places = _Places(graph, files, _upstream_of(graph, asked) | set(shown))
    parted = Concerns([], [])
    for each in found:
        is_own = each.code is Code.INTERNAL_ERROR or places.concern(each)
        target = parted.own if is_own else parted.others
        target.append(each)

    return parted


def _upstream_of(graph: Graph, asked: Iterable[Dataset]) -> set[Dataset]:
    """Return some datasets and everything that is read to make them."""
    sources: dict[Dataset, set[Dataset]] = {}
    for target, dataset in graph.extraction.read_pairs:
        sources.setdefault(target, set()).add(dataset)

    found = set(asked)
    waiting = list(found)
    while waiting:
        ahead = [each for each in sources.get(waiting.pop(), ()) if each not in found]
        found.update(ahead)
        waiting += ahead

    return found


class _Places:
    """Where the datasets that matter are defined."""

    def __init__(self, graph: Graph, files: set[str], datasets: set[Dataset]) -> None:
        self.datasets = datasets
        self.anchors: dict[str, list[Anchor]] = {file: [] for file in files}
        self.programs: set[str] = set()
        self.statements: dict[str, list[Statement]] = {file: [] for file in files}
        self.settled: dict[str, list[Anchor] | None] = {}
        """the anchors of a file in order, once somebody has asked about it"""
        for statement in graph.extraction.statements:
            if statement.file in files:
                self.statements[statement.file].append(statement)

        for info in graph.infos.values():
            self._add_declaration(info)

        self.stems = {names.insensitive(each.name, False) for each in datasets}

    def _add_declaration(self, info: DatasetInfo) -> None:
        """Enter where a dataset and its columns are declared."""
        self._add(info.place, info.dataset)
        for column in info.columns:
            self._add(column.place, info.dataset)

    def _add(self, place: Place | None, dataset: Dataset) -> None:
        """Note that a dataset is written at a place, if the place's file has diagnostics."""
        if place is not None and place.file in self.anchors:
            self.anchors[place.file].append(Anchor(place.line, place.column, dataset))

    def concern(self, found: Diagnostic) -> bool:
        """Tell whether a diagnostic is about one of the datasets; one without a place is about all."""
        place = found.place
        if place is None:
            return True

        anchors = self._anchors_in(place.file)
        if anchors is None:
            return False

        if not anchors:
            return self._is_named_like(place.file)

        before = bisect_right(anchors, (place.line, place.column), key=lambda each: each[:2])
        is_of_file = found.code in WITHOUT_RESULT or place.file in self.programs or not before
        if is_of_file:
            return any(anchor.dataset in self.datasets for anchor in anchors)

        return anchors[before - 1].dataset in self.datasets

    def _anchors_in(self, file: str) -> list[Anchor] | None:
        """Return where the datasets of a file begin, in order; None if none of them matters: then
        no place has to be looked up.
        """
        if file not in self.settled:
            self.settled[file] = self._settle(file)

        return self.settled[file]

    def _settle(self, file: str) -> list[Anchor] | None:
        """Return the places of a file in order; None if it concerns none of the datasets."""
        anchors, statements = self.anchors[file], self.statements[file]
        targets = {each.target for each in statements} | {each.dataset for each in anchors}
        if targets and targets.isdisjoint(self.datasets):
            return None

        for statement in statements:
            self._add(statement.place, statement.target)
            if statement.kind == PROGRAM:
                self.programs.add(file)

        return sorted(anchors)

    def _is_named_like(self, file: str) -> bool:
        """Tell whether a file that defines nothing is called like one of the datasets: a model that
        cannot be read.
        """
        stem = file.replace("\\", "/").rpartition("/")[2].partition(".")[0]
        folded = names.insensitive(stem, False)
        return any(name.rpartition(".")[2] == folded for name in self.stems)

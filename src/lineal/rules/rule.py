"""A rule, and what it may look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import NamedTuple

from lineal.graph.classify import Classification
from lineal.graph.graph import Graph
from lineal.model import names
from lineal.model.diagnostic import Code, Diagnostic, Place, Severity
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.finding import Checks, Construct, Found, Spot
from lineal.model.grouping import group


class Rule(NamedTuple):
    """A code that stays the same for ever, how bad it is unless the project says otherwise, and how
    to find it.
    """

    code: str
    name: str
    severity: Severity | None
    """None: off, unless the project or the command line asks for it"""
    meaning: str
    remedy: str
    find: Callable[[Subject], Iterable[Found]]

    def is_called(self, text: str) -> bool:
        """By its code or its name, whatever the case; A05* means all of the codes that begin so."""
        asked = text.lower()
        return fnmatchcase(self.code.lower(), asked) or fnmatchcase(self.name, asked)


Columns = dict[str, ColumnInfo]
"""Columns by their name in lower case."""


@dataclass(frozen=True)
class Subject:
    """The subject of a check: the graph, with declarations and results, and the settings of the
    rules.
    """

    graph: Graph
    checks: Checks = field(default_factory=Checks)
    constructs: Callable[[], list[Construct]] = list

    @cached_property
    def labels(self) -> Classification:
        """Return the classification of all columns."""
        return Classification(self.graph)

    @cached_property
    def diagnosed(self) -> dict[Code, list[Diagnostic]]:
        """Return the diagnostics of each code."""
        return group(self.graph.extraction.diagnostics, lambda diagnostic: diagnostic.code)

    @property
    def infos(self) -> list[DatasetInfo]:
        """Return every dataset."""
        return list(self.graph.infos.values())

    @cached_property
    def documented(self) -> list[DatasetInfo]:
        """The datasets that somebody describes: nodes of a project, and tables with a word about
        them in a schema.
        """
        return [info for info in self.infos if info.declared is not None and _is_described(info)]

    def compared_columns(self) -> Iterator[tuple[DatasetInfo, Columns, Columns]]:
        """Yield each dataset that is both made and declared: its made and its declared columns."""
        for info in self.infos:
            if info.produced is not None and info.declared:
                yield info, key_by_name(info.produced), key_by_name(editable_columns(info))

    def is_terminal(self, info: DatasetInfo) -> bool:
        """Tell whether nothing in the project is expected to read a dataset."""
        name = names.insensitive(info.dataset.name, False)
        patterns = (names.insensitive(pattern, False) for pattern in self.checks.terminal)
        return info.terminal or any(fnmatchcase(name, pattern) for pattern in patterns)

    def sources(self, column: Column) -> list[Edge]:
        """The field-level edges into a column."""
        return self.graph.into(column)

    def declared_at(self, column: Column) -> Place | None:
        """Return where a column is declared."""
        info = self.graph.info(column)
        if info is not None:
            return info.place

        return None

    def made_at(self, column: Column) -> Place | None:
        """Where a statement makes the column, as far as its sources tell."""
        return next((edge.place for edge in self.sources(column) if edge.place), None)

    def locate(
        self, column: Column, declared: Place | None, words: str
    ) -> tuple[Place | None, tuple[Spot, ...]]:
        """Return the place of a finding about a column: where it is declared, else where it is made.

        If both are known, the place where it is made is a second spot, with these words.
        """
        made = self.made_at(column)
        spots = (Spot(made, words),) if made and declared else ()
        return declared or made or self.home_of(column.dataset), spots

    def home_of(self, dataset: Dataset) -> Place | None:
        """Where a dataset is declared, else the first statement that makes it, else where it first
        reads something.
        """
        declared = self.graph.infos[dataset].place
        return declared or self._definitions.get(dataset) or self._first_reads.get(dataset)

    @cached_property
    def _definitions(self) -> dict[Dataset, Place]:
        """Return where the first statement begins that makes each dataset."""
        first: dict[Dataset, Place] = {}
        for statement in self.graph.extraction.statements:
            if statement.place is not None:
                first.setdefault(statement.target, statement.place)

        return first

    @cached_property
    def _first_reads(self) -> dict[Dataset, Place]:
        """Return where each dataset first reads another."""
        first: dict[Dataset, Place] = {}
        for read in self.graph.reads:
            if read.place is not None:
                first.setdefault(read.target, read.place)

        return first


def editable_columns(info: DatasetInfo) -> list[ColumnInfo]:
    """Return the columns that a file lists, so that a user can edit them: a catalog does
    not count.
    """
    return [column for column in info.declared_columns if column.place is not None]


UNDECLARED_PLACES = (".sql", ".csv", ".py")
"""The place that is given for a node without YAML of its own."""


def has_yaml(info: DatasetInfo) -> bool:
    """Tell whether a project file declares the dataset."""
    return info.place is not None and not info.place.file.lower().endswith(UNDECLARED_PLACES)


def _is_described(info: DatasetInfo) -> bool:
    """Tell whether somebody has described the dataset."""
    words = info.description or any(column.description for column in info.declared_columns)
    return bool(words) or (info.kind != "table" and has_yaml(info))


def key_by_name(columns: Iterable[ColumnInfo]) -> Columns:
    """Columns by their name, whatever its case."""
    return {names.insensitive(column.name, False): column for column in columns}

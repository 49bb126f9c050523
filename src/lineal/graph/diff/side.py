"""One of the two graphs that are compared, by names that both have in common."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from lineal.graph.graph import Graph
from lineal.model import names
from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.grouping import group
from lineal.model.sequences import present
from lineal.model.statement import Statement

Key = tuple[str, str]
"""A dataset's namespace and name, whatever the case."""
STAR = "*"


class Source(NamedTuple):
    """Where an edge comes from, by names."""

    dataset: Key
    column: str


Fact = tuple[str, ...]
"""A usage by what it says: subtype, masking and, of a statement that was changed, the calls on the
way.
"""
Facts = dict[Source, frozenset[Fact]]
Renames = dict[tuple[Key, str], str]
"""A dataset's key and a column that it had → what that column is called now."""


def fold(name: str) -> str:
    """Return a name in the form in which names are compared."""
    return names.insensitive(name, False)


def key_of(dataset: Dataset) -> Key:
    """Return the key of a dataset: namespace and name, folded."""
    return fold(dataset.namespace), fold(dataset.name)


class Side:
    """A graph, asked by keys."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._columns: dict[Key, dict[str, ColumnInfo]] = {}

    @cached_property
    def datasets(self) -> dict[Key, Dataset]:
        """Return every dataset by its key."""
        return {key_of(dataset): dataset for dataset in self.graph.infos}

    @cached_property
    def statements(self) -> dict[Key, list[Statement]]:
        """Return the statements that write each dataset."""
        return group(self.graph.extraction.statements, lambda statement: key_of(statement.target))

    @cached_property
    def _edges(self) -> dict[Key, list[Edge]]:
        """Return the edges into each dataset."""
        return group(self.graph.extraction.edges, lambda edge: key_of(edge.into))

    @cached_property
    def defined(self) -> dict[Key, None]:
        """The datasets that the input says something of: written by a statement, or with a schema
        of its own.
        """
        known = {key: None for key in self.datasets if self.is_defined(key)}
        return known | dict.fromkeys(self.statements)

    def is_defined(self, key: Key) -> bool:
        """Tell whether the side says how the dataset is made."""
        return key in self.statements or key in self._edges or self.info(key).complete

    @cached_property
    def readers(self) -> dict[Key, dict[Key, None]]:
        """Who reads a dataset."""
        found: dict[Key, dict[Key, None]] = {}
        for target, dataset in self.graph.extraction.read_pairs:
            found.setdefault(key_of(dataset), {})[key_of(target)] = None

        return found

    @cached_property
    def read_by(self) -> dict[Key, dict[Key, None]]:
        """Return the datasets that a dataset reads."""
        found: dict[Key, dict[Key, None]] = {}
        for dataset, several in self.readers.items():
            for target in several:
                found.setdefault(target, {})[dataset] = None

        return found

    @cached_property
    def columns_read(self) -> set[tuple[Key, str]]:
        """Return the columns that other datasets read."""
        own = (
            (read, key_of(read.dataset)) for read in self.graph.reads if read.dataset != read.target
        )
        return {(key, fold(read.column)) for read, key in own if read.column is not None}

    def info(self, key: Key) -> DatasetInfo:
        """Return the information about a dataset, or about a function."""
        dataset = self.datasets.get(key, Dataset(*key))
        return self.graph.infos.get(dataset) or DatasetInfo(dataset, "function")

    def name(self, key: Key) -> str:
        """Return the name of a dataset as it is written."""
        return self.info(key).dataset.name

    def columns(self, key: Key) -> dict[str, ColumnInfo]:
        """The listed columns in order; those of a star that is open are not known."""
        held = self._columns.get(key)
        if held is None:
            listed = (info for info in self.info(key).columns if info.name != STAR)
            held = self._columns[key] = {fold(info.name): info for info in listed}

        return held

    def column(self, key: Key, name: str) -> Column:
        """Return a column under the name that is written."""
        info = self.columns(key).get(name)
        return Column(self.info(key).dataset, info.name if info is not None else name)

    def edges(self, key: Key) -> list[Edge]:
        """Return the edges into a dataset."""
        return self._edges.get(key, [])

    def texts(self, key: Key) -> list[str]:
        """The texts that hold a dataset's statements; none where one of them is not available."""
        found = [statement.text for statement in self.statements.get(key, ())]
        if None not in found:
            return present(found)

        return []

    def words_of(self, key: Key) -> list[str]:
        """Return the statements of a dataset as normalized words."""
        return sorted({statement.words for statement in self.statements.get(key, ())})

    def meanings_of(self, key: Key) -> list[str]:
        """Return the digests of what the statements of a dataset mean."""
        return sorted({statement.meaning for statement in self.statements.get(key, ())})

    def place(self, key: Key) -> Place | None:
        """Return where a dataset is defined."""
        found = (statement.place for statement in self.statements.get(key, ()))
        return next((place for place in found if place is not None), None) or self.info(key).place

    def files(self, key: Key) -> set[str]:
        """Return the files that define a dataset."""
        return {statement.file for statement in self.statements.get(key, ()) if statement.file}

    def lineage(
        self, key: Key, renamed: dict[Key, Key], deep: bool, columns_renamed: Renames | None = None
    ) -> tuple[dict[str, Facts], Facts]:
        """Return the sources of each column and of the rows, under the names of the other side."""
        columns: dict[str, Facts] = {}
        rows: Facts = {}
        for edge in self._edges.get(key, ()):
            dataset = key_of(edge.source.dataset)
            name = fold(edge.source.name)
            name = (columns_renamed or {}).get((dataset, name), name)
            source = Source(
                renamed.get(dataset, dataset), fold(".".join((name, *edge.source.path)))
            )
            target = edge.target
            at = (
                columns.setdefault(_target_name(target), {}) if isinstance(target, Column) else rows
            )
            at[source] = at.get(source, frozenset()) | facts_of(edge, deep)

        return columns, rows


def _target_name(target: Column) -> str:
    """Return the folded name of a target, with its path."""
    return fold(".".join((target.name, *target.path)))


def facts_of(edge: Edge, deep: bool) -> frozenset[Fact]:
    """Subtypes with their masking; the places, clauses and doubts of a usage are not what it says."""
    shallow = (
        (usage.how.value + (" masked" if usage.masked else ""), usage) for usage in edge.usages
    )
    return frozenset(
        (said, "+".join(usage.calls) or "direct") if deep else (said,) for said, usage in shallow
    )

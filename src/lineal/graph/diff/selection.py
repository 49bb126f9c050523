"""Which datasets have to be built or tested again after a change.

    SELECT id, amount * 2 AS double FROM orders        orders.amount has changed: selected
    SELECT id, day FROM orders                         it reads other columns: not selected

A change spreads along the edges of the head side. A column that changes reaches the columns that are
made of it, and the rows that it decides. Rows that change reach every dataset that reads them. Code
that is not traced may read any column of a table: any change of the table counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import starmap
from typing import NamedTuple

from lineal.graph.diff.compare import OWN, Comparison
from lineal.graph.diff.difference import Difference
from lineal.graph.diff.side import Key, Side, fold, key_of
from lineal.graph.graph import whole_column
from lineal.model.diagnostic import Severity
from lineal.model.edge import Column, Dataset

LOSSES = ("column-removed", "column-renamed")


class Selected(NamedTuple):
    """A dataset that a change can affect, and the first reason for it."""

    dataset: Dataset
    why: str


def select_affected(found: Difference, other_data: Iterable[Dataset] = ()) -> list[Selected]:
    """Return the datasets of the head side whose results a difference can change, by name.

    `other_data` are seeds whose rows differ: the graph holds only their columns.
    """
    spread = _ReachedDatasets(found.pairs.head)
    for comparison in found.pairs.common:
        spread.start_at(comparison)

    for key in found.pairs.added:
        spread.change_all(spread.dataset_of(key), "it is new")

    for key in found.pairs.removed:
        spread.lose(spread.dataset_of(key), found.pairs.base.name(key))

    for dataset in other_data:
        spread.change_all(dataset, "its rows have changed")

    for dataset in _unreadable_datasets(found.pairs.head):
        spread.change_all(dataset, "lineal cannot read it")

    for dataset in _unreadable_datasets(found.pairs.base):
        spread.change_all(spread.dataset_of(key_of(dataset)), "it had an error before")

    spread.follow()
    return sorted(
        starmap(Selected, spread.reasons.items()),
        key=lambda each: str(each.dataset),
    )


def _unreadable_datasets(side: Side) -> Iterator[Dataset]:
    """Yield the datasets whose files have errors: nobody knows what changes in them, or whether
    they could be built.
    """
    files = {
        each.place.file
        for each in side.graph.extraction.diagnostics
        if each.severity >= Severity.ERROR and each.place is not None
    }
    for key, dataset in side.datasets.items():
        if not files.isdisjoint(side.files(key)):
            yield dataset


class _ReachedDatasets:
    """The datasets that a change reaches, one after the other."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.graph = side.graph
        self.reasons: dict[Dataset, str] = {}
        self.columns: set[Column] = set()
        self.rows: set[Dataset] = set()
        self.waiting: list[Column | Dataset] = []

    def dataset_of(self, key: Key) -> Dataset:
        """Return the dataset of a key, also of one that is gone."""
        return self.side.datasets.get(key, Dataset(*key))

    # -- where changes start -----------------------------------------------------------------------

    def start_at(self, comparison: Comparison) -> None:
        """Take over what differs in one dataset; another description or label changes no result."""
        dataset = self.dataset_of(comparison.new)
        for detail in comparison.details:
            if detail.kind in OWN:
                continue

            why = f"{detail.kind} {detail.column or dataset.name}"
            if not detail.column:
                self.change_all(dataset, why)
                continue

            self.change(self.side.column(comparison.new, fold(detail.column)), why)
            if detail.kind in LOSSES:
                self.read_again(dataset, detail.column, why)

        if comparison.key in comparison.renamed:
            self.change_all(dataset, f"renamed from {comparison.base.name(comparison.key)}")

    def lose(self, dataset: Dataset, name: str) -> None:
        """Select the datasets that still read a removed one."""
        for reader in self.readers.get(key_of(dataset), {}):
            self.change_all(reader, f"reads {name}, which is gone")

    # -- what changes ------------------------------------------------------------------------------

    def change(self, column: Column, why: str) -> None:
        """Mark one column, and its dataset."""
        column = whole_column(column)
        self.reasons.setdefault(column.dataset, why)
        if column not in self.columns:
            self.columns.add(column)
            self.waiting.append(column)

    def change_all(self, dataset: Dataset, why: str) -> None:
        """Mark the rows of a dataset, and so all of its columns."""
        self.reasons.setdefault(dataset, why)
        if dataset not in self.rows:
            self.rows.add(dataset)
            self.waiting.append(dataset)

    def follow(self) -> None:
        """Spread the marks downstream until they reach nothing new."""
        while self.waiting:
            spot = self.waiting.pop()
            if isinstance(spot, Column):
                self.follow_column(spot)
            else:
                self.follow_rows(spot)

    def follow_column(self, column: Column) -> None:
        """Mark all that a column reaches: its target columns, the rows that it decides, its
        readers.
        """
        why = f"reads {column}"
        for edge in self.graph.out_of(column):
            if isinstance(edge.target, Column):
                self.change(edge.target, why)

        for edge in self.graph.decided_by(column):
            self.change_all(edge.into, why)

        self.read_again(column.dataset, column.name, why)
        for reader in self.untraced_readers(column.dataset):
            self.change_all(reader, f"reads {column.dataset}")

    def follow_rows(self, dataset: Dataset) -> None:
        """Other rows reach every column, and every dataset that reads them."""
        for column in self.graph.columns(dataset):
            self.change(column, self.reasons[dataset])

        for reader in self.readers.get(key_of(dataset), {}):
            self.change_all(reader, f"reads {dataset}")

    def read_again(self, dataset: Dataset, column: str, why: str) -> None:
        """Select the readers of one column: what they make of it, the edges tell."""
        for reader in self.column_readers.get((key_of(dataset), fold(column)), ()):
            self.reasons.setdefault(reader, why)

    # -- who reads ---------------------------------------------------------------------------------

    @cached_property
    def readers(self) -> dict[Key, dict[Dataset, bool]]:
        """Dataset → its readers, and whether they name columns of it."""
        found: dict[Key, dict[Dataset, bool]] = {}
        for read in self.graph.reads:
            if read.target != read.dataset:
                several = found.setdefault(key_of(read.dataset), {})
                several[read.target] = several.get(read.target, False) or read.column is not None

        for edge in self.graph.edges:
            several = found.setdefault(key_of(edge.source.dataset), {})
            if edge.into in several:
                several[edge.into] = True

        return found

    @cached_property
    def column_readers(self) -> dict[tuple[Key, str], set[Dataset]]:
        """Column → the datasets that read it."""
        found: dict[tuple[Key, str], set[Dataset]] = {}
        for read in self.graph.reads:
            if read.column is not None:
                spot = key_of(read.dataset), fold(read.column)
                found.setdefault(spot, set()).add(read.target)

        return found

    def untraced_readers(self, dataset: Dataset) -> list[Dataset]:
        """Return the readers of a dataset that name none of its columns, and whose own columns no
        statement tells: SELECT count(*) does tell.
        """
        several = self.readers.get(key_of(dataset), {})
        return [
            reader
            for reader, names_columns in several.items()
            if not names_columns and self.side.info(key_of(reader)).produced is None
        ]

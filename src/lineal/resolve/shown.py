"""The names that datasets and columns are shown under, decided once all statements are evaluated.

    SELECT t.Id FROM t;    SELECT t.ID FROM t      one column, in the spelling that is most frequent

Statements name a dataset or column as they spell it. Where the spellings of several statements meet,
one of them is chosen: that of the declaration or definition, else the most frequent one, else the
first by code point. So the order of files does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain

from lineal.extract.entries import Definition, Entry
from lineal.model.consumers import ONLY_READ
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import ColumnInfo
from lineal.model.names import column_key, is_exact, plain_name
from lineal.resolve.catalog import NameCatalog, table_key
from lineal.resolve.edges import unite_usages

Votes = dict[str, int]
"""How often each spelling of a name is used."""


class ShownNames:
    """The datasets and columns that are shown under another name than their statements use."""

    def __init__(self, catalog: NameCatalog) -> None:
        self.catalog = catalog
        self.facts = catalog.facts
        self.datasets: dict[Dataset, Dataset] = {}
        self.columns: dict[tuple[Dataset, str], str] = {}

    @property
    def differ(self) -> bool:
        """Tell whether any name is shown as another one."""
        return bool(self.datasets or self.columns)

    def settle(self) -> None:
        """Choose the names, now that every statement has been evaluated."""
        self.settle_datasets()
        self.settle_quotes()
        self.settle_columns()

    # -- datasets ----------------------------------------------------------------------------------

    def settle_datasets(self) -> None:
        """Orders, ORDERS: the most frequent spelling of a table that nothing defines; of a file that
        is named after its folders the tail by which it is read.
        """
        self.catalog.note_writers()
        for dataset, spelled in self.catalog.spelled.items():
            entry = self.catalog.entry_of(dataset)
            if entry is None:
                continue

            votes = Counter({spelling: len(readers) for spelling, readers in spelled.items()})
            if dataset.name in self.catalog.file_named:
                votes.pop(dataset.name, None)
                name = max(votes, key=lambda each: (votes[each], len(each), each))
            elif entry.declared is None and not entry.deciding:
                others = set().union(*spelled.values())
                votes[dataset.name] += sum(
                    definition.evaluation is not None
                    and dataset in definition.evaluation.datasets_read
                    and id(definition) not in others
                    for definition in self.catalog.order
                )
                name = most_frequent(votes)
            else:
                continue

            if name != dataset.name:
                self.datasets[dataset] = dataset._replace(name=name)

    def settle_quotes(self) -> None:
        """Orders and "Orders": the quotes are shown with the name that is written in quotes."""
        for key, other in self.catalog.clashes.items():
            plain, quoted = self.catalog.entries[other], self.catalog.entries[key]
            if key == table_key(plain.dataset.name, self.facts.fold_dataset):
                self.datasets[plain.dataset] = quoted.dataset
                self.datasets[quoted.dataset] = plain.dataset

    # -- columns -----------------------------------------------------------------------------------

    def settle_columns(self) -> None:
        """t.Id, t.ID: the columns of tables that nothing declares or defines, by the statements that
        read and write them.
        """
        entries = {entry.dataset: entry for entry in self.catalog.entries.values()}
        votes: dict[Dataset, dict[str, Votes]] = {}
        several = self.spelled_differently(entries)
        for definition in self.catalog.order if several else ():
            self.count_reads(definition, several, votes)

        for dataset, entry in entries.items():
            written = len(entry.definitions) > 1 or dataset in votes or entry.declared is not None
            if entry.definitions and written and entry.kind not in ONLY_READ:
                self.count_writes(entry, votes.setdefault(dataset, {}))

        for dataset, groups in votes.items():
            names = self.names_given(entries.get(dataset))
            given = set().union(*names.values())
            for key, spelled in groups.items():
                if key in names:
                    others = given.difference(names[key])
                    self.show(dataset, spelled.keys() - others, most_frequent(names[key]))
                elif len(spelled) > 1 or is_exact(next(iter(spelled))):
                    self.show(
                        dataset, spelled, self.without_quotes(most_frequent(spelled), key, groups)
                    )

    def spelled_differently(self, entries: dict[Dataset, Entry]) -> set[Dataset]:
        """The datasets whose columns statements may spell in several ways."""
        evaluations = [each.evaluation for each in self.catalog.order if each.evaluation]
        used: set[Column] = set().union(*(each.learnt for each in evaluations))
        for evaluation in evaluations:
            if evaluation.unresolved or evaluation.ambiguous:
                used.update(*evaluation.reads.values())

        fold, met = self.facts.fold, set()
        found: set[Dataset] = set()
        for dataset, name in {column[:2] for column in used}:
            key = (dataset, column_key(name, fold))
            if key in met or is_exact(name):
                found.add(dataset)

            met.add(key)

        written = (entry for entry in entries.values() if entry.definitions)
        return found | {
            entry.dataset for entry in written if entry.scanned is not None and entry.scanned.stars
        }

    def names_given(self, entry: Entry | None) -> dict[str, Votes]:
        """The columns that are declared for a name, else those that its definitions make."""
        given: dict[str, Votes] = {}
        if entry is None:
            return given

        if entry.declared is not None:
            for info in entry.declared.columns:
                given[self.facts.fold(info.name, info.quoted)] = {info.name: 1}

        made: dict[str, Votes] = {}
        for definition in entry.deciding:
            count_slots(definition, made)

        return made | given

    def count_reads(
        self,
        definition: Definition,
        several: set[Dataset],
        votes: dict[Dataset, dict[str, Votes]],
    ) -> None:
        """Count the spellings that one statement uses."""
        evaluation = definition.evaluation
        if evaluation is None:
            return

        used = [
            (column, count)
            for column, count in evaluation.learnt.items()
            if column.dataset in several
        ]
        if evaluation.unresolved or evaluation.ambiguous:
            doubtful = chain.from_iterable(evaluation.reads.values())
            used += [
                (column, 1)
                for column in doubtful
                if column.dataset in several and column not in evaluation.learnt
            ]

        for column, count in used:
            key = column_key(column.name, self.facts.fold)
            spelled = votes.setdefault(column.dataset, {}).setdefault(key, {})
            spelled[column.name] = spelled.get(column.name, 0) + count

    def without_quotes(self, name: str, key: str, groups: dict[str, Votes]) -> str:
        """ "Id"      Id, unless the table has an unquoted Id, too"""
        if not is_exact(name):
            return name

        plain = plain_name(name)
        others = (each for other, spelled in groups.items() if other != key for each in spelled)
        if any(plain_name(each) == plain for each in others):
            return name

        return plain

    def count_writes(self, entry: Entry, groups: dict[str, Votes]) -> None:
        """INSERT INTO t (Id) …; INSERT INTO t (ID) …      count the spellings that are written"""
        for definition in entry.definitions:
            count_slots(definition, groups)

    def show(self, dataset: Dataset, spelled: Iterable[str], name: str) -> None:
        """Show these spellings of a column as one name."""
        for spelling in spelled:
            if spelling != name:
                self.columns[dataset, spelling] = name

    # -- shown values ------------------------------------------------------------------------------

    def dataset(self, dataset: Dataset) -> Dataset:
        """The dataset under the name that is shown."""
        return self.datasets.get(dataset, dataset)

    def column(self, column: Column) -> Column:
        """The column under the names that are shown."""
        name = self.columns.get((column.dataset, column.name), column.name)
        return Column(self.dataset(column.dataset), name, column.path)

    def column_name(self, dataset: Dataset, name: str) -> str:
        """The name that a column of a dataset is shown under."""
        return self.columns.get((dataset, name), name)

    def target(self, target: Column | Dataset) -> Column | Dataset:
        """The column or dataset that an edge leads into, as it is shown."""
        return self.column(target) if isinstance(target, Column) else self.dataset(target)

    def infos(self, dataset: Dataset, columns: list[ColumnInfo]) -> list[ColumnInfo]:
        """The columns of a dataset under the names that are shown, each once."""
        shown = {self.column_name(dataset, each.name): each for each in reversed(columns)}
        return [each._replace(name=name) for name, each in reversed(shown.items())]

    def edges(self, edges: list[Edge]) -> list[Edge]:
        """The edges under the names that are shown; two that become one are united."""
        if not self.differ:
            return edges

        found: dict[tuple[Column, Column | Dataset], Edge] = {}
        for edge in edges:
            ends = self.column(edge.source), self.target(edge.target)
            before = found.get(ends)
            if before is None:
                found[ends] = Edge(*ends, edge.usages)
            else:
                found[ends] = Edge(*ends, unite_usages(before.usages, edge.usages))

        return list(found.values())


def count_slots(definition: Definition, groups: dict[str, Votes]) -> None:
    """Count the names that a statement gives to the columns it writes."""
    frame = definition.frame
    for slot in frame.slots if frame is not None else ():
        if slot.star is None:
            spelled = groups.setdefault(slot.key, {})
            spelled[slot.name] = spelled.get(slot.name, 0) + 1


def most_frequent(votes: Votes) -> str:
    """The spelling with most votes; of several the first by code point."""
    if len(votes) == 1:
        return next(iter(votes))

    return min(votes, key=lambda name: (-votes[name], plain_name(name)))

"""The types of every dataset's columns: declared ones, and those that statements carry. Nothing is
typed before
somebody asks."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from lineal.extract.sql.parse import allow_deep_calls
from lineal.extract.sql.types.kinds import UNKNOWN, Type, declared_type
from lineal.extract.sql.types.queries import OPEN, Table, Typing
from lineal.model.edge import Dataset

if TYPE_CHECKING:
    from lineal.extract.entries import Definition, Entry
    from lineal.resolve.boundary import Boundary
    from lineal.resolve.catalog import NameCatalog
    from lineal.resolve.schemas import Schemas


class Types:
    """The types of every dataset's columns: computed when they are asked for, and remembered."""

    def __init__(self, catalog: NameCatalog, schemas: Schemas, boundary: Boundary) -> None:
        self.catalog = catalog
        self.schemas = schemas
        self.boundary = boundary
        self.found: dict[int, dict[str, Type]] = {}
        self.made: dict[int, dict[str, Type]] = {}
        """the types that follow from the statements alone"""
        self.tables: dict[int, Table] = {}

    @cached_property
    def by_dataset(self) -> dict[Dataset, Entry]:
        """The entries by their datasets."""
        return {entry.dataset: entry for entry in self.catalog.entries.values()}

    def type_of(self, entry: Entry, key: str) -> str:
        """Return the type of a column of a dataset; '' if it is not known."""
        if id(entry) not in self.found:
            try:
                with allow_deep_calls():
                    self.settle(entry)
            except Exception as error:
                self.found[id(entry)] = {}
                self.schemas.unknown_frame(entry, error)

        return self.found[id(entry)].get(key, UNKNOWN).spelled

    def inferred_type_of(self, entry: Entry, key: str) -> str:
        """The type that follows from the statements alone, whatever is declared; '' if it is not
        known.
        """
        self.type_of(entry, key)
        return self.made.get(id(entry), {}).get(key, UNKNOWN).spelled

    def settle(self, wanted: Entry) -> None:
        """Settle the sources of a dataset first, by a work list: chains of views may have any
        length.
        """
        waiting, begun = [wanted], set()
        while waiting:
            entry = waiting[-1]
            if id(entry) in self.found:
                waiting.pop()
                continue

            needed = (
                []
                if id(entry) in begun
                else [each for each in self.read_by(entry) if id(each) not in self.found]
            )
            begun.add(id(entry))
            if needed:
                waiting.extend(each for each in needed if id(each) not in begun)
            else:
                waiting.pop()
                self.found[id(entry)] = self.columns(entry)

    def read_by(self, entry: Entry) -> list[Entry]:
        """The entries that the definitions of one read."""
        by_dataset = self.by_dataset
        read = [d.evaluation.datasets_read for d in entry.defining if d.evaluation is not None]
        return [
            by_dataset[dataset]
            for datasets in read
            for dataset in datasets
            if dataset in by_dataset
        ]

    def columns(self, entry: Entry) -> dict[str, Type]:
        """Return the type of each column: the declared one, else the type on which all statements
        that define the dataset agree.

        ALTER TABLE may have changed any of them: then nothing is claimed.
        """
        if entry.changes:
            return {}

        fold = self.catalog.facts.fold
        dialect = self.catalog.corpus.dialect
        said = entry.declared.columns if entry.declared is not None else []
        given = {
            fold(info.name, False): declared_type(info.type, dialect) for info in said if info.type
        }
        made = self.made[id(entry)] = self.agree(entry)
        return {**made, **given}

    def agree(self, entry: Entry) -> dict[str, Type]:
        """Return the type on which all statements that define a dataset agree."""
        several = list(map(self.types_of, entry.defining))
        agreed: dict[str, Type] = {}
        for key in set(chain.from_iterable(several)):
            types = {columns[key] for columns in several if key in columns}
            if len(types) == 1:
                agreed[key] = types.pop()

        return agreed

    def types_of(self, definition: Definition) -> dict[str, Type]:
        """The types of the columns that one statement writes."""
        plan, frame, evaluation = definition.plan, definition.frame, definition.evaluation
        if (
            plan.query is None
            or plan.made is not None
            or frame is None
            or evaluation is None
            or definition.parameters
        ):
            return {}

        if definition.failure is not None:
            return {}

        try:
            table = Typing(self, evaluation).statement(plan.query, plan.with_)
        except Exception as error:
            self.boundary.fail(definition, error)
            return {}

        slots = frame.slots
        if not (plan.columns or plan.positional):
            return table.by_key()

        if table.complete and frame.complete and len(slots) == len(table.columns):
            pairs = zip(slots, table.columns, strict=True)
            return {slot.key: kind for slot, (_, kind) in pairs if kind.spelled}

        return {}

    def columns_of(self, dataset: Dataset) -> Table:
        """Return the types of a dataset's columns.

        FROM t      what is known of t's columns by now
        """
        entry = self.by_dataset.get(dataset)
        if entry is None or id(entry) not in self.found:
            return OPEN

        if id(entry) not in self.tables:
            types = self.found[id(entry)]
            frame = self.schemas.schema(entry)
            columns = [
                (slot.key, types.get(slot.key, UNKNOWN))
                for slot in frame.slots
                if slot.star is None
            ]
            self.tables[id(entry)] = Table(columns, frame.complete)

        return self.tables[id(entry)]

"""The datasets of a corpus, with their columns."""

from __future__ import annotations

from functools import partial
from typing import Any

from lineal.algebra.frame import Frame
from lineal.extract.entries import Entry
from lineal.model.consumers import CONSUMERS, ONLY_READ
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo, LateColumn
from lineal.resolve.boundary import Boundary
from lineal.resolve.catalog import NameCatalog
from lineal.resolve.evidence import Evidence
from lineal.resolve.schemas import Schemas
from lineal.resolve.shown import ShownNames
from lineal.resolve.types import Types

UNDECLARED = ColumnInfo("")
"""The declaration of a column that nobody declares."""


class DatasetInfos:
    """The information about each dataset, put together when everything is resolved."""

    def __init__(
        self,
        catalog: NameCatalog,
        schemas: Schemas,
        types: Types,
        evidence: Evidence,
        boundary: Boundary,
    ) -> None:
        self.catalog = catalog
        self.schemas = schemas
        self.types = types
        self.evidence = evidence
        self.boundary = boundary
        self.shown = ShownNames(catalog)
        self.facts = catalog.facts

    def all(self) -> dict[Dataset, DatasetInfo]:
        """Every dataset that is defined, declared or read: the defined ones in the order of their
        statements.
        """
        learnt = self.evidence.learnt_columns()
        for key, info in list(self.catalog.declared.items()):
            self.boundary.attempt(
                partial(self.catalog.entry, key, "", ""), info.place, "this declaration"
            )

        infos: dict[Dataset, DatasetInfo] = {}
        for definition in self.catalog.order:
            entry = definition.entry
            dataset = self.shown.dataset(entry.dataset)
            if not definition.hidden and dataset not in infos:
                infos[dataset] = self.info_of(entry, learnt)

        others = {self.shown.dataset(each.dataset): each for each in self.catalog.entries.values()}
        for dataset, entry in sorted(others.items(), key=lambda item: item[0]):
            if dataset not in infos and entry.kind != "type":
                infos[dataset] = self.info_of(entry, learnt)

        return infos

    def info_of(self, entry: Entry, learnt: dict[Dataset, dict[str, str]]) -> DatasetInfo:
        """A dataset with its columns; without any, if that fails."""
        try:
            return self.describe(entry, learnt)
        except Exception as error:
            self.schemas.unknown_frame(entry, error)
            return DatasetInfo(self.shown.dataset(entry.dataset), entry.kind)

    def describe(self, entry: Entry, learnt: dict[Dataset, dict[str, str]]) -> DatasetInfo:
        """A dataset with the columns that are made or declared, then those that use tells of."""
        if entry.kind in ONLY_READ:
            return self.describe_check(entry)

        frame = entry.scanned if entry.scanned is not None else self.schemas.schema(entry)
        columns = self.columns_known(entry, frame)
        if not frame.complete:
            known = {self.facts.fold(info.name, False) for info in columns}
            used = sorted(learnt.get(entry.dataset, {}).items())
            columns += [ColumnInfo(name) for key, name in used if key not in known]

        produced = self.columns_produced(entry, columns)
        dataset = self.shown.dataset(entry.dataset)
        if self.shown.columns:
            columns = self.shown.infos(entry.dataset, columns)
            produced = produced and self.shown.infos(entry.dataset, produced)

        found = DatasetInfo(dataset, entry.kind, columns, frame.complete)
        if entry.declared is not None:
            found.description, found.place = entry.declared.description, entry.declared.place

        if entry.told is not None and entry.kind not in CONSUMERS:
            found.declared, found.terminal = entry.told.columns, entry.told.terminal
            found.tags = entry.told.tags

        found.produced = produced
        return found

    def describe_check(self, entry: Entry) -> DatasetInfo:
        """A test has no columns, whatever its statement selects."""
        found = DatasetInfo(self.shown.dataset(entry.dataset), entry.kind, [], True)
        if entry.declared is not None:
            found.description, found.place = entry.declared.description, entry.declared.place

        return found

    def columns_known(self, entry: Entry, frame: Frame) -> list[ColumnInfo]:
        """Return the columns of a frame, each with its declaration; its type may be found later."""
        declared = self.declared_columns(entry)
        columns = []
        for slot in frame.slots:
            if slot.star is not None:
                continue

            info = declared.get(slot.name)
            if info is None:
                info = declared.get(self.facts.fold(slot.name, False), UNDECLARED)

            if info.type or not entry.definitions:
                columns.append(info._replace(name=slot.name))
            else:
                ask: Any = partial(self.types.type_of, entry, slot.key)
                columns.append(LateColumn(slot.name, ask, *info[2:]))

        return columns

    def declared_columns(self, entry: Entry) -> dict[str, ColumnInfo]:
        """Return the declaration of each column, by its key and by its spelling."""
        if entry.declared is None:
            return {}

        fold, columns = self.facts.fold, entry.declared.columns
        by_key = {fold(info.name, False): info for info in columns}
        return by_key | {info.name: info for info in columns}

    def columns_produced(self, entry: Entry, columns: list[ColumnInfo]) -> list[ColumnInfo] | None:
        """Return the columns that statements make, for datasets that nothing declares."""
        frames = [definition.frame for definition in entry.deciding]
        if not frames or not all(frame is not None and frame.complete for frame in frames):
            return None

        if entry.declared is None:
            return columns

        ask: Any = partial(partial, self.types.inferred_type_of, entry)
        slots = {slot.key: slot for frame in frames if frame is not None for slot in frame.slots}
        return [LateColumn(slot.name, ask(key)) for key, slot in slots.items()]

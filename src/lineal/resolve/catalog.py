"""The catalog of names: which entry a name means, and the definitions of each."""

from __future__ import annotations

from copy import copy
from functools import cached_property

from lineal.extract.entries import Definition, Entry, file_of
from lineal.extract.sql.dialects import facts_of
from lineal.extract.sql.statements.steps import Plan
from lineal.extract.sql.tables import named_in_text
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.names import Fold
from lineal.model.paths import is_path
from lineal.model.script import Corpus
from lineal.resolve.boundary import Boundary, place_of_statement
from lineal.resolve.folders import Homes
from lineal.resolve.naming import FullName, Naming, naming_of, shorter_names

PYTHON = "python"
"""The language of a script that is not SQL."""


class NameCatalog:
    """Every name of a corpus, with what declares and what defines it."""

    def __init__(self, corpus: Corpus, boundary: Boundary) -> None:
        self.corpus = corpus
        self.boundary = boundary
        self.facts = facts_of(corpus.dialect)
        self.entries: dict[str, Entry] = {}
        self.order: list[Definition] = []
        """the definitions of all names, in the order of their statements"""
        self.declared: dict[str, DatasetInfo] = {}
        """declarations of names that are not mentioned by a statement yet"""
        self.declared_so: dict[str, str] = {}
        """the keys of these names, by their spelling"""
        self.shown: dict[str, tuple[str, str]] = {}
        """other names of a dataset: the key and the name that it is shown under"""
        self.spellings: dict[str, str] = {}
        self.clashes: dict[str, str] = {}
        """the keys of names that are shown in quotes, and of those that are shown without them"""
        self.preferred: dict[str, str] = {}
        """the spellings of names that are defined in several spellings"""
        self.spelled: dict[Dataset, dict[str, set[int]]] = {}
        """the other spellings of datasets, each with who uses it"""
        self.file_named: set[str] = set()
        """the names of files that are called after their folders"""
        self.homes: Homes = {}
        """the names that mean another dataset in another folder"""
        self.created: set[str] = set()
        """the keys that statements define"""
        self.used: dict[str, FullName | None] = {}
        """the tables that scripts create after USE, by the keys as they are spelled there"""
        self.tabulated: set[str] = set()
        """the table functions"""
        self.naming = naming_of(
            corpus.defaults, self.facts.fold_dataset, self.knows, self.defines, self.created
        )

    def entry(self, key: str, spelling: str, kind: str) -> Entry:
        """Find the entry of a name, or make one when the name is met for the first time."""
        found = self.entries.get(key)
        if found is not None:
            return found

        if key in self.shown:
            return self.entry(*self.shown[key], kind)

        if key not in self.declared and spelling in self.declared_so:
            return self.entry(self.declared_so[spelling], spelling, kind)

        info = self.take_declaration(key, spelling)
        if info is not None:
            spelling, kind = info.dataset.name, info.kind
        elif key in self.preferred:
            spelling = self.preferred[key]
        elif kind == "table" and is_path(spelling):
            kind = "file"

        other = self.spellings.setdefault(spelling, key)
        if other != key:
            spelling = f'"{spelling}"'
            self.clashes[key] = other

        found = self.entries[key] = Entry(Dataset(self.corpus.namespace, spelling), kind)
        found.declared = found.told = info
        return found

    def note_spelling(self, dataset: Dataset, spelling: str, voter: int) -> None:
        """FROM ORDERS, where orders was met before: who uses which spelling decides in the end.

        A statement votes once, by the first place where it reads the table.
        """
        same = spelling.lower() == dataset.name.lower()
        if same or dataset.name in self.file_named:
            self.spelled.setdefault(dataset, {}).setdefault(spelling, set()).add(voter)

    def note_writers(self) -> None:
        """INSERT INTO ORDERS …      a statement that writes a name uses a spelling of it, too"""
        written = [each for each in self.order if not (each.plan.defines or each.hidden)]
        for definition in written:
            if definition.plan.name != definition.target.name:
                self.note_spelling(definition.target, definition.plan.name, -id(definition))

        for definition in written:
            if definition.target in self.spelled:
                self.note_spelling(definition.target, definition.plan.name, -id(definition))

    def take_declaration(self, key: str, spelling: str) -> DatasetInfo | None:
        """Take the declaration of a name, of a family of tables, or of the name in any database."""
        info = self.declared.pop(key, None)
        if info is None and key.endswith("*"):
            info = self.family(key, spelling)

        if info is None and self.has_sessions:
            info = self.declared_for_all(key, spelling)

        return info

    @cached_property
    def has_sessions(self) -> bool:
        """Tell whether scripts come from several databases."""
        return any(script.catalog or script.schemas for script in self.corpus.scripts)

    def declared_for_all(self, key: str, spelling: str) -> DatasetInfo | None:
        """Find the declaration of a name without its catalog.

        shop.mart.t, bank.mart.t      what is declared for mart.t holds for each of them
        """
        shorter = key.partition(".")[2].removeprefix(".")
        info = self.declared.get(shorter) or (
            self.entries[shorter].told if shorter in self.entries else None
        )
        if info is None or not shorter:
            return None

        info = copy(info)
        info.dataset = Dataset(info.dataset.namespace, spelling)
        return info

    def family(self, key: str, spelling: str) -> DatasetInfo | None:
        """Find the columns of the tables whose names begin alike.

        FROM `orders_*`      the columns of the last of BigQuery's tables whose names begin so
        """
        known = {other: info for other, info in self.declared.items() if other.startswith(key[:-1])}
        known |= {
            other: entry.declared
            for other, entry in self.entries.items()
            if entry.declared is not None and other.startswith(key[:-1])
        }
        if not known:
            return None

        last = known[max(known)]
        return DatasetInfo(
            Dataset(self.corpus.namespace, spelling), "table", last.columns, last.complete
        )

    def declare(self, info: DatasetInfo) -> None:
        """Add the declared schema of a dataset, from YAML, a mapping or a seed; it is kept aside
        until a statement names the dataset.
        """
        name = info.dataset.name
        if info.exact:
            self.declared[self.facts.fold_dataset(name, True)] = info
            return

        if "." in name:
            key = table_key(name, self.facts.fold_dataset)
        else:
            key = self.facts.dataset_keys[name]

        if self.naming.speaks:
            full, key = self.naming.name_created(name, key)
            info = copy(info)
            info.dataset = Dataset(info.dataset.namespace, full)

        self.note_without_project((info.dataset.name, key))
        held = self.declared.get(key)
        if held is None or info.complete:
            self.declared[key] = info
            self.declared_so[name] = key

    def add_alias(self, written: str, name: str) -> None:
        """How SQL writes a relation, and the dataset that it is."""
        key, of = named_in_text(written, self.facts)[1], table_key(name, self.facts.fold_dataset)
        if self.naming.speaks and name not in self.declared_so:
            name, of = self.naming.name_created(name, of)

        if key != of:
            self.shown[key] = (of, name)

    def knows(self, key: str) -> bool:
        """Tell whether anything defines or declares a table."""
        return key in self.created or self.declares(key)

    def note_short_names(self, plan: Plan, naming: Naming) -> None:
        """Note the shorter names that a created table has in the session of its script.

        USE shop; CREATE TABLE t …      t is a name of shop.t
        """
        if self.naming.schemas or plan.temporary or not plan.defines:
            return

        full = (plan.name, plan.key)
        for name, key in shorter_names(full):
            if naming.name_created(name, key)[1] == plan.key:
                self.note_short_name(key, full)

    def note_without_project(self, full: FullName) -> None:
        """Note the name of a table in the project of the session.

        CREATE TABLE p.d.t …      BigQuery: d.t is a name of p.d.t
        """
        if self.facts.leaves_out_project and full[1].count(".") == 2:
            self.note_short_name(full[1].partition(".")[2], full)

    def note_short_name(self, key: str, full: FullName) -> None:
        """Note a shorter name of a table; one that several tables have means none of them."""
        known = self.used.setdefault(key, full)
        if known is not None and known[1] != full[1]:
            self.used[key] = None

    def defines(self, key: str) -> bool:
        """Whether anything creates or declares a table, whatever has been read so far."""
        if key in self.created or key in self.declared:
            return True

        entry = self.entries.get(key)
        return entry is not None and entry.declared is not None

    def declares(self, key: str) -> bool:
        """Tell whether a name is declared, or has been met."""
        return key in self.declared or key in self.entries

    def entry_of(self, dataset: Dataset) -> Entry | None:
        """The entry of a dataset; one that is meant exactly is called so, whatever the dialect
        folds.
        """
        entry = self.entries.get(table_key(dataset.name, self.facts.fold_dataset))
        if entry is None or entry.dataset != dataset:
            return self.entries.get(self.facts.fold_dataset(dataset.name, True), entry)

        return entry

    def row_type(self, type_: str) -> list[ColumnInfo]:
        """The fields of a composite type, or of a table's rows: both are names of one kind."""
        if '"' in type_:
            key = named_in_text(type_, self.facts)[1]
        else:
            key = table_key(type_, self.facts.fold_dataset)

        if self.naming.speaks:
            key = self.naming.full(type_, key)[1]

        entry = self.entries.get(key)
        info = entry.declared if entry is not None else self.declared.get(key)
        return info.columns if info is not None and info.complete else []

    def add_definition(self, definition: Definition) -> Definition:
        """Add a statement to the name that it writes; a second file that defines it is reported."""
        entry = definition.entry
        script = definition.reading.script
        checked = definition.plan.defines and script.dialect == PYTHON and not script.recurs
        others = {d.reading.script.file for d in entry.deciding} if checked else set()
        if others and definition.reading.script.file not in others:
            message = f"'{entry.dataset}' is defined in {', '.join(sorted(others))} too"
            at = place_of_statement(definition.reading, definition.plan.node)
            self.boundary.report(Diagnostic(Code.DUPLICATE_DEFINITION, message, at))

        entry.add(definition)
        self.order.append(definition)
        return definition

    @property
    def in_order(self) -> list[Definition]:
        """The definitions by file: in whatever order files are read, they are evaluated in this one."""
        return sorted(self.order, key=file_of)

    def remove_since(self, count: int) -> None:
        """Forget the definitions that were added after the first so many."""
        for definition in self.order[count:]:
            definition.entry.remove(definition)

        del self.order[count:]


def table_key(name: str, fold: Fold) -> str:
    """The key of a name whose parts nobody has quoted."""
    return ".".join(fold(part, False) for part in name.split("."))

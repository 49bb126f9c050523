"""Numbers for names: a dataset, column, file, statement or way is written once, and is a number
everywhere else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import count, islice, starmap
from operator import itemgetter
from typing import Any

from lineal.model.edge import Column, Dataset, Doubt
from lineal.model.sequences import flatten, invert
from lineal.model.way import Clause, Confidence, How, Way, way
from lineal.store.lineage.database import AT_ONCE, Database, chunks, marks
from lineal.store.lineage.texts import all_plain, listed, original, parse_list, storable

Manner = tuple[Way, Doubt | None, Confidence]
"""How a column takes part, and how sure that is: of the influence, and of what does not doubt."""

COUNTED = (
    "namespaces",
    "runs",
    "datasets",
    "columns",
    "files",
    "statements",
    "ways",
    "edges",
    "facts",
)
LEVELS = list(Confidence)


class Numbers(defaultdict[Any, int]):
    """Each value's number: those of the store, then new ones in the order of first use."""

    def __init__(self, held: Mapping[Any, int] | Iterable[tuple[Any, int]], following: int) -> None:
        super().__init__(count(following).__next__, held)
        self.held = len(self)
        self.following = following

    @property
    def new(self) -> list[Any]:
        """Return the values that were not in the store."""
        return list(islice(self, self.held, None))

    @property
    def numbers_of_new(self) -> range:
        """Return the numbers of the values that were not in the store."""
        return range(self.following, self.following + len(self) - self.held)


class Names:
    """The names of one namespace; `write` writes the new ones."""

    def __init__(self, database: Database, namespace: int, fresh: bool) -> None:
        self.database = database
        self.namespace = namespace
        self.next = next_numbers(database)
        held = NamespaceNames(database, namespace) if not fresh else None
        self.datasets = Numbers(held.datasets() if held else (), self.next["datasets"])
        self.columns = Numbers(held.columns() if held else (), self.next["columns"])
        self.files = Numbers(held.files() if held else (), self.next["files"])
        self.statements = Numbers(held.statements() if held else (), self.next["statements"])
        self.ways = Numbers(NamespaceNames(database, namespace).ways(), self.next["ways"])

    def write(self) -> None:
        """All but the columns."""
        self._write_statements()
        self._write_datasets()
        self._fill(
            "files", self.files, {"name": all_plain(self.files.new)}, namespace_id=self.namespace
        )
        self._write_ways()
        for name in ("datasets", "columns", "files", "statements", "ways"):
            self.next[name] = getattr(self, name).numbers_of_new.stop

    def new_columns(self) -> Iterator[dict[str, Any]]:
        """Those that are new, batch by batch; most lineages have no nested fields."""
        ends = self.columns.new
        numbers = self.columns.numbers_of_new
        nested = any(map(itemgetter(-1), ends))
        for start in range(0, len(ends), AT_ONCE):
            some = [
                end if len(end) == 3 else (end, None, ()) for end in ends[start : start + AT_ONCE]
            ]
            datasets, names, paths = zip(*some, strict=True)
            batch = {
                "id": numbers[start : start + AT_ONCE],
                "dataset_id": list(map(self.datasets.__getitem__, datasets)),
                "name": _fit(names),
            }
            if nested:
                batch["path"] = [listed(path) if path else None for path in paths]
                batch["label"] = _fit(list(starmap(_label, zip(names, paths, strict=True))))

            yield batch

    def _write_statements(self) -> None:
        """Write new statements."""
        keys = self.statements.new
        columns = {
            "dataset_id": [self.datasets[dataset] for dataset, _, _ in keys],
            "file_id": [self.files[file] for _, file, _ in keys],
            "number": [number for _, _, number in keys],
        }
        self._fill("statements", self.statements, columns)

    def _write_datasets(self) -> None:
        """Write new datasets."""
        datasets: list[Dataset] = self.datasets.new
        columns = {
            "space": [storable(space) for space, _ in datasets],
            "name": [storable(name) for _, name in datasets],
            "label": list(map(label, datasets)),
        }
        self._fill("datasets", self.datasets, columns, namespace_id=self.namespace)

    def _write_ways(self) -> None:
        """Write new ways."""
        manners: list[Manner] = self.ways.new
        columns: dict[str, list[Any]] = {
            "how": [taken.how.value for taken, _, _ in manners],
            "clause": [taken.clause.value for taken, _, _ in manners],
            "masked": [int(taken.masked) for taken, _, _ in manners],
            "windowed": [int(taken.windowed) for taken, _, _ in manners],
            "level": [int(level) for _, _, level in manners],
            "doubt": [int(doubt.level) if doubt else None for _, doubt, _ in manners],
            "ambiguous": [int(doubt.ambiguous) if doubt else None for _, doubt, _ in manners],
            "evidence": [storable(doubt.evidence) if doubt else None for _, doubt, _ in manners],
        }
        self._fill("ways", self.ways, columns)

    def _fill(self, table: str, numbers: Numbers, columns: Mapping[str, Any], **same: int) -> None:
        """Write the new rows of a table."""
        if numbers.numbers_of_new:
            self.database.fill(table, {"id": numbers.numbers_of_new, **columns}, same)


class NamespaceNames:
    """The names that a namespace has."""

    def __init__(self, database: Database, namespace: int) -> None:
        self.database = database
        self.namespace = namespace

    def datasets(self) -> dict[Dataset, int]:
        """Return the number of each dataset."""
        return invert(self.datasets_by_number())

    def datasets_by_number(self) -> dict[int, Dataset]:
        """Return each dataset by its number."""
        found = self.database.rows(
            "SELECT id, space, name FROM datasets WHERE namespace_id = ? ORDER BY id",
            [self.namespace],
        )
        return {number: Dataset(original(space), original(name)) for number, space, name in found}

    def columns(self) -> dict[Column | Dataset, int]:
        """Return the number of each column, and of each dataset as an end of an edge."""
        return invert(self.columns_by_number())

    def columns_by_number(self) -> dict[int, Column | Dataset]:
        """Return each column by its number, and each dataset that ends an edge."""
        datasets = self.datasets_by_number()
        found = self.database.rows(
            "SELECT columns.id, dataset_id, columns.name, path FROM columns"
            " JOIN datasets ON datasets.id = dataset_id WHERE namespace_id = ?",
            [self.namespace],
        )
        return {
            number: end_of(datasets[dataset], name, path) for number, dataset, name, path in found
        }

    def files(self) -> dict[str, int]:
        """Return the number of each file."""
        found = self.database.rows(
            "SELECT name, id FROM files WHERE namespace_id = ?", [self.namespace]
        )
        return {original(name): number for name, number in found}

    def files_by_number(self) -> dict[int, str]:
        """Return each file by its number."""
        return invert(self.files())

    def statements(self) -> dict[Hashable, int]:
        """Return the number of each statement by target, file and position."""
        datasets, files = self.datasets_by_number(), self.files_by_number()
        found = self.database.rows(
            "SELECT statements.id, dataset_id, file_id, number FROM statements"
            " JOIN datasets ON datasets.id = dataset_id WHERE namespace_id = ?",
            [self.namespace],
        )
        return {
            (datasets[dataset], files[file], number): key for key, dataset, file, number in found
        }

    def ways(self) -> dict[Manner, int]:
        """Return the number of each way with its doubt and confidence."""
        return invert(self.ways_by_number())

    def ways_by_number(self, only: Collection[int] | None = None) -> dict[int, Manner]:
        """Return each way with its doubt and confidence by its number."""
        sql = (
            "SELECT id, how, clause, masked, windowed, level, doubt, ambiguous, evidence FROM ways"
        )
        if only is None:
            found = self.database.rows(f"{sql} ORDER BY id")
        else:
            parts = chunks(sorted(only), 400)
            found = flatten(
                self.database.rows(f"{sql} WHERE id IN {marks(1, len(some))}", some)
                for some in parts
            )

        return {number: _manner(*said) for number, *said in found}


def end_of(dataset: Dataset, name: str | None, path: str | None) -> Column | Dataset:
    """Return the end of an edge: a column, or a dataset where there is no name."""
    if name is None:
        return dataset

    return Column(dataset, original(name), parse_list(path) if path else ())


def _manner(
    how: str,
    clause: str,
    masked: int,
    windowed: int,
    level: int,
    doubt: int | None,
    ambiguous: int,
    evidence: str,
) -> Manner:
    """Return way, doubt and confidence of a row."""
    taken = way(How(how), Clause(clause), bool(masked), bool(windowed))
    doubted = (
        Doubt(LEVELS[doubt], bool(ambiguous), original(evidence)) if doubt is not None else None
    )
    return taken, doubted, LEVELS[level]


def label(dataset: Dataset) -> str:
    """Return the name of a dataset in one word."""
    space, name = dataset
    return storable(f"{space}/{name}" if space else name)


def _label(name: str | None, path: Sequence[str]) -> str | None:
    """Return the name of a nested field in one word; of any other column its name."""
    if name is not None and path:
        return ".".join((name, *path))

    return None


def _fit(texts: Sequence[str | None]) -> Sequence[str | None]:
    """Return texts as the database can hold them."""
    if None not in texts:
        return all_plain(texts)  # type: ignore[arg-type]

    return [storable(text) if text is not None else None for text in texts]


# -- counters --------------------------------------------------------------------------------------


def next_numbers(database: Database) -> dict[str, int]:
    """The next number of every kind."""
    return {**dict.fromkeys(COUNTED, 1), **dict(database.rows("SELECT name, next FROM counters"))}


def write_counters(database: Database, numbers: Mapping[str, int]) -> None:
    """Save the next free number of each table."""
    database.run("DELETE FROM counters")
    database.fill("counters", {"name": list(numbers), "next": list(numbers.values())}, {})

"""The datasets that a name may mean: those that end so, with their columns, without loading the
rest of the store.
"""

from __future__ import annotations

from lineal.model import names
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.store.lineage.database import Database
from lineal.store.lineage.numbers import NamespaceNames
from lineal.store.lineage.runs import Run
from lineal.store.lineage.texts import original


def find_datasets(database: Database, run: Run, text: str) -> dict[Dataset, DatasetInfo]:
    """Every dataset by name; of those that `a.b.c`, `a.b` or `a` may mean also the columns, listed
    or in an edge.
    """
    datasets = NamespaceNames(database, run.namespace).datasets_by_number()
    heads = _heads(text)
    found: dict[Dataset, DatasetInfo] = {}
    for number, dataset in datasets.items():
        folded = names.insensitive(dataset.name, False)
        meant = any(folded == head or folded.endswith(f".{head}") for head in heads)
        found[dataset] = DatasetInfo(
            dataset, "table", _columns(database, run, number) if meant else []
        )

    return found


def _heads(text: str) -> set[str]:
    """Return the beginnings of a dotted name."""
    parts = names.insensitive(text, False).split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts) + 1)}


def _columns(database: Database, run: Run, dataset: int) -> list[ColumnInfo]:
    """Return the columns that a dataset has or had."""
    rows = database.rows(
        "SELECT name FROM column_infos WHERE dataset_id = ? AND from_run <= ? AND (to_run IS NULL OR to_run > ?)"
        " ORDER BY position",
        [dataset, run.number, run.number],
    )
    rows += database.rows(
        "SELECT DISTINCT name FROM columns WHERE dataset_id = ? AND name IS NOT NULL", [dataset]
    )
    return [ColumnInfo(original(name)) for (name,) in dict.fromkeys(rows)]

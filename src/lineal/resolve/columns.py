"""The columns of some names of a corpus; nothing is evaluated that they do not need."""

from __future__ import annotations

from collections.abc import Iterable

from lineal.extract.sql.parse import allow_deep_calls
from lineal.model.collector import without_collector
from lineal.model.extraction import DatasetInfo
from lineal.model.script import Corpus
from lineal.resolve.catalog import table_key
from lineal.resolve.definitions import Definitions


def columns_of(corpus: Corpus, names: Iterable[str]) -> dict[str, DatasetInfo]:
    """Return the columns of each name, in order, and whether the list is complete."""
    definitions = Definitions(corpus)
    found = {}
    with allow_deep_calls(), without_collector():
        definitions.gather_definitions()
        for name in names:
            key = table_key(name, definitions.facts.fold_dataset)
            entry = definitions.catalog.entry(key, name, "table")
            definitions.evaluator.evaluate_all(entry.defining)
            found[name] = definitions.datasets.describe(entry, {})

    return found

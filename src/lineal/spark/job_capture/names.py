"""The datasets of a program and those of its run: which are the same, though static reading calls
them otherwise.

{env}_raw.meters             prod_raw.meters
default.orders               orders
/lake/orders                 hdfs://host:8020/lake/orders
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lineal.model.edge import Column, Dataset, Edge
from lineal.model.sequences import only_or_none

SESSION = ("spark_catalog.", "default.")
"""The catalogs that a run leaves out of names."""

PLACEHOLDER = re.compile(r"\{[^{}]*\}")
SYNTHETIC = "::"
"""job.py::main::{output}, job.py::clean.df      names of what only a run knows"""

ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:(?://[^/]*)?(?=/)", re.IGNORECASE)


class SameNames:
    """Static dataset → dataset of the run, for all that the run has met."""

    def __init__(self, static: Iterable[Dataset], met: Iterable[Dataset]) -> None:
        self.met = {dataset.name.lower(): dataset for dataset in met}
        self.found: dict[Dataset, Dataset] = {}
        self.unknown: set[Dataset] = set()
        """static datasets of whose names only a run knows parts, and for which no dataset of this
        run stands
        """
        waiting = []
        for dataset in static:
            same = self._plainly(dataset.name)
            if same is not None:
                self.found[dataset] = same
            elif is_open(dataset.name):
                waiting.append(dataset)

        for dataset in waiting:
            same = self._by_pattern(dataset.name)
            if same is not None:
                self.found[dataset] = same
            else:
                self.unknown.add(dataset)

    def _plainly(self, name: str) -> Dataset | None:
        """Return the dataset that a name or path means; None if it is not known."""
        key = name.lower()
        while key not in self.met and key.startswith(SESSION):
            key = key.partition(".")[2]

        if key in self.met:
            return self.met[key]

        if "/" not in key or is_open(name):
            return None

        bare = ADDRESS.sub("", key)
        alike = [dataset for other, dataset in self.met.items() if ADDRESS.sub("", other) == bare]
        return only_or_none(alike)

    def _by_pattern(self, name: str) -> Dataset | None:
        """The only dataset that a name with placeholders can be, and that no other name is."""
        text = name.lower().rpartition(SYNTHETIC)[2]
        pieces = PLACEHOLDER.split(text)
        if not PLACEHOLDER.search(text) or not any(re.search(r"\w", piece) for piece in pieces):
            return None

        pattern = re.compile(".+".join(map(re.escape, pieces)))
        taken = set(self.found.values())
        alike = [
            each
            for other, each in self.met.items()
            if pattern.fullmatch(other) and each not in taken
        ]
        return only_or_none(alike)

    def unmet(self, static: Iterable[Dataset]) -> set[Dataset]:
        """The datasets of the program that the run has not met under any name."""
        return {dataset for dataset in static if dataset not in self.found}

    def name_of(self, dataset: Dataset) -> Dataset:
        """Return the dataset under the name that the text uses."""
        return self.found.get(dataset, dataset)

    def edge(self, edge: Edge) -> Edge:
        """The edge as the run calls its ends."""
        target = edge.target
        goal = self._column(target) if isinstance(target, Column) else self.name_of(target)
        return Edge(self._column(edge.source), goal, edge.usages)

    def _column(self, column: Column) -> Column:
        """Return a column of the dataset that its name means."""
        return column._replace(dataset=self.name_of(column.dataset))


def is_open(name: str) -> bool:
    """Tell whether only a run knows the name, or parts of it."""
    return bool(PLACEHOLDER.search(name)) or SYNTHETIC in name


def names_in_run(found: Mapping[Dataset, Dataset]) -> dict[Dataset, Dataset]:
    """Those that static reading names differently from the run."""
    return {
        dataset: same
        for dataset, same in found.items()
        if dataset.name.lower() != same.name.lower()
    }

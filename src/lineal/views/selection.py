"""The datasets that a change can affect, as selectors for dbt and `lineal run`, and as JSON."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

from lineal.graph.diff.selection import Selected
from lineal.graph.graph import Graph
from lineal.model.edge import Dataset
from lineal.model.sequences import present
from lineal.views.json import place
from lineal.views.safe import json_safe, make_visible

VERSION = 1
TEST_PREFIX, CONTRACT_PREFIX = "test:", "test:contract_"
"""dbt checks a contract when it builds the model: it has no node of its own."""
BUILT = frozenset(("model", "seed", "snapshot", "sql", "python"))
WRITTEN = frozenset(("view", "table"))
"""Kinds that are built if a statement of the project writes them."""


def as_selectors(selected: list[Selected], graph: Graph) -> str:
    """stg_orders orders not_null_orders_id      what to hand to --select, on one line"""
    nodes = Nodes(graph)
    names = dict.fromkeys(nodes.name(each.dataset) for each in selected)
    found = present(names)
    if not found:
        return ""

    return make_visible(" ".join(found)) + "\n"


def as_json(selected: list[Selected], graph: Graph) -> str:
    """Return every affected dataset with its kind, its node and the reason."""
    nodes = Nodes(graph)
    document = {"version": VERSION, "select": list(map(nodes.to_json, selected))}
    return json_safe(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


class Nodes:
    """The nodes of a project, by the names that dbt knows them by."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.files: dict[Dataset, set[str]] = {}
        for statement in graph.extraction.statements:
            if statement.file:
                self.files.setdefault(statement.target, set()).add(statement.file)

    def name(self, dataset: Dataset) -> str | None:
        """Return the name of the node that builds or tests a dataset; None for a source, a metric
        and others that nothing builds.
        """
        kind, files = self.graph.kind(dataset), self.files.get(dataset, set())
        if dataset.name.startswith(CONTRACT_PREFIX):
            return None

        if dataset.name.startswith(TEST_PREFIX):
            return dataset.name.removeprefix(TEST_PREFIX)

        if kind not in BUILT and not (kind in WRITTEN and files):
            return None

        if kind == "model" and len(files) == 1:
            return PurePosixPath(min(files)).stem

        return dataset.name.rpartition(".")[2]

    def to_json(self, selected: Selected) -> dict[str, object]:
        """Return an affected dataset as JSON values."""
        info = self.graph.infos.get(selected.dataset)
        return {
            "dataset": selected.dataset.name,
            "kind": self.graph.kind(selected.dataset),
            "node": self.name(selected.dataset),
            "why": selected.why,
            "place": place(info.place) if info is not None else None,
        }

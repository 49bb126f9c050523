"""Code lenses: the surroundings of a dataset, in one line above it.

3 upstream · 12 downstream · breaks 1 metric
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lineal.graph.change import parse
from lineal.graph.dataset_effects import effects_on_dataset
from lineal.graph.effects import BREAKS
from lineal.graph.graph import Graph
from lineal.graph.tables import reaching, tables
from lineal.model.consumers import CONSUMERS
from lineal.model.diagnostic import Place
from lineal.model.edge import Dataset
from lineal.service.editor.hover import count_phrase
from lineal.service.editor.spots import YAML
from lineal.service.editor.workspace import Workspace

COMMAND = "lineal.show"
"""The command of an editor that opens the page of a dataset or column."""


def lens_spots(workspace: Workspace, path: str) -> Iterator[tuple[int, Dataset]]:
    """Yield the datasets that a file makes or declares, each with the line of its lens, from 0.

    models/orders.sql      line 0: orders
    models/marts.yml       the line of each model that it declares
    """
    state = workspace.state
    for dataset, info in state.graph.infos.items():
        home = info.place if path.endswith(YAML) else Place(state.made_in.get(dataset, ""), 1, 1)
        if home is not None and home.file == path and info.kind not in CONSUMERS:
            yield line_of(workspace, home, dataset), dataset


def line_of(workspace: Workspace, home: Place, dataset: Dataset) -> int:
    """Return the line that the statement of a dataset begins on, from 0."""
    if home.line > 1 or dataset.name in workspace.state.targets:
        return home.line - 1

    edges = workspace.graph.extraction.edges
    places = filter(None, (edge.place for edge in edges if edge.into == dataset))
    return min((place.line - 1 for place in places), default=0)


def title_of(graph: Graph, dataset: Dataset) -> str:
    """Return the line about a dataset."""
    edges = [each for each in tables(graph) if graph.kind(each.target) not in CONSUMERS]
    up = {each.source for each in reaching(edges, dataset, up=len(edges), down=0)} - {dataset}
    down = {each.target for each in reaching(edges, dataset, up=0, down=len(edges))} - {dataset}
    parts = [count_phrase(len(up), "upstream"), count_phrase(len(down), "downstream")]
    found = effects_on_dataset(graph, dataset, parse("drop"))
    kinds = Counter(each.kind for each in found.consumers if each.effect == BREAKS)
    broken = [count_phrase(count, kind) for kind, count in sorted(kinds.items())]
    if broken:
        parts.append(f"breaks {', '.join(broken)}")

    return " · ".join(parts)

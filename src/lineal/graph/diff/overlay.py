"""Two graphs drawn over each other: all of head, and what only base had, each with a mark of what
became of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from lineal.graph.diff.compare import ADDED, CHANGED, REMOVED
from lineal.graph.diff.difference import Difference
from lineal.graph.diff.side import Key, Side
from lineal.graph.graph import Graph
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.model.sequences import invert

End: TypeAlias = Column | Dataset


class Rewritten(NamedTuple):
    """The statements that make a dataset, before and after a change; '' on a side without them."""

    before: str
    after: str


@dataclass(frozen=True)
class Overlay:
    """A graph of both, and the marks of those of its columns, datasets and edges that are not as
    they were.
    """

    graph: Graph
    columns: dict[Column, str]
    datasets: dict[Dataset, str]
    edges: dict[tuple[Column, End], str]
    rewritten: dict[str, Rewritten]
    """the statements of the datasets that findings are about, by the names of findings"""


def overlay(found: Difference) -> Overlay:
    """Return both graphs in one; removed columns come last in their dataset."""
    base, head = found.pairs.base.graph, found.pairs.head.graph
    same = {
        dataset: found.pairs.head.datasets.get(key)
        for key, dataset in found.pairs.base.datasets.items()
    }
    graph = Graph(
        _unite_graphs(base, head, {old: new for old, new in same.items() if new is not None})
    )
    columns = {
        column: mark
        for column, mark in (
            (_column(graph, d.dataset, d.column), COLUMN_MARKS.get(d.kind)) for d in found.columns
        )
        if column is not None and mark is not None
    }
    datasets = dict.fromkeys(
        (d for d in graph.infos if d not in base.infos and d not in same.values()), ADDED
    )
    datasets |= dict.fromkeys((d for d in graph.infos if d not in head.infos), REMOVED)
    return Overlay(
        graph, columns, datasets, _marked_edges(graph, found), _versions_by_dataset(found)
    )


def _versions_by_dataset(found: Difference) -> dict[str, Rewritten]:
    """Return both versions of the statements behind each finding, as far as they differ."""
    base, head, renamed = found.pairs.base, found.pairs.head, found.pairs.renamed
    former = invert(renamed)
    keys = {base.name(key): key for key in base.defined}
    keys |= {head.name(key): former.get(key, key) for key in head.defined}
    several = {}
    for name in dict.fromkeys(finding.dataset for finding in found.findings):
        if name in keys:
            old = keys[name]
            several[name] = Rewritten(_sql_of(base, old), _sql_of(head, renamed.get(old, old)))

    return {name: each for name, each in several.items() if each.before != each.after}


def _sql_of(side: Side, key: Key) -> str:
    """Return the statements of a dataset one after another; '' where no text is available."""
    texts = (each.sql or each.text or "" for each in side.statements.get(key, ()))
    return "\n\n".join(text.strip("\n") for text in dict.fromkeys(texts) if text)


COLUMN_MARKS = {
    "column-added": ADDED,
    "column-removed": REMOVED,
    "column-renamed": CHANGED,
    "type-changed": CHANGED,
}


def _unite_graphs(base: Graph, head: Graph, same: dict[Dataset, Dataset]) -> Extraction:
    """Return the lineage of both sides as one, under the names of the head side."""
    infos = dict(head.infos)
    for old, info in base.infos.items():
        new = same.get(old, old)
        infos[new] = _with_columns(infos[new], info) if new in infos else info

    known = {(edge.source, edge.target) for edge in head.edges}
    moved = (_move_edge(edge, same) for edge in base.edges)
    gone = [edge for edge in moved if (edge.source, edge.target) not in known]
    return Extraction(
        [*head.edges, *gone], list(head.reads), infos, head.extraction.diagnostics, head.extraction.coverage,
        failures=head.extraction.failures,
        texts={**base.extraction.texts, **head.extraction.texts},
    )  # fmt: skip


def _with_columns(info: DatasetInfo, former: DatasetInfo) -> DatasetInfo:
    """Return a dataset with the columns it had before as well."""
    known = {name.lower() for name in info.names}
    return replace(
        info,
        columns=[
            *info.columns,
            *(each for each in former.columns if each.name.lower() not in known),
        ],
    )


def _move_edge(edge: Edge, same: dict[Dataset, Dataset]) -> Edge:
    """An edge of base between the datasets of head that are the same."""
    source = edge.source._replace(dataset=same.get(edge.source.dataset, edge.source.dataset))
    target = edge.target
    if isinstance(target, Column):
        return Edge(
            source, target._replace(dataset=same.get(target.dataset, target.dataset)), edge.usages
        )

    return Edge(source, same.get(target, target), edge.usages)


def _column(graph: Graph, dataset: str, column: str) -> Column | None:
    """Return the column with these names, if the graph has it."""
    found = next((each for each in graph.infos if each.name == dataset), None)
    if found is None:
        return None

    return next((each for each in graph.columns(found) if each.name == column), None)


def _marked_edges(graph: Graph, found: Difference) -> dict[tuple[Column, End], str]:
    """Edges are compared by name, whatever the case."""
    changes = {
        (change.source.lower(), change.target.lower(), change.field_level): change.change
        for change in found.edges
    }
    marked = {}
    for edge in graph.edges:
        mark = changes.get((str(edge.source).lower(), str(edge.target).lower(), edge.field_level))
        if mark is not None:
            marked[edge.source, edge.target] = mark

    return marked

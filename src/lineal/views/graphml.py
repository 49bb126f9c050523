"""The GraphML view, for networkx, Gephi and yEd: a node for each dataset and each column, an edge
for each edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from lineal.graph.graph import whole_column
from lineal.model.edge import Column, Dataset, Edge
from lineal.views.report import Report
from lineal.views.safe import make_visible

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
KEYS = {
    "node": (
        "label",
        "kind",
        "namespace",
        "dataset",
        "column",
        "type",
        "description",
        "classification",
    ),
    "edge": ("kind", "usages", "used_in", "confidence", "place"),
}
"""The attributes of nodes and edges; a score is a number, all else is text."""


def view(report: Report) -> str:
    """Return the report as GraphML."""
    lines = [*_keys(), '<graph id="lineage" edgedefault="directed">']
    lines += _tables(report) if report.tables is not None else _columns(report)
    return HEAD + "".join(f"  {text}\n" for text in (*lines, "</graph>")) + "</graphml>\n"


def _keys() -> Iterator[str]:
    """Yield the declarations of all attributes."""
    for part, names in KEYS.items():
        for name in names:
            kind = "double" if name == "confidence" else "string"
            yield f'<key id="{part}_{name}" for="{part}" attr.name="{name}" attr.type="{kind}"/>'


def _columns(report: Report) -> Iterator[str]:
    """Yield the nodes and edges of column-level lineage."""
    numbers: dict[Column | Dataset, str] = {}
    for dataset, columns in report.columns().items():
        yield _node(numbers, dataset, _about_dataset(report, dataset))
        for column in columns:
            yield _node(numbers, column, _about_column(report, column))

    for number, edge in enumerate(report.edges):
        target = whole_column(edge.target) if isinstance(edge.target, Column) else edge.target
        yield _edge(number, numbers[whole_column(edge.source)], numbers[target], _about_edge(edge))


def _tables(report: Report) -> Iterator[str]:
    """Yield the nodes and edges of table-level lineage."""
    numbers: dict[Column | Dataset, str] = {}
    for dataset in report.datasets:
        yield _node(numbers, dataset, _about_dataset(report, dataset))

    for number, edge in enumerate(report.table_edges):
        about = {"kind": "table", "used_in": ", ".join(edge.clauses)}
        yield _edge(number, numbers[edge.source], numbers[edge.target], about)


def _about_dataset(report: Report, dataset: Dataset) -> dict[str, str]:
    """Return the attributes of a dataset."""
    return {
        "label": dataset.name,
        "kind": report.graph.kind(dataset),
        "namespace": dataset.namespace,
        "dataset": dataset.name,
        "description": report.graph.infos[dataset].description,
    }


def _about_column(report: Report, column: Column) -> dict[str, str]:
    """Return the attributes of a column."""
    info = report.graph.info(column)
    return {
        "label": str(column),
        "kind": "column",
        "namespace": column.dataset.namespace,
        "dataset": column.dataset.name,
        "column": column.name,
        "type": info.type if info else "",
        "description": report.description(column),
        "classification": ", ".join(report.labels.labels_of(column)),
    }


def _about_edge(edge: Edge) -> dict[str, str]:
    """Return the attributes of an edge."""
    return {
        "kind": edge.kind,
        "usages": ", ".join(sorted({usage.how.value for usage in edge.usages})),
        "used_in": ", ".join(edge.used_in),
        "confidence": str(edge.score),
        "place": str(edge.place or ""),
    }


def _node(
    numbers: dict[Column | Dataset, str], what: Column | Dataset, about: Mapping[str, str]
) -> str:
    """Return a node, and remember its id."""
    numbers[what] = f"n{len(numbers)}"
    return f'<node id="{numbers[what]}">{_data("node", about)}</node>'


def _edge(number: int, source: str, target: str, about: Mapping[str, str]) -> str:
    """Return an edge between two ids."""
    return f'<edge id="e{number}" source="{source}" target="{target}">{_data("edge", about)}</edge>'


def _data(part: str, about: Mapping[str, str]) -> str:
    """Return the attributes that have a value."""
    return "".join(
        f'<data key="{part}_{name}">{_text(said)}</data>' for name, said in about.items() if said
    )


def _text(said: str) -> str:
    """XML knows no control characters, and neither U+FFFE nor U+FFFF."""
    return escape(make_visible(said)).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")

"""The DOT view, for Graphviz: a cluster a dataset, a node a column, an edge labelled with its kind."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.graph.graph import whole_column
from lineal.model.edge import Column, Dataset
from lineal.views.report import Report
from lineal.views.safe import make_visible

HEAD = """\
digraph lineage {
  rankdir=LR;
  node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=10];
  edge [fontname="Helvetica", fontsize=9];
"""
STYLE = {
    "copy": 'color="#2e7d32"',
    "rename": 'color="#00838f"',
    "transform": 'color="#b26a00"',
    "inspect": 'color="#7b1fa2", style=dashed',
}


def view(report: Report) -> str:
    """Return the report as a Graphviz graph."""
    lines = _tables(report) if report.tables is not None else _columns(report)
    return HEAD + "".join(f"  {text}\n" for text in lines) + "}\n"


def _columns(report: Report) -> Iterator[str]:
    """Yield the lines of column-level lineage: a cluster per dataset."""
    names: dict[Column | Dataset, str] = {}
    inspected = {edge.target for edge in report.rows if isinstance(edge.target, Dataset)}
    for number, (dataset, columns) in enumerate(report.columns().items()):
        yield f"subgraph cluster_{number} {{"
        yield f'  label={quote_text(dataset.name)}; style="rounded,filled"; fillcolor="#f5f5f5"; color="#9e9e9e";'
        for position, column in enumerate(columns):
            names[column] = f"d{number}_c{position}"
            yield f"  {names[column]} [label={quote_text(column.name)}];"

        if dataset in inspected or not columns:
            names[dataset] = f"d{number}_rows"
            yield f'  {names[dataset]} [label="rows", shape=cds, fillcolor="#eeeeee"];'

        yield "}"

    for edge in report.rows:
        target = whole_column(edge.target) if isinstance(edge.target, Column) else edge.target
        label = quote_text(edge.kind if edge.field_level else ", ".join((edge.kind, *edge.used_in)))
        yield f"{names[whole_column(edge.source)]} -> {names[target]} [label={label}, {STYLE[edge.kind]}];"


def _tables(report: Report) -> Iterator[str]:
    """Yield the lines of table-level lineage."""
    names: dict[Dataset, str] = {}
    for number, dataset in enumerate(report.datasets):
        names[dataset] = f"d{number}"
        yield f"d{number} [label={quote_text(dataset.name)}];"

    for edge in report.table_edges:
        yield f"{names[edge.source]} -> {names[edge.target]};"


def quote_text(text: str) -> str:
    """A DOT string; Graphviz reads backslash escapes and HTML entities in labels."""
    escaped = make_visible(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{escaped}"'

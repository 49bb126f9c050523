"""The Mermaid view: a subgraph a dataset, a node a column, an edge labelled with its kind; inspect
edges are dotted.
"""

from __future__ import annotations

from collections.abc import Iterator

from lineal.graph.graph import whole_column
from lineal.model.edge import Column, Dataset
from lineal.views.report import Report
from lineal.views.safe import make_visible


def view(report: Report) -> str:
    """Return the report as a Mermaid flowchart."""
    lines = _tables(report) if report.tables is not None else _columns(report)
    return "flowchart LR\n" + "".join(f"  {text}\n" for text in lines)


def _columns(report: Report) -> Iterator[str]:
    """Yield the lines of column-level lineage."""
    names: dict[Column | Dataset, str] = {}
    for number, (dataset, columns) in enumerate(report.columns().items()):
        names[dataset] = f"d{number}"
        if not columns:  # a subgraph without nodes is not drawn
            yield f"d{number}[{quote_text(dataset.name)}]"
            continue

        yield f"subgraph d{number}[{quote_text(dataset.name)}]"
        for position, column in enumerate(columns):
            names[column] = f"d{number}_c{position}"
            yield f"  {names[column]}[{quote_text(column.name)}]"

        yield "end"

    for edge in report.rows:
        target = whole_column(edge.target) if isinstance(edge.target, Column) else edge.target
        arrow = (
            f"-->|{edge.kind}|"
            if edge.field_level
            else f"-.->|{edge.kind} {', '.join(edge.used_in)}|"
        )
        yield f"{names[whole_column(edge.source)]} {arrow} {names[target]}"


def _tables(report: Report) -> Iterator[str]:
    """Yield the lines of table-level lineage."""
    names: dict[Dataset, str] = {}
    for number, dataset in enumerate(report.datasets):
        names[dataset] = f"d{number}"
        yield f"d{number}[{quote_text(dataset.name)}]"

    for edge in report.table_edges:
        yield f"{names[edge.source]} --> {names[edge.target]}"


def quote_text(text: str) -> str:
    """A Mermaid string: whatever could be markup is written as its number (#60; for <)."""
    return '"' + "".join(map(_character, make_visible(text))) + '"'


def _character(character: str) -> str:
    """Return a character, escaped if Mermaid could read it as syntax."""
    return character if character.isalnum() or character in "_.- " else f"#{ord(character)};"

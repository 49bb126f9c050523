"""The table view: one row an edge.

SOURCE MODEL   SOURCE COLUMN  TARGET MODEL          TARGET COLUMN  KIND  CLASS  DESC STATUS
──────────────────────────────────────────────────────────────────────────────────────────
stg_customers  customer_id    int_customer_ranking  customer_id    copy  pii    modified
"""

from __future__ import annotations

from lineal.graph.tables import TableEdge
from lineal.model.edge import Column, Edge
from lineal.views.report import Report
from lineal.views.terminal import Grid, Page, Piece, line
from lineal.views.words import NOTHING, column_name, confidence, labels

HEADER = (
    "SOURCE MODEL",
    "SOURCE COLUMN",
    "TARGET MODEL",
    "TARGET COLUMN",
    "KIND",
    "CLASS",
    "DESC STATUS",
)
DOUBTED = (*HEADER, "CONFIDENCE")
TABLES = ("SOURCE MODEL", "TARGET MODEL", "COLUMNS", "READ IN")


def view(report: Report) -> Page:
    """Return the edges as a table; with a column for doubts if there are any."""
    if report.tables is not None:
        return _or_nothing(Grid(TABLES, list(map(_table_row, report.tables)), numbers=(2,)))

    doubts = list(map(confidence, report.rows))
    rows = [_row(report, edge) for edge in report.rows]
    if not any(doubts):
        return _or_nothing(Grid(HEADER, rows))

    return [
        Grid(DOUBTED, [(*row, doubt or NOTHING) for row, doubt in zip(rows, doubts, strict=True)])
    ]


def _row(report: Report, edge: Edge) -> tuple[str, ...]:
    """Return the table row of an edge."""
    target = column_name(edge.target) if isinstance(edge.target, Column) else NOTHING
    return (
        edge.source.dataset.name,
        column_name(edge.source),
        edge.into.name,
        target,
        edge.kind,
        labels(report, edge.source) or NOTHING,
        report.status(edge) or NOTHING,
    )


def _table_row(edge: TableEdge) -> tuple[str, ...]:
    """Return the table row of an edge between datasets."""
    return (edge.source.name, edge.target.name, str(len(edge.columns)), ", ".join(edge.clauses))


def _or_nothing(grid: Grid) -> Page:
    """Return a table, or a line that says that it is empty."""
    if grid.rows:
        return [grid]

    return [grid, line(Piece("No edges.", "note"))]

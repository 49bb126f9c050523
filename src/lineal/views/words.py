"""How edges and columns are put into words, the same in every view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.model.edge import Column, Edge
from lineal.model.way import Confidence

if TYPE_CHECKING:
    from lineal.views.report import Report

NOTHING = "-"


def column_name(column: Column) -> str:
    """The name within the dataset; a nested field with its path."""
    return ".".join((column.name, *column.path))


def kind(edge: Edge) -> str:
    """copy, rename, transform(coalesce+sum), inspect (JOIN ON)."""
    if edge.kind == "inspect":
        return f"inspect ({', '.join(edge.used_in)})"

    if edge.kind == "transform":
        return f"transform{_calls(edge)}"

    return edge.kind


def _calls(edge: Edge) -> str:
    """Return the functions of an edge in parentheses, or nothing."""
    usages = sorted(edge.usages, key=lambda usage: not usage.way.direct)
    made = next((usage.transform for usage in usages if usage.calls), "")
    if made:
        return f"({made})"

    return ""


def confidence(edge: Edge) -> str:
    """LOW ambiguous, MEDIUM; nothing where there is no doubt."""
    level = edge.level
    if level >= Confidence.HIGH and not edge.ambiguous:
        return ""

    if edge.ambiguous:
        return f"{level.name} ambiguous"

    return level.name


def labels(report: Report, column: Column) -> str:
    """pii where it is declared, pii ← raw_customers.email via stg_customers.email where it was
    brought.
    """
    brought = report.labels.labels_brought(column)
    return ", ".join(map(str, brought) if brought else report.labels.labels_of(column))


def node_note(report: Report, column: Column) -> str:
    """(sql, INTEGER, pii): the dataset's kind, the column's type and labels."""
    parts = (
        report.graph.kind(column.dataset),
        report.graph.type_of(column),
        labels(report, column),
    )
    return f"({', '.join(filter(None, parts))})"


def count_noun(count: int, noun: str) -> str:
    """Return `1 edge`, or `7 edges`."""
    if count == 1:
        return f"{count:,} {noun}"

    return f"{count:,} {noun}s"

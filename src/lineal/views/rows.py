"""The rows view: one row for each pair of columns, with its transformation and its confidence.

source,source_column,target,target_column,transformation_type,confidence
stg_customers,customer_id,customers,customer_id,direct,0.95
stg_orders,amount,customers,total_spent,aggregation,0.90
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import NamedTuple

from lineal.model.edge import Column
from lineal.views.report import Report
from lineal.views.safe import json_safe, make_visible
from lineal.views.words import column_name

STRENGTH = ("direct", "expression", "aggregation", "window_function")


class Row(NamedTuple):
    """A field-level edge."""

    source: str
    source_column: str
    target: str
    target_column: str
    transformation_type: str
    confidence: float


class SourceColumn(NamedTuple):
    """One source of a column, with its transformation and its confidence."""

    table: str
    column: str
    transformation_type: str
    confidence: float


class ColumnLineageRelation(NamedTuple):
    """A column and all of its sources."""

    target: str
    target_column: str
    source_columns: tuple[SourceColumn, ...]


def view(report: Report) -> str:
    """As CSV."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(Row._fields)
    for row in rows(report):
        writer.writerow([*map(make_visible, row[:5]), _number(row.confidence)])

    return made.getvalue()


def as_json(report: Report) -> str:
    """As a list of objects, one a line."""
    lines = ",\n".join(f"  {json.dumps(row._asdict(), ensure_ascii=False)}" for row in rows(report))
    return json_safe(f"[\n{lines}\n]\n" if lines else "[]\n")


def rows(report: Report) -> Iterator[Row]:
    """One row a pair of columns; of several edges between two, the strongest."""
    found: dict[tuple[str, ...], Row] = {}
    for edge in report.edges:
        if isinstance(edge.target, Column):
            row = Row(
                edge.source.dataset.name,
                column_name(edge.source),
                edge.into.name,
                column_name(edge.target),
                edge.transformation_type,
                edge.score,
            )
            held = found.get(row[:4])
            if held is None or _strength(row) > _strength(held):
                found[row[:4]] = row

    return iter(found.values())


def relations(report: Report) -> list[ColumnLineageRelation]:
    """The rows by target column, in the order of its sources; a column without sources has none."""
    found: dict[tuple[str, str], list[SourceColumn]] = {}
    for row in rows(report):
        source = SourceColumn(
            row.source, row.source_column, row.transformation_type, row.confidence
        )
        found.setdefault((row.target, row.target_column), []).append(source)

    return [ColumnLineageRelation(*target, tuple(sources)) for target, sources in found.items()]


def as_relations(report: Report) -> str:
    """As a list of objects, a line for each target column."""
    lines = ",\n".join(
        f"  {json.dumps(_plain_relation(each), ensure_ascii=False)}" for each in relations(report)
    )
    return json_safe(f"[\n{lines}\n]\n" if lines else "[]\n")


def _plain_relation(relation: ColumnLineageRelation) -> dict[str, object]:
    """Return a relation as plain values."""
    sources = [source._asdict() for source in relation.source_columns]
    return {**relation._asdict(), "source_columns": sources}


def _strength(row: Row) -> int:
    """Return the position of a row's type among the strongest first."""
    return STRENGTH.index(row.transformation_type)


def _number(score: float) -> str:
    """0.90, 0.475"""
    if round(score, 2) == score:
        return f"{score:.2f}"

    return str(score)

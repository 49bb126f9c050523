"""Experiments with both versions of a statement: the tables, and the rows that differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lineal.graph.diff.witness import Experiment, Row, Sample
from lineal.views.markdown import fence_lines
from lineal.views.safe import make_visible

LONGEST_VALUE = 40
NULL = "NULL"


def lines(experiment: Experiment) -> Iterator[str]:
    """refuted: the versions return different rows; then the tables, and the rows of each version"""
    yield f"{experiment.outcome.value}: {make_visible(experiment.note)}"
    for table in experiment.tables:
        yield f"  {make_visible(table.name)} {row_text(table.columns)}"
        yield from (f"    {row_text(row)}" for row in table.rows)

    for name, rows in sides(experiment):
        if rows:
            yield f"  only {name} {row_text(experiment.columns)}"
            yield from (f"    {row_text(row)}" for row in rows)


def sides(experiment: Experiment) -> list[tuple[str, tuple[Row, ...]]]:
    """Return the rows that only one version returns."""
    return [("before", experiment.only_before), ("after", experiment.only_after)]


def block(experiments: Mapping[str, Experiment]) -> list[str]:
    """Return experiments as a block of Markdown."""
    shown: list[str] = []
    for dataset, experiment in sorted(experiments.items()):
        first, *rest = lines(experiment)
        shown += [f"{dataset}: {first}", *rest]

    return fence_lines(shown)


def row_text(row: Row | tuple[str, ...]) -> str:
    """(1, NULL, paid)"""
    return f"({', '.join(map(value_text, row))})"


def value_text(value: object) -> str:
    """Return a value on one line, cut if it is long."""
    if value is None:
        return NULL

    return make_visible(str(value))[:LONGEST_VALUE]


def to_json(experiment: Experiment) -> dict[str, object]:
    """Return an experiment as JSON values."""
    return {
        "outcome": experiment.outcome.value,
        "note": experiment.note,
        "tables": list(map(table_to_json, experiment.tables)),
        "columns": experiment.columns,
        "only_before": rows_to_json(experiment.only_before),
        "only_after": rows_to_json(experiment.only_after),
    }


def table_to_json(table: Sample) -> dict[str, object]:
    """Return a table of a witness as JSON values."""
    return {"name": table.name, "columns": table.columns, "rows": rows_to_json(table.rows)}


def rows_to_json(rows: tuple[Row, ...]) -> list[list[object]]:
    """Return rows as JSON values; days and other values are texts."""
    return [list(map(json_value, row)) for row in rows]


def json_value(value: object) -> object:
    """Return a value that JSON knows."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value

    return str(value)

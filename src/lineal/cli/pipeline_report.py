"""What `lineal pipeline` says at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineal.spark.bulk import Summary


def lines(summary: Summary, folder: str) -> Iterator[str]:
    """A line for what went in, what was read, what came out, and what was left out."""
    coverage = summary.coverage
    yield (
        f"{summary.rows:,} rows, {summary.texts:,} texts, {summary.statements:,} statements: "
        f"{summary.repetition:,.1f} rows a statement"
    )
    yield f"{summary.parsed:,} statements new, {summary.here:,} read by the driver"
    yield f"{summary.throughput:,.0f} rows a second"
    yield f"{coverage.statement_percent}% of statements and {coverage.column_percent}% of columns resolved"
    yield f"{summary.edges:,} edges between {summary.columns:,} columns in {folder}"
    if summary.closure:
        yield f"{summary.closure['pairs']:,} pairs in the closure, by {summary.closure['way']}"
    for reason, count in summary.quarantined.items():
        yield f"quarantine: {count:,} rows, {reason}"


def as_json(summary: Summary) -> str:
    """The same for programs; times and rates are last, and the only things that differ from run to run."""
    said = {
        "rows": summary.rows,
        "texts": summary.texts,
        "statements": summary.statements,
        "parsed": summary.parsed,
        "driver": summary.here,
        "edges": summary.edges,
        "columns": summary.columns,
        "quarantined": summary.quarantined,
        "coverage": asdict(summary.coverage),
        "closure": summary.closure,
        "tables": summary.tables,
        "seconds": {stage: round(took, 3) for stage, took in summary.seconds.items()},
        "rows_a_second": round(summary.throughput, 1),
    }
    return json.dumps(said, indent=2)

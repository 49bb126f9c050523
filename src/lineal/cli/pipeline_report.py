"""The report at the end of `lineal pipeline`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lineal.views.ledger import summarize
from lineal.views.words import count_noun

if TYPE_CHECKING:
    from lineal.spark.pipeline import Summary


class Units(NamedTuple):
    """The words for the things that are counted."""

    read: str
    fast: str
    left_out: str


ROWS = Units("statement", "rows", "rows")
FILES = Units("file", "statements", "files")


def lines(summary: Summary, folder: str) -> Iterator[str]:
    """Yield the lines of a summary: the input, the statements read, the edges, and the rows left
    out.
    """
    units = _units(summary)
    if summary.files:
        yield f"{summary.files:,} files, {summary.statements:,} statements"
    else:
        yield (
            f"{summary.rows:,} rows, {summary.texts:,} texts, {summary.statements:,} statements: "
            f"{summary.repetition:,.1f} rows per statement"
        )

    read = summary.parsed + summary.here
    yield f"{count_noun(read, units.read)} read in this run, {summary.here:,} of them by the driver"
    yield f"{summary.throughput:,.0f} {units.fast} per second"
    yield summarize(summary.coverage)
    yield f"{summary.edges:,} edges between {summary.columns:,} columns in {folder}"
    if summary.closure:
        yield f"{summary.closure['pairs']:,} pairs in the closure, by {summary.closure['way']}"

    for reason, count in summary.quarantined.items():
        yield f"quarantine: {count:,} {units.left_out}, {reason}"


def _units(summary: Summary) -> Units:
    """Return the words for files or for rows of a log."""
    if summary.files:
        return FILES

    return ROWS


def as_json(summary: Summary) -> str:
    """The same for programs; times and rates are last, and the only things that differ from run to
    run.
    """
    said = {
        "files": summary.files,
        "rows": summary.rows,
        "texts": summary.texts,
        "statements": summary.statements,
        "parsed": summary.parsed,
        "driver": summary.here,
        "edges": summary.edges,
        "columns": summary.columns,
        "quarantined": summary.quarantined,
        "coverage": summary.coverage.to_json(),
        "closure": summary.closure,
        "tables": summary.tables,
        "seconds": {stage: round(took, 3) for stage, took in summary.seconds.items()},
        f"{_units(summary).fast}_a_second": round(summary.throughput, 1),
    }
    return json.dumps(said, indent=2)

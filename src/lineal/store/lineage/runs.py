"""Namespaces and runs: whose lineage it is, and when it was loaded."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import starmap
from typing import NamedTuple

from lineal.store.errors import StoreError
from lineal.store.lineage.database import Database
from lineal.store.lineage.layout import Ranges
from lineal.store.lineage.texts import original, storable


class Run(NamedTuple):
    """A load that changed something."""

    number: int
    namespace: int
    at: str
    """2026-11-16T09:30:00.000000Z"""
    lineal: str
    source: str
    coverage: str
    layout: dict[str, Ranges]
    """Of each table the numbers of the facts that hold, in their order; empty when the facts were
    dropped.
    """

    def write(self, database: Database) -> None:
        """Save the run."""
        *rest, layout = self
        columns = ("id", "namespace_id", "at", "lineal", "source", "coverage", "layout")
        values = [*rest, json.dumps(layout, separators=(",", ":"))]
        database.fill(
            "runs", {name: [value] for name, value in zip(columns, values, strict=True)}, {}
        )


LAID_OUT = {"edges", "reads", "dataset_infos", "column_infos"}

SELECT = "SELECT id, namespace_id, at, lineal, source, coverage, layout FROM runs"


def _run(
    number: int,
    namespace: int,
    at: str,
    lineal: str,
    source: str,
    coverage: str,
    layout: str | None,
) -> Run:
    """Return a run of its row; raise ValueError if its layout is damaged."""
    found: dict[str, Ranges] = json.loads(layout) if layout else {}
    if not isinstance(found, dict):
        raise ValueError(f"the layout of run {number} is {layout[:20] if layout else ''}")

    for ranges in found.values():
        for first, last in ranges:
            if not 0 < first <= last:
                raise ValueError(f"the layout of run {number} goes from {first} to {last}")

    if found and not found.keys() >= LAID_OUT:
        raise ValueError(f"the layout of run {number} has only {', '.join(found)}")

    return Run(number, namespace, at, lineal, source, coverage, found)


def last_run(database: Database, namespace: int) -> Run | None:
    """Return the last run of a namespace."""
    found = database.rows(f"{SELECT} WHERE namespace_id = ? ORDER BY id DESC LIMIT 1", [namespace])
    if found:
        return _run(*found[0])

    return None


def run_at(database: Database, namespace: int, at: str) -> Run | None:
    """The last run until a moment."""
    found = database.rows(
        f"{SELECT} WHERE namespace_id = ? AND at <= ? ORDER BY id DESC LIMIT 1", [namespace, at]
    )
    if found:
        return _run(*found[0])

    return None


def runs_of(database: Database, namespace: int) -> list[Run]:
    """Return all runs of a namespace, the oldest first."""
    return [
        _run(*row)
        for row in database.rows(f"{SELECT} WHERE namespace_id = ? ORDER BY id", [namespace])
    ]


# -- namespaces ------------------------------------------------------------------------------------


def namespaces(database: Database) -> list[str]:
    """Return the names of all namespaces."""
    return sorted(starmap(original, database.rows("SELECT name FROM namespaces")))


def namespace_number(database: Database, name: str) -> int | None:
    """Return the number of a namespace."""
    found = database.rows("SELECT id FROM namespaces WHERE name = ?", [storable(name)])
    if found:
        return int(found[0][0])

    return None


def add_namespace(database: Database, number: int, name: str) -> None:
    """Save a new namespace."""
    database.fill("namespaces", {"id": [number], "name": [storable(name)]}, {})


# -- moments ---------------------------------------------------------------------------------------


def moment(text: str) -> str:
    """2026-11-16, 2026-11-16T09:30, 2026-11-16 09:30:00+01:00

    as all moments are written; UTC unless it says.
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as problem:
        raise StoreError(f"{text} is not a time: write 2026-11-16 or 2026-11-16T09:30") from problem

    return _utc_text(found if found.tzinfo is not None else found.replace(tzinfo=UTC))


def following_moment(before: Run | None, now: str = "") -> str:
    """Now; later than the run before, whatever the clock says."""
    at = moment(now) if now else _utc_text(datetime.now(UTC))
    if before is None or at > before.at:
        return at

    return _utc_text(datetime.fromisoformat(before.at) + timedelta(microseconds=1))


def _utc_text(at: datetime) -> str:
    """Return a time in UTC as the store writes it."""
    try:
        return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    except (OverflowError, ValueError) as problem:
        raise StoreError(f"{at} is not a time that can be stored") from problem

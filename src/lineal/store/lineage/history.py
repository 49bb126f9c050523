"""The history of a column's edges, and dropping the part of it that is not needed any more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lineal.model.edge import Column, Dataset
from lineal.model.sequences import flatten
from lineal.store.lineage.database import Database, Row, chunks, marks
from lineal.store.lineage.numbers import end_of
from lineal.store.lineage.runs import Run
from lineal.store.lineage.texts import original, storable


class Period(NamedTuple):
    """An edge, from the moment it came to the moment it went; a change of its usages ends a
    period.
    """

    source: Column
    target: Column | Dataset
    hows: tuple[str, ...]
    file: str
    """where the statement stands"""
    came: str
    went: str | None


EDGES = """
SELECT edges.id, origins.space, origins.name, sources.name, sources.path,
    goals.space, goals.name, targets.name, targets.path, files.name, edges.from_run, edges.to_run
FROM edges
JOIN columns sources ON sources.id = edges.source_id
JOIN datasets origins ON origins.id = sources.dataset_id
JOIN columns targets ON targets.id = edges.target_id
JOIN datasets goals ON goals.id = targets.dataset_id
LEFT JOIN statements ON statements.id = edges.statement_id
LEFT JOIN files ON files.id = statements.file_id
WHERE edges.{end} IN (
    SELECT columns.id FROM columns JOIN datasets ON datasets.id = columns.dataset_id
    WHERE datasets.namespace_id = ? AND datasets.space = ? AND datasets.name = ? AND columns.name = ?)
"""


def history(database: Database, runs: list[Run], column: Column) -> list[Period]:
    """Every edge that ever led into the column or out of it, in the order in which they came."""
    if not runs:
        return []

    times = {run.number: run.at for run in runs}
    asked = [
        runs[0].namespace,
        storable(column.dataset.namespace),
        storable(column.dataset.name),
        storable(column.name),
    ]
    edges = {
        row[0]: row
        for end in ("target_id", "source_id")
        for row in database.rows(EDGES.format(end=end), asked)
    }
    hows = _hows(database, edges)
    found = flatten(_periods(row, hows.get(number, []), times) for number, row in edges.items())
    return sorted(found, key=_order)


def _hows(database: Database, edges: Iterable[int]) -> dict[int, list[tuple[int, int | None, str]]]:
    """Return the usages of each edge, from run to run."""
    found: dict[int, list[tuple[int, int | None, str]]] = {}
    for some in chunks(sorted(edges), 400):
        for number, *span in database.rows(
            "SELECT DISTINCT edge_id, from_run, to_run, how FROM usages JOIN ways ON ways.id = way_id"
            f" WHERE edge_id IN {marks(1, len(some))}",
            some,
        ):
            found.setdefault(number, []).append((span[0], span[1], span[2]))

    return found


def _periods(
    row: Row, hows: list[tuple[int, int | None, str]], times: dict[int, str]
) -> list[Period]:
    """One for each stretch of runs in which the same was done to the source."""
    _, space, dataset, name, path, into_space, into, target, target_path, file, first, last = row
    source = end_of(Dataset(original(space), original(dataset)), name, path)
    assert isinstance(source, Column)
    goal = end_of(Dataset(original(into_space), original(into)), target, target_path)
    turns = sorted({first, *(come for come, _, _ in hows)})
    found: list[Period] = []
    for turn, following in zip(turns, [*turns[1:], last], strict=True):
        done = tuple(
            sorted(
                {how for come, gone, how in hows if come <= turn and (gone is None or gone > turn)}
            )
        )
        went = times[following] if following is not None else None
        if found and found[-1].hows in (done, ()):  # of what was dropped only the edge is known
            found[-1] = found[-1]._replace(hows=done, went=went)
        else:
            found.append(Period(source, goal, done, original(file or ""), times[turn], went))

    return found


def _order(period: Period) -> tuple[str, str, str, str]:
    """Return the sort key of a period."""
    return period.came, str(period.source), str(period.target), period.went or "~"


# -- dropping --------------------------------------------------------------------------------------

CLOSED = (
    "edges",
    "dataset_infos",
    "column_infos",
    "statement_infos",
    "reads",
    "jobs",
    "diagnostics",
    "occurrences",
)

UNUSED = (
    "DELETE FROM columns WHERE dataset_id IN (SELECT id FROM datasets WHERE namespace_id = ?) AND id NOT IN"
    " (SELECT source_id FROM edges UNION SELECT target_id FROM edges)",
    "DELETE FROM statements WHERE dataset_id IN (SELECT id FROM datasets WHERE namespace_id = ?) AND id NOT IN"
    " (SELECT statement_id FROM edges WHERE statement_id IS NOT NULL UNION SELECT statement_id FROM statement_infos)",
    "DELETE FROM datasets WHERE namespace_id = ? AND id NOT IN (SELECT dataset_id FROM columns"
    " UNION SELECT dataset_id FROM statements UNION SELECT dataset_id FROM dataset_infos"
    " UNION SELECT dataset_id FROM column_infos UNION SELECT target_id FROM reads UNION SELECT dataset_id FROM reads)",
)
"""Names without any fact, those of columns first."""


def drop(database: Database, run: Run) -> int:
    """Forget the edges that ended before a run or in it; return how many were dropped."""
    closed = "to_run <= ? AND namespace_id = ?"
    values = [run.number, run.namespace]
    ((count,),) = database.rows(f"SELECT count(*) FROM edges WHERE {closed}", values)
    database.run(
        "DELETE FROM usages WHERE to_run <= ? AND edge_id IN (SELECT id FROM edges WHERE namespace_id = ?)",
        values,
    )
    for table in CLOSED:
        database.run(f"DELETE FROM {table} WHERE {closed}", values)

    database.run("UPDATE runs SET layout = NULL WHERE id < ? AND namespace_id = ?", values)
    for statement in UNUSED:
        database.run(statement, [run.namespace])

    return int(count)

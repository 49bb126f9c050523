"""The experiments of a comparison: one for each changed statement that can be run."""

from __future__ import annotations

from lineal.extract.sql.runnable import NotRunnable, Runnable, kind_of_type, runnable_query
from lineal.graph.diff import Comparison, Difference
from lineal.graph.diff.side import Key, Side
from lineal.graph.diff.witness import Experiment, without_experiment
from lineal.prove.experiment import Columns, experiment

SECONDS = 10.0
"""The time for one statement."""
PYTHON = "python"


def experiments_of(found: Difference, seconds: float = SECONDS) -> dict[str, Experiment]:
    """Run each changed statement, and return the outcomes by the names of the datasets."""
    wanted = {finding.dataset for finding in found.findings}
    made: dict[str, Experiment] = {}
    for comparison in found.pairs.common:
        if comparison.name in wanted and not comparison.same_meaning:
            made[comparison.name] = try_one(comparison, seconds)

    return made


def try_one(comparison: Comparison, seconds: float) -> Experiment:
    """Run both versions of one dataset's statement, and return the outcome."""
    try:
        before = query_of(comparison.base, comparison.key)
        after = query_of(comparison.head, comparison.new)
    except NotRunnable as problem:
        return without_experiment(str(problem))

    known = known_columns(comparison.base) | known_columns(comparison.head)
    wanted = {*before.inputs, *after.inputs}
    return experiment(before, after, resolve(known, wanted), seconds)


def query_of(side: Side, key: Key) -> Runnable:
    """Return the query that makes a dataset."""
    statements = side.statements.get(key, [])
    if len(statements) != 1:
        raise NotRunnable("several statements write it")

    only = statements[0]
    if only.dialect == PYTHON:
        raise NotRunnable("it is a program")

    if not only.sql:
        raise NotRunnable("its text is not available")

    return runnable_query(only.sql, only.dialect)


def known_columns(side: Side) -> Columns:
    """Return the columns of every dataset of a side, and their kinds."""
    found: Columns = {}
    for key in side.datasets:
        dialect = next((each.dialect for each in side.statements.get(key, ())), "")
        found[key[1]] = {
            info.name.lower(): kind_of_type(info.type, dialect)
            for info in side.columns(key).values()
        }

    return found


def resolve(known: Columns, wanted: set[str]) -> Columns:
    """Return the columns of the tables that are read: a name may be written with more or fewer
    parts than the dataset has.
    """
    tails: dict[str, list[dict[str, str]]] = {}
    for name, columns in known.items():
        tails.setdefault(name.rpartition(".")[2], []).append(columns)

    found = {}
    for name in wanted:
        alike = tails.get(name.rpartition(".")[2], [])
        if name in known:
            found[name] = known[name]
        elif len(alike) == 1:
            found[name] = alike[0]

    return found

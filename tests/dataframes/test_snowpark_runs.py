"""Snowpark jobs, run in its local testing mode: every change has an edge, and every HIGH edge is seen.

A run takes seconds, so what changes is recorded next to each job; one job is run again here.
LINEAL_GOLDEN=write runs all of them, and writes the records.
"""

from __future__ import annotations

import warnings

import pytest

from dataframes.truth import (
    Change,
    Job,
    Output,
    Table,
    changes_of,
    jobs_in,
    quiet_in,
    recorded,
    run_program,
    uncovered,
    unseen,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    snowpark = pytest.importorskip("snowflake.snowpark")

JOBS = jobs_in("snowpark")


def run(job: Job, tables: dict[str, Table]) -> Output:
    """Run a job over a session that holds its tables in memory, and return what it wrote."""
    with quiet_in(job.path.parent):
        session = snowpark.Session.builder.config("local_testing", True).create()
        try:
            for name, table in tables.items():
                rows = list(zip(*table.values(), strict=True))
                session.create_dataframe(rows, schema=list(table)).write.save_as_table(name)
            run_program(job.path)
            targets = sorted(job_targets(job))
            return {name: read(session, name) for name in targets}
        finally:
            session.close()


def job_targets(job: Job) -> set[str]:
    """Return the tables that a job writes, as its text names them."""
    found = job.read().edges
    return {
        place.name for edge in found for place in [getattr(edge.target, "dataset", edge.target)]
    }


def read(session: object, name: str) -> Table:
    frame = session.table(name)  # type: ignore[attr-defined]
    rows = frame.collect()
    return {column: [row[at] for row in rows] for at, column in enumerate(frame.columns)}


def changes(job: Job) -> set[Change]:
    return recorded(job, run, draws=2)


def test_there_are_enough_jobs():
    assert len(JOBS) >= 20


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_every_change_has_an_edge(job):
    for known in (True, False):
        assert uncovered(job.read(known).edges, changes(job)) == set()


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_every_sure_edge_is_seen(job):
    assert unseen(job, changes(job)) == []


def test_a_run_gives_the_recorded_result():
    job = next(each for each in JOBS if each.name == "select_filter")
    assert changes_of(job, run, draws=2) == changes(job)


def test_the_columns_are_those_of_the_run():
    for name in ("with_columns", "group_agg"):
        job = next(each for each in JOBS if each.name == name)
        written = run(job, job.tables())
        found = {info.dataset.name: info for info in job.read().datasets.values()}
        for target, table in written.items():
            assert [each.lower() for each in found[target].names] == [
                each.lower() for each in table
            ]

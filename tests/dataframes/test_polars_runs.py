"""Polars jobs, run over random rows: every change has an edge, and every HIGH edge is seen."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from dataframes.truth import (
    Change,
    Job,
    Output,
    Table,
    changes_of,
    jobs_in,
    quiet_in,
    run_program,
    uncovered,
    unseen,
)

os.environ.setdefault("POLARS_MAX_THREADS", "1")  # so that joins give their rows in one order
pl = pytest.importorskip("polars")

JOBS = jobs_in("polars")
READERS = {
    ".csv": "read_csv",
    ".parquet": "read_parquet",
    ".ndjson": "read_ndjson",
    ".json": "read_json",
}
CHANGES: dict[str, set[Change]] = {}


def write_sources(folder: Path, tables: dict[str, Table]) -> None:
    for name, table in tables.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        frame = pl.DataFrame(table, strict=False)
        getattr(frame, READERS[path.suffix].replace("read", "write"))(path)


def run(job: Job, tables: dict[str, Table]) -> Output:
    """Run a job in an empty folder with its sources, and return what it wrote."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sources(folder, tables)
        with quiet_in(folder):
            run_program(job.path.resolve())
        return {
            path.relative_to(folder).as_posix(): read(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.relative_to(folder).as_posix() not in tables
        }


def read(path: Path) -> Table:
    frame = getattr(pl, READERS[path.suffix])(path)
    return frame.to_dict(as_series=False)


def changes(job: Job) -> set[Change]:
    if job.name not in CHANGES:
        CHANGES[job.name] = changes_of(job, run)
    return CHANGES[job.name]


def test_there_are_enough_jobs():
    assert len(JOBS) >= 40


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_every_change_has_an_edge(job):
    for known in (True, False):
        assert uncovered(job.read(known).edges, changes(job)) == set()


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_every_sure_edge_is_seen(job):
    assert unseen(job, changes(job)) == []


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_the_columns_are_those_of_the_run(job):
    written = run(job, job.tables())
    found = {info.dataset.name: info for info in job.read().datasets.values()}
    for target, table in written.items():
        if "pivot" not in job.name or found[target].complete:
            assert [each.lower() for each in found[target].names] == [
                each.lower() for each in table
            ]

"""Programs that train models, run over random rows: every change has an edge.

A model that is trained is a dataset of kind ml_model between the training data and the predictions.
The record of what changes is next to each job; LINEAL_GOLDEN=write runs them all again.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import pytest

from dataframes.truth import (
    Change,
    Job,
    Output,
    Table,
    changes_of,
    jobs_in,
    place_of,
    quiet_in,
    recorded,
    run_program,
    uncovered,
    unseen,
)
from lineal.graph.graph import Graph
from lineal.graph.impact import impact

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pd = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    pytest.importorskip("xgboost")
    pytest.importorskip("lightgbm")

JOBS = jobs_in("models")


def run(job: Job, tables: dict[str, Table]) -> Output:
    """Run a job in an empty folder with its sources, and return the tables that it wrote."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source, table in tables.items():
            pd.DataFrame(table).to_csv(folder / source, index=False)
        with quiet_in(folder):
            run_program(job.path.resolve())
        written = [path for path in sorted(folder.glob("*.csv")) if path.name not in tables]
        return {path.name: read(path) for path in written}


def read(path: Path) -> Table:
    frame = pd.read_csv(path)
    return {column: frame[column].tolist() for column in frame}


def changes(job: Job) -> set[Change]:
    return recorded(job, run, draws=2)


def test_there_are_enough_jobs():
    assert len(JOBS) >= 20


def test_a_run_gives_the_recorded_result():
    job = next(each for each in JOBS if each.name == "linear_split")
    assert changes_of(job, run, draws=2) == changes(job)


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_every_change_has_an_edge(job):
    for known in (True, False):
        assert uncovered(job.read(known).edges, changes(job)) == set()


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_every_sure_edge_is_seen(job):
    models = models_of(job)
    known = {each[0] for each in changes(job)}
    into_models = {*models, *(f"{name}.prediction" for name in models)}
    assert [each for each in unseen(job, changes(job)) if each[2] not in into_models] == []
    for edge in job.read().edges:
        is_training = place_of(edge.target)[0] in models and edge.source.dataset.name in job.sources
        assert not is_training or place_of(edge.source) in known


def models_of(job: Job) -> set[str]:
    """Return the names of the models that a job trains."""
    infos = job.read().datasets.values()
    return {info.dataset.name for info in infos if info.kind == "ml_model"}


TRANSFORMING = ("fit_transform", "scaler_only", "pca")


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_a_trained_model_is_a_dataset(job):
    assert bool(models_of(job)) == (job.name not in TRANSFORMING)


def test_impact_lists_the_models_that_a_column_retrains():
    job = next(each for each in JOBS if each.name == "two_models")
    found = Graph(job.read())
    column = next(e.source for e in found.edges if str(e.source) == "customers.csv.age")
    reached = {str(each.column) for each in impact(found, column)}
    assert reached == {"two_models.py::first.prediction", "both.csv.spend"}

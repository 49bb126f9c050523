"""Job scripts, read without running them: the edges that Spark gave when they were run, and which
of them are sure.
"""

from __future__ import annotations

import pytest

from jobbook import all_jobs, facts_in, facts_of
from lineal.model.diagnostic import Code
from lineal.model.way import Confidence

ALL = all_jobs()


@pytest.mark.parametrize("job", ALL, ids=[job.name for job in ALL])
def test_the_text_gives_the_edges_of_the_run(job):
    assert facts_in(job.read()) == job.edges


@pytest.mark.parametrize("job", ALL, ids=[job.name for job in ALL])
def test_values_that_only_a_run_knows_are_reported(job):
    places = [found.place for found in job.read().diagnostics if found.code is Code.DYNAMIC]
    assert {place.line for place in places if place is not None} == job.dynamic


def test_most_edges_are_sure():
    edges = [edge for job in ALL for edge in job.read().edges]
    facts = sum(len(facts_of(edge)) for edge in edges)
    sure = sum(len(facts_of(edge)) for edge in edges if edge.level >= Confidence.HIGH)
    assert sure >= 0.85 * facts

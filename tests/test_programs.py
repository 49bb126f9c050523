"""Whole PySpark jobs, read without running them: the edges of the plans that Spark makes of them,
all certain.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from casefile import lines_of, read_schema
from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script
from lineal.model.way import Confidence

PROGRAMS = Path(__file__).parent / "programs"
JOBS = sorted(PROGRAMS.glob("*.py"))


def read(job: Path):
    schema = read_schema((PROGRAMS / "schema.txt").read_text(encoding="utf-8"))
    return extract(
        Corpus("spark", [Script(job.read_text(encoding="utf-8"), "python", job.name)], schema)
    )


def usages(edges) -> list[str]:
    return sorted(
        {
            f"{edge.source} {'->' if edge.field_level else '=>'} {edge.target} {usage.how.value}"
            for edge in edges
            for usage in edge.usages
        }
    )


@pytest.mark.parametrize("job", JOBS, ids=[job.stem for job in JOBS])
def test_a_job_has_the_edges_of_its_plans(job):
    found = read(job)
    expected = lines_of(job.with_suffix(".edges").read_text(encoding="utf-8"))
    assert usages(found.edges) == sorted(expected)
    assert [str(each) for each in found.diagnostics] == []
    assert {edge.level for edge in found.edges} == {Confidence.HIGH}


def test_there_are_jobs():
    assert len(JOBS) >= 10

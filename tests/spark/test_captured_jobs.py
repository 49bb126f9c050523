"""Jobs, run for real and captured: the edges are those that were recorded from their analysed plans.

LINEAL_CAPTURE=all runs every job that can run here; else a few.
"""

from __future__ import annotations

import os

import pytest
from captured_run import facts_by_capturing

from jobbook import Job, all_jobs

SOME = ("daily_revenue",)
JOBS = (
    [job for job in all_jobs() if not job.by_hand]
    if os.environ.get("LINEAL_CAPTURE") == "all"
    else [Job(name) for name in SOME]
)


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_what_is_captured_is_what_the_plans_say(job, spark):
    facts, problems = facts_by_capturing(job, spark)
    assert facts == job.edges
    assert not problems

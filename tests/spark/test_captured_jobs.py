"""Jobs, run for real and captured: the edges are those that were recorded from their analyzed
plans.

LINEAL_CAPTURE=all runs every job that can run here; else a few.
"""

from __future__ import annotations

import os

import pytest
from captured_run import facts_by_capturing

from jobbook import Job, all_jobs

SOME = (
    "class_pipeline",
    "config_driven",
    "daily_revenue",
    "dict_aggregations",
    "drop_after_join",
    "clickstream",
)
ONLY_ANALYSED = {
    "customer_history_merge": "MERGE, which tables of parquet files cannot do",
    "merge_api": "MERGE, which tables of parquet files cannot do",
    "monthly_close": "REPLACE TABLE, which the session's catalog cannot do",
    "incremental_load": "a table is overwritten with what is read from it",
}
"""Jobs that Spark understands, and does not carry out on the tables that it has here."""

ALL = [job for job in all_jobs() if not job.by_hand and job.name not in ONLY_ANALYSED]
JOBS = ALL if os.environ.get("LINEAL_CAPTURE") == "all" else [Job(name) for name in SOME]


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_captured_edges_are_those_of_the_plans(job, spark):
    facts, problems = facts_by_capturing(job, spark)
    assert facts == job.run_edges
    assert not problems

"""Job scripts, run for real on Spark: the recorded edges are those of its analyzed plans.

LINEAL_GOLDEN=write records them again.
"""

from __future__ import annotations

import os

import pytest
from job_run import facts_by_running

from jobbook import JOBS, all_jobs

RUN = [job for job in all_jobs() if not job.by_hand]


@pytest.mark.parametrize("job", RUN, ids=[job.name for job in RUN])
def test_spark_gives_the_recorded_edges(job, spark):
    found = facts_by_running(job, spark)
    if os.environ.get("LINEAL_GOLDEN") == "write":
        said = [line for line in job.recorded if line.startswith("#")]
        (JOBS / f"{job.name}.edges").write_text(
            "".join(f"{line}\n" for line in (*said, *sorted(found)))
        )
    else:
        assert found == job.run_edges

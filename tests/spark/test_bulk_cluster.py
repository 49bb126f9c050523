"""A cluster of one master and two workers whose Python has no package; one of the workers is killed
while it works.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from logbook import contents, rows, write_json

from lineal.spark.pipeline import Options, run
from smoke.cluster import DRIVER, Cluster, wait_until
from smoke.processes import end_group

SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture
def cluster(spark: Any, tmp_path: Path) -> Iterator[Cluster]:
    with Cluster(tmp_path, Path(pyspark.__file__).parent) as made:
        yield made


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A Python with nothing but its standard library."""
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    python = tmp_path / "bare" / "bin" / "python"
    assert list(tmp_path.glob("bare/lib/python*/site-packages/*")) == []
    return python


def test_a_worker_that_is_killed_costs_only_time(
    spark: Any, cluster: Cluster, bare: Path, tmp_path: Path
) -> None:
    log = write_json(tmp_path / "log.jsonl", rows(400))
    command = [sys.executable, "-m", "lineal", "pipeline", log, "--out", str(tmp_path / "out")]
    settings = [part for key, value in DRIVER.items() for part in ("--conf", f"{key}={value}")]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYSPARK_PYTHON": str(bare)}
    driver = subprocess.Popen(
        [*command, "--master", cluster.master, *settings],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        wait_until(
            lambda: len(list(tmp_path.glob("work[01]/app-*/*/lineal_packages/lineal"))) == 2, 120
        )
        end_group(cluster.workers[1])
        said, errors = driver.communicate(timeout=240)
    finally:
        driver.kill()
    assert driver.returncode == 0, errors.decode()
    assert b"400 rows" in said
    run(Options((log,), tmp_path / "alone"), spark)
    assert contents(tmp_path / "out") == contents(tmp_path / "alone")

"""A session of Spark Connect, which has no context and no JVM in reach: the output is the same. Run
by `make test-connect`, with Connect's own server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lakes import needs
from logbook import contents, rows, write_json

from lineal.spark.pipeline import BulkError, Options, run
from lineal.spark.pipeline.errors import remedy_of
from lineal.spark.pipeline.sessions import check_jvm, is_connect, parallelism, share_value

HERE = Path(__file__).parent
needs_connect = needs("LINEAL_TEST_CONNECT", "make test-connect")


@needs_connect
def test_the_output_is_that_of_any_session(spark: Any, tmp_path: Path) -> None:
    log = write_json(tmp_path / "log.jsonl", rows(90))
    run(Options((log,), tmp_path / "alone"), spark)
    command = [sys.executable, str(HERE / "connected_run.py"), log, str(tmp_path / "out")]
    paths = [str(HERE.parents[1] / "src"), os.environ["LINEAL_TEST_CONNECT"]]
    environment = {**os.environ, "PYTHONPATH": ":".join(paths), "PYSPARK_PYTHON": sys.executable}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr[-3000:]
    found = json.loads(said.stdout.strip().splitlines()[-1])
    assert found["rows"] == 90 and found["parsed"] > 0
    assert ["is not possible with Spark Connect" in each for each in found["refused"]] == [True] * 2
    assert contents(tmp_path / "out") == contents(tmp_path / "alone")


class Remote(SimpleNamespace):
    """What the pipeline asks a session of Spark Connect for."""


Remote.__module__ = "pyspark.sql.connect.session"


def remote(**conf: str) -> Any:
    return cast(
        "Any", Remote(conf=SimpleNamespace(get=lambda key, default: conf.get(key, default)))
    )


def test_values_travel_with_functions() -> None:
    session = remote()
    assert is_connect(session)
    with share_value(session, [1, 2]) as shared:
        assert shared.value == [1, 2]


def test_the_number_of_tasks_is_a_setting() -> None:
    assert parallelism(remote()) == 2
    assert parallelism(remote(**{"spark.sql.shuffle.partitions": "7"})) == 7


def test_a_call_that_connect_lacks_is_refused() -> None:
    with pytest.raises(BulkError, match="to follow is not possible with Spark Connect: run again"):
        check_jvm(remote(), "to follow", "run again")


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("ModuleNotFoundError: No module named 'lineal'", r"executors have no lineal: install"),
        ("No module named 'pyarrow.lib'", "executors have no pyarrow"),
        ("[PYTHON_VERSION_MISMATCH] Python in worker has …", "set PYSPARK_PYTHON"),
        ("java.io.IOException: No space left on device", "spark.local.dir"),
        ("java.lang.OutOfMemoryError: Java heap space", "too little memory"),
        ("Container killed by YARN for exceeding memory limits", "spark.executor.memory"),
    ],
)
def test_executors_that_lack_something(said: str, remedy: str) -> None:
    found = remedy_of(said)
    assert found is not None and remedy in found


def test_any_other_failure_has_no_remedy() -> None:
    assert remedy_of("No module named 'shop'") is None

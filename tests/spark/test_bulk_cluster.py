"""A cluster of one master and two workers on loopback; one of the workers is killed while it works."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyspark
import pytest
from logbook import contents, rows, write_json

from lineal.spark.bulk import Options, run

HOME = Path(pyspark.__file__).parent
SOURCE = Path(__file__).parents[2] / "src"
BARE = Path(sys.base_prefix) / "bin" / "python3"
"""A Python without lineal, and without anything that lineal needs."""

JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class Cluster:
    """Processes in groups of their own, so that whatever they start can be killed with them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.groups: list[subprocess.Popen[bytes]] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.master = f"spark://127.0.0.1:{self.port}"
        self.start("master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0")
        until(lambda: "I have been elected leader" in self.said(0), 60)
        self.workers = [self.worker(number) for number in range(2)]
        until(lambda: len(re.findall("Registering worker", self.said(0))) == 2, 60)

    def worker(self, number: int) -> subprocess.Popen[bytes]:
        where = ("--host", "127.0.0.1", "--webui-port", "0", "-d", str(self.folder / f"work{number}"))
        return self.start("worker.Worker", *where, "--cores", "1", "--memory", "600m", self.master)

    def start(self, role: str, *arguments: str) -> subprocess.Popen[bytes]:
        environment = {
            **{key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYSPARK_PYTHON")},
            "SPARK_HOME": str(HOME), "SPARK_DAEMON_MEMORY": "128m", "SPARK_DAEMON_JAVA_OPTS": JVM,
            "SPARK_NO_DAEMONIZE": "1",
        }  # fmt: skip
        command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}", *arguments]
        with (self.folder / f"{len(self.groups)}.log").open("wb") as log:
            made = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
        self.groups.append(made)
        return made

    def said(self, number: int) -> str:
        return (self.folder / f"{number}.log").read_text(errors="replace")

    def kill(self, group: subprocess.Popen[bytes]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(group.pid, signal.SIGKILL)
        group.wait()


def until(holds: Callable[[], bool], seconds: float) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.2)


@pytest.fixture
def cluster(spark: Any, tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    yield made
    for group in made.groups:
        made.kill(group)


def test_a_worker_that_is_killed_costs_only_time(spark: Any, cluster: Cluster, tmp_path: Path) -> None:
    log = write_json(tmp_path / "log.jsonl", rows(400))
    conf = {
        "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.executor.memory": "500m",
        "spark.executor.extraJavaOptions": JVM, "spark.sql.shuffle.partitions": "4", "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": JVM,
    }  # fmt: skip
    command = [sys.executable, "-m", "lineal", "pipeline", log, "--out", str(tmp_path / "out")]
    settings = [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYSPARK_PYTHON": str(BARE)}
    driver = subprocess.Popen(
        [*command, "--master", cluster.master, *settings],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        until(lambda: len(list(tmp_path.glob("work[01]/app-*/*/lineal_packages/lineal"))) == 2, 120)
        cluster.kill(cluster.workers[1])
        said, errors = driver.communicate(timeout=240)
    finally:
        driver.kill()
    assert driver.returncode == 0, errors.decode()
    assert b"400 rows" in said
    run(Options((log,), tmp_path / "alone"), spark)
    assert contents(tmp_path / "out") == contents(tmp_path / "alone")

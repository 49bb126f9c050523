"""A standalone Spark cluster on this machine: a master and workers that listen on loopback."""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from smoke.processes import Process, end_group, start_group

QUICK_JVM = "-XX:TieredStopAtLevel=1"
"""Java compiles less, and so starts faster."""

DRIVER = {
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "512m",
    "spark.driver.extraJavaOptions": QUICK_JVM, "spark.executor.memory": "500m",
    "spark.executor.extraJavaOptions": QUICK_JVM, "spark.sql.shuffle.partitions": "4",
}  # fmt: skip
"""The settings of a driver that fits on one machine with the cluster."""

HIDDEN = ("PYTHONPATH", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON")
SECONDS = 60


class Cluster:
    """A master and its workers."""

    def __init__(self, folder: Path, home: Path, workers: int = 2) -> None:
        self.folder, self.home = folder, home
        self.groups: list[Process] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.master = f"spark://127.0.0.1:{port}"
        try:
            self.start(
                "master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"
            )
            wait_until(lambda: "I have been elected leader" in self.log(0), SECONDS)
            self.workers = [self.start_worker(number) for number in range(workers)]
            wait_until(
                lambda: len(re.findall("Registering worker", self.log(0))) == workers, SECONDS
            )
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start_worker(self, number: int) -> Process:
        where = (
            "--host",
            "127.0.0.1",
            "--webui-port",
            "0",
            "-d",
            str(self.folder / f"work{number}"),
        )
        return self.start("worker.Worker", *where, "--cores", "1", "--memory", "600m", self.master)

    def start(self, role: str, *arguments: str) -> Process:
        environment = {
            **{name: value for name, value in os.environ.items() if name not in HIDDEN},
            "SPARK_HOME": str(self.home), "SPARK_DAEMON_MEMORY": "128m", "SPARK_DAEMON_JAVA_OPTS": QUICK_JVM,
            "SPARK_NO_DAEMONIZE": "1",
        }  # fmt: skip
        command = [
            str(self.home / "bin" / "spark-class"),
            f"org.apache.spark.deploy.{role}",
            *arguments,
        ]
        with (self.folder / f"{len(self.groups)}.log").open("wb") as log:
            made = start_group(command, self.folder, environment, log)
        self.groups.append(made)
        return made

    def log(self, number: int) -> str:
        return (self.folder / f"{number}.log").read_text(errors="replace")

    def stop(self) -> None:
        for group in self.groups:
            end_group(group)


class Late(Exception):
    """What was waited for did not happen."""


def wait_until(holds: Callable[[], bool], seconds: float) -> None:
    """Waits until something holds."""
    ends = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > ends:
            raise Late(f"not within {seconds:.0f} seconds")
        time.sleep(0.2)

"""Commands with a JVM: terminated, interrupted or killed, they leave no process and no half of a
file behind.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import lineal
from lineal.cli.supervisor import descendants_of
from patience import Patience

pytest.importorskip("pyspark")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")

SHOP = Path(__file__).resolve().parents[2] / "examples" / "shop"
QUICK = ("--conf", "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
JOB = """
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.range(3).write.mode("overwrite").parquet("first")

@udf("int")
def wait(number):
    import time
    time.sleep(600)

spark.range(3).select(wait("id").alias("id")).write.mode("overwrite").parquet("second")
"""
WORKER, JVM = b"pyspark.daemon", b"org.apache.spark.deploy.SparkSubmit"
"""What the command line of a process has, for which a test waits."""


def is_alive(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text("ascii", "replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "job.py").write_text(JOB, "utf-8")
    rows = ({"sql": f"CREATE TABLE t{i} AS SELECT a, b FROM s{i}"} for i in range(2_000))
    (tmp_path / "log.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    shutil.copytree(SHOP, tmp_path / "shop", ignore=shutil.ignore_patterns(".lineal"))
    return tmp_path


class Started:
    """A command, and every process that it was seen to start."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(Path(lineal.__file__).parents[1])}
        signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have taken
        self.errors = folder / "errors.txt"
        with self.errors.open("wb") as stream:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "lineal", *arguments],
                env=environment,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=stream,
            )
        self.seen: set[int] = set()

    def wait_for(self, mark: bytes) -> None:
        """Wait until one of the processes is this one, and at work."""
        began = time.monotonic()
        while not any(mark in command_line(each) for each in self.seen):
            assert self.process.poll() is None, self.errors.read_text("utf-8")
            assert time.monotonic() - began < 900  # a busy machine starts a JVM in its own time
            self.seen.update(descendants_of(self.process.pid))
            time.sleep(0.3)
        time.sleep(1.0)
        self.seen.update(descendants_of(self.process.pid))

    def end(self, number: int) -> None:
        """Send a signal: everything ends within two seconds in which it could have run."""
        patience = Patience([self.process.pid, *self.seen])
        self.process.send_signal(number)
        while self.process.poll() is None or any(map(is_alive, self.seen)):
            assert not patience.is_over, self.errors.read_text("utf-8")
            time.sleep(0.02)

    def clean(self) -> None:
        for each in filter(is_alive, self.seen):
            os.kill(each, signal.SIGKILL)
        self.process.kill()
        self.process.wait()


@pytest.fixture
def start(folder: Path) -> Iterator[object]:
    made: list[Started] = []

    def begin(*arguments: str) -> Started:
        made.append(Started(folder, *arguments))
        return made[-1]

    yield begin
    for each in made:
        each.clean()


COMMANDS = {
    "run": (("run", "shop", *QUICK), JVM),
    "pipeline": (("pipeline", "log.jsonl", "--log-text", "sql", "--out", "out", *QUICK), JVM),
    "capture": (("capture", "job.py", "--to", "events.ndjson"), WORKER),
    "both": (("lineage", "shop", "--engine", "both", "--no-cache"), JVM),
}


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("run", signal.SIGTERM),
        ("run", signal.SIGKILL),
        ("pipeline", signal.SIGINT),
        ("pipeline", signal.SIGKILL),
        ("capture", signal.SIGTERM),
        ("capture", signal.SIGINT),
        ("capture", signal.SIGKILL),
        ("both", signal.SIGINT),
        ("both", signal.SIGTERM),
    ],
)
def test_nothing_is_left(folder: Path, start: type[Started], name: str, number: int) -> None:
    arguments, mark = COMMANDS[name]
    command = start(*arguments)  # type: ignore[call-arg, arg-type]
    command.wait_for(mark)
    command.end(number)
    assert command.process.returncode != 0
    events = folder / "events.ndjson"
    if events.exists():
        text = events.read_text("utf-8")
        assert all(json.loads(line) for line in text.splitlines()) and text.endswith("\n")

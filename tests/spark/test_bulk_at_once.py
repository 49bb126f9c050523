"""lineal pipeline, twice at once: the output belongs to one of them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from lineal.spark.availability import installed_java
from lineal.spark.pipeline import BulkError
from lineal.spark.pipeline.state import open_state

pytestmark = pytest.mark.skipif(isinstance(installed_java(), str), reason="no Java")

HOLDER = """
import sys, time
from pathlib import Path
from lineal.spark.pipeline import guard
from lineal.spark.pipeline.state import open_state

def asleep(items, note):
    if items:
        Path(sys.argv[2]).write_text("a child is at work")
        time.sleep(600)
    return []

with open_state(sys.argv[1]):
    guard.run_guarded(asleep, [1], 600)
"""


def until(file: Path, process: subprocess.Popen[bytes]) -> None:
    while not file.exists():
        assert process.poll() is None
        time.sleep(0.05)


def test_two_runs_at_once(tmp_path: Path) -> None:
    """The second says who holds the folder, before it starts Spark; the lock of a killed run is
    free, also while
    a child of it had been at work."""
    log, out = tmp_path / "log.txt", tmp_path / "out"
    log.write_text("SELECT a FROM t\n")
    command = [sys.executable, "-c", HOLDER, str(out), str(tmp_path / "begun")]
    holder = subprocess.Popen(command)
    try:
        until(tmp_path / "begun", holder)
        second = [
            sys.executable,
            "-m",
            "lineal",
            "pipeline",
            str(log),
            "--out",
            str(out),
            "--fresh",
        ]
        said = subprocess.run(second, capture_output=True, text=True, check=False)
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert said.returncode == 2 and said.stdout == ""
    assert re.fullmatch(
        rf"Error: another run is at work on {out} \(process {holder.pid} on \S+\): wait for it, .* another folder\n",
        said.stderr,
    )
    for _ in range(100):  # the child hears of its parent's death a moment later
        try:
            with open_state(out) as state:
                assert len(state.records) == 0
            return
        except BulkError:
            time.sleep(0.05)
    pytest.fail("the lock is not free")

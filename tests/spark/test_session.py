"""A session of our own leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

PROGRAM = """
import os, sys
from lineal.spark.session import session
print(session("local[1]").conf.get("spark.sql.warehouse.dir"), flush=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), {signal})
"""


@pytest.mark.parametrize("end", ["finished", "killed"])
def test_the_folder_of_a_session_goes_with_its_process(end: str, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    program = PROGRAM.format(signal=int(signal.SIGKILL))
    command = [sys.executable, "-c", program, end]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert said.returncode == (0 if end == "finished" else -signal.SIGKILL), said.stderr[-2000:]
    folder = Path(said.stdout.strip().removeprefix("file:")).parent
    assert folder.parent == tmp_path and folder.name.startswith("lineal-")
    until = time.monotonic() + 30
    while folder.exists() and time.monotonic() < until:
        time.sleep(0.2)
    assert not folder.exists()

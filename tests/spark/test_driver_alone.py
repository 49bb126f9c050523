"""What the driver of the pipeline holds as a log grows, with the answers of executors prepared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench" / "driver_alone.py"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the bench, and return what it prints."""
    asked = [sys.executable, str(BENCH), *arguments]
    return subprocess.run(asked, capture_output=True, text=True, timeout=600, check=False)


def test_four_times_the_statements_take_no_more_memory():
    found = bench("10000", "40000")
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.startswith("10,000 statements, 62,000 edges")
    assert "40,000 statements, 248,000 edges" in found.stdout


def test_views_in_chains_are_measured():
    found = bench("--depth", "5")
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.startswith("depth 5, 2,000 statements")

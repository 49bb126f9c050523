"""Where the session has Delta, the tables are Delta tables. LINEAL_TEST_DELTA: coordinates that fit the Spark here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = os.environ.get("LINEAL_TEST_DELTA", "")


@pytest.mark.skipif(not PACKAGES, reason="LINEAL_TEST_DELTA names no Delta")
def test_the_tables_are_delta_tables_and_again_after_growth(tmp_path: Path) -> None:
    script = Path(__file__).with_name("delta_run.py")
    call = [sys.executable, str(script), PACKAGES, str(tmp_path)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=900, check=True)
    first, grown = json.loads(done.stdout.splitlines()[-1])
    for found in (first, grown):
        assert found["counts"] == {name: said["rows"] for name, said in found["said"].items()}
        assert found["levels"] == ["column", "dataset"]
    assert (first["counts"]["statements"], grown["counts"]["statements"]) == (1, 2)
    assert grown["counts"]["edges"] > first["counts"]["edges"]

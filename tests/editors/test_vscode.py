"""The tests of the VS Code extension, in Node.js; skipped without LINEAL_VSCODE (tools/vscode.sh)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXTENSION = os.environ.get("LINEAL_VSCODE", "")

pytestmark = pytest.mark.skipif(not EXTENSION, reason="LINEAL_VSCODE names no extension")


def test_the_extension_starts_the_server(tmp_path: Path) -> None:
    """npm compiles the extension, runs its unit tests, and its client shakes hands with the server."""
    lineal = tmp_path / "lineal"
    lineal.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lineal "$@"\n')
    lineal.chmod(0o755)
    done = subprocess.run(
        ["npm", "test", "--silent"],
        cwd=EXTENSION,
        env={**os.environ, "LINEAL": str(lineal), "LINEAL_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^# skipped 0$", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"^ok \d+ - the server shakes hands", done.stdout, re.MULTILINE)

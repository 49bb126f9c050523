"""The tests of the VS Code extension, in Node.js; skipped without LINEAL_VSCODE (tools/vscode.sh)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

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


def test_the_extension_is_packaged(tmp_path: Path) -> None:
    """`npm run package` alone is enough: it compiles, and takes the client's libraries along."""
    folder = tmp_path / "vscode"
    shutil.copytree(EXTENSION, folder, symlinks=True)
    shutil.rmtree(folder / "out", ignore_errors=True)
    done = subprocess.run(
        ["npm", "run", "package", "--silent"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (package,) = folder.glob("*.vsix")
    names = set(ZipFile(package).namelist())
    assert "extension/out/src/extension.js" in names
    assert any(name.endswith("vscode-languageclient/node.js") for name in names)
    assert not any(name.startswith(("extension/src/", "extension/out/test/")) for name in names)

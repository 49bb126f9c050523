"""Neovim's own client, headless; skipped where there is no Neovim (tools/neovim.sh)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SESSION = Path(__file__).with_name("session.lua")

NEOVIM = os.environ.get("NEOVIM") or shutil.which("nvim") or ""

pytestmark = pytest.mark.skipif(not NEOVIM, reason="there is no Neovim")


def test_neovim_asks_and_shows_diagnostics(jaffle: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers.json"
    environment = {
        **os.environ,
        "FOLDER": str(jaffle),
        "PYTHON": sys.executable,
        "OUT": str(out),
        "HOME": str(tmp_path),
        "LINEAL_CACHE": str(tmp_path / "cache"),
    }
    subprocess.run(
        [NEOVIM, "--headless", "-u", "NONE", "-n", "-c", f"luafile {SESSION}"],
        env=environment,
        timeout=240,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    found = json.loads(out.read_text())

    assert "`orders.amount`" in found["hover"]["contents"]["value"]
    (definition,) = found["definition"]
    assert definition["uri"].endswith("models/marts/orders.sql")
    assert definition["range"]["start"] == {"line": 16, "character": 29}
    reads = {
        (Path(each["uri"]).name, each["range"]["start"]["line"]) for each in found["references"]
    }
    assert ("customers.sql", 8) in reads
    changes = found["rename"].get("changes") or {
        each["textDocument"]["uri"]: each["edits"] for each in found["rename"]["documentChanges"]
    }
    ((uri, edits),) = changes.items()
    assert uri.endswith("customers.sql")
    assert [each["newText"] for each in edits] == ["paid", "paid"]
    assert "Only columns can be renamed" in found["refused"]["message"]
    assert "unresolved-column" in found["diagnostics"]

"""A command ends its process without freeing every object, and loses nothing by that."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import atexit
from lineal.cli import main

atexit.register(print, "at the end")
main()
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False
    )


def test_functions_that_are_registered_for_the_end_are_called() -> None:
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "at the end"


def test_long_output_is_written_as_a_whole(tmp_path: Path) -> None:
    columns = ", ".join(f"c{number}" for number in range(2_000))
    (tmp_path / "v.sql").write_text(f"CREATE VIEW v AS SELECT {columns} FROM t", encoding="utf-8")
    done = run("lineage", str(tmp_path), "--no-cache", "--output", "json")
    assert done.returncode == 0
    shown, end = done.stdout.strip().rsplit("\n", 1)
    assert end == "at the end"
    assert len(json.loads(shown)["edges"]) == 2_000


def test_the_exit_code_stays() -> None:
    assert run("lineage", "no/such/folder").returncode == 2


def run_in_shell(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = f"'{sys.executable}' -m lineal lineage -"
    return subprocess.run(
        ["sh", "-c", text.replace("LINEAL", command)],
        cwd=folder, input="SELECT a FROM t", capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_folder_that_was_deleted_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    done = run_in_shell("cd gone && rmdir ../gone && LINEAL", tmp_path)
    assert done.returncode == 2
    assert done.stderr == "Error: the current folder no longer exists: change to another one\n"

"""Where Spark is not installed, commands that need it name the package to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
WITHOUT = "import sys; sys.modules.update(pyspark=None, py4j=None, pyarrow=None, numpy=None, pandas=None); "
SAYS = "Spark is not installed: pip install 'lineal[spark]'"


def python(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own: no test before it can have imported Spark."""
    command = [sys.executable, "-c", f"{WITHOUT}sys.path.insert(0, {str(SOURCE)!r}); {program}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["lineage", "--engine", "both"],
        ["lineage", "--engine", "catalyst"],
        ["capture", "job.py"],
        ["pipeline", "v.sql", "--out", "out"],
    ],
    ids=" ".join,
)
def test_a_command(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "lineal.yml").write_text("name: p\nnodes: nodes\n")
    (tmp_path / "nodes" / "v").mkdir(parents=True)
    (tmp_path / "nodes" / "v" / "v.sql").write_text("SELECT 1 AS a")
    (tmp_path / "nodes" / "v" / "v.yml").write_text("kind: sql\n")
    (tmp_path / "v.sql").write_text("SELECT 1 AS a")
    (tmp_path / "job.py").write_text("")
    done = python(f"from lineal.cli import main; main({arguments!r})", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"Error: {SAYS}\n")


def test_the_python_interface(tmp_path: Path) -> None:
    done = python("from lineal.spark import lineage", tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"ImportError: {SAYS}"


OLD = (
    "import sys, types; old = types.ModuleType('pyspark'); old.__version__ = '3.5.6'; "
    "sys.modules['pyspark'] = old; "
)


def test_a_version_that_is_too_old(tmp_path: Path) -> None:
    (tmp_path / "v.sql").write_text("SELECT 1 AS a")
    arguments = ["lineage", ".", "--engine", "catalyst"]
    done = python(f"{OLD}from lineal.cli import main; main({arguments!r})", tmp_path)
    assert done.returncode == 2
    assert "Spark 3.5.6 is too old for lineal: use Spark 4.0 or newer" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_session_that_is_too_old(tmp_path: Path) -> None:
    program = (
        "from types import SimpleNamespace\n"
        "from lineal.spark.pipeline import Options, run\n"
        "try: run(Options(('log',), 'out'), SimpleNamespace(version='3.5.6'))\n"
        "except Exception as problem: print(type(problem).__name__, problem)"
    )
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n{program}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("BulkError Spark 3.5.6 is too old for lineal")
    assert not (tmp_path / "out").exists()

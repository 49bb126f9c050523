"""What `lineal pipeline` sends to executors is all that the code they load imports."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lineal.spark.pipeline import BulkError, ship
from lineal.spark.temporary import temporary_folder
from smoke.cluster import wait_until

SOURCE = Path(__file__).resolve().parents[2] / "src"
OF_SPARK = {"pyspark", "py4j"}
"""Spark gives its workers these itself."""


def test_executors_load_nothing_that_is_not_sent() -> None:
    start = [
        f"lineal.spark.pipeline.{path.stem}"
        for path in (SOURCE / "lineal" / "spark" / "pipeline").glob("*.py")
    ]
    assert "lineal.spark.pipeline.resolve" in start
    assert libraries(start) - OF_SPARK == {"numpy", "pyarrow", "sqlglot"}
    assert {"numpy", "pyarrow", "sqlglot"} <= set(ship.DISTRIBUTIONS)


def test_the_archive_has_the_libraries_and_lineal(tmp_path: Path) -> None:
    ship.pack(tmp_path / "lineal.zip")
    with zipfile.ZipFile(tmp_path / "lineal.zip") as packed:
        names = packed.namelist()
    tops = {name.split("/")[0] for name in names}
    assert {"lineal", "sqlglot", "pyarrow", "numpy"} <= tops
    assert "pandas" not in tops
    assert not [name for name in names if "__pycache__" in name]


LOADED = """
import sys
sys.path[:] = [*sys.argv[1:], *(path for path in sys.path if "site-packages" not in path)]
import numpy.linalg, pyarrow.compute, pyarrow.dataset, pyarrow.fs, pyarrow.parquet, pyspark.worker
from lineal.spark.pipeline import closure, resolve, share, shapes, statements
folder = sys.argv[1]
assert all(each.__file__.startswith(folder) for each in (numpy, pyarrow, closure))
assert pyarrow.compute.sum(pyarrow.array([1, 2]).cast("int8")).as_py() == 3
print(len(shapes.Fingerprints("spark").fingerprint_of("SELECT a FROM t WHERE b = 1")))
"""


def test_the_archive_has_all_that_executors_run(tmp_path: Path) -> None:
    """A Python that has nothing but the archive and Spark's own packages; and it is small."""
    archive = tmp_path / "lineal.zip"
    ship.pack(archive)
    assert archive.stat().st_size < 90_000_000
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "packages")
    (tmp_path / "spark").mkdir()
    for name in OF_SPARK:
        found = importlib.util.find_spec(name)
        assert found is not None and found.origin is not None
        (tmp_path / "spark" / name).symlink_to(Path(found.origin).parent)
    paths = [str(tmp_path / "packages"), str(tmp_path / "spark")]
    command = [sys.executable, "-S", "-I", "-c", LOADED, *paths]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (said.stdout, said.stderr) == ("64\n", "")


def test_executors_that_have_lineal(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ship.check_installed(spark)
    monkeypatch.setattr(ship, "__version__", "999.0")
    with pytest.raises(BulkError, match=r"executors have .*driver has lineal 999\.0: install it"):
        ship.check_installed(spark)


HELD = """
import os, signal
from lineal.spark.temporary import temporary_folder
with temporary_folder() as folder:
    (folder / "lineal.zip").write_text("archive")
    print(folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_no_folder() -> None:
    said = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=False)
    folder = Path(said.stdout.strip())
    assert folder.name.startswith("lineal-")
    wait_until(lambda: not folder.exists(), 60)


def test_a_folder_ends_with_its_block() -> None:
    with temporary_folder() as folder:
        (folder / "file").touch()
    assert not folder.exists()


def libraries(start: list[str]) -> set[str]:
    """The libraries that are imported when these modules are, by themselves or by what they import
    of lineal.
    """
    seen: set[str] = set()
    found: set[str] = set()
    todo = list(start)
    while todo:
        module = todo.pop()
        file = file_of(module)
        if module in seen or file is None:
            continue
        seen.add(module)
        for name in imported(file):
            top = name.split(".")[0]
            if top == "lineal":
                todo += prefixes(name)
            elif top not in sys.stdlib_module_names:
                found.add(top)
    return found


def file_of(module: str) -> Path | None:
    path = SOURCE.joinpath(*module.split("."))
    return next(
        (file for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists()), None
    )


def prefixes(name: str) -> list[str]:
    """lineal.extract.sql      lineal, lineal.extract and lineal.extract.sql"""
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts) + 1)]


def imported(file: Path) -> Iterator[str]:
    """The names that a file imports at its top, without those for type checkers."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)

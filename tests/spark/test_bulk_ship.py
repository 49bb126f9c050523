"""What `lineal pipeline` sends to executors is all that the code they load imports."""

from __future__ import annotations

import ast
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from lineal.spark.pipeline import ship

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

"""Which Python files are tests: they read fixtures, and not the tables of production."""

from __future__ import annotations

from pathlib import Path

TESTS = "tests"
PYTHON_ENDINGS = (".py", ".ipynb")


def is_python_test(file: Path) -> bool:
    """tests/…/*.py, test_*.py, *_test.py, conftest.py"""
    if file.suffix.lower() not in PYTHON_ENDINGS:
        return False

    return TESTS in file.parts[:-1] or is_test_name(file.name)


def is_test_name(name: str) -> bool:
    """Tell whether pytest would collect a file of this name."""
    stem = name.partition(".")[0]
    return stem.startswith("test_") or stem.endswith("_test") or stem == "conftest"

"""Editors that ask the language server; without the extra `lsp` these tests are skipped."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

collect_ignore_glob = [] if find_spec("pygls") and find_spec("pytest_lsp") else ["test_*.py"]


@pytest.fixture
def jaffle(tmp_path: Path) -> Path:
    """A copy of the dbt project of the examples, which a test may edit."""
    return Path(shutil.copytree(EXAMPLES / "jaffle", tmp_path / "jaffle"))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A copy of the sample project, which a test may edit."""
    return Path(shutil.copytree(EXAMPLES / "shop", tmp_path / "shop"))

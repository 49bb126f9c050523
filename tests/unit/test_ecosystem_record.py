"""The recorded figures of public repositories, and how a new run is compared with them."""

from __future__ import annotations

import importlib.util
import json
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
RECORDED: dict[str, dict[str, Any]] = json.loads((BENCH / "ecosystem.json").read_text("utf-8"))
NOT_SQL = {"python", "unknown"}


@pytest.fixture(scope="module")
def check() -> ModuleType:
    """The module of the ecosystem check."""
    spec = importlib.util.spec_from_file_location("ecosystem", BENCH / "ecosystem.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_many_repositories_of_many_dialects_are_recorded() -> None:
    dialects = {name for found in RECORDED.values() for name in found["dialects"]} - NOT_SQL
    assert len(RECORDED) >= 25
    assert len(dialects) >= 8


@pytest.mark.parametrize("name", RECORDED)
def test_no_repository_fails(name: str) -> None:
    found = RECORDED[name]
    assert found["repository"] == name and name.count("/") == 1
    assert found["exit"] == 0 and found["internal_errors"] == 0
    for chain in ("files", "statements", "columns"):
        assert all(before >= after for before, after in pairwise(in_order(chain, found[chain])))


def in_order(chain: str, numbers: dict[str, int]) -> list[int]:
    """The numbers of a chain of the ledger, the largest first."""
    steps = {
        "files": ("found", "due", "read", "rendered"),
        "statements": ("found", "parsed", "evaluated"),
        "columns": ("named", "resolved"),
    }
    return [numbers[step] for step in steps[chain]]


def test_a_run_is_compared_with_the_record(check: ModuleType) -> None:
    name, before = next(iter(RECORDED.items()))
    assert check.changes_of(before, before) == []
    assert check.changes_of(before, None) == ["not recorded"]
    worse = before | {"edges": before["edges"] - 1, "cpu": 99.0}
    assert check.changes_of(worse, before) == [f"edges: {before['edges']} → {before['edges'] - 1}"]
    assert check.row_of(before).startswith(name)

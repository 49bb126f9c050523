"""bench/kinds.py: what a light scan counts as due, and whether lineal has it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import kinds  # noqa: E402


def test_the_sample_repository_is_whole(tmp_path: Path) -> None:
    checkout = tmp_path / "lineal+bakery"
    shutil.copytree(ROOT / "examples" / "bakery", checkout)
    due, missing, wrong = kinds.measure(checkout)
    assert {(unit.kind, unit.name) for unit in due} >= {
        ("sqlmesh", "staging.orders"),
        ("sqlmesh", "mart.revenue"),
        ("dataform", "shops"),
    }
    assert {unit.kind for unit in due} >= {"sqlmesh", "dataform", "call"}
    assert not missing
    assert not wrong


def test_due_files() -> None:
    assert kinds.selects_columns("INSERT INTO m SELECT a FROM t")
    assert kinds.selects_columns("UPDATE m SET a = t.a FROM t")
    assert not kinds.selects_columns("SELECT COUNT(*), 1 FROM t")
    assert not kinds.selects_columns("DELETE FROM t WHERE a = 1")
    assert not kinds.selects_columns("SELECT EXTRACT(YEAR FROM CURRENT_DATE)")
    assert kinds.selects_only_stars("SELECT * FROM t")
    assert not kinds.selects_only_stars("SELECT *, a + b AS c FROM t")


def test_a_loss_is_counted(tmp_path: Path) -> None:
    (tmp_path / "dag.py").write_text(
        "PostgresOperator(task_id='a', sql='SELECT x FROM t')\n"
        "PostgresOperator(task_id='b', sql=build())\n"
        "PostgresOperator(task_id='c', sql='sql/gone.sql')\n"
        "PostgresOperator(task_id='d', sql='DROP TABLE t')\n"
    )
    due = list(kinds.python_units(tmp_path))
    assert [(unit.name, unit.untold) for unit in due] == [
        ("a", ""),
        ("b", "computed"),
        ("c", "elsewhere"),
    ]
    found = kinds.Sum()
    found.add(due, due)
    assert (found.due, found.held, found.share) == (3, 0, 0.0)

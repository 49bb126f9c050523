"""Coverage: what it counts, and --fail-under."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import lineal
from lineal.cli import main
from lineal.model.extraction import Coverage


def run(text: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["lineage", "-", *arguments], input=text)


AMBIGUOUS = "SELECT a, t.b, t.c FROM t JOIN u ON t.id = u.id"
OPEN = "CREATE VIEW v AS SELECT * FROM t WHERE t.a > 1"
BROKEN = "SELECT a FROM t; SELEC b FROM t"


@pytest.mark.parametrize(
    ("text", "percent"),
    [("SELECT a FROM t", 100), (AMBIGUOUS, 80), (OPEN, 50), (BROKEN, 50), ("", 100)],
)
def test_the_share_that_is_resolved(text: str, percent: float) -> None:
    made = json.loads(run(text, "--output", "json").stdout)["coverage"]
    assert made["percent"] == percent


def test_a_star_over_an_unknown_table_counts_as_one_column_that_is_not_resolved() -> None:
    made = json.loads(run(OPEN, "--output", "json").stdout)["coverage"]["columns"]
    assert made == {"total": 1, "resolved": 1, "ambiguous": 0, "unresolved": 0, "open": 1}
    assert "50 % of 2 columns resolved (1 open)" in run(OPEN).stderr


def test_a_star_that_is_known_is_not_open() -> None:
    found = lineal.lineage("CREATE TABLE t (a INT, b INT); CREATE VIEW v AS SELECT * FROM t")
    assert (found.coverage.open, found.coverage.percent) == (0, 100)


@pytest.mark.parametrize(("least", "code"), [("80", 0), ("80.1", 1), ("100", 1), ("0", 0)])
def test_fail_under(least: str, code: int) -> None:
    result = run(AMBIGUOUS, "--fail-on", "never", "--fail-under", least)
    assert result.exit_code == code
    assert ("coverage is below" in result.stderr) == bool(code)


def test_fail_under_says_both_shares_also_the_second_time() -> None:
    for _ in range(2):
        result = run(BROKEN, "--fail-on", "never", "--fail-under", "95")
        assert (
            "coverage is below 95 %: 50 % of the statements, 100 % of the columns resolved"
            in result.stderr
        )
        assert result.exit_code == 1


@pytest.mark.parametrize("least", ["-1", "101", "many"])
def test_a_bound_that_is_no_share_is_a_mistake(least: str) -> None:
    result = run("SELECT 1", "--fail-under", least)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_a_hundred_percent_is_said_only_where_nothing_is_missing() -> None:
    assert Coverage(1, 1, 1, 10_000, ambiguous=1).column_percent == 99.9
    assert Coverage().percent == 100


def test_a_saved_lineage_keeps_its_coverage(tmp_path: Path) -> None:
    file = tmp_path / "x.lineal.json"
    run(OPEN, "--save", str(file))
    assert lineal.lineage(file).coverage == Coverage(1, 1, 1, 1, 0, 0, 1)

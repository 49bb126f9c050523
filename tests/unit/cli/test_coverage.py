"""Coverage: the ledger's three chains, its one percentage, and --fail-under."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import lineal
from lineal.cli import main
from lineal.model.ledger import Columns, Coverage, Files, Statements


def run(text: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["lineage", "-", *arguments], input=text)


def ledger(text: str, *arguments: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(run(text, *arguments, "--output", "json").stdout)["coverage"]
    return made


AMBIGUOUS = "SELECT a, t.b, t.c FROM t JOIN u ON t.id = u.id"
OPEN = "CREATE VIEW v AS SELECT * FROM t WHERE t.a > 1"
BROKEN = "SELECT a FROM t; SELEC b FROM t"
BOTH = f"{AMBIGUOUS}; SELEC b FROM t"


@pytest.mark.parametrize(
    ("text", "percent"),
    [
        ("SELECT a FROM t", 100),
        ("SELECT 1", 100),
        (AMBIGUOUS, 80),
        (OPEN, 50),
        (BROKEN, 50),
        (BOTH, 40),
        ("", None),
        (" \n", None),
    ],
)
def test_the_percentage_is_the_product_of_three_shares(text: str, percent: float | None) -> None:
    assert ledger(text)["percent"] == percent


def test_an_open_star_is_a_column_that_is_not_resolved() -> None:
    assert ledger(OPEN)["columns"] == {
        "named": 2,
        "resolved": 1,
        "left_out": [{"stage": "resolved", "reason": "open", "count": 1}],
    }
    said = "coverage 50 %: 1 file, 1 statement, 1 of 2 columns resolved (1 open)"
    assert said in run(OPEN).stderr


def test_a_star_that_is_known_is_not_open() -> None:
    found = lineal.lineage("CREATE TABLE t (a INT, b INT); CREATE VIEW v AS SELECT * FROM t")
    assert (found.coverage.columns.open, found.coverage.percent) == (0, 100)


def test_a_column_that_only_a_run_knows_is_not_resolved() -> None:
    made = ledger("CREATE VIEW v AS SELECT {{ unknown_macro() }} AS a, b FROM t")
    assert made["percent"] < 100


def test_a_file_that_cannot_be_read_lowers_the_percentage(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT a FROM t")
    (tmp_path / "b.sql").write_bytes(b"\x00\x01\x02\xff" * 100)
    result = CliRunner().invoke(main, ["lineage", str(tmp_path), "--output", "json"])
    made = json.loads(result.stdout)["coverage"]
    assert made["percent"] == 50
    files = made["files"]
    assert (files["found"], files["due"], files["read"], files["rendered"]) == (2, 2, 1, 1)
    (lost,) = files["left_out"]
    assert (lost["stage"], lost["reason"], lost["count"]) == ("read", "not text", 1)
    assert lost["examples"][0].endswith("b.sql")


def test_each_number_is_at_most_the_one_before_it(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(f"{BOTH}; {OPEN}; ANALYZE EVERYTHING NOW;")
    (tmp_path / "b.sql").write_bytes(b"\x00\x01\x02\xff" * 100)
    (tmp_path / "notes.txt").write_text("nothing")
    result = CliRunner().invoke(main, ["lineage", str(tmp_path), "--output", "json"])
    made = json.loads(result.stdout)["coverage"]
    share = 1.0
    for name, chain in made.items():
        if name == "percent":
            continue
        stages = [stage for stage in chain if stage != "left_out"]
        for before, after in pairwise(stages):
            lost = sum(each["count"] for each in chain["left_out"] if each["stage"] == after)
            assert chain[before] - chain[after] == lost
        due = chain["due"] if name == "files" else chain[stages[0]]
        share *= chain[stages[-1]] / due
    assert made["percent"] == int(share * 1000) / 10 < 100


@pytest.mark.parametrize(("least", "code"), [("80", 0), ("80.1", 1), ("100", 1), ("0", 0)])
def test_fail_under(least: str, code: int) -> None:
    result = run(AMBIGUOUS, "--fail-on", "never", "--fail-under", least)
    assert result.exit_code == code
    assert ("coverage is below" in result.stderr) == bool(code)


def test_fail_under_says_the_percentage_also_the_second_time() -> None:
    for _ in range(2):
        result = run(BROKEN, "--fail-on", "never", "--fail-under", "95")
        assert "coverage is below 95 %: it is 50 %" in result.stderr
        assert result.exit_code == 1


def test_an_empty_input_fails_any_bound(tmp_path: Path) -> None:
    for arguments in (["-"], [str(tmp_path)]):
        arguments = ["lineage", *arguments, "--fail-on", "never", "--fail-under", "0"]
        result = CliRunner().invoke(main, arguments, input="")
        assert "coverage is below 0 %: no file is due, so there is no percentage" in result.stderr
        assert result.exit_code == 1


@pytest.mark.parametrize("least", ["-1", "101", "many"])
def test_a_bound_that_is_not_a_share_is_a_mistake(least: str) -> None:
    result = run("SELECT 1", "--fail-under", least)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_a_hundred_percent_means_that_nothing_is_missing() -> None:
    coverage = Coverage(Files(1), Statements(1))
    coverage.columns.count(10_000, ambiguous=1)
    assert coverage.percent == 99.9
    assert Coverage().percent is None
    assert Coverage(Files(1)).percent == 100


def test_a_saved_lineage_keeps_its_ledger(tmp_path: Path) -> None:
    file = tmp_path / "x.lineal.json"
    run(OPEN, "--save", str(file))
    expected = Coverage(Files(1), Statements(1), Columns(2))
    expected.columns.lose("resolved", "open")
    assert lineal.lineage(file).coverage == expected


def test_a_lineage_that_a_former_version_saved_has_a_percentage() -> None:
    former = {"read": 4, "parsed": 3, "resolved": 2, "references": 9, "ambiguous": 1, "open": 1}
    made = Coverage.from_json(former)
    assert made.percent == 40
    assert (made.statements.parsed, made.statements.evaluated) == (3, 2)


@pytest.mark.parametrize(
    "damaged",
    [
        {"read": "many"},
        {"read": -1},
        {"other": 1},
        {"files": 3},
        {"files": {"found": 1, "left_out": [{"stage": "x", "reason": "y", "count": 1}]}},
        [],
        None,
    ],
)
def test_a_ledger_that_is_damaged_is_a_value_error(damaged: Any) -> None:
    with pytest.raises(ValueError):
        Coverage.from_json(damaged)


# -- whatever costs a result lowers the percentage -------------------------------------------------

PROJECT = {
    "lineal.yml": "name: shop\n",
    "nodes/a/a.sql": "SELECT x FROM t",
    "nodes/a/a.yml": "name: a\n",
}
EVENT = {
    "eventType": "COMPLETE",
    "eventTime": "2024-01-01T00:00:00Z",
    "producer": "https://example.org",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {"runId": "0190c0de-0000-7000-8000-000000000000"},
    "job": {"namespace": "n", "name": "j"},
    "inputs": [{"namespace": "n", "name": "t"}],
    "outputs": [{"namespace": "n", "name": "o"}],
}
COSTS: dict[str, tuple[dict[str, str], str, float | None]] = {
    "nothing": (PROJECT, "", 100),
    "a value of another type": ({**PROJECT, "nodes/a/a.yml": "name: a\ncolumns: 5\n"}, "yaml-type", 66.6),
    "a file that is no YAML": ({**PROJECT, "nodes/a/a.yml": "name: [a\n"}, "yaml-error", 66.6),
    "a node without its SQL": ({**PROJECT, "nodes/b/b.yml": "name: b\n"}, "missing-sql", 75),
    "a folder that is not there": ({**PROJECT, "lineal.yml": "nodes: o\n"}, "unreadable", 50),
    "a function without a body": (
        {**PROJECT, "nodes/f/f.sql": "/", "nodes/f/f.yml": "kind: function\nname: f\n"}, "parse-error", 50,
    ),
    "rows of a log": ({"q.jsonl": '{"query": "SELECT a FROM t"}\n{"query": 5}\nno\n{}\n'}, "log-row", 25),
    "a part of the events": ({"e.ndjson": json.dumps(EVENT) + "\n[1]\n"}, "event-error", 50),
    "no node at all": ({"lineal.yml": "name: shop\n"}, "no-input", None),
    "no model at all": ({"dbt_project.yml": "name: shop\nversion: 1\n"}, "no-input", None),
}  # fmt: skip


@pytest.mark.parametrize("name", list(COSTS))
def test_a_lost_result_lowers_the_percentage(tmp_path: Path, name: str) -> None:
    files, code, percent = COSTS[name]
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, "utf-8")
    log = tmp_path / "q.jsonl"
    path = log if log.exists() else tmp_path
    found = lineal.lineage(path)
    assert {each.code.code for each in found.diagnostics} == ({code} if code else set())
    assert found.coverage.percent == percent
    if percent != 100:
        result = CliRunner().invoke(main, ["lineage", str(path), "--fail-under", "100"])
        assert result.exit_code == 1


def test_texts_that_are_executed_count_once() -> None:
    text = "BEGIN\n  EXECUTE IMMEDIATE 'INSERT INTO t (x) SELECT y FROM s';\nEND;\n/\n"
    result = CliRunner().invoke(main, ["lineage", "-", "--dialect", "oracle"], input=text)
    assert "coverage 100 %: 1 file, 1 statement, 1 column; 1 + 0 edges" in result.stderr

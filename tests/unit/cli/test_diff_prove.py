"""`lineal diff --prove`: rows that differ, and what cannot be decided."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main
from lineal.extract.sql.runnable import runnable_query
from lineal.prove import experiment
from lineal.prove.engine import Engine, Refused

SCHEMA = "CREATE TABLE orders (id INT, customer INT, amount INT, status TEXT, day DATE);"


def compared(
    tmp_path: Path, before: str, after: str, *options: str, dialect: str = "duckdb"
) -> Result:
    """Compare two folders that hold a view each."""
    for name, query in (("before", before), ("after", after)):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "schema.sql").write_text(SCHEMA)
        (folder / "paid.sql").write_text(f"CREATE VIEW paid AS {query}")
    sides = [str(tmp_path / "before"), str(tmp_path / "after")]
    return CliRunner().invoke(main, ["diff", *sides, "--prove", "--dialect", dialect, *options])


def outcome(result: Result) -> dict[str, Any]:
    """Return the experiment of the only finding."""
    assert result.exit_code in (0, 1), result.output
    findings = json.loads(result.stdout)["findings"]
    assert len(findings) == 1
    found: dict[str, Any] = findings[0]["experiment"]
    return found


def run_rows(found: dict[str, Any], query: str) -> list[tuple[Any, ...]]:
    """Run a version over the tables of a witness, apart from lineal."""
    import duckdb

    database = duckdb.connect()
    for table in found["tables"]:
        database.execute(SCHEMA)
        for row in table["rows"]:
            marks = ", ".join("?" for _ in row)
            names = ", ".join(table["columns"])
            database.execute(f"INSERT INTO {table['name']} ({names}) VALUES ({marks})", row)
    return sorted(database.execute(query).fetchall(), key=repr)


def test_a_refutation_shows_rows_that_differ(tmp_path: Path) -> None:
    before = "SELECT customer, amount FROM orders WHERE status = 'paid'"
    after = "SELECT customer, amount FROM orders WHERE status <> 'open'"
    found = outcome(compared(tmp_path, before, after, "--output", "json"))
    assert found["outcome"] == "refuted"
    assert found["columns"] == ["customer", "amount"]
    one, other = run_rows(found, before), run_rows(found, after)
    assert one != other
    only = [list(row) for row in one if row not in other]
    assert only == [row for row in found["only_before"] if row in only]


def test_the_witness_is_small_and_readable(tmp_path: Path) -> None:
    result = compared(
        tmp_path,
        "SELECT DISTINCT customer FROM orders",
        "SELECT customer FROM orders",
    )
    lines = result.stdout.splitlines()
    start = lines.index("  refuted: the versions return different rows")
    assert lines[start + 1] == "    orders (id, customer, amount, status, day)"
    assert len([each for each in lines[start + 2 :] if each.startswith("      (")]) == 3
    assert "    only after (customer)" in lines


def test_markdown_has_the_rows_in_a_block(tmp_path: Path) -> None:
    result = compared(
        tmp_path,
        "SELECT sum(amount) AS s FROM orders",
        "SELECT max(amount) AS s FROM orders",
        "--output",
        "markdown",
    )
    assert "<summary>1 statement run over random tables</summary>" in result.stdout
    assert "paid: refuted: the versions return different rows" in result.stdout


def test_another_literal_is_found_at_its_border(tmp_path: Path) -> None:
    found = outcome(
        compared(
            tmp_path,
            "SELECT id FROM orders WHERE amount > 1000",
            "SELECT id FROM orders WHERE amount >= 1000",
            "--output",
            "json",
        )
    )
    assert found["outcome"] == "refuted"


def test_proven_statements_are_not_run(tmp_path: Path) -> None:
    result = compared(
        tmp_path,
        "SELECT id FROM (SELECT * FROM orders WHERE amount > 1) o",
        "SELECT id FROM orders WHERE 1 < amount",
        "--output",
        "json",
    )
    assert json.loads(result.stdout)["findings"] == []
    assert json.loads(result.stdout)["verdict"] == "SAFE"


def test_no_rows_prove_nothing(tmp_path: Path) -> None:
    result = compared(
        tmp_path,
        "SELECT amount + 0 AS a FROM orders",
        "SELECT amount * 1 AS a FROM orders",
        "--output",
        "json",
        "--fail-on",
        "review",
    )
    assert outcome(result)["outcome"] == "not refuted"
    assert result.exit_code == 1  # REVIEW is kept


def test_a_result_that_depends_on_the_order_of_rows_is_not_decided(tmp_path: Path) -> None:
    found = outcome(
        compared(
            tmp_path,
            "SELECT random() AS r FROM orders",
            "SELECT random() + 1 AS r FROM orders",
            "--output",
            "json",
        )
    )
    assert found["outcome"] == "undecided"
    assert "order of rows" in found["note"]


def test_an_engine_that_refuses_is_quoted(tmp_path: Path) -> None:
    found = outcome(
        compared(
            tmp_path,
            "SELECT my_own_function(amount) AS a FROM orders",
            "SELECT my_own_function(id) AS a FROM orders",
            "--output",
            "json",
        )
    )
    assert found["outcome"] == "undecided"
    assert found["note"].startswith("DuckDB refuses it:")
    assert "my_own_function" in found["note"]


def test_another_dialect_is_translated(tmp_path: Path) -> None:
    found = outcome(
        compared(
            tmp_path,
            "SELECT `id`, IFNULL(amount, 0) AS a FROM orders",
            "SELECT `id`, IFNULL(amount, 1) AS a FROM orders",
            "--output",
            "json",
            dialect="bigquery",
        )
    )
    assert found["outcome"] == "refuted"


def test_the_time_is_limited() -> None:
    ctes = ["w0 AS (SELECT * FROM range(1000) r(n))"]
    ctes += [f"w{n} AS (SELECT a.n FROM w{n - 1} a, w{n - 1} b)" for n in range(1, 4)]
    slow = f"WITH {', '.join(ctes)} SELECT count(*) AS c FROM w3, o"
    slow = slow.replace("range(1000) r(n)", "(SELECT unnest(generate_series(1, 1000)) AS n)")
    before, after = (
        runnable_query(slow, "duckdb"),
        runnable_query(slow.replace("count(*)", "max(w3.n)"), "duckdb"),
    )
    found = experiment(before, after, {"o": {"x": "number"}}, 0.5)
    assert (found.outcome.value, found.note) == ("undecided", "not decided in 0.5 seconds")


@pytest.mark.parametrize(
    "query",
    ["SELECT * FROM '/etc/passwd'", "SELECT * FROM read_text('/etc/passwd')", "COPY (SELECT 1) TO '/tmp/x'",
     "INSTALL httpfs", "SET enable_external_access = true", "ATTACH '/tmp/other.db'"],
)  # fmt: skip
def test_the_engine_reaches_nothing(query: str) -> None:
    engine = Engine(5)
    with pytest.raises(Refused):
        engine.run(query)
    engine.close()


def test_without_duckdb_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lineal.cli.source.find_spec", lambda name: None)
    result = CliRunner().invoke(main, ["diff", str(tmp_path), str(tmp_path), "--prove"])
    assert result.exit_code == 2
    assert "pip install 'lineal[prove]'" in result.output


def test_revisions_are_proven_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    model = tmp_path / "paid.sql"
    model.write_text("CREATE VIEW paid AS SELECT id FROM orders WHERE amount > 1")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *arguments], check=True)
    model.write_text("CREATE VIEW paid AS SELECT id FROM orders WHERE amount > 2")
    result = CliRunner().invoke(main, ["diff", "HEAD", "--prove", "--output", "json"])
    assert outcome(result)["outcome"] == "refuted"

"""lineage -n X lists the diagnostics of what X depends on; the others are one line with a count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main

AMBIGUOUS = "CREATE VIEW {} AS SELECT x FROM t JOIN u ON t.id = u.id"
OTHERS = "1 warning in other datasets (--all-diagnostics lists them)"


def run(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["lineage", str(folder), *arguments])


def listed(result: Result) -> list[str]:
    """The files of the diagnostics, in order."""
    lines = result.stderr.splitlines()
    found = (line.partition(": ") for line in lines if "error[" in line or "warning[" in line)
    return [Path(where.partition(":")[0]).name for where, _, _ in found]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """b reads a, which has a diagnostic; so has c, which nobody reads."""
    (tmp_path / "a.sql").write_text(AMBIGUOUS.format("a"), "utf-8")
    (tmp_path / "b.sql").write_text("CREATE VIEW b AS SELECT x FROM a", "utf-8")
    (tmp_path / "c.sql").write_text(AMBIGUOUS.format("c"), "utf-8")
    return tmp_path


def test_without_a_question_everything_is_listed(folder: Path) -> None:
    result = run(folder)
    assert listed(result) == ["a.sql", "c.sql"]
    assert "other datasets" not in result.stderr


@pytest.mark.parametrize(
    "question", [["-n", "b"], ["+b"], ["b.x"], ["-n", "b", "--column", "x"], ["-n", "b", "--level", "table"]]
)  # fmt: skip
def test_diagnostics_are_those_of_the_upstream_datasets(folder: Path, question: list[str]) -> None:
    result = run(folder, *question)
    assert listed(result) == ["a.sql"]
    assert OTHERS in result.stderr.splitlines()


def test_downstream_diagnostics_of_shown_datasets_are_listed(folder: Path) -> None:
    (folder / "d.sql").write_text("CREATE VIEW d AS SELECT b.x, y FROM b, k, l", "utf-8")
    assert listed(run(folder, "b.x+")) == ["a.sql", "d.sql"]


def test_all_diagnostics_are_listed_on_request(folder: Path) -> None:
    result = run(folder, "-n", "b", "--all-diagnostics")
    assert listed(result) == ["a.sql", "c.sql"]
    assert "other datasets" not in result.stderr


def test_a_read_without_a_column_is_a_dependency(folder: Path) -> None:
    (folder / "d.sql").write_text(
        "CREATE VIEW d AS SELECT k FROM s WHERE EXISTS (SELECT 1 FROM b)", "utf-8"
    )
    assert listed(run(folder, "-n", "d")) == ["a.sql"]


def test_statements_of_one_file_are_distinguished(tmp_path: Path) -> None:
    texts = [AMBIGUOUS.format("a"), "CREATE VIEW b AS SELECT x FROM a", AMBIGUOUS.format("c")]
    (tmp_path / "all.sql").write_text(";\n".join(texts), "utf-8")
    result = run(tmp_path, "-n", "b")
    assert "all.sql:1:" in result.stderr and "all.sql:3:" not in result.stderr
    assert OTHERS in result.stderr


def test_a_statement_that_cannot_be_read_may_write_anything_in_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("CREATE VIEW a AS SELECT x FROM t;\nINSERT a SELEC 1", "utf-8")
    (tmp_path / "c.sql").write_text("CREATE VIEW c AS SELECT x FROM t;\nINSERT c SELEC 1", "utf-8")
    assert listed(run(tmp_path, "-n", "a")) == ["a.sql"]


def test_a_file_that_cannot_be_read_and_has_the_name_of_a_dependency(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELEC x FRM t WHERE GROUP", "utf-8")
    (tmp_path / "b.sql").write_text("CREATE VIEW b AS SELECT x FROM a", "utf-8")
    (tmp_path / "c.sql").write_text("SELEC x FRM t WHERE GROUP", "utf-8")
    result = run(tmp_path, "-n", "b")
    assert listed(result) == ["a.sql"]
    assert "1 error in other datasets (--all-diagnostics lists them)" in result.stderr


def test_a_program_is_concerned_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(
        "import sys\n"
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\n"
        "spark.table('s').write.saveAsTable('first')\n"
        "df = spark.table(sys.argv[1])\n"
        "df.write.saveAsTable('second')\n",
        "utf-8",
    )
    (tmp_path / "c.sql").write_text(AMBIGUOUS.format("c"), "utf-8")
    result = run(tmp_path, "-n", "second")
    assert "job.py:5" in result.stderr and "c.sql" not in result.stderr


def test_the_exit_code_and_the_document_are_those_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("CREATE VIEW a AS SELECT x FROM t", "utf-8")
    (tmp_path / "c.sql").write_text("SELEC x FRM t WHERE GROUP", "utf-8")
    result = run(tmp_path, "-n", "a", "--output", "json")
    assert result.exit_code == 1
    assert [found["code"] for found in json.loads(result.stdout)["diagnostics"]] == ["parse-error"]
    assert result.stderr.splitlines() == [
        "1 error in other datasets (--all-diagnostics lists them)"
    ]


def test_the_cache_answers_the_same(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAL_CACHE", str(tmp_path / "cache"))
    first, second = run(folder, "-n", "b"), run(folder, "-n", "b")
    assert first.stderr == second.stderr and OTHERS in second.stderr

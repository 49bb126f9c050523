"""lineal pipeline: what it says, and what it says of mistakes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from logbook import facts, rows, write_json

import lineal
from lineal.cli import main
from lineal.spark.pipeline import ship
from lineal.spark.pipeline import stages as bulk_pipeline
from lineal.store.lineage import open_store

LOGS = Path(__file__).parents[1] / "data" / "logs"


@pytest.fixture
def pipeline(spark: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    @contextmanager
    def started(*_: object) -> Iterator[Any]:
        yield spark

    monkeypatch.setattr(ship, "start_session", started)

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["pipeline", *arguments])

    return run


def test_the_summary_counts_statements_and_edges(pipeline: Any, tmp_path: Path) -> None:
    done = pipeline(
        str(LOGS / "snowflake.csv"), "--preset", "snowflake", "--out", str(tmp_path / "out")
    )
    assert done.exit_code == 0, done.output
    said = [line for line in done.output.splitlines() if "per second" not in line]
    assert said == [
        "4 rows, 2 texts, 2 statements: 2.0 rows per statement",
        "2 statements read in this run, 2 of them by the driver",
        "coverage 66.6 %: 1 file, 2 of 3 statements evaluated (1 log-row), 5 columns",
        f"5 edges between 5 columns in {tmp_path / 'out'}",
        "7 pairs in the closure, by tracing",
        "quarantine: 1 rows, did not succeed",
        "quarantine: 1 rows, no statement",
    ]


def test_into_a_store(pipeline: Any, tmp_path: Path) -> None:
    log, store = write_json(tmp_path / "log.jsonl", rows(30)), str(tmp_path / "lineal.store.db")
    done = pipeline(
        log,
        "--out",
        str(tmp_path / "out"),
        "--store",
        store,
        "--namespace",
        "shop",
        "--output",
        "json",
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["rows"] == 30
    with open_store(store) as opened:
        assert facts(opened.extraction("shop").edges) == facts(lineal.lineage(log).edges)


def test_a_folder_of_scripts(pipeline: Any, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a.sql").write_text("CREATE VIEW a AS SELECT x FROM t")
    (tmp_path / "models" / "b.py").write_text(
        'spark.table("a").withColumn("y", F.col("x") + 1).write.saveAsTable("b")\n'
    )
    done = pipeline(str(tmp_path / "models"), "--out", str(tmp_path / "out"), "--output", "json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.output)
    assert said["edges"] == len(lineal.lineage(tmp_path / "models").edges) > 0
    assert (said["files"], said["rows"], said["statements"]) == (2, 0, 2)
    lines = pipeline(str(tmp_path / "models"), "--out", str(tmp_path / "out")).output.splitlines()
    assert lines[:2] == [
        "2 files, 2 statements",
        "1 file read in this run, 1 of them by the driver",
    ]  # the program
    assert lines[2].endswith(" statements per second")


def test_a_run_that_fails_leaves_no_store(pipeline: Any, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("a,b\n1,2\n")
    done = pipeline(
        str(tmp_path / "log.csv"),
        "--out",
        str(tmp_path / "out"),
        "--store",
        str(tmp_path / "lineal.db"),
    )
    assert done.exit_code == 2 and "no column is known to hold statements" in done.output
    assert not list(tmp_path.glob("lineal.db*"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("no-such-log", "--out", "o"), "Error: no such file or folder: no-such-log\n"),
        (
            (f"{LOGS}/*.pdf", "--out", "o"),
            f"Error: no file or folder is called like {LOGS}/*.pdf\n",
        ),
        (
            ("a/{b,c}/*.csv", "--out", "o"),
            "Error: no file or folder is called like a/{b,c}/*.csv\n",
        ),
        (
            (str(LOGS), "--out", "o", "--preset", "oracle"),
            "Error: no preset oracle: choose one of snowflake, bigquery, ",
        ),
        (
            (str(LOGS), "--out", "o"),
            f"Error: {LOGS} has csv and json files: choose one with --format\n",
        ),
        (
            (str(LOGS / "redshift.csv"), "--out", "o", "--dialect", "klingon"),
            "Error: unknown dialect 'klingon'",
        ),
        (
            (str(LOGS / "redshift.csv"), "--out", "o", "--conf", "x"),
            "Error: --conf x: write key=value\n",
        ),
    ],
)
def test_mistakes(
    pipeline: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: Any, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = pipeline(*arguments)
    assert done.exit_code == 2 and done.output.startswith(says), done.output


def test_names_with_patterns(pipeline: Any, tmp_path: Path) -> None:
    """A pattern that the shell has left alone; each kind of file is read as if it were named."""
    for day in ("may", "june", "[x]"):
        (tmp_path / "logs" / day).mkdir(parents=True)
        write_json(tmp_path / "logs" / day / "a.jsonl", rows(7))
        (tmp_path / "logs" / day / "b.csv").write_text(
            'query_text\n"SELECT a FROM t\nSELECT b FROM t\n'
        )

    def counted(pattern: str) -> list[int]:
        done = pipeline(
            f"{tmp_path}/logs/{pattern}",
            "--out",
            str(tmp_path / "out"),
            "--output",
            "json",
            "--fresh",
        )
        assert done.exit_code == 0, done.output
        return [json.loads(done.output)[part] for part in ("rows", "statements")]

    assert counted("*/a.jsonl") == [21, 7]
    assert counted("{may,june}/*.jsonl") == [14, 7]
    assert counted("**/*.csv") == [6, 1]  # a quote that is never closed, as on one machine
    assert counted("[[]x]/a.*l") == counted("[x]/a.jsonl") == [7, 7]


def test_the_namespace_of_a_pattern(pipeline: Any, tmp_path: Path) -> None:
    (tmp_path / "shop" / "2026").mkdir(parents=True)
    write_json(tmp_path / "shop" / "2026" / "a.jsonl", rows(7))
    store = str(tmp_path / "lineal.store.db")
    done = pipeline(f"{tmp_path}/shop/2*/*.jsonl", "--out", str(tmp_path / "out"), "--store", store)
    assert done.exit_code == 0, done.output
    with open_store(store) as opened:
        assert opened.namespaces() == ["shop"]


@pytest.mark.parametrize(
    ("store", "says"),
    [
        ("no/such/folder/store.db", "Error: store no/such/folder/store.db: it cannot be opened"),
        ("other.db", "Error: other.db is an SQLite database, but no store of lineal's"),
        ("mysql://host/db", "Error: mysql:// is not a store: name a file, or postgresql://…"),
        (
            "postgresql://ann:secret@127.0.0.1:1/shop",
            "Error: store postgresql://ann@127.0.0.1:1/shop: the server",
        ),
    ],
)
def test_a_store_that_takes_nothing(
    pipeline: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: str, says: str
) -> None:
    """It is reported before anything is done."""
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("other.db") as other:
        other.execute("CREATE TABLE t (a)")
    monkeypatch.setattr(bulk_pipeline, "Run", None)  # whoever starts to work fails
    done = pipeline(write_json(tmp_path / "log.jsonl", rows(3)), "--out", "out", "--store", store)
    assert done.exit_code == 2 and done.output.startswith(says), done.output
    assert done.output.count("\n") == 1 and not (tmp_path / "out").exists()

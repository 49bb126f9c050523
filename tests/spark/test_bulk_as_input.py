"""The folder that the pipeline wrote is an input: every command finds in it what it finds in the
log.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from logbook import facts, rows, write_json

import lineal
from lineal.cli import main
from lineal.model.extraction import Extraction
from lineal.spark.pipeline import Options, run
from lineal.web.data import texts_of

HERE = Path(__file__).resolve().parents[2]
LOGS = ("snowflake.csv", "bigquery.jsonl", "databricks.jsonl", "redshift.csv")

HARD = (
    "CREATE FUNCTION f(x INT) RETURNS INT AS $$ SELECT x + 1 $$ LANGUAGE sql",
    "CREATE TABLE p (id INT, address STRUCT<city: TEXT>)",
    "CREATE VIEW v AS\nSELECT id, f(id) AS g,\n  (address).city AS c FROM p",
    "SELEC x FROM",
    "",
    "SELECT a FROM t1, t2 WHERE b = 1",
    "SELECT * FROM unknown_table u JOIN v ON u.id = v.id",
    "CREATE TEMP TABLE tmp AS SELECT id FROM p; INSERT INTO kept SELECT id FROM tmp WHERE id > 3; SELECT 2",
    "CREATE PROCEDURE pr() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO kept SELECT id FROM p; "
    "DELETE FROM kept WHERE id = 1; END $$",
    "UPDATE kept SET id = kept.id + p.id FROM p WHERE p.id = kept.id",
    "MERGE INTO kept k USING p ON k.id = p.id WHEN MATCHED THEN UPDATE SET id = p.id",
    "SELECT sum(id) OVER (PARTITION BY id ORDER BY id) AS s, md5(id::text) AS m, count(*) AS n FROM p",
)
"""Procedures, fields, doubts, open stars, temporary tables, a statement that cannot be read, and
one that is none.
"""


@pytest.fixture(scope="module")
def written(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Runs the pipeline over a path once."""
    made: dict[tuple[object, ...], Path] = {}

    def out_of(path: str | Path, dialect: str | None = None, format: str | None = None) -> Path:
        key = (str(path), dialect, format)
        if key not in made:
            made[key] = tmp_path_factory.mktemp("as_input") / "out"
            run(Options((str(path),), made[key], format, dialect=dialect, closure=False), spark)
        return made[key]

    return out_of


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> str:
    log = tmp_path_factory.mktemp("hard") / "log.jsonl"
    times = (f"2026-05-01T00:00:{at:02}Z" for at in range(60))
    said = [
        {"query_text": text, "user_name": "ann", "start_time": at}
        for text, at in zip(HARD, times, strict=False)
    ]
    write_json(log, said)
    with log.open("a", encoding="utf-8") as stream:
        stream.write("no JSON\n")
    return str(log)


def told(found: Extraction) -> dict[str, Any]:
    """All that a lineage says, but for places: those of a log are its lines."""
    return {
        "edges": facts(found.edges),
        "order": [(str(edge.source), str(edge.target)) for edge in found.edges],
        "reads": {
            (str(read.target), str(read.dataset), read.column, read.clause) for read in found.reads
        },
        "datasets": [
            (str(each.dataset), each.kind, each.complete, each.names)
            for each in found.datasets.values()
        ],
        "codes": sorted({each.code.code for each in found.diagnostics}),
        "coverage": found.coverage.to_json(),
        "runs": [each._replace(place=None) for each in found.occurrences],  # type: ignore[arg-type]
        "statements": {
            (str(each.target), each.kind, each.words, each.meaning) for each in found.statements
        },
        "jobs": [(tuple(map(str, job.outputs)), job.sql, job.dialect) for job in found.jobs],
    }


def lineal_command(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


# -- what is read ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*LOGS, "queries.jsonl", "shapes", "hard"])
def test_a_log_and_its_output_say_the_same(
    name: str, written: Callable[..., Path], hard: str, tmp_path: Path
) -> None:
    paths = {name: HERE / "tests" / "data" / "logs" / name for name in LOGS}
    paths["queries.jsonl"], paths["hard"] = HERE / "examples" / "logs" / "queries.jsonl", Path(hard)
    path = paths.get(name) or Path(write_json(tmp_path / "log.jsonl", rows(60)))
    dialect = "postgres" if name == "hard" else "spark"
    found = told(lineal.lineage(path, dialect).extraction)
    assert found["edges"]
    assert told(lineal.lineage(written(path, dialect)).extraction) == found


@pytest.mark.parametrize("name", ["sales", "shop"])
def test_scripts_and_their_output_say_the_same(name: str, written: Callable[..., Path]) -> None:
    path = HERE / "examples" / name
    found, again = lineal.lineage(path), lineal.lineage(written(path, format="files"))
    assert told(again.extraction) == told(found.extraction)
    places = [[usage.place for usage in edge.usages] for edge in found.edges]
    assert [[usage.place for usage in edge.usages] for edge in again.edges] == places
    assert [vars(info) | {"produced": 0} for info in map(settled, again.datasets)] == [
        vars(info) | {"produced": 0} for info in map(settled, found.datasets)
    ]


def settled(info: Any) -> Any:
    """Types that are computed when somebody asks are in no table."""
    plain = [
        column if isinstance(column[1], str) else column.settled._replace(type="")
        for column in info.columns
    ]
    return type(info)(**{**vars(info), "columns": plain})


def test_places_are_lines_of_the_statement(written: Callable[..., Path], hard: str) -> None:
    found = lineal.lineage(written(hard, "postgres"))
    (edge,) = (edge for edge in found.edges if str(edge.target) == "v.c")
    assert edge.place is not None and edge.place.file.startswith("query_")
    assert (edge.place.line, edge.place.column) == (3, 4)
    assert edge.usages[0].expression == "(address).city AS c"
    assert texts_of(found.graph, lambda _: "")[edge.place.file] == HARD[2]
    (wrong,) = (each for each in found.diagnostics if each.code.code == "parse-error")
    assert found.extraction.texts[wrong.place.file] == "SELEC x FROM"  # type: ignore[union-attr]
    left_out = [each.message for each in found.diagnostics if each.code.code == "log-row"]
    assert left_out == [
        "1 row of the log is left out: no statement", "1 row of the log is left out: not readable as a row",
    ]  # fmt: skip


# -- every command ---------------------------------------------------------------------------------


def test_every_command_takes_it(written: Callable[..., Path], tmp_path: Path) -> None:
    log = HERE / "examples" / "logs" / "queries.jsonl"
    out = written(log, "spark")
    dialect = ("--dialect", "spark")
    for command in (("lineage",), ("lineage", "--level", "table"), ("lineage", "--output", "rows")):
        assert (
            lineal_command(*command, out).stdout
            == lineal_command(*command, log, *dialect).stdout
            != ""
        )
    assert (
        lineal_command("lineage", out / "manifest.json").stdout
        == lineal_command("lineage", out).stdout
    )
    reached = lineal_command("impact", "orders.amount", out)
    assert (
        reached.exit_code == 0
        and reached.stdout == lineal_command("impact", "orders.amount", log, *dialect).stdout
    )
    checked = lineal_command("validate", out)
    assert checked.exit_code == lineal_command("validate", log, *dialect).exit_code
    page = tmp_path / "page.html"
    shown = lineal_command("show", out, "--out", page, "--no-open")
    assert shown.exit_code == 0 and page.stat().st_size > 100_000
    times = ("--event-time", "2026-11-16T09:30:00Z", "--to")
    assert "2 events sent" in lineal_command("emit", out, *times, tmp_path / "events.ndjson").stderr
    events = [json.loads(line) for line in (tmp_path / "events.ndjson").read_text().splitlines()]
    assert any("sum(amount)" in event["job"]["facets"]["sql"]["query"] for event in events)
    store = tmp_path / "lineal.store.db"
    loaded = lineal_command("store", "load", out, "--store", store, "--namespace", "history")
    assert loaded.exit_code == 0 and "edges came" in loaded.output
    assert (
        "orders.amount" in lineal_command("store", "query", "+daily.total", "--store", store).output
    )


def test_two_outputs_are_compared(written: Callable[..., Path], tmp_path: Path) -> None:
    before = [
        {
            "query_text": "CREATE TABLE daily AS SELECT day, sum(amount) AS total FROM orders GROUP BY day"
        }
    ]
    after = [{"query_text": before[0]["query_text"].replace("sum(amount)", "sum(amount * rate)")}]
    cosmetic = [{"query_text": before[0]["query_text"].replace("FROM orders", "FROM  orders o")}]
    outs = [
        written(write_json(tmp_path / f"{name}.jsonl", log), "spark")
        for name, log in {"before": before, "after": after, "cosmetic": cosmetic}.items()
    ]
    changed = lineal_command("diff", outs[0], outs[1])
    assert changed.exit_code == 0 and changed.stdout.startswith("REVIEW: 1 finding")
    assert "value-changed total" in changed.stdout
    same = lineal_command("diff", outs[0], outs[2])
    assert same.stdout.startswith("SAFE") and "is written in another way" in same.stdout


def test_it_joins_other_inputs(written: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "best.sql").write_text(
        "CREATE VIEW best AS SELECT total FROM daily", encoding="utf-8"
    )
    out = written(HERE / "examples" / "logs" / "queries.jsonl", "spark")
    found = lineal.lineage([out, tmp_path / "best.sql"])
    assert [str(edge) for edge in found.upstream("best.total")] == [
        "daily.total -> best.total  IDENTITY", "orders.amount -> daily.total  AGGREGATION",
    ]  # fmt: skip


def test_the_answer_is_remembered_by_the_manifest(
    written: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAL_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "out"
    shutil.copytree(written(HERE / "examples" / "logs" / "queries.jsonl", "spark"), out)
    first = lineal_command("lineage", out)
    shutil.rmtree(out / "edges")
    assert lineal_command("lineage", out).stdout == first.stdout != ""
    assert lineal_command("lineage", out, "--no-cache").exit_code == 2


# -- what is wrong with it -------------------------------------------------------------------------


@pytest.fixture
def copied(written: Callable[..., Path], tmp_path: Path) -> Path:
    out = tmp_path / "out"
    shutil.copytree(written(HERE / "examples" / "logs" / "queries.jsonl", "spark"), out)
    return out


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        (
            {"complete": False},
            "is not complete: lineal pipeline is at work on it, or was stopped. Wait for it, or run the",
        ),
        (
            {"format": 1},
            "in format 1, and this lineal reads format 2: write it again with lineal pipeline --fresh",
        ),
        ({"tables": {}}, "does not tell of the tables statements, edges"),
        ({"coverage": None}, "do not fit together"),
    ],
)
def test_a_manifest_that_does_not_fit(copied: Path, said: dict[str, Any], remedy: str) -> None:
    manifest = copied / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | said))
    done = lineal_command("lineage", copied)
    assert done.exit_code == 2 and done.stdout == ""
    assert remedy in done.stderr and done.stderr.count("\n") == 1
    with pytest.raises(lineal.ProjectError, match=remedy[:20]):
        lineal.lineage(copied)


def test_a_table_that_has_been_changed(copied: Path) -> None:
    (copied / "edges" / "level=column" / "part-00001.parquet").write_bytes(b"PAR1")
    done = lineal_command("lineage", copied)
    assert done.exit_code == 2
    assert f"{copied}/edges is not what lineal pipeline has written" in done.stderr


def test_without_pyarrow_the_extra_is_named(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    done = lineal_command("lineage", copied)
    assert done.exit_code == 2
    assert "read with pyarrow: pip install 'lineal[spark]'" in done.stderr


def test_the_manifest_of_dbt_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"metadata": {}, "nodes": {}}')
    done = lineal_command("lineage", tmp_path)
    assert "manifest" in done.stderr and "lineal pipeline" not in done.stderr

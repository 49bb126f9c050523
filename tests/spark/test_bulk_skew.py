"""Logs that are lopsided, and executors that have no disk left."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from logbook import contents, rows, write_json

from lineal.spark.pipeline import BulkError, Options, lending, parts, resolve, run

OFTEN = 200_000


def test_one_statement_many_times(spark: Any, tmp_path: Path) -> None:
    """A row of the log costs the executors a count, and the driver nothing."""
    texts = ["SELECT a FROM s.t", *["INSERT INTO m.often SELECT a, b FROM s.u WHERE c = 1"] * OFTEN]
    users = [f"user{at % 300}" for at in range(OFTEN + 1)]
    times = [f"2026-05-01T10:{at // 60 % 60:02}:{at % 60:02}Z" for at in range(OFTEN + 1)]
    names = ["query_text", "user_name", "start_time"]
    pq.write_table(pa.table([texts, users, times], names=names), tmp_path / "log.parquet")
    found = run(Options((str(tmp_path / "log.parquet"),), tmp_path / "out"), spark)
    assert (found.rows, found.statements) == (OFTEN + 1, 2)
    table = pq.read_table(tmp_path / "out" / "statements")
    assert sorted(table["runs"].to_pylist()) == [1, OFTEN]
    assert sorted(map(len, table["users"].to_pylist())) == [1, 300]


def half_connected() -> list[dict[str, Any]]:
    """Half of the statements read one view, and each other's tables by twos."""
    texts = [
        "CREATE TABLE raw_days (day DATE, week INT)",
        "CREATE VIEW calendar AS SELECT day, week AS week_of FROM raw_days",
        *(
            text.format(at=at)
            for at in range(24)
            for text in (
                "CREATE TABLE m{at} AS SELECT c.week_of, s.x{at} FROM calendar c JOIN s{at} s ON s.day = c.day",
                "INSERT INTO n{at} SELECT m.week_of FROM m{at} m",
                "SELECT y{at} FROM alone{at}",
                "SELECT z{at} FROM alone{at}",
            )
        ),
    ]
    return [
        {"query_text": text, "start_time": f"2026-05-01T10:{at // 60:02}:{at % 60:02}Z"}
        for at, text in enumerate(texts)
    ]


def test_a_component_of_half_the_log(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is evaluated in bands and resolved in parts, and nothing is lost or twice."""
    log = write_json(tmp_path / "log.jsonl", half_connected())
    whole = run(Options((log,), tmp_path / "whole"), spark)
    monkeypatch.setattr(resolve, "FEWEST", 8)
    monkeypatch.setattr(resolve, "LARGEST", 8)
    monkeypatch.setattr(parts, "PER_PART", 8)
    monkeypatch.setattr(parts, "LARGEST_PART", 16)
    monkeypatch.setattr(lending, "MANY", 10)
    shapes = []
    split = parts.split

    def noted(*about: Any) -> list[parts.PartNumbers]:
        shapes.extend(split(*about))
        return shapes

    monkeypatch.setattr(resolve, "split", noted)
    apart = run(Options((log,), tmp_path / "apart"), spark)
    assert whole.kept is not None
    assert apart.kept is None
    assert max(len(part.own) for part in shapes) <= 10
    assert any(len(part.lent) == 2 for part in shapes)
    assert contents(tmp_path / "apart") == contents(tmp_path / "whole")
    assert apart.coverage == whole.coverage


def test_a_full_disk_of_a_worker(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line with the remedy; the same command continues once there is space."""
    log = write_json(tmp_path / "log.jsonl", rows(140))

    def full(*_: Any) -> Any:
        def work(batches: Any) -> Any:
            raise OSError(errno.ENOSPC, "No space left on device")

        return work

    with monkeypatch.context() as patched, pytest.raises(BulkError, match=r"spark\.local\.dir"):
        patched.setattr(resolve, "script_evaluator", full)
        run(Options((log,), tmp_path / "out"), spark)

    run(Options((log,), tmp_path / "out"), spark)
    run(Options((log,), tmp_path / "other"), spark)
    assert contents(tmp_path / "out") == contents(tmp_path / "other")

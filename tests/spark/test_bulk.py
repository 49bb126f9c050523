"""The pipeline gives what a single machine gives, for any order of rows, however they are shared
out.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from logbook import contents, facts, rows, table, write_json

import lineal
from lineal.spark.pipeline import Options, Summary, resolve, run


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "FEWEST", 8)


@pytest.fixture(scope="module")
def whole(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, Summary]:
    folder = tmp_path_factory.mktemp("whole")
    path = write_json(folder / "log.jsonl", rows(300))
    return path, folder / "out", run(Options((path,), folder / "out"), spark)


def test_it_is_what_a_single_machine_finds(whole: tuple[str, Path, Summary]) -> None:
    path, _, summary = whole
    alone = lineal.lineage(path)
    assert facts(summary.extraction.edges) == facts(alone.edges)
    assert summary.extraction.coverage == alone.coverage
    assert summary.statements == len(alone.extraction.occurrences) == 84
    assert summary.rows == 300 and summary.texts > 200
    assert {
        (each.name, each.runs, each.first, each.last, each.users)
        for each in summary.extraction.occurrences
    } == {
        (each.name, each.runs, each.first, each.last, each.users)
        for each in alone.extraction.occurrences
    }
    assert {d.message for d in summary.extraction.diagnostics} == {
        d.message for d in alone.extraction.diagnostics
    }


def test_executors_have_read_nearly_everything(whole: tuple[str, Path, Summary]) -> None:
    _, _, summary = whole
    assert summary.parsed == 84
    # temporary tables, a MERGE into what only others fill, names that need all evidence
    assert summary.here < 70


def test_edges_know_their_statements(whole: tuple[str, Path, Summary]) -> None:
    _, out, summary = whole
    edges, statements = table(out, "edges"), {row["name"]: row for row in table(out, "statements")}
    assert len(edges) == summary.edges == len(summary.extraction.edges)
    assert sum(row["runs"] for row in statements.values()) == 300
    total = next(
        e for e in edges if (e["source_dataset"], e["target_column"]) == ("raw.s3", "total")
    )
    assert (
        total["source_column"] == "b"
        and total["subtypes"] == ["AGGREGATION"]
        and total["transforms"] == ["sum"]
    )
    (name,) = total["statements"]
    assert (total["runs"], total["first_seen"]) == (
        statements[name]["runs"],
        statements[name]["first_seen"],
    )
    assert total["file"] == name
    assert statements[name]["text"][total["position"] - 1 :].startswith("b) AS total")


def test_any_order_and_any_number_of_partitions_give_the_same_bytes(
    whole: tuple[str, Path, Summary], spark: Any, tmp_path: Path
) -> None:
    shuffled = rows(300)
    Random(7).shuffle(shuffled)
    (tmp_path / "logs").mkdir()
    for part in range(3):
        write_json(tmp_path / "logs" / f"{part}.jsonl", shuffled[part::3])
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "5")
    try:
        run(Options((str(tmp_path / "logs"),), tmp_path / "out"), spark)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
    assert contents(tmp_path / "out") == contents(whole[1])

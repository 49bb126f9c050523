"""A second run reads only new statements; a run that was killed
continues; other folders are left alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from logbook import contents, facts, rows, write_json

import lineal
from lineal.model.edge import Column
from lineal.model.script import Defaults
from lineal.spark.pipeline import BulkError, Options, resolve, run
from lineal.spark.pipeline.state import State


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "FEWEST", 8)


class Killed(BaseException):
    pass


def test_a_log_that_grew(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = rows(120)
    log = write_json(tmp_path / "log.jsonl", said)
    whole = run(Options((log,), tmp_path / "whole"), spark)

    grown = write_json(tmp_path / "grown.jsonl", said[:70])
    first = run(Options((grown,), tmp_path / "grown"), spark)
    write_json(tmp_path / "grown.jsonl", said)
    second = run(Options((grown,), tmp_path / "grown"), spark)
    assert 0 < second.parsed == whole.statements - first.statements
    assert contents(tmp_path / "grown") == contents(tmp_path / "whole")

    third = run(Options((grown,), tmp_path / "grown"), spark)
    assert third.parsed == 0
    assert contents(tmp_path / "grown") == contents(tmp_path / "whole")

    kept: list[int] = []
    keep = State.keep

    def killed(self: State, records: dict[bytes, Any], *others: Any) -> None:
        keep(self, records, *others)
        kept.append(len(records))
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(State, "keep", killed)
        patched.setattr(resolve, "LARGEST", 8)  # not all of it is one job
        with pytest.raises(Killed):
            run(Options((log,), tmp_path / "killed"), spark)
    torn = tmp_path / "killed" / "_records" / "torn.records"
    torn.write_bytes(b"half of a file")
    continued = run(Options((log,), tmp_path / "killed"), spark)
    assert 0 < continued.parsed <= whole.statements - kept[0]
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def test_names_that_mean_something_by_the_session(spark: Any, tmp_path: Path) -> None:
    """Executors know what names without a schema mean, by default and in each database; all of it
    is remembered.
    """
    said = [row | {"database_name": "bank"} if at % 3 else row for at, row in enumerate(rows(90))]
    said += [
        {"query_text": "CREATE TABLE t AS SELECT a, b FROM s", "database_name": name}
        for name in "xyz"
    ]
    log = write_json(tmp_path / "log.jsonl", said)
    defaults = Defaults(None, ("raw",))
    whole = run(Options((log,), tmp_path / "whole", defaults=defaults), spark)
    assert whole.parsed > 60
    alone = lineal.lineage(log, default_schema="raw")
    assert facts(whole.extraction.edges) == facts(alone.edges)
    names = {
        str(edge.target.dataset)
        for edge in whole.extraction.edges
        if isinstance(edge.target, Column)
    }
    assert {f"{name}.raw.t" for name in "xyz"} <= names and not names & {"t", "raw.t", "mart.t1"}

    grown = write_json(tmp_path / "grown.jsonl", said[:70])
    run(Options((grown,), tmp_path / "grown", defaults=defaults), spark)
    write_json(tmp_path / "grown.jsonl", said)
    run(Options((grown,), tmp_path / "grown", defaults=defaults), spark)
    assert contents(tmp_path / "grown") == contents(tmp_path / "whole")
    again = run(Options((grown,), tmp_path / "grown", defaults=defaults), spark)
    assert again.parsed == 0
    assert contents(tmp_path / "grown") == contents(tmp_path / "whole")
    other = run(Options((grown,), tmp_path / "grown", defaults=Defaults(None, ("stage",))), spark)
    assert facts(other.extraction.edges) == facts(lineal.lineage(log, default_schema="stage").edges)


def test_a_log_that_grew_by_a_database(spark: Any, tmp_path: Path) -> None:
    """All names are others from then on, and back again: whatever was known, it is what a fresh run
    finds.
    """
    said = [row | {"schema_name": "s"} for row in rows(40)]
    more = [row | {"database_name": "bank", "schema_name": "u"} for row in said[:20]]
    log = str(tmp_path / "log.jsonl")
    for number, now in enumerate((said, said + more, more, more + said[:10])):
        write_json(tmp_path / "log.jsonl", now)
        run(Options((log,), tmp_path / "grown"), spark)
        whole = run(Options((log,), tmp_path / f"whole{number}"), spark)
        assert contents(tmp_path / "grown") == contents(tmp_path / f"whole{number}")
        assert facts(whole.extraction.edges) == facts(lineal.lineage(log).edges)


def test_a_folder_of_another_version(spark: Any, tmp_path: Path) -> None:
    log = write_json(tmp_path / "log.jsonl", rows(3))
    run(Options((log,), tmp_path / "out", closure=False), spark)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    manifest["tables"] |= {"former": {}, "../log.jsonl": {}, "gone": {}}
    (tmp_path / "out" / "former").mkdir()
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest | {"lineal": "0.0.1"}))
    with pytest.raises(BulkError, match=r"was made by lineal 0.0.1 .* or start over with --fresh"):
        run(Options((log,), tmp_path / "out", closure=False), spark)
    assert run(Options((log,), tmp_path / "out", closure=False, fresh=True), spark).statements == 3
    assert not (tmp_path / "out" / "former").exists() and Path(log).exists()


def test_a_folder_of_somebody_else(spark: Any, tmp_path: Path) -> None:
    log = write_json(tmp_path / "log.jsonl", rows(3))
    with pytest.raises(BulkError, match="has other things in it"):
        run(Options((log,), tmp_path, fresh=True), spark)
    with pytest.raises(BulkError, match="is a file"):
        run(Options((log,), tmp_path / "log.jsonl"), spark)
    assert (tmp_path / "log.jsonl").exists()


def test_a_job_that_fails_is_one_line(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        def work(batches: Any) -> Any:
            raise ValueError("no more memory on this machine")

        return work

    monkeypatch.setattr(resolve, "script_evaluator", broken)
    log = write_json(tmp_path / "log.jsonl", rows(70))
    with pytest.raises(
        BulkError, match=r"Spark gave up: .* \(run the same command again to continue\)"
    ):
        run(Options((log,), tmp_path / "out"), spark)
    monkeypatch.undo()
    assert run(Options((log,), tmp_path / "out", closure=False), spark).statements == 70

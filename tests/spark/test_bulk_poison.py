"""Statements that kill who reads them, or never end, on real executors: each costs only itself."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from logbook import contents, rows, table, write_json

from lineal.spark.pipeline import (
    Options,
    clock,
    parcels,
    parts,
    resolve,
    run,
    shapes,
    share,
    statements,
)
from lineal.spark.pipeline.errors import remedy_of
from lineal.spark.pipeline.guard import Death, Fault

SECONDS = 1.5
POISON = {
    "segfault": "killed the process that read it (SIGSEGV)",
    "leave": "ended the process that read it (exit code 7)",
    "memory": "killed the process that read it (SIGKILL)",
    "stuck": "took longer than 1.5 seconds",
    "slow": "took longer than 1.5 seconds",
    "bug": "could not be read (ValueError)",
}


@pytest.fixture(autouse=True)
def _harmful(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Executors on which reading may do harm; what this file defines is sent to them."""
    from pyspark import cloudpickle

    here = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(here)
    monkeypatch.setattr(resolve, "FEWEST", 8)
    monkeypatch.setattr(resolve, "script_evaluator", evaluating)
    yield
    cloudpickle.unregister_pickle_by_value(here)


def evaluating(*about: Any) -> Any:
    evaluate = share.script_evaluator(*about)

    def work(batches: Any) -> Any:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(clock, "GRACE", 0.3)
            patched.setattr(share.Bulk, "read_one", harmful(share.Bulk.read_one))
            yield from evaluate(batches)

    return work


def harmful(read: Any) -> Any:
    def read_one(self: Any, script: Any) -> None:
        harm(script.text)
        read(self, script)

    return read_one


def harm(text: str) -> None:
    """What reading a statement does to the process that reads it, by a word in its text."""
    if "segfault" in text:
        ctypes.string_at(0)
    if "leave" in text:
        os._exit(7)
    if "memory" in text:
        os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does
    if "stuck" in text:
        deque(repeat(0), maxlen=0)  # compiled code that hears no signal and lets no thread run
    if "slow" in text:
        busy(1000)
    if "bug" in text:
        raise ValueError(text)


def busy(seconds: float) -> None:
    ends = time.process_time() + seconds
    while time.process_time() < ends:
        pass


def test_statements_that_kill_the_worker(spark: Any, tmp_path: Path) -> None:
    good = rows(100)
    run(Options((write_json(tmp_path / "good.jsonl", good),), tmp_path / "good"), spark)
    bad = [
        {"query_text": f"SELECT a FROM raw.s1 JOIN {word} ON x = {n}"}
        for n in range(2)
        for word in POISON
    ]
    log = write_json(tmp_path / "log.jsonl", good[:50] + bad + good[50:])

    summary = run(Options((log,), tmp_path / "out", seconds=SECONDS), spark)
    counts = {why: 2 * sum(each == why for each in POISON.values()) for why in POISON.values()}
    assert summary.quarantined == counts
    texts = {row["name"]: row["text"] for row in table(tmp_path / "out", "statements")}
    found = {
        texts[row["statement"]].split()[5]: row["reason"]
        for row in table(tmp_path / "out", "quarantine")
    }
    assert found == POISON
    whole, expected = contents(tmp_path / "out"), contents(tmp_path / "good")
    for name in expected.keys() - {"manifest.json"}:
        if not name.startswith(("statements", "quarantine")):
            assert whole[name] == expected[name], name

    again = run(Options((log,), tmp_path / "out", seconds=SECONDS), spark)
    assert again.parsed == 0 and again.quarantined == counts


def resolving(*about: Any) -> Any:
    resolve_parts = parcels.part_resolver(*about)

    def work(batches: Any) -> Any:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(clock, "GRACE", 0.3)
            patched.setattr(parcels.Keys, "frame_of", harmful_frame(parcels.Keys.frame_of))
            yield from resolve_parts(batches)

    return work


def harmful_frame(frame_of: Any) -> Any:
    def harmed(self: Any, definition: Any, evaluation: Any) -> Any:
        harm(definition.reading.script.text)
        return frame_of(self, definition, evaluation)

    return harmed


def test_statements_that_kill_the_worker_late(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each was read, and kills who puts its part together: only itself is lost, and no driver."""
    monkeypatch.setattr(resolve, "script_evaluator", share.script_evaluator)
    monkeypatch.setattr(resolve, "part_resolver", resolving)
    monkeypatch.setattr(parts, "PER_PART", 8)
    good = [
        {"query_text": text.format(at=at), "start_time": f"2026-05-01T10:00:{at:02}Z"}
        for at in range(20)
        for text in (
            "CREATE TABLE m.t{at} AS SELECT s.a, s.b{at} FROM raw.s{at} s",
            "SELECT t.a FROM m.t{at} t WHERE t.b{at} > 0",
        )
    ]
    run(Options((write_json(tmp_path / "good.jsonl", good),), tmp_path / "good"), spark)
    late = {word: why for word, why in POISON.items() if word != "bug"}
    bad = [{"query_text": f"SELECT p.a FROM raw.s1 p JOIN {word} q ON p.a = q.b"} for word in late]
    log = write_json(tmp_path / "log.jsonl", good[:20] + bad + good[20:])

    summary = run(Options((log,), tmp_path / "out", seconds=SECONDS), spark)
    counts = {why: sum(each == why for each in late.values()) for why in late.values()}
    assert summary.kept is None and summary.quarantined == counts
    whole, expected = contents(tmp_path / "out"), contents(tmp_path / "good")
    for name in expected.keys() - {"manifest.json"}:
        if not name.startswith(("statements", "quarantine")):
            assert whole[name] == expected[name], name

    again = run(Options((log,), tmp_path / "out", seconds=SECONDS), spark)
    assert again.parsed == 0 and again.quarantined == counts
    assert contents(tmp_path / "out") == whole


def test_a_part_that_dies_of_no_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the remedy."""
    died = Death(None, Fault("killed the process that read it (SIGKILL)"))
    monkeypatch.setattr(parcels, "in_child", lambda *about: died)
    nothing = share.Setting("", [], [], "", True, [], 60)
    with pytest.raises(RuntimeError, match="2 statements that belong together") as found:
        parcels.parcel_apart([{}, {}], parcels.PartSetting(nothing, False, False))
    assert "too little memory" in str(remedy_of(str(found.value)))


def test_few_statements_are_read_by_a_child_first(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No executor sees them: they would kill the driver."""
    monkeypatch.setattr(share.Bulk, "read_one", harmful(share.Bulk.read_one))
    monkeypatch.setattr(clock, "GRACE", 0.3)
    texts = [
        f"CREATE VIEW v{n} AS SELECT {word} AS a FROM t" for n, word in enumerate([*POISON, "b"])
    ]
    log = write_json(tmp_path / "log.jsonl", [{"query_text": text} for text in texts])
    summary = run(Options((log,), tmp_path / "out", seconds=SECONDS), spark)
    assert sum(summary.quarantined.values()) == len(POISON) and summary.quarantined.keys() == {
        *POISON.values()
    }
    assert [str(edge) for edge in summary.extraction.edges] == ["t.b -> v6.a  IDENTITY"]


def test_a_limit_that_was_raised(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what only the driver evaluates has a limit; and time makes up for it, where there is
    more of it.
    """
    took = {"lazy": 1.0, "idle": 1.0}
    frame_of = resolve.Keys.frame_of

    def evaluate(self: Any, definition: Any, evaluation: Any) -> Any:
        if type(self) is resolve.Part:
            busy(next((took[word] for word in took if word in definition.reading.script.text), 0))
        return frame_of(self, definition, evaluation)

    monkeypatch.setattr(resolve.Keys, "frame_of", evaluate)
    texts = [
        "CREATE VIEW v AS SELECT lazy, idle FROM t",
        "CREATE VIEW w AS SELECT lazy, idle FROM v",
        "SELECT lazy FROM w",
    ]
    log = write_json(
        tmp_path / "log.jsonl", [{"query_text": text} for text in [*texts, "SELECT a FROM t"]]
    )
    summary = run(Options((log,), tmp_path / "out", seconds=0.3), spark)
    assert summary.quarantined == {"took longer than 0.3 seconds": 3} and summary.edges == 1
    same = run(Options((log,), tmp_path / "out", seconds=0.2), spark)
    assert same.quarantined == summary.quarantined
    took.clear()
    assert (
        run(Options((log,), tmp_path / "out", seconds=0.3), spark).quarantined
        == summary.quarantined
    )
    raised = run(Options((log,), tmp_path / "out", seconds=20), spark)
    assert raised.quarantined == {} and raised.edges == 6
    run(Options((log,), tmp_path / "whole"), spark)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


PRINTED = statements.fingerprint_texts


def printing(*about: Any, **options: Any) -> Any:
    work = PRINTED(*about, **options)

    def harmed(batches: Any) -> Any:
        print_of = shapes.Fingerprints.fingerprint_of

        def fingerprint_of(self: Any, text: str) -> str:
            harm(text)
            return print_of(self, text)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(clock, "GRACE", 0.3)
            patched.setattr(shapes.Fingerprints, "fingerprint_of", fingerprint_of)
            yield from work(batches)

    return harmed


def test_fingerprints_that_kill_the_worker(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is known which statement it is, it can do the same harm."""
    good = rows(30)
    run(Options((write_json(tmp_path / "good.jsonl", good),), tmp_path / "good"), spark)
    monkeypatch.setattr(statements, "fingerprint_texts", printing)
    bad = [
        {"query_text": f"SELECT a FROM raw.s1 JOIN {word} ON x = {n}"}
        for n in range(2)
        for word in POISON
    ]
    log = write_json(tmp_path / "log.jsonl", good[:9] + bad + good[9:])
    summary = run(Options((log,), tmp_path / "out", seconds=SECONDS), spark)
    counts = {why: 2 * sum(each == why for each in POISON.values()) for why in POISON.values()}
    assert summary.quarantined == counts and summary.rows == 30 + len(bad)
    whole, expected = contents(tmp_path / "out"), contents(tmp_path / "good")
    for name in expected.keys() - {"manifest.json"}:
        if not name.startswith(("quarantine", "statements")):
            assert whole[name] == expected[name], name
    texts = {row["name"]: row["text"] for row in table(tmp_path / "out", "statements")}
    left_out = {
        texts[row["statement"]]: row["reason"] for row in table(tmp_path / "out", "quarantine")
    }
    assert left_out == {row["query_text"]: POISON[row["query_text"].split()[5]] for row in bad}

    # from now on nothing is wrong with them: nobody tries
    monkeypatch.setattr(statements, "fingerprint_texts", PRINTED)
    again = run(Options((log,), tmp_path / "out", seconds=SECONDS), spark)
    assert again.quarantined == counts and contents(tmp_path / "out") == whole
    run(Options((log,), tmp_path / "out", seconds=SECONDS / 2), spark)
    longer = run(Options((log,), tmp_path / "out", seconds=60), spark)
    slow = POISON["slow"]
    assert longer.quarantined == {why: count for why, count in counts.items() if why != slow}
    write_json(tmp_path / "log.jsonl", good)
    run(Options((log,), tmp_path / "out"), spark)
    assert contents(tmp_path / "out") == contents(tmp_path / "good")


def test_a_text_whose_words_take_minutes(spark: Any, tmp_path: Path) -> None:
    """A quote that is never closed, and half a million semicolons behind it."""
    endless = "SELECT '" + "x;" * 500_000
    log = write_json(
        tmp_path / "log.jsonl", [{"query_text": text} for text in ("SELECT a FROM t", endless)]
    )
    began = time.monotonic()
    summary = run(Options((log,), tmp_path / "out", seconds=1), spark)
    assert summary.quarantined == {"took longer than 1 seconds": 1}
    assert summary.statements == 2 and summary.edges == 1 and time.monotonic() - began < 25

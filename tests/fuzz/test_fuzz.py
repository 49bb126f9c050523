"""Mutants of every format that lineal reads: none ends a run, and none costs a good file anything.

This round is the same every time. `make hunt` reads new mutants, and tools/hunt_mutants.py goes on
for as long as it is asked to:

    python tools/hunt_mutants.py --seconds 3600 --processes 2

A finding belongs into a test next to the part that it is about, as the smallest text that shows it.
"""

from __future__ import annotations

import pytest

from fuzz.mutants import DIALECTS, TEXT_EDITS, Edit, Mutant, edit_json, edit_text
from fuzz.rounds import Round
from fuzz.seeds import FORMATS, Seed, seeds
from fuzz.verdicts import STAGES, Bench
from lineal.resolve import frames

INPUTS = {
    "sql": 250,
    "pyspark": 60,
    "notebook": 20,
    "log-csv": 30,
    "log-json": 20,
    "log-jsonl": 30,
    "lineal-project": 8,
    "dbt-project": 3,
    "schema": 30,
    "manifest": 15,
    "event": 40,
    "saved": 20,
    "dataframes": 40,
    "embedded": 20,
    "sqlmesh": 15,
    "dataform": 25,
    "consumers": 3,
    "policy": 20,
    "draft": 12,
    "unused": 10,
}
"""How many mutants of each format are read: some 20 seconds together."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("fuzz") / "bench")


@pytest.mark.parametrize("format", FORMATS)
def test_mutants_do_no_harm(format: str, bench: Bench) -> None:
    made = Round(format, "make test", INPUTS[format])
    made.run(bench)
    assert made.read >= INPUTS[format] // 2
    assert not made.found, "\n\n".join(
        f"{found.finding}\n{found.mutant}\n{found.trace}" for found in made.found.values()
    )


def test_there_are_seeds_of_every_format_and_dialect() -> None:
    assert set(STAGES) == set(FORMATS) == set(INPUTS)
    assert all(len(seeds(format)) >= 5 for format in FORMATS)
    assert {"tsql", "clickhouse", "snowflake", ""} <= set(DIALECTS)


def test_edits_change_a_text() -> None:
    seed = "SELECT a, f(b) FROM t\nWHERE c = 'x'\n"
    for kind in TEXT_EDITS:
        made = {edit_text(seed, [Edit(kind, at, 3, at + 1)], "x (y)\nz\n") for at in range(20)}
        assert made - {seed}, kind
    assert edit_json('{"a": [1, {"b": null}]}', [Edit("drop_value", 0, 0, 0)]) == "{}"


@pytest.mark.poisoned
def test_a_failure_is_found(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hunt itself can fail: a part of lineal that breaks does not get through."""
    sound = frames.query

    def broken(tree, *rest):
        if "fuzz_me" in tree.sql():
            raise KeyError("broken")
        return sound(tree, *rest)

    seed = Seed(
        "seed", "CREATE VIEW v AS\nSELECT a\nFROM t;\nCREATE VIEW w AS\nSELECT fuzz_me FROM u;\n"
    )
    monkeypatch.setattr(frames, "query", broken)
    found = bench.judge(Mutant("sql", seed, seed.text))
    assert found is not None
    assert found.kind == "internal-error"
    monkeypatch.setattr(frames, "query", sound)
    assert bench.judge(Mutant("sql", seed, seed.text)) is None

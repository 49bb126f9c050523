"""Symbols change nothing but the work: the cases of procedures and CTEs, with a symbol for every
value.
"""

from __future__ import annotations

import pytest

import lineal
import lineal.algebra.symbols as shared
from casefile import all_cases, corpus_of, edges_in
from lineal.extract.sql.procedural import flow, symbols, used
from lineal.incremental.extraction import extract

CASES = all_cases()
PROCEDURES = [case for case in CASES if case.name.startswith("procedures/")]
WITH_CTES = [case for case in CASES if "WITH " in case.sql.upper()]


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "MOST_HELD", 1)
    monkeypatch.setattr(symbols, "MOST_INFLUENCES", 0)
    monkeypatch.setattr(used, "MOST_READS", 0)


def test_cases_of_procedures(always: None) -> None:
    assert len(PROCEDURES) > 70
    for case in PROCEDURES:
        found = extract(corpus_of(case))
        assert sorted(edges_in(found, case.schema)) == sorted(case.edges), case.name


def test_cases_of_ctes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "MOST_SHARED", 0)
    assert len(WITH_CTES) > 100
    for case in WITH_CTES:
        found = extract(corpus_of(case))
        assert sorted(edges_in(found, case.schema)) == sorted(case.edges), case.name


LONG = """CREATE FUNCTION f(p int) RETURNS void AS $$
DECLARE v int := 0; w int; r record;
BEGIN
  SELECT max(z) AS z INTO r FROM first;
  {steps}
  INSERT INTO o SELECT v, w + r.z FROM q WHERE q.b > v;
END; $$ LANGUAGE plpgsql"""
STEPS = (
    "IF p > {0} THEN v := v + (SELECT sum(a{0}) FROM t{0} WHERE c{0} > 1); END IF;",
    "w := coalesce(v, w) + (SELECT max(d{0}) FROM u{0});",
    "WHILE w < {0} LOOP v := w + (SELECT min(e{0}) FROM x{0}); w := v; END LOOP;",
    "FOR r IN SELECT z FROM y{0} WHERE k{0} > v LOOP v := v + r.z; END LOOP;",
    "BEGIN v := v * (SELECT avg(g{0}) FROM z{0}); EXCEPTION WHEN others THEN v := w; END;",
)


def facts_of(text: str) -> tuple[list[str], list[str]]:
    found = lineal.lineage({"result": text}, "postgres")
    edges = [
        f"{edge.source} {edge.target} {sorted(str(u.way) for u in edge.usages)}"
        for edge in found.edges
    ]
    reads = [f"{read.target} {read.dataset} {read.column}" for read in found.reads]
    return sorted(edges), sorted(reads)


@pytest.mark.parametrize("steps", [STEPS, *((step,) for step in STEPS)], ids=str)
def test_the_same_edges_and_reads_with_and_without_symbols(
    steps: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = LONG.format(steps="\n  ".join(step.format(i) for i in range(7) for step in steps))
    with_symbols = facts_of(text)
    monkeypatch.setattr(flow, "MOST_HELD", 10_000)
    monkeypatch.setattr(symbols, "MOST_INFLUENCES", 10_000)
    monkeypatch.setattr(used, "MOST_READS", 10_000)
    without = facts_of(text)
    assert with_symbols == without
    monkeypatch.undo()
    monkeypatch.setattr(flow, "MOST_HELD", 1)
    monkeypatch.setattr(symbols, "MOST_INFLUENCES", 0)
    monkeypatch.setattr(used, "MOST_READS", 0)
    assert facts_of(text) == without

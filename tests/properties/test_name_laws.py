"""Names over random trees of files: the order of files, the memory of an earlier run, and files that
have nothing to do with the others change nothing.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casefile import edges_in
from generators.rounds import fixed_examples
from generators.strategies import file_trees, randoms
from lineal.incremental.extraction import extract
from lineal.incremental.memory import Memory
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script

DIALECTS = ("spark", "postgres", "snowflake", "bigquery", "tsql", "duckdb", "oracle", "clickhouse")


def facts(extraction: Extraction) -> tuple[object, ...]:
    """All facts about a corpus, without an order."""
    return (
        sorted(edges_in(extraction)),
        sorted((*r.target, *r.dataset, r.column or "", r.clause.value) for r in extraction.reads),
        sorted(
            (str(info.dataset), info.kind, sorted(info.names), info.complete)
            for info in extraction.datasets.values()
        ),
        sorted((d.code.code, d.place) for d in extraction.diagnostics if d.place is not None),
        extraction.coverage,
    )


def cold(dialect: str, scripts: list[Script]) -> tuple[object, ...]:
    """The result for some files without any memory."""
    return facts(extract(Corpus(dialect, list(scripts))))


@pytest.mark.parametrize("dialect", DIALECTS)
@fixed_examples(10)
@given(data=st.data(), random=randoms())
def test_order_of_files_does_not_matter(dialect: str, data: st.DataObject, random: Random) -> None:
    scripts = data.draw(file_trees(dialect))
    expected = cold(dialect, scripts)
    for _ in range(3):
        random.shuffle(scripts)
        assert cold(dialect, scripts) == expected


@pytest.mark.parametrize("dialect", DIALECTS)
@fixed_examples(5)
@given(data=st.data(), random=randoms())
def test_memory_gives_what_a_cold_run_gives(
    dialect: str, data: st.DataObject, random: Random
) -> None:
    """After files are added, removed, renamed and edited."""
    scripts, others = data.draw(file_trees(dialect)), data.draw(file_trees(dialect))
    saved: bytes | None = None
    for _ in range(5):
        memory = Memory(saved)
        found = facts(extract(Corpus(dialect, list(scripts)), memory))
        saved = memory.data() or saved
        assert found == cold(dialect, scripts)
        edit(random, scripts, others)


def edit(random: Random, scripts: list[Script], others: list[Script]) -> None:
    """Add, remove, rename or change a file."""
    kind = random.random()
    if kind < 0.4 and others:
        new = others.pop()
        scripts[:] = [each for each in scripts if each.file != new.file] + [new]
    elif kind < 0.6 and len(scripts) > 1:
        scripts.pop(random.randrange(len(scripts)))
    else:
        at = random.randrange(len(scripts))
        held = scripts[at]
        file = f"moved/{held.file}" if kind < 0.8 else held.file
        if all(each.file != file or each is held for each in scripts):
            scripts[at] = Script(held.text + " ", held.dialect, file)


@pytest.mark.parametrize("dialect", DIALECTS)
@fixed_examples(5)
@given(data=st.data())
def test_unrelated_file_changes_nothing_else(dialect: str, data: st.DataObject) -> None:
    """A file in a folder of its own, with names of its own."""
    scripts = data.draw(file_trees(dialect))
    text = "CREATE VIEW lonely AS SELECT l.x AS y FROM alone l WHERE l.w > 1;\nSELECT y FROM lonely"
    lonely = Script(text, dialect, "elsewhere/lonely_result.sql")
    alone = cold(dialect, [lonely])
    before, after = cold(dialect, scripts), cold(dialect, [*scripts, lonely])
    for part, own, both in zip(before[:4], alone[:4], after[:4], strict=True):
        assert sorted([*part, *own]) == both

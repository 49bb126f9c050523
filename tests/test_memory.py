"""A memory changes nothing: after any edits of any project, remembered results equal
new ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

import lineal
from casefile import all_cases, corpus_of
from generators.rounds import fixed_examples
from generators.strategies import histories
from lineal.api import Lineage
from lineal.extract.entries import Definition
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.reading import Spot
from lineal.incremental import memory as remembering
from lineal.incremental import sizes
from lineal.incremental.extraction import extract
from lineal.incremental.memory import Memory
from lineal.model.script import Corpus, Defaults, Script


def everything(corpus: Corpus, memory: Memory | None = None) -> tuple[object, ...]:
    """All that can be asked of a result, in its order."""
    found = extract(corpus, memory)
    edges = [
        (
            edge.source,
            edge.target,
            [(u.way, u.doubt, u.level, u.place, u.expression, u.calls) for u in edge.usages],
        )
        for edge in found.edges
    ]
    shown = Lineage(found)
    return (
        edges,
        found.reads,
        list(found.datasets.items()),
        found.diagnostics,
        found.coverage,
        shown.to("json"),
    )


@fixed_examples(250)
@given(histories())
def test_any_project_after_any_edits(history: list[Corpus]) -> None:
    check_history(history)


@fixed_examples(150)
@given(histories(defaults=True))
def test_names_that_mean_something_else_in_each_session(history: list[Corpus]) -> None:
    check_history(history)


def check_history(history: list[Corpus]) -> None:
    """Remembered results after each edit equal new ones."""
    data = None
    for corpus in history:
        memory = Memory(data)
        assert everything(corpus, memory) == everything(corpus)
        data = memory.data() or data


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_every_case_from_memory(case) -> None:  # type: ignore[no-untyped-def]
    corpus = corpus_of(case)
    corpus.scripts = [replace(script, file=script.file or "case.sql") for script in corpus.scripts]
    fresh = everything(corpus)
    memory = Memory()
    assert everything(corpus, memory) == fresh
    again = Memory(memory.data())
    assert everything(corpus, again) == fresh
    assert again.data() is None


FAILING_LATE = "names/alias-is-a-parameter"
"""A case whose statement fails when its frame is there: its tree tells why."""
LARGE = [*all_cases()[::8], *(case for case in all_cases() if case.name == FAILING_LATE)]


@pytest.mark.parametrize("case", LARGE, ids=lambda case: case.name)
def test_a_case_as_part_of_a_large_corpus(case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpus_of(case)
    corpus.scripts = [replace(script, file=script.file or "case.sql") for script in corpus.scripts]
    fresh = everything(corpus)
    monkeypatch.setattr(sizes, "MANY", 1)
    monkeypatch.setattr(sizes, "LONG", 1)
    assert everything(corpus) == fresh
    memory = Memory()
    assert everything(corpus, memory) == fresh
    assert everything(corpus, Memory(memory.data())) == fresh


@fixed_examples(40)
@given(histories())
def test_any_large_project_after_any_edits(history: list[Corpus]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sizes, "MANY", 1)
        patched.setattr(sizes, "LONG", 1)
        large = [everything(corpus) for corpus in history]
        check_history(history)
    assert large == [everything(corpus) for corpus in history]


def test_the_trees_of_a_large_corpus_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only positions stay of a statement that is evaluated."""
    monkeypatch.setattr(sizes, "MANY", 1)
    monkeypatch.setattr(sizes, "LONG", 1)
    texts = ["CREATE VIEW a AS SELECT x + 1 AS y FROM t", "CREATE VIEW b AS SELECT y FROM a"]
    corpus = Corpus("", [Script(text, "", f"{number}.sql") for number, text in enumerate(texts)])
    found = remembering.Remembering(corpus, Memory(), keeps=False)
    edges = found.extract().edges
    assert [str(edge.usages[0].place) for edge in edges] == ["0.sql:1:25", "1.sql:1:25"]
    assert all(each.plan.query.__class__ is Spot for each in found.order)


def evaluated(corpus: Corpus, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of the statements that are evaluated, and not remembered."""
    files: list[str] = []

    class Telling(remembering.Recorder):
        def __init__(
            self, catalog: remembering.Remembering, definition: Definition, *heard: Any
        ) -> None:
            files.append(definition.reading.script.file)
            super().__init__(catalog, definition, *heard)

    with monkeypatch.context() as patched:
        patched.setattr(remembering, "Recorder", Telling)
        extract(corpus, memory)
    return sorted(files)


@pytest.mark.parametrize("defaults", [None, Defaults("c", ("s",))])
def test_only_statements_affected_by_an_edit_are_evaluated(
    monkeypatch: pytest.MonkeyPatch, defaults: Defaults | None
) -> None:
    texts = {
        "a": "CREATE VIEW a AS SELECT x, y FROM t",
        "b": "CREATE VIEW b AS SELECT x FROM a",
        "c": "CREATE VIEW c AS SELECT * FROM b",
        "d": "CREATE VIEW d AS SELECT z FROM u",
        "bad": "SELECT FROM",
    }

    def corpus(**changes: str) -> Corpus:
        scripts = [Script(text, "", name) for name, text in {**texts, **changes}.items()]
        return Corpus("", scripts, defaults=defaults)

    memory = Memory()
    assert evaluated(corpus(), memory, monkeypatch) == ["a", "b", "c", "d"]
    data = memory.data()
    assert evaluated(corpus(), Memory(data), monkeypatch) == []
    assert evaluated(
        corpus(a="CREATE VIEW a AS SELECT x + 1 AS x, y FROM t"), Memory(data), monkeypatch
    ) == ["a"]
    assert evaluated(corpus(a="CREATE VIEW a AS SELECT x FROM t"), Memory(data), monkeypatch) == [
        "a",
        "b",
    ]
    assert evaluated(corpus(b="CREATE VIEW b AS SELECT y FROM a"), Memory(data), monkeypatch) == [
        "b",
        "c",
    ]
    assert evaluated(corpus(u="CREATE TABLE u (z INT)"), Memory(data), monkeypatch) == ["d"]


def test_nothing_is_parsed_that_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus(
        "", [Script("CREATE VIEW a AS SELECT x FROM t", "", "a.sql"), Script("SELECT", "", "b.sql")]
    )
    memory = Memory()
    fresh = Lineage(extract(corpus, memory)).to("table")
    monkeypatch.setattr("lineal.resolve.scripts.parse", None)
    assert Lineage(extract(corpus, Memory(memory.data()))).to("table") == fresh


def test_texts_without_a_file_are_left_alone() -> None:
    memory = Memory()
    corpus = Corpus("", [Script("SELECT a FROM t", "")])
    assert everything(corpus, memory) == everything(corpus) and memory.data() is None
    assert lineal.lineage("SELECT a FROM t").edges


def test_all_that_an_evaluation_finds_out_is_kept() -> None:
    """A new field has to be kept by the codec, or named here as one that nobody asks for
    afterwards.
    """
    kept = {
        "reads",
        "datasets_read",
        "learnt",
        "diagnostics",
        "references",
        "ambiguous",
        "unresolved",
        "undecided",
    }
    while_it_runs = {
        "absorbed",
        "around",
        "catalog",
        "definition",
        "facts",
        "fold",
        "fold_dataset",
        "fold_table",
        "frames",
        "keys",
        "notes",
        "reading",
        "shared",
        "used",
    }
    of_programs = {"further"}  # programs are read again each time
    named = kept | while_it_runs | of_programs
    assert {*Evaluation.__slots__} == named | {"composed", "own_functions", "table_keys", "target"}

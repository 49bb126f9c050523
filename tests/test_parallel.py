"""Any number of processes give the same result, and one that fails costs only time."""

from __future__ import annotations

import pytest
from hypothesis import given

from generators.rounds import fixed_examples
from generators.strategies import long_projects
from lineal.incremental import memory as remembering
from lineal.incremental import parallel
from lineal.incremental.extraction import extract
from lineal.incremental.memory import Memory
from lineal.model.script import Corpus, Script
from test_memory import everything


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "FEWEST", 2)
    monkeypatch.setattr(parallel, "TOGETHER", 1)


def nothing(count: int) -> None:
    pass


def chain(length: int) -> Corpus:
    """Each view reads the one before: neighbours are in different processes."""
    first = Script("CREATE VIEW v0 AS SELECT a, b FROM t", "", "0.sql")
    texts = [
        f"CREATE VIEW v{number} AS SELECT *, a + {number} AS c FROM v{number - 1}"
        for number in range(1, length)
    ]
    return Corpus("", [first, *(Script(text, "", f"{at}.sql") for at, text in enumerate(texts, 1))])


@fixed_examples(12)
@given(long_projects(12))
def test_several_processes_give_the_result_of_one(corpus: Corpus) -> None:
    fresh = everything(corpus)
    for jobs in (2, 3):
        memory = Memory()
        parallel.remember_in_parallel(corpus, memory, jobs, nothing)
        assert everything(corpus, memory) == fresh


def test_the_caller_has_nothing_left_to_evaluate(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, memory = chain(120), Memory()
    fresh = everything(corpus)
    ticks: list[int] = []
    assert parallel.remember_in_parallel(corpus, memory, 3, ticks.append)
    assert len(memory.records) == 120 and sum(ticks) == 120 and memory.told
    monkeypatch.setattr(remembering, "Recorder", None)
    extract(corpus, memory)
    monkeypatch.undo()
    assert everything(corpus, memory) == fresh
    assert everything(corpus, Memory(memory.data())) == fresh


def test_known_files_are_not_read_again() -> None:
    corpus, memory = chain(10), Memory()
    extract(corpus, memory)
    again = Memory(memory.data())
    assert not parallel.remember_in_parallel(corpus, again, 2, nothing)
    corpus.scripts[4:7] = [
        Script(f"CREATE VIEW v{at} AS SELECT a FROM v{at - 1}", "", f"{at}.sql") for at in (4, 5, 6)
    ]
    assert parallel.remember_in_parallel(corpus, again, 2, nothing)
    assert everything(corpus, again) == everything(corpus)


@pytest.mark.parametrize("method", ["read", "learn", "evaluate_more", "hear", "records"])
def test_a_process_that_fails_costs_only_time(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    def fail(*_: object) -> None:
        raise SystemExit(1)

    corpus, memory = chain(12), Memory()
    fresh = everything(corpus)
    with monkeypatch.context() as patched:
        patched.setattr(parallel.Share, method, fail)
        parallel.remember_in_parallel(corpus, memory, 2, nothing)
    assert everything(corpus, memory) == fresh

"""Every case file, through the SQL front end."""

from dataclasses import replace
from itertools import permutations

import pytest

from casefile import all_cases, codes_in, corpus_of, edges_in, file_cases, reads_in
from invented_names import invented_names
from lineal.incremental.extraction import extract
from lineal.incremental.memory import Memory

CASES = all_cases()
FILE_CASES = file_cases()


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case):
    extraction = extract(corpus_of(case))
    assert sorted(edges_in(extraction, case.schema)) == sorted(case.edges), case.title
    assert codes_in(extraction) == tuple(sorted(set(case.diagnostics))), extraction.diagnostics
    infos = extraction.datasets.values()
    assert invented_names(case.sql, extraction.edges, infos, case.schema) == [], case.title
    if case.reads is not None:
        assert sorted(reads_in(extraction)) == sorted(case.reads), case.title


@pytest.mark.parametrize("case", FILE_CASES, ids=[case.name for case in FILE_CASES])
def test_files(case):
    """Every order of the files, and a second run with a memory, give the edges of the case."""
    data = None
    for scripts in list(permutations(case.scripts))[:6]:
        for memory in (None, Memory(), Memory(data)):
            corpus = replace(corpus_of(case), scripts=list(scripts))
            extraction = extract(corpus, memory)
            assert sorted(edges_in(extraction, case.schema)) == sorted(case.edges), case.title
            found = codes_in(extraction)
            assert found == tuple(sorted(set(case.diagnostics))), extraction.diagnostics
            if memory is not None:
                data = memory.data() or data
            if case.reads is not None:
                assert sorted(reads_in(extraction)) == sorted(case.reads), case.title


def test_there_are_cases_for_every_topic():
    assert len(CASES) >= 150

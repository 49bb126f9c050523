"""Every case file, through the SQL front end."""

import pytest

from casefile import all_cases, codes_in, corpus_of, edges_in, reads_in
from lineal.incremental.extraction import extract

CASES = all_cases()


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case):
    extraction = extract(corpus_of(case))
    assert sorted(edges_in(extraction, case.schema)) == sorted(case.edges), case.title
    assert codes_in(extraction) == tuple(sorted(set(case.diagnostics))), extraction.diagnostics
    if case.reads is not None:
        assert sorted(reads_in(extraction)) == sorted(case.reads), case.title


def test_there_are_cases_for_every_topic():
    assert len(CASES) >= 150

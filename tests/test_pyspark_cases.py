"""Every case with DataFrames, through the Python front end: the same edges as its SQL gives."""

import pytest

from casefile import all_cases, codes_in, edges_in
from lineal.extract.definitions import extract
from lineal.model.script import Corpus, Script

CASES = [case for case in all_cases() if case.pyspark]
HEAD = """from pyspark.sql import functions as F, Window
from pyspark.sql.functions import col
"""
TAIL = '\nresult.write.saveAsTable("result")\n'


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case):
    script = Script(HEAD + case.pyspark + TAIL, "python", f"{case.path.stem}.py")
    extraction = extract(Corpus("spark", [script], list(case.schema)))
    sourced = {line for line in case.edges if not line.startswith("->")}
    found = edges_in(extraction, case.schema)
    assert sorted(line for line in found if not line.startswith("->")) == sorted(sourced), case.title
    assert codes_in(extraction) == tuple(sorted(set(case.diagnostics))), extraction.diagnostics
    expected = {line.removeprefix("-> result.") for line in case.edges if line.startswith("->")}
    columns = {
        column.name for info in extraction.datasets.values() if info.dataset.name == "result" for column in info.columns
    }
    assert expected <= columns


def test_most_topics_have_a_case_with_data_frames():
    assert len(CASES) >= 200

"""Every case with DataFrames, through the Python front end: the same edges as its SQL gives."""

import pytest

from casefile import CASES as FOLDER
from casefile import all_cases, codes_in, edges_in, lines_of
from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script

ALL = all_cases()
CASES = [case for case in ALL if case.pyspark]
HEAD = """from pyspark.sql import functions as F, Window
from pyspark.sql.functions import col
"""


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case):
    ends = [f'{name}.write.saveAsTable("{name}")\n' for name in case.results]
    script = Script(HEAD + case.pyspark + "\n" + "".join(ends), "python", f"{case.path.stem}.py")
    extraction = extract(Corpus("spark", [script], list(case.schema)))
    sourced = {line for line in case.edges if not line.startswith("->")}
    found = edges_in(extraction, case.schema)
    assert sorted(line for line in found if not line.startswith("->")) == sorted(sourced), (
        case.title
    )
    assert codes_in(extraction) == tuple(sorted(set(case.diagnostics))), extraction.diagnostics
    expected = {line.removeprefix("-> ") for line in case.edges if line.startswith("->")}
    assert expected <= {
        f"{info.dataset}.{name}" for info in extraction.datasets.values() for name in info.names
    }


def test_every_spark_case_has_data_frames_or_a_reason():
    lines = lines_of((FOLDER / "without-dataframes.txt").read_text(encoding="utf-8"))
    reasons = dict(line.split("  ", 1) for line in lines)
    without = [case.name for case in ALL if case.dialect == "spark" and not case.pyspark]
    assert sorted(reasons) == without
    assert all(len(reason.split()) >= 5 for reason in reasons.values())
    assert len(CASES) >= 400

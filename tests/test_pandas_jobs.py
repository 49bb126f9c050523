"""Jobs of pandas, run for real: every column that changes with a source is covered by an edge.

`tests/pandas_jobs/<name>.py` are programs as data people write them. `frame_runs` runs each on small
random data and redraws one source column at a time. The edges that lineal reads from the text must
cover each change; and most edges must be seen to change something.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from frame_runs import SOURCES, Change, changes_of
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script
from lineal.model.way import Confidence

pytest.importorskip("pandas")

JOBS = sorted((Path(__file__).parent / "pandas_jobs").glob("*.py"))
SEEDS = 2
COLUMNS = {(file, name) for file, columns in SOURCES.items() for name in columns}
PIVOT = "<pivot:"


@cache
def read(path: Path) -> Extraction:
    return extract(Corpus("spark", [Script(path.read_text(), "python", path.name)], []))


def covers(extraction: Extraction, change: Change) -> bool:
    """Whether edges say that a column of the output depends on a source column, over any hops."""
    file, column, target, name = change
    reached = {(file, column)}
    waiting = [(file, column)]
    while waiting:
        for found in next_columns(extraction, *waiting.pop()) - reached:
            reached.add(found)
            waiting.append(found)
    return any(each[0] == target and fits(each[1], name) for each in reached)


def next_columns(extraction: Extraction, file: str, column: str) -> set[tuple[str, str]]:
    """The columns that a column reaches in one hop; "*" for all columns of a dataset."""
    leaving = [
        edge
        for edge in extraction.edges
        if edge.source.dataset.name == file and fits(edge.source.name, column)
    ]
    return {(edge.into.name, edge.target.name if edge.field_level else "*") for edge in leaving}


def fits(written: str, name: str) -> bool:
    """Whether the name of an edge's column stands for a column of the data."""
    return "*" in (written, name) or PIVOT in written or written.lower() == name.lower()


def read_columns(extraction: Extraction) -> set[tuple[str, str]]:
    """The source columns of the files that a job reads."""
    files = {edge.source.dataset.name for edge in extraction.edges}
    return {(file, name) for file, name in COLUMNS if file in files}


@pytest.mark.parametrize("path", JOBS, ids=[path.stem for path in JOBS])
def test_every_change_is_covered(path: Path, tmp_path: Path) -> None:
    extraction = read(path)
    codes = {each.code for each in extraction.diagnostics}
    assert not codes & {Code.INTERNAL_ERROR, Code.UNSUPPORTED_CONSTRUCT, Code.UNRESOLVED_COLUMN}
    changes = changes_of(path, tmp_path, read_columns(extraction), SEEDS)
    assert changes, "the job writes nothing that depends on a source"
    missed = sorted(" ".join(each) for each in changes if not covers(extraction, each))
    assert missed == []


def test_there_are_enough_jobs() -> None:
    assert len(JOBS) >= 60


def test_edges_are_sure_unless_two_files_may_have_a_column() -> None:
    edges = [edge for path in JOBS for edge in read(path).edges]
    decided = [edge for edge in edges if not edge.ambiguous]
    sure = [edge for edge in decided if edge.level >= Confidence.HIGH]
    assert len(decided) >= 0.85 * len(edges)
    assert len(sure) >= 0.95 * len(decided)

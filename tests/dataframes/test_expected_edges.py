"""Programs of Polars, Snowpark and learning libraries, with edges that were written before a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.edge import Edge
from lineal.model.script import Corpus, Script

PROGRAMS = sorted((Path(__file__).parent / "expected").glob("*.py"))


def facts_of(edge: Edge) -> set[str]:
    """One line for each usage of an edge; names compare without regard to case."""
    pair = f"{edge.source} {'->' if edge.field_level else '=>'} {edge.target}".lower()
    return {f"{pair} {usage.how.value}" for usage in edge.usages}


def expected(path: Path) -> set[str]:
    lines = path.with_suffix(".edges").read_text(encoding="utf-8").splitlines()
    parts = (line.rpartition(" ") for line in lines)
    return {f"{pair.lower()} {usage}" for pair, _, usage in parts}


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_the_edges_are_those_expected(path):
    script = Script(path.read_text(encoding="utf-8"), "python", path.name)
    found = extract(Corpus("spark", [script], []))
    assert {fact for edge in found.edges for fact in facts_of(edge)} == expected(path)


UNKNOWN = {
    "df.no_such_method()": "DataFrame.no_such_method is not traced",
    'df.select(pl.col("a").no_such())': "Expr.no_such is not traced",
    'df.group_by("a").no_such()': "GroupBy.no_such is not traced",
}


@pytest.mark.parametrize("call", UNKNOWN)
def test_an_unknown_method_is_named(call):
    text = f'import polars as pl\ndf = pl.read_csv("a.csv")\nx = {call}\nx.write_csv("b.csv")\n'
    found = extract(Corpus("spark", [Script(text, "python", "job.py")], []))
    told = [each.message for each in found.diagnostics if each.code is Code.UNSUPPORTED_CONSTRUCT]
    assert told == [UNKNOWN[call]]
    assert not [edge for edge in found.edges if edge.field_level and edge.level >= 3]


DYNAMIC = {
    "columns from the command line": 'import sys\ndf.select(sys.argv[1]).write_csv("b.csv")\n',
    "columns from data": 'df.select(df["name"].to_list()).write_csv("b.csv")\n',
    "columns from a module elsewhere": 'from company import COLS\ndf.select(COLS).write_csv("b.csv")\n',
}


@pytest.mark.parametrize("name", DYNAMIC)
def test_columns_that_only_a_run_knows_are_reported(name):
    text = f'import polars as pl\ndf = pl.read_csv("a.csv")\n{DYNAMIC[name]}'
    found = extract(Corpus("spark", [Script(text, "python", "job.py")], []))
    assert Code.DYNAMIC in {each.code for each in found.diagnostics}
    assert [edge for edge in found.edges if edge.field_level] == []

"""The 99 TPC-DS and 22 TPC-H queries through both engines: every edge and subtype is the same."""

from __future__ import annotations

import pytest
from sqlglot import transpile

import tpc
from lineal.graph.compare import compare, count_common
from lineal.model.script import Corpus, Script
from lineal.projects.schema import schema_of
from lineal.spark.plan_lineage import of_corpus


@pytest.mark.parametrize("name", list(tpc.SUITES))
def test_spark_agrees_on_every_query(name: str, spark) -> None:
    try:
        suite = tpc.suite(name)
    except tpc.NotFetched as problem:
        pytest.skip(str(problem))
    texts = [transpile(query, write="spark")[0] for query in suite.queries]
    scripts = [
        Script(text, "spark", f"{number}.sql", target=f"q{number}")
        for number, text in enumerate(texts, 1)
    ]
    static, exact = of_corpus(Corpus("spark", scripts, schema_of(suite.schema)), spark)
    assert [str(diagnostic) for diagnostic in exact.diagnostics] == []
    assert [str(disagreement) for disagreement in compare(static, exact)] == []
    assert count_common(static, exact) >= len(static.edges)

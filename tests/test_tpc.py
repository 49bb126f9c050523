"""The 99 TPC-DS and 22 TPC-H queries: every column is found, and nothing is in doubt."""

from __future__ import annotations

import pytest

import lineal
import tpc

EVERY = [
    (name, number) for name, (_, _, count) in tpc.SUITES.items() for number in range(1, count + 1)
]


@pytest.mark.parametrize(
    ("name", "number"), EVERY, ids=[f"{name}-{number}" for name, number in EVERY]
)
def test_every_column_is_found(name: str, number: int) -> None:
    suite = suite_of(name)
    found = lineal.lineage({"result": suite.queries[number - 1]}, schema=suite.schema)
    assert found.diagnostics == []
    assert (found.coverage.statements.found, found.coverage.statements.evaluated) == (1, 1)
    assert (found.coverage.columns.unresolved, found.coverage.columns.ambiguous) == (0, 0)
    assert found.coverage.columns.named > 0
    assert {edge.level.name for edge in found.edges} == {"HIGH"}


@pytest.mark.parametrize("name", list(tpc.SUITES))
def test_all_at_once_give_what_each_gives(name: str) -> None:
    suite = suite_of(name)
    together = lineal.lineage(
        {f"q{i}": query for i, query in enumerate(suite.queries)}, schema=suite.schema
    )
    alone = [
        lineal.lineage({f"q{i}": query}, schema=suite.schema)
        for i, query in enumerate(suite.queries)
    ]
    assert [str(edge) for edge in together.edges] == [
        str(edge) for found in alone for edge in found.edges
    ]


def suite_of(name: str) -> tpc.Suite:
    try:
        return tpc.suite(name)
    except tpc.NotFetched as problem:
        pytest.skip(str(problem))

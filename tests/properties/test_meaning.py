"""Rewrites that keep the meaning keep the digest of what a statement says."""

from __future__ import annotations

import pytest
from rewrites import REWRITES
from test_rewrites import Query, lineage, singles

UNTOLD = {
    "other aliases": 0.75, "CTE to subquery": 0.85, "subquery to CTE": 0.85, "dead CTE": 0.75, "wrapped": 0.7,
    "1 = 1": 0.85, "sides of a join": 0.8, "star to list": 0.8, "branch order": 0.8, "ON to USING": 0.6,
}  # fmt: skip
"""The share that has to be told; what is unusual (pivots, laterals, samples) is not claimed to be
the same. A view is
another dataset, and no way to write the same statement."""


@pytest.mark.parametrize("name", [name for name in REWRITES if name != "CTE to view"])
def test_the_meaning_stays(name: str) -> None:
    reached, told, wrong = 0, 0, []
    for query, tree, _ in singles():
        dialect = query.dialect or None
        texts = REWRITES[name](tree.copy(), query.columns, dialect)
        if texts:
            reached += 1
            before, after = meaning(query, tree.sql(dialect=dialect)), meaning(query, texts[0])
            told += before == after
            wrong += [] if before == after else [f"{query.name}: {texts[0]}"]
    assert told >= UNTOLD.get(name, 0.95) * reached, "\n".join(wrong[:5])


def meaning(query: Query, text: str) -> list[str]:
    return [statement.meaning for statement in lineage(query, [text]).statements]

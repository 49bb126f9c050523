"""Spark's registry says which functions are aggregates and window functions: each has its role."""

from __future__ import annotations

from typing import Any

import pytest

from lineal.algebra.functions import Role, known

OVER_ROWS = (Role.AGGREGATE, Role.ORDERED, Role.VALUE_AT, Role.RANKING, Role.GROUPING)


def functions(spark: Any, group: str) -> list[str]:
    """The names of a group of Spark's registry."""
    registry = spark._jsparkSession.sessionState().functionRegistry()
    listed = registry.listFunction()
    found = [registry.lookupFunction(listed.apply(at)).get() for at in range(listed.length())]
    return sorted({info.getName() for info in found if info.getGroup() == group})


@pytest.mark.parametrize("group, fewest", [("agg_funcs", 50), ("window_funcs", 8)])
def test_every_function_over_rows_has_its_role(spark: Any, group: str, fewest: int) -> None:
    names = functions(spark, group)
    assert len(names) > fewest
    roles = {name: known(name) for name in names}
    assert [name for name, row in roles.items() if row is None or row.role not in OVER_ROWS] == []

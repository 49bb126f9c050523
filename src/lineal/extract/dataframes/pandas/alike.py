"""Values of pandas with the same lineage: rounds of a loop that only repeat them end early."""

from __future__ import annotations

from collections.abc import Hashable

from sqlglot import exp

from lineal.extract.dataframes.pandas.values import Columns, DataFrame, Series
from lineal.extract.pyspark.repetition import ALIKE, is_same_relation
from lineal.extract.pyspark.sizes import nodes_below
from lineal.extract.sql.nodes import meta_of


def is_alike_series(one: Series, other: Series) -> bool:
    """Tell whether two series are made of the same columns by the same operations."""
    if one.name != other.name or one.is_scalar is not other.is_scalar:
        return False

    return (
        (one.watch is other.watch or one.watch is None)
        and (
            one.table.relation is other.table.relation
            or is_same_relation(one.table.relation, other.table.relation)
        )
        and prints_of(one.tree) == prints_of(other.tree)
    )


def prints_of(tree: exp.Expr) -> set[Hashable]:
    """Return the columns of an expression, each with the operations that it is an operand of."""
    found: set[Hashable] = set()
    seen: set[tuple[int, frozenset[Hashable]]] = set()
    waiting: list[tuple[exp.Expr, frozenset[Hashable]]] = [(tree, frozenset())]
    while waiting:
        here, path = waiting.pop()
        if (id(here), path) in seen:
            continue

        seen.add((id(here), path))
        slot = meta_of(here).get("slot")
        if slot is not None:
            found.add((id(slot), path))
            continue

        inside = path | {(here.__class__, meta_of(here).get("function"))}
        waiting += [(each, inside) for each in nodes_below(here)]

    return found


def is_alike_frame(one: DataFrame, other: DataFrame) -> bool:
    """Tell whether two frames have the same columns, index and order, made of the same sources."""
    return (
        is_same_relation(one.relation, other.relation)
        and keys_of(one.table.index) == keys_of(other.table.index)
        and keys_of(one.table.order) == keys_of(other.table.order)
    )


def keys_of(columns: Columns) -> list[object]:
    """Return the names and the sources of columns."""
    return [(each.key, each.slot.lineage.keys()) for each in columns]


ALIKE[Series] = is_alike_series
ALIKE[DataFrame] = is_alike_frame

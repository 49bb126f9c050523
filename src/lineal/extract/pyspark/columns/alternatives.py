"""Columns and windows of which only a run knows which one it is."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

from sqlglot import exp

from lineal.algebra.lineage import Lineage, absorb, add_doubt
from lineal.extract.pyspark.values import ColumnValue, WindowSpec
from lineal.extract.sql.expressions import HANDLERS, Calls, Visit, gather
from lineal.model.edge import Doubt
from lineal.model.sequences import flatten
from lineal.model.way import Confidence, Way

ONE_BRANCH = Doubt(Confidence.MEDIUM, False, "on one of several branches of the code")


Either = exp.Tags
"""col("a") if test else col("b")

a node that stands in no expression: the classes of sqlglot can have no heirs
"""


def gather_alternatives(node: exp.Tags, way: Way, calls: Calls, visit: Visit) -> None:
    """Add the lineage of a column that is one of several.

    col("a") if test else col("b")      what all of them take is sure
    """
    several: list[Lineage] = []
    for option in node.expressions:
        lineage: Lineage = {}
        gather(option, way, lineage, visit.scope, calls)
        several.append(lineage)

    absorb(reduce(merge_lineage, several), visit.into)


HANDLERS[Either] = gather_alternatives


def merge_lineage(left: Lineage, right: Lineage) -> Lineage:
    """Return the lineage of a column that one of two branches made."""
    if left.keys() == right.keys():
        return left

    found: Lineage = {key: trail for key, trail in left.items() if key in right}
    found.update(
        add_doubt({key: trail for key, trail in left.items() if key not in right}, ONE_BRANCH)
    )
    found.update(
        add_doubt({key: trail for key, trail in right.items() if key not in left}, ONE_BRANCH)
    )
    return found


def alternatives(*trees: Any) -> Any:
    """One tree for several, those of earlier choices among them."""
    options = flatten(tree.expressions if isinstance(tree, Either) else [tree] for tree in trees)
    return Either(expressions=options)


def merged_column(left: ColumnValue, right: ColumnValue) -> ColumnValue:
    """Under the name that both have; else each keeps its own."""
    if left.names == right.names:
        tree = left.tree if left.tree == right.tree else alternatives(left.tree, right.tree)
        return ColumnValue(tree, left.names, left.doubt or right.doubt)

    return ColumnValue(
        alternatives(tree_with_alias(left), tree_with_alias(right)), (), left.doubt or right.doubt
    )


def tree_with_alias(held: ColumnValue) -> Any:
    """Return the tree of a column under its name.

    col("a").alias("b")
    """
    if len(held.names) == 1:
        return exp.alias_(held.tree, held.names[0], quoted=True, copy=False)

    return held.tree


def columns_in(item: ColumnValue) -> list[ColumnValue]:
    """Return the columns of several alternatives.

    select(col("a") if test else col("b"))      there may be an a, and there may be a b
    """
    if not isinstance(item.tree, Either) or item.names:
        return [item]

    found = [
        (tree.this, (tree.alias,)) if isinstance(tree, exp.Alias) else (tree, ())
        for tree in item.tree.expressions
    ]
    return [ColumnValue(tree, names, ONE_BRANCH) for tree, names in found]


def merge_windows(left: WindowSpec, right: WindowSpec) -> WindowSpec:
    """Return a window that one of two branches made."""
    return WindowSpec(
        merge_keys(left.partition, right.partition), merge_keys(left.order, right.order)
    )


def merge_keys(left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the keys of a window that one of two branches made."""
    if left == right:
        return left

    return (alternatives(exp.Tuple(expressions=list(left)), exp.Tuple(expressions=list(right))),)


def merged_groups(left: list[ColumnValue], right: list[ColumnValue]) -> list[ColumnValue]:
    """Merge the keys of several groupings.

    df.groupBy("a", "b") if test else df.groupBy("a")      a, and perhaps b
    """
    both = [key for key in left if key in right]
    return [
        *both,
        *(
            replace(key, doubt=key.doubt or ONE_BRANCH)
            for key in (*left, *right)
            if key not in both
        ),
    ]

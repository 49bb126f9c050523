"""Values of pandas that branches of a program leave behind: one of two."""

from __future__ import annotations

from typing import Any

from lineal.extract.dataframes.pandas.trees import transforming_call
from lineal.extract.dataframes.pandas.values import DataFrame, Series, Table
from lineal.extract.pyspark.branches import merge_relations
from lineal.extract.pyspark.columns.alternatives import ONE_BRANCH
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Value


def merge_columns(run: Run, left: Value, right: Value) -> Value:
    """Return a series that one of two branches made."""
    if not isinstance(left, Series):
        return right

    if not isinstance(right, Series):
        return left

    if left.tree is right.tree:
        return left

    parents = (*left.parents, *right.parents, right.table.relation)
    return left.with_tree(
        transforming_call("either", left.tree, right.tree), parents=parents, doubt=ONE_BRANCH
    )


def merge_frames(run: Run, left: Any, right: Any) -> Value:
    """Return a frame that one of two branches made; None or a value that is not known gives way."""
    if not isinstance(left, DataFrame):
        return right

    if not isinstance(right, DataFrame):
        return left

    one, other = left.table, right.table
    index = one.index if names_of(one) == names_of(other) else ()
    return DataFrame(Table(merge_relations(one.relation, other.relation), index, one.order))


def names_of(table: Table) -> list[str]:
    """Return the names of an index."""
    return [each.slot.name for each in table.index]

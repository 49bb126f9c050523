"""Expressions of series, as trees of sqlglot whose columns are slots."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.extract.dataframes.pandas.values import Series
from lineal.extract.pyspark.columns.trees import BINARY, COMPARED, identifier, mark_place
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Pattern, Unknown, Value

BINARY_TREES: dict[type, Any] = {
    **BINARY, **COMPARED, ast.FloorDiv: exp.IntDiv, ast.BitXor: exp.BitwiseXor,
}  # fmt: skip


def leaf(run: Run, slot: Slot, node: ast.AST) -> Any:
    """Return a column that is found already, as an expression."""
    tree = mark_place(run, exp.Column(this=identifier(slot.name)), node)
    tree._meta["slot"] = slot
    return tree


def literal(held: Value) -> Any:
    """Return a constant as an expression; whatever has no column is NULL."""
    if isinstance(held, bool) or held is None:
        return exp.Null()

    if isinstance(held, (int, float)):
        return exp.Literal.number(repr(abs(held)))

    if isinstance(held, str):
        return exp.Literal.string(str(held))

    if isinstance(held, (list, tuple, set, frozenset)):
        return exp.Array(expressions=list(map(operand, held)))

    if isinstance(held, dict):
        return exp.Array(expressions=list(map(operand, held.values())))

    return exp.Null()


def operand(held: Value) -> Any:
    """Return a series or a constant as an expression."""
    if isinstance(held, Series):
        return held.tree

    return literal(held)


def holds_unknown(held: Value) -> bool:
    """Tell whether a list, or a list inside it, has a value that only a run knows.

    [load(), "b"], [f"{load()}-b"]
    """
    if isinstance(held, (list, tuple, set, frozenset)):
        return any(map(holds_unknown, held))

    if isinstance(held, dict):
        return any(map(holds_unknown, held.values()))

    return isinstance(held, (Unknown, Pattern))


def transforming_call(name: str, *arguments: Any) -> Any:
    """Return a call that transforms each of its arguments.

    df["x"].str.lower()
    """
    tree = exp.Anonymous(this="pandas", expressions=list(arguments))
    tree._meta = {"function": name}
    return tree


AGGREGATES: dict[str, tuple[type, bool]] = {
    "sum": (exp.Sum, False),
    "mean": (exp.Avg, False),
    "average": (exp.Avg, False),
    "nanmean": (exp.Avg, False),
    "nansum": (exp.Sum, False),
    "min": (exp.Min, False),
    "max": (exp.Max, False),
    "amin": (exp.Min, False),
    "amax": (exp.Max, False),
    "count": (exp.Count, True),
    "nunique": (exp.Count, True),
    "size": (exp.Count, True),
    "first": (exp.First, False),
    "last": (exp.Last, False),
    "median": (exp.Median, False),
    "std": (exp.Stddev, False),
    "var": (exp.Variance, False),
}
"""Aggregates by the names that pandas and numpy have for them."""

ROW_COUNTS = frozenset(("size", "cumcount"))
"""agg(n=("x", "size"))      the number of rows, whatever values the column has"""

OTHER_AGGREGATES = frozenset(
    """prod product sem skew kurt kurtosis quantile percentile mad any all nth mode idxmin idxmax
    argmin argmax ptp unique describe autocorr corr cov list set
    tuple len join cumcount corrwith dot hasnans""".split()  # noqa: SIM905
)


def is_aggregate(name: str) -> bool:
    """Tell whether a method aggregates the values of a series."""
    return name in AGGREGATES or name in OTHER_AGGREGATES


def aggregate(name: str, *arguments: Any) -> Any:
    """Return an aggregate of an expression.

    df["x"].sum()
    """
    if name in ROW_COUNTS:
        return exp.Count(this=exp.Star())

    kind = AGGREGATES.get(name)
    if kind is not None:
        return kind[0](this=arguments[0])

    return aggregate_call(name, *arguments)


def aggregate_call(name: str, *arguments: Any) -> Any:
    """Return an aggregate that no engine of SQL has by this name."""
    tree = exp.AnonymousAggFunc(this="pandas_aggregate", expressions=list(arguments))
    tree._meta = {"function": name}
    return tree


def has_aggregate(tree: Any) -> bool:
    """Tell whether an expression aggregates rows."""
    return isinstance(tree, exp.Expr) and tree.find(exp.AggFunc, exp.Subquery) is not None


def window_over(call: Any, partition: Sequence[Any] = (), order: Sequence[Any] = ()) -> Any:
    """Return a window function.

    df.groupby("k")["x"].cumsum()
    """
    tree = exp.Window(this=call, partition_by=list(partition))
    if order:
        tree.set("order", exp.Order(expressions=[exp.Ordered(this=each) for each in order]))

    return tree


def case(tests: Sequence[Any], values: Sequence[Any], default: Any = None) -> Any:
    """Return a choice by conditions.

    np.select(conditions, values, default)
    """
    arms = [exp.If(this=test, true=value) for test, value in zip(tests, values, strict=False)]
    if not arms:
        return default if default is not None else exp.Null()

    return exp.Case(ifs=arms, default=default)


def one_of(*trees: Any) -> Any:
    """Return a value that is one of several, with conditions that are told elsewhere."""
    return transforming_call("either", *trees)

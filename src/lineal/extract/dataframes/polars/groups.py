"""Groups of Polars frames: group_by, group_by_dynamic, rolling."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import GROUPS, HAVING
from lineal.extract.dataframes.polars.expressions import (
    expand_selector,
    expr_of,
    exprs_of,
    named_exprs,
)
from lineal.extract.dataframes.polars.methods import METHODS, leaving_out
from lineal.extract.dataframes.polars.projection import Projection
from lineal.extract.dataframes.polars.values import Expr, Groups, PolarsFrame, Selector
from lineal.extract.dataframes.untraced import report_untraced
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Function, Value, trees_of
from lineal.model.way import Clause

GroupMethod = Callable[[Run, Groups, Invocation], Value]
"""A method of groups."""


def group_by(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.group_by("a", pl.col("b").dt.year(), k=pl.col("c"))"""
    named = {
        key: held for key, held in call.keywords.items() if key not in ("maintain_order", "by")
    }
    given = [*call.arguments, call.keywords.get("by")]
    return Groups(frame, named_exprs(run, call.with_arguments(given, named)))


def window_groups(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.group_by_dynamic("at", every="1d", group_by="k"), df.rolling("at", period="2d")"""
    index = call.argument(0, "index_column")
    others = call.keywords.get("group_by", call.keywords.get("by"))
    keys = exprs_of(run, [others], call.node)
    at = expr_of(run, index, call.node)
    is_dynamic = getattr(getattr(call.node, "func", None), "attr", "") == "group_by_dynamic"
    if not is_dynamic:
        return Groups(frame, [*keys, at], index=at)

    start = at.with_tree(exp.Anonymous(this="truncate", expressions=[at.tree]))
    return Groups(frame, [*keys, start])


def aggregate(run: Run, held: Groups, call: Invocation) -> Value:
    """df.group_by("a").agg(pl.col("b").sum(), n=pl.len())"""
    return aggregate_groups(run, held, named_exprs(run, call), call.node)


def aggregate_groups(run: Run, held: Groups, exprs: list[Expr], node: ast.AST) -> PolarsFrame:
    """Return the keys, and the aggregates of each group."""
    projection = Projection(run, held.frame, Clause.GROUP_BY)
    keys = projection.columns(held.keys, node)
    projection.rows = dict(held.frame.relation.rows)
    if held.index is None:
        projection.narrow(GROUPS, [each.tree for each in held.keys if not is_selector(each)])
    else:
        exprs = [aggregate_in_window(each, held.keys[:-1], held.index) for each in exprs]

    projection.narrow(HAVING, trees_of(held.having))
    projection.scope.clause = Clause.SELECT
    taken = {each.key for each in keys}
    without_keys = [leave_out_keys(run, each, taken, node) for each in exprs]
    made = projection.columns(without_keys, node, in_groups=True)
    return PolarsFrame(projection.finish([*keys, *made]).relation)


def aggregate_in_window(expr: Expr, keys: list[Expr], index: Expr) -> Expr:
    """df.rolling("at", period="7d", group_by="k").agg(…)      an aggregate of the rows around"""
    order = exp.Order(expressions=[exp.Ordered(this=index.tree)])
    tree = exp.Window(this=expr.tree, partition_by=trees_of(keys), order=order)
    return replace(expr, tree=tree)


def is_selector(expr: Expr) -> bool:
    """Tell whether an expression stands for several columns."""
    return any("several" in each.meta for each in expr.tree.find_all(exp.Placeholder))


def leave_out_keys(run: Run, expr: Expr, keys: set[str], node: ast.AST) -> Expr:
    """agg(pl.all().sum())      all columns but the keys"""
    if not is_selector(expr):
        return expr

    def narrower(part: Any) -> Any:
        """Replace a selector with one that leaves out the keys of the groups."""
        base = part.meta.get("several") if isinstance(part, exp.Placeholder) else None
        if base is None:
            return part

        return expand_selector(run, leaving_out(base, sorted(keys)), node).tree

    tree = expr.tree.transform(narrower)
    return Expr(tree, expr.name, expr.root, expr.rename, expr.rows, expr.doubt)


def count(run: Run, held: Groups, call: Invocation) -> Value:
    """df.group_by("a").len(name="n")"""
    name = call.argument(0, "name", "len")
    tree = exp.Count(this=exp.Literal.number("1"), big_int=True)
    return aggregate_groups(run, held, [Expr(tree, name=str(name))], call.node)


def of_every_column(name: str) -> GroupMethod:
    """Return a method that aggregates every column of the groups: df.group_by("a").sum()"""

    def method(run: Run, held: Groups, call: Invocation) -> Value:
        """Aggregate every column that is not a key: `df.group_by("k").sum()`."""
        every = expand_selector(run, Selector(lambda name, kind: True), call.node)
        return aggregate_groups(
            run, held, [METHODS[name](run, every, call.with_arguments([], {}))], call.node
        )

    return method


def some_rows(run: Run, held: Groups, call: Invocation) -> Value:
    """df.group_by("a").head(2)      rows of each group, as they are"""
    projection = Projection(run, held.frame, Clause.GROUP_BY)
    projection.narrow(GROUPS, trees_of(held.keys))
    return projection.finish()


def map_groups(run: Run, held: Groups, call: Invocation) -> Value:
    """df.group_by("a").map_groups(f)      f is given the rows of each group"""
    function = call.argument(0, "function")
    part = some_rows(run, held, call.with_arguments([], {}))
    found = (
        invoke(run, function, call.with_arguments([part], {}))
        if isinstance(function, Function)
        else None
    )
    if isinstance(found, PolarsFrame):
        return found

    return not_traced(run, held, "map_groups", call.node)


def having(run: Run, held: Groups, call: Invocation) -> Value:
    """df.group_by("a").having(pl.len() > 1)"""
    return Groups(held.frame, held.keys, [*held.having, *exprs_of(run, call.arguments, call.node)])


def not_traced(run: Run, held: Groups, name: str, node: ast.AST) -> PolarsFrame:
    """Report a method of groups that is not followed."""
    return PolarsFrame(report_untraced(run, held.frame.relation, f"GroupBy.{name}", node))


GROUP_METHODS: dict[str, GroupMethod] = {
    "agg": aggregate,
    **dict.fromkeys(("len", "count"), count),
    **{
        name: of_every_column(name)
        for name in ("sum", "mean", "min", "max", "median", "first", "last", "n_unique", "quantile")
    },
    "all": of_every_column("implode"),
    **dict.fromkeys(("head", "tail"), some_rows),
    **dict.fromkeys(("map_groups", "apply"), map_groups),
    "having": having,
}


def call_groups(run: Run, held: Groups, name: str, call: Invocation) -> Value:
    """df.group_by("a").agg(…)"""
    handler = GROUP_METHODS.get(name)
    if handler is not None:
        return handler(run, held, call)

    return not_traced(run, held, name, call.node)

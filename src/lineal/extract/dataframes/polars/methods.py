"""Methods of Polars expressions: one function or one row each.

A method that no table lists is a function of the column: it transforms the column and its other
arguments. That is what nearly all of them do.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import DISTINCT, FILTERS, LATERAL, SORTS
from lineal.extract.dataframes.polars.dtypes import cast_type
from lineal.extract.dataframes.polars.expressions import (
    ORDERED,
    combine,
    constant,
    expand_selector,
    expr_of,
    exprs_of,
    transforming_call,
)
from lineal.extract.dataframes.polars.projection import aggregates
from lineal.extract.dataframes.polars.values import NOTHING, Expr, Selector, When
from lineal.extract.pyspark.columns.functions import build_call
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords, argument_at
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Function, Partial, Unknown, Value, note_of, trees_of
from lineal.model.sequences import as_list, flatten

Method = Callable[[Run, Expr, Invocation], Value]


def call_function(run: Run, held: Expr, name: str, call: Invocation) -> Expr:
    """pl.col("a").log(2), pl.col("a").pow(pl.col("b"))      a function of all that is given"""
    given = (*call.arguments, *(each for each in call.keywords.values()))
    others = [
        expr_of(run, each, call.node, names=name in NAMES_COLUMNS) for each in given if takes(each)
    ]
    trees = [held.tree, *trees_of(others)]
    if name in MASKING:
        return held.with_tree(exp.Anonymous(this=name, expressions=trees), *others)

    return held.with_tree(transforming_call(name, *trees), *others)


def takes(held: Value) -> bool:
    """Tell whether an argument may hold columns; functions and options do not."""
    return held is not None and not isinstance(held, (Function, Partial, bool))


MASKING = frozenset(("hash",))
"""Methods that hide their values, as the function of SQL does."""

NAMES_COLUMNS = frozenset(
    """is_between clip max_by min_by top_k_by bottom_k_by dot append interpolate_by search_sorted
    gather repeat_by atan2 extend_constant truediv rolling_mean_by rolling_sum_by rolling_min_by
    rolling_max_by rolling_std_by rolling_var_by rolling_median_by ewm_mean_by""".split()  # noqa: SIM905
)
"""Methods that take texts for names of columns; others take them for constants."""


def aggregate(function: str) -> Method:
    """Return the method of an aggregate.

    pl.col("a").sum()
    """

    def method(run: Run, held: Expr, call: Invocation) -> Value:
        """Return the aggregate of the column and of the columns among the arguments."""
        others = [
            expr_of(run, each, call.node) for each in call.arguments if is_column(each, function)
        ]
        trees = [held.tree, *trees_of(others)]
        return held.aggregate(build_call(function, trees), *others)

    return method


def is_column(held: Value, function: str) -> bool:
    """max_by("b"), dot(pl.col("b"))      Tell whether an argument of an aggregate is a column."""
    return isinstance(held, Expr) or (isinstance(held, str) and function in TWO_COLUMNS)


TWO_COLUMNS = frozenset(("max_by", "min_by"))
"""Aggregates whose argument may be the name of a column."""


def count_distinct(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").n_unique()"""
    distinct = exp.Distinct(expressions=[held.tree])
    return held.aggregate(exp.Count(this=distinct, big_int=True))


def running_aggregate(function: str, by: bool = False) -> Method:
    """Return the method of an aggregate over the rows up to each, or around it.

    pl.col("a").cum_sum(), pl.col("a").rolling_mean(3)
    """

    def method(run: Run, held: Expr, call: Invocation) -> Value:
        """Return a value over the rows so far, ordered by the first argument where it is one."""
        ordered = [expr_of(run, each, call.node) for each in call.arguments[:1]] if by else []
        window = exp.Window(this=build_call(function, [held.tree]), order=order_by(ordered))
        return held.with_tree(mark_ordered(window), *ordered)

    return method


def mark_ordered(window: exp.Window) -> exp.Window:
    """Mark a window that takes the rows in the order of the frame."""
    window.meta[ORDERED] = True
    return window


def in_rows(name: str) -> Method:
    """Return a method that reads the rows before: pl.col("a").shift(1), pl.col("a").diff()"""
    known = METHODS.get(name)

    def method(run: Run, held: Expr, call: Invocation) -> Value:
        """Return a value of the rows around each."""
        made = known(run, held, call) if known else call_function(run, held, name, call)
        assert isinstance(made, Expr)
        return replace(made, tree=mark_ordered(exp.Window(this=exp.Lag(this=made.tree))))

    return method


def order_by(keys: list[Expr]) -> Any:
    """Return the ORDER BY of a window; None without keys."""
    if not keys:
        return None

    return exp.Order(expressions=[exp.Ordered(this=each.tree) for each in keys])


def rank(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").rank()      the order of a decides it"""
    return held.with_tree(exp.Window(this=build_call("rank", []), order=order_by([held])))


def over(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").sum().over("k", order_by="t")"""
    keys = exprs_of(run, [*call.arguments, call.keywords.get("partition_by")], call.node)
    order = exprs_of(run, [call.keywords.get("order_by")], call.node)
    tree = held.tree
    own = None
    if isinstance(tree, exp.Window):
        inner, own = tree.this, tree.args.get("order")
    elif aggregates(tree):
        inner = tree
    else:
        inner = exp.Lag(this=tree)  # the values of single rows, as shift(1) gives them

    made = exp.Window(this=inner, partition_by=trees_of(keys), order=order_by(order) or own)
    if ORDERED in tree.meta:
        mark_ordered(made)

    return replace(held.with_tree(made, *keys, *order), rows=())


def alias(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").alias("b")"""
    name = call.argument(0, "name")
    if isinstance(name, str):
        return replace(held, name=str(name), rename=None)

    run.dynamic(note_of("a name", name), call.node, getattr(name, "level", Unknown("", "").level))
    return replace(held, name=f"{{{getattr(name, 'label', '…')}}}", rename=None)


def cast(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").cast(pl.Int64)"""
    return held.with_tree(exp.Cast(this=held.tree, to=cast_type(call.argument(0, "dtype"))))


def fill(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").fill_null(0), .fill_null(strategy="forward"), .forward_fill()"""
    value = call.argument(0, "value")
    others = [expr_of(run, each, call.node, names=False) for each in (value,) if takes(each)]
    tree = exp.Coalesce(this=held.tree, expressions=trees_of(others))
    if call.keywords.get("strategy") in ("forward", "backward"):
        return held.with_tree(mark_ordered(exp.Window(this=exp.Lag(this=tree))))

    return held.with_tree(tree, *others)


def replace_values(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").replace({"x": "y"}), .replace_strict(old, new, default=pl.col("b"))"""
    given = [*call.arguments, *call.keywords.values()]
    others = [expr_of(run, each, call.node) for each in given if isinstance(each, Expr)]
    return held.with_tree(exp.Coalesce(this=held.tree, expressions=trees_of(others)), *others)


def filter_(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").filter(pl.col("b") > 1)      b decides which values of a there are"""
    tests = [*exprs_of(run, call.arguments, call.node), *equalities(run, call.keywords, call.node)]
    found = held
    for test in tests:
        where = exp.Where(this=test.tree)
        made = found.with_tree(exp.Filter(this=found.tree, expression=where), test)
        found = replace(made, rows=(*made.rows, (FILTERS, test.tree)))

    return found


def equalities(run: Run, keywords: Keywords, node: ast.AST) -> list[Expr]:
    """filter(status="paid")      status == "paid" """
    return [
        combine(exp.EQ, expr_of(run, name, node), expr_of(run, held, node, names=False))
        for name, held in keywords.items()
    ]


def by_rows(way: Any, function: str = "") -> Method:
    """Return a method that changes which values there are, by the values themselves.

    pl.col("xs").explode(), pl.col("a").unique(), pl.col("a").drop_nulls()
    """

    def method(run: Run, held: Expr, call: Invocation) -> Value:
        """Return the column with other rows: the expression decides which remain."""
        tree = exp.Anonymous(this=function, expressions=[held.tree]) if function else held.tree
        return replace(held.with_tree(tree), rows=(*held.rows, (way, held.tree)))

    return method


def sort_by(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").sort_by("b")      b decides the order of the values"""
    keys = exprs_of(run, [*call.arguments, call.keywords.get("by")], call.node)
    ordered = exp.Order(this=held.tree, expressions=[exp.Ordered(this=each.tree) for each in keys])
    made = held.with_tree(ordered, *keys)
    return replace(made, rows=(*made.rows, *((SORTS, each.tree) for each in keys)))


def same_values(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").head(3), .set_sorted()      some of the values, as they are"""
    return held


def binary(kind: Any) -> Method:
    """Return the method of an operator.

    pl.col("a").add(pl.col("b")), .eq("x"), .and_(other)
    """

    def method(run: Run, held: Expr, call: Invocation) -> Value:
        """Combine the column with each argument by the operator: `pl.col("a").add(1)`."""
        found = held
        for other in (*call.arguments, *call.keywords.values()):
            found = combine(kind, found, expr_of(run, other, call.node, names=False))

        return found

    return method


def is_in(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").is_in(["x", "y"]), .is_in(other["a"])"""
    other = expr_of(run, call.argument(0, "other"), call.node, names=False)
    return held.with_tree(exp.In(this=held.tree, expressions=[other.tree]), other)


def is_null(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").is_null()"""
    return held.with_tree(exp.Is(this=held.tree, expression=exp.Null()))


def not_(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").not_()"""
    return held.with_tree(exp.Not(this=held.tree))


def exclude(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.all().exclude("a", "b")"""
    base = held.tree.meta.get("several")
    if not isinstance(base, Selector):
        return held

    return replace(
        held, tree=expand_selector(run, leaving_out(base, call.arguments), call.node).tree
    )


def leaving_out(base: Selector, arguments: Arguments) -> Selector:
    """Return a selector that does not take columns of these names."""
    flat = flatten(map(as_list, arguments))
    names = frozenset(each.lower() for each in flat if isinstance(each, str))
    is_certain = all(isinstance(each, str) and not each.startswith("^") for each in flat)

    def test(name: str, kind: str) -> bool | None:
        """Tell whether the selector takes a column; None where only a run can tell."""
        if name.lower() in names:
            return False

        if is_certain:
            return base.test(name, kind)

        return None

    listed = tuple(each for each in base.names if each.lower() not in names)
    unnamed = (
        base.unnamed
        if is_certain or base.unnamed is NOTHING
        else base.unnamed._replace(certain=False)
    )
    return Selector(test, unnamed, base.excepted | names, listed)


def pipe(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").pipe(clean, 2)      clean(pl.col("a"), 2)"""
    return invoke(
        run,
        argument_at(call.arguments),
        call.with_arguments([held, *call.arguments[1:]]),
    )


def in_python(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").map_elements(f)      whatever f does, it does it to a"""
    return held.with_tree(exp.Anonymous(this="map", expressions=[held.tree]))


# -- when, then, otherwise -------------------------------------------------------------------------


def when(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.when(…).then(…).when(test)"""
    before = tuple(held.tree.args["ifs"]) if isinstance(held.tree, exp.Case) else ()
    return begin_when(run, call, before, held)


def begin_when(
    run: Run, call: Invocation,
    before: tuple[Any, ...] = (), first: Expr | None = None,
) -> Value:  # fmt: skip
    """pl.when(pl.col("a") > 1, b=2)      all of the tests together"""
    tests = [*exprs_of(run, call.arguments, call.node), *equalities(run, call.keywords, call.node)]
    test = tests[0] if tests else constant(run, True, call.node)
    for each in tests[1:]:
        test = combine(exp.And, test, each)

    return When(test, before, first)


def then(run: Run, held: When, call: Invocation) -> Value:
    """pl.when(test).then("a")      a text is a column"""
    value = expr_of(run, call.argument(0, "statement"), call.node)
    arm = exp.If(this=held.test.tree, true=value.tree)
    first = held.first or value
    return first.with_tree(exp.Case(ifs=[*held.before, arm]), held.test, value)


def otherwise(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.when(test).then(1).otherwise("b")"""
    value = expr_of(run, call.argument(0, "statement"), call.node)
    arms = held.tree.args.get("ifs", [])
    return held.with_tree(exp.Case(ifs=arms, default=value.tree), value)


AGGREGATE_NAMES = {
    "sum": "sum", "mean": "avg", "min": "min", "max": "max", "median": "median", "std": "stddev",
    "var": "variance", "count": "count", "len": "count", "first": "first", "last": "last",
    "quantile": "percentile_approx", "product": "product", "mode": "mode",
    "implode": "collect_list", "any": "bool_or", "all": "bool_and", "null_count": "count",
    "nan_max": "max", "nan_min": "min", "skew": "skewness", "kurtosis": "kurtosis",
    "entropy": "entropy", "arg_max": "max", "arg_min": "min", "max_by": "max_by",
    "min_by": "min_by", "approx_n_unique": "approx_count_distinct", "dot": "sum",
    "agg_groups": "collect_list", "has_nulls": "bool_or", "item": "any_value",
    "bitwise_and": "bit_and", "bitwise_or": "bit_or", "bitwise_xor": "bit_xor",
}  # fmt: skip
"""Methods that aggregate, and the aggregate of SQL that does the same."""

RUNNING_NAMES = {
    "cum_sum": "sum", "cum_max": "max", "cum_min": "min", "cum_prod": "product",
    "cum_count": "count", "rolling_sum": "sum", "rolling_mean": "avg", "rolling_min": "min",
    "rolling_max": "max", "rolling_std": "stddev", "rolling_var": "variance",
    "rolling_median": "median", "rolling_quantile": "percentile_approx",
    "rolling_skew": "skewness", "rolling_map": "avg", "rolling_sum_by": "sum",
    "rolling_mean_by": "avg", "rolling_min_by": "min", "rolling_max_by": "max",
    "rolling_std_by": "stddev", "rolling_var_by": "variance", "rolling_median_by": "median",
    "rolling_quantile_by": "percentile_approx", "ewm_mean": "avg", "ewm_std": "stddev",
    "ewm_var": "variance", "ewm_mean_by": "avg", "ewm_sum": "sum",
}  # fmt: skip
"""Methods that aggregate the rows around each row, or up to it."""

OPERATOR_NAMES = {
    "add": exp.Add, "sub": exp.Sub, "mul": exp.Mul, "truediv": exp.Div, "floordiv": exp.IntDiv,
    "mod": exp.Mod, "pow": exp.Pow, "eq": exp.EQ, "ne": exp.NEQ, "lt": exp.LT, "le": exp.LTE,
    "gt": exp.GT, "ge": exp.GTE, "and_": exp.And, "or_": exp.Or, "xor": exp.BitwiseXor,
    "eq_missing": exp.NullSafeEQ, "ne_missing": exp.NullSafeNEQ,
}  # fmt: skip

METHODS: dict[str, Method] = {
    **{name: aggregate(function) for name, function in AGGREGATE_NAMES.items()},
    **{name: running_aggregate(held, name.endswith("_by")) for name, held in RUNNING_NAMES.items()},
    **{name: binary(kind) for name, kind in OPERATOR_NAMES.items()},
    "n_unique": count_distinct,
    "rank": rank,
    "over": over,
    "alias": alias,
    "cast": cast,
    **dict.fromkeys(("fill_null", "fill_nan", "forward_fill", "backward_fill"), fill),
    **dict.fromkeys(("replace", "replace_strict"), replace_values),
    "filter": filter_,
    "explode": by_rows(LATERAL, "explode"),
    "unique": by_rows(DISTINCT),
    **dict.fromkeys(("drop_nulls", "drop_nans"), by_rows(FILTERS)),
    **dict.fromkeys(("sort", "top_k", "bottom_k"), by_rows(SORTS)),
    "sort_by": sort_by,
    **dict.fromkeys(
        ("head", "tail", "limit", "slice", "sample", "gather_every", "set_sorted", "inspect",
         "reverse", "shuffle", "rechunk"),
        same_values,
    ),
    "is_in": is_in,
    **dict.fromkeys(("is_null", "is_not_null", "is_nan", "is_not_nan"), is_null),
    "not_": not_,
    "exclude": exclude,
    "pipe": pipe,
    **dict.fromkeys(("map_elements", "map_batches", "apply", "map"), in_python),
    "when": when,
    "otherwise": otherwise,
}  # fmt: skip

METHODS.update(
    {
        name: in_rows(name)
        for name in ("shift", "diff", "pct_change", "forward_fill", "backward_fill", "interpolate")
    }
)

SCALAR_METHODS = frozenset(
    """abs arccos arccosh arcsin arcsinh arctan arctanh arg_sort arg_true arg_unique append
    bin_intervals bin_quantiles bin_ranks bitwise_count_ones cbrt ceil clip cos cosh cot
    cumulative_eval cut degrees diff erf erfc ewm_sum_by exp extend_constant floor gather get hash
    hist index_of interpolate interpolate_by is_between is_close is_duplicated is_empty is_finite
    is_first_distinct is_infinite is_last_distinct is_sorted is_unique log log10 log1p lower_bound
    neg pct_change peak_max peak_min qcut radians reinterpret repeat_by reshape rle rle_id rolling
    rolling_rank round round_sig_figs search_sorted shift sign sin sinh sqrt tan tanh to_physical
    top_k_by bottom_k_by truncate truncdiv unique_counts upper_bound value_counts""".split()  # noqa: SIM905
)
"""Methods that transform the column and what else they are given."""

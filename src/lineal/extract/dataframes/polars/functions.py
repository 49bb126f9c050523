"""Functions of the module polars that make expressions: pl.col, pl.lit, pl.when, pl.sum, …"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lineal.extract.dataframes.polars.expressions import (
    LITERAL,
    column_expr,
    constant,
    expand_selector,
    expr_of,
    exprs_of,
    named_columns,
    named_exprs,
    one_of,
    transforming_call,
    unknown_expr,
)
from lineal.extract.dataframes.polars.methods import AGGREGATE_NAMES, METHODS, begin_when
from lineal.extract.dataframes.polars.selectors import SELECTORS, unknown_selector
from lineal.extract.dataframes.polars.values import Expr, Selector
from lineal.extract.pyspark.columns.functions import build_call
from lineal.extract.pyspark.columns.trees import identifier, item, parse_items
from lineal.extract.pyspark.dispatch import LibraryCall
from lineal.extract.pyspark.invocation import Invocation, Keywords, argument_at
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Choice, ColumnValue, Library, Value, trees_of
from lineal.model.sequences import all_are


def col(run: Run, call: Invocation) -> Value:
    """pl.col("a"), pl.col("a", "b"), pl.col(["a", "b"]), pl.col(pl.Int64)"""
    given: list[Value] = []
    for each in call.arguments:
        several = None if isinstance(each, str) else items_of(each)
        given += [each] if several is None else several

    if given and all_are(given, Library):
        return expand_selector(run, unknown_selector(run, call.with_arguments([], {})), call.node)

    if len(given) == 1:
        return expr_of(run, given[0], call.node)

    if all(type(each) is str for each in given):
        return expand_selector(run, named_columns(given), call.node)

    if given and all_are(given, Choice):
        return one_of([expr_of(run, each, call.node) for each in given])

    unsaid = next((each for each in given if type(each) is not str), None)
    return unknown_expr(run, unsaid, call.node)


def lit(run: Run, call: Invocation) -> Value:
    """pl.lit(1)"""
    held = call.argument(0, "value")
    if isinstance(held, Expr):
        return held

    return constant(run, held, call.node)


def of_all(run: Run, call: Invocation) -> Value:
    """pl.all(), pl.all("a", "b")"""
    if call.arguments:
        return aggregate_columns("all")(run, call)

    return expand_selector(run, Selector(lambda name, kind: True), call.node)


def exclude(run: Run, call: Invocation) -> Value:
    """pl.exclude("a")"""
    return expand_selector(run, SELECTORS["exclude"](run, call), call.node)


def length(run: Run, call: Invocation) -> Value:
    """pl.len(), pl.count()"""
    if call.arguments:
        return aggregate_columns("count")(run, call)

    name = getattr(getattr(call.node, "func", None), "attr", "len")
    return Expr(exp.Count(this=exp.Literal.number("1"), big_int=True), root=name)


def aggregate_columns(name: str) -> LibraryCall:
    """Return an aggregate of columns: pl.sum("a"), pl.max("a", "b")"""

    def make(run: Run, call: Invocation) -> Value:
        """Return the aggregate of the columns named: `pl.sum("a", "b")`."""
        held = col(
            run,
            call.with_arguments(call.arguments[:1] if name in ONE_COLUMN else call.arguments, {}),
        )
        return METHODS[name](run, held, call.with_arguments([], {}))

    return make


ONE_COLUMN = frozenset(("quantile", "head", "tail"))


def row_wise(name: str) -> LibraryCall:
    """Return a function of several columns of a row: pl.concat_str("a", "b"), pl.sum_horizontal(…)"""

    def make(run: Run, call: Invocation) -> Value:
        """Return a value made of several columns of each row: `pl.sum_horizontal("a", "b")`."""
        exprs = exprs_of(run, [*call.arguments, call.keywords.get("exprs")], call.node)
        trees = trees_of(exprs)
        first = exprs[0] if exprs else Expr(exp.Null(), root=LITERAL)
        return joined_selectors(first.with_tree(transforming_call(name, *trees), *exprs[1:]))

    return make


def joined_selectors(held: Expr) -> Expr:
    """pl.sum_horizontal(pl.all())      one column of all of them: the selector is not expanded"""
    for leaf in held.tree.find_all(exp.Placeholder):
        if "several" in leaf.meta:
            leaf.meta["together"] = leaf.meta.pop("several")

    return held


def coalesce(run: Run, call: Invocation) -> Value:
    """pl.coalesce("a", "b", 0)"""
    exprs = exprs_of(run, call.arguments, call.node)
    trees = trees_of(exprs)
    return exprs[0].with_tree(exp.Coalesce(this=trees[0], expressions=trees[1:]), *exprs[1:])


def struct(run: Run, call: Invocation) -> Value:
    """pl.struct("a", b=pl.col("c"))"""
    exprs = named_exprs(run, call.with_arguments(call.arguments, without_options(call.keywords)))
    parts = [item(ColumnValue(each.tree, (each.name or each.root or "",))) for each in exprs]
    if not exprs:
        return Expr(exp.Null(), root=LITERAL)

    return joined_selectors(exprs[0].with_tree(exp.Struct(expressions=parts), *exprs[1:]))


def without_options(keywords: Keywords) -> Keywords:
    """Return the keywords that are columns."""
    return {key: held for key, held in keywords.items() if key not in ("schema", "eager")}


def template(run: Run, call: Invocation) -> Value:
    """pl.format("{}-{}", "a", "b")"""
    return row_wise("format")(run, call.with_arguments(call.arguments[1:], {}))


def element(run: Run, call: Invocation) -> Value:
    """pl.element()      an element of the list that list.eval is called on"""
    return Expr(exp.Null(), root=LITERAL)


def field(run: Run, call: Invocation) -> Value:
    """pl.field("city")      a field of the current struct"""
    return Expr(exp.Null(), root=str(argument_at(call.arguments)))


def when(run: Run, call: Invocation) -> Value:
    """pl.when(pl.col("a") > 1)"""
    return begin_when(run, call)


def fold(run: Run, call: Invocation) -> Value:
    """pl.fold(acc, function, exprs), pl.reduce(function, exprs), pl.map_batches(exprs, function)"""
    given = [*call.arguments, *call.keywords.values()]
    exprs = [
        each
        for held in given
        if isinstance(held, (Expr, Selector, list, tuple))
        for each in exprs_of(run, [held], call.node)
    ]
    return row_wise("fold")(run, call.with_arguments(list(exprs), {}))


def correlation(run: Run, call: Invocation) -> Value:
    """pl.corr("a", "b")"""
    exprs = exprs_of(run, call.arguments[:2], call.node)
    name = getattr(getattr(call.node, "func", None), "attr", "corr")
    function = "covar_samp" if "cov" in name else "corr"
    return exprs[0].aggregate(build_call(function, trees_of(exprs)), *exprs[1:])


def no_column(run: Run, call: Invocation) -> Value:
    """pl.int_range(pl.len()), pl.date(2024, 1, 1), pl.repeat(0, 3)"""
    exprs = [expr_of(run, each, call.node) for each in call.arguments if isinstance(each, Expr)]
    tree = exp.Anonymous(this="value", expressions=trees_of(exprs))
    return Expr(tree, root=exprs[0].root if exprs else LITERAL)


def sql_expr(run: Run, call: Invocation) -> Value:
    """pl.sql_expr("a + b AS c")"""
    text = argument_at(call.arguments)
    trees = parse_items(run, text, call.node) if isinstance(text, str) else []
    made = list(map(from_tree, trees))
    if not made:
        return unknown_expr(run, text, call.node)

    if len(made) == 1:
        return made[0]

    return made


def from_tree(tree: Any) -> Expr:
    """Return the expression of an item of a SELECT list."""
    if isinstance(tree, exp.Alias):
        return Expr(tree.this, name=tree.alias)

    return Expr(tree, root=tree.name or LITERAL)


def index_columns(run: Run, call: Invocation) -> Value:
    """pl.nth(0), pl.first(), pl.last()"""
    if call.arguments and isinstance(call.arguments[0], str):
        name = getattr(getattr(call.node, "func", None), "attr", "first")
        return METHODS.get(name, METHODS["first"])(
            run, column_expr(run, call.arguments[0], call.node), call.with_arguments([], {})
        )

    return expand_selector(run, unknown_selector(run, call.with_arguments([], {})), call.node)


def aggregates_of(names: list[str]) -> dict[str, LibraryCall]:
    """Return the functions that are the methods of the same name."""
    return {name: aggregate_columns(name) for name in names}


ROW_WISE = """concat_str concat_list concat_arr max_horizontal min_horizontal sum_horizontal
    mean_horizontal all_horizontal any_horizontal arctan2 duration arg_sort_by
    cum_sum_horizontal""".split()  # noqa: SIM905
NO_COLUMN = """int_range int_ranges date_range date_ranges datetime_range datetime_ranges repeat
    ones zeros date datetime time linear_space from_epoch business_day_count row_index
    time_range arange""".split()  # noqa: SIM905

FUNCTIONS: dict[str, LibraryCall] = {
    "col": col,
    "lit": lit,
    "all": of_all,
    "exclude": exclude,
    "len": length,
    "count": length,
    "when": when,
    "coalesce": coalesce,
    "struct": struct,
    "format": template,
    "element": element,
    "field": field,
    **dict.fromkeys(("fold", "reduce", "map_batches", "cum_fold", "map_groups", "cum_reduce"), fold),
    **dict.fromkeys(("corr", "cov", "rolling_corr", "rolling_cov"), correlation),
    "sql_expr": sql_expr,
    **dict.fromkeys(("nth", "first", "last"), index_columns),
    **{name: row_wise(name) for name in ROW_WISE},
    **dict.fromkeys(NO_COLUMN, no_column),
    **aggregates_of([
        each for each in ("sum", "mean", "min", "max", "median", "std", "var", "any", "quantile",
                          "implode", "approx_n_unique") if each in AGGREGATE_NAMES
    ]),
    "n_unique": aggregate_columns("n_unique"),
    "cum_sum": aggregate_columns("cum_sum"),
    "cum_count": aggregate_columns("cum_count"),
    "head": aggregate_columns("head"),
    "tail": aggregate_columns("tail"),
}  # fmt: skip

Made = Callable[[Run, str, Any], Expr]


def column_member(name: str) -> Expr:
    """pl.col.amount"""
    return Expr(exp.Column(this=identifier(name)), root=name)

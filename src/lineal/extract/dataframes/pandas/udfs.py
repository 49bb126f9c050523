"""Bodies of pandas UDFs: a call gives an expression over the arguments that the body uses.

Each argument is a series whose only origin is its own position. The lineage of what the body
returns then says how each argument is used, and the expression of the call says the same of the
columns of Spark.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage
from lineal.extract.dataframes.pandas.calls import Call
from lineal.extract.dataframes.pandas.trees import aggregate, aggregate_call, leaf, window_over
from lineal.extract.dataframes.pandas.values import Body, Series
from lineal.extract.pyspark.columns.functions import FOLLOW_BODY, doubt_of
from lineal.extract.pyspark.columns.trees import column
from lineal.extract.pyspark.decorators import takes
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_known, items_of
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import ColumnValue, Generator, Udf, Value
from lineal.extract.sql.naming import output_name
from lineal.model.edge import Column, Dataset, Doubt
from lineal.model.sequences import flatten, second_of_each
from lineal.model.way import IDENTITY, How, Way

ARGUMENTS = Dataset("", "arguments of a pandas UDF")


def follow_udf(run: Run, udf: Udf, given: Invocation) -> ColumnValue | None:
    """Return the column that a pandas UDF makes; None where its body cannot be followed.

    net("price", "rate")
    """
    columns = [*given.arguments, *given.keywords.values()]
    if not columns or takes(udf.body, "DataFrame"):
        return None

    trees = [column(run, each, given.node) for each in columns]
    body = Body(Relation([], {}))
    series = [series_at(run, body, position, given.node) for position in range(len(trees))]
    positional, named = given_to(udf, series, list(given.keywords))
    results = results_of(invoke(run, udf.body, given.with_arguments(positional, named)))
    if results is None:
        return None

    call = Call(run, [], {}, given.node)
    tree = expression_of(call, udf, trees, uses_of(call, body, results))
    doubts = [each.doubt for each in results if isinstance(each, Series)]
    return ColumnValue(tree, doubt=strongest([*doubts, doubt_of(given.arguments)]))


def series_at(run: Run, body: Body, position: int, node: ast.AST) -> Series:
    """Return the argument at a position, as the body sees it."""
    origin = Column(ARGUMENTS, str(position))
    slot = Slot("argument", "argument", {(origin, IDENTITY): None})
    return Series(leaf(run, slot, node), None, body)


def given_to(
    udf: Udf, series: list[Series], names: list[str]
) -> tuple[list[Value], dict[str, Value]]:
    """Return arguments and keywords of a body: series, or an iterator over series or tuples of them."""
    if udf.is_iterator:
        is_pair = len(series) > 1 or takes(udf.body, "Tuple") or takes(udf.body, "tuple")
        batch: Value = tuple(series) if is_pair else series[0]
        return [Generator([batch])], {}

    count = len(series) - len(names)
    return list(series[:count]), dict(zip(names, series[count:], strict=True))


def results_of(made: Value) -> list[Value] | None:
    """Return the results of a body, each batch of an iterator; None where that is not known."""
    results = items_of(made) if isinstance(made, Generator) else [made]
    if not results or not all(isinstance(each, Series) or is_constant(each) for each in results):
        return None

    return results


def is_constant(held: Value) -> bool:
    """Tell whether a value is a number or a text that the program writes."""
    return isinstance(held, (str, int, float)) and is_known(held)


def strongest(doubts: Iterable[Doubt | None]) -> Doubt | None:
    """Return the strongest of some doubts; None where nothing is in doubt."""
    return min((each for each in doubts if each is not None), default=None)


# -- how each argument is used ---------------------------------------------------------------------

Use = tuple[Column, str]
"""An argument, or a column of another dataset that the body reads; and a row of PARTS."""

USES = {How.IDENTITY: "same", How.TRANSFORMATION: "value", How.AGGREGATION: "aggregate"}
TEST = "test"


def uses_of(call: Call, body: Body, results: Sequence[Value]) -> list[Use]:
    """Return how the arguments are used: in the value, and in the conditions that the body asks."""
    values = [call.fit_series(each, {}) for each in results if isinstance(each, Series)]
    uses = [use_of(*key) for tree in values for key in lineage_of(call, body, tree)]
    asked = flatten(lineage_of(call, body, each.tree) for each in body.asked)
    return sorted({*uses, *((origin, TEST) for origin, _ in asked)})


def lineage_of(call: Call, body: Body, tree: Any) -> Lineage:
    """Return the lineage of an expression of the body."""
    return call.lineage(tree, body.relation, call.evaluation())


def use_of(origin: Column, way: Way) -> Use:
    """Return the use of one argument: a use that adds nothing to the value decides it."""
    kind = USES.get(way.how, TEST)
    if kind == "aggregate" and way.masked:
        kind = "count"

    return origin, kind


# -- the expression of a call ----------------------------------------------------------------------


def as_it_is(tree: Any) -> Any:
    """Return the argument itself."""
    return tree


def decides(tree: Any) -> Any:
    """Return a choice that an argument decides, without a value."""
    return exp.If(this=tree, true=exp.Null())


IN_AGGREGATE = {
    "same": as_it_is,
    "value": as_it_is,
    "aggregate": as_it_is,
    "count": lambda tree: aggregate("count", tree),
    TEST: decides,
}
PARTS = {
    **IN_AGGREGATE,
    "aggregate": lambda tree: window_over(aggregate_call("aggregate", tree)),
    "count": lambda tree: window_over(aggregate("count", tree)),
}
"""The expression that stands for each use; a scalar UDF aggregates over a batch and keeps the rows."""


def expression_of(call: Call, udf: Udf, trees: list[Any], uses: list[Use]) -> Any:
    """Return the expression of a call, under the name that Spark gives to it."""
    kind = exp.AnonymousAggFunc if udf.aggregates else exp.Anonymous
    parts = IN_AGGREGATE if udf.aggregates else PARTS
    used = [parts[use](tree_of(call, origin, trees)) for origin, use in uses]
    whole = kind(this=udf.name, expressions=[each.copy() for each in trees])
    made: Any = kind(this=udf.name, expressions=used)
    if second_of_each(uses) == ["same"] and not udf.aggregates:
        made = exp.Paren(this=used[0])

    made.meta["called"] = output_name(whole, 0, call.evaluation())[0]
    return made


def tree_of(call: Call, origin: Column, trees: list[Any]) -> Any:
    """Return the column of Spark that an argument is, or the column of another dataset."""
    if origin.dataset == ARGUMENTS:
        return trees[int(origin.name)].copy()

    return leaf(call.run, Slot(origin.name, origin.name, {(origin, IDENTITY): None}), call.node)


FOLLOW_BODY.append(follow_udf)

"""Functions of the program over elements and rows: apply, map, transform with followable bodies."""

from __future__ import annotations

import ast
from typing import Any

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import unite_lineages
from lineal.extract.dataframes.pandas.calls import Call, relations_of
from lineal.extract.dataframes.pandas.trees import (
    case,
    holds_unknown,
    leaf,
    literal,
    transforming_call,
)
from lineal.extract.dataframes.pandas.values import Body, DataFrame, Row, Series, Table, Watch
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_known
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import LEAVES, WIDENED, nodes_below, size_of_tree
from lineal.extract.pyspark.values import (
    Choice,
    Class,
    Function,
    Instance,
    Native,
    Partial,
    Unknown,
    Value,
    trees_of,
)
from lineal.extract.sql.nodes import meta_of
from lineal.model.diagnostic import Code
from lineal.model.edge import Doubt
from lineal.model.sequences import flatten, instances
from lineal.model.way import Confidence

FOLLOWED = (Function, Partial, Instance, Native)
OPAQUE = Doubt(
    Confidence.MEDIUM, False, "a function of the program that is not followed to its end"
)


def apply_to_element(call: Call, series: Series, function: Value, *more: Value) -> Series:
    """Return what a function makes of each element of a series.

    df["x"].apply(lambda x: x * 2), df["x"].map(labels)
    """
    if not isinstance(function, FOLLOWED):
        return series.with_tree(
            transforming_call(label_of(function), series.tree, *map(call.tree, more))
        )

    watch = Watch()
    element = Series(series.tree, series.name, series.table, watch=watch, doubt=series.doubt)
    watch.seen.append(element)
    made = looked_up(call, run_on_elements(call, function, [element, *more]), series.table)
    tree, doubt = value_of(call, made, watch)
    parents = (*series.parents, *relations_of([made]))
    return series.with_tree(tree, doubt=series.doubt or doubt, parents=parents)


def looked_up(call: Call, made: Value, table: Table) -> Value:
    """df["id"].apply(lambda i: prices[prices["id"] == i]["price"].sum())

    Return a value that a function found in another frame: what decides its rows there decides it.
    """
    if not isinstance(made, Series) or made.table.relation is table.relation:
        return made

    return made.with_tree(call.fit_series(made, table.relation.rows))


def apply_to_row(call: Call, table: Table, function: Value, *more: Value) -> Value:
    """Return what a function makes of each row of a frame.

    df.apply(lambda row: row["a"] + row["b"], axis=1)
    """
    watch = Watch()
    if not isinstance(function, FOLLOWED):
        trees = call.leaves(table.relation.attributes)
        return Series(transforming_call(label_of(function), *trees), None, table)

    made = run_on_elements(call, function, [Row(table, watch), *more])
    if isinstance(made, Row):
        return DataFrame(made.table)

    if isinstance(made, DataFrame):
        return made

    made = looked_up(call, made, table)
    tree, doubt = value_of(call, made, watch)
    return Series(tree, None, table, doubt=doubt, parents=tuple(relations_of([made])))


def run_on_elements(call: Call, function: Value, arguments: list[Value]) -> Value:
    """Call a function of the program with elements."""
    run = call.run
    run.elements += 1
    try:
        return invoke(
            run, function, Invocation(arguments, call.keywords.get("kwds", {}), call.node)
        )
    finally:
        run.elements -= 1


def value_of(call: Call, made: Value, watch: Watch) -> tuple[Any, Doubt | None]:
    """Return the value of a function over elements, decided by the conditions that it asked."""
    tests = trees_of(unique(watch.tests))
    doubt = None
    if isinstance(made, Series):
        tree, doubt = made.tree, made.doubt
    elif isinstance(made, (tuple, list)) and not holds_unknown(made):
        tree = literal(made)
    elif is_known(made) or isinstance(made, Choice) or is_of_constants(made):
        tree = literal(None)
    else:
        doubt = OPAQUE
        tree = transforming_call("apply", *trees_of(unique(watch.seen)))

    if tests:
        tree = case(tests, [tree] * len(tests))

    return tree, doubt


def is_of_constants(made: Value) -> bool:
    """Tell whether a value is computed of constants that conditions choose, and of no element.

    score += 1      an operator over an element gives a series, so this has none
    """
    return isinstance(made, Unknown) and made.reason in ("computed", "decided by a branch")


def unique(several: list[Series]) -> list[Series]:
    """Return series without repetition."""
    return list({id(each.tree): each for each in several}.values())


def label_of(function: Value) -> str:
    """Return how a function is called that is not followed."""
    name = getattr(function, "name", function)
    if isinstance(function, (str, Class)) or hasattr(function, "name"):
        return str(name).rpartition(".")[2]

    return "map"


def element_of(held: Series) -> Series:
    """for x in df["a"]: …      one element, for any of them"""
    if held.watch is not None:
        return held

    return Series(held.tree, held.name, held.table, watch=Watch(), parents=held.parents)


def ask(held: Series) -> None:
    """Take note of a condition that a function asks of an element, or a pandas UDF of a series."""
    if isinstance(held.table, Body):
        held.table.asked.append(held)

    if held.watch is not None:
        held.watch.tests.append(held)


def decide_by_elements(run: Run, made: Value, bound: list[Value], node: ast.AST) -> Value:
    """Return a value that conditions over elements choose.

    ["high" if x > 10 else y for x, y in zip(df["a"], df["b"])]
    """
    several = instances(bound, Series)
    watches = [each.watch for each in several if each.watch is not None]
    tests = flatten(watch.tests for watch in watches)
    if not tests or not (isinstance(made, (Series, Choice, *SCALARS)) or is_of_constants(made)):
        return made

    tree, doubt = value_of(Call(run, [], {}, node), made, Watch(tests, several))
    first = several[0]
    return first.with_tree(tree, doubt=doubt, parents=tuple(relations_of(several[1:])))


SCALARS = (str, int, float)


def merge_series(run: Any, left: Value, right: Value) -> Value:
    """Return the value of either branch of a function over elements.

    x if x > 0 else 0      the conditions are told by the watch
    """
    from lineal.extract.dataframes.pandas.merging import merge_columns

    watch = getattr(left, "watch", None) or getattr(right, "watch", None)
    if watch is None:
        return merge_columns(run, left, right)

    held = left if isinstance(left, Series) else right
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return Unknown("…", "not followed")

    trees = [each.tree if isinstance(each, Series) else literal(each) for each in (left, right)]
    return held.with_tree(transforming_call("either", *trees), watch=watch)


def bound_series(run: Run, held: Series, node: ast.AST) -> Series:
    """Widen a series whose expression has too many nodes: s = s + s, in a loop."""
    if held.tree.__class__ in LEAVES:
        return held

    size = size_of_tree(held.tree)
    if size >= NOTICED:
        run.step(size >> 6)

    if size <= MOST_OF_A_SERIES:
        return held

    run.report(Code.TOO_DEEP, f"{WIDENED.evidence}: {run.reading.text_of(node)}", node)
    run.widened += 1
    leaves = slots_below(held.tree)
    run.step(size >> 4)
    lineage = unite_lineages(meta_of(each)["slot"].lineage for each in leaves)
    made = leaf(run, Slot("value", "value", lineage), node)
    return held.with_tree(transforming_call("expression", made), doubt=WIDENED)


NOTICED = 64
MOST_OF_A_SERIES = 500
"""Nodes of the expression of a series, written out in full; a column that a frame holds counts as one."""


def slots_below(tree: Any) -> list[Any]:
    """Return every column in an expression, each once."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    waiting = [tree]
    while waiting:
        here = waiting.pop()
        if id(here) in seen:
            continue

        seen.add(id(here))
        slot = meta_of(here).get("slot")
        if slot is not None:
            found.setdefault(id(slot), here)

        waiting += nodes_below(here)

    return list(found.values())

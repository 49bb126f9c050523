"""Bounds on the sizes of abstract values.

Steps bound how long a program is followed; the bounds here keep each step small. A value that grows
beyond them is widened to one that is not known, or, of a column, to one that takes every column in
its expression with LOW confidence. Either is reported. `dispatch.value` asks `BOUNDS` about every
value that an expression makes, so an operation only has to take care that it does not make a huge
value of small ones at once: `"a" * 10**9` (`is_harmless` of operators), `"%999999999d" % 1`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Exhausted, Run
from lineal.extract.pyspark.values import ColumnValue, Generator, Pattern, Unknown, Value
from lineal.extract.sql.nodes import meta_of, part_names
from lineal.model.diagnostic import Code
from lineal.model.edge import Doubt
from lineal.model.sequences import any_is, instances
from lineal.model.way import Confidence

LONGEST_TEXT = 2_000_000
"""Characters of a text."""
MOST_ITEMS = 200_000
"""Items of a container, those of the containers in it included."""
MOST_NODES = 30_000
"""Nodes of a column's expression, written out in full."""
MOST_COLUMNS = 50_000
"""Columns of a DataFrame."""
MOST_DIGITS = 400
"""Digits to which a number is rounded."""

TOO_LONG = "a text that is too long"
TOO_LARGE = "a value that is too large"
WIDENED = Doubt(Confidence.LOW, False, "the expression is too large to be followed")

CONTAINERS = (list, tuple, dict, set, frozenset, Generator)
WRITTEN_NUMBER = 32
"""About as many characters as a number or a constant is written with."""


# -- sizes -----------------------------------------------------------------------------------------


def count_items(held: Value) -> int:
    """The items of a container, those of the containers in it included; stops beyond the bound."""
    waiting = [held]
    seen = 0
    while waiting and seen <= MOST_ITEMS:
        here = children_of(waiting.pop())
        seen += len(here)
        waiting += instances(here, CONTAINERS)

    return seen


def is_small(held: Value) -> bool:
    """Whether a container is small enough to be compared, hashed or written."""
    return count_items(held) <= MOST_ITEMS


def children_of(held: Value) -> list[Value]:
    """The items of a container; of a dict its keys and values."""
    if isinstance(held, dict):
        return [*held, *held.values()]

    if isinstance(held, Generator):
        return held.items

    return list(held)


def written_length(held: Value) -> int:
    """About how long the text of a constant is; stops counting beyond the longest text."""
    total = 0
    waiting = [held]
    while waiting and total <= LONGEST_TEXT:
        here = waiting.pop()
        if isinstance(here, (str, bytes)):
            total += len(here)
        elif isinstance(here, CONTAINERS):
            waiting += children_of(here)
        else:
            total += WRITTEN_NUMBER

    return total


def is_writable(held: Value) -> bool:
    """Whether the text of a constant is no longer than the longest text."""
    return isinstance(held, (int, float)) or written_length(held) <= LONGEST_TEXT


def size_of_tree(tree: Any) -> int:
    """The nodes of an expression, written out; c + c has c twice, although it is one tree.

    Each tree keeps its size, so that a larger one only looks at its own new nodes.
    """
    meta_of_root = tree._meta
    if meta_of_root and "size" in meta_of_root:
        return int(meta_of_root["size"])

    total = 1
    waiting = nodes_below(tree)
    while waiting and total <= MOST_NODES:
        here = waiting.pop()
        meta = here._meta
        if here.__class__ in LEAVES:
            total += 1
        elif meta and "size" in meta:
            total += meta["size"]
        else:
            total += 1
            waiting += nodes_below(here)

    if meta_of_root is None:
        meta_of_root = tree._meta = {}

    meta_of_root["size"] = total
    return total


def with_arm(case: Any, arm: Any) -> Any:
    """CASE with one more branch; its size is known without a look at the branches before.

    F.when(…).when(test, value)
    """
    made = exp.Case(ifs=[*case.args["ifs"], arm])
    if case.args.get("default") is None:
        made._meta = {"size": size_of_tree(case) + size_of_tree(arm)}

    return made


def nodes_below(tree: Any) -> list[Any]:
    """The nodes that a node of a tree has as its arguments."""
    found: list[Any] = []
    for argument in tree.args.values():
        if argument.__class__ is list:
            found += argument
        elif argument is not None:
            found.append(argument)

    return instances(found, exp.Expr)


LEAVES = frozenset((exp.Column, exp.Identifier, exp.Literal, exp.Star, exp.Null, exp.Boolean))


# -- bounds ----------------------------------------------------------------------------------------


def bound_text(run: Run, held: str, node: ast.AST) -> Value:
    """Widen a text that is longer than any statement."""
    if len(held) < 1024:
        return held

    run.step(len(held) >> 10)
    if len(held) <= LONGEST_TEXT:
        return held

    return widen(run, TOO_LONG, node)


def bound_container(run: Run, held: Any, node: ast.AST) -> Value:
    """Widen a list, tuple, dict or set with more items than anything that is written by hand."""
    size = len(held)
    inside = held.values() if isinstance(held, dict) else held
    if any_is(inside, CONTAINERS):
        size = count_items(held)

    if size >= 32:
        run.step(size >> 5)

    if size > MOST_ITEMS:
        return widen(run, TOO_LARGE, node)

    return held


def widen(run: Run, reason: str, node: ast.AST) -> Unknown:
    """Report a value that is not followed any more, and return one that is not known."""
    run.report(Code.DYNAMIC, f"{reason}: {run.reading.text_of(node)}", node, gap=False)
    return Unknown("…", reason)


def bound_column(run: Run, held: ColumnValue, node: ast.AST) -> Value:
    """Widen a column whose expression has too many nodes: c = c + c, in a loop."""
    if held.tree.__class__ in LEAVES:
        return held

    size = size_of_tree(held.tree)
    if size >= 64:
        run.step(size >> 6)

    if size <= MOST_NODES:
        return held

    run.report(Code.TOO_DEEP, f"{WIDENED.evidence}: {run.reading.text_of(node)}", node)
    return ColumnValue(leaves_of(held.tree), held.names, WIDENED)


def leaves_of(tree: Any) -> Any:
    """One expression of every column in a tree, each once."""
    found: dict[tuple[Any, ...], Any] = {}
    seen: set[int] = set()
    waiting = [tree]
    while waiting:
        here = waiting.pop()
        if id(here) in seen:
            continue

        seen.add(id(here))
        if here.__class__ is exp.Column:
            found.setdefault(column_key(here), here)
        else:
            waiting += nodes_below(here)

    return exp.Anonymous(this="expression", expressions=list(reversed(found.values())))


def column_key(tree: exp.Column) -> tuple[Any, ...]:
    """Return the key that distinguishes two columns of an expression: the name, and the DataFrame
    of df.x.
    """
    bound = meta_of(tree).get("bound")
    return (*part_names(tree), bound.id if bound is not None else None)


def bound_relation(run: Run, held: Relation, node: ast.AST) -> Value:
    """Give up on a DataFrame with more columns than anybody has."""
    charge_columns(run, len(held.attributes))
    return held


def bound_frame(run: Run, held: Any, node: ast.AST) -> Value:
    """Give up on a frame of pandas, Polars or Snowpark with more columns than anybody has."""
    charge_columns(run, len(held.relation.attributes))
    return held


def charge_columns(run: Run, count: int) -> None:
    """Count the work that so many columns are; raise Exhausted if there are too many."""
    if count >= 16:
        run.step(count >> 4)

    if count > MOST_COLUMNS:
        raise Exhausted(f"a DataFrame of more than {MOST_COLUMNS:,} columns is not followed")


def charge_item(run: Run, scope: FrameScope, tree: Any, columns: int) -> None:
    """Count the work that a new column is: the influences that it takes, the columns that its name
    may mean, and all columns so far.
    """
    cost = scope.poured >> 5
    if cost:
        scope.poured = 0

    if tree.__class__ is exp.Column:
        cost += len(scope.relation.by_key.get(tree.name.lower(), ())) >> 3

    run.step(cost)
    if columns > MOST_COLUMNS:
        charge_columns(run, columns)


def charge_items(run: Run, held: Any, more: int) -> None:
    """Count the work that an extension of a container is; raise Exhausted if it gets too long."""
    run.step(more >> 6)
    if len(held) + more > MOST_ITEMS:
        raise Exhausted(f"a list of more than {MOST_ITEMS:,} items is not followed")


BOUNDS: dict[type, Callable[[Run, Any, Any], Value]] = {
    str: bound_text,
    Pattern: bound_text,
    list: bound_container,
    tuple: bound_container,
    dict: bound_container,
    set: bound_container,
    ColumnValue: bound_column,
    Relation: bound_relation,
}
"""The size of a value that an expression has made, by its class."""

"""The walk over an expression: from the outside in, with a stack of its own.

A sum of 5,000 terms is no recursion. A node whose class is in no table is an operator or a
function: everything below it is transformed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sqlglot import exp

from lineal.algebra.expression import (
    VALUE,
    value,
)
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Expression, Lineage, absorb, pour, pour_and_decide
from lineal.extract.sql.scope import Scope
from lineal.model.way import IDENTITY as NEUTRAL
from lineal.model.way import Way, compose

Calls: TypeAlias = "tuple[exp.Expr, Calls] | None"
"""The calls around a node, innermost first."""

Stack = list[tuple[Any, Way, Calls]]
"""Nodes that are still to be read, each with the way from it to the result."""


class Visit:
    """The state that all handlers of one walk share.

    stack: the nodes that are still to be read; scope: where names are looked up; into: the lineage
    that is gathered.
    """

    __slots__ = ("into", "scope", "stack")

    def __init__(self, stack: Stack, scope: Scope, into: Lineage) -> None:
        """Keep the parts of a walk; every gathered expression makes one."""
        self.stack = stack
        self.scope = scope
        self.into = into


Handler = Callable[[Any, Way, Calls, Visit], None]
"""handler(node, way, calls, visit)

node: what is read; way: what is done to it on the way to the result; calls: the calls around it,
innermost first; visit: where its children are pushed, and its columns are looked up and gathered.

Other front ends enter handlers of this shape into the table, too.
"""

HANDLERS: dict[type, Handler] = {}
"""The handler of each class of node; the package fills it, and the walk adds what it meets."""

FAMILIES: dict[type, Handler] = {}
"""The handler of a class that has none of its own, by the first family it belongs to."""


def gather(root: exp.Expr, way: Way, into: Lineage, scope: Scope, calls: Calls = None) -> None:
    """Add the influences of every column below `root`, each composed with `way`.

    The two kinds of node that make up most of any query, columns and binary operators, are done in
    place.
    """
    stack: Stack = [(root, way, calls)]
    visit = Visit(stack, scope, into)
    pop = stack.pop
    push = stack.append
    find = HANDLERS.get
    resolve = scope.column
    while stack:
        node, way, calls = pop()
        handler = find(node.__class__)
        if handler is column:
            if node.args["this"].__class__ is STAR:
                star(node, way, calls, visit)
            else:
                take(resolve(node), way, into, node, calls)
        elif handler is binary:
            step = way.after.get(VALUE) or compose(way, VALUE)
            around = (node, calls)
            args = node.args
            right = args["expression"]
            kind = right.__class__
            if kind is COLUMN:
                take(resolve(right), step, into, right, around)
            elif kind is not LITERAL:
                push((right, step, around))

            left = args["this"]
            if left.__class__ is COLUMN:
                take(resolve(left), step, into, left, around)
            else:
                push((left, step, around))
        elif handler is connector:
            step = way.after.get(VALUE) or compose(way, VALUE)
            args = node.args
            push((args["expression"], step, calls))
            push((args["this"], step, calls))
        elif handler is without_columns:
            continue
        elif handler is None:
            HANDLERS[node.__class__] = handler_for(node.__class__)
            push((node, way, calls))
        else:
            handler(node, way, calls, visit)


def handler_for(kind: type) -> Handler:
    """Find the handler of a class that is in no table: that of the first family it belongs to."""
    return next(handler for family, handler in FAMILIES.items() if issubclass(kind, family))


def take(slot: Slot, way: Way, into: Lineage, node: exp.Expr, calls: Calls) -> None:
    """Add a column's influences; a column taken straight from a dataset is one, and composing it
    changes nothing.
    """
    scanned = slot.scanned
    if scanned is not None:
        key = (scanned, way)
        if key not in into:
            into[key] = (node, calls, None, None)
            return

    pour(slot.lineage, way, into, node, calls)


COLUMN, LITERAL, STAR = exp.Column, exp.Literal, exp.Star


def expression_in(scope: Scope, node: exp.Expr) -> Expression:
    """An expression in the scope that its names are looked up in."""
    return lambda way, into: gather(node, way, into, scope)


def value_of(node: exp.Expr, way: Way, scope: Scope) -> Lineage:
    """Gather the lineage of an expression into a new one."""
    into: Lineage = {}
    gather(node, way, into, scope)
    return into


def column(node: exp.Column, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a column.

    orders.amount      the amount of orders
    """
    pour(visit.scope.column(node).lineage, way, visit.into, node, calls)


def binary(node: exp.Binary, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a binary operator.

    a + b, a = b, a AND b      both are transformed
    """
    operator(node, way, calls, visit)


def connector(node: exp.Connector, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk AND and OR.

    a AND b      both are transformed; AND itself is no step worth naming on the path
    """
    push_children(node, value(way), calls, visit.stack)


def without_columns(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a node without columns.

    42, 'text', INTEGER      no column below
    """


def operator(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Transform every operand: the default for operators without a handler."""
    push_children(node, value(way), (node, calls), visit.stack)


def push_children(node: exp.Expr, step: Way, around: Calls, stack: Stack) -> None:
    """Push the children of a node, so that the first is walked first."""
    for child in reversed(node.args.values()):
        if child.__class__ is list:
            for item in reversed(child):
                if item.__class__ not in PLAIN and isinstance(item, exp.Expr):
                    stack.append((item, step, around))
        elif child is not None and child.__class__ not in PLAIN and isinstance(child, exp.Expr):
            stack.append((child, step, around))


PLAIN = frozenset((bool, str, int, exp.Literal, exp.DataType, exp.Var))
"""Arguments of nodes that have no column below them."""


def pass_children(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a node that passes its children on.

    DISTINCT a, b      nothing is done to either
    """
    push_children(node, way, calls, visit.stack)


def pass_only_child(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a node that passes its only child on.

    (a), a AS b      only what stands inside, the alias is no column
    """
    if node.this is not None:
        visit.stack.append((node.this, way, calls))


def named_argument(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a named argument.

    f(name => a), {name: a}      only a
    """
    visit.stack.append((node.args["expression"], way, calls))


def star(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a star inside an expression.

    hash(*), struct(t.*)      every column
    """
    for slot in visit.scope.evaluation.star_slots(node, visit.scope):
        pour(slot.lineage, way, visit.into, node, calls)


Law = Callable[[Sequence[Any], Way], list[tuple[Any, Way]]]


def push_by_law(law: Law, arguments_: Sequence[Any], way: Way, around: Calls, stack: Stack) -> None:
    """Push arguments, each with what it is to the value by an argument law; the first is walked
    first.
    """
    for argument, step in reversed(law(arguments_, way)):
        stack.append((argument, step, around))


def value_and_condition(
    node: exp.Expr, way: Way, around: Calls, scope: Scope, into: Lineage
) -> None:
    """Walk a node that is a value and decides, too: it is walked once and poured twice, or ten
    nested COALESCEs would take a thousand walks.
    """
    if node.__class__ not in PLAIN:
        found = Apart()
        gather(node, NEUTRAL, found, scope)
        pour_and_decide(found, way, into, None, around)
        absorb(found.rows, rows_of(into))


class Apart(dict[tuple[Any, Way], Any]):
    """A lineage that is still to be composed, and the rows of its subqueries, which are not."""

    def __init__(self) -> None:
        """Start without lineage; `rows` is kept apart from it."""
        super().__init__()
        self.rows: Lineage = {}


def rows_of(into: Lineage) -> Lineage:
    """Where the rows of a subquery go: next to a lineage that is still to be composed."""
    if into.__class__ is Apart:
        return into.rows

    return into

"""Lambdas and the functions that take them, and functions written in SQL.

SELECT transform(xs, x -> x.price + a), f(a)
"""

from __future__ import annotations

from collections.abc import Iterator

from lineal.algebra.expression import value
from lineal.extract.catalyst.expressions.calls import by_function_table
from lineal.extract.catalyst.expressions.paths import FIELDS, KEEPS_ITEMS
from lineal.extract.catalyst.expressions.refits import original_of
from lineal.extract.catalyst.expressions.replaceable import arguments_of
from lineal.extract.catalyst.expressions.scope import Scope
from lineal.extract.catalyst.expressions.stack import Calls, Visit, push_children
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.way import Way

READS_ITEMS = frozenset(
    ("ArrayTransform", "ArrayExists", "ArrayForAll", "ZipWith", "ArrayAggregate")
)
"""Functions whose value is made of what a lambda reads of the items, and of no item as a whole."""


def lambda_function(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """x -> x + a      only the body"""
    visit.stack.append((node.children[0], way, calls))


def items_or_entries(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """transform(xs, x -> x.price + a), map_from_arrays(ks, vs)

    xs.price and a, unless the engine fits xs to a type by it
    """
    original = original_of(node)
    if original is not None:
        visit.stack.append((original, way, calls))
    else:
        read_items(node, way, calls, visit)


def read_items(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """exists(xs, x -> x.price > a), zip_with(xs, ys, (x, y) -> x.price * y)

    xs.price and a, xs.price and ys: an array that is read by fields only is not read as a whole
    """
    by_fields = bind_items(node, visit.scope) if node.name in READS_ITEMS else set()
    arguments: list[Node] = []
    for child in node.children:
        arguments.extend(plain_array(child, visit.scope)[1] if id(child) in by_fields else [child])

    by_function_table(node, arguments, way, calls, visit.stack)


def bind_items(call: Node, scope: Scope) -> set[int]:
    """Let variables of which only fields are read stand for the items of their arrays.

    Returns the arrays that no variable reads as a whole.
    """
    whole, by_fields = set(), set()
    for function in call.children:
        for variable, array in items_of(function, call):
            if reads_fields_only(variable, function.children[0]):
                scope.plan.items[expression_id(variable.args)] = plain_array(array, scope)[0]
                by_fields.add(id(array))
            else:
                whole.add(id(array))

    return by_fields - whole


def items_of(function: Node, call: Node) -> Iterator[tuple[Node, Node]]:
    """Pair the variables of a lambda with the arrays whose items they are.

    zip_with(xs, ys, (x, y) -> …), reduce(xs, 0, (sum, x) -> …), array_sort(xs, (x, y) -> …)
    """
    if function.name != "LambdaFunction":
        return

    variables = function.children[1:]
    arrays = [child for child in call.children if child.name != "LambdaFunction"]
    if call.name == "ArrayAggregate":
        yield from zip(variables[1:2], arrays[:1], strict=False)
    elif call.name in KEEPS_ITEMS:
        yield from ((variable, arrays[0]) for variable in variables)
    else:
        yield from zip(variables, arrays, strict=False)


def plain_array(node: Node, scope: Scope) -> tuple[Node, list[Node]]:
    """Return the array that calls take their items from, and what else the calls read.

    The variables of those calls stand for items of the array, too.

    array_sort(filter(xs, x -> x.p > a))      xs, and the lambda
    """
    others: list[Node] = []
    while passes_fields(node):
        bind_items(node, scope)
        node, *more = arguments_of(node)
        others.extend(more)

    return node, others


def passes_fields(call: Node) -> bool:
    """Tell whether a field of the items of a call is that field of its array.

    filter(xs, x -> x.p > 1)      and not array_sort(xs), filter(xs, x -> f(x)): there whole items
    decide which items they are
    """
    return call.name in KEEPS_ITEMS and all(
        all(field_uses(variable, function.children[0]))
        for function in call.children
        for variable, _ in items_of(function, call)
    )


def reads_fields_only(variable: Node, body: Node) -> bool:
    """Tell whether an expression reads fields of a variable, and never the variable as a whole."""
    uses = field_uses(variable, body)
    return bool(uses) and all(uses)


def field_uses(variable: Node, body: Node) -> list[bool]:
    """Tell for each use of a variable whether it reads a field."""
    key = expression_id(variable.args)
    uses = []
    waiting = [(body, False)]
    while waiting:
        node, leads_on = waiting.pop()
        if node.name == "NamedLambdaVariable" and expression_id(node.args) == key:
            uses.append(leads_on)

        is_field = node.name in FIELDS and bool(FIELDS[node.name](node))
        first = is_field or (leads_on and node.name in ("Cast", *FIELDS))
        for position, child in enumerate(arguments_of(node)):
            waiting.append((child, first and position == 0))

    return uses


def scalar_function(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """f(a), a SQL function, inlined      what its body does to a"""
    push_children(node.children, value(way), (node, calls), visit.stack)

"""A part of a value: the field of a struct, the item of an array, the value of a map.

SELECT s.y.z, m['k'].z, xs[0].z
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lineal.algebra.expression import value
from lineal.algebra.lineage import Lineage, pour
from lineal.algebra.values import read_part
from lineal.extract.catalyst.expressions.lambdas import bind_items, passes_fields
from lineal.extract.catalyst.expressions.leaves import column_in
from lineal.extract.catalyst.expressions.paths import FIELDS, KEEPS_ITEMS
from lineal.extract.catalyst.expressions.refits import original_of
from lineal.extract.catalyst.expressions.replaceable import arguments_of
from lineal.extract.catalyst.expressions.scope import Scope
from lineal.extract.catalyst.expressions.stack import Calls, Visit
from lineal.extract.catalyst.expressions.structs import (
    BUILDERS,
    carried_struct,
    lineage_with_parts,
)
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.way import Way


def struct_field(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """s.y.z, m['k'].z, xs[0].z

    the path stays on the origin; a struct built here gives only what is read of it
    """
    path: list[str] = []
    base = node
    around = (node, calls)
    while base.name in FIELDS or (path and leads_on(base, visit.scope)):
        if base.name == "NamedLambdaVariable":
            base = visit.scope.plan.items[expression_id(base.args)]
            continue

        arguments = arguments_of(base)
        if base.name in FIELDS:
            path[:0] = FIELDS[base.name](base)
        elif base.name in KEEPS_ITEMS:
            bind_items(base, visit.scope)

        if base.name != "Cast":
            visit.stack.extend((other, value(way), around) for other in arguments[1:])

        base = arguments[0]

    base = column_in(base)
    whole = lineage_of_base(base, path, visit.scope)
    if whole is None:
        visit.stack.append((part_of_choice(base, path), value(way), around))
    else:
        pour(read_part(whole, path), value(way), visit.into, node, around)


def leads_on(node: Node, scope: Scope) -> bool:
    """filter(xs, x -> x.p > 1)[0].q, x -> x.q, cast(s AS …).q      what a path goes through"""
    if node.name == "NamedLambdaVariable":
        return expression_id(node.args) in scope.plan.items

    return node.name == "Cast" or passes_fields(node)


def part_of_choice(node: Node, path: list[str]) -> Node:
    """if(c, a, b).x, coalesce(a, b).x      if(c, a.x, b.x), coalesce(a.x, b.x)

    Any other expression is returned as it is.
    """
    positions = CHOSEN.get(node.name)
    if not path or positions is None or original_of(node) is not None:
        return node

    children = list(node.children)
    for at in positions(len(children)):
        for name in path:
            children[at] = Node("GetStructField", {"field": {"name": name}}, [children[at]])

    return Node(node.name, node.args, children)


CHOSEN: dict[str, Callable[[int], Iterable[int]]] = {
    "CaseWhen": lambda count: [at for at in range(count) if at % 2 or at == count - 1],
    "If": lambda count: range(1, count),
    "Coalesce": range,
}
"""The positions of the values among the children of a choice; the others are tests."""


def lineage_of_base(base: Node, path: list[str], scope: Scope) -> Lineage | None:
    """The lineage that a path leads into: a column's, or a struct's that is built here."""
    if base.name == "AttributeReference":
        return scope.find_attribute(base).lineage

    if base.name in BUILDERS:
        return lineage_with_parts(base, scope)

    if not path:
        return None

    return carried_struct(base, scope)

"""Functions of which the engine keeps what it computes instead.

SELECT nvl(a, b), nullif(a, 0), left(a, 2), count_if(a > 1)
"""

from __future__ import annotations

from lineal.algebra.expression import (
    chosen_by_first,
    chosen_by_operand,
    first_that_is_there,
    first_unless_equal,
)
from lineal.extract.catalyst.expressions.calls import by_function_table
from lineal.extract.catalyst.expressions.scope import Scope
from lineal.extract.catalyst.expressions.stack import (
    Calls,
    Law,
    Visit,
    by_law,
    push_children,
)
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.way import Way

REPLACED: dict[str, Law] = {
    "Nvl": first_that_is_there,
    "IfNull": first_that_is_there,
    "ZeroIfNull": first_that_is_there,
    "NullIf": first_unless_equal,
    "NullIfZero": first_unless_equal,
    "Nvl2": chosen_by_first,
    "Decode": chosen_by_operand,
}
"""Functions of which the engine keeps what it computes instead, by the law of what the user wrote.
"""

TWO_MEANINGS = {"Decode": 2}
"""decode(a, 'UTF-8')      with so many arguments it is a function like any other"""


def replaceable(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """nvl(a, b), left(a, 2), count_if(a)

    as the user wrote it, not as the engine will compute it
    """
    arguments = arguments_of(node)
    if not arguments or any(is_stale(argument, visit.scope) for argument in arguments):
        push_children(node.children, way, calls, visit.stack)
        return

    law = REPLACED.get(node.name)
    if law is not None and len(arguments) != TWO_MEANINGS.get(node.name):
        by_law(law, node, arguments, way, calls, visit.stack)
    else:
        by_function_table(node, arguments, way, calls, visit.stack)


def is_stale(node: Node, scope: Scope) -> bool:
    """t JOIN t, and nullif(a, 1) of either

    the analyzer gives one side new ids, but not what the user wrote
    """
    attributes = node.find_all("AttributeReference")
    return not all(scope.knows_attribute(expression_id(each.args)) for each in attributes)


def arguments_of(node: Node) -> list[Node]:
    """try_element_at(a, 1)      a and 1, which its replacement may hold in any shape"""
    if "replacement" not in node.args:
        return node.children

    fields = [field for field in node.args if field != "replacement"]
    return node.trees_of(fields)

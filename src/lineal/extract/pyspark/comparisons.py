"""Comparisons and conditions over abstract values: ==, in, and, or."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from lineal.extract.pyspark.branches import merged
from lineal.extract.pyspark.columns import trees
from lineal.extract.pyspark.dispatch import EXPRESSIONS, value
from lineal.extract.pyspark.protocols import asked, iterated
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import (
    Choice,
    Class,
    ColumnValue,
    Function,
    Generator,
    Instance,
    Pattern,
    Unknown,
    Value,
    all_known,
    is_known,
    is_text,
    items_of,
    truth,
)

COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.eq, ast.IsNot: operator.ne, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def compare(run: Run, node: ast.Compare, env: Environment) -> Value:
    """a == b, 1 < a <= b, a in b"""
    left = value(run, node.left, env)
    result: Value = True

    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = value(run, right_node, env)
        has_column = isinstance(left, ColumnValue) or isinstance(right, ColumnValue)
        if has_column and type(op) in trees.COMPARED:
            return trees.compare(run, type(op), left, right, node)

        outcome = compared_by_class(run, op, left, right, node)
        if outcome is None:
            return Unknown("…", "a condition")
        if outcome is False:
            result = False
        left = right

    return result


def compared(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    """Return whether a comparison holds; None where only a run can tell."""
    if isinstance(op, IDENTITY) and right is None and not isinstance(left, (Unknown, Choice)):
        return (left is None) == isinstance(op, ast.Is)
    if isinstance(op, MEMBERSHIP) and is_known(left):
        return answer_for(contains(right, left), isinstance(op, ast.In))
    if not is_known(left) or not is_known(right):
        return compared_objects(op, left, right)

    try:
        return bool(COMPARISONS[type(op)](left, right))
    except Exception:
        return None


IDENTITY = (ast.Is, ast.IsNot)
MEMBERSHIP = (ast.In, ast.NotIn)


def contains(held: Value, wanted: Value) -> bool | None:
    """ "a" in names      Return whether a constant is there; None where only a run can tell."""
    if isinstance(held, Generator):
        return None
    if isinstance(held, str):
        return wanted in held if isinstance(wanted, str) and is_text(held) else None
    items = items_of(held)
    if items is None:
        return None
    if any(is_known(item) and item == wanted for item in items):
        return True
    return False if all_known(items) else None


def answer_for(found: bool | None, positive: bool) -> bool | None:
    """Return the answer to a question, or to its opposite."""
    if found is None:
        return None
    return found == positive


def compared_by_class(run: Run, op: ast.cmpop, left: Value, right: Value, node: Any) -> bool | None:
    """name in cube, job == other      as their class says, where it says anything"""
    if isinstance(right, Instance) and isinstance(op, (ast.In, ast.NotIn)):
        said = asked(run, right, "__contains__", [left], node)
        if said is ...:
            return compared(op, left, iterated(run, right, node))

        return answer_for(truth(said), isinstance(op, ast.In))

    if isinstance(left, Instance) and isinstance(op, (ast.Eq, ast.NotEq)):
        said = asked(run, left, "__eq__", [right], node)
        if said is not ...:
            return answer_for(truth(said), isinstance(op, ast.Eq))

    return compared(op, left, right)


def compared_objects(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    """kind == Kind.RENAME, job is other      two members are one only if they are the same"""
    if not isinstance(op, (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)):
        return None

    wanted = isinstance(op, (ast.Eq, ast.Is))
    if left is right and isinstance(left, (Instance, Relation, Class, Function)):
        return wanted

    members = [
        held for held in (left, right) if isinstance(held, Instance) and held.home.enumerates
    ]
    if members and all(
        is_known(held) or any(held is member for member in members) for held in (left, right)
    ):
        return not wanted
    if isinstance(left, Class) and isinstance(right, Class):
        return not wanted
    return None


def boolean(run: Run, node: ast.BoolOp, env: Environment) -> Value:
    """a or b: the first that holds; both where only a run can tell"""
    last: Value = None
    maybe: list[Value] = []

    for item in node.values:
        last = value(run, item, env)
        known = truth(last)
        if known is None:
            maybe.append(last)
        elif known is isinstance(node.op, ast.Or):
            maybe.append(last)
            break

    if not maybe or (isinstance(node.op, ast.And) and truth(last) is False):
        return last
    if len(maybe) == 1 and maybe[0] is last:
        return maybe[0]
    return either(maybe if last in maybe else [*maybe, last])


def either(options: list[Value]) -> Value:
    """Return one of several values of `and` or `or`."""
    known = [option for option in options if is_known(option)]
    unknown = next((option for option in options if isinstance(option, (Unknown, Pattern))), None)
    if unknown is not None:
        return unknown
    if len(known) == len(options) and len({repr(option) for option in known}) > 1:
        return Choice(tuple(known))
    return options[0]


def conditional(run: Run, node: ast.IfExp, env: Environment) -> Value:
    """a if test else b"""
    test = truth(value(run, node.test, env))
    if test is not None:
        return value(run, node.body if test else node.orelse, env)
    return merged(run, value(run, node.body, env), value(run, node.orelse, env))


EXPRESSIONS.update({ast.Compare: compare, ast.BoolOp: boolean, ast.IfExp: conditional})

"""Comparisons and conditions over abstract values: ==, in, and, or."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from sqlglot import exp

from lineal.extract.pyspark.branches import merge_values
from lineal.extract.pyspark.columns import trees
from lineal.extract.pyspark.dispatch import EXPRESSIONS, operation_of, value
from lineal.extract.pyspark.knowledge import all_known, is_known, is_text, items_of, truth
from lineal.extract.pyspark.number_loops import note_test
from lineal.extract.pyspark.protocols import call_special, iterate
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
)
from lineal.model.sequences import all_are

COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.eq, ast.IsNot: operator.ne, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def compare(run: Run, node: ast.Compare, env: Environment) -> Value:
    """Evaluate a comparison.

    a == b, 1 < a <= b, a in b
    """
    left = value(run, node.left, env)
    result: Value = True

    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = value(run, right_node, env)
        has_column = isinstance(left, ColumnValue) or isinstance(right, ColumnValue)
        if has_column and type(op) in trees.COMPARED:
            return trees.compare(run, type(op), left, right, node)

        operation = operation_of(left, right)
        if operation is not None:
            return operation(run, type(op), left, right, node)

        outcome = compare_by_class(run, op, left, right, node)
        if outcome is None:
            return Unknown("…", "a condition")

        note_test(run, node, outcome, left, right)
        if outcome is False:
            result = False

        left = right

    return result


def compare_values(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    """Return whether a comparison holds; None where only a run can tell."""
    if isinstance(op, IDENTITY) and right is None and not isinstance(left, (Unknown, Choice)):
        return (left is None) == isinstance(op, ast.Is)

    if isinstance(op, MEMBERSHIP) and is_known(left):
        return answer_for(contains(right, left), isinstance(op, ast.In))

    if not is_known(left) or not is_known(right):
        return compare_objects(op, left, right)

    try:
        return bool(COMPARISONS[type(op)](left, right))
    except Exception:
        return None


IDENTITY = (ast.Is, ast.IsNot)
MEMBERSHIP = (ast.In, ast.NotIn)


def contains(held: Value, wanted: Value) -> bool | None:
    """Return whether a constant is there; None where only a run can tell.

    "a" in names
    """
    if isinstance(held, Generator):
        return None

    if isinstance(held, str):
        if isinstance(wanted, str) and is_text(held):
            return wanted in held

        return None

    items = items_of(held)
    if items is None:
        return None

    if any(is_known(item) and item == wanted for item in items):
        return True

    if all_known(items):
        return False

    return None


def answer_for(found: bool | None, positive: bool) -> bool | None:
    """Return the answer to a question, or to its opposite."""
    if found is None:
        return None

    return found == positive


def compare_by_class(
    run: Run, op: ast.cmpop, left: Value, right: Value, node: ast.AST
) -> bool | None:
    """Compare objects by their class.

    name in cube, job == other      as their class says, where it says anything
    """
    if isinstance(right, Instance) and isinstance(op, MEMBERSHIP):
        found = call_special(run, right, "__contains__", [left], node)
        if found is ...:
            return compare_values(op, left, iterate(run, right, node))

        return answer_for(truth(found), isinstance(op, ast.In))

    if isinstance(left, Instance) and isinstance(op, (ast.Eq, ast.NotEq)):
        found = call_special(run, left, "__eq__", [right], node)
        if found is not ...:
            return answer_for(truth(found), isinstance(op, ast.Eq))

    return compare_values(op, left, right)


def compare_objects(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    """Compare objects by identity.

    kind == Kind.RENAME, job is other      two members are one only if they are the same
    """
    if not isinstance(op, (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)):
        return None

    wanted = isinstance(op, (ast.Eq, ast.Is))
    if left is right and isinstance(left, (Instance, Relation, Class, Function)):
        return wanted

    if (is_member(left) or is_member(right)) and is_settled(left) and is_settled(right):
        return not wanted

    if isinstance(left, Class) and isinstance(right, Class):
        return not wanted

    return None


def is_member(held: Value) -> bool:
    """Tell whether a value is a member of an enumeration.

    Kind.RENAME
    """
    return isinstance(held, Instance) and held.home.enumerates


def is_settled(held: Value) -> bool:
    """Return whether a value is a constant or a member of an enumeration."""
    return is_known(held) or is_member(held)


def boolean(run: Run, node: ast.BoolOp, env: Environment) -> Value:
    """Evaluate `and` and `or`.

    a or b: the first that holds; both where only a run can tell
    """
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

    if all_are(maybe, ColumnValue):
        return ColumnValue(connect_conditions([each.tree for each in maybe], node.op))

    if last not in maybe:
        maybe.append(last)

    return one_of_values(maybe)


def connect_conditions(conditions: list[exp.Expr], operation: ast.boolop) -> exp.Expr:
    """Return the condition of a record that several fields decide.

    rec["status"] == "paid" and rec["qty"] > 1
    """
    kind = CONNECTORS[type(operation)]
    return reduce(lambda one, other: kind(this=one, expression=other), conditions)


CONNECTORS: dict[type[ast.boolop], type[exp.Expr]] = {ast.And: exp.And, ast.Or: exp.Or}
"""The SQL of Python's `and` and `or`."""


def one_of_values(options: list[Value]) -> Value:
    """Return one of several values of `and` or `or`."""
    for option in options:
        if isinstance(option, (Unknown, Pattern)):
            return option

    if all_known(options) and len(set(map(repr, options))) > 1:
        return Choice(tuple(options))

    return options[0]


def conditional(run: Run, node: ast.IfExp, env: Environment) -> Value:
    """Evaluate a conditional expression.

    a if test else b
    """
    asked = value(run, node.test, env)
    test = truth(asked)
    note_test(run, node.test, test, asked)
    if test is not None:
        return value(run, node.body if test else node.orelse, env)

    options = [value(run, each, env) for each in (node.body, node.orelse)]
    if isinstance(asked, ColumnValue) and all(map(fits_column, options)):
        return value_by_condition(run, asked, options, node)

    return merge_values(run, *options)


def fits_column(held: Value) -> bool:
    """Tell whether a value can be a branch of CASE: a column or a single constant."""
    return isinstance(held, (ColumnValue, str, int, float, type(None)))


def value_by_condition(
    run: Run, test: ColumnValue, options: list[Value], node: ast.IfExp
) -> ColumnValue:
    """Return the value of a record that one of its fields decides.

    "high" if rec["amount"] > 100 else "low"
    """
    body, orelse = (trees.literal(run, each, node) for each in options)
    return ColumnValue(exp.Case(ifs=[exp.If(this=test.tree, true=body)], default=orelse))


EXPRESSIONS.update({ast.Compare: compare, ast.BoolOp: boolean, ast.IfExp: conditional})

"""Conditions: CASE, IF, NULLIF, DECODE, ANY."""

from __future__ import annotations

from sqlglot import exp

from lineal.algebra.expression import (
    aggregate_of,
    chosen_by_first,
    chosen_by_operand,
    chosen_in_turns,
    value,
    when,
)
from lineal.extract.sql.expressions.walk import Calls, Visit, push_by_law, value_and_condition
from lineal.model.sequences import flatten
from lineal.model.way import Way


def case(node: exp.Case, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk CASE.

    CASE WHEN paid THEN amount END      paid: CONDITIONAL, amount: TRANSFORMATION
    """
    around = (node, calls)
    args = node.args
    items = flatten((arm.args["this"], arm.args["true"]) for arm in args["ifs"])
    if args.get("default") is not None:
        items.append(args["default"])

    push_by_law(chosen_in_turns, items, way, around, visit.stack)
    if args.get("this") is not None:
        visit.stack.append((args["this"], when(way), around))


def if_(node: exp.If, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk IF.

    IF(paid, amount, 0), NVL2(a, b, c)      the test decides, the branches are the value
    """
    branches = [
        node.args[branch] for branch in ("true", "false") if node.args.get(branch) is not None
    ]
    push_by_law(chosen_by_first, [node.args["this"], *branches], way, (node, calls), visit.stack)


def nullif(node: exp.Nullif, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk NULLIF.

    NULLIF(a, b)      a is the value, both decide
    """
    around = (node, calls)
    visit.stack.append((node.args["expression"], when(way), around))
    value_and_condition(node.args["this"], way, around, visit.scope, visit.into)


def decode(node: exp.DecodeCase, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk DECODE.

    DECODE(a, 1, b, 2, c, d)      a and the searched decide; b, c, d are the value
    """
    push_by_law(chosen_by_operand, node.expressions, way, (node, calls), visit.stack)


def range_n(node: exp.RangeN, way: Way, calls: Calls, visit: Visit) -> None:
    """RANGE_N(a BETWEEN 1 AND 9 EACH 3)      Teradata: the number of the range that a is in"""
    tested = node.this
    if isinstance(tested, exp.Identifier):
        tested = exp.Column(this=tested.copy())

    visit.stack.append((tested, when(way), (node, calls)))


def any_(node: exp.Any, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk ANY.

    a = ANY (…)      an operator; any(a), some(a): Spark's bool_or
    """
    compared = isinstance(node.parent, exp.Binary) and node.parent.args.get("expression") is node
    step = value(way) if compared or isinstance(node.this, exp.Query) else aggregate_of(way)
    visit.stack.append((node.this, step, (node, calls)))

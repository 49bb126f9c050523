"""Expression verbs: what an expression does to the values inside it.

An expression is walked from the outside in. The way so far (what will be done to the value) meets
the next step, and at a column it meets the column's own lineage, by one law: `compose(outer,
inner)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from lineal.model.way import Clause, How, Way, compose, way

VALUE = way(How.TRANSFORMATION)
AGGREGATED = way(How.AGGREGATION)
CONDITION = way(How.CONDITIONAL)
KEY = way(How.WINDOW)
WINDOWED = way(How.IDENTITY, windowed=True)
MASKED = way(How.TRANSFORMATION, masked=True)
COUNTED = way(How.AGGREGATION, masked=True)


def value(outer: Way) -> Way:
    """Return the way of a value that is transformed.

    a + 1      a: TRANSFORMATION
    """
    return outer.after.get(VALUE) or compose(outer, VALUE)


def aggregate_of(outer: Way) -> Way:
    """Return the way of a value that is aggregated.

    sum(a)      a: AGGREGATION
    """
    return outer.after.get(AGGREGATED) or compose(outer, AGGREGATED)


def when(outer: Way) -> Way:
    """Return the way of a value that decides between others.

    CASE WHEN a THEN …      a: CONDITIONAL
    """
    return outer.after.get(CONDITION) or compose(outer, CONDITION)


def over(outer: Way) -> Way:
    """Return the way of a key that partitions or orders a window.

    … OVER (PARTITION BY a)      a: WINDOW
    """
    return outer.after.get(KEY) or compose(outer, KEY)


def window_way(outer: Way) -> Way:
    """Return the way of a value that a window computes.

    sum(a) OVER (…)      the value is made by a window
    """
    return outer.after.get(WINDOWED) or compose(outer, WINDOWED)


def masking_way(outer: Way) -> Way:
    """Return the way of a value that cannot be recovered from the result.

    sha2(a, 256)      a: TRANSFORMATION, masked
    """
    return outer.after.get(MASKED) or compose(outer, MASKED)


def counting_way(outer: Way) -> Way:
    """Return the way of a value that is only counted.

    count(a)      a: AGGREGATION, masked
    """
    return outer.after.get(COUNTED) or compose(outer, COUNTED)


def decides(how: How, clause: Clause) -> Way:
    """WHERE …, ON …, GROUP BY …: the way of everything in a clause that decides rows."""
    return way(how, clause)


# -- what each argument of a call is to its value --------------------------------------------------
#
# An argument law takes arguments of any tree and the way so far; it gives each with its own way, in
# the order of
# walking. A front end only has to find the arguments.

Argument = TypeVar("Argument")
Arguments = list[tuple[Argument, Way]]


def chosen_in_turns(arguments: Sequence[Argument], outer: Way) -> Arguments[Argument]:
    """CASE WHEN a THEN b WHEN c THEN d ELSE e END      a, c: CONDITIONAL; b, d, e: TRANSFORMATION

    The arguments are a, b, c, d, e: tests and values by turns, and a last value for what no test
    has chosen.
    """
    test, branch = when(outer), value(outer)
    last = len(arguments) - 1
    return [
        (argument, test if position % 2 == 0 and position != last else branch)
        for position, argument in enumerate(arguments)
    ]


def chosen_by_operand(arguments: Sequence[Argument], outer: Way) -> Arguments[Argument]:
    """DECODE(a, 1, b, 2, c, d)

    A and what it is compared with: CONDITIONAL; b, c, d: TRANSFORMATION
    """
    operand, rest = arguments[:1], arguments[1:]
    return [*((each, when(outer)) for each in operand), *chosen_in_turns(rest, outer)]


def chosen_by_first(arguments: Sequence[Argument], outer: Way) -> Arguments[Argument]:
    """IF(a, b, c), NVL2(a, b, c)      a: CONDITIONAL; b, c: TRANSFORMATION"""
    test, branches = arguments[:1], arguments[1:]
    return [
        *((each, when(outer)) for each in test),
        *((branch, value(outer)) for branch in branches),
    ]


def first_that_is_there(arguments: Sequence[Argument], outer: Way) -> Arguments[Argument]:
    """COALESCE(a, b), NVL(a, b)

    a, b: TRANSFORMATION, and both decide which is taken: CONDITIONAL
    """
    return [
        *((argument, value(outer)) for argument in arguments),
        *((argument, when(outer)) for argument in arguments),
    ]


def first_unless_equal(arguments: Sequence[Argument], outer: Way) -> Arguments[Argument]:
    """NULLIF(a, b)      a: TRANSFORMATION; a, b: CONDITIONAL"""
    return [
        *((argument, value(outer)) for argument in arguments[:1]),
        *((argument, when(outer)) for argument in arguments),
    ]

"""Expression verbs: what an expression does to the values inside it.

An expression is walked from the outside in. The way so far (what will be done to the value) meets the next step,
and at a column it meets the column's own lineage, by one law: `compose(outer, inner)`.
"""

from __future__ import annotations

from lineal.model.way import Clause, How, Way, compose, way

VALUE = way(How.TRANSFORMATION)
AGGREGATED = way(How.AGGREGATION)
CONDITION = way(How.CONDITIONAL)
KEY = way(How.WINDOW)
WINDOWED = way(How.IDENTITY, windowed=True)
MASKED = way(How.TRANSFORMATION, masked=True)
COUNTED = way(How.AGGREGATION, masked=True)


def value(outer: Way) -> Way:
    """a + 1      a: TRANSFORMATION"""
    return outer.after.get(VALUE) or compose(outer, VALUE)


def aggregate_of(outer: Way) -> Way:
    """sum(a)      a: AGGREGATION"""
    return outer.after.get(AGGREGATED) or compose(outer, AGGREGATED)


def when(outer: Way) -> Way:
    """CASE WHEN a THEN …      a: CONDITIONAL"""
    return outer.after.get(CONDITION) or compose(outer, CONDITION)


def over(outer: Way) -> Way:
    """… OVER (PARTITION BY a)      a: WINDOW"""
    return outer.after.get(KEY) or compose(outer, KEY)


def windowed(outer: Way) -> Way:
    """sum(a) OVER (…)      the value is made by a window"""
    return outer.after.get(WINDOWED) or compose(outer, WINDOWED)


def masked(outer: Way) -> Way:
    """sha2(a, 256)      a: TRANSFORMATION, masked"""
    return outer.after.get(MASKED) or compose(outer, MASKED)


def counted(outer: Way) -> Way:
    """count(a)      a: AGGREGATION, masked"""
    return outer.after.get(COUNTED) or compose(outer, COUNTED)


def decides(how: How, clause: Clause) -> Way:
    """WHERE …, ON …, GROUP BY …: the way of everything that stands in a clause that decides rows."""
    return way(how, clause)

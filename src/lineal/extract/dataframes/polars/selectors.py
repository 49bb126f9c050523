"""polars.selectors: columns by name, type or place, and the sets that they make."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from lineal.extract.dataframes.polars.expressions import by_pattern, expr_of, named_columns, operate
from lineal.extract.dataframes.polars.methods import leaving_out
from lineal.extract.dataframes.polars.values import (
    EVERYTHING,
    NOTHING,
    PERHAPS,
    Open,
    Selector,
)
from lineal.extract.pyspark.dispatch import LibraryCall
from lineal.extract.pyspark.invocation import Arguments, Invocation
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.types import A_NUMBER
from lineal.extract.pyspark.values import Value
from lineal.model.sequences import instances

Answer = bool | None


def texts(arguments: Arguments) -> list[str]:
    """Return the names among arguments, lists flattened."""
    found: list[str] = []
    for each in arguments:
        several = [each] if isinstance(each, str) else items_of(each) or []
        found += [str(name) for name in several if isinstance(name, str)]

    return found


def select_all(run: Run, call: Invocation) -> Value:
    """cs.all()"""
    return Selector(lambda name, kind: True)


def empty(run: Run, call: Invocation) -> Value:
    """cs.empty()"""
    return Selector(lambda name, kind: False, NOTHING)


def by_name(run: Run, call: Invocation) -> Value:
    """cs.by_name("a", "b")"""
    return named_columns(texts(call.arguments))


def by_text(test: Callable[[str, str], bool]) -> LibraryCall:
    """Return a selector of columns by their names: cs.starts_with("x_")"""

    def make(run: Run, call: Invocation) -> Value:
        """Return a selector of the columns whose name passes the test with one of the texts."""
        wanted = texts(call.arguments)
        return Selector(lambda name, kind: any(test(name, each) for each in wanted), PERHAPS)

    return make


def matches(run: Run, call: Invocation) -> Value:
    """cs.matches("^x_")"""
    for pattern in texts(call.arguments):
        return by_pattern(pattern)

    return empty(run, call.with_arguments([], {}))


def exclude(run: Run, call: Invocation) -> Value:
    """cs.exclude("a"), pl.exclude("a")"""
    whole = Selector(lambda name, kind: True)
    others = instances(call.arguments, Selector)
    found = leaving_out(whole, texts(call.arguments)) if texts(call.arguments) else whole
    for other in others:
        found = difference(found, other)

    return found


TYPES = {
    "numeric": r"tinyint|smallint|int|bigint|float|double|decimal|long|short|byte",
    "integer": r"tinyint|smallint|int|bigint|long|short|byte",
    "signed_integer": r"tinyint|smallint|int|bigint|long|short|byte",
    "unsigned_integer": r"u\w*int",
    "float": r"float|double",
    "string": r"string|text|varchar|char",
    "boolean": r"bool",
    "date": r"date$",
    "datetime": r"timestamp",
    "temporal": r"date|timestamp|time",
    "time": r"time$",
    "duration": r"interval",
    "decimal": r"decimal",
    "binary": r"binary",
    "list": r"array",
    "array": r"array",
    "struct": r"struct",
    "nested": r"array|struct",
    "categorical": r"categorical",
    "enum": r"enum",
    "object": r"object",
}
"""Selectors by type, and the types of a schema that they take."""


def by_type(pattern: str) -> LibraryCall:
    """Return a selector of columns by their types: cs.numeric()"""
    wanted = re.compile(pattern)

    def test(name: str, kind: str) -> Answer:
        """Tell whether a column has the type; None where its type is unknown."""
        if kind not in ("", A_NUMBER):
            return wanted.match(kind.lower()) is not None

        return None

    return lambda run, call: Selector(test, PERHAPS)


def unknown_selector(run: Run, call: Invocation) -> Value:
    """cs.by_dtype(pl.Int64), cs.first()      Return a selector of which only a run knows what it takes."""
    return Selector(lambda name, kind: None, PERHAPS)


SELECTORS: dict[str, LibraryCall] = {
    "all": select_all,
    "empty": empty,
    "by_name": by_name,
    "starts_with": by_text(str.startswith),
    "ends_with": by_text(str.endswith),
    "contains": by_text(str.__contains__),
    "matches": matches,
    "exclude": exclude,
    **{name: by_type(pattern) for name, pattern in TYPES.items()},
    **dict.fromkeys(
        ("by_dtype", "by_index", "first", "last", "alpha", "digit", "alphanumeric"),
        unknown_selector,
    ),
}


# -- sets of columns -------------------------------------------------------------------------------


def all_of(left: Answer, right: Answer) -> Answer:
    """Return whether both hold; None where only a run can tell."""
    if left is False or right is False:
        return False

    if left is None or right is None:
        return None

    return True


def negate(held: Answer) -> Answer:
    """Return the opposite; None where only a run can tell."""
    if held is None:
        return None

    return not held


OPPOSITE: dict[Open, Open] = {EVERYTHING: NOTHING, NOTHING: EVERYTHING, PERHAPS: PERHAPS}


def complement(held: Selector) -> Selector:
    """~cs.numeric()"""
    names = frozenset(each.lower() for each in held.names)
    return Selector(lambda name, kind: negate(held.test(name, kind)), OPPOSITE[held.unnamed], names)


def intersection(left: Selector, right: Selector) -> Selector:
    """cs.numeric() & cs.starts_with("x_")"""
    # of Open, (False, True) comes before (True, False): nothing, perhaps, everything
    narrower = {left.unnamed, right.unnamed} - {EVERYTHING}
    unnamed = min(narrower, default=EVERYTHING)
    names = tuple(each for each in left.names if right.test(each, "") is True)
    return Selector(
        lambda name, kind: all_of(left.test(name, kind), right.test(name, kind)),
        unnamed,
        left.excepted | right.excepted,
        names,
    )


def difference(left: Selector, right: Selector) -> Selector:
    """cs.all() - cs.by_name("id")"""
    return intersection(left, complement(right))


def union(left: Selector, right: Selector) -> Selector:
    """cs.numeric() | cs.string()"""
    return complement(intersection(complement(left), complement(right)))


SETS: dict[type, Callable[[Selector, Selector], Selector]] = {
    ast.BitOr: union,
    ast.BitAnd: intersection,
    ast.Sub: difference,
}


def operate_on_selectors(run: Run, op: type, left: Value, right: Value, node: ast.AST) -> Value:
    """cs.numeric() - cs.by_name("id") is a set; cs.numeric() * 2 is an expression"""
    if op is ast.Invert:
        return complement(left)

    if isinstance(left, Selector) and isinstance(right, Selector) and op in SETS:
        return SETS[op](left, right)

    sides = [
        expr_of(run, each, node) if isinstance(each, Selector) else each for each in (left, right)
    ]
    return operate(run, op, sides[0], sides[1], node)

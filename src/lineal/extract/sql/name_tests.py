"""Tests of column names, and names made of column names: COLUMNS(lambda c: c LIKE 'a%'),
COLUMNS('a_(.*)') AS '\\1'.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.extract.sql.evaluation import Evaluation
from lineal.model.patterns import SlowPattern, compile_pattern, is_like
from lineal.model.sequences import all_are

NameTest = Callable[[str], Any]


def test_of_names(node: exp.Expr) -> NameTest | None:
    """Read a condition about column names.

    lambda c: c LIKE 'user%' OR c IN ('id', 'name')

    as a test of names; None where it asks something else
    """
    if isinstance(node, exp.Paren):
        return test_of_names(node.this)

    if isinstance(node, exp.Not):
        inner = test_of_names(node.this)
        if inner is None:
            return None

        return lambda name: not inner(name)

    if isinstance(node, (exp.And, exp.Or)):
        one, other = test_of_names(node.this), test_of_names(node.expression)
        if one is None or other is None:
            return None

        both = all if isinstance(node, exp.And) else any
        return lambda name: both((one(name), other(name)))

    if not isinstance(node.this, (exp.Column, exp.Identifier)):
        return None

    if isinstance(node, exp.In):
        names = {item.name for item in node.expressions}
        plain = names and all_are(node.expressions, exp.Literal)
        if plain:
            return negate_test(node, names.__contains__)

        return None

    compared = node.args.get("expression")
    if not isinstance(compared, exp.Literal):
        return None

    make = NAME_TESTS.get(type(node))
    if make is not None:
        return negate_test(node, make(compared.name))

    return None


def negate_test(node: exp.Expr, test: NameTest) -> NameTest:
    """Return the negation of a test.

    c NOT LIKE 'a%'      the contrary
    """
    if node.args.get("negate"):
        return lambda name: not test(name)

    return test


NAME_TESTS: dict[type, Callable[[str], NameTest]] = {
    exp.EQ: lambda text: lambda name: name == text,
    exp.NEQ: lambda text: lambda name: name != text,
    exp.Like: lambda text: partial(is_like, text),
    exp.ILike: lambda text: like_folded(text),
    exp.StartsWith: lambda text: lambda name: name.startswith(text),
    exp.EndsWith: lambda text: lambda name: name.endswith(text),
}


def like_folded(pattern: str) -> NameTest:
    """ILIKE 'user%'      as a test of names, in whatever case"""
    folded = pattern.lower()
    return lambda name: is_like(folded, name.lower())


def under_alias(
    slots: list[Slot], alias: Any, item: exp.Expr, evaluation: Evaluation
) -> list[Slot]:
    """max(COLUMNS(*)) AS m: each is called m; COLUMNS('(a)_b') AS '\\0_\\1': by the name, and
    groups of the pattern
    """
    found = item.find(exp.Columns)
    pattern = found.this.name if found is not None and isinstance(found.this, exp.Literal) else ""
    named = []
    for slot in slots:
        name = NAME_PART.sub(partial(_part, slot.name, pattern), alias.name)
        named.append(slot._replace(name=name, key=evaluation.fold(name, alias.args.get("quoted"))))

    return named


NAME_PART = re.compile(r"\\(\d)")


def _part(name: str, pattern: str, wanted: re.Match[str]) -> str:
    """The column's name for \\0, and what a group of the pattern matched for \\1."""
    number = int(wanted[1])
    try:
        matched = compile_pattern(pattern).search(name) if number else None
    except SlowPattern:
        matched = None

    if matched is None or number > (matched.re.groups or 0):
        if number:
            return ""

        return name

    return matched[number] or ""

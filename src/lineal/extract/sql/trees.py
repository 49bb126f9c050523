"""Words to trees: words that sqlglot would misread are replaced by others first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.brackets import closing_bracket
from lineal.extract.sql.pipes import is_step, with_pipes
from lineal.extract.sql.placeholders import is_open, with_values
from lineal.extract.sql.words import Words, first, says, word_like
from lineal.model.sequences import flatten, instances


def parse_words(words: Words, dialect: Dialect, text: str, part: str | None = None) -> list[Any]:
    """The trees of the statements; `part` is the part of the text that the words are from, if not
    all of it.
    """
    part = text if part is None else part
    piped = "|>" in part
    truncates = is_from_hive(type(dialect)) and TRUNCATES.search(part) is not None
    words = with_computed_units(words) if truncates else words
    trees = dialect.parser().parse(with_pipes(words) if piped else words, text)
    trees = without_places(trees) if piped else trees
    may_be_open = "{" in part or "&" in part
    trees = with_values(trees) if may_be_open and any(map(is_open, words)) else trees
    if truncates:
        return with_own_names(trees)

    return trees


@cache
def is_from_hive(dialect: type[Dialect]) -> bool:
    """Tell whether a dialect is Hive or builds on it, without loading Hive's module."""
    return any(each.__name__ == "Hive" for each in dialect.__mro__)


def without_places(trees: list[Any]) -> list[Any]:
    """Remove the places of the steps that the parser makes of a pipe, and of their stars: the text
    does not have them.
    """
    for tree in trees:
        for node in tree.find_all(exp.Identifier, exp.Star) if tree is not None else ():
            if is_step(node.name) or (isinstance(node, exp.Star) and node.meta.get("start") == 0):
                node.meta.clear()

    return trees


DEEP = 400
"""Levels of a tree that an ordinary statement does not reach, and that recursion may fail over."""


def nests_deeply(tree: Any) -> bool:
    """Whether a tree is so deep that what walks it may run out of calls."""
    level = [tree] if isinstance(tree, exp.Expression) else []
    for _ in range(DEEP):
        level = flatten(node.iter_expressions() for node in level)
        if not level:
            return False

    return True


NAMES = (exp.Alias, exp.TableAlias)
MISNAMED = "the name that AS gives must be a word, not a parameter or a value"
NO_NAMES = (exp.Placeholder, exp.Parameter, exp.SessionParameter, exp.Struct, exp.Array)


def find_bad_name(tree: Any) -> Any:
    """SELECT a AS @x, FROM t AS ?

    what has a value where its name must be; None if nothing has
    """
    if not isinstance(tree, exp.Expression):
        return None

    for node in tree.find_all(*NAMES):
        name = node.args.get("alias") if isinstance(node, exp.Alias) else node.args.get("this")
        if isinstance(name, NO_NAMES):
            if isinstance(node, exp.TableAlias):
                return node.parent

            return node

    return None


def columns_named(tree: Any) -> int:
    """How often a statement names a column, as far as its tree tells."""
    nodes = [tree] if isinstance(tree, exp.Expression) else []
    for node in nodes:  # grows while it is walked
        nodes.extend(node.iter_expressions())

    return sum(isinstance(node, exp.Column) for node in nodes)


# -- when they are done with -----------------------------------------------------------------------

LEAVES = (exp.Identifier, exp.Literal)
"""Most nodes of a tree: nobody is their child."""


def take_apart(trees: Iterable[object]) -> None:
    """Take trees apart: their nodes go when nobody holds them any more."""
    nodes = instances(trees, exp.Expression)
    for node in nodes:
        for value in node.args.values():
            for each in value if value.__class__ is list else (value,):
                if isinstance(each, exp.Expression) and each.__class__ not in LEAVES:
                    nodes.append(each)

        node.args.clear()


# -- date_trunc(lower(unit), a) --------------------------------------------------------------------

TRUNCATES = re.compile(r"trunc\s*\(", re.IGNORECASE)
UNITS = {"DATE_TRUNC": 0, "TRUNC": 1}
"""Which argument is the unit: of one that is not written out, the parser keeps a part of the name,
or nothing.
"""
OWN = "\u200b"
"""A mark behind a function's name, so that sqlglot does not know it."""


def with_computed_units(words: Words) -> Words:
    """Turn date functions with computed units into plain calls.

    date_trunc(lower(t.unit), a), trunc(a, t.unit)

    a function like any other: its unit is an expression
    """
    found = list(words)
    for at, word in enumerate(words):
        place = UNITS.get(word.text.upper())
        if place is None or not says(words, at + 1, "("):
            continue

        if computes_unit(words[at + 2 : closing_bracket(words, at + 1)], place):
            found[at] = word_like(word, TokenType.VAR, word.text + OWN)

    return found


def computes_unit(arguments: Words, place: int) -> bool:
    """Tell whether the unit of a date function is computed.

    date_trunc(lower(period), a)      a unit that is no text
    """
    comma = first(arguments, 0, ",")
    if comma is None:
        return False

    unit = arguments[:comma] if place == 0 else arguments[comma + 1 :]
    return len(unit) != 1 or unit[0].token_type is not TokenType.STRING


def with_own_names(trees: list[Any]) -> list[Any]:
    """Give calls of the project's own functions their names back."""
    for tree in trees:
        for call in tree.find_all(exp.Anonymous) if tree is not None else ():
            if isinstance(call.this, str):
                call.set("this", call.this.removesuffix(OWN))

    return trees

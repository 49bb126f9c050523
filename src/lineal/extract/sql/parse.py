"""Text to syntax trees: one bad statement never costs the others their result."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.one_statement import may_be_deep, shallow_tree, too_deep, why_unread
from lineal.extract.sql.placeholders import has_placeholders, is_open, places_of_values
from lineal.extract.sql.procedural.detection import may_be_procedural
from lineal.extract.sql.reading import Reading, offset_of
from lineal.extract.sql.repairs import given_up
from lineal.extract.sql.templates import template_of
from lineal.extract.sql.trees import parsed
from lineal.extract.sql.words import BATCHES, statements, words
from lineal.model.boundary import Report
from lineal.model.diagnostic import Code, Diagnostic

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

DEEPEST = 20_000


@contextmanager
def deep() -> Iterator[None]:
    """200 nested derived tables are a thousand Python calls: room for them."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


Parsed = tuple[list[Any], int, list[Diagnostic]]
"""The trees of a script's statements, how many statements there are, and what did not parse."""


def parse(reading: Reading) -> Parsed:
    """The trees of a script's statements, how many statements there are, and what did not parse."""
    templates, unread_statements = _templates(reading)
    trees, statements_, found = _parsed(reading)
    if has_placeholders(reading.script.text, reading.script.dialect):
        found = [*_placeholders(reading, trees), *found]
    return trees, statements_ + unread_statements, [*templates, *found]


def _parsed(reading: Reading) -> Parsed:
    """All statements at once; one by one, where that fails."""
    script = reading.script
    diagnostics: list[Diagnostic] = []
    if may_be_procedural(script.text, script.dialect):
        inside = procedural(reading, diagnostics.append)
        if inside is not None:
            return inside
    dialect = parser_dialect(script.dialect)
    tokens, unread = words(script)
    if not script.dialect or not (script.target or script.file):
        # names are taken from the text: those of expressions, or that of the statement
        reading.remember(tokens)
    message = "a string, a quoted name or a comment is not closed"
    diagnostics += [
        Diagnostic(Code.PARSE_ERROR, message, reading.place_at(offset)) for offset in unread
    ]
    if not unread and not (may_be_deep(script.text, len(tokens)) and too_deep(tokens)):
        try:
            trees = parsed(tokens, dialect, script.text)
            reading.statements = trees
            found = [tree for tree in trees if tree is not None]
            if not any(map(given_up, found)):
                return found, len(found) + lost_among(diagnostics), diagnostics
        except Exception:  # noqa: S110  each statement by itself tells what is wrong with it
            pass
        if script.dialect in BATCHES:
            inside = procedural(reading, diagnostics.append, surely=True)
            if inside is not None:
                return inside
    return _one_by_one(reading, tokens, diagnostics)


def procedural(reading: Reading, report: Report, surely: bool = False) -> Parsed | None:
    """The statements inside of procedural code, and T-SQL's that no semicolon ends."""
    from lineal.extract.sql.procedural import read

    return read(reading, report, surely)


def lost_among(diagnostics: list[Diagnostic]) -> int:
    """The statements that have no tree, and that nobody else counts."""
    return sum(
        diagnostic.code in (Code.PARSE_ERROR, Code.INTERNAL_ERROR) for diagnostic in diagnostics
    )


def _one_by_one(reading: Reading, tokens: list[Token], diagnostics: list[Diagnostic]) -> Parsed:
    unread = lost_among(diagnostics)
    trees: list[Any] = []
    chunks = list(statements(tokens))
    for chunk in chunks:
        tree = None
        try:
            tree = shallow_tree(chunk, reading)
        except Exception as error:
            diagnostics.append(why_unread(error, reading, chunk[0].start))
        trees.append(tree)
    reading.statements = trees
    return [tree for tree in trees if tree is not None], len(chunks) + unread, diagnostics


def _placeholders(reading: Reading, trees: list[Any]) -> list[Diagnostic]:
    """FROM t_${env}, SELECT {x}

    are read as they are, and never silently; ${x} as a value is a parameter
    """
    values = places_of_values(trees)
    alone = {offset_of(tree) for tree in trees if isinstance(tree, exp.Column)}
    for token in filter(is_open, reading.tokens):
        written = reading.script.text[token.start : token.end + 1]
        is_parameter = written[:1] in "$&" and token.start in values
        # with its template, or with its statement
        is_reported = "{{" in written or token.start in alone
        if not is_reported and not is_parameter:
            message = "a template stands here that was not rendered"
            return [Diagnostic(Code.DYNAMIC, message, reading.place_at(token.start))]
    return []


AS_PROJECT = (
    "Name the folder of the dbt project to have its templates rendered: lineal lineage PROJECT."
)


def _templates(reading: Reading) -> tuple[list[Diagnostic], int]:
    """What is said of a text that is a template, and how many of its statements are not read."""
    template = template_of(reading.script.text, reading.script.dialect)
    if template is None or not template.says_more:
        return [], 0
    found = []
    for opening, offset in ((each.opening, each.place) for each in template.unread):
        message = f"{opening} was not rendered: the statement is not read"
        found.append(Diagnostic(Code.DYNAMIC, message, reading.place_at(offset), AS_PROJECT))
    if template.unknown is not None:
        message = "a template stands here that was not rendered"
        found.append(
            Diagnostic(Code.DYNAMIC, message, reading.place_at(template.unknown.start), AS_PROJECT)
        )
    if not found:
        message = "the text is a Jinja template that was not rendered; ref() and source() are read as names"
        found.append(Diagnostic(Code.UNRENDERED, message, reading.place_at(0)))
    return found, len(template.unread)

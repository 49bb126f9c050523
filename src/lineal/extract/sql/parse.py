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
from lineal.extract.sql.one_statement import (
    may_be_deep,
    shallow_tree,
    too_deep,
    why_unread,
    words_left_over,
)
from lineal.extract.sql.placeholders import has_placeholders, is_open, places_of_values
from lineal.extract.sql.procedural.detection import may_be_procedural
from lineal.extract.sql.reading import Reading, offset_of
from lineal.extract.sql.repairs import given_up
from lineal.extract.sql.templates import advice_about, template_of
from lineal.extract.sql.trees import parse_words
from lineal.extract.sql.words import BATCHES, statements, word_at, words
from lineal.model.boundary import FAILED, Report
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.limits import Task, is_abandoned, key_of
from lineal.model.sequences import first_or_none, present

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

DEEPEST = 20_000


@contextmanager
def allow_deep_calls() -> Iterator[None]:
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
    trees, statements_, found = _parsed_within_limits(reading)
    if "result_scan" in reading.script.text.lower():
        read_last_results(trees)

    if has_placeholders(reading.script.text, reading.script.dialect):
        found = [*_placeholders(reading, trees), *found]

    return trees, statements_ + unread_statements, [*templates, *found]


def read_last_results(trees: list[Any]) -> None:
    """SELECT a FROM t; SELECT a FROM TABLE(RESULT_SCAN(LAST_QUERY_ID(-1)))

    Snowflake: the second query reads the rows of the first
    """
    queries: list[Any] = []
    for tree in trees:
        for node in list(tree.find_all(exp.TableFromRows)):
            number = number_of_query(node.this)
            if 0 < number <= len(queries) and node.parent is not None:
                rows = exp.Subquery(this=queries[-number].copy(), alias=node.args.get("alias"))
                node.replace(rows)

        if isinstance(tree, exp.Query):
            queries.append(tree)


def number_of_query(call: Any) -> int:
    """RESULT_SCAN(LAST_QUERY_ID(-2))      2: the query before the last; 0 for any other call"""
    if not isinstance(call, exp.Anonymous) or call.name.upper() != "RESULT_SCAN":
        return 0

    query = first_or_none(call.expressions)
    if not isinstance(query, exp.Anonymous) or query.name.upper() != "LAST_QUERY_ID":
        return 0

    argument = first_or_none(query.expressions)
    if argument is None:
        return 1

    before = isinstance(argument, exp.Neg) and argument.this.name.isdigit()
    return int(argument.this.name) if before else 0


def _parsed_within_limits(reading: Reading) -> Parsed:
    """All statements at once; one by one, if that took too much in an earlier attempt."""
    text = reading.script.text
    is_alone = reading.script.dialect not in BATCHES and ";" not in text.rstrip().rstrip(";")
    at_once = is_alone or not is_abandoned(key_of("script", text))
    with Task("script" if at_once else "statements", text, size=len(text)):
        return _parse_statements(reading, at_once)


def _parse_statements(reading: Reading, at_once: bool) -> Parsed:
    """All statements at once; one by one, where that fails."""
    script = reading.script
    diagnostics: list[Diagnostic] = []
    if may_be_procedural(script.text, script.dialect):
        inside = procedural(reading, diagnostics.append)
        if inside is not None:
            return inside

    tokens, unread = words(script)
    if not script.dialect or not (script.target or script.file):
        # names are taken from the text: those of expressions, or that of the statement
        reading.remember(tokens)

    message = "a string, a quoted name or a comment is not closed"
    diagnostics += [
        Diagnostic(Code.PARSE_ERROR, message, reading.place_at(offset)) for offset in unread
    ]
    if not unread and not (may_be_deep(script.text, len(tokens)) and too_deep(tokens)):
        found = _trees_at_once(reading, tokens) if at_once else None
        if found is not None:
            return found, len(found) + lost_among(diagnostics), diagnostics

        if script.dialect in BATCHES:
            inside = procedural(reading, diagnostics.append, surely=True)
            if inside is not None:
                return inside

    return _one_by_one(reading, tokens, diagnostics)


def _trees_at_once(reading: Reading, tokens: list[Token]) -> list[Any] | None:
    """The trees of all statements; None if one of them cannot be parsed as it is written."""
    script = reading.script
    try:
        trees = parse_words(tokens, parser_dialect(script.dialect), script.text)
        reading.statements = trees
        found = present(trees)
        return None if any(map(given_up, found)) else found
    except Exception:  # each statement by itself tells what is wrong with it
        return None


def procedural(reading: Reading, report: Report, surely: bool = False) -> Parsed | None:
    """The statements inside procedural code, and T-SQL's that no semicolon ends."""
    from lineal.extract.sql.procedural import read

    found = read(reading, report, surely)
    if found is None:
        return None

    trees, count, diagnostics = found
    # the head of a routine that does not parse is a statement as well
    return trees, max(count, len(trees) + lost_among(diagnostics)), diagnostics


def lost_among(diagnostics: list[Diagnostic]) -> int:
    """The statements that have no tree, and that nobody else counts."""
    return sum(
        diagnostic.code is Code.PARSE_ERROR or diagnostic.code in FAILED
        for diagnostic in diagnostics
    )


def _one_by_one(reading: Reading, tokens: list[Token], diagnostics: list[Diagnostic]) -> Parsed:
    """Parse each statement alone, so that one that fails does not lose the others."""
    unread = lost_among(diagnostics)
    trees: list[Any] = []
    chunks = list(statements(tokens))
    for chunk in chunks:
        try:
            tree = shallow_tree(chunk, reading)
            diagnostics += words_left_over(tree, reading, chunk[0].start)
            trees.append(tree)
        except Exception as error:
            several = [] if reading.script.dialect else _without_semicolons(reading, chunk)
            trees += several or [None]
            if not several:
                diagnostics.append(why_unread(error, reading, chunk[0].start))

    reading.statements = trees
    return present(trees), len(trees) + unread, diagnostics


FIRST_WORDS = frozenset(
    ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "CREATE", "DROP", "USE")
)


def _without_semicolons(reading: Reading, chunk: list[Token]) -> list[Any]:
    """The trees of statements that follow each other without a semicolon, if all of them parse.

    SELECT a FROM t INSERT INTO u SELECT b FROM v      in a file whose dialect nothing tells
    """
    from lineal.extract.sql.procedural.boundaries import end_of

    parts: list[list[Token]] = []
    at = 0
    while word_at(chunk, at) in FIRST_WORDS:
        end = end_of(chunk, at)
        parts.append(chunk[at:end])
        at = end

    if at < len(chunk) or len(parts) < 2:
        return []

    try:
        return [shallow_tree(part, reading) for part in parts]
    except Exception:
        return []


def _placeholders(reading: Reading, trees: list[Any]) -> list[Diagnostic]:
    """Report the placeholders of a text.

    FROM t_${env}, SELECT {x}

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
            message = "this part is a template that was not rendered"
            return [Diagnostic(Code.DYNAMIC, message, reading.place_at(token.start))]

    return []


def _templates(reading: Reading) -> tuple[list[Diagnostic], int]:
    """Return the diagnostics of a text that is a template, and how many of its statements are not
    read.
    """
    template = template_of(reading.script.text, reading.script.dialect)
    if template is None or not template.says_more:
        return [], 0

    found = []
    advice = advice_about(reading.script.text)
    for opening, offset in ((each.opening, each.place) for each in template.unread):
        message = f"{opening} was not rendered: the statement is not read"
        found.append(Diagnostic(Code.DYNAMIC, message, reading.place_at(offset), advice))

    if template.unknown is not None:
        message = "this part is a template that was not rendered"
        found.append(
            Diagnostic(Code.DYNAMIC, message, reading.place_at(template.unknown.start), advice)
        )

    if not found:
        message = "the text is a Jinja template that was not rendered; ref() and source() are read as names"
        found.append(Diagnostic(Code.UNRENDERED, message, reading.place_at(0)))

    return found, len(template.unread)

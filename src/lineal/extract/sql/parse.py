"""Text to syntax trees: one bad statement never costs the others their result."""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.reading import Reading
from lineal.model.diagnostic import Code, Diagnostic, Place

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


@contextmanager
def uncollected() -> Iterator[None]:
    """Syntax trees are many and all of them live: the cycle collector would go through them in vain, again and again.

    Freezing and unfreezing makes what was built old at once, so that the first collection afterwards leaves it alone.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if gc.get_freeze_count() == 0:
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def parse(reading: Reading) -> tuple[list[Any], int, list[Diagnostic]]:
    """The trees of a script's statements, how many statements there are, and what did not parse."""
    script = reading.script
    dialect = parser_dialect(script.dialect)
    try:
        tokens = dialect.tokenize(script.text)
    except TokenError as error:
        return [], 1, [Diagnostic(Code.PARSE_ERROR, one_line(error), _place(reading, error))]
    try:
        trees = [tree for tree in dialect.parser().parse(tokens, script.text) if tree is not None]
        return trees, len(trees), []
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, IndexError, KeyError):
        return _one_by_one(reading, tokens)


def _one_by_one(reading: Reading, tokens: list[Token]) -> tuple[list[Any], int, list[Diagnostic]]:
    dialect = parser_dialect(reading.script.dialect)
    trees: list[Any] = []
    diagnostics: list[Diagnostic] = []
    chunks = list(_chunks(tokens))
    for chunk in chunks:
        try:
            trees.extend(tree for tree in dialect.parser().parse(chunk, reading.script.text) if tree is not None)
        except RecursionError:
            at = reading.place_at(chunk[0].start)
            diagnostics.append(Diagnostic(Code.TOO_DEEP, "the statement nests too deeply", at))
        except (SqlglotError, ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
            at = _place(reading, error) or reading.place_at(chunk[0].start)
            diagnostics.append(Diagnostic(Code.PARSE_ERROR, one_line(error), at))
    return trees, len(chunks), diagnostics


def _chunks(tokens: list[Token]) -> Iterator[list[Token]]:
    chunk: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            if chunk:
                yield chunk
            chunk = []
        else:
            chunk.append(token)
    if chunk:
        yield chunk


def _place(reading: Reading, error: Exception) -> Place | None:
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        line, column = first.get("line"), first.get("col")
        if line and column:
            length = len(first.get("highlight") or "")
            return Place(reading.script.file or "<sql>", line + reading.script.line - 1, max(1, column - length + 1))
    return None


def one_line(error: Exception) -> str:
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        near = (first.get("highlight") or "").strip()
        description = str(first.get("description") or "not valid").rstrip(".")
        return f"{description}, near '{near}'" if near else description
    return " ".join(str(error).split())[:200] or type(error).__name__

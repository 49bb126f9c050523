"""One statement to its tree: what must not reach the parser, and why a statement has no tree."""

from __future__ import annotations

import re
from itertools import accumulate, repeat
from operator import attrgetter
from typing import Any

from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.reading import Reading
from lineal.extract.sql.repair_contracts import LEFT_OVER
from lineal.extract.sql.repairs import tree_of
from lineal.extract.sql.words import is_refusal
from lineal.model.boundary import internal_error, raised_in
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.late_pattern import late_pattern
from lineal.model.limits import Task
from lineal.model.redaction import is_redacting_literals, redact_text

DEEPEST_NESTING = 1_000
"""The compiled parser has no guard: it kills the process at some 3,000 levels, so deeper text never
reaches it.
"""


class TooDeep(Exception):
    """A statement that the parser must not see."""


def shallow_tree(words: list[Token], reading: Reading) -> Any:
    """The tree of one statement, which must not nest too deeply."""
    if too_deep(words):
        raise TooDeep

    text = reading.script.text
    start, end = words[0].start, words[-1].end + 1
    with Task("statement", text[start:end], size=end - start):
        return tree_of(words, reading.script.dialect, text)


def words_left_over(tree: Any, reading: Reading, start: int) -> list[Diagnostic]:
    """Return the words of a statement that a repair has left out and no rule understands."""
    meta = tree._meta if tree is not None else None
    if meta is None or LEFT_OVER not in meta:
        return []

    message = f"these words are not understood and left out: {meta[LEFT_OVER][:200]}"
    return [Diagnostic(Code.LEFT_OVER, message, reading.place_at(start))]


# -- what the parser must not see ------------------------------------------------------------------

OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE)
CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END)
STEPS = {**{chr(kind): 1 for kind in OPENING}, **{chr(kind): -1 for kind in CLOSING}}
PREFIXES = (TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE)
NESTED_TYPES = (TokenType.ARRAY, TokenType.STRUCT, TokenType.MAP, TokenType.LIST, TokenType.NESTED)
DEEPEST_TYPE = 100
"""The time that sqlglot takes for ARRAY<ARRAY<…>> grows with the cube of the depth."""
LONG = 2 * DEEPEST_NESTING
"""A statement that kills the parser without a bracket has three thousand words at least."""


def _any_of(kinds: tuple[TokenType, ...]) -> str:
    """Return a pattern that matches one token of these kinds."""
    return "[" + "".join(re.escape(chr(kind)) for kind in kinds) + "]"


TANGLED = late_pattern(
    rf"([^{re.escape(chr(TokenType.SEMICOLON))}])\1{{{DEEPEST_NESTING}}}"  # PRIOR PRIOR PRIOR …
    rf"|{_any_of(PREFIXES)}{{{DEEPEST_NESTING}}}"  # - + - NOT …
    # ARRAY<STRUCT<a: …
    rf"|(?:{_any_of(NESTED_TYPES)}{re.escape(chr(TokenType.LT))}.{{0,2}}){{{DEEPEST_TYPE}}}",
    re.DOTALL,
)
"""Kinds of words that nest in each other without a bracket, in a text where each character is the
kind of a word.
"""


def may_be_deep(text: str, words: int) -> bool:
    """Whether a statement can nest too deeply at all: a glance, since hardly any does."""
    return (
        words > LONG
        or text.count("(") + text.count("[") + text.count("{") > DEEPEST_NESTING
        or text.count("<") > DEEPEST_TYPE
    )


def too_deep(tokens: list[Token]) -> bool:
    """Whether brackets, CASE, types or signs are nested too deeply; without a loop, since texts are
    long.
    """
    kinds = "".join(map(chr, map(attrgetter("token_type"), tokens)))
    deepest = max(accumulate(map(STEPS.get, kinds, repeat(0))), default=0)
    return deepest > DEEPEST_NESTING or TANGLED.search(kinds) is not None


# -- what went wrong -------------------------------------------------------------------------------


def why_unread(error: Exception, reading: Reading, start: int) -> Diagnostic:
    """Why a statement has no tree: it nests too deeply, the parser refuses it, or lineal fails over
    it.
    """
    at = reading.place_at(start)
    ours = not raised_in(error, "sqlglot")
    if isinstance(error, TooDeep) or (isinstance(error, RecursionError) and not ours):
        return Diagnostic(Code.TOO_DEEP, "the statement nests too deeply", at)

    if is_refusal(error):
        return Diagnostic(Code.PARSE_ERROR, one_line(error), place_of_error(reading, error) or at)

    return internal_error(error, at)


def place_of_error(reading: Reading, error: Exception) -> Place | None:
    """Return the place of a parse error."""
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        line, column = first.get("line"), first.get("col")
        if line and column:
            length = len(first.get("highlight") or "")
            return reading.place_in(line, max(1, column - length + 1))

    return None


TOKEN = late_pattern(r"<Token token_type: TokenType\.(\w+), text: (.*?), line: .*", re.DOTALL)
MISSING = late_pattern(r"Required keyword: '\w+' missing for <class '[\w.]*?(\w+)'>")


def name_token(found: re.Match[str]) -> str:
    """Return a token of the parser's message as it may be shown."""
    if found[1] == "SENTINEL":
        return "the end"

    if is_redacting_literals() and found[1] not in ("VAR", "IDENTIFIER"):
        return f"a {found[1].lower().replace('_', ' ')}"

    return f"'{found[2]}'"


def one_line(error: Exception) -> str:
    """Return sqlglot's message in one line, without the names of its classes."""
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        near = (first.get("highlight") or "").strip()
        said = str(first.get("description") or "not valid").rstrip(".")
        said = TOKEN.sub(name_token, said)
        said = MISSING.sub(lambda found: f"{found[1].upper()} is not complete", said)
        near = redact_text(near)  # before it is quoted: quotes in quotes are not told apart
        return " ".join((f"{said}, near '{near}'" if near else said).split())[:300]

    return " ".join(str(error).split())[:200] or type(error).__name__

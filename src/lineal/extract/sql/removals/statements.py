"""Statements, taken out of a script of several."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.removals.edits import Cut, Refused, cut_text, line_end, line_start
from lineal.extract.sql.removals.templates import read_template
from lineal.extract.sql.words import FAILURES, words
from lineal.model.script import Script

NOT_TOP_LEVEL = frozenset(("BEGIN", "DECLARE", "DO"))
"""How a block begins whose statements cannot be taken out one by one."""


def remove_statement(text: str, file: str, dialect: str, lines: Iterable[int]) -> str:
    """Return a script without the statements that begin at some lines."""
    if file.lower().endswith((".py", ".ipynb", ".js", ".ts")):
        raise Refused("its program writes other datasets, too")

    try:
        tokens, _ = words(Script(read_template(text, file).masked, dialect))
    except FAILURES as problem:
        raise Refused("its script does not fall into words") from problem

    if any(token.text.upper() in NOT_TOP_LEVEL for token in tokens):
        raise Refused("its statement is part of a block")

    wanted = set(lines)
    cuts: list[Cut] = []
    start = 0
    for position, token in enumerate(tokens):
        is_last = position + 1 == len(tokens)
        if token.token_type is TokenType.SEMICOLON or is_last:
            first = tokens[start]
            if wanted & set(range(first.line, token.line + 1)):
                cuts.append(_whole_lines(text, first.start, token.end + 1))

            start = position + 1

    if not cuts:
        raise Refused("its statement was not found")

    return cut_text(text, cuts)


def _whole_lines(text: str, start: int, end: int) -> Cut:
    """Return a part of a text, with its lines if nothing else is on them."""
    first, last = line_start(text, start), line_end(text, end)
    if text[first:start].strip() or text[end:last].strip():
        return Cut(start, end)

    return Cut(first, last)

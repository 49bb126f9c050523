"""Text to words: what a script's statements are made of, also where a quote was never closed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.placeholders import has_placeholders, placed
from lineal.model.script import Script

Words = list[Token]

FAILURES = (SqlglotError, ValueError, TypeError, AttributeError, IndexError, KeyError, AssertionError)
"""What sqlglot raises over text that it cannot read; most of these are its own slips over broken input."""


def words(script: Script) -> tuple[list[Token], list[int]]:
    """The tokens of a script, and where the statements start that do not even fall into words."""
    text = readable(script.text)
    unread: list[int] = []
    try:
        tokens = parser_dialect(script.dialect).tokenize(text)
    except FAILURES:
        tokens = piecewise(text, script.dialect, unread)
    if has_placeholders(text, script.dialect):
        tokens = placed(tokens, text, script.dialect)
    return (batches(tokens) if script.dialect in BATCHES else tokens), unread


def readable(text: str) -> str:
    """The text without a byte order mark, every other character in its place."""
    return " " + text[1:] if text.startswith("\ufeff") else text


MOST_PIECES = 64
"""A string may hold so many semicolons before it is taken for one that was never closed."""


def piecewise(text: str, dialect: str, unread: list[int]) -> list[Token]:
    """SELECT 'a; SELECT b FROM t      a quote is not closed: the statements before and after it still count"""
    tokenize = parser_dialect(dialect).tokenize
    ends = [*(match.end() for match in re.finditer(";", text)), len(text)]
    tokens: list[Token] = []
    start = first = 0
    while first < len(ends):
        for last in range(first, min(first + MOST_PIECES, len(ends))):
            try:
                piece = tokenize(text[start : ends[last]])
            except FAILURES:
                continue
            tokens.extend(moved(piece, start, text))
            break
        else:
            last = first
            part = text[start : ends[first]]
            unread.append(start + len(part) - len(part.lstrip()))
        start, first = ends[last], last + 1
    return tokens


def moved(tokens: list[Token], by: int, text: str) -> list[Token]:
    """The tokens of a part, as tokens of the whole."""
    lines = text.count("\n", 0, by)
    indent = by - text.rfind("\n", 0, by) - 1
    for token in tokens:
        if token.line == 1:
            token.col += indent
        token.start += by
        token.end += by
        token.line += lines
    return tokens


BATCHES = frozenset(("tsql", "fabric"))
"""GO on a line of its own ends a batch: it is a word of the tools, not of the language."""


def batches(tokens: list[Token]) -> list[Token]:
    """SELECT a FROM t GO SELECT b FROM t, each on a line of its own      two statements"""
    return [
        Token(TokenType.SEMICOLON, ";", token.line, token.col, token.start, token.end)
        if token.text.upper() == "GO" and _alone(tokens, position)
        else token
        for position, token in enumerate(tokens)
    ]


def _alone(tokens: list[Token], position: int) -> bool:
    line = tokens[position].line
    return tokens[position].token_type is not TokenType.IDENTIFIER and all(
        not 0 <= near < len(tokens) or tokens[near].line != line for near in (position - 1, position + 1)
    )


def statements(tokens: list[Token]) -> Iterator[list[Token]]:
    """The tokens of each statement."""
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


# -- looking for words -------------------------------------------------------------------------------------------


def says(words: Words, position: int, text: str) -> bool:
    return 0 <= position < len(words) and words[position].text.upper() == text


def closing(words: Words, opening: int) -> int:
    """Where the parenthesis is closed that opens here; the end, if it is not."""
    depth = 0
    for position in range(opening, len(words)):
        depth += words[position].token_type is TokenType.L_PAREN
        depth -= words[position].token_type is TokenType.R_PAREN
        if depth == 0:
            return position
    return len(words) - 1


def first(words: Words, start: int, *texts: str) -> int | None:
    """The first of these words that stands in no parentheses."""
    depth = 0
    for position in range(start, len(words)):
        word = words[position]
        if word.token_type is TokenType.L_PAREN:
            depth += 1
        elif word.token_type is TokenType.R_PAREN:
            depth -= 1
        elif depth == 0 and word.text.upper() in texts and word.token_type not in QUOTED:
            return position
    return None


QUOTED = (TokenType.IDENTIFIER, TokenType.STRING)


def opening(words: Words, close: int) -> int:
    """Where the parenthesis opens that is closed here; 0, if it does not."""
    depth = 0
    for position in range(close, -1, -1):
        depth += words[position].token_type is TokenType.R_PAREN
        depth -= words[position].token_type is TokenType.L_PAREN
        if depth == 0:
            return position
    return 0


def like(word: Token, kind: TokenType, text: str) -> Token:
    """Another word at the same place."""
    return Token(kind, text, word.line, word.col, word.start, word.end)

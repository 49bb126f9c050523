"""Text to words: what a script's statements are made of, also where a quote was never closed."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.clients import as_engine_reads
from lineal.extract.sql.deep_calls import read_as_calls
from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.dialects.legacy_names import with_grammar_names
from lineal.extract.sql.dialects.nearest import as_grammar_reads
from lineal.extract.sql.placeholders import has_placeholders, put_placeholders
from lineal.extract.sql.templates import template_of
from lineal.model.boundary import raised_in
from lineal.model.script import Script

Words = list[Token]

FAILURES = (
    SqlglotError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    KeyError,
    AssertionError,
)
"""The errors that sqlglot raises over text that it cannot read; most of these are its own slips over broken
input.
"""


def is_refusal(error: Exception) -> bool:
    """Whether sqlglot cannot read a text: it says so, or slips over it. A slip of our own is none."""
    return isinstance(error, SqlglotError) or (
        isinstance(error, FAILURES) and raised_in(error, "sqlglot")
    )


def words(script: Script) -> tuple[list[Token], list[int]]:
    """The tokens of a script, and where the statements start that do not even fall into words."""
    text = readable_text(script.text, script.dialect)
    unread: list[int] = []
    try:
        tokens = parser_dialect(script.dialect).tokenize(text)
    except FAILURES:
        tokens = piecewise(text, script.dialect, unread)

    tokens = as_grammar_reads(tokens, script.written_in or script.dialect)
    return with_placeholders(tokens, script.text, script.dialect), unread


def with_placeholders(tokens: list[Token], text: str, dialect: str) -> list[Token]:
    """The tokens of a text, each placeholder one of them, deeply nested calls as calls, and names
    in the form that the grammar reads.
    """
    tokens = read_as_calls(tokens, text)
    if has_placeholders(text, dialect):
        tokens = put_placeholders(tokens, text, dialect)

    return with_grammar_names(tokens, dialect)


def open_replacements(tokens: list[Token], script: Script) -> list[Token]:
    """Return the tokens of a script with a token for each word of REPLACE INTO.

    REPLACE INTO t SELECT …      sqlglot takes all that follows REPLACE for one token
    """
    found: list[Token] = []
    for token in tokens:
        is_rest = bool(found) and found[-1].text.upper() == "REPLACE"
        start = found[-1].end + 1 if is_rest else 0
        if is_rest and script.text[start : token.end + 1].split(None, 1)[0].upper() == "INTO":
            found += words_of_part(script.text, start, token.end + 1, script.dialect)
        else:
            found.append(token)

    return found


def words_of_part(text: str, start: int, end: int, dialect: str) -> list[Token]:
    """The tokens of a part of a text as a dialect reads them, each in its place in the text; may
    raise FAILURES.
    """
    part = text[start:end]
    tokens = parser_dialect(dialect).tokenize(readable_text(part, dialect))
    return move_tokens(with_placeholders(tokens, part, dialect), start, text)


def readable_text(text: str, dialect: str) -> str:
    """The text without a byte order mark, a client's words and Jinja's tags, every other character
    in its place.
    """
    template = template_of(text, dialect) if "{" in text else None
    if template is not None:
        text = template.text

    return as_engine_reads(" " + text[1:] if text.startswith("\ufeff") else text, dialect)


MOST_PIECES = 64
"""A string may hold so many semicolons before it is taken for one that was never closed."""


def piecewise(text: str, dialect: str, unread: list[int]) -> list[Token]:
    """Split a text whose quotes are not closed.

    SELECT 'a; SELECT b FROM t

    a quote is not closed: the statements before and after it still count
    """
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

            tokens.extend(move_tokens(piece, start, text))
            break
        else:
            last = first
            part = text[start : ends[first]]
            unread.append(start + len(part) - len(part.lstrip()))

        start, first = ends[last], last + 1

    return tokens


def move_tokens(tokens: list[Token], by: int, text: str) -> list[Token]:
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
"""GO on a line of its own ends a batch, and with it the life of every variable."""


def statements(tokens: list[Token]) -> Iterator[list[Token]]:
    """The tokens of each statement."""
    chunk: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            if chunk:
                yield from views_in(chunk)

            chunk = []
        else:
            chunk.append(token)

    if chunk:
        yield from views_in(chunk)


def views_in(chunk: list[Token]) -> Iterator[list[Token]]:
    """Split views that no semicolon ends.

    CREATE OR REPLACE VIEW v AS SELECT … CREATE OR REPLACE VIEW w AS SELECT …
    """
    start = 0
    if chunk[0].token_type is TokenType.CREATE and says(chunk, 1, "OR"):
        for at in range(4, len(chunk)):
            if chunk[at].token_type is TokenType.CREATE and begins_view(chunk, start, at):
                yield chunk[start:at]
                start = at

    yield chunk[start:]


def begins_view(words: Words, start: int, at: int) -> bool:
    """CREATE OR REPLACE VIEW behind a whole view; anywhere else a CREATE may be part of it"""
    both = (start, at)
    return all(says_all(words, n + 2, "REPLACE", "VIEW") for n in both)


# -- looking for words -----------------------------------------------------------------------------


def says(words: Words, position: int, text: str) -> bool:
    """Tell whether the word at a position is a text."""
    return 0 <= position < len(words) and words[position].text.upper() == text


def word_at(words: Words, position: int) -> str:
    """Return the word at a position in upper case; an empty text before or behind the statement."""
    return words[position].text.upper() if 0 <= position < len(words) else ""


def says_all(words: Words, position: int, *texts: str) -> bool:
    """Tell whether the words from a position on are these texts."""
    return all(says(words, position + offset, text) for offset, text in enumerate(texts))


def last_first(words: Words, *texts: str) -> Iterator[int]:
    """Yield the positions behind the first word at which these texts follow each other, the last
    position first, so that words from there on may be replaced.
    """
    for position in range(len(words) - len(texts), 0, -1):
        if says_all(words, position, *texts):
            yield position


def calls_last_first(words: Words, names: Container[str]) -> Iterator[int]:
    """Yield the positions behind the first word at which one of some functions is called, the last
    position first.
    """
    for position in last_first(words, "("):
        if position > 1 and words[position - 1].text.upper() in names:
            yield position - 1


def first_opening(words: Words, start: int) -> int | None:
    """Return the position of the next parenthesis that opens."""
    return next((at for at in range(start, len(words)) if says(words, at, "(")), None)


def created_kind(words: Words, last: int, *kinds: str) -> int | None:
    """Return the position of the word that says what a statement creates, up to a last position.

    CREATE OR REPLACE VIEW v AS …      3
    """
    position = first(words, 0, *kinds)
    if position is None or position > last or not says(words, 0, "CREATE"):
        return None

    return position


def split_items(words: Words) -> list[Words]:
    """a INT, b INT      the parts between the commas outside parentheses"""
    found: list[Words] = [[]]
    depth = 0
    for word in words:
        depth += word.token_type in (TokenType.L_PAREN, TokenType.L_BRACKET)
        depth -= word.token_type in (TokenType.R_PAREN, TokenType.R_BRACKET)
        if depth == 0 and word.token_type is TokenType.COMMA:
            found.append([])
        else:
            found[-1].append(word)

    return found


def first(words: Words, start: int, *texts: str) -> int | None:
    """Return the position of the first of these words outside parentheses."""
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


def word_like(word: Token, kind: TokenType, text: str) -> Token:
    """Another word at the same place."""
    return Token(kind, text, word.line, word.col, word.start, word.end)


def words_like(word: Token, *texts: tuple[TokenType, str]) -> Words:
    """Several words at the same place."""
    return [word_like(word, kind, text) for kind, text in texts]


def items(words: Words) -> list[Words]:
    """Split words at the commas outside parentheses.

    a, b(1, 2), c      a; b(1, 2); c
    """
    found: list[Words] = [[]]
    depth = angles = 0
    for word in words:
        kind = word.token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth == 0:  # (a > 0) compares, ARRAY<INT> is a type
            angles = max(0, angles + (kind is TokenType.LT) - (kind is TokenType.GT))

        if kind is TokenType.COMMA and depth == 0 and angles == 0:
            found.append([])
        else:
            found[-1].append(word)

    return [item for item in found if item]

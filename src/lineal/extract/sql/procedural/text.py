"""The words of procedural code: tokens with the bodies in strings opened, each word in
its place.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache
from typing import Any

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.dialects.nearest import as_grammar_reads
from lineal.extract.sql.dialects.procedures import DOLLARS_ARE_NO_QUOTES
from lineal.extract.sql.placeholders import has_placeholders, put_placeholders
from lineal.extract.sql.words import FAILURES, move_tokens, readable_text
from lineal.model.script import Script

Tokens = list[Token]


def vocabulary(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


STRINGS = frozenset(
    (TokenType.STRING, TokenType.HEREDOC_STRING, TokenType.RAW_STRING, TokenType.NATIONAL_STRING,
     TokenType.UNICODE_STRING)
)  # fmt: skip
QUOTED = STRINGS | {
    TokenType.IDENTIFIER,
    TokenType.BYTE_STRING,
    TokenType.HEX_STRING,
    TokenType.BIT_STRING,
}
SEMICOLON, OPEN, CLOSE = TokenType.SEMICOLON, TokenType.L_PAREN, TokenType.R_PAREN


@lru_cache(maxsize=64)
def tokenizer(dialect: str) -> Any:
    """A tokenizer that gives words for EXECUTE IMMEDIATE 'x' and CALL p(1), which sqlglot's own
    leaves in one piece.
    """
    base: Any = parser_dialect(dialect).tokenizer_class
    changes: dict[str, Any] = {"COMMANDS": set()}
    if dialect in DOLLARS_ARE_NO_QUOTES:
        changes["HEREDOC_STRINGS"] = ["$"]

    return type("Words", (base,), changes)


def tokens_of(text: str, dialect: str) -> Tokens:
    """The tokens of a text; may raise what sqlglot raises."""
    words = tokenizer(dialect)(dialect=parser_dialect(dialect))
    tokens: Tokens = words.tokenize(readable_text(text, dialect))
    if has_placeholders(text, dialect):
        return put_placeholders(tokens, text, dialect)

    return tokens


def tokens_in(text: str, script: Script) -> Tokens:
    """The tokens of a script or a part of it, as the nearest grammar of its dialect understands
    them; may raise what sqlglot raises.
    """
    return as_grammar_reads(tokens_of(text, script.dialect), script.written_in or script.dialect)


def word(token: Token) -> str:
    """Return a word in upper case; nothing for a quoted one."""
    if token.token_type in QUOTED:
        return ""

    return token.text.upper()


def word_at(tokens: Tokens, at: int) -> str:
    """The word at a position; nothing behind the end."""
    if at < len(tokens):
        return word(tokens[at])

    return ""


def kind_at(tokens: Tokens, at: int) -> TokenType | None:
    """The kind of the token at a position; None behind the end."""
    if at < len(tokens):
        return tokens[at].token_type

    return None


def find_word(tokens: Tokens, words: Container[str], start: int = 0, missing: int = -1) -> int:
    """Where the first of some words is; `missing`, if none is there."""
    for position in range(start, len(tokens)):
        if word(tokens[position]) in words:
            return position

    return missing


def find_kind(
    tokens: Tokens, kinds: Container[TokenType], start: int = 0, missing: int = -1
) -> int:
    """Where the first token of some kinds is; `missing`, if none is there."""
    for position in range(start, len(tokens)):
        if tokens[position].token_type in kinds:
            return position

    return missing


def find_outside(tokens: Tokens, at: int, wanted: Container[str]) -> int:
    """Where the first of some words is outside parentheses and CASE.

    -1, if the statement ends before.
    """
    depth = cases = 0
    for position in range(at, len(tokens)):
        token = tokens[position]
        if token.token_type is SEMICOLON:
            return -1

        depth += DEPTHS.get(token.token_type, 0)
        if depth != 0 or token.token_type is CLOSE:
            continue

        here = word(token)
        if cases == 0 and here in wanted:
            return position

        if here == "CASE":
            cases += 1
        elif here == "END":
            cases = max(cases - 1, 0)

    return -1


def skip_words(tokens: Tokens, at: int, words: Container[str]) -> int:
    """The first position from `at` on that has none of some words."""
    while at < len(tokens) and word(tokens[at]) in words:
        at += 1

    return at


def tokens_inside(token: Token, script: Script) -> Tokens | None:
    """Return the tokens inside a string.

    $$ BEGIN … END $$, 'BEGIN … END'

    the tokens in a string, each in its place in the script
    """
    start, end = content(token, script.text)
    text = script.text[start:end]
    if script.text[end : end + 1] == "'" and token.token_type not in TAKEN_AS_IS:
        text = text.replace("''", " '").replace("\\'", " '")

    try:
        return move_tokens(tokens_in(text, script), start, script.text)
    except FAILURES:
        return None


TAKEN_AS_IS = frozenset((TokenType.RAW_STRING, TokenType.NATIONAL_RAW_STRING))
Q_QUOTE = re.compile(r"n?q'.", re.IGNORECASE | re.DOTALL)
"""Oracle's q'[it's]': quotes inside it are not escapes."""


def content(token: Token, text: str) -> tuple[int, int]:
    """Where a string's content starts and ends."""
    start, end = token.start, token.end + 1
    quoted = text[start:end]
    if token.token_type in TAKEN_AS_IS and (opening := Q_QUOTE.match(quoted)) is not None:
        return start + opening.end(), end - 2

    if quoted.startswith("$"):
        mark = quoted.index("$", 1) + 1
        return start + mark, end - mark

    found = QUOTE.search(quoted)
    prefix = found.start() if found is not None else 0
    mark = 1
    if quoted[prefix : prefix + 3] in ("'''", '"""') and len(quoted) >= prefix + 6:
        mark = 3

    return start + prefix + mark, end - mark


QUOTE = re.compile("['\"]")


def new_token(kind: TokenType, text: str, like: Token) -> Token:
    """A word that is not written there, in the place of one that is."""
    return Token(kind, text, like.line, like.col, like.start, like.end)


def as_select(items: Tokens) -> Tokens:
    """Turn an expression into a query.

    a + 1      SELECT a + 1
    """
    return [new_token(TokenType.SELECT, "SELECT", items[0]), *items]


def select_all(table: Tokens, at: Token) -> Tokens:
    """Turn a table name into a query.

    t      SELECT * FROM t, in the place of `at`
    """
    select = new_token(TokenType.SELECT, "SELECT", at)
    star = new_token(TokenType.STAR, "*", at)
    return [select, star, new_token(TokenType.FROM, "FROM", at), *table]


def place_at(at: Token, tokens: Tokens) -> Tokens:
    """Tokens of a text that was put together: all are where it is executed."""
    for token in tokens:
        token.line, token.col, token.start, token.end = at.line, at.col, at.start, at.end

    return tokens


def is_name(token: Token) -> bool:
    """Tell whether a word may be the name of something."""
    if token.token_type is TokenType.IDENTIFIER:
        return True

    if token.token_type in NAMELESS:
        return False

    first = token.text[:1]
    return first.isalpha() or first in '_#@"'


NAMELESS = QUOTED - {TokenType.IDENTIFIER} | {
    SEMICOLON, OPEN, CLOSE, TokenType.COMMA, TokenType.DOT, TokenType.NUMBER, TokenType.PARAMETER, TokenType.COLON,
    TokenType.PLACEHOLDER,
}  # fmt: skip
"""Kinds of tokens that are never a name."""


def unwrap(tokens: Tokens) -> Tokens:
    """Remove the parentheses around tokens.

    (SELECT …)      without the parentheses
    """
    while len(tokens) > 2 and is_wrapped(tokens):
        tokens = tokens[1:-1]

    return tokens


def is_wrapped(tokens: Tokens) -> bool:
    """Tell whether the first token opens a parenthesis that the last one closes."""
    return (
        tokens[0].token_type is OPEN
        and closing_parenthesis(tokens, 0, len(tokens)) == len(tokens) - 1
    )


def closing_parenthesis(tokens: Tokens, at: int, end: int) -> int:
    """The parenthesis that closes the one at `at`; the end, if none does."""
    depth = 0
    for i in range(at, end):
        kind = tokens[i].token_type
        if kind is OPEN:
            depth += 1
        elif kind is CLOSE:
            depth -= 1
            if depth == 0:
                return i

    return end


DEPTHS = {OPEN: 1, CLOSE: -1}
"""How tokens change the depth of parentheses."""

BRACKET_DEPTHS = {**DEPTHS, TokenType.L_BRACKET: 1, TokenType.R_BRACKET: -1}
"""How tokens change the depth of parentheses and brackets."""


def items(tokens: Tokens) -> list[Tokens]:
    """Split tokens at commas.

    a, f(b, c), d      the items between commas outside parentheses
    """
    found: list[Tokens] = [[]]
    depth = 0
    for token in tokens:
        depth += BRACKET_DEPTHS.get(token.token_type, 0)
        if token.token_type is TokenType.COMMA and depth == 0:
            found.append([])
        else:
            found[-1].append(token)

    return list(filter(None, found))


def split_at(tokens: Tokens, kinds: Container[TokenType]) -> list[Tokens]:
    """Split tokens at some kinds of tokens.

    a; b; c      the parts between tokens of some kinds, empty ones included
    """
    found: list[Tokens] = [[]]
    for token in tokens:
        if token.token_type in kinds:
            found.append([])
        else:
            found[-1].append(token)

    return found

"""The words of procedural code: tokens with the bodies that stand in strings opened, each word in
its place.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.dialects.procedures import DOLLARS_ARE_NO_QUOTES
from lineal.extract.sql.placeholders import has_placeholders, placed
from lineal.extract.sql.words import FAILURES, moved, readable
from lineal.model.script import Script


def vocabulary(text: str) -> frozenset[str]:
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


def tokens_of(text: str, dialect: str) -> list[Token]:
    """The tokens of a text; may raise what sqlglot raises."""
    found: list[Token] = tokenizer(dialect)(dialect=parser_dialect(dialect)).tokenize(
        readable(text, dialect)
    )
    if has_placeholders(text, dialect):
        return placed(found, text, dialect)

    return found


def word(token: Token) -> str:
    """A word in upper case; nothing for what is quoted."""
    if token.token_type in QUOTED:
        return ""

    return token.text.upper()


def inside(token: Token, script: Script) -> list[Token] | None:
    """$$ BEGIN … END $$, 'BEGIN … END'

    the tokens in a string, each in its place in the script
    """
    start, end = content(token, script.text)
    text = script.text[start:end]
    if script.text[end : end + 1] == "'":
        text = text.replace("''", " '").replace("\\'", " '")
    try:
        return moved(tokens_of(text, script.dialect), start, script.text)
    except FAILURES:
        return None


def content(token: Token, text: str) -> tuple[int, int]:
    """Where a string's content starts and ends."""
    start, end = token.start, token.end + 1
    quoted = text[start:end]
    if quoted.startswith("$"):
        mark = quoted.index("$", 1) + 1
    else:
        prefix = next((i for i, char in enumerate(quoted) if char in "'\""), 0)
        mark = prefix + (
            3 if quoted[prefix : prefix + 3] in ("'''", '"""') and len(quoted) >= prefix + 6 else 1
        )
        return start + mark, end - (mark - prefix)
    return start + mark, end - mark


def made(kind: TokenType, text: str, like: Token) -> Token:
    """A word that is not written there, in the place of one that is."""
    return Token(kind, text, like.line, like.col, like.start, like.end)


def closing(tokens: list[Token], at: int, end: int) -> int:
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


def items(tokens: list[Token]) -> list[list[Token]]:
    """a, f(b, c), d      the items between commas outside of parentheses"""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        kind = token.token_type
        if kind is OPEN or kind is TokenType.L_BRACKET:
            depth += 1
        elif kind is CLOSE or kind is TokenType.R_BRACKET:
            depth -= 1
        elif kind is TokenType.COMMA and depth == 0:
            found.append([])
            continue
        found[-1].append(token)
    return [item for item in found if item]

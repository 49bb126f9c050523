"""Names of BigQuery's legacy SQL, as standard SQL writes them.

FROM [project:dataset.table]                        FROM `project.dataset.table`
FROM [d.a], [d.b]                                   FROM (SELECT * FROM d.a UNION ALL BY NAME SELECT …)
FROM TABLE_DATE_RANGE([d.day_], start, stop)        FROM `d.day_*`
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.brackets import closing_bracket

Tokens = list[Token]

NAME = re.compile(
    r"(?:(?P<project>[^\s\[\],()'\"`]+|\{\{.*?\}\}):)?(?P<table>[^\[\],():'\"`@]+\.[^\[\],():'\"`@]+)(?:@.*)?"
)
"""project:dataset.table, dataset.table, dataset.table@-3600000-"""

LONGEST_NAME = 40
"""A name has so many tokens at the most."""

BEFORE_TABLES = (TokenType.FROM, TokenType.JOIN)
RANGES = frozenset(("TABLE_DATE_RANGE", "TABLE_DATE_RANGE_STRICT"))


def standard_names(tokens: Tokens) -> Tokens:
    """Return the tokens of a text with its legacy names in the form of standard SQL."""
    if not any(token.token_type is TokenType.L_BRACKET for token in tokens):
        return tokens

    found: Tokens = []
    legacy: set[int] = set()
    at = 0
    while at < len(tokens):
        end, name = read_name(tokens, at, len(found) - 2 in legacy)
        if name:
            legacy.add(len(found))
            found.append(covering_token(tokens[at], tokens[end], TokenType.IDENTIFIER, name))
        else:
            found.append(tokens[at])

        at = end + 1

    return unite_lists(read_ranges(found, legacy), legacy) if legacy else tokens


def read_name(tokens: Tokens, at: int, follows_name: bool) -> tuple[int, str]:
    """Return where the legacy name ends that begins here, and the name; '' if none begins here."""
    if tokens[at].token_type is not TokenType.L_BRACKET:
        return at, ""

    inner = range(at + 1, min(at + LONGEST_NAME, len(tokens)))
    end = next((n for n in inner if tokens[n].token_type is TokenType.R_BRACKET), at)
    inside = tokens[at + 1 : end]
    name = NAME.fullmatch(text_of(inside))
    if name is None or any(token.token_type is TokenType.STRING for token in inside):
        return at, ""

    before = tokens[at - 1].token_type if at else None
    is_table = before in BEFORE_TABLES or (before is TokenType.COMMA and follows_name)
    if name["project"]:
        return end, f"{name['project']}.{name['table'].strip()}"

    return (end, name["table"].strip()) if is_table else (at, "")


def text_of(tokens: Tokens) -> str:
    """Return the text of tokens in a row, with blanks where there are some."""
    parts: list[str] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        is_apart = before is not None and before.end + 1 < token.start
        parts.append(f" {token.text}" if is_apart else token.text)

    return "".join(parts)


def covering_token(first: Token, last: Token, kind: TokenType, text: str) -> Token:
    """Return a token in place of several."""
    return Token(kind, text, first.line, first.col, first.start, last.end)


def read_ranges(tokens: Tokens, legacy: set[int]) -> Tokens:
    """Replace the range of dates over a table by its wildcard.

    TABLE_DATE_RANGE(`d.day_`, start, stop)      `d.day_*`
    """
    found: Tokens = []
    names: set[int] = set()
    at = 0
    while at < len(tokens):
        token, end = tokens[at], at
        if token.text.upper() in RANGES and at + 2 in legacy:
            end = closing_bracket(tokens, at + 1)
            name = f"{tokens[at + 2].text}*"
            token = covering_token(token, tokens[end], TokenType.IDENTIFIER, name)

        if end > at or at in legacy:
            names.add(len(found))

        found.append(token)
        at = end + 1

    legacy.clear()
    legacy.update(names)
    return found


def unite_lists(tokens: Tokens, legacy: set[int]) -> Tokens:
    """Read a list of tables as their union: in legacy SQL a comma does not join.

    FROM `a`, `b`      FROM (SELECT * FROM `a` UNION ALL BY NAME SELECT * FROM `b`)
    """
    found: Tokens = []
    at = 0
    while at < len(tokens):
        found.append(tokens[at])
        last = last_of_list(tokens, at + 1, legacy)
        if tokens[at].token_type is TokenType.FROM and last > at + 1:
            found += union_of(tokens[at + 1 : last + 1 : 2])
            at = last

        at += 1

    return found


def last_of_list(tokens: Tokens, at: int, legacy: set[int]) -> int:
    """Return the last of the legacy names that commas separate, from the one at a position on."""
    while at in legacy and at + 2 in legacy and tokens[at + 1].token_type is TokenType.COMMA:
        at += 2

    return at


OPENING = ((TokenType.L_PAREN, "("),)
UNION = (
    (TokenType.UNION, "UNION"),
    (TokenType.ALL, "ALL"),
    (TokenType.VAR, "BY"),
    (TokenType.VAR, "NAME"),
)
SELECT_ALL = ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))


def union_of(names: Tokens) -> Tokens:
    """Return the words of a union of tables, each at the place of its table."""
    found: Tokens = []
    for name in names:
        words = (*(UNION if found else OPENING), *SELECT_ALL)
        found += [covering_token(name, name, kind, text) for kind, text in words]
        found.append(name)

    return [*found, covering_token(names[-1], names[-1], TokenType.R_PAREN, ")")]


GRAMMAR_NAMES: dict[str, Callable[[Tokens], Tokens]] = {"bigquery": standard_names}
"""Dialects with names that the grammar does not read."""


def with_grammar_names(tokens: Tokens, dialect: str) -> Tokens:
    """Return the tokens of a text of a dialect, with names in the form that its grammar reads."""
    change = GRAMMAR_NAMES.get(dialect)
    return tokens if change is None else change(tokens)

"""Calls that are named like types and nested deeply: STRUCT(STRUCT(STRUCT(…

sqlglot reads the name of a type before a parenthesis as a type first, and as a function if that
fails. Inside another such call it does both twice, so that the time doubles with each level:
26 nested STRUCT( take hours. Where they stand deeper than any type of a table, the names become
ordinary words, which are read once, as functions.
"""

from __future__ import annotations

import re
from itertools import accumulate

from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

DEEPEST = 8
"""Levels of calls that are named like types; each doubles the time of a few microseconds."""

BRACKETS = re.compile(r"[()]")
STEPS = {"(": 1, ")": -1}
TYPES = frozenset(Parser.TYPE_TOKENS) | {TokenType.UNION, TokenType.ROW}


def read_as_calls(tokens: list[Token], text: str) -> list[Token]:
    """The tokens, with the names of deeply nested types as ordinary words."""
    if text.count("(") > DEEPEST and is_deep(text):
        retype(tokens)

    return tokens


def is_deep(text: str) -> bool:
    """Whether parentheses are nested deeper than types are; without a loop over tokens."""
    steps = map(STEPS.__getitem__, BRACKETS.findall(text))
    return max(accumulate(steps), default=0) > DEEPEST


def retype(tokens: list[Token]) -> None:
    """Make a word of each name of a type in a chain of calls that is too deep."""
    chain: list[Token] = []
    opened: list[bool] = []
    before: Token | None = None
    for token in tokens:
        kind = token.token_type
        if kind == TokenType.L_PAREN:
            is_type = before is not None and before.token_type in TYPES
            opened.append(is_type)
            if is_type and before is not None:
                chain.append(before)

            if len(chain) > DEEPEST:
                for each in chain:
                    each.token_type = TokenType.VAR
        elif kind == TokenType.R_PAREN and opened:
            if opened.pop():
                chain.pop()
        elif kind == TokenType.SEMICOLON:
            chain, opened = [], []

        before = token

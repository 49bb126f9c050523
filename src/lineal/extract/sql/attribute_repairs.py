"""Repairs of the phrases behind columns of Teradata: types, titles and formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot.parser import Parser
from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.brackets import closing_bracket
from lineal.extract.sql.words import Words, items, says, word_like
from lineal.model.sequences import first_of_each


def phrases(words: Words) -> Words:
    """Rewrite the phrases behind Teradata columns and expressions.

    a (TITLE 'A'), b (FORMAT '99'), c (NAMED d), (e - 1) (DATE, FORMAT 'YYYY')

    Teradata: a, b, c AS d, (e - 1) :: DATE
    """
    return rewrite_attributes(words, lambda kinds: not are_types(kinds))


def types_behind(words: Words) -> Words:
    """Rewrite the types behind Teradata columns and expressions.

    a (DECIMAL(10, 2)), (e - 1) (INTERVAL DAY(4))      Teradata: a :: DECIMAL(10, 2), (e - 1) :: INTERVAL
    """
    return rewrite_attributes(words, are_types)


def are_types(kinds: list[str]) -> bool:
    """Whether the attributes of an expression say nothing but its type."""
    return set(kinds) <= {"TYPE", "INTERVAL"}


def rewrite_attributes(words: Words, are_meant: Callable[[list[str]], bool]) -> Words:
    """Rewrite the lists of attributes whose kinds are meant."""
    found: Words = []
    position = 0
    while position < len(words):
        attributes = attributes_at(words, position)
        if attributes is None or not are_meant(first_of_each(attributes)):
            found.append(words[position])
            position += 1
            continue

        for kind, attribute in attributes:
            found.extend(ATTRIBUTES[kind](attribute))

        position = closing_bracket(words, position) + 1

    if len(found) != len(words):
        return found

    return words


def attributes_at(words: Words, position: int) -> list[tuple[str, Words]] | None:
    """The attributes in parentheses behind an expression; None for any other parenthesis."""
    if not says(words, position, "(") or position == 0:
        return None

    before = words[position - 1].token_type
    if before not in BEFORE_ATTRIBUTES or not starts_attribute(words[position + 1 :][:1]):
        return None

    inside = items(words[position + 1 : closing_bracket(words, position)])
    kinds = list(map(attribute_of, inside))
    may_be_call = before in NAME_TOKENS and list(map(len, inside)) == [1]
    if not kinds or None in kinds or may_be_call:
        return None

    return [(kind or "", each) for kind, each in zip(kinds, inside, strict=True)]


def starts_attribute(words: Words) -> bool:
    """Tell whether an attribute of a column can start with the first of these words."""
    return any(
        word.text.upper() in PLAIN_ATTRIBUTES or word.token_type in FIRST_OF_ATTRIBUTES
        for word in words
    )


def attribute_of(words: Words) -> str | None:
    """Which attribute of a column the words are: TITLE 'A', NAMED a, DECIMAL(10, 2)."""
    if not words:
        return None

    if len(words) == 2 and words[0].text.upper() in PLAIN_ATTRIBUTES:
        return words[0].text.upper()

    if words[0].token_type is TokenType.INTERVAL and len(words) > 1:
        return "INTERVAL" if all(map(is_part_of_interval, words[1:])) else None

    if words[0].token_type not in Parser.TYPE_TOKENS:
        return None

    whole = len(words) == 1 or (says(words, 1, "(") and closing_bracket(words, 1) == len(words) - 1)
    return "TYPE" if whole else None


def is_part_of_interval(word: Any) -> bool:
    """INTERVAL DAY(4) TO SECOND(2)      DAY, (, 4, ), TO, SECOND"""
    return word.text.upper() in UNITS_OF_INTERVALS or word.token_type is TokenType.NUMBER


UNITS_OF_INTERVALS = frozenset(
    ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO", "(", ")", ",")
)


PLAIN_ATTRIBUTES = ("TITLE", "FORMAT", "NAMED")


FIRST_OF_ATTRIBUTES = frozenset((TokenType.INTERVAL, *Parser.TYPE_TOKENS))


NAME_TOKENS = frozenset((TokenType.VAR, TokenType.IDENTIFIER))


BEFORE_ATTRIBUTES = NAME_TOKENS | {TokenType.R_PAREN, TokenType.NUMBER, TokenType.STRING}


ATTRIBUTES: dict[str, Callable[[Words], Words]] = {
    "TITLE": lambda words: [],
    "FORMAT": lambda words: [],
    "NAMED": lambda words: [word_like(words[0], TokenType.ALIAS, "AS"), words[1]],
    "TYPE": lambda words: [word_like(words[0], TokenType.DCOLON, "::"), *words],
    "INTERVAL": lambda words: [word_like(words[0], TokenType.DCOLON, "::"), words[0]],
}
"""The form of an attribute in other engines."""

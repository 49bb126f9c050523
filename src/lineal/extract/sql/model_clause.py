"""Oracle's MODEL: a query whose cells are computed by rules, said as a query with CASE."""

from __future__ import annotations

from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.brackets import BRACKETS, closing_bracket
from lineal.extract.sql.words import Words, first, says, split_items, word_at, word_like, words_like
from lineal.model.sequences import flatten, present

STARTS = frozenset(
    (
        "PARTITION BY", "PARTITION", "DIMENSION", "DIMENSION BY", "IGNORE", "KEEP", "RETURN", "UNIQUE", "MAIN",
    )
)  # fmt: skip
"""The words that may follow MODEL; a reference model stays unread."""


class Rule(NamedTuple):
    """b[2] = b[1] * 2      the measure, and the words of its new value"""

    measure: str
    value: Words


class Model(NamedTuple):
    """The parts of a MODEL clause."""

    keys: Words
    """the items of PARTITION BY and DIMENSION BY, with their commas"""
    dimensions: list[Words]
    measures: list[Words]
    rules: list[Rule]
    end: int
    """the first word behind the clause"""


def compute_cells(words: Words) -> Words:
    """SELECT d, b FROM t MODEL DIMENSION BY (d) MEASURES (b) RULES (b[2] = b[1] * 2) ORDER BY d

    Oracle: SELECT d, b FROM (SELECT d, CASE WHEN d IS NULL THEN b * 2 ELSE b END AS b FROM t)
    ORDER BY d: the dimensions decide which cell a rule sets
    """
    for at in range(len(words) - 1, 1, -1):
        if not says(words, at, "MODEL") or not starts_model(words, at + 1):
            continue

        source = from_before(words, at)
        model = read_model(words, at + 1) if source is not None else None
        if model is None or source is None:
            continue

        words = [
            *words[: source + 1],
            *words_like(words[at], (TokenType.L_PAREN, "("), (TokenType.SELECT, "SELECT")),
            *inner_items(model, words[at]),
            *words[source:at],
            word_like(words[at], TokenType.R_PAREN, ")"),
            *words[model.end :],
        ]

    return words


def starts_model(words: Words, at: int) -> bool:
    """Tell whether the clauses of a model follow."""
    return word_at(words, at) in STARTS


def from_before(words: Words, at: int) -> int | None:
    """Return the position of FROM in the query that has the clause."""
    depth = 0
    for position in range(at - 1, -1, -1):
        depth += words[position].token_type is TokenType.R_PAREN
        depth -= words[position].token_type is TokenType.L_PAREN
        if depth < 0:
            return None

        if depth == 0 and words[position].token_type is TokenType.FROM:
            return position

    return None


def read_model(words: Words, start: int) -> Model | None:
    """Read the clauses of a model; None, where one is not understood."""
    partition = read_items(words, start, "PARTITION")
    dimension = read_items(words, partition[1] if partition else start, "DIMENSION")
    if dimension is None:
        return None

    measures = read_items(words, dimension[1], "MEASURES")
    if measures is None:
        return None

    rules = rules_behind(words, measures[1])
    if rules is None:
        return None

    keys = [*(partition[0] if partition else []), *dimension[0]]
    comma = word_like(words[start - 1], TokenType.COMMA, ",")
    return Model(flatten((*key, comma) for key in keys), dimension[0], measures[0], *rules)


def read_items(words: Words, start: int, name: str) -> tuple[list[Words], int] | None:
    """DIMENSION BY (a, b AS c)      the items, and the word behind the list"""
    at = first(words, start, name, f"{name} BY")
    opens = first_opening(words, at, 3) if at is not None else None
    if opens is None:
        return None

    end = closing_bracket(words, opens)
    return split_items(words[opens + 1 : end]), end + 1


def first_opening(words: Words, start: int, most: int) -> int | None:
    """Where the next parenthesis opens, among so many words."""
    places = range(start, min(start + most, len(words)))
    return next((at for at in places if says(words, at, "(")), None)


def rules_behind(words: Words, start: int) -> tuple[list[Rule], int] | None:
    """RULES UPSERT (b[2] = b[1], …), or (…) alone"""
    at = first(words, start, "RULES")
    opens = first_opening(words, start if at is None else at, MOST_OPTIONS)
    if opens is not None and says(words, opens - 1, "ITERATE"):
        opens = first_opening(words, closing_bracket(words, opens) + 1, 3)

    if opens is not None and says(words, opens - 1, "UNTIL"):
        opens = first_opening(words, closing_bracket(words, opens) + 1, 1)

    if opens is None:
        return None

    end = closing_bracket(words, opens)
    rules = [rule_of(item) for item in split_items(words[opens + 1 : end]) if item]
    known = present(rules)
    return (known, end + 1) if len(known) == len(rules) else None


MOST_OPTIONS = 12
"""So many words are between the measures and the rules: IGNORE NAV, SEQUENTIAL ORDER …"""

OPTIONS_OF_RULES = frozenset(("UPDATE", "UPSERT", "ALL"))


def rule_of(words: Words) -> Rule | None:
    """UPSERT b[2] = b[1] * 2      None, where no cell is set"""
    start = 0
    while word_at(words, start) in OPTIONS_OF_RULES:
        start += 1

    if not is_cell(words, start):
        return None

    behind = closing_bracket(words, start + 1, BRACKETS) + 1
    if says(words, behind, "ORDER BY"):
        behind = first(words, behind, "=") or behind

    if not says(words, behind, "="):
        return None

    return Rule(words[start].text.upper(), without_cells(words[behind + 1 :]))


def is_cell(words: Words, at: int) -> bool:
    """Tell whether a cell of a measure begins here."""
    return at + 1 < len(words) and words[at + 1].token_type is TokenType.L_BRACKET


def without_cells(words: Words) -> Words:
    """b[cv(d) - 1] * 2, SUM(b)[d < 3]      b * 2, SUM(b)"""
    found: Words = []
    position = 0
    while position < len(words):
        if words[position].token_type is TokenType.L_BRACKET:
            position = closing_bracket(words, position, BRACKETS) + 1
            continue

        found.append(words[position])
        position += 1

    return found


def inner_items(model: Model, near: Token) -> Words:
    """The select list of the query inside: keys, and measures with what the rules make of them."""
    found = list(model.keys)
    named = list(map(name_and_value, model.measures))
    values = {name.text.upper(): value for name, value in named}
    for name, value in named:
        rules = [rule for rule in model.rules if rule.measure == name.text.upper()]
        found += case_of_rules(values, value, rules, model, near) if rules else value
        found += [
            word_like(near, TokenType.ALIAS, "AS"),
            name,
            word_like(near, TokenType.COMMA, ","),
        ]

    return found[:-1]


def name_and_value(measure: Words) -> tuple[Token, Words]:
    """SUM(b) AS s, b s, b      the name of a measure, and its value"""
    if len(measure) > 2 and measure[-2].token_type is TokenType.ALIAS:
        return measure[-1], measure[:-2]

    if len(measure) == 1 or measure[-2].token_type is TokenType.DOT:
        return measure[-1], measure

    return measure[-1], measure[:-1]


def case_of_rules(
    values: dict[str, Words], value: Words, rules: list[Rule], model: Model, near: Token
) -> Words:
    """CASE WHEN d IS NULL THEN (the value of a rule) … ELSE the measure END"""
    null = words_like(
        near, (TokenType.IS, "IS"), (TokenType.NULL, "NULL"), (TokenType.THEN, "THEN")
    )
    found = [word_like(near, TokenType.CASE, "CASE")]
    for rule in rules:
        set_to = in_parentheses(spell_measures(rule.value, values, near), near)
        for dimension in model.dimensions:
            found += [
                word_like(near, TokenType.WHEN, "WHEN"),
                *without_alias(dimension),
                *null,
                *set_to,
            ]

    return [
        *found,
        word_like(near, TokenType.ELSE, "ELSE"),
        *value,
        word_like(near, TokenType.END, "END"),
    ]


def spell_measures(words: Words, values: dict[str, Words], near: Token) -> Words:
    """s * 2, where SUM(b) AS s is a measure      (SUM(b)) * 2"""
    found: Words = []
    for word in words:
        value = values.get(word.text.upper())
        if value is None or [each.text.upper() for each in value] == [word.text.upper()]:
            found.append(word)
        else:
            found += in_parentheses(value, near)

    return found


def in_parentheses(words: Words, near: Token) -> Words:
    """a      (a)"""
    return [
        word_like(near, TokenType.L_PAREN, "("),
        *words,
        word_like(near, TokenType.R_PAREN, ")"),
    ]


def without_alias(item: Words) -> Words:
    """b AS c      b"""
    as_ = next(
        (at for at, word in enumerate(item) if word.token_type is TokenType.ALIAS), len(item)
    )
    return item[:as_]

"""FROM t |> WHERE a |> JOIN u …: the steps of a pipe, in words that sqlglot reads as they are
meant.

It gathers steps in one SELECT as long as it can. Where a clause would then see what only a later
step brings, or a step is written in a way that it does not know, other words say the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.words import Words, first, says, split_items, word_like

STEP = re.compile(r"__tmp\d+")
"""How the parser calls the steps of a pipe: __tmp1, __tmp2, …"""


def is_step(alias: str) -> bool:
    """Tell whether an alias is one that the parser gives to a step."""
    return STEP.fullmatch(alias) is not None


def with_pipes(words: Words) -> Words:
    """The words of a text, its pipes in steps that keep to themselves."""
    if not any(word.token_type is TokenType.PIPE_GT for word in words):
        return words

    return kept_apart(rewrite_pipes(words))


def rewrite_pipes(words: Words) -> Words:
    """Every step in words that the parser knows, those of the subqueries inside it as well."""
    found: Words = []
    position = 0
    while position < len(words):
        found.append(words[position])
        position += 1
        if found[-1].token_type is TokenType.PIPE_GT:
            end = end_of_step(words, position)
            body = words[position:end]
            found += rewrite_pipes(WRITTEN.get(body[0].text.upper(), lateral)(body)) if body else []
            position = end

    return found


def end_of_step(words: Words, position: int) -> int:
    """Return where a step of a pipe ends.

    (FROM t |> SET a = f(b) |> …), (FROM t |> SET a = f(b))

    up to the next step, or out of the subquery
    """
    depth = 0
    for at in range(position, len(words)):
        kind = words[at].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth < 0 or (depth == 0 and kind in (TokenType.PIPE_GT, TokenType.SEMICOLON)):
            return at

    return len(words)


def kept_apart(words: Words) -> Words:
    """Separate a condition from the join that follows it.

    FROM t |> WHERE a |> JOIN u

    FROM t |> WHERE a |> AS __tmp1000010 |> JOIN u: the condition does not see u
    """
    found: Words = []
    levels: list[set[str]] = [set()]
    for position, word in enumerate(words):
        kind = word.token_type
        if kind is TokenType.PIPE_GT:
            if position + 1 < len(words):
                step = KINDS.get(words[position + 1].text.upper(), "JOIN")
            else:
                step = ""

            if levels[-1] & APART.get(step, frozenset()):
                name = word_like(word, TokenType.VAR, f"__tmp{FRESH + word.start}")
                found += [word, word_like(word, TokenType.ALIAS, "AS"), name]
                levels[-1] = set()

            levels[-1] = levels[-1] | {step} if step in GATHERED else set()
        elif kind is TokenType.L_PAREN:
            levels.append(set())
        elif kind is TokenType.R_PAREN and len(levels) > 1:
            levels.pop()
        elif kind is TokenType.SELECT and not says(words, position - 1, "|>"):
            levels[-1] = {LISTED}
        elif kind is TokenType.SEMICOLON:
            levels[-1] = set()

        found.append(word)

    return found


LISTED = "SELECT"
"""The query before the first step has a SELECT list of its own."""
FRESH = 1_000_000
"""The parser calls its own steps __tmp1, __tmp2, …"""
KINDS = {
    **{
        name: name
        for name in ("WHERE", "ORDER BY", "LIMIT", "OFFSET", "TABLESAMPLE", "DISTINCT", "AS")
    },
    **dict.fromkeys(("SORT BY", "CLUSTER BY"), "ORDER BY"),
    **dict.fromkeys(("PIVOT", "UNPIVOT"), "PIVOT"),
    **dict.fromkeys(("SELECT", "EXTEND", "AGGREGATE", "DROP", "RENAME", "SET"), "LIST"),
    **dict.fromkeys(("UNION", "INTERSECT", "EXCEPT", "MINUS"), "SET OPERATION"),
}
GATHERED = frozenset(("WHERE", "ORDER BY", "LIMIT", "OFFSET", "JOIN", "DISTINCT"))
"""Steps after which the parser goes on with the same SELECT."""
APART = {
    "WHERE": frozenset((LISTED,)),
    "JOIN": frozenset((LISTED, "WHERE", "ORDER BY", "DISTINCT")),
    "ORDER BY": frozenset((LISTED, "ORDER BY")),
    "PIVOT": GATHERED | {LISTED},
    "LIST": frozenset((LISTED, "ORDER BY", "DISTINCT")),
}
"""Clauses that must not be in one SELECT with a later step."""


# -- steps that are written otherwise --------------------------------------------------------------


def rewrite_select(body: Words) -> Words:
    """Rewrite SELECT as AGGREGATE, and SELECT DISTINCT as two steps.

    SELECT a, b, SELECT DISTINCT a, b

    AGGREGATE a, b: the same tree, without a copy of all steps before; AGGREGATE a, b |> DISTINCT
    """
    body = inline_windows(body)
    head = body[0]
    end: Words = []
    if says(body, 1, "DISTINCT"):
        end = [
            word_like(head, TokenType.PIPE_GT, "|>"),
            word_like(head, TokenType.DISTINCT, "DISTINCT"),
        ]
        body = [head, *body[2:]]

    if not body[1:] or body[1].token_type in NOT_A_LIST:
        return [*body, *end]

    return [word_like(head, TokenType.VAR, "AGGREGATE"), *body[1:], *end]


NOT_A_LIST = frozenset((TokenType.ALIAS, TokenType.ALL, TokenType.WITH, TokenType.HINT))
"""SELECT AS STRUCT a, SELECT ALL a, SELECT WITH …      what only the parser of SELECT understands"""


def inline_windows(body: Words) -> Words:
    """Put the definitions of named windows where they are used.

    SELECT sum(a) OVER w AS s WINDOW w AS (PARTITION BY b)

    SELECT sum(a) OVER (PARTITION BY b) AS s: the parser skips the clause WINDOW of a step
    """
    start = first(body, 0, "WINDOW")
    if start is None or not says(body, start + 2, "AS"):
        return body

    windows: dict[str, Words] = {}
    for item in split_items(body[start + 1 :]):
        if says(item, 1, "AS"):
            windows[item[0].text.lower()] = use_windows(item[2:], windows)

    return use_windows(body[:start], windows)


def use_windows(words: Words, windows: dict[str, Words]) -> Words:
    """Replace the names of windows with their definitions.

    OVER w, OVER (w ORDER BY c)      OVER (PARTITION BY b), OVER (PARTITION BY b ORDER BY c)
    """
    found: Words = []
    for at, word in enumerate(words):
        definition = windows.get(word.text.lower(), [word])
        if at == 0 or says(words, at - 1, "OVER"):
            found += definition
        elif says(words, at - 1, "(") and (at == 1 or says(words, at - 2, "OVER")):
            found += definition[1:-1] or definition
        else:
            found.append(word)

    return found


def sorted_by(body: Words) -> Words:
    """Rewrite SORT BY as ORDER BY.

    SORT BY a      ORDER BY a
    """
    return [word_like(body[0], TokenType.ORDER_BY, "ORDER BY"), *body[1:]]


def rewrite_set_operation(body: Words) -> Words:
    """Put the operand of a set operation in parentheses.

    UNION ALL SELECT …, UNION ALL TABLE t

    UNION ALL (SELECT …), UNION ALL (SELECT * FROM t)
    """
    start = next(
        (at for at, word in enumerate(body) if word.text.upper() not in OPERATION), len(body)
    )
    if start == len(body) or says(body, start, "("):
        return body

    query = body[start:]
    if says(query, 0, "TABLE"):
        star = ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))
        query = [*(word_like(query[0], kind, text) for kind, text in star), *query[1:]]

    around = word_like(body[0], TokenType.L_PAREN, "("), word_like(body[-1], TokenType.R_PAREN, ")")
    return [*body[:start], around[0], *query, around[1]]


OPERATION = frozenset(("UNION", "INTERSECT", "EXCEPT", "MINUS", "ALL", "DISTINCT", "BY", "NAME"))


def lateral(body: Words) -> Words:
    """Give a lateral join a condition.

    JOIN LATERAL (SELECT …) AS l

    JOIN LATERAL (SELECT …) AS l ON TRUE, or its query takes the next step
    """
    if first(body, 0, "LATERAL") is None or first(body, 0, "ON", "USING") is not None:
        return body

    return [
        *body,
        word_like(body[-1], TokenType.ON, "ON"),
        word_like(body[-1], TokenType.TRUE, "TRUE"),
    ]


def column_step(kind: TokenType, text: str) -> Callable[[Words], Words]:
    """Rewrite a step that changes columns as a list of columns.

    DROP a, RENAME a AS b, SET a = b

    AGGREGATE * EXCEPT (a), * RENAME (a AS b), * REPLACE (b AS a): the tree of SELECT * EXCEPT …,
    which the parser makes without a copy of all steps before
    """

    def as_aggregate(body: Words) -> Words:
        """Return a pipe operator over all columns as tokens of an AGGREGATE step."""
        head, items = body[0], body[1:]
        around = (
            (TokenType.VAR, "AGGREGATE"),
            (TokenType.STAR, "*"),
            (kind, text),
            (TokenType.L_PAREN, "("),
        )
        inside = aliases_of_assignments(items) if text == "REPLACE" else items
        return [
            *(word_like(head, kind, text) for kind, text in around),
            *inside,
            word_like(head, TokenType.R_PAREN, ")"),
        ]

    return as_aggregate


def aliases_of_assignments(items: Words) -> Words:
    """Rewrite assignments as aliases.

    a = b + 1, c = d      b + 1 AS a, d AS c
    """
    found: Words = []
    while items:
        end = first(items, 0, ",") or len(items)
        equals = first(items, 0, "=")
        if equals is not None and equals < end:
            found.extend(
                [
                    *items[equals + 1 : end],
                    word_like(items[equals], TokenType.ALIAS, "AS"),
                    *items[:equals],
                ]
            )

        found.extend(items[end : end + 1])
        items = items[end + 1 :]

    return found


WRITTEN: dict[str, Callable[[Words], Words]] = {
    "SELECT": rewrite_select,
    **dict.fromkeys(("SORT BY", "CLUSTER BY"), sorted_by),
    **dict.fromkeys(("UNION", "INTERSECT", "EXCEPT", "MINUS"), rewrite_set_operation),
    "EXTEND": inline_windows,
    "DROP": column_step(TokenType.EXCEPT, "EXCEPT"),
    "RENAME": column_step(TokenType.VAR, "RENAME"),
    "SET": column_step(TokenType.REPLACE, "REPLACE"),
}

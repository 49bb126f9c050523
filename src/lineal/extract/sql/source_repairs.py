"""Repairs of the sources of a query: pivots, windows of time, functions and documents."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.brackets import closing_bracket
from lineal.extract.sql.words import Words, first, says, says_all, word_like, words_like


def lateral_rows(words: Words) -> Words:
    """Drop LATERAL before ROWS FROM.

    LATERAL ROWS FROM (f(a))      PostgreSQL: a function sees what stands before it anyway
    """
    kept = [
        w
        for at, w in enumerate(words)
        if not (w.text.upper() == "LATERAL" and says(words, at + 1, "ROWS"))
    ]
    if len(kept) != len(words):
        return kept

    return words


def only_in_parentheses(words: Words) -> Words:
    """Drop ONLY.

    FROM ONLY (t)

    PostgreSQL: FROM t; rows of tables that inherit from t change no column
    """
    for position in range(len(words) - 1, 0, -1):
        before = words[position - 1].text.upper() in ("FROM", "JOIN", ",", "UPDATE")
        if before and says_all(words, position, "ONLY", "("):
            end = closing_bracket(words, position + 1)
            words = [*words[:position], *words[position + 2 : end], *words[end + 1 :]]

    return words


def counted_rows(words: Words) -> Words:
    """Rewrite FOR ORDINALITY as a type.

    XMLTABLE(… COLUMNS n FOR ORDINALITY)      n is a number
    """
    found: Words = []
    if not any(says(words, at, "XMLTABLE") for at in range(len(words))):
        return words

    for position, word in enumerate(words):
        if says_all(words, position, "FOR", "ORDINALITY"):
            found.append(word_like(word, TokenType.INT, "INT"))
        elif not (says_all(words, position - 1, "FOR", "ORDINALITY")):
            found.append(word)

    if len(found) != len(words):
        return found

    return words


def document_in_parentheses(words: Words) -> Words:
    """Remove the parentheses in XMLTABLE.

    XMLTABLE(('/r'::text) PASSING (t.a) COLUMNS b text DEFAULT (0) PATH ('@b'::text))

    without the parentheses

    PostgreSQL writes stored views so; sqlglot reads a string there, and the path before the
    default.
    """
    if not any(says(words, at, "XMLTABLE") for at in range(len(words))):
        return words

    for at in range(len(words) - 2, 0, -1):
        opens = at if says_all(words, at - 1, "XMLTABLE", "(") else at - 1
        if (opens == at or says(words, at - 1, "PATH")) and words[
            opens + 1
        ].token_type is TokenType.L_PAREN:
            end = closing_bracket(words, opens + 1)
            texts = [word for word in words[opens + 1 : end] if word.token_type is TokenType.STRING]
            words = [*words[: opens + 1], *texts[:1], *words[end + 1 :]]

        if says_all(words, at, "DEFAULT", "("):
            end = closing_bracket(words, at + 1)
            if says(words, end + 1, "PATH"):
                path = words[end + 1 : end + 3]
                words = [*words[:at], *path, *words[at : end + 1], *words[end + 3 :]]

    return words


def order_by_operator(words: Words) -> Words:
    """Drop the operator of ORDER BY … USING.

    ORDER BY a USING >      PostgreSQL: ORDER BY a
    """
    found: Words = []
    position = 0
    while position < len(words):
        if words[position].token_type is TokenType.USING and words[position + 1 : position + 2]:
            following = words[position + 1]
            if following.token_type is not TokenType.L_PAREN and not following.text[:1].isalnum():
                position += 2
                continue

        found.append(words[position])
        position += 1

    if len(found) != len(words):
        return found

    return words


def pivot_statement(words: Words) -> Words:
    """Wrap a PIVOT statement in a SELECT.

    CREATE TABLE x AS PIVOT t …, INSERT INTO x UNPIVOT t …, PIVOT t … ORDER BY a

    SELECT * FROM (PIVOT t …)
    """
    start = next(
        (
            at
            for at, word in enumerate(words)
            if word.token_type in PIVOTS and starts_query(words, at)
        ),
        None,
    )
    if start is None:
        return words

    end = first(words, start, "ORDER BY", "LIMIT") or len(words)
    select = [
        word_like(words[start], TokenType.SELECT, "SELECT"),
        word_like(words[start], TokenType.STAR, "*"),
        word_like(words[start], TokenType.FROM, "FROM"),
        word_like(words[start], TokenType.L_PAREN, "("),
    ]
    return [
        *words[:start],
        *select,
        *words[start:end],
        word_like(words[end - 1], TokenType.R_PAREN, ")"),
        *words[end:],
    ]


PIVOTS = (TokenType.PIVOT, TokenType.UNPIVOT)


def starts_query(words: Words, position: int) -> bool:
    """Whether PIVOT begins a query: first, after AS, or after the target of an INSERT."""
    if position == 0 or says(words, position - 1, "AS"):
        return True

    return (
        words[0].token_type is TokenType.INSERT
        and says(words, 1, "INTO")
        and first(words, 0, "FROM") is None
    )


def time_window(words: Words) -> Words:
    """Quote a column that is called window.

    GROUP BY window(ts, '1 hour'), window

    Spark: a function and its column; the clause says WINDOW w AS (…)
    """
    names = [
        at
        for at, word in enumerate(words)
        if word.token_type is TokenType.WINDOW and not (says_all(words, at + 2, "AS", "("))
    ]
    found = list(words) if names else words
    for at in names:
        found[at] = word_like(words[at], TokenType.VAR, words[at].text)

    return found


def whole_table(words: Words) -> Words:
    """Rewrite TABLE t as SELECT.

    TABLE orders, CREATE TABLE t AS TABLE orders, FROM (TABLE orders), … UNION ALL TABLE orders

    SELECT * FROM orders
    """
    found = words
    for at in range(len(words) - 2, -1, -1):
        if says(words, at, "TABLE") and begins_query(words, at):
            star = words_like(words[at], *SELECT_STAR)
            found = [*found[:at], *star, *found[at + 1 :]]

    return found


def begins_query(words: Words, at: int) -> bool:
    """Whether a word is where a query begins: first, behind AS, in parentheses, in a UNION."""
    if at == 0 or words[at - 1].token_type in BEFORE_QUERY:
        return True

    called = at > 1 and words[at - 2].token_type in (TokenType.VAR, TokenType.IDENTIFIER)
    return words[at - 1].token_type is TokenType.L_PAREN and not called


BEFORE_QUERY = (
    TokenType.ALIAS, TokenType.UNION, TokenType.ALL, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.DISTINCT,
)  # fmt: skip


SELECT_STAR = ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))

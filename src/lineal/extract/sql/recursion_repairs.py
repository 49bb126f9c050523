"""Repairs of recursive queries: marks of their rows, and the words between their parts."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.brackets import closing_bracket
from lineal.extract.sql.words import Words, first, opening, says, word_at, word_like

MARK = "\0"
"""Is part of no name, and so may join the names of a word that is made of several."""


QUERIES = ("SELECT", "WITH", "VALUES", "FROM", "(")


def alias_of_keys(words: Words) -> Words:
    """Move the alias of USING into its list.

    a JOIN b USING (id) AS j

    PostgreSQL: USING (id, j), where the mark tells that j is not a key
    """
    for position in range(len(words) - 1, -1, -1):
        if words[position].token_type is TokenType.USING and says(words, position + 1, "("):
            end = closing_bracket(words, position + 1)
            # MERGE INTO t USING (SELECT …) AS s
            if any(says(words, position + 2, start) for start in QUERIES):
                continue

            if says(words, end + 1, "AS") and end + 2 < len(words):
                alias = word_like(words[end + 2], TokenType.IDENTIFIER, MARK + words[end + 2].text)
                words = [
                    *words[:end],
                    word_like(words[end], TokenType.COMMA, ","),
                    alias,
                    words[end],
                    *words[end + 3 :],
                ]

    return words


def marked_recursion(words: Words) -> Words:
    """Join the columns of SEARCH and CYCLE.

    SEARCH DEPTH FIRST BY a, b SET c, CYCLE a, b SET d USING e

    sqlglot reads one column, so a and b are one
    """
    found: Words = []
    position = 0
    while position < len(words):
        word = words[position]
        found.append(word)
        position += 1
        ends = found[-2:-1] and found[-2].token_type is TokenType.R_PAREN
        starts = word.text.upper() == "BY" and says(found, len(found) - 2, "FIRST")
        if starts or (
            word.text.upper() == "CYCLE" and (ends or says(found, len(found) - 3, "SET"))
        ):
            end = first(words, position, "SET")
            if end is not None and end > position + 1:
                names = MARK.join(
                    each.text
                    for each in words[position:end]
                    if each.token_type is not TokenType.COMMA
                )
                found.append(word_like(words[position], TokenType.IDENTIFIER, names))
                position = end

    if len(found) != len(words):
        return found

    return words


def recursion_in_between(words: Words) -> Words:
    """Wrap a CTE with SEARCH or CYCLE in a query of its own.

    WITH RECURSIVE r AS (…) SEARCH … SET o, q AS …

    r AS (WITH RECURSIVE r AS (…) SEARCH … SET o SELECT * FROM r)

    sqlglot reads these clauses behind the last CTE only.
    """
    for at in range(len(words) - 1, 0, -1):
        end = end_of_marks(words, at) if words[at - 1].token_type is TokenType.R_PAREN else None
        if end is None or not says(words, end, ","):
            continue

        start = opening(words, at - 1) - 1
        while start > 0 and not says(words, start, "AS"):
            start -= 1

        name = opening(words, start - 1) - 1 if says(words, start - 1, ")") else start - 1
        inner = [
            word_like(words[at], TokenType.L_PAREN, "("),
            word_like(words[at], TokenType.WITH, "WITH"),
            word_like(words[at], TokenType.RECURSIVE, "RECURSIVE"),
            *words[name:end],
            word_like(words[at], TokenType.SELECT, "SELECT"),
            word_like(words[at], TokenType.STAR, "*"),
            word_like(words[at], TokenType.FROM, "FROM"),
            words[name],
            word_like(words[at], TokenType.R_PAREN, ")"),
        ]
        words = [*words[: name + 1], words[start], *inner, *words[end:]]

    return words


def end_of_marks(words: Words, at: int) -> int | None:
    """Find the end of SEARCH and CYCLE clauses.

    SEARCH DEPTH FIRST BY a SET o CYCLE a SET c USING p

    where it ends; None if it is something else
    """
    if word_at(words, at) not in ("SEARCH", "CYCLE"):
        return None

    set_ = first(words, at, "SET")
    if set_ is None:
        return None

    end = set_ + 2
    if says(words, end, "TO"):
        end += 4  # CYCLE a SET c TO 1 DEFAULT 0

    if says(words, end, "USING"):
        end += 2

    return (end_of_marks(words, end) if says(words, end, "CYCLE") else None) or end

"""Repairs of statements that change rows: INSERT, UPDATE, DELETE and MERGE."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.brackets import closing_bracket
from lineal.extract.sql.words import Words, first, says, says_all, word_at, word_like


def compound_assignment(words: Words) -> Words:
    """Rewrite compound assignments.

    UPDATE t SET a += b      SET a = a + b
    """
    found: Words = []
    position = 0
    while position < len(words):
        word = words[position]
        following = words[position + 1] if position + 1 < len(words) else None
        if (
            word.token_type in OPERATORS
            and following is not None
            and following.token_type is TokenType.EQ
            and following.start == word.end + 1
        ):
            start = len(found)
            while start > 0 and found[start - 1].token_type not in BEFORE_A_TARGET:
                start -= 1

            found.extend([following, *found[start:], word])
            position += 2
            continue

        found.append(word)
        position += 1

    if len(found) != len(words):
        return found

    return words


OPERATORS = (
    TokenType.PLUS, TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.MOD, TokenType.AMP, TokenType.PIPE,
    TokenType.CARET, TokenType.DPIPE,
)  # fmt: skip


BEFORE_A_TARGET = (TokenType.SET, TokenType.COMMA)


def drop_top(words: Words) -> Words:
    """Drop TOP.

    UPDATE TOP (5) t SET …, DELETE TOP (5) FROM t      the number of rows changes no column
    """
    verb = first(words, 0, "UPDATE", "DELETE", "INSERT", "MERGE")
    if verb is None or not says(words, verb + 1, "TOP"):
        return words

    end = closing_bracket(words, verb + 2) + 1 if says(words, verb + 2, "(") else verb + 3
    return [*words[: verb + 1], *words[end + says(words, end, "PERCENT") :]]


def label(words: Words) -> Words:
    """Drop the label of an INSERT.

    INSERT INTO t WITH LABEL load_1 (a) SELECT …      a name for the job
    """
    at = first(words, 0, "LABEL")
    if at is None or not says(words, 0, "INSERT") or not says(words, at - 1, "WITH"):
        return words

    return [*words[: at - 1], *words[at + 2 :]]


def unless_there(words: Words) -> Words:
    """Drop IF NOT EXISTS of an INSERT.

    INSERT OVERWRITE TABLE t PARTITION (day = 1) IF NOT EXISTS SELECT …
    """
    at = first(words, 0, "IF")
    if at is None or not says(words, 0, "INSERT") or not says_all(words, at + 1, "NOT", "EXISTS"):
        return words

    return [*words[:at], *words[at + 3 :]]


def from_before_set(words: Words) -> Words:
    """Give the table of an UPDATE … FROM an alias.

    UPDATE t FROM s SET a = s.a …

    Teradata: UPDATE t FROM s AS s SET a = s.a …, or SET is taken for an alias
    """
    source, assignments = first(words, 0, "FROM"), first(words, 0, "SET")
    if (
        not says(words, 0, "UPDATE")
        or source is None
        or assignments is None
        or source > assignments
    ):
        return words

    start = assignments - 1
    while says(words, start - 1, "."):
        start -= 2

    if word_at(words, start - 1) not in ("FROM", ","):
        return words

    name = words[assignments - 1]
    return [
        *words[:assignments],
        word_like(name, TokenType.ALIAS, "AS"),
        name,
        *words[assignments:],
    ]


def mutation(words: Words) -> Words:
    """Rewrite a ClickHouse mutation as UPDATE or DELETE.

    ALTER TABLE t ON CLUSTER x UPDATE a = b IN PARTITION p WHERE c

    ClickHouse: UPDATE t SET a = b WHERE c
    """
    if not says_all(words, 0, "ALTER", "TABLE"):
        return words

    verb, where = first(words, 2, "UPDATE", "DELETE"), first(words, 2, "WHERE")
    if verb is None or where is None or where < verb:
        return words

    table = words[2 : first(words[:verb], 2, "ON") or verb]
    within = first(words[:where], verb, "IN")
    what = words[verb + 1 : within or where]
    if says(words, verb, "DELETE"):
        return [words[verb], word_like(words[verb], TokenType.FROM, "FROM"), *table, *words[where:]]

    return [
        words[verb],
        *table,
        word_like(words[verb], TokenType.SET, "SET"),
        *what,
        *words[where:],
    ]


def inline_view(words: Words) -> Words:
    """Give the query of an UPDATE an alias.

    UPDATE (SELECT …) SET a = b

    Oracle: UPDATE (SELECT …) AS view SET a = b, or SET is taken for an alias
    """
    if not says_all(words, 0, "UPDATE", "("):
        return words

    end = closing_bracket(words, 1) + 1
    if not says(words, end, "SET"):
        return words

    alias = [
        word_like(words[end], TokenType.ALIAS, "AS"),
        word_like(words[end], TokenType.VAR, "view"),
    ]
    return [*words[:end], *alias, *words[end:]]


def output_before_where(words: Words) -> Words:
    """Move OUTPUT behind WHERE.

    DELETE FROM t OUTPUT deleted.a INTO u WHERE …

    DELETE FROM t WHERE … OUTPUT deleted.a INTO u
    """
    delete, output = first(words, 0, "DELETE"), first(words, 0, "OUTPUT")
    behind_with = says(words, 0, "WITH") and delete is not None
    if not (says(words, 0, "DELETE") or behind_with) or output is None:
        return words

    end = first(words, output, "WHERE", "FROM") or len(words)
    if end < len(words):
        return [*words[:output], *words[end:], *words[output:end]]

    return words


def delete_where(words: Words) -> Words:
    """Rewrite DELETE WHERE as a clause of MERGE.

    … UPDATE SET a = s.a DELETE WHERE s.gone

    Oracle: … WHEN MATCHED AND s.gone THEN DELETE
    """
    at = first(words, 0, "DELETE")
    if not says(words, 0, "MERGE") or at is None or not says(words, at + 1, "WHERE"):
        return words

    end = first(words, at, "WHEN") or len(words)
    before = [
        word_like(words[at], kind, text)
        for kind, text in (
            (TokenType.WHEN, "WHEN"),
            (TokenType.VAR, "MATCHED"),
            (TokenType.AND, "AND"),
        )
    ]
    then = word_like(words[at], TokenType.THEN, "THEN")
    return [*words[:at], *before, *words[at + 2 : end], then, words[at], *words[end:]]


def without_duplicates(words: Words) -> Words:
    """Rewrite REMOVE DUPLICATES as clauses of MERGE.

    MERGE INTO t USING s ON … REMOVE DUPLICATES      Redshift: every row of s is t's new row
    """
    if not says(words, 0, "MERGE") or not says(words, len(words) - 2, "REMOVE"):
        return words

    last = words[-1]
    arms = (
        (TokenType.WHEN, "WHEN"), (TokenType.VAR, "MATCHED"), (TokenType.THEN, "THEN"), (TokenType.UPDATE, "UPDATE"),
        (TokenType.STAR, "*"), (TokenType.WHEN, "WHEN"), (TokenType.NOT, "NOT"), (TokenType.VAR, "MATCHED"),
        (TokenType.THEN, "THEN"), (TokenType.INSERT, "INSERT"), (TokenType.STAR, "*"),
    )  # fmt: skip
    return [*words[:-2], *(word_like(last, kind, text) for kind, text in arms)]


def schema_evolution(words: Words) -> Words:
    """Rewrite SCHEMA EVOLUTION as a hint.

    MERGE WITH SCHEMA EVOLUTION INTO t USING s …

    a hint: MERGE INTO t WITH (EVOLUTION) USING s …
    """
    using = first(words, 0, "USING")
    if not (says(words, 0, "MERGE") and says_all(words, 2, "SCHEMA", "EVOLUTION")) or using is None:
        return words

    opens, closes = (
        word_like(words[1], TokenType.L_PAREN, "("),
        word_like(words[3], TokenType.R_PAREN, ")"),
    )
    return [words[0], *words[4:using], words[1], opens, words[3], closes, *words[using:]]


def left_out(words: Words) -> Words:
    """Drop clauses that change no column.

    CREATE VIEW v AS … WITH LOCAL CHECK OPTION, INSERT INTO t OVERRIDING SYSTEM VALUE …, UPDATE
    OR IGNORE t …, ALTER TABLE t ADD PRIMARY KEY (a) WITH FILLFACTOR = 80, DELETE FROM t FROM t
    JOIN s …
    """
    if says_all(words, len(words) - 4, "WITH", "FILLFACTOR"):
        return words[:-4]

    if says_all(words, 0, "DELETE", "FROM") and says(words, behind_parts(words, 2), "FROM"):
        return [words[0], *words[2:]]

    if says_all(words, len(words) - 2, "CHECK", "OPTION"):
        return words[: -4 if says(words, len(words) - 4, "WITH") else -3]

    overriding = first(words, 0, "OVERRIDING")
    if overriding is not None and says(words, 0, "INSERT"):
        return [*words[:overriding], *words[overriding + 3 :]]

    if says_all(words, 0, "UPDATE", "OR"):
        return [words[0], *words[3:]]

    return words


def behind_parts(words: Words, at: int) -> int:
    """b.t FROM      where a name ends whose parts are joined by dots"""
    while says(words, at + 1, "."):
        at += 2

    return at + 1

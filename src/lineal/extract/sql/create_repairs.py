"""Repairs of statements that create or copy a table, a view or a task."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.brackets import closing_bracket
from lineal.extract.sql.words import Words, created_kind, first, says, says_all, word_at, word_like


def inner_statement(words: Words) -> Words:
    """CREATE TASK nightly SCHEDULE = '…' AS INSERT …, CREATE PIPE p AS COPY …, CREATE ALERT a … THEN …

    CREATE FLOW f AS INSERT …, CREATE FLOW f AS INSERT INTO ONCE t …

    what is done again and again
    """
    kind = created_kind(words, 5, "TASK", "PIPE", "ALERT", "FLOW")
    as_ = first(words, 0, "AS", "THEN")
    if kind is None or as_ is None or as_ < kind:
        return words

    inner = words[as_ + 1 :]
    return [*inner[:2], *inner[3:]] if says_all(inner, 1, "INTO", "ONCE") else inner


def drop_unneeded(words: Words) -> Words:
    """Drop words that change no column.

    CREATE TABLE t DEEP CLONE s, CREATE OR REFRESH LIVE TABLE t AS …

    CREATE OR REFRESH PRIVATE MATERIALIZED VIEW v AS …
    """
    clone = first(words, 0, "CLONE")
    if clone is not None and says(words, clone - 1, "DEEP"):
        return [*words[: clone - 1], *words[clone:]]

    live = first(words, 0, "LIVE", "PRIVATE")
    if live is not None and says(words, 0, "CREATE") and live <= 4:
        return [
            word_like(word, TokenType.REPLACE, "REPLACE") if says([word], 0, "REFRESH") else word
            for word in (*words[:live], *words[live + 1 :])
        ]

    return words


def versions(words: Words) -> Words:
    """Drop the version of a table.

    CREATE TABLE t CLONE s VERSION AS OF 3, RESTORE TABLE t TO VERSION AS OF 3

    CREATE TABLE t CLONE s FOR SYSTEM_TIME AS OF d      BigQuery; every version has the same columns

    RESTORE TABLE t …      INSERT INTO t SELECT * FROM t: what t has comes from one of its former
                           states
    """
    clone = first(words, 0, "CLONE")
    if clone is not None and says(words, 0, "CREATE"):
        end = first(words, clone, "FOR", "VERSION", "TIMESTAMP", "TBLPROPERTIES", "LOCATION")
        if end is None:
            return words

        return words[:end]

    version = first(words, 0, "VERSION", "TIMESTAMP")
    if not says(words, 0, "RESTORE") or version is None or not says(words, version + 2, "OF"):
        return words

    table = words[1 + says(words, 1, "TABLE") : version - says(words, version - 1, "TO")]
    insert = ((TokenType.INSERT, "INSERT"), (TokenType.INTO, "INTO"))
    select = ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))
    return [
        *(word_like(words[0], *word) for word in insert),
        *table,
        *(word_like(words[0], *word) for word in select),
        *table,
    ]


def format_of_files(words: Words) -> Words:
    """Rewrite CONVERT TO DELTA as ALTER TABLE.

    CONVERT TO DELTA parquet.`/lake/orders` …

    ALTER TABLE … SET TBLPROPERTIES ('provider' = 'delta')
    """
    if not (says_all(words, 0, "CONVERT", "TO", "DELTA")):
        return words

    end = first(words, 3, "NO", "PARTITIONED BY", "PARTITIONED") or len(words)
    made = (
        (TokenType.SET, "SET"), (TokenType.VAR, "TBLPROPERTIES"), (TokenType.L_PAREN, "("),
        (TokenType.STRING, "provider"), (TokenType.EQ, "="), (TokenType.STRING, "delta"), (TokenType.R_PAREN, ")"),
    )  # fmt: skip
    start = (
        word_like(words[0], TokenType.ALTER, "ALTER"),
        word_like(words[0], TokenType.TABLE, "TABLE"),
    )
    return [*start, *words[3:end], *(word_like(words[0], *word) for word in made)]


def output_of_a_schema(words: Words) -> Words:
    """Join the parts of an OUTPUT target.

    OUTPUT deleted.a INTO db.dbo.u, INTO #u (n)      the parts of the name as one word
    """
    output = first(words, 0, "OUTPUT")
    into = first(words, output, "INTO") if output is not None else None
    if into is not None and says(words, into + 1, "#") and says(words, into + 3, "("):
        name = f"#{words[into + 2].text}"
        joined = word_like(words[into + 2], TokenType.VAR, name)
        return [*words[: into + 1], joined, *words[into + 3 :]]

    if into is None or not says(words, into + 2, "."):
        return words

    end = into + 2
    while says(words, end, "."):
        end += 2

    name = ".".join(word.text for word in words[into + 1 : end : 2])
    return [
        *words[: into + 1],
        word_like(words[into + 1], TokenType.IDENTIFIER, name),
        *words[end:],
    ]


def recursive_view(words: Words) -> Words:
    """Rewrite a recursive view as a recursive CTE.

    CREATE RECURSIVE VIEW d.v (n) AS q

    CREATE VIEW d.v AS WITH RECURSIVE v (n) AS (q) SELECT * FROM v
    """
    at, as_ = first(words, 0, "RECURSIVE"), first(words, 0, "AS")
    if (
        word_at(words, 0) not in ("CREATE", "REPLACE")
        or at is None
        or as_ is None
        or not at < as_
        or not says(words, at + 1, "VIEW")
    ):
        return words

    end_of_name = at + 2
    while says(words, end_of_name + 1, "."):
        end_of_name += 2

    mark, full = words[at], words[at + 2 : end_of_name + 1]
    name = full[-1]
    start = ((TokenType.ALIAS, "AS"), (TokenType.WITH, "WITH"), (TokenType.RECURSIVE, "RECURSIVE"))
    end = (
        (TokenType.R_PAREN, ")"),
        (TokenType.SELECT, "SELECT"),
        (TokenType.STAR, "*"),
        (TokenType.FROM, "FROM"),
    )
    return [
        *words[:at], words[at + 1], *full, *(word_like(mark, kind, text) for kind, text in start), name,
        *words[end_of_name + 1 : as_ + 1], word_like(mark, TokenType.L_PAREN, "("),
        *without_schema(words[as_ + 1 :], full),
        *(word_like(mark, kind, text) for kind, text in end), name,
    ]  # fmt: skip


def without_schema(words: Words, full: Words) -> Words:
    """FROM db.v, where db.v is a view that reads itself      FROM v: the CTE of that name"""
    wanted = [word.text.lower() for word in full]
    found: Words = []
    at = 0
    while at < len(words):
        here = [word.text.lower() for word in words[at : at + len(wanted)]]
        at += len(wanted) - 1 if here == wanted else 0
        found.append(words[at])
        at += 1

    return found


def properties(words: Words) -> Words:
    """Drop the properties of a materialized view.

    CREATE MATERIALIZED VIEW v BUILD IMMEDIATE REFRESH … AS SELECT …

    the way it is built changes no column
    """
    as_ = first(words, 0, "AS") or 0
    kind = created_kind(words, as_, "VIEW", "TABLE")
    if kind is None:
        return words

    end = kind + 2
    if says_all(words, kind + 1, "IF", "NOT"):
        end += 3

    while says(words, end, "."):
        end += 2

    if says(words, end, "("):
        end = closing_bracket(words, end) + 1

    if end < as_:
        return [*words[:end], *words[as_:]]

    return words

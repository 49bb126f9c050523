"""Repairs of what one engine says and others do not: phrases that are left out, statements in other
words.
"""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.words import Words, closing, first, like, opening, said, says


def how_a_view_is_kept(words: Words) -> Words:
    """CREATE OR REPLACE FORCE EDITIONABLE VIEW v …      Oracle: CREATE OR REPLACE VIEW v …"""
    kind = first(words, 0, "VIEW")
    if not says(words, 0, "CREATE") or kind is None or kind > 7:
        return words
    kept = [word for word in words[:kind] if word.text.upper() not in KEPT]
    if len(kept) < kind:
        return [*kept, *words[kind:]]

    return words


KEPT = frozenset(("FORCE", "NO", "NOFORCE", "EDITIONABLE", "NONEDITIONABLE", "EDITIONING"))


def redefinition(words: Words) -> Words:
    """ALTER VIEW v (a) WITH SCHEMABINDING AS SELECT …      CREATE OR REPLACE VIEW v …"""
    as_ = first(words, 0, "AS")
    if not says(words, 0, "ALTER") or as_ is None:
        return words
    kind = first(words[:as_], 0, "VIEW")
    if kind is None:
        return words
    create = ((TokenType.CREATE, "CREATE"), (TokenType.OR, "OR"), (TokenType.REPLACE, "REPLACE"))
    return [*said(words[0], *create), *words[kind:]]


def errors_elsewhere(words: Words) -> Words:
    """INSERT INTO t SELECT … LOG ERRORS INTO e ('x') REJECT LIMIT 10

    Oracle: where rows go that do not fit
    """
    log = first(words, 0, "LOG")
    if log is not None and says(words, log + 1, "ERRORS"):
        return words[:log]

    return words


def options(words: Words) -> Words:
    """MERGE … OPTION (RECOMPILE)      T-SQL: how it is carried out"""
    if not words or words[-1].token_type is not TokenType.R_PAREN:
        return words
    start = opening(words, len(words) - 1) - 1
    if says(words, start, "OPTION"):
        return words[:start]

    return words


def hints_of_merge(words: Words) -> Words:
    """MERGE INTO t WITH (HOLDLOCK) x USING s WITH (NOLOCK) …      T-SQL: hints"""
    on = first(words, 0, "ON")
    if not any(says(words, at, "MERGE") for at in range(len(words))) or on is None:
        return words
    found: Words = []
    position = 0
    while position < on:
        if says(words, position, "WITH") and says(words, position + 1, "("):
            position = closing(words, position + 1) + 1
            continue
        found.append(words[position])
        position += 1
    if position - len(found):
        return [*found, *words[position:]]

    return words


def wrapper(words: Words) -> Words:
    """JSON_QUERY(a, '$.b' WITH CONDITIONAL ARRAY WRAPPER)

    how a result is written is no matter of columns
    """
    for at in range(len(words) - 1, 0, -1):
        if says(words, at, "WRAPPER"):
            start = at - 1
            while words[start].text.upper() in ("ARRAY", "CONDITIONAL", "UNCONDITIONAL"):
                start -= 1
            if says(words, start, "WITH") or says(words, start, "WITHOUT"):
                words = [*words[:start], *words[at + 1 :]]
    return words


def reset(words: Words) -> Words:
    """OVER (ORDER BY a RESET WHEN b > 1 ROWS …)

    Teradata: OVER (ORDER BY a, b > 1 ROWS …), b decides, too
    """
    for at in range(len(words) - 2, 0, -1):
        if says(words, at, "RESET") and says(words, at + 1, "WHEN"):
            words = [*words[:at], like(words[at], TokenType.COMMA, ","), *words[at + 2 :]]
    return words


def subsets(words: Words) -> Words:
    """MATCH_RECOGNIZE (… SUBSET u = (a, b) DEFINE …)      u is one of the rows"""
    at = next(
        (
            at
            for at, word in enumerate(words)
            if word.text.upper() == "SUBSET" and says(words, at + 3, "(")
        ),
        None,
    )
    if at is None:
        return words
    end = closing(words, at + 3) + 1
    while says(words, end, ",") and says(words, end + 3, "("):
        end = closing(words, end + 3) + 1
    return [*words[:at], *words[end:]]


def passed_to_path(words: Words) -> Words:
    """JSON_TABLE(a, '$.b' AS p PASSING 1 AS x COLUMNS …)      JSON_TABLE(a, '$.b' COLUMNS …)"""
    for at in range(len(words) - 1, 0, -1):
        if says(words, at, "AS") or says(words, at, "PASSING"):
            columns = first(words, at + 1, "COLUMNS")
        else:
            columns = None
        if (
            columns is not None
            and words[at - 1].token_type is TokenType.STRING
            and says(words, columns + 1, "(")
        ):
            words = [*words[:at], *words[columns:]]
    return words


def without_value(words: Words) -> Words:
    """a INT PATH '$.a' DEFAULT 0 ON EMPTY NULL ON ERROR      JSON_TABLE: a INT PATH '$.a'"""
    for at in range(len(words) - 1, 2, -1):
        if words[at].text.upper() in ("EMPTY", "ERROR") and says(words, at - 1, "ON"):
            start = at - 3 if says(words, at - 3, "DEFAULT") else at - 2
            words = [*words[:start], *words[at + 1 :]]
    return words


def by_position(words: Words) -> Words:
    """INSERT INTO t BY POSITION SELECT …      DuckDB: as always"""
    at = first(words, 0, "BY")
    found = at is not None and says(words, 0, "INSERT") and says(words, at + 1, "POSITION")
    if found and at is not None:
        return [*words[:at], *words[at + 2 :]]

    return words


def version_mark(words: Words) -> Words:
    """FROM t@v3      Delta: t"""
    marks = {
        at
        for at in range(1, len(words) - 1)
        if words[at].token_type is TokenType.PARAMETER
        and words[at].start == words[at - 1].end + 1
        and words[at + 1].text[:1].lower() == "v"
        and words[at + 1].text[1:].isdigit()
    }
    if marks:
        return [word for at, word in enumerate(words) if at not in marks and at - 1 not in marks]

    return words


def bulk_load(words: Words) -> Words:
    """BULK INSERT t FROM 'x.csv' WITH (…)      T-SQL: COPY INTO t FROM 'x.csv'

    LOAD DATA LOCAL INFILE 'x.csv' INTO TABLE t FIELDS … (a, @b, c)      MySQL: COPY INTO t (a, c)
    FROM 'x.csv'
    """
    if says(words, 0, "BULK") and says(words, 1, "INSERT"):
        source = first(words, 0, "FROM")
        table, path = words[2:source], words[source + 1 : source + 2] if source is not None else []
    elif (infile := first(words, 0, "INFILE")) is not None and says(words, 0, "LOAD"):
        at = first(words, infile, "TABLE")
        end = (at or 0) + 2
        while says(words, end, "."):
            end += 2
        listed = first_parenthesis(words, end)
        table, path = (
            [*(words[at + 1 : end] if at is not None else []), *listed],
            words[infile + 1 : infile + 2],
        )
    else:
        return words
    if not table or not path:
        return words
    copy = ((TokenType.COPY, "COPY"), (TokenType.INTO, "INTO"))
    return [*said(words[0], *copy), *table, *said(path[0], (TokenType.FROM, "FROM")), *path]


def into_file(words: Words) -> Words:
    """SELECT a INTO OUTFILE 'x.csv' FIELDS … FROM t

    MySQL: COPY (SELECT a FROM t) TO 'x.csv'
    """
    into = first(words, 0, "INTO")
    if into is None or not (says(words, into + 1, "OUTFILE") or says(words, into + 1, "DUMPFILE")):
        return words
    end = first(words, into, "FROM", "FOR") or len(words)
    copy = said(words[0], (TokenType.COPY, "COPY"), (TokenType.L_PAREN, "("))
    to = said(words[into], (TokenType.R_PAREN, ")"), (TokenType.VAR, "TO"))
    return [*copy, *words[:into], *words[end:], *to, *words[into + 2 : into + 3]]


def bulk_rows(words: Words) -> Words:
    """FROM OPENROWSET(BULK 'x.csv', FORMAT = 'CSV') WITH (a INT) AS r

    T-SQL: OPENROWSET('x.csv') AS r
    """
    for at in range(len(words) - 3, -1, -1):
        if (
            says(words, at, "OPENROWSET")
            and says(words, at + 1, "(")
            and says(words, at + 2, "BULK")
        ):
            end = closing(words, at + 1)
            after = end + 1
            if says(words, after, "WITH") and says(words, after + 1, "("):
                after = closing(words, after + 1) + 1
            words = [*words[: at + 2], words[at + 3], words[end], *words[after:]]
    return words


def first_parenthesis(words: Words, start: int) -> Words:
    """(a, @b, c)      (a, c): a variable is no column"""
    at = next((at for at in range(start, len(words)) if says(words, at, "(")), None)
    if at is None:
        return []
    names = [
        word
        for position, word in enumerate(words[at + 1 : closing(words, at)], at + 1)
        if word.token_type not in (TokenType.COMMA, TokenType.PARAMETER)
        and words[position - 1].token_type is not TokenType.PARAMETER
    ]
    comma = like(words[at], TokenType.COMMA, ",")
    inside = [each for name in names for each in (name, comma)][:-1]
    if inside:
        return [words[at], *inside, like(words[at], TokenType.R_PAREN, ")")]

    return []


def namespaces(words: Words) -> Words:
    """WITH XMLNAMESPACES ('http://x' AS n), c AS (…) SELECT …      T-SQL: WITH c AS (…) SELECT …"""
    if not (says(words, 0, "WITH") and says(words, 1, "XMLNAMESPACES") and says(words, 2, "(")):
        return words
    end = closing(words, 2) + 1
    if says(words, end, ","):
        return [words[0], *words[end + 1 :]]

    return words[end:]


def expectations(words: Words) -> Words:
    """CREATE TABLE t (CONSTRAINT c EXPECT (a > 0) ON VIOLATION DROP ROW) AS …

    Databricks: CREATE TABLE t AS …
    """
    start, as_ = (
        next((at for at in range(len(words)) if says(words, at, "(")), None),
        first(words, 0, "AS"),
    )
    if not says(words, 0, "CREATE") or start is None or as_ is None or as_ < start:
        return words
    end = closing(words, start)
    listed = items(words[start + 1 : end])
    kept = [
        item for item in listed if not (says(item, 0, "CONSTRAINT") and says(item, 2, "EXPECT"))
    ]
    if len(kept) == len(listed):
        return words
    comma = like(words[start], TokenType.COMMA, ",")
    inside = [word for item in kept for word in (*item, comma)][:-1]
    return [
        *words[:start],
        *([words[start], *inside, words[end]] if inside else []),
        *words[end + 1 :],
    ]


def changes_applied(words: Words) -> Words:
    """APPLY CHANGES INTO t FROM STREAM(s) KEYS (k) APPLY AS DELETE WHEN d SEQUENCE BY q COLUMNS *
    EXCEPT (c) …

    Databricks: MERGE INTO t USING (SELECT * EXCEPT (c) FROM s WHERE d ORDER BY q) AS s ON t.k = s.k
    …, all by name
    """
    source, keys = first(words, 0, "FROM"), first(words, 0, "KEYS")
    applies = says(words, 0, "APPLY") and says(words, 1, "CHANGES") and says(words, 2, "INTO")
    if not applies or source is None or keys is None:
        return words
    rows = [
        word for word in words[source + 1 : keys] if word.text.upper() not in ("STREAM", "(", ")")
    ]
    named = items(words[keys + 2 : closing(words, keys + 1)])
    chosen, gone, order = (
        clause(words, "COLUMNS", 1),
        clause(words, "DELETE", 2),
        clause(words, "SEQUENCE", 2),
    )
    if says(chosen, 0, "("):
        chosen = chosen[1:-1]
    else:
        chosen = chosen or said(words[0], (TokenType.STAR, "*"))
    filters = [*said(words[0], (TokenType.WHERE, "WHERE")), *gone] if gone else []
    sorts = [*said(words[0], (TokenType.ORDER_BY, "ORDER BY")), *order] if order else []
    joined: Words = []
    for key in named:
        joined += said(words[0], (TokenType.AND, "AND")) if joined else []
        joined += [*said(words[0], *OLD), *key, *said(words[0], (TokenType.EQ, "="), *NEW), *key]
    return [
        *said(words[0], (TokenType.MERGE, "MERGE"), (TokenType.INTO, "INTO")), *words[3:source],
        *said(words[0], (TokenType.ALIAS, "AS"), OLD[0], (TokenType.USING, "USING"), (TokenType.L_PAREN, "(")),
        *said(words[0], (TokenType.SELECT, "SELECT")), *chosen, *said(words[0], (TokenType.FROM, "FROM")), *rows,
        *filters, *sorts, *said(words[0], (TokenType.R_PAREN, ")"), (TokenType.ALIAS, "AS"), NEW[0]),
        *said(words[0], (TokenType.ON, "ON")), *joined, *said(words[0], *BY_NAME),
    ]  # fmt: skip


OLD = ((TokenType.IDENTIFIER, "state"), (TokenType.DOT, "."))
NEW = ((TokenType.IDENTIFIER, "changes"), (TokenType.DOT, "."))
BY_NAME = (
    (TokenType.WHEN, "WHEN"), (TokenType.VAR, "MATCHED"), (TokenType.THEN, "THEN"), (TokenType.UPDATE, "UPDATE"),
    (TokenType.SET, "SET"), (TokenType.STAR, "*"), (TokenType.WHEN, "WHEN"), (TokenType.NOT, "NOT"),
    (TokenType.VAR, "MATCHED"), (TokenType.THEN, "THEN"), (TokenType.INSERT, "INSERT"), (TokenType.STAR, "*"),
)  # fmt: skip


def clause(words: Words, word: str, length: int) -> Words:
    """… SEQUENCE BY a COLUMNS …      a: what follows a word, up to the next clause"""
    start = first(words, 0, word)
    if start is None:
        return []
    end = first(
        words, start + length, "SEQUENCE", "COLUMNS", "STORED", "APPLY", "IGNORE", "TRACK"
    ) or len(words)
    return words[start + length : end]


def format_behind(words: Words) -> Words:
    """INSERT INTO t SELECT … FORMAT CSV      ClickHouse: how the rows come"""
    found = (
        says(words, 0, "INSERT")
        and says(words, len(words) - 2, "FORMAT")
        and first(words, 0, "SELECT") is not None
    )
    if found:
        return words[:-2]

    return words


def table_and_folder(words: Words) -> Words:
    """EXPORT TABLE t TO '/x', IMPORT TABLE t FROM '/x'

    Hive: COPY t TO '/x', COPY t FROM '/x'
    """
    if (
        len(words) < 5
        or not (says(words, 0, "EXPORT") or says(words, 0, "IMPORT"))
        or not says(words, 1, "TABLE")
    ):
        return words
    place = first(words, 2, "TO", "FROM")
    if place is None:
        return words
    table = words[2 : first(words[:place], 2, "PARTITION") or place]
    return [*said(words[0], (TokenType.COPY, "COPY")), *table, *words[place : place + 2]]


REPAIRS = (
    namespaces, expectations, changes_applied, format_behind, table_and_folder,
    how_a_view_is_kept, redefinition, errors_elsewhere, options, hints_of_merge, wrapper, reset, subsets,
    passed_to_path, without_value, by_position, version_mark, bulk_load, into_file, bulk_rows,
)  # fmt: skip


# -- CREATE TABLE ----------------------------------------------------------------------------------


def only_columns(words: Words) -> Words | None:
    """CREATE TABLE t (a NUMBER NOT NULL ENABLE, CONSTRAINT k …) TABLESPACE x

    CREATE TABLE t (a NUMBER)

    What is left says which columns there are; None for anything else.
    """
    kind = first(words, 0, "TABLE")
    if not says(words, 0, "CREATE") or kind is None or kind > 6:
        return None
    start = next((at for at in range(kind, len(words)) if says(words, at, "(")), None)
    if start is None or first(words, start, "AS", "SELECT", "LIKE") is not None:
        return None
    end = closing(words, start)
    columns = [column for item in items(words[start + 1 : end]) if (column := only_column(item))]
    if not columns:
        return None
    comma = like(words[start], TokenType.COMMA, ",")
    inside = [word for column in columns for word in (*column, comma)][:-1]
    return [*words[: start + 1], *inside, words[end]]


def items(words: Words) -> list[Words]:
    """a, b(1, 2), c      a; b(1, 2); c"""
    found: list[Words] = [[]]
    depth = 0
    for word in words:
        depth += (word.token_type in OPENS) - (word.token_type in CLOSES)
        if word.token_type is TokenType.COMMA and depth == 0:
            found.append([])
        else:
            found[-1].append(word)
    return [item for item in found if item]


OPENS = (TokenType.L_PAREN, TokenType.LT)
CLOSES = (TokenType.R_PAREN, TokenType.GT)


def only_column(words: Words) -> Words:
    """a NUMBER(10) DEFAULT 1 NOT NULL COMMENT 'x'

    a NUMBER(10) COMMENT 'x'; nothing for a constraint
    """
    name = words[0]
    if name.token_type is not TokenType.IDENTIFIER and name.text.upper() in CONSTRAINTS:
        return []
    end = 1
    while end < len(words) and words[end].text.upper() not in AFTER_TYPE:
        end = closing(words, end) + 1 if words[end].token_type is TokenType.L_PAREN else end + 1
    comment = first(words, end, "COMMENT")
    described = (
        comment is not None
        and words[comment + 1 :][:1]
        and words[comment + 1].token_type is TokenType.STRING
    )
    return [
        *words[:end],
        *(words[comment : comment + 2] if described and comment is not None else []),
    ]


CONSTRAINTS = frozenset(
    """CONSTRAINT PRIMARY UNIQUE FOREIGN KEY INDEX CHECK EXCLUDE PERIOD FULLTEXT SPATIAL PROJECTION SUPPLEMENTAL
    PRIMARY_KEY""".split()  # noqa: SIM905
) | {"PRIMARY KEY", "FOREIGN KEY"}
AFTER_TYPE = frozenset(
    """NOT NULL DEFAULT PRIMARY UNIQUE REFERENCES CHECK CONSTRAINT GENERATED IDENTITY COMMENT COLLATE CHARSET ENCODE
    ENABLE DISABLE AUTO_INCREMENT AUTOINCREMENT AS ON VISIBLE INVISIBLE SPARSE DISTKEY SORTKEY ROWGUIDCOL FORMAT TITLE
    COMPRESS CASESPECIFIC UPPERCASE OPTIONS TAG WITH CODEC TTL ALIAS MATERIALIZED EPHEMERAL KEY VIRTUAL STORED
    HIDDEN MASKED""".split()  # noqa: SIM905
) | {"PRIMARY KEY", "CHARACTER SET"}

"""Repairs of what one engine says and others do not: phrases that are left out, statements in other
words.
"""

from __future__ import annotations

from itertools import starmap

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.brackets import closing_bracket
from lineal.extract.sql.words import (
    Words,
    created_kind,
    first,
    first_opening,
    items,
    last_first,
    opening,
    says,
    says_all,
    split_items,
    word_at,
    word_like,
    words_like,
)
from lineal.model.sequences import flatten


def how_a_view_is_kept(words: Words) -> Words:
    """Drop the words that say how a view is kept.

    CREATE OR REPLACE FORCE EDITIONABLE VIEW v …      Oracle: CREATE OR REPLACE VIEW v …
    """
    kind = created_kind(words, 7, "VIEW")
    if kind is None:
        return words

    kept = [word for word in words[:kind] if word.text.upper() not in KEPT]
    if len(kept) < kind:
        return [*kept, *words[kind:]]

    return words


KEPT = frozenset(("FORCE", "NO", "NOFORCE", "EDITIONABLE", "NONEDITIONABLE", "EDITIONING"))


def redefinition(words: Words) -> Words:
    """Rewrite ALTER VIEW … AS as CREATE OR REPLACE VIEW.

    ALTER VIEW v (a) WITH SCHEMABINDING AS SELECT …      CREATE OR REPLACE VIEW v …
    """
    as_ = first(words, 0, "AS")
    if not says(words, 0, "ALTER") or as_ is None:
        return words

    kind = first(words[:as_], 0, "VIEW")
    if kind is None:
        return words

    create = ((TokenType.CREATE, "CREATE"), (TokenType.OR, "OR"), (TokenType.REPLACE, "REPLACE"))
    return [*words_like(words[0], *create), *words[kind:]]


def joined_comment(words: Words) -> Words:
    """Join the strings of a comment.

    COMMENT ON TABLE t IS E'' 'a ' 'b'      PostgreSQL: IS 'a b'
    """
    is_ = first(words, 0, "IS")
    if not says(words, 0, "COMMENT") or is_ is None:
        return words

    texts = words[is_ + 1 :]
    if not texts or any(word.token_type not in STRINGS for word in texts):
        return words

    whole = word_like(texts[0], TokenType.STRING, "".join(word.text for word in texts))
    return [*words[: is_ + 1], whole]


STRINGS = frozenset((TokenType.STRING, TokenType.BYTE_STRING))


def errors_elsewhere(words: Words) -> Words:
    """Drop the clause that logs rejected rows.

    INSERT INTO t SELECT … LOG ERRORS INTO e ('x') REJECT LIMIT 10, MERGE … LOGGING ALL ERRORS

    Oracle, Teradata: where rows go that do not fit
    """
    log = first(words, 0, "LOG", "LOGGING")
    if log is not None and says_all(words, log + 1, "ALL", "ERRORS"):
        return words[:log]

    if log is not None and says(words, log + 1, "ERRORS"):
        return words[:log]

    return words


def options(words: Words) -> Words:
    """Drop the query options of T-SQL.

    MERGE … OPTION (RECOMPILE)      T-SQL: how it is executed
    """
    if not words or words[-1].token_type is not TokenType.R_PAREN:
        return words

    start = opening(words, len(words) - 1) - 1
    if says(words, start, "OPTION"):
        return words[:start]

    return words


def wrapper(words: Words) -> Words:
    """Drop the wrapper clauses of JSON functions.

    JSON_QUERY(a, '$.b' WITH CONDITIONAL ARRAY WRAPPER)

    how a result is written is no matter of columns
    """
    for at in range(len(words) - 1, 0, -1):
        if says(words, at, "WRAPPER"):
            start = at - 1
            while words[start].text.upper() in ("ARRAY", "CONDITIONAL", "UNCONDITIONAL"):
                start -= 1

            if word_at(words, start) in ("WITH", "WITHOUT"):
                words = [*words[:start], *words[at + 1 :]]

    return words


def reset(words: Words) -> Words:
    """Rewrite RESET WHEN as one more key of the window.

    OVER (ORDER BY a RESET WHEN b > 1 ROWS …)

    Teradata: OVER (ORDER BY a, b > 1 ROWS …), b decides, too
    """
    for at in last_first(words, "RESET", "WHEN"):
        words = [*words[:at], word_like(words[at], TokenType.COMMA, ","), *words[at + 2 :]]

    return words


def subsets(words: Words) -> Words:
    """Drop the SUBSET clause of MATCH_RECOGNIZE.

    MATCH_RECOGNIZE (… SUBSET u = (a, b) DEFINE …)      u is one of the rows
    """
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

    end = closing_bracket(words, at + 3) + 1
    while says(words, end, ",") and says(words, end + 3, "("):
        end = closing_bracket(words, end + 3) + 1

    return [*words[:at], *words[end:]]


def passed_to_path(words: Words) -> Words:
    """Drop the PASSING clause of a JSON path.

    JSON_TABLE(a, '$.b' AS p PASSING 1 AS x COLUMNS …)      JSON_TABLE(a, '$.b' COLUMNS …)
    """
    for at in range(len(words) - 1, 0, -1):
        if word_at(words, at) in ("AS", "PASSING"):
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
    """Drop the defaults of JSON_TABLE columns.

    a INT PATH '$.a' DEFAULT 0 ON EMPTY NULL ON ERROR      JSON_TABLE: a INT PATH '$.a'
    """
    for at in range(len(words) - 1, 2, -1):
        if words[at].text.upper() in ("EMPTY", "ERROR") and says(words, at - 1, "ON"):
            start = at - 3 if says(words, at - 3, "DEFAULT") else at - 2
            words = [*words[:start], *words[at + 1 :]]

    return words


def by_position(words: Words) -> Words:
    """Drop BY POSITION.

    INSERT INTO t BY POSITION SELECT …      DuckDB: as always
    """
    at = first(words, 0, "BY")
    found = at is not None and says(words, 0, "INSERT") and says(words, at + 1, "POSITION")
    if found and at is not None:
        return [*words[:at], *words[at + 2 :]]

    return words


def values_as_name(words: Words) -> Words:
    """Read VALUES as a column's name where no row follows it.

    SELECT explode(values), values[0] FROM t      Spark: VALUES is not reserved
    """
    names = {
        at: word_like(word, TokenType.VAR, word.text)
        for at, word in enumerate(words)
        if word.token_type is TokenType.VALUES and not begins_row(words, at + 1)
    }
    if not names:
        return words

    return list(starmap(names.get, enumerate(words)))


def begins_row(words: Words, at: int) -> bool:
    """VALUES (1, 2), VALUES 1, VALUES ROW(1), VALUES 'a'"""
    if at >= len(words) or words[at].token_type is TokenType.ALIAS:
        return False

    return words[at].text not in (")", ",", ".", "[", "=") and not says(words, at, "FROM")


def version_mark(words: Words) -> Words:
    """Drop the version of a Delta table's name.

    FROM t@v3      Delta: t
    """
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
    """Rewrite a bulk load as COPY INTO.

    BULK INSERT t FROM 'x.csv' WITH (…)      T-SQL: COPY INTO t FROM 'x.csv'

    LOAD DATA LOCAL INFILE 'x.csv' INTO TABLE t FIELDS … (a, @b, c)      MySQL: COPY INTO t (a, c)
    FROM 'x.csv'; with SET, a query over the file
    """
    if says_all(words, 0, "BULK", "INSERT"):
        source = first(words, 0, "FROM")
        table, path = words[2:source], words[source + 1 : source + 2] if source is not None else []
    elif (infile := first(words, 0, "INFILE")) is not None and says(words, 0, "LOAD"):
        at = first(words, infile, "TABLE")
        end = (at or 0) + 2
        while says(words, end, "."):
            end += 2

        if at is not None and (assigned := assigned_in_load(words, infile, at + 1, end)):
            return assigned

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
    return [
        *words_like(words[0], *copy),
        *table,
        *words_like(path[0], (TokenType.FROM, "FROM")),
        *path,
    ]


def assigned_in_load(words: Words, infile: int, table: int, end: int) -> Words:
    """LOAD DATA INFILE 'x.csv' INTO TABLE t (a, @b) SET c = upper(@b)

    MySQL: COPY INTO t (a, c) FROM (SELECT a, upper(`@b`) FROM `x.csv`); nothing, without SET
    """
    opens = first_opening(words, end)
    if opens is None or not says(words, closing_bracket(words, opens) + 1, "SET"):
        return []

    near = words[infile]
    listed = [
        item
        for item in split_items(words[opens + 1 : closing_bracket(words, opens)])
        if len(item) == 1
    ]
    pairs = [(item, item) for item in listed]
    for item in split_items(words[closing_bracket(words, opens) + 2 :]):
        equals = first(item, 0, "=")
        if not equals:
            return []

        pairs.append((item[equals - 1 : equals], name_variables(item[equals + 1 :])))

    comma, path = word_like(near, TokenType.COMMA, ","), words[infile + 1]
    columns = flatten((*target, comma) for target, _ in pairs)[:-1]
    values = flatten((*value, comma) for _, value in pairs)[:-1]
    opening_, closing_ = (
        word_like(near, TokenType.L_PAREN, "("),
        word_like(near, TokenType.R_PAREN, ")"),
    )
    return [
        *words_like(words[0], (TokenType.COPY, "COPY"), (TokenType.INTO, "INTO")),
        *words[table:end],
        opening_,
        *columns,
        closing_,
        *words_like(
            near, (TokenType.FROM, "FROM"), (TokenType.L_PAREN, "("), (TokenType.SELECT, "SELECT")
        ),
        *values,
        word_like(near, TokenType.FROM, "FROM"),
        word_like(path, TokenType.IDENTIFIER, path.text),
        closing_,
    ]


def name_variables(words: Words) -> Words:
    """upper(@b)      upper(`@b`): what the file has there, under the name that the text gives it"""
    found: Words = []
    for position, word in enumerate(words):
        if word.token_type is TokenType.PARAMETER:
            continue

        if position and words[position - 1].token_type is TokenType.PARAMETER:
            word = word_like(word, TokenType.IDENTIFIER, f"@{word.text}")

        found.append(word)

    return found


def into_file(words: Words) -> Words:
    """Rewrite SELECT … INTO OUTFILE as COPY.

    SELECT a INTO OUTFILE 'x.csv' FIELDS … FROM t

    MySQL: COPY (SELECT a FROM t) TO 'x.csv'
    """
    into = first(words, 0, "INTO")
    if into is None or word_at(words, into + 1) not in ("OUTFILE", "DUMPFILE"):
        return words

    end = first(words, into, "FROM", "FOR") or len(words)
    copy = words_like(words[0], (TokenType.COPY, "COPY"), (TokenType.L_PAREN, "("))
    to = words_like(words[into], (TokenType.R_PAREN, ")"), (TokenType.VAR, "TO"))
    return [*copy, *words[:into], *words[end:], *to, *words[into + 2 : into + 3]]


def bulk_rows(words: Words) -> Words:
    """Rewrite OPENROWSET(BULK …) as a table function.

    FROM OPENROWSET(BULK 'x.csv', FORMAT = 'CSV') WITH (a INT) AS r

    T-SQL: OPENROWSET('x.csv') AS r
    """
    for at in range(len(words) - 3, -1, -1):
        if says_all(words, at, "OPENROWSET", "(", "BULK"):
            end = closing_bracket(words, at + 1)
            after = end + 1
            if says_all(words, after, "WITH", "("):
                after = closing_bracket(words, after + 1) + 1

            words = [*words[: at + 2], words[at + 3], words[end], *words[after:]]

    return words


def first_parenthesis(words: Words, start: int) -> Words:
    """Return the column list of a load without its variables.

    (a, @b, c)      (a, c): a variable is no column
    """
    at = first_opening(words, start)
    if at is None:
        return []

    names = [
        word
        for position, word in enumerate(words[at + 1 : closing_bracket(words, at)], at + 1)
        if word.token_type not in (TokenType.COMMA, TokenType.PARAMETER)
        and words[position - 1].token_type is not TokenType.PARAMETER
    ]
    comma = word_like(words[at], TokenType.COMMA, ",")
    inside = flatten((name, comma) for name in names)[:-1]
    if inside:
        return [words[at], *inside, word_like(words[at], TokenType.R_PAREN, ")")]

    return []


def namespaces(words: Words) -> Words:
    """Drop the XML namespaces of a query.

    WITH XMLNAMESPACES ('http://x' AS n), c AS (…) SELECT …      T-SQL: WITH c AS (…) SELECT …
    """
    if not (says_all(words, 0, "WITH", "XMLNAMESPACES", "(")):
        return words

    end = closing_bracket(words, 2) + 1
    if says(words, end, ","):
        return [words[0], *words[end + 1 :]]

    return words[end:]


def expectations(words: Words) -> Words:
    """Drop the expectations of a table; those that drop rows filter its query.

    CREATE TABLE t (CONSTRAINT c EXPECT (a > 0) ON VIOLATION DROP ROW) AS SELECT a FROM s

    Databricks: CREATE TABLE t AS SELECT * FROM (SELECT a FROM s) AS expected WHERE (a > 0)
    """
    start, as_ = (
        next((at for at in range(len(words)) if says(words, at, "(")), None),
        first(words, 0, "AS"),
    )
    if not says(words, 0, "CREATE") or start is None or as_ is None or as_ < start:
        return words

    end = closing_bracket(words, start)
    listed = items(words[start + 1 : end])
    kept = [item for item in listed if not is_expectation(item)]
    if len(kept) == len(listed):
        return words

    comma = word_like(words[start], TokenType.COMMA, ",")
    inside = flatten((*item, comma) for item in kept)[:-1]
    columns = [item[0] for item in kept if only_column(item)]
    tests = [item[3 : closing_bracket(item, 3) + 1] for item in listed if drops_rows(item)]
    return [
        *words[:start],
        *([words[start], *inside, words[end]] if inside else []),
        *words[end + 1 : as_ + 1],
        *rows_as_expected(words[as_ + 1 :], tests, columns),
    ]


def is_expectation(item: Words) -> bool:
    """CONSTRAINT c EXPECT (a > 0)"""
    return says(item, 0, "CONSTRAINT") and says(item, 2, "EXPECT")


def drops_rows(item: Words) -> bool:
    """CONSTRAINT c EXPECT (a > 0) ON VIOLATION DROP ROW"""
    return is_expectation(item) and says(item, len(item) - 2, "DROP") and says(item, 3, "(")


def rows_as_expected(query: Words, tests: list[Words], columns: Words) -> Words:
    """SELECT * FROM (query) AS expected (a, b) WHERE (a > 0) AND (b > 0)

    the rows of a query that pass the tests; the query itself, if there are none
    """
    if not tests or not query:
        return query

    near, comma = query[-1], word_like(query[-1], TokenType.COMMA, ",")
    start = (
        (TokenType.SELECT, "SELECT"),
        (TokenType.STAR, "*"),
        (TokenType.FROM, "FROM"),
        (TokenType.L_PAREN, "("),
    )
    named = flatten((column, comma) for column in columns)[:-1]
    opens, closes = words_like(near, (TokenType.L_PAREN, "("), (TokenType.R_PAREN, ")"))
    conditions = flatten((*test, word_like(near, TokenType.AND, "AND")) for test in tests)
    return [
        *words_like(query[0], *start),
        *query,
        closes,
        *words_like(near, (TokenType.ALIAS, "AS"), (TokenType.IDENTIFIER, "expected")),
        *([opens, *named, closes] if named else []),
        *words_like(near, (TokenType.WHERE, "WHERE")),
        *conditions[:-1],
    ]


def changes_applied(words: Words) -> Words:
    """Rewrite APPLY CHANGES as MERGE.

    APPLY CHANGES INTO t FROM STREAM(s) KEYS (k) APPLY AS DELETE WHEN d SEQUENCE BY q COLUMNS *
    EXCEPT (c) …, and the same with APPLY AS TRUNCATE WHEN

    Databricks: MERGE INTO t USING (SELECT * EXCEPT (c) FROM s WHERE d ORDER BY q) AS s ON t.k = s.k
    …, all by name
    """
    source, keys = first(words, 0, "FROM"), first(words, 0, "KEYS")
    applies = says_all(words, 0, "APPLY", "CHANGES", "INTO")
    if not applies or source is None or keys is None or not is_dotted(words[3:source]):
        return words

    rows = [
        word for word in words[source + 1 : keys] if word.text.upper() not in ("STREAM", "(", ")")
    ]
    named = items(words[keys + 2 : closing_bracket(words, keys + 1)])
    chosen, order = clause(words, "COLUMNS", 1), clause(words, "SEQUENCE", 2)
    ends = [end for kind in ("DELETE", "TRUNCATE") if (end := clause(words, kind, 2))]
    if says(chosen, 0, "("):
        chosen = chosen[1:-1]
    else:
        chosen = chosen or words_like(words[0], (TokenType.STAR, "*"))

    filters: Words = []
    for end in ends:
        filters += words_like(
            words[0], (TokenType.OR, "OR") if filters else (TokenType.WHERE, "WHERE")
        )
        filters += end

    sorts = [*words_like(words[0], (TokenType.ORDER_BY, "ORDER BY")), *order] if order else []
    joined: Words = []
    for key in named:
        joined += words_like(words[0], (TokenType.AND, "AND")) if joined else []
        joined += [
            *words_like(words[0], *OLD),
            *key,
            *words_like(words[0], (TokenType.EQ, "="), *NEW),
            *key,
        ]

    return [
        *words_like(words[0], (TokenType.MERGE, "MERGE"), (TokenType.INTO, "INTO")), *words[3:source],
        *words_like(words[0], (TokenType.ALIAS, "AS"), OLD[0], (TokenType.USING, "USING"), (TokenType.L_PAREN, "(")),
        *words_like(words[0], (TokenType.SELECT, "SELECT")), *chosen,
        *words_like(words[0], (TokenType.FROM, "FROM")), *rows,
        *filters, *sorts, *words_like(words[0], (TokenType.R_PAREN, ")"), (TokenType.ALIAS, "AS"), NEW[0]),
        *words_like(words[0], (TokenType.ON, "ON")), *joined, *words_like(words[0], *BY_NAME),
    ]  # fmt: skip


def is_dotted(words: Words) -> bool:
    """a, a.b, a.b.c      a name, and nothing else"""
    dots = [word.token_type is TokenType.DOT for word in words]
    return len(words) % 2 == 1 and dots == [bool(at % 2) for at in range(len(words))]


OLD = ((TokenType.IDENTIFIER, "state"), (TokenType.DOT, "."))
NEW = ((TokenType.IDENTIFIER, "changes"), (TokenType.DOT, "."))
BY_NAME = (
    (TokenType.WHEN, "WHEN"), (TokenType.VAR, "MATCHED"), (TokenType.THEN, "THEN"), (TokenType.UPDATE, "UPDATE"),
    (TokenType.SET, "SET"), (TokenType.STAR, "*"), (TokenType.WHEN, "WHEN"), (TokenType.NOT, "NOT"),
    (TokenType.VAR, "MATCHED"), (TokenType.THEN, "THEN"), (TokenType.INSERT, "INSERT"), (TokenType.STAR, "*"),
)  # fmt: skip


def clause(words: Words, word: str, length: int) -> Words:
    """Return the words of one clause.

    … SEQUENCE BY a COLUMNS …      a: what follows a word, up to the next clause
    """
    start = first(words, 0, word)
    if start is None:
        return []

    end = first(
        words, start + length, "SEQUENCE", "COLUMNS", "STORED", "APPLY", "IGNORE", "TRACK"
    ) or len(words)
    return words[start + length : end]


def table_and_folder(words: Words) -> Words:
    """Rewrite EXPORT TABLE and IMPORT TABLE as COPY.

    EXPORT TABLE t TO '/x', IMPORT TABLE t FROM '/x'

    Hive: COPY t TO '/x', COPY t FROM '/x'
    """
    if (
        len(words) < 5
        or word_at(words, 0) not in ("EXPORT", "IMPORT")
        or not says(words, 1, "TABLE")
    ):
        return words

    place = first(words, 2, "TO", "FROM")
    if place is None:
        return words

    table = words[2 : first(words[:place], 2, "PARTITION") or place]
    return [*words_like(words[0], (TokenType.COPY, "COPY")), *table, *words[place : place + 2]]


REPAIRS = (
    namespaces, changes_applied, table_and_folder,
    how_a_view_is_kept, redefinition, errors_elsewhere, joined_comment, options, wrapper, reset, subsets,
    passed_to_path, without_value, by_position, values_as_name, version_mark, bulk_load, into_file, bulk_rows,
)  # fmt: skip


# -- CREATE TABLE ----------------------------------------------------------------------------------


def only_columns(words: Words) -> Words | None:
    """Reduce a CREATE TABLE that does not parse to its columns.

    CREATE TABLE t (a NUMBER NOT NULL ENABLE, CONSTRAINT k …) TABLESPACE x

    CREATE TABLE t (a NUMBER)

    What is left says which columns there are; None for anything else.
    """
    kind = created_kind(words, 6, "TABLE")
    if kind is None:
        return None

    start = first_opening(words, kind)
    if start is None or first(words, kind, "AS", "SELECT", "LIKE") is not None:
        return None

    end = closing_bracket(words, start)
    columns = [column for item in items(words[start + 1 : end]) if (column := only_column(item))]
    if not columns:
        return None

    comma = word_like(words[start], TokenType.COMMA, ",")
    inside = flatten((*column, comma) for column in columns)[:-1]
    return [*words[: start + 1], *inside, words[end]]


def only_column(words: Words) -> Words:
    """Reduce a column definition to its name, type, expression and comment.

    a NUMBER(10) DEFAULT 1 NOT NULL COMMENT 'x', b NUMBER GENERATED ALWAYS AS (a * 2) VIRTUAL

    a NUMBER(10) COMMENT 'x', b NUMBER AS (a * 2); nothing for a constraint
    """
    name = words[0]
    if name.token_type is not TokenType.IDENTIFIER and name.text.upper() in CONSTRAINTS:
        return []

    end = 1
    while end < len(words) and words[end].text.upper() not in AFTER_TYPE:
        end = (
            closing_bracket(words, end) + 1
            if words[end].token_type is TokenType.L_PAREN
            else end + 1
        )

    comment = first(words, end, "COMMENT")
    described = (
        comment is not None
        and words[comment + 1 :][:1]
        and words[comment + 1].token_type is TokenType.STRING
    )
    return [
        *words[:end],
        *computed_value(words, end),
        *(words[comment : comment + 2] if described and comment is not None else []),
    ]


def computed_value(words: Words, start: int) -> Words:
    """b NUMBER GENERATED ALWAYS AS (a * 2), d DATE AS TO_DATE(a)      AS (a * 2), AS (TO_DATE(a))"""
    at = next((i for i in range(start, len(words)) if words[i].token_type is TokenType.ALIAS), None)
    if at is None or says(words, at + 1, "IDENTITY") or says(words, at + 1, "ROW"):
        return []

    if words[at + 1 :][:1] and words[at + 1].token_type is TokenType.L_PAREN:
        return words[at : closing_bracket(words, at + 1) + 1]

    end = at + 1
    while end < len(words) and words[end].text.upper() not in AFTER_VALUE:
        end = (
            closing_bracket(words, end) + 1
            if words[end].token_type is TokenType.L_PAREN
            else end + 1
        )

    opening = word_like(words[at], TokenType.L_PAREN, "(")
    closed = word_like(words[end - 1], TokenType.R_PAREN, ")")
    return [words[at], opening, *words[at + 1 : end], closed]


AFTER_VALUE = frozenset(
    "NOT NULL COMMENT CONSTRAINT PRIMARY UNIQUE CHECK VIRTUAL STORED PERSISTED MASKING TAG".split()  # noqa: SIM905
)


CONSTRAINTS = frozenset(
    """CONSTRAINT PRIMARY UNIQUE FOREIGN KEY INDEX CHECK EXCLUDE PERIOD FULLTEXT SPATIAL PROJECTION SUPPLEMENTAL
    PRIMARY_KEY WATERMARK""".split()  # noqa: SIM905
) | {"PRIMARY KEY", "FOREIGN KEY"}
AFTER_TYPE = frozenset(
    """NOT NULL DEFAULT PRIMARY UNIQUE REFERENCES CHECK CONSTRAINT GENERATED IDENTITY COMMENT COLLATE CHARSET ENCODE
    ENABLE DISABLE AUTO_INCREMENT AUTOINCREMENT AS ON VISIBLE INVISIBLE SPARSE DISTKEY SORTKEY ROWGUIDCOL FORMAT TITLE
    COMPRESS CASESPECIFIC UPPERCASE OPTIONS TAG WITH CODEC TTL ALIAS MATERIALIZED EPHEMERAL KEY VIRTUAL STORED
    HIDDEN MASKED METADATA""".split()  # noqa: SIM905
) | {"PRIMARY KEY", "CHARACTER SET"}

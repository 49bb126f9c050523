"""Repairs of clauses that one engine has in its statements: they are left out, or said in the words
of another.
"""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.brackets import closing_bracket
from lineal.extract.sql.model_clause import compute_cells
from lineal.extract.sql.trees import OWN
from lineal.extract.sql.words import (
    Words,
    calls_last_first,
    created_kind,
    first,
    first_opening,
    last_first,
    says,
    says_all,
    split_items,
    word_at,
    word_like,
    words_like,
)

# -- T-SQL -----------------------------------------------------------------------------------------

HINTS = frozenset(
    """FORCESCAN FORCESEEK HOLDLOCK IGNORE_CONSTRAINTS IGNORE_TRIGGERS INDEX KEEPDEFAULTS KEEPIDENTITY NOEXPAND
    NOLOCK NOWAIT PAGLOCK READCOMMITTED READCOMMITTEDLOCK READPAST READUNCOMMITTED REPEATABLEREAD ROWLOCK
    SERIALIZABLE SNAPSHOT SPATIAL_WINDOW_MAX_CELLS TABLOCK TABLOCKX UPDLOCK XLOCK""".split()  # noqa: SIM905
)
"""INSERT INTO t WITH (TABLOCK) …      how rows are locked and found"""


def drop_table_hints(words: Words) -> Words:
    """INSERT INTO t WITH (TABLOCK) (a) SELECT … FROM s WITH (INDEX = i)      T-SQL: no hints"""
    for at in last_first(words, "WITH", "("):
        if word_at(words, at + 2) in HINTS:
            words = [*words[:at], *words[closing_bracket(words, at + 1) + 1 :]]

    return words


def drop_graph_match(words: Words) -> Words:
    """WHERE MATCH(p-(knows)->q) AND p.age > 3

    T-SQL: WHERE 1 = 1 AND …; the keys that join nodes and edges are no columns of the text
    """
    for at in last_first(words, "MATCH", "("):
        end = closing_bracket(words, at + 1)
        arrows = any(words[each].text in ("-", "->", "<-", "<") for each in range(at + 2, end))
        if arrows and not says(words, end + 1, "AGAINST"):
            true = words_like(words[at], (TokenType.NUMBER, "1"), (TokenType.EQ, "="))
            words = [
                *words[:at],
                *true,
                word_like(words[at], TokenType.NUMBER, "1"),
                *words[end + 1 :],
            ]

    return words


def drop_graph_path(words: Words) -> Words:
    """FROM person FOR PATH AS p, STRING_AGG(p.name, ',') WITHIN GROUP (GRAPH PATH)

    T-SQL: FROM person AS p, STRING_AGG(p.name, ','); the nodes of a path, in their order
    """
    found: Words = []
    at = 0
    while at < len(words):
        if says_all(words, at, "FOR", "PATH", "AS"):
            at += 2
        elif says(words, at + 3, "GRAPH") and says(words, at, "WITHIN"):
            at = closing_bracket(words, at + 2) + 1
        else:
            found.append(words[at])
            at += 1

    return found if len(found) < len(words) else words


# -- Oracle ----------------------------------------------------------------------------------------


def move_partition_into_condition(words: Words) -> Words:
    """a PARTITION BY (a.k) RIGHT JOIN b ON a.d = b.d

    Oracle: a RIGHT JOIN b ON (a.k) IS NOT NULL AND a.d = b.d; k decides the rows, too
    """
    for at in range(len(words) - 1, 1, -1):
        by = at + 1 if says(words, at, "PARTITION") else at
        starts = says(words, at, "PARTITION BY") or (by > at and says(words, by, "BY"))
        if not starts or not says(words, by + 1, "("):
            continue

        end = closing_bracket(words, by + 1) + 1
        joins = word_at(words, end) in JOINED
        on = first(words, end, "ON") if joins else None
        if on is None or words[at - 1].token_type is TokenType.L_PAREN:
            continue

        keys = words[by + 1 : end]
        test = words_like(
            words[at], (TokenType.IS, "IS"), (TokenType.NOT, "NOT"), (TokenType.NULL, "NULL")
        )
        more = [*keys, *test, word_like(words[at], TokenType.AND, "AND")]
        words = [*words[:at], *words[end : on + 1], *more, *words[on + 1 :]]

    return words


JOINED = frozenset(("ON", "RIGHT", "LEFT", "FULL", "JOIN", "INNER", "OUTER", "NATURAL"))


def pass_by_comma(words: Words) -> Words:
    """XMLQUERY('/a' PASSING BY VALUE doc AS "d" RETURNING CONTENT)      XMLQUERY('/a', doc)

    XMLCAST(… AS NUMBER)      CAST(… AS NUMBER)
    """
    if any(word.text.upper() == "XMLCAST" for word in words):
        words = [
            word_like(word, word.token_type, "CAST") if word.text.upper() == "XMLCAST" else word
            for word in words
        ]

    for at in calls_last_first(words, XML_CALLS):
        end = closing_bracket(words, at + 1)
        inner = words[at + 2 : end]
        passing = first(inner, 0, "PASSING")
        if passing is None:
            continue

        stop = first(inner, passing, "RETURNING") or len(inner)
        start = passing + 1
        if says(inner, start, "BY"):
            start += 2

        values = without_names(inner[start:stop])
        comma = word_like(inner[passing], TokenType.COMMA, ",")
        words = [*words[: at + 2], *inner[:passing], comma, *values, *words[end:]]

    return words


XML_CALLS = frozenset(("XMLQUERY", "XMLEXISTS"))


def without_names(values: Words) -> Words:
    """doc AS "d", b      doc, b"""
    found: Words = []
    position = 0
    while position < len(values):
        if says(values, position, "AS"):
            position += 2
            continue

        found.append(values[position])
        position += 1

    return found


def drop_names_of_passed(words: Words) -> Words:
    """XMLTABLE('$d/a' PASSING t.doc AS "d" COLUMNS …)      PASSING t.doc"""
    for at in last_first(words, "XMLTABLE", "("):
        end = closing_bracket(words, at + 1)
        inner = words[at + 2 : end]
        passing, columns = first(inner, 0, "PASSING"), first(inner, 0, "COLUMNS")
        if passing is None or columns is None:
            continue

        values = without_names(inner[passing + 1 : columns])
        if len(values) < columns - passing - 1:
            kept = [*inner[: passing + 1], *values, *inner[columns:]]
            words = [*words[: at + 2], *kept, *words[end:]]

    return words


def drop_json_error_clauses(words: Words) -> Words:
    """JSON_TABLE(a, '$.x' ERROR ON ERROR COLUMNS (b FORMAT JSON PATH '$.b', c EXISTS PATH '$.c'))

    Oracle: JSON_TABLE(a, '$.x' COLUMNS (b CLOB PATH '$.b', c INT PATH '$.c')); MySQL names the type
    """
    if not any(says(words, at, "FORMAT") or says(words, at, "EXISTS") for at in range(len(words))):
        return words

    if not any(word.text.upper().startswith("JSON_") for word in words):
        return words

    found: Words = []
    position = 0
    while position < len(words):
        if says_all(words, position, "FORMAT", "JSON"):
            typed = says(words, position - 1, ",") or says(words, position - 2, ",")
            typed = typed or says(words, position - 2, "(")
            if typed and says(words, position + 2, "PATH"):
                found.append(word_like(words[position], TokenType.TEXT, "TEXT"))

            position += 2
            continue

        if says_all(words, position, "EXISTS", "PATH"):
            if says(words, position - 2, ",") or says(words, position - 2, "("):
                found.append(word_like(words[position], TokenType.INT, "INT"))

            position += 1
            continue

        found.append(words[position])
        position += 1

    if found != words:
        return found

    return words


def join_collections(words: Words) -> Words:
    """a MULTISET UNION DISTINCT b      Oracle: a || b, both make the value"""
    found: Words = []
    position = 0
    while position < len(words):
        word = words[position]
        operator = word_at(words, position + 1) in COLLECTING
        if says(words, position, "MULTISET") and operator:
            found.append(word_like(word, TokenType.DPIPE, "||"))
            position += 2
            if words[position].text.upper() in ("ALL", "DISTINCT"):
                position += 1

            continue

        found.append(word)
        position += 1

    if len(found) != len(words):
        return found

    return words


COLLECTING = frozenset(("UNION", "EXCEPT", "INTERSECT"))


def drop_outer_marks(words: Words) -> Words:
    """FROM o, TABLE(o.items) (+) i      Oracle: a row also where there are no items"""
    gone = {
        at
        for at in range(1, len(words))
        if words[at].token_type is TokenType.JOIN_MARKER
        and words[at - 1].token_type is TokenType.R_PAREN
    }
    if gone:
        return [word for at, word in enumerate(words) if at not in gone]

    return words


def drop_versions(words: Words) -> Words:
    """FROM t VERSIONS BETWEEN SCN MINVALUE AND MAXVALUE WHERE …      Oracle: FROM t WHERE …"""
    for at in last_first(words, "VERSIONS", "BETWEEN"):
        and_ = first(words, at + 2, "AND")
        if and_ is None or words[at + 2].text.upper() not in ("SCN", "TIMESTAMP"):
            continue

        end = first(words, and_ + 2, *AFTER_TABLE) or len(words)
        words = [*words[:at], *words[end:]]

    return words


AFTER_TABLE = (
    "WHERE", "GROUP BY", "GROUP", "ORDER BY", "ORDER", "JOIN", "LEFT", "RIGHT", "INNER", "CROSS", "FULL", ",",
    "HAVING", "UNION", "CONNECT BY", "START WITH", "FETCH",
)  # fmt: skip


def drop_view_constraints(words: Words) -> Words:
    """CREATE VIEW v (a UNIQUE RELY DISABLE, b, CONSTRAINT k PRIMARY KEY (a)) AS …

    Oracle: CREATE VIEW v (a, b) AS …
    """
    kind, as_ = created_kind(words, 7, "VIEW"), first(words, 0, "AS")
    if kind is None or as_ is None:
        return words

    start = first_opening(words[:as_], kind)
    if start is None:
        return words

    end = closing_bracket(words, start)
    columns: Words = []
    for item in split_items(words[start + 1 : end]):
        if item and item[0].text.upper() not in CONSTRAINTS:
            columns += [item[0], word_like(item[0], TokenType.COMMA, ",")]

    if end - start - 1 == len(columns) - 1:
        return words

    return [*words[: start + 1], *columns[:-1], *words[end:]]


CONSTRAINTS = frozenset(
    ("CONSTRAINT", "PRIMARY", "PRIMARY KEY", "UNIQUE", "FOREIGN", "FOREIGN KEY")
)


def drop_current_row(words: Words) -> Words:
    """UPDATE t SET a = 1 WHERE CURRENT OF c      the row that the loop over c has come to"""
    end = len(words)
    if end > 4 and says_all(words, end - 4, "WHERE", "CURRENT", "OF"):
        return words[: end - 4]

    return words


# -- Teradata --------------------------------------------------------------------------------------


def drop_no_case(words: Words) -> Words:
    """CASE_N(a < 1, a < 5, NO CASE OR UNKNOWN), RANGE_N(t.a BETWEEN 1, 5 AND 9 EACH 3, NO RANGE)

    Teradata: CASE_N(a < 1, a < 5), CASE_N(t.a >= 1, 5 AND 9): the number of a range is that of a case
    """
    for at in calls_last_first(words, ("CASE_N", "RANGE_N")):
        end = closing_bracket(words, at + 1)
        kept: Words = []
        for item in split_items(words[at + 2 : end]):
            if says(item, 0, "NO") or (says(item, 0, "UNKNOWN") and len(item) == 1):
                continue

            each = first(item, 0, "EACH")
            if each is not None:
                item = item[:each]

            kept += [*item, word_like(words[at], TokenType.COMMA, ",")]

        name, between = words[at], first(kept, 0, "BETWEEN")
        if says(words, at, "RANGE_N") and between is not None:
            name = word_like(name, TokenType.VAR, "CASE_N")
            kept[between] = word_like(kept[between], TokenType.GTE, ">=")
            kept = [bound_at(kept, at) for at in range(len(kept))]

        words = [*words[:at], name, words[at + 1], *kept[:-1], *words[end:]]

    return words


def bound_at(words: Words, at: int) -> Token:
    """>= *, AND *      Teradata: a range without a bound on this side"""
    word = words[at]
    if word.token_type is TokenType.STAR and (
        says(words, at - 1, ">=") or says(words, at - 1, "AND")
    ):
        return word_like(word, TokenType.NULL, "NULL")

    return word


def normalize_rows(words: Words) -> Words:
    """SELECT NORMALIZE ON MEETS OR OVERLAPS a, p FROM t

    Teradata: SELECT DISTINCT a, p: rows whose periods meet become one
    """
    for at in last_first(words, "NORMALIZE"):
        if word_at(words, at - 1) not in ("SELECT", "SEL"):
            continue

        end = at + 1
        if says(words, end, "ON"):
            end += 1
            while end < len(words) and words[end].text.upper() in ("MEETS", "OR", "OVERLAPS"):
                end += 1

        words = [*words[:at], word_like(words[at], TokenType.DISTINCT, "DISTINCT"), *words[end:]]

    return words


def drop_all_rows(words: Words) -> Words:
    """UPDATE t SET a = 1 ALL      Teradata: of all rows"""
    if says(words, len(words) - 1, "ALL") and word_at(words, 0) in ("UPDATE", "UPD"):
        return words[:-1]

    return words


def name_returned_columns(words: Words) -> Words:
    """FROM TABLE (f(t.a) RETURNS (k INTEGER, tok VARCHAR(20))) AS x

    Teradata: LATERAL f(t.a) AS x (k, tok)
    """
    for at in last_first(words, "TABLE", "("):
        end = closing_bracket(words, at + 1)
        returns = closing_bracket(words, at + 3) + 1 if says(words, at + 3, "(") else end
        if not says_all(words, returns, "RETURNS", "("):
            continue

        alias = end + 1 + says(words, end + 1, "AS")
        last = closing_bracket(words, returns + 1)
        listed: Words = []
        for item in split_items(words[returns + 2 : last]):
            comma = [word_like(item[0], TokenType.COMMA, ",")] if listed else []
            listed += [*comma, item[0]]

        words = [
            *words[:at],
            word_like(words[at], TokenType.LATERAL, "LATERAL"),
            word_like(words[at + 2], TokenType.VAR, words[at + 2].text + OWN),
            *words[at + 3 : returns],
            *words[end + 1 : alias + 1],
            words[returns + 1],
            *listed,
            words[last],
            *words[alias + 1 :],
        ]

    return words


def upsert_by_update(words: Words) -> Words:
    """UPDATE t FROM s SET b = s.b WHERE t.a = s.a ELSE INSERT VALUES (s.a, s.b)

    Teradata: MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE … WHEN NOT MATCHED …
    """
    else_, where, set_ = first(words, 0, "ELSE"), first(words, 0, "WHERE"), first(words, 0, "SET")
    source = first(words, 0, "FROM")
    if not says(words, 0, "UPDATE") or None in (else_, where, set_, source):
        return words

    assert else_ is not None and where is not None and set_ is not None and source is not None
    if not (source < set_ < where < else_) or not says(words, else_ + 1, "INSERT"):
        return words

    at = words[0]
    matched = ((TokenType.WHEN, "WHEN"), (TokenType.VAR, "MATCHED"), (TokenType.THEN, "THEN"))
    other = (matched[0], (TokenType.NOT, "NOT"), *matched[1:])
    listed = words[else_ + 2 :]
    if says(listed, 0, "INTO"):
        listed = listed[first_opening(listed, 0) or 0 :]

    return [
        *words_like(at, (TokenType.MERGE, "MERGE"), (TokenType.INTO, "INTO")), *words[1:source],
        *words_like(words[source], (TokenType.USING, "USING")), *words[source + 1 : set_],
        *words_like(words[where], (TokenType.ON, "ON")), *words[where + 1 : else_],
        *words_like(at, *matched, (TokenType.UPDATE, "UPDATE")), *words[set_:where],
        *words_like(words[else_], *other), words[else_ + 1], *listed,
    ]  # fmt: skip


def expand_periods(words: Words) -> Words:
    """SELECT a, b FROM t EXPAND ON p AS b BY INTERVAL '1' DAY

    Teradata: FROM t, UNNEST(p) AS x(b): a row for each part of p
    """
    at = first(words, 0, "EXPAND")
    if at is None or not says(words, at + 1, "ON"):
        return words

    as_ = first(words, at, "AS")
    if as_ is None or as_ + 1 >= len(words):
        return words

    end = as_ + 2
    if says(words, end, "BY"):
        end = first(words, end, "FOR", "WHERE", "ORDER BY", "QUALIFY") or len(words)

    opens = ((TokenType.COMMA, ","), (TokenType.UNNEST, "UNNEST"), (TokenType.L_PAREN, "("))
    named = ((TokenType.R_PAREN, ")"), (TokenType.ALIAS, "AS"), (TokenType.VAR, "expanded"))
    return [
        *words[:at], *words_like(words[at], *opens), *words[at + 2 : as_], *words_like(words[as_], *named),
        *words_like(words[as_], (TokenType.L_PAREN, "(")), words[as_ + 1],
        *words_like(words[as_ + 1], (TokenType.R_PAREN, ")")), *words[end:],
    ]  # fmt: skip


# -- MySQL -----------------------------------------------------------------------------------------


def drop_priorities(words: Words) -> Words:
    """UPDATE LOW_PRIORITY IGNORE t SET …, DELETE QUICK FROM t      MySQL: no matter of columns"""
    if not words or words[0].text.upper() not in ("UPDATE", "DELETE", "INSERT", "REPLACE"):
        return words

    end = 1
    while word_at(words, end) in PRIORITIES:
        end += 1

    if end > 1:
        return [words[0], *words[end:]]

    return words


PRIORITIES = frozenset(("LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "QUICK", "IGNORE"))


def duplicates_of_ctas(words: Words) -> Words:
    """CREATE TABLE t (a INT) IGNORE SELECT …, … REPLACE AS SELECT …      MySQL: AS SELECT …"""
    if not says(words, 0, "CREATE"):
        return words

    at = first(words, 2, "IGNORE", "REPLACE")
    query = first(words, 0, "SELECT")
    if at is None or query is None or query - at not in (1, 2):
        return words

    return [*words[:at], word_like(words[at], TokenType.ALIAS, "AS"), *words[query:]]


# -- dialects without a parser ---------------------------------------------------------------------


def drop_isolation(words: Words) -> Words:
    """SELECT … FOR READ ONLY WITH UR      Db2: how rows are locked"""
    end = len(words)
    if says(words, end - 2, "WITH") and words[-1].text.upper() in ISOLATIONS:
        end -= 2

    read_only = says(words, end - 1, "ONLY") and says(words, end - 3, "FOR")
    if read_only and word_at(words, end - 2) in ("READ", "FETCH"):
        end -= 3

    if 0 < end < len(words):
        return words[:end]

    return words


ISOLATIONS = frozenset(("UR", "CS", "RS", "RR"))


def call_sequences(words: Words) -> Words:
    """VALUES (NEXT VALUE FOR d.s)      Db2: VALUES (nextval('s'))"""
    for at in range(len(words) - 4, -1, -1):
        if words[at].text.upper() not in ("NEXT", "PREVIOUS") or not says(words, at + 2, "FOR"):
            continue

        end = at + 3
        while says(words, end + 1, ".") and end + 2 < len(words):
            end += 2

        name = word_like(words[end], TokenType.STRING, words[end].text)
        call = words_like(words[at], (TokenType.VAR, "nextval"), (TokenType.L_PAREN, "("))
        close = word_like(words[end], TokenType.R_PAREN, ")")
        words = [*words[:at], *call, name, close, *words[end + 1 :]]

    return words


def drop_else_ignore(words: Words) -> Words:
    """MERGE … ELSE IGNORE      Db2: other rows stay as they are"""
    ends = says_all(words, len(words) - 2, "ELSE", "IGNORE")
    if ends and says(words, 0, "MERGE"):
        return words[:-2]

    return words


def limit_of_partitions(words: Words) -> Words:
    """SELECT … LIMIT 1 OVER (PARTITION BY a ORDER BY b)

    Vertica: QUALIFY ROW_NUMBER() OVER (…) <= 1
    """
    at = first(words, 0, "LIMIT")
    if at is None or not says_all(words, at + 2, "OVER", "("):
        return words

    call = (
        (TokenType.QUALIFY, "QUALIFY"), (TokenType.VAR, "ROW_NUMBER"), (TokenType.L_PAREN, "("),
        (TokenType.R_PAREN, ")"),
    )  # fmt: skip
    end = closing_bracket(words, at + 3) + 1
    test = [word_like(words[at], TokenType.LTE, "<="), words[at + 1]]
    return [*words[:at], *words_like(words[at], *call), *words[at + 2 : end], *test, *words[end:]]


def projection_as_view(words: Words) -> Words:
    """CREATE PROJECTION p (a ENCODING RLE, b) AS SELECT … SEGMENTED BY HASH(a) ALL NODES KSAFE 1

    Vertica: CREATE VIEW p (a, b) AS SELECT …
    """
    kind, as_ = created_kind(words, 3, "PROJECTION"), first(words, 0, "AS")
    if kind is None or as_ is None:
        return words

    end = first(words, as_, "SEGMENTED", "UNSEGMENTED", "KSAFE") or len(words)
    start = next((at for at in range(kind, as_) if says(words, at, "(")), as_)
    names: Words = []
    for item in split_items(words[start + 1 : max(closing_bracket(words, start), start + 1)]):
        if start < as_ and item:
            names += [item[0], word_like(item[0], TokenType.COMMA, ",")]

    listed = [words[start], *names[:-1], words[closing_bracket(words, start)]] if names else []
    view = word_like(words[kind], TokenType.VIEW, "VIEW")
    return [words[0], view, *words[kind + 1 : start], *listed, *words[as_:end]]


def join_index_as_view(words: Words) -> Words:
    """CREATE JOIN INDEX j, NO FALLBACK AS SELECT … PRIMARY INDEX (a)

    Teradata: CREATE VIEW j AS SELECT …; a table that holds the rows of a query
    """
    as_, join = first(words, 0, "AS"), first(words, 0, "JOIN")
    if as_ is None or join not in (1, 2) or not says(words, join + 1, "INDEX"):
        return words

    start = join + 2
    end = first(words, as_, "PRIMARY", "NO", "INDEX", "PARTITION", "UNIQUE") or len(words)
    name = start + 1
    while says(words, name, "."):
        name += 2

    view = word_like(words[join], TokenType.VIEW, "VIEW")
    return [words[0], view, *words[start:name], *words[as_:end]]


def first_rows(words: Words) -> Words:
    """SELECT SKIP 5 FIRST 10 a FROM t, SELECT TOP 10 a      Informix, SAP HANA: how many rows"""
    if not says(words, 0, "SELECT"):
        return words

    end = 1
    while end + 1 < len(words) and words[end].text.upper() in ("SKIP", "FIRST", "TOP", "LIMIT"):
        if words[end + 1].token_type is not TokenType.NUMBER:
            break

        end += 2

    if end > 1:
        return [words[0], *words[end:]]

    return words


def into_temp_behind(words: Words) -> Words:
    """SELECT a FROM t INTO TEMP x WITH NO LOG      Informix: SELECT a INTO TEMP x FROM t"""
    into, source = first(words, 0, "INTO"), first(words, 0, "FROM")
    if not says(words, 0, "SELECT") or into is None or source is None or into < source:
        return words

    kind = words[into + 1].text.upper() if into + 2 < len(words) else ""
    if kind not in ("TEMP", "STANDARD", "RAW"):
        return words

    end = into + 3
    if says_all(words, end, "WITH", "NO", "LOG"):
        end += 3

    temporary = words_like(words[into + 1], (TokenType.TEMPORARY, "TEMP")) if kind == "TEMP" else []
    target = [words[into], *temporary, words[into + 2]]
    return [*words[:source], *target, *words[source:into], *words[end:]]


def matches_as_like(words: Words) -> Words:
    """a MATCHES 'A*'      Informix: a LIKE 'A*'"""
    found = [
        word_like(word, TokenType.LIKE, "LIKE") if says(words, at, "MATCHES") and at > 0 else word
        for at, word in enumerate(words)
    ]
    if found != words:
        return found

    return words


def upsert_as_insert(words: Words) -> Words:
    """UPSERT INTO TABLE t (a) SELECT … WITH PRIMARY KEY      Impala, SAP HANA: INSERT INTO t …"""
    if not says(words, 0, "UPSERT"):
        return words

    start = 1 + says(words, 1, "INTO")
    start += says(words, start, "TABLE")
    end = len(words)
    if says(words, end - 2, "WITH") and words[-1].text.upper() in ("PRIMARY KEY",):
        end -= 2
    elif says_all(words, end - 3, "WITH", "PRIMARY"):
        end -= 3

    insert = words_like(words[0], (TokenType.INSERT, "INSERT"), (TokenType.INTO, "INTO"))
    return [*insert, *words[start:end]]


def kind_of_table(words: Words) -> Words:
    """CREATE COLUMN TABLE t …, CREATE READABLE EXTERNAL TABLE t …, CREATE FOREIGN TABLE t …

    CREATE TABLE t …
    """
    kind = created_kind(words, 5, "TABLE")
    if kind is None:
        return words

    kept = [word for word in words[1:kind] if word.text.upper() not in KINDS_OF_TABLES]
    if len(kept) < kind - 1:
        return [words[0], *kept, *words[kind:]]

    return words


KINDS_OF_TABLES = frozenset(
    "COLUMN ROW READABLE WRITABLE EXTERNAL FOREIGN UNLOGGED HISTORY WEB DIMENSION FACT ROWSTORE HYBRID".split()  # noqa: SIM905
)


def drop_distribution(words: Words) -> Words:
    """CREATE TABLE t AS SELECT … DISTRIBUTED BY (a), … DISTRIBUTE ON (a) ORGANIZE ON (b)

    Greenplum, Netezza: where rows are kept
    """
    at = first(words, 0, "DISTRIBUTED", "DISTRIBUTE", "ORGANIZE")
    as_ = first(words, 0, "AS")
    if not says(words, 0, "CREATE") or at is None or as_ is None or at < as_:
        return words

    return words[:at]


def window_table_function(words: Words) -> Words:
    """FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))

    Flink: FROM (SELECT *, TUMBLE(ts) AS window_start, … FROM t); the windows of HOP and CUMULATE
    overlap, so ts decides how many rows there are
    """
    for at in calls_last_first(words, WINDOWS):
        name = words[at].text.upper()
        end = closing_bracket(words, at + 1)
        table, time = window_arguments(words[at + 2 : end])
        if not table or not time:
            continue

        start, after = at, end + 1
        if says_all(words, at - 2, "TABLE", "("):
            start, after = at - 2, end + 2

        made = windows_over(words[at], table, time, overlaps=name != "TUMBLE")
        words = [*words[:start], *made, *words[after:]]

    return words


WINDOWS = frozenset(("TUMBLE", "HOP", "CUMULATE", "SESSION"))
WINDOW_COLUMNS = ("window_start", "window_end", "window_time")


def window_arguments(words: Words) -> tuple[Words, Words]:
    """TABLE t, DESCRIPTOR(ts), …; DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), …      t, and ts"""
    table: Words = []
    time: Words = []
    for item in split_items(words):
        arrow = next((at for at, word in enumerate(item) if word.text in ("=>", "=")), -1)
        value = item[arrow + 1 :]
        if says(value, 0, "TABLE") and not table:
            table = value[1:]
            if says(table, 0, "(") and len(table) == 3:
                table = table[1:2]

            table = table[: first(table, 0, "PARTITION BY", "PARTITION") or len(table)]
        elif says_all(value, 0, "DESCRIPTOR", "(") and not time:
            time = value[2 : closing_bracket(value, 1)]

    return table, time


def windows_over(word: Token, table: Words, time: Words, overlaps: bool) -> Words:
    """(SELECT *, TUMBLE(ts) AS window_start, … FROM t)"""
    columns: Words = []
    for name in WINDOW_COLUMNS:
        if columns or not overlaps:
            columns += words_like(word, (TokenType.COMMA, ","))

        if not overlaps:
            columns += [
                *words_like(word, (TokenType.VAR, word.text), (TokenType.L_PAREN, "(")), *time,
                *words_like(word, (TokenType.R_PAREN, ")"), (TokenType.ALIAS, "AS")),
            ]  # fmt: skip

        columns += words_like(word, (TokenType.VAR, name))

    select = words_like(
        word, (TokenType.L_PAREN, "("), (TokenType.SELECT, "SELECT"), (TokenType.STAR, "*")
    )
    source = [*words_like(word, (TokenType.FROM, "FROM")), *table]
    closes = words_like(word, (TokenType.R_PAREN, ")"))
    if not overlaps:
        return [*select, *columns, *source, *closes]

    view = (
        (TokenType.LATERAL, "LATERAL"), (TokenType.VIEW, "VIEW"), (TokenType.VAR, "inline"), (TokenType.L_PAREN, "("),
        (TokenType.VAR, word.text), (TokenType.L_PAREN, "("),
    )  # fmt: skip
    named = (
        (TokenType.R_PAREN, ")"), (TokenType.R_PAREN, ")"), (TokenType.VAR, "windows"), (TokenType.ALIAS, "AS"),
    )  # fmt: skip
    return [
        *select,
        *source,
        *words_like(word, *view),
        *time,
        *words_like(word, *named),
        *columns,
        *closes,
    ]


def statement_set(words: Words) -> Words:
    """EXECUTE STATEMENT SET BEGIN INSERT …      Flink: INSERT …"""
    if word_at(words, 0) not in ("EXECUTE", "BEGIN"):
        return words

    begin = first(words, 0, "BEGIN")
    insert = first(words, 0, "INSERT")
    if insert is not None and insert <= 4 and begin is not None:
        return words[insert:]

    return words


def row_types(words: Words) -> Words:
    """CREATE TABLE t (p ROW<a INT>)      Flink: p STRUCT<a INT>"""
    return [
        word_like(each, TokenType.STRUCT, "STRUCT") if says_all(words, at, "ROW", "<") else each
        for at, each in enumerate(words)
    ]


def document_as_json(words: Words) -> Words:
    """FROM OPENXML(@h, '/a/b', 1) WITH (a INT '@a')      T-SQL: OPENJSON(@h) WITH (a INT)"""
    for at in last_first(words, "OPENXML", "("):
        end = closing_bracket(words, at + 1)
        handle = split_items(words[at + 2 : end])[0]
        call = [word_like(words[at], TokenType.VAR, "OPENJSON"), words[at + 1], *handle, words[end]]
        after = end + 1
        listed: Words = []
        if says_all(words, after, "WITH", "("):
            close = closing_bracket(words, after + 1)
            columns = words[after:close]
            listed = [each for each in columns if each.token_type is not TokenType.STRING]
            listed.append(words[close])
            after = close + 1

        words = [*words[:at], *call, *listed, *words[after:]]

    return words


def drop_statistics(words: Words) -> Words:
    """CREATE TABLE t AS (SELECT …) WITH DATA AND NO STATS      Teradata: WITH DATA"""
    for at in range(len(words) - 1, 2, -1):
        if not any(says(words, at, name) for name in ("STATS", "STATISTICS", "STAT")):
            continue

        start = at - 1 - says(words, at - 1, "NO")
        if says_all(words, start - 1, "DATA", "AND"):
            words = [*words[:start], *words[at + 1 :]]

    return words


def drop_with_data(words: Words) -> Words:
    """CREATE MATERIALIZED VIEW v AS SELECT … WITH NO DATA      PostgreSQL: without the clause"""
    view = first(words, 0, "VIEW")
    if view is None or not says(words, 0, "CREATE") or not says(words, len(words) - 1, "DATA"):
        return words

    start = len(words) - 2 - says(words, len(words) - 2, "NO")
    if says(words, start, "WITH") and start > view:
        return words[:start]

    return words


def plain_view(words: Words) -> Words:
    """CREATE LIVE VIEW v …, CREATE WINDOW VIEW v ENGINE = … WATERMARK = … AS …

    ClickHouse: CREATE VIEW v AS …
    """
    kind = created_kind(words, 4, "VIEW")
    if kind is None:
        return words

    if word_at(words, kind - 1) not in ("WINDOW", "LIVE"):
        return words

    return [*words[: kind - 1], *words[kind:]]


def object_type(words: Words) -> Words:
    """CREATE TYPE p AS OBJECT (a NUMBER)      Oracle: CREATE TYPE p AS (a NUMBER)"""
    kind = created_kind(words, 4, "TYPE")
    if kind is None:
        return words

    at = first(words, kind, "OBJECT")
    if at is None or words[at - 1].text.upper() not in ("AS", "IS"):
        return words

    typed = [
        *words[:kind],
        word_like(words[kind], TokenType.TYPE, "TYPE"),
        *words[kind + 1 : at - 1],
    ]
    before = [*typed, word_like(words[at - 1], TokenType.ALIAS, "AS")]
    return [*before, *words[at + 1 : closing_bracket(words, at + 1) + 1]]


def pipeline_of_files(words: Words) -> Words:
    """CREATE PIPELINE p AS LOAD DATA S3 'x' INTO TABLE t (a)

    SingleStore: COPY INTO t (a) FROM 'x'
    """
    load = first(words, 0, "LOAD")
    if load is None or not says(words, load + 1, "DATA") or not says(words, 1, "PIPELINE"):
        return words

    into = first(words, load, "INTO")
    path = next((each for each in words[load:] if each.token_type is TokenType.STRING), None)
    if into is None or path is None:
        return words

    start = into + 1 + says(words, into + 1, "TABLE")
    end = start + 1
    while says(words, end, "."):
        end += 2

    listed = words[end : closing_bracket(words, end) + 1] if says(words, end, "(") else []
    copy = words_like(words[0], (TokenType.COPY, "COPY"), (TokenType.INTO, "INTO"))
    return [*copy, *words[start:end], *listed, *words_like(path, (TokenType.FROM, "FROM")), path]


def flow_of_changes(words: Words) -> Words:
    """CREATE FLOW f AS AUTO CDC INTO t FROM …      Databricks: APPLY CHANGES INTO t FROM …"""
    at = first(words, 0, "AUTO")
    if at is None or not says(words, at + 1, "CDC"):
        return words

    apply = words_like(words[at], (TokenType.VAR, "APPLY"), (TokenType.VAR, "CHANGES"))
    return [*apply, *words[at + 2 :]]


def load_without_properties(words: Words) -> Words:
    """LOAD DATA INTO t (a INT64) PARTITION BY a OPTIONS (…) FROM FILES (…) WITH CONNECTION c

    BigQuery: LOAD DATA INTO t (a INT64) FROM FILES (…)
    """
    files = first(words, 0, "FILES")
    if (
        not says_all(words, 0, "LOAD", "DATA")
        or files is None
        or not says(words, files - 1, "FROM")
    ):
        return words

    start = first(words, 2, "PARTITION", "PARTITION BY", "CLUSTER", "CLUSTER BY", "OPTIONS")
    end = closing_bracket(words, files + 1) + 1
    if start is None or start > files:
        return words[:end] if end < len(words) else words

    return [*words[:start], *words[files - 1 : end]]


REPAIRS = (
    load_without_properties,
    document_as_json, drop_statistics, drop_with_data, plain_view, object_type, pipeline_of_files, flow_of_changes,
    drop_table_hints, drop_graph_match, drop_graph_path, move_partition_into_condition, pass_by_comma,
    drop_names_of_passed, drop_json_error_clauses, join_collections, drop_outer_marks, drop_versions,
    drop_current_row, drop_all_rows, name_returned_columns,
    drop_view_constraints,
    compute_cells, drop_no_case, normalize_rows, upsert_by_update, expand_periods, drop_priorities,
    duplicates_of_ctas, drop_isolation, call_sequences,
    drop_else_ignore, limit_of_partitions, projection_as_view, join_index_as_view, first_rows,
    into_temp_behind, matches_as_like,
    upsert_as_insert, kind_of_table, drop_distribution, window_table_function, statement_set, row_types,
)  # fmt: skip

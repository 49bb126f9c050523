"""Repairs of the words around a query: locks before it, conflicts behind it, changes inside it."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.brackets import closing_bracket
from lineal.extract.sql.words import (
    Words,
    first,
    items,
    last_first,
    opening,
    says,
    says_all,
    word_at,
    word_like,
    words_like,
)
from lineal.model.sequences import flatten


def drop_locks(words: Words) -> Words:
    """Drop the locks before a statement or a query.

    LOCKING TABLE t FOR ACCESS LOCKING u FOR READ MODE NOWAIT SELECT …

    Teradata: SELECT …; a lock decides no row
    """
    found: Words = []
    position = 0
    while position < len(words):
        end = end_of_lock(words, position)
        if end == position:
            found.append(words[position])
            end += 1

        position = end

    if found and len(found) < len(words):
        return found

    return words


def end_of_lock(words: Words, at: int) -> int:
    """LOCKING ROW FOR ACCESS, LOCK TABLE d.t IN EXCLUSIVE MODE NOWAIT

    where it ends; the same position, if no lock starts here
    """
    is_start = at == 0 or words[at - 1].text.upper() in BEFORE_A_LOCK or ends_lock(words, at - 1)
    if not is_start or word_at(words, at) not in ("LOCKING", "LOCK"):
        return at

    severity = first(words[: at + MOST_WORDS_OF_A_LOCK], at + 1, "FOR", "IN")
    if severity is None or not any(says(words, severity + 1, kind) for kind in SEVERITIES):
        return at

    end = severity + 2
    for word in ("OVERRIDE", "MODE", "NOWAIT"):
        end += says(words, end, word)

    if end < len(words):
        return end

    return at


def ends_lock(words: Words, at: int) -> bool:
    """LOCKING t FOR ACCESS LOCKING u …      whether the word ends a lock that another may follow"""
    word = words[at].text.upper()
    return word in ("MODE", "NOWAIT", "OVERRIDE") or word in SEVERITIES


BEFORE_A_LOCK = frozenset(("AS", "(", ")"))
SEVERITIES = ("ACCESS", "READ", "SHARE", "WRITE", "EXCLUSIVE", "CHECKSUM", "LOAD")
MOST_WORDS_OF_A_LOCK = 9


def query_before_conflict(words: Words) -> Words:
    """Put the query of an INSERT in parentheses.

    INSERT INTO t SELECT a FROM s CROSS JOIN u ON CONFLICT (a) DO NOTHING

    PostgreSQL: INSERT INTO t (SELECT a FROM s CROSS JOIN u) ON CONFLICT …, or the clause is taken
    for the condition of the join
    """
    insert = first(words, 0, "INSERT")
    select = first(words, insert, "SELECT", "WITH") if insert is not None else None
    if select is None:
        return words

    on = next(
        (
            at
            for at in range(select, len(words) - 1)
            if words[at].token_type is TokenType.ON and says(words, at + 1, "CONFLICT")
        ),
        None,
    )
    if on is None:
        return words

    opens = word_like(words[select], TokenType.L_PAREN, "(")
    closes = word_like(words[on - 1], TokenType.R_PAREN, ")")
    return [*words[:select], opens, *words[select:on], closes, *words[on:]]


def changed_rows(words: Words) -> Words:
    """Move a change out of FROM.

    SELECT a FROM FINAL TABLE (INSERT INTO t …), … FROM OLD TABLE (DELETE FROM t …)

    Db2: WITH final AS (INSERT INTO t … RETURNING *) SELECT a FROM final
    """
    at = next((at for at in range(len(words) - 3) if opens_change(words, at)), None)
    if at is None or any(opens_change(words, other) for other in range(at + 1, len(words) - 3)):
        return words

    end = closing_bracket(words, at + 2)
    name = word_like(words[at], TokenType.IDENTIFIER, words[at].text)
    give = words_like(words[end], (TokenType.RETURNING, "RETURNING"))
    if says(words, at, "OLD") and says(words, at + 3, "UPDATE"):
        give += words_like(words[end], (TokenType.VAR, "OLD"), (TokenType.DOT, "."))

    body, included = without_included(words[at + 3 : end])
    change = [
        name,
        *words_like(words[at + 1], (TokenType.ALIAS, "AS")),
        words[at + 2],
        *body,
        *give,
        *words_like(words[end], (TokenType.STAR, "*")),
        *included,
        words[end],
    ]
    rest = [*words[:at], name, *words[end + 1 :]]
    if says(words, 0, "WITH"):
        start = 1 + says(words, 1, "RECURSIVE")
        comma = word_like(words[end], TokenType.COMMA, ",")
        return [*rest[:start], *change, comma, *rest[start:]]

    return [word_like(words[0], TokenType.WITH, "WITH"), *change, *rest]


def without_included(words: Words) -> tuple[Words, Words]:
    """Move the columns that only the result of a change has behind RETURNING *.

    UPDATE t INCLUDE (was INT) SET was = a, a = b      Db2

    UPDATE t SET a = b, and behind RETURNING *: OLD.a AS was
    """
    at = first(words, 0, "INCLUDE")
    if at is None or not says(words, 0, "UPDATE") or not says(words, at + 1, "("):
        return words, []

    end = closing_bracket(words, at + 1)
    names = {item[0].text.upper() for item in items(words[at + 2 : end])}
    start = first(words, end + 1, "SET")
    if start is None:
        return words, []

    where = first(words, start, "WHERE") or len(words)
    assignments = items(words[start + 1 : where])
    kept = [each for each in assignments if each[0].text.upper() not in names]
    moved = [each for each in assignments if each[0].text.upper() in names]
    comma = word_like(words[start], TokenType.COMMA, ",")
    inside = flatten((*each, comma) for each in kept)[:-1]
    included = flatten((comma, *as_former_value(each)) for each in moved)
    return [*words[:at], *words[end + 1 : start + 1], *inside, *words[where:]], included


def as_former_value(assignment: Words) -> Words:
    """was = a + 1      OLD.a + 1 AS was"""
    found: Words = []
    for at in range(2, len(assignment)):
        word = assignment[at]
        is_name = word.token_type in (TokenType.VAR, TokenType.IDENTIFIER)
        if is_name and not says(assignment, at + 1, "(") and not says(assignment, at - 1, "."):
            found += words_like(word, (TokenType.VAR, "OLD"), (TokenType.DOT, "."))

        found.append(word)

    return [*found, *words_like(assignment[0], (TokenType.ALIAS, "AS")), assignment[0]]


def opens_change(words: Words, at: int) -> bool:
    """FINAL TABLE (INSERT …), NEW TABLE (UPDATE …), OLD TABLE (DELETE …)"""
    is_table = says_all(words, at + 1, "TABLE", "(")
    return (
        is_table
        and words[at].text.upper() in ("FINAL", "NEW", "OLD")
        and words[at + 3].text.upper() in ("INSERT", "UPDATE", "DELETE", "MERGE")
    )


def compare_periods(words: Words) -> Words:
    """Compare periods like other values.

    p CONTAINS d, p IMMEDIATELY PRECEDES q      Teradata: p = d, p = q; both decide
    """
    found: Words = []
    for at, word in enumerate(words):
        if any(says(words, at, each) for each in PERIODS_COMPARED) and is_between(words, at):
            found.append(word_like(word, TokenType.EQ, "="))
        elif not (says(words, at, "IMMEDIATELY") and is_between(words, at + 1)):
            found.append(word)

    if any(before is not after for before, after in zip(words, found, strict=False)):
        return found

    return words


def is_between(words: Words, at: int) -> bool:
    """p MEETS q      whether the word is between two values, and no call"""
    before = at - 1 - says(words, at - 1, "IMMEDIATELY")
    if before < 0 or at + 1 >= len(words):
        return False

    return words[before].token_type in ENDS_A_VALUE and not says(words, at + 1, "(")


PERIODS_COMPARED = ("CONTAINS", "MEETS", "PRECEDES", "SUCCEEDS")
ENDS_A_VALUE = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.R_PAREN, TokenType.STRING)


def drop_watermarks(words: Words) -> Words:
    """Drop the watermark of a stream.

    FROM STREAM(t) WATERMARK ts DELAY OF INTERVAL 5 MINUTES      Databricks: how late a row may come
    """
    at = next(
        (
            at
            for at in range(1, len(words) - 4)
            if says(words, at, "WATERMARK") and says_all(words, at + 2, "DELAY", "OF")
        ),
        None,
    )
    if at is None or not says(words, at + 4, "INTERVAL"):
        return words

    return drop_watermarks([*words[:at], *words[at + 7 :]])


def serialize_values(words: Words) -> Words:
    """Drop the options of XMLSERIALIZE.

    XMLSERIALIZE(CONTENT a AS CLOB INDENT SIZE = 2)      Oracle: XMLSERIALIZE(a)
    """
    at = next(
        (
            at
            for at in range(len(words) - 3)
            if says(words, at, "XMLSERIALIZE") and says(words, at + 1, "(")
        ),
        None,
    )
    if at is None:
        return words

    end = closing_bracket(words, at + 1)
    start = at + 2 + (word_at(words, at + 2) in ("CONTENT", "DOCUMENT"))
    inside = serialize_values(words[start:end])
    as_ = first(inside, 0, "AS")
    if as_ is not None:
        inside = inside[:as_]

    return [*words[: at + 2], *inside, *serialize_values(words[end:])]


def apply_to_columns(words: Words) -> Words:
    """Call the functions of a star by one function.

    * EXCEPT (a) APPLY(x -> f(x)) APPLY g      ClickHouse: apply(apply(* EXCEPT (a), x -> f(x)), g)
    """
    at = next((at for at in range(2, len(words) - 1) if applies(words, at)), None)
    if at is None:
        return words

    start = start_of_item(words, at)
    listed = says(words, at + 1, "(")
    end = closing_bracket(words, at + 1) if listed else at + 1
    function = words[at + 2 : end] if listed else [words[end]]
    mark = words[at]
    call = [
        word_like(mark, TokenType.VAR, APPLIED),
        word_like(mark, TokenType.L_PAREN, "("),
        *words[start:at],
        word_like(mark, TokenType.COMMA, ","),
        *function,
        word_like(mark, TokenType.R_PAREN, ")"),
    ]
    return apply_to_columns([*words[:start], *call, *words[end + 1 :]])


def applies(words: Words, at: int) -> bool:
    """* APPLY …, COLUMNS('a') APPLY …, * EXCEPT a APPLY …      whether APPLY follows columns"""
    if not says(words, at, "APPLY"):
        return False

    item = words[start_of_item(words, at) : at]
    starts_so = any(says(item, 0, start) for start in ("COLUMNS", APPLIED))
    return starts_so or any(word.token_type is TokenType.STAR for word in item)


def start_of_item(words: Words, at: int) -> int:
    """Where the item of a SELECT list starts that a word belongs to."""
    while at > 0:
        before = at - 1
        if words[before].token_type is TokenType.R_PAREN:
            at = opening(words, before)
        elif words[before].token_type in STARTS_AN_ITEM:
            return at
        else:
            at = before

    return at


STARTS_AN_ITEM = (TokenType.SELECT, TokenType.COMMA, TokenType.DISTINCT, TokenType.L_PAREN)
APPLIED = "apply\0"
"""The function that stands for APPLY; nobody can call a function so."""


def name_models(words: Words) -> Words:
    """Give a function its model by name, and its tables as queries.

    ML.EVALUATE(MODEL m, TABLE t), CHANGES(TABLE t, NULL)

    BigQuery: ML.EVALUATE(MODEL => m, (SELECT * FROM t)), CHANGES((SELECT * FROM t), NULL)
    """
    found = words
    for at in range(len(words) - 2, 1, -1):
        if words[at - 1].token_type not in (TokenType.L_PAREN, TokenType.COMMA):
            continue

        end = end_of_name(words, at + 1)
        if end is None:
            continue

        if says(words, at, "MODEL") and word_at(words, at - 2) in TAKES_MODEL:
            alone = words[end].token_type is TokenType.R_PAREN
            found = [
                *found[:end],
                *words_like(words[at], *(NO_OPTIONS if alone else ())),
                *found[end:],
            ]
        elif says(words, at, "MODEL"):
            named = words_like(words[at], (TokenType.FARROW, "=>"))
            found = [*found[: at + 1], *named, *found[at + 1 :]]
        elif says(words, at, "TABLE"):
            star = words_like(
                words[at], (TokenType.L_PAREN, "("), (TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), FROM_WORD
            )  # fmt: skip
            closed = word_like(words[end - 1], TokenType.R_PAREN, ")")
            found = [*found[:at], *star, *found[at + 1 : end], closed, *found[end:]]

    return found


def end_of_name(words: Words, start: int) -> int | None:
    """TABLE a.b, …      where the name of a table ends that is a whole argument"""
    end = start
    while end < len(words) and words[end].token_type not in ENDS_ARGUMENT:
        if end - start > 4 or (words[end].token_type is TokenType.DOT) != bool((end - start) % 2):
            return None

        end += 1

    return end if start < end < len(words) else None


TAKES_MODEL = frozenset(
    ("PREDICT", "FORECAST", "TRANSLATE", "GENERATE_EMBEDDING", "GENERATE_TEXT_EMBEDDING", "GENERATE_TEXT",
     "GENERATE_TABLE")
)  # fmt: skip
"""The functions whose model the parser reads."""

ENDS_ARGUMENT = (TokenType.COMMA, TokenType.R_PAREN)
NO_OPTIONS = (
    (TokenType.COMMA, ","), (TokenType.STRUCT, "STRUCT"), (TokenType.L_PAREN, "("), (TokenType.R_PAREN, ")"),
)  # fmt: skip
"""ML.FORECAST(MODEL m)      the parser wants the options, too"""

FROM_WORD = (TokenType.FROM, "FROM")


def drop_parameters(words: Words) -> Words:
    """groupArraySorted(3)(a)      ClickHouse: groupArraySorted(a); parameters are constants"""
    found = words
    for at in range(len(words) - 2, 1, -1):
        if words[at].token_type is TokenType.R_PAREN and says(words, at + 1, "("):
            start = opening(words, at)
            called = start > 0 and words[start - 1].token_type in (
                TokenType.VAR,
                TokenType.IDENTIFIER,
            )
            found = [*found[:start], *found[at + 1 :]] if called else found

    return found


def unnest_member(words: Words) -> Words:
    """FROM t, t.xs AS x WITH OFFSET o      BigQuery: FROM t, UNNEST(t.xs) AS x WITH OFFSET o"""
    found = words
    for at in last_first(words, "WITH", "OFFSET"):
        end = at - 1 - says(words, at - 2, "AS")
        start = end
        while start > 1 and words[start - 1].token_type not in STARTS_A_MEMBER:
            start -= 1

        path = words[start:end]
        if not any(word.token_type is TokenType.DOT for word in path) or says(path, 0, "UNNEST"):
            continue

        call = words_like(words[start], (TokenType.UNNEST, "UNNEST"), (TokenType.L_PAREN, "("))
        closed = word_like(words[end - 1], TokenType.R_PAREN, ")")
        found = [*found[:start], *call, *path, closed, *found[end:]]

    return found


STARTS_A_MEMBER = (TokenType.COMMA, TokenType.FROM, TokenType.JOIN, TokenType.L_PAREN)


REPAIRS = (
    drop_parameters,
    unnest_member,
    name_models,
    apply_to_columns,
    drop_locks,
    drop_watermarks,
    serialize_values,
    query_before_conflict,
    changed_rows,
    compare_periods,
)

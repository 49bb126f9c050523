"""Repairs: SQL that its engine reads and sqlglot does not, in words that mean the same.

A repair looks at the words of one statement that could not be parsed, and gives them back changed,
or as they are. Words that stay keep their places. Nothing here is tried on a statement that parses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql import clause_repairs, dialect_repairs, query_repairs, spark_repairs
from lineal.extract.sql.brackets import closing_bracket
from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.placeholders import LEFT_OUT, without_clauses
from lineal.extract.sql.repair_contracts import LEFT_OVER, left_over
from lineal.extract.sql.trees import OWN, parse_words, with_own_names
from lineal.extract.sql.words import (
    FAILURES,
    Words,
    created_kind,
    first,
    items,
    opening,
    says,
    says_all,
    word_at,
    word_like,
    words_like,
    words_of_part,
)
from lineal.model.sequences import first_of_each

Repair = Callable[[Words], Words]


def tree_of(words: Words, dialect: str, text: str) -> Any:
    """The tree of one statement, as it is or repaired; raises what the parser said of it as it is."""
    tree, failure = None, None
    try:
        tree = _parse_one(words, dialect, text)
        is_unread_create = isinstance(tree, exp.Command) and says(words, 0, "CREATE")
        if not given_up(tree) and not is_unread_create:
            return tree
    except FAILURES as error:
        failure = error

    for way in ways_out(words, dialect, text):
        try:
            again = _parse_one(way.words, way.dialect, text)
        except FAILURES:
            continue

        if again is not None and not isinstance(again, exp.Command) and not loses_words(again):
            if way.left_over:
                again.meta[LEFT_OVER] = " ".join(word.text for word in way.left_over)

            return with_own_names([again])[0]

    if moves_no_data(words):
        first, *rest = (word.text for word in words[:MOST_KIND])
        return exp.Command(this=first.upper(), expression=" ".join(rest))

    if failure is not None:
        again = with_clauses_left_out(words, dialect, text) or with_own_functions(
            words, dialect, text, failure
        )
        if again is None:
            raise failure

        return again

    return tree


def loses_words(tree: exp.Expr) -> bool:
    """PIVOT t ON x a      sqlglot skips what it does not understand: a pivot of nothing is left"""
    return any(
        not pivot.args.get("expressions") and not pivot.args.get("fields")
        for pivot in tree.find_all(exp.Pivot)
    )


NO_DATA = frozenset(
    """ASSERT UNDROP FSCK REORG HELP SYSTEM KILL PREPARE DEALLOCATE BT ET ECHO CANCEL LOCK REMOVE ATTACH DETACH
    LISTEN NOTIFY UNLISTEN CHECKPOINT EXPORT FLASHBACK PURGE AUDIT NOAUDIT FETCH CLOSE MOVE GENERATE GROOM""".split()  # noqa: SIM905
)
"""The statements that move no data and need not be understood."""

WITHOUT_ROWS = frozenset(
    ("DATABASE", "INDEX", "UNIQUE", "CLUSTERED", "NONCLUSTERED", "COLUMNSTORE")
)
"""The objects of CREATE that hold no rows: CREATE UNIQUE INDEX i ON t (a) WITH FILLFACTOR = 80"""


QUOTED = frozenset(
    kind for kind in TokenType if kind.name.endswith("STRING") or kind is TokenType.IDENTIFIER
)
"""'', $$$$, ""      texts, which can be empty and name no kind of statement"""

MOST_KIND = 5
"""CREATE UNIQUE NONCLUSTERED COLUMNSTORE INDEX      the words that name a kind of object"""


def moves_no_data(words: Words) -> bool:
    """LOCK …, CREATE DATABASE d ON (SIZE = 512MB)      what need not be understood"""
    if words[0].token_type in QUOTED:
        return False

    first, *rest = " ".join(word.text.upper() for word in words[:2]).split()
    if first in ("CREATE", "ALTER"):
        return not WITHOUT_ROWS.isdisjoint(rest) and not holds_query(words)

    return first in NO_DATA


def holds_query(words: Words) -> bool:
    """Tell whether a query follows the word AS: CREATE INDEX x AS SELECT …"""
    texts = [word.text.upper() for word in words]
    return any(pair in QUERY_BEGINS for pair in pairwise(texts))


QUERY_BEGINS = frozenset((("AS", "SELECT"), ("AS", "WITH")))


MOST_OWN = 50


def with_own_functions(words: Words, dialect: str, text: str, failure: Exception) -> Any:
    """Parse a call of the user's own function.

    DATETIME(a, 1, 1, 0, 0, 0)

    a function of the user's that is called like one with other arguments
    """
    for _ in range(MOST_OWN):
        if (
            not isinstance(failure, ParseError)
            or not failure.errors
            or not wrong_arguments(failure)
        ):
            return None

        at = (failure.errors[0].get("line"), failure.errors[0].get("col"))
        close = next(
            (n for n, word in enumerate(words) if (word.line, word.col) == at and word.text == ")"),
            None,
        )
        name = opening(words, close) - 1 if close is not None else -1
        if (
            name < 0
            or words[name].text.upper() not in parser_dialect(dialect).parser_class.FUNCTIONS
        ):
            return None

        words = [
            *words[:name],
            word_like(words[name], TokenType.VAR, words[name].text + OWN),
            *words[name + 1 :],
        ]
        try:
            tree = _parse_one(words, dialect, text)
        except FAILURES as error:
            failure = error
            continue

        return with_own_names([tree])[0]

    return None


def with_clauses_left_out(words: Words, dialect: str, text: str) -> Any:
    """Parse a statement without the clauses that are placeholders.

    SELECT a FROM t WHERE b = 1 {and_more}      the rest of the statement, marked as such
    """
    fewer = without_clauses(words)
    if fewer is words or not fewer:
        return None

    try:
        tree = tree_of(fewer, dialect, text)
    except FAILURES:
        return None

    if tree is not None:
        tree.meta[LEFT_OUT] = True

    return tree


def wrong_arguments(failure: ParseError) -> bool:
    """Tell whether a parse error is about arguments."""
    said = str(failure.errors[0].get("description"))
    return "number of provided arguments" in said or "Required keyword" in said


def _parse_one(words: Words, dialect: str, text: str) -> Any:
    """The tree of one statement; a script has thousands, and looking at all of its text for each
    takes long.
    """
    part = text[min(word.start for word in words) : max(word.end for word in words) + 1]
    return next(
        (
            tree
            for tree in parse_words(words, parser_dialect(dialect), text, part)
            if tree is not None
        ),
        None,
    )


def given_up(tree: exp.Expr) -> bool:
    """Tell whether the parser has given up on a statement.

    CREATE … with a word that sqlglot does not know, REPLACE INTO, TABLE t: it gives up, and
    keeps the text
    """
    if not isinstance(tree, exp.Command):
        # TABLE orders: a column with an alias; BT: a column
        return isinstance(tree, (exp.Alias, exp.Column)) or deletes_top(tree)

    name = tree.name.upper()
    if name == "EXECUTE":
        return str(tree.args.get("expression") or "").lstrip().upper().startswith("STATEMENT SET")

    return name in ("CREATE", "REPLACE") or (name == "ALTER" and says_more(tree))


def deletes_top(tree: exp.Expr) -> bool:
    """DELETE TOP (5) FROM t      TOP is taken for a table with the column 5"""
    if not isinstance(tree, exp.Delete) or not tree.args.get("tables"):
        return False

    table = tree.args["tables"][0]
    alias = table.args.get("alias")
    return table.name.upper() == "TOP" and alias is not None and alias.this is None


def says_more(tree: exp.Command) -> bool:
    """Tell whether a command holds a statement worth parsing.

    ALTER TABLE t UPDATE a = b WHERE c

    ClickHouse; ALTER VIEW v WITH SCHEMABINDING AS SELECT …
    """
    return WRITES.match(str(tree.args.get("expression") or "")) is not None


WRITES = re.compile(
    r"\s*(TABLE\b.*\b(UPDATE|DELETE)\b.*\bWHERE\b|\w*\s*VIEW\b.*\bAS\b)", re.IGNORECASE | re.DOTALL
)


class WayOut(NamedTuple):
    """Other words for a statement, the dialect that reads them, and what they leave over."""

    words: Words
    dialect: str
    left_over: Words


def ways_out(words: Words, dialect: str, text: str) -> Iterator[WayOut]:
    """Yield other texts to try: other words, and the same text in another dialect."""
    words = replace_into(split_command(words, dialect, text), dialect, text)
    mended, left = repair_words(words, dialect)
    if mended is not words:
        yield WayOut(mended, dialect, left)
    elif words[0].token_type is TokenType.INSERT:
        yield WayOut(words, dialect, [])

    for each, lost in ((words, []), (mended, left)):
        if (columns := dialect_repairs.only_columns(each)) is not None:
            yield WayOut(columns, dialect, [*lost, *left_over("only_columns", each, columns)])

    if says(words, 0, "CREATE") and (first(words[:5], 1, "TYPE") or 0) > 0:
        yield WayOut(mended, "postgres", left)

    for other in OTHER_DIALECTS.get(dialect, ()):
        start, end = words[0].start, words[-1].end + 1
        try:
            yield WayOut(words_of_part(text, start, end, other), other, [])
        except FAILURES:
            continue


OTHER_DIALECTS = {"": ("spark", "tsql", "oracle"), "athena": ("hive",), "spark": ("databricks",)}
"""No dialect: `a` and [a] are names, and so on; Athena's tables have names in Hive's quotes, too;
Spark has v:a::int
"""


def split_command(words: Words, dialect: str, text: str) -> Words:
    """EXECUTE STATEMENT SET BEGIN INSERT …

    sqlglot takes all that follows EXECUTE for one word
    """
    if not says(words, 0, "EXECUTE") or len(words) != 2:
        return words

    start, end = words[0].end + 1, words[-1].end + 1
    return [words[0], *words_of_part(text, start, end, dialect)]


def replace_into(words: Words, dialect: str, text: str) -> Words:
    """Rewrite REPLACE INTO as INSERT INTO.

    REPLACE INTO t SELECT …

    INSERT INTO t SELECT …; sqlglot takes all that follows REPLACE for one word
    """
    if not says(words, 0, "REPLACE") or len(words) != 2:
        return words

    start, end = words[0].end + 1, words[-1].end + 1
    following = words_of_part(text, start, end, dialect)
    if says(following, 0, "INTO"):
        return [word_like(words[0], TokenType.INSERT, "INSERT"), *following]

    return words


def repair_words(words: Words, dialect: str) -> tuple[Words, Words]:
    """The words of a statement with everything mended that is known to break, and the words that
    are left over; the same list, if nothing is.
    """
    mended = words
    left: Words = []
    texts = {word.text.upper() for word in words}
    for repair in REPAIRS:
        if dialect not in ONLY_IN.get(repair, (dialect,)):
            continue

        if texts.isdisjoint(NEEDS.get(repair, texts)):
            continue

        changed = repair(mended)
        if changed is not mended:
            left += left_over(repair.__name__, mended, changed)
            mended = changed

    return mended, left


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

    UPDATE TOP (5) t SET …, DELETE TOP (5) FROM t      how many rows is no matter of columns
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


def phrases(words: Words) -> Words:
    """Rewrite the phrases behind Teradata columns and expressions.

    a (TITLE 'A'), b (FORMAT '99'), c (NAMED d), (e - 1) (DATE, FORMAT 'YYYY')

    Teradata: a, b, c AS d, (e - 1) :: DATE
    """
    return rewrite_attributes(words, lambda kinds: not are_types(kinds))


def types_behind(words: Words) -> Words:
    """Rewrite the types behind Teradata columns and expressions.

    a (DECIMAL(10, 2)), (e - 1) (INTERVAL DAY(4))      Teradata: a :: DECIMAL(10, 2), (e - 1) :: INTERVAL
    """
    return rewrite_attributes(words, are_types)


def are_types(kinds: list[str]) -> bool:
    """Whether the attributes of an expression say nothing but its type."""
    return set(kinds) <= {"TYPE", "INTERVAL"}


def rewrite_attributes(words: Words, are_meant: Callable[[list[str]], bool]) -> Words:
    """Rewrite the lists of attributes whose kinds are meant."""
    found: Words = []
    position = 0
    while position < len(words):
        attributes = attributes_at(words, position)
        if attributes is None or not are_meant(first_of_each(attributes)):
            found.append(words[position])
            position += 1
            continue

        for kind, attribute in attributes:
            found.extend(ATTRIBUTES[kind](attribute))

        position = closing_bracket(words, position) + 1

    if len(found) != len(words):
        return found

    return words


def attributes_at(words: Words, position: int) -> list[tuple[str, Words]] | None:
    """The attributes in parentheses behind an expression; None for any other parenthesis."""
    if not says(words, position, "(") or position == 0:
        return None

    before = words[position - 1].token_type
    if before not in BEFORE_ATTRIBUTES or not starts_attribute(words[position + 1 :][:1]):
        return None

    inside = items(words[position + 1 : closing_bracket(words, position)])
    kinds = list(map(attribute_of, inside))
    may_be_call = before in NAME_TOKENS and list(map(len, inside)) == [1]
    if not kinds or None in kinds or may_be_call:
        return None

    return [(kind or "", each) for kind, each in zip(kinds, inside, strict=True)]


def starts_attribute(words: Words) -> bool:
    """Tell whether an attribute of a column can start with the first of these words."""
    return any(
        word.text.upper() in PLAIN_ATTRIBUTES or word.token_type in FIRST_OF_ATTRIBUTES
        for word in words
    )


def attribute_of(words: Words) -> str | None:
    """Which attribute of a column the words are: TITLE 'A', NAMED a, DECIMAL(10, 2)."""
    if not words:
        return None

    if len(words) == 2 and words[0].text.upper() in PLAIN_ATTRIBUTES:
        return words[0].text.upper()

    if words[0].token_type is TokenType.INTERVAL and len(words) > 1:
        return "INTERVAL" if all(map(is_part_of_interval, words[1:])) else None

    if words[0].token_type not in Parser.TYPE_TOKENS:
        return None

    whole = len(words) == 1 or (says(words, 1, "(") and closing_bracket(words, 1) == len(words) - 1)
    return "TYPE" if whole else None


def is_part_of_interval(word: Any) -> bool:
    """INTERVAL DAY(4) TO SECOND(2)      DAY, (, 4, ), TO, SECOND"""
    return word.text.upper() in UNITS_OF_INTERVALS or word.token_type is TokenType.NUMBER


UNITS_OF_INTERVALS = frozenset(
    ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO", "(", ")", ",")
)

PLAIN_ATTRIBUTES = ("TITLE", "FORMAT", "NAMED")
FIRST_OF_ATTRIBUTES = frozenset((TokenType.INTERVAL, *Parser.TYPE_TOKENS))
NAME_TOKENS = frozenset((TokenType.VAR, TokenType.IDENTIFIER))
BEFORE_ATTRIBUTES = NAME_TOKENS | {TokenType.R_PAREN, TokenType.NUMBER, TokenType.STRING}

ATTRIBUTES: dict[str, Callable[[Words], Words]] = {
    "TITLE": lambda words: [],
    "FORMAT": lambda words: [],
    "NAMED": lambda words: [word_like(words[0], TokenType.ALIAS, "AS"), words[1]],
    "TYPE": lambda words: [word_like(words[0], TokenType.DCOLON, "::"), *words],
    "INTERVAL": lambda words: [word_like(words[0], TokenType.DCOLON, "::"), words[0]],
}
"""The form of an attribute in other engines."""


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


def versions(words: Words) -> Words:
    """Drop the version of a table.

    CREATE TABLE t CLONE s VERSION AS OF 3, RESTORE TABLE t TO VERSION AS OF 3

    CREATE TABLE t CLONE s FOR SYSTEM_TIME AS OF d      BigQuery; which version is no matter

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

    how it is built is no matter of columns
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

    PostgreSQL: FROM t; whether the rows of t's heirs count is no matter of columns
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


MARK = "\0"
"""Is part of no name, and so may join the names of a word that is made of several."""


QUERIES = ("SELECT", "WITH", "VALUES", "FROM", "(")


def alias_of_keys(words: Words) -> Words:
    """Move the alias of USING into its list.

    a JOIN b USING (id) AS j

    PostgreSQL: USING (id, j), where the mark tells that j is no key
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


REPAIRS: tuple[Repair, ...] = (
    dialect_repairs.expectations, *clause_repairs.REPAIRS, *dialect_repairs.REPAIRS, *query_repairs.REPAIRS,
    pivot_statement, time_window, whole_table, compound_assignment,
    drop_top, label, unless_there, phrases, types_behind, from_before_set, mutation, inline_view,
    output_before_where, delete_where, without_duplicates, left_out, recursive_view, output_of_a_schema,
    inner_statement, drop_unneeded, schema_evolution, versions, format_of_files, properties, lateral_rows,
    only_in_parentheses, order_by_operator, alias_of_keys, recursion_in_between, marked_recursion, counted_rows,
    document_in_parentheses,
    *spark_repairs.REPAIRS,
)  # fmt: skip

ONLY_IN: dict[Repair, tuple[str, ...]] = {
    types_behind: ("teradata",),
    query_repairs.apply_to_columns: ("clickhouse",),
    query_repairs.drop_locks: ("teradata",),
    query_repairs.name_models: ("bigquery",),
    query_repairs.unnest_member: ("bigquery",),
    query_repairs.drop_parameters: ("clickhouse",),
    query_repairs.compare_periods: ("teradata",),
}
"""Repairs whose words mean something else in other dialects.

a (DATE)      in Teradata the type of a, elsewhere a call
"""

NEEDS: dict[Repair, frozenset[str]] = {
    repair: frozenset(words.split())
    for repair, words in {
        dialect_repairs.expectations: "EXPECT",
        dialect_repairs.namespaces: "XMLNAMESPACES",
        dialect_repairs.errors_elsewhere: "ERRORS",
        dialect_repairs.joined_comment: "COMMENT",
        dialect_repairs.wrapper: "WRAPPER",
        dialect_repairs.reset: "RESET",
        clause_repairs.drop_graph_path: "PATH",
        clause_repairs.call_sequences: "VALUE",
        clause_repairs.row_types: "ROW",
        dialect_repairs.subsets: "SUBSET",
        dialect_repairs.bulk_rows: "OPENROWSET",
        query_repairs.apply_to_columns: "APPLY",
        query_repairs.drop_locks: "LOCKING LOCK",
        query_repairs.name_models: "MODEL TABLE",
        query_repairs.unnest_member: "OFFSET",
        query_repairs.drop_watermarks: "WATERMARK",
        query_repairs.serialize_values: "XMLSERIALIZE",
        query_repairs.query_before_conflict: "CONFLICT",
        query_repairs.changed_rows: "FINAL NEW OLD",
        query_repairs.compare_periods: "CONTAINS MEETS PRECEDES SUCCEEDS",
        label: "LABEL",
        counted_rows: "ORDINALITY",
        document_in_parentheses: "XMLTABLE",
    }.items()
}
"""One of these words is in every statement that a repair changes; without it the repair is skipped."""

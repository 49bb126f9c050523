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
from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql import clause_repairs, dialect_repairs, query_repairs, spark_repairs
from lineal.extract.sql.attribute_repairs import phrases, types_behind
from lineal.extract.sql.change_repairs import (
    compound_assignment,
    delete_where,
    drop_top,
    from_before_set,
    inline_view,
    label,
    left_out,
    mutation,
    output_before_where,
    schema_evolution,
    unless_there,
    without_duplicates,
)
from lineal.extract.sql.create_repairs import (
    drop_unneeded,
    format_of_files,
    inner_statement,
    output_of_a_schema,
    properties,
    recursive_view,
    versions,
)
from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.placeholders import LEFT_OUT, without_clauses
from lineal.extract.sql.recursion_repairs import (
    alias_of_keys,
    marked_recursion,
    recursion_in_between,
)
from lineal.extract.sql.repair_contracts import LEFT_OVER, left_over
from lineal.extract.sql.source_repairs import (
    counted_rows,
    document_in_parentheses,
    lateral_rows,
    only_in_parentheses,
    order_by_operator,
    pivot_statement,
    time_window,
    whole_table,
)
from lineal.extract.sql.trees import OWN, parse_words, with_own_names
from lineal.extract.sql.words import (
    FAILURES,
    Words,
    first,
    opening,
    says,
    word_like,
    words_of_part,
)

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

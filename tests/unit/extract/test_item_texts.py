"""The text of a usage: the item of its clause, to where the expression ends."""

from __future__ import annotations

import logging
import re

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

import lineal
from casefile import Case, all_cases, corpus_of
from lineal.extract.sql.dialects.nearest import grammar_of
from lineal.extract.sql.expansions import reading_of
from lineal.extract.sql.parse import parse
from lineal.incremental.extraction import extract
from lineal.model.script import Script

MERGE = """
MERGE INTO kept k USING p ON k.id = p.id
WHEN MATCHED AND p.gone = 1 THEN DELETE
WHEN MATCHED THEN UPDATE SET id = p.id, note = CASE WHEN p.a > 1 THEN p.b ELSE k.note END
WHEN NOT MATCHED BY TARGET THEN INSERT (kind, label) VALUES (p.x, upper(p.y))
"""

STATEMENTS = {
    "merge": ("tsql", MERGE, {
        "k.id = p.id", "p.gone = 1", "id = p.id",
        "note = CASE WHEN p.a > 1 THEN p.b ELSE k.note END", "p.x", "upper(p.y)",
    }),
    "merge returning": (
        "oracle",
        "MERGE INTO k USING p ON (k.id = p.id) WHEN MATCHED THEN UPDATE SET k.a = p.a WHERE p.b > 1",
        {"(k.id = p.id)", "k.a = p.a", "p.b > 1"},
    ),
    "insert all": (
        "oracle",
        "INSERT ALL WHEN a > 1 THEN INTO t1 (x) VALUES (b) INTO t2 (x, y) VALUES (a, b + 1) "
        "ELSE INTO t3 (x) VALUES (b) SELECT a, b FROM s WHERE c = 1",
        {"a > 1", "b", "a", "b + 1", "c = 1"},
    ),
    "on conflict": (
        "postgres",
        "INSERT INTO t (a) SELECT b FROM s WHERE c > 0 "
        "ON CONFLICT (a) DO UPDATE SET n = t.n + excluded.a RETURNING a",
        {"b", "c > 0", "n = t.n + excluded.a"},
    ),
    "functions named like clauses": (
        "tsql",
        "SELECT LEFT(a, 2) + RIGHT(b, 1) AS x FROM t WHERE c IS DISTINCT FROM d OPTION (RECOMPILE)",
        {"LEFT(a, 2) + RIGHT(b, 1) AS x", "c IS DISTINCT FROM d"},
    ),
    "items of arrays": (
        "bigquery",
        "SELECT a[OFFSET(0)] + 1 AS x, * EXCEPT (a, b) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k)",
        {"a[OFFSET(0)] + 1 AS x", "* EXCEPT (a, b)", "u.k = t.k"},
    ),
    "using": (
        "postgres",
        "SELECT t.a FROM t JOIN u USING (id, k) ORDER BY t.b DESC NULLS LAST LIMIT 3",
        {"t.a", "u", "t.b DESC NULLS LAST"},
    ),
    "windows and filters": (
        "postgres",
        "SELECT sum(a ORDER BY b) FILTER (WHERE c > 1) OVER (PARTITION BY d ORDER BY e) AS s FROM t",
        {"sum(a ORDER BY b) FILTER (WHERE c > 1) OVER (PARTITION BY d ORDER BY e) AS s", "c > 1"},
    ),
    "statements without semicolons": (
        "tsql",
        "UPDATE t SET a = b WHERE c = 1 UPDATE u SET d = e WHERE f = 2 PRINT 'done'",
        {"a = b", "c = 1", "d = e", "f = 2"},
    ),
    "update with output": (
        "tsql",
        "UPDATE t SET a = s.b OUTPUT inserted.a INTO log (n) FROM t JOIN s ON s.id = t.id WHERE s.c > 1",
        {"a = s.b", "inserted.a", "s.id = t.id", "s.c > 1"},
    ),
    "set operations": (
        "snowflake",
        "SELECT a FROM t WHERE b > 1 MINUS SELECT c FROM u WHERE d LIKE 'x'",
        {"a", "b > 1", "c", "d LIKE 'x'"},
    ),
    "hierarchy": (
        "oracle",
        "SELECT n FROM t START WITH boss IS NULL CONNECT BY NOCYCLE PRIOR id = boss ORDER SIBLINGS BY n",
        {"n", "boss IS NULL", "PRIOR id = boss"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_text_of_a_usage_ends_where_its_expression_ends(name: str) -> None:
    dialect, text, expected = STATEMENTS[name]
    found = lineal.lineage(text, dialect=dialect)
    texts = {usage.expression for edge in found.edges for usage in edge.usages}
    assert texts == expected


CLAUSES = [
    "SELECT {}",
    "SELECT 1 WHERE {}",
    "SELECT 1 FROM {}",
    "SELECT 1 ORDER BY {}",
    "SELECT 1 FROM t GROUP BY {}",
    "SELECT 1 FROM t WINDOW {}",
    "SELECT 1 FROM t PIVOT {}",
    "SELECT 1 FROM t JOIN u USING ({})",
]
INNER = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|'[^']*'")
CASE = re.compile(r"\bCASE\b(?:(?!\bCASE\b).)*?\bEND\b", re.I | re.S)
OTHER_CLAUSE = re.compile(
    r"[\w)\]']\s+(WHERE|HAVING|QUALIFY|GROUP BY|WHEN|THEN|RETURNING|UNION|JOIN|OUTPUT)\b", re.I
)
FEWEST = 0.97
"""The share of the texts that are read: some items are parts of statements, as a cell of MODEL."""


def texts_of(case: Case) -> set[str]:
    found = extract(corpus_of(case)).edges
    return {usage.expression for edge in found for usage in edge.usages} - {""}


def outermost(text: str) -> str:
    """A text without the parts in brackets, quotes and CASE."""
    for pattern in (INNER, CASE):
        while (shorter := pattern.sub("x", text)) != text:
            text = shorter
    return text


def parses(text: str, dialect: str) -> bool:
    for clause in CLAUSES:
        try:
            trees = sqlglot.parse(clause.format(text), read=grammar_of(dialect))
        except (SqlglotError, TypeError):
            continue
        if len(trees) == 1 and not isinstance(trees[0], exp.Command):
            return True
    return any(is_read(clause.format(text), dialect) for clause in CLAUSES)


def is_read(text: str, dialect: str) -> bool:
    """Whether lineal reads a text in the words of a dialect that sqlglot does not have."""
    trees, _, diagnostics = parse(reading_of(Script(text, dialect)))
    return not diagnostics and len(trees) == 1 and not isinstance(trees[0], exp.Command)


def test_every_usage_of_the_cases_is_one_expression() -> None:
    logging.disable(logging.CRITICAL)
    try:
        texts = [(case, text) for case in all_cases() for text in sorted(texts_of(case))]
        too_long = [
            (case.name, text) for case, text in texts if OTHER_CLAUSE.search(outermost(text))
        ]
        whole = sum(parses(text, case.dialect) for case, text in texts)
    finally:
        logging.disable(logging.NOTSET)
    assert too_long == []
    assert whole >= FEWEST * len(texts)

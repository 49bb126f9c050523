"""SQLite says which columns a statement reads: its authorizer is asked for each of them.

Every case that SQLite understands is held against it, whatever its own dialect is: the text is read
as SQLite's, and no column that SQLite reads may be missing from the reads.
"""

from __future__ import annotations

import sqlite3

import pytest

from casefile import Case, all_cases
from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script

FEWEST = 200
"""SQLite understands more cases than this."""


def tables_of(case: Case) -> list[str]:
    """The statements that create the tables of a case."""
    return [
        f'CREATE TABLE "{info.dataset.name}" ({", ".join(f"{name!r}" for name in info.names)})'
        for info in case.schema
    ]


def read_by_sqlite(case: Case) -> set[tuple[str, str]] | None:
    """The columns that SQLite reads for a case of one query; None if it refuses the text."""
    found: set[tuple[str, str]] = set()

    def ask(action: int, table: str | None, column: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_READ and table and column:
            found.add((table.lower(), column.lower()))
        return sqlite3.SQLITE_OK

    base = sqlite3.connect(":memory:")
    try:
        for statement in tables_of(case):
            base.execute(statement)
        base.set_authorizer(ask)
        base.execute(f"EXPLAIN {case.sql}")
    except (sqlite3.Error, sqlite3.Warning):
        return None
    finally:
        base.close()
    tables = {info.dataset.name.lower() for info in case.schema}
    return {(table, column) for table, column in found if table in tables}


def is_query(case: Case) -> bool:
    """Whether a case is one query over tables that are all known."""
    first = case.sql.lstrip().lower()
    return first.startswith(("select", "with")) and bool(case.schema) and not case.diagnostics


QUERIES = [case for case in all_cases() if is_query(case)]
UNDERSTOOD = [(case, read) for case in QUERIES if (read := read_by_sqlite(case)) is not None]


def test_sqlite_understands_many_cases():
    assert len(UNDERSTOOD) > FEWEST


@pytest.mark.parametrize("case, read", UNDERSTOOD, ids=[case.name for case, _ in UNDERSTOOD])
def test_every_column_that_sqlite_reads_is_read(case: Case, read: set[tuple[str, str]]):
    script = Script(case.sql, "sqlite", file=case.path.name, target="result")
    extraction = extract(Corpus("sqlite", [script], list(case.schema)))
    reads = {
        (each.dataset.name.lower(), each.column.lower())
        for each in extraction.reads
        if each.column is not None
    }
    assert read - {(table, "rowid") for table, _ in read} <= reads, case.title

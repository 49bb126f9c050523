"""PostgreSQL's own logs: csvlog (23 to 26 fixed columns) and jsonlog. Most of their rows hold no
statement.

statement: SELECT …      execute <unnamed>: SELECT … $1      duration: 0.4 ms  statement: SELECT …
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lineal.projects.logs.entry import Entry, Row

COLUMNS = (
    "log_time user_name database_name process_id connection_from session_id session_line_num command_tag "
    "session_start_time virtual_transaction_id transaction_id error_severity sql_state_code message detail hint "
    "internal_query internal_query_pos context query query_pos location application_name backend_type leader_pid "
    "query_id"
)
HEADER = COLUMNS.split()
WIDTHS = (23, 24, 26)
"""Up to version 12, 13, and from 14 on."""

STARTS = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
STATEMENT = re.compile(
    r"(?:duration: [\d.]+ ms\s+)?(?:statement|execute .*?): (?P<text>.*)", re.DOTALL
)
"""parse and bind only prepare what an execute line shows again."""

PREPARED = re.compile(
    r"prepare: PREPARE\s+(?:\"[^\"]*\"|[^\s(]+)\s*(?:\((?:[^()]|\([^()]*\))*\)\s*)?\sAS\s+(?P<text>.*)",
    re.DOTALL | re.IGNORECASE,
)
"""EXECUTE p (1)      the detail says what it executes: PREPARE p (numeric(10, 2)) AS …"""

FAILURES = ("ERROR", "FATAL", "PANIC")


def header(fields: list[str]) -> list[str] | None:
    """The columns of a csvlog, if its first row is one."""
    if len(fields) in WIDTHS and STARTS.match(fields[0]) and fields[6].isdigit():
        return HEADER[: len(fields)]

    return None


def is_log(fields: Mapping[str, object]) -> bool:
    """Tell whether the fields are those of PostgreSQL's own log."""
    return (
        "message" in fields
        and "error_severity" in fields
        and ("log_time" in fields or "line_num" in fields)
    )


def entry(row: Row) -> Entry | None:
    """The statement of a row that reports one; None for the other things that a server says."""

    def word(*names: str) -> str:
        """Return the first of these fields that is filled."""
        return next((str(row.fields[name]) for name in names if row.fields.get(name)), "")

    found = STATEMENT.fullmatch(word("message"))
    if found is None or word("error_severity") != "LOG":
        return None

    prepared = PREPARED.fullmatch(word("detail"))
    text = prepared["text"] if prepared else found["text"]
    if not text.strip():
        return None

    return Entry(
        row, text, word("user_name", "user"), word("log_time", "timestamp"), word("query_id"),
        word("database_name", "dbname"), dialect="postgres",
    )  # fmt: skip


class Running:
    """The last statement of each session: a later row of the session says whether it failed.

    LOG    statement: INSERT INTO t SELECT …      written before the statement runs
    ERROR  relation "t" does not exist            with the statement in a column of its own
    """

    def __init__(self) -> None:
        self.last: dict[str, Entry] = {}
        self.failed = 0

    def read(self, row: Row) -> Iterator[Entry]:
        """Yield the statement before, once the session has gone on."""
        session = str(row.fields.get("session_id") or "")
        if row.fields.get("error_severity") in FAILURES:
            self.forget(session, row)
            return

        found = entry(row)
        if found is None:
            return

        if not session:
            yield found
            return

        before = self.last.get(session)
        self.last[session] = found
        if before is not None:
            yield before

    def forget(self, session: str, row: Row) -> None:
        """Drop the statement that an error is about."""
        text = row.fields.get("query") or row.fields.get("statement") or ""
        held = self.last.get(session)
        if held is not None and str(text).strip() == held.text.strip():
            del self.last[session]
            self.failed += held.runs

    def end(self) -> Iterator[Entry]:
        """Yield the last statement of every session."""
        yield from self.last.values()
        self.last = {}

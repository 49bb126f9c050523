"""A row of a log, and the statement in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects.text import Report


class Row(NamedTuple):
    """One row: its line in the file, and its fields by column."""

    file: str
    line: int
    fields: Mapping[str, Any]
    one_line: bool
    """JSON writes a text of many lines on one; CSV keeps them"""


class Entry(NamedTuple):
    """One statement of a log."""

    row: Row
    text: str
    user: str = ""
    time: str = ""
    id: str = ""
    database: str = ""
    dialect: str = ""
    """of the log itself; PostgreSQL's has one"""
    schema: str = ""
    """of the session, as far as the log tells: what names without one mean"""
    runs: int = 1
    """a log has a row for each, a table of statistics a number"""


def left_out(report: Report, file: str, line: int, why: str) -> None:
    """Report a row that is not read."""
    report(Diagnostic(Code.LOG_ROW, why, Place(file, line, 1)))

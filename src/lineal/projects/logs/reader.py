"""The rows of one log as statements that ran, with a count of those that did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects.logs import postgres
from lineal.projects.logs.columns import CANDIDATES, Columns, field_at
from lineal.projects.logs.entry import Entry, Row
from lineal.projects.logs.histories import (
    CUT_OFF,
    DID_NOT_RUN,
    HISTORIES,
    IN_PARTS,
    History,
    cut_off_at,
    failure_of,
    field_paths,
    recognize,
)
from lineal.projects.logs.period import Period
from lineal.projects.logs.redshift import Pieces, unescape
from lineal.projects.text import Report


class LogReader:
    """Reads the rows of one file by the description of its history, where it has one."""

    def __init__(self, file: str, named: Mapping[str, str], period: Period, report: Report) -> None:
        self.file = file
        self.named = named
        self.period = period
        self.report = report
        self.columns = Columns(file, named)
        self.history: History | None = None
        self.scripts: frozenset[str] = frozenset()
        """ids of scripts whose statements have rows of their own"""
        self.running = postgres.Running()
        self.pieces = Pieces()
        self.left_out: Counter[str] = Counter()

    def recognize(self, head: Iterable[Row]) -> None:
        """Find out whose history this is, by the columns of its first rows."""
        name = recognize(set(chain.from_iterable(field_paths(row.fields) for row in head)))
        if name is None:
            return

        self.history = HISTORIES[name]
        own = self.history.columns()
        candidates = {part: (*own[part], *CANDIDATES[part]) for part in CANDIDATES}
        self.columns = Columns(self.file, self.named, candidates)

    @property
    def has_scripts(self) -> bool:
        """Tell whether rows may be parts of a script that has a row as well."""
        return self.history is not None and bool(self.history.parent)

    def parent_of(self, row: Row) -> str:
        """Return the id of the script that a statement which ran is a part of."""
        if self.history is None or failure_of(self.history, row.fields):
            return ""

        paths = self.history.parent.split()
        return next((str(found) for path in paths if (found := field_at(row.fields, path))), "")

    def read(self, row: Row) -> list[Entry]:
        """Return the statements that are known to have run in the period, now that a row is read."""
        if not self.named and postgres.is_log(row.fields):
            return list(filter(self.is_kept, self.running.read(row)))

        if self.history is not None and self.history.escapes_lines:
            if self.pieces.take(row):
                return []

            row = unescape(row)

        return self.statement_in(row)

    def statement_in(self, row: Row) -> list[Entry]:
        """Return the statement of one row, if it ran in the period."""
        entry = self.columns.entry(row, self.report)
        if entry is None or not self.is_kept(entry):
            return []

        if self.history is not None:
            entry = entry._replace(dialect=self.history.dialect)

        return [entry]

    def end(self) -> list[Entry]:
        """Return the statements that no later row was about."""
        found = list(filter(self.is_kept, self.running.end()))
        if self.running.failed:
            self.left_out[DID_NOT_RUN] += self.running.failed

        for row in self.pieces.whole():
            found += self.statement_in(row)

        return found

    def is_kept(self, entry: Entry) -> bool:
        """Tell whether a statement gives edges; count it if not."""
        reason = self.reason(entry) or self.period.reason(entry.time)
        if reason:
            self.left_out[reason] += 1

        return not reason

    def reason(self, entry: Entry) -> str:
        """Return why a statement gives no edges; empty if it gives some."""
        if self.history is None:
            return ""

        if failure_of(self.history, entry.row.fields):
            return DID_NOT_RUN

        if entry.id and entry.id in self.scripts:
            return IN_PARTS

        longest = None
        if "text" not in self.named:
            longest = cut_off_at(self.history, entry.row.fields, entry.text)

        if longest is not None:
            return CUT_OFF.format(longest)

        return ""

    def close(self) -> None:
        """Report how many statements were left out, once for each reason."""
        for reason, count in sorted(self.left_out.items()):
            what = "1 statement" if count == 1 else f"{count:,} statements"
            message = f"{what} left out: {reason}"
            self.report(Diagnostic(Code.NOT_RUN, message, Place(self.file, 1, 1)))

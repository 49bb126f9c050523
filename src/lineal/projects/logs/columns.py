"""Which column of a log is which: as the options say, else by the names that engines give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lineal.projects.logs.entry import Entry, Row, left_out
from lineal.projects.text import Report

PARTS = {
    "text": "query_text sql_text statement_text querytext sqltext query statement sql querytxt text",
    "user": "user_name username user_email user usename executed_by principal_email",
    "time": "start_time starttime query_start creation_time event_time log_time timestamp started_at time",
    "id": "query_id queryid job_id jobid statement_id request_id id",
    "database": "database_name database default_database datname dbname db catalog_name catalog",
    "schema": "schema_name default_schema current_schema",
}
"""The fields of a row, and the names of their columns in the logs of the engines; the first that is
there counts.
"""

CANDIDATES = {part: tuple(names.split()) for part, names in PARTS.items()}
MOST_LISTED = 30


class Columns:
    """The columns of one log: found where a row has them, and missed where none has."""

    def __init__(
        self,
        file: str,
        named: Mapping[str, str],
        candidates: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.file = file
        self.named = dict(named)
        self.candidates = dict(candidates or CANDIDATES)
        self.present: dict[str, None] = {}
        self.found: set[str] = set()
        self.known: dict[tuple[str, ...], dict[str, str]] = {}

    def entry(self, row: Row, report: Report) -> Entry | None:
        """Return the log entry of a row; None if it has no statement."""
        values = {part: self.value(part, row.fields) for part in CANDIDATES}
        text = values.pop("text")
        if not isinstance(text, str) or not text.strip():
            left_out(report, row.file, row.line, "the row has no statement")
            return None

        words: dict[str, Any] = {part: _word(value) for part, value in values.items()}
        return Entry(row, text, **words)

    def value(self, part: str, fields: Mapping[str, Any]) -> Any:
        """Return the value of one part of an entry."""
        keys = tuple(fields)
        held = self.known.get(keys)
        if held is None:
            held = self.known[keys] = self.lookup(fields)
            if len(self.known) > 1000:
                self.known.clear()

        key = held.get(part)
        if key is not None:
            return fields[key]

        return self.along_path(part, fields)

    def lookup(self, fields: Mapping[str, object]) -> dict[str, str]:
        """The column of each part, in rows with these fields."""
        self.present.update(dict.fromkeys(list(fields)[:MOST_LISTED]))
        folded = {key.lower(): key for key in reversed(list(fields))}
        held = {}
        for part, candidates in self.candidates.items():
            wanted = (self.named[part],) if part in self.named else candidates
            keys = (name if name in fields else folded.get(name.lower()) for name in wanted)
            key = next(filter(None, keys), None)
            if key is not None:
                held[part] = key
                self.found.add(part)

        return held

    def along_path(self, part: str, fields: Mapping[str, object]) -> Any:
        """--log-text payload.query      a field in a field"""
        wanted = (self.named[part],) if part in self.named else self.candidates[part]
        for path in wanted:
            value = field_at(fields, path) if "." in path else None
            if value is not None:
                self.found.add(part)
                return value

        return None

    def problem(self) -> str:
        """Return which column the rows lack, with the columns that they do have; '' if none is
        missing.
        """
        if not self.present:
            return ""

        columns = ", ".join(list(self.present)[:MOST_LISTED])
        for part, name in self.named.items():
            if part not in self.found:
                return f"{self.file} has no column {name}; its columns are {columns}"

        if "text" not in self.found:
            return f"no column of {self.file} is known to hold statements: name it with --log-text; it has {columns}"

        return ""


def field_at(fields: Mapping[str, object], path: str) -> Any:
    """Return the value of a field, or of a field in a field (`status.state`), in any case."""
    value: Any = fields
    for step in (path,) if path in fields else path.split("."):
        if not isinstance(value, Mapping):
            return None

        key = step
        if step not in value:
            key = next((each for each in value if each.lower() == step.lower()), "")

        value = value.get(key)

    return value


def _word(value: object) -> str:
    """A user, a time, an id: short, and text."""
    if value is None:
        return ""

    return str(value)[:200]

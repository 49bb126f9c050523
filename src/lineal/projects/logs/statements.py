"""The statements of a log, those that differ only in literals together."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from lineal.model.diagnostic import Place
from lineal.model.extraction import Occurrence
from lineal.model.script import Script
from lineal.projects.logs.entry import Entry, left_out
from lineal.projects.text import Report

LONGEST_STATEMENT = 10_000_000
SHORT = 8
"""Digits of a query's name; where two would be called the same, both get all of them."""

NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
MOMENT = re.compile(
    r"((?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[ T]([0-9]{2}:[0-9]{2})(:[0-9]{2}(?:\.[0-9]+)?)? ?([+-](?:0[0-9]|1[0-7])(?::?[0-5][0-9])?)?)? ?[A-Za-z_/]*"
)
"""Days with times of day; an offset counts, and what only has a name is taken for UTC. Java reads
it the same way.
"""


First = tuple[bool, float, str, str, str]
"""The time, and at the same time the order of the log: a row without a time comes last."""


class LoggedStatement:
    """One statement, and when and for whom it ran; its text is that of the first run, in whatever
    order rows come.
    """

    __slots__ = ("count", "databases", "first", "key", "last", "script", "session", "users")

    def __init__(self, key: str, script: Script, entry: Entry) -> None:
        self.key = key
        self.script = script
        self.count = 0
        self.first: First = (not entry.time, moment(entry.time), entry.time, script.text, entry.id)
        self.last = self.first[1:3]
        self.users: set[str] = set()
        self.databases: set[str] = set()
        self.session = entry.database, entry.schema

    def add(self, entry: Entry) -> None:
        """Count one more entry of the statement."""
        self.count += entry.runs
        if entry.user:
            self.users.add(entry.user)

        if entry.database:
            self.databases.add(entry.database)

        at = moment(entry.time), entry.time
        if entry.time:
            self.last = max(self.last, at) if self.last[1] else at

        if (not entry.time, *at) <= self.first[:3]:
            text = clean_text(entry.text)
            first = (not entry.time, *at, text, entry.id)
            if first < self.first:
                self.first, row = first, entry.row
                self.script = replace(
                    self.script, text=text, file=row.file, line=row.line, one_line=row.one_line
                )


class Statements:
    """Every statement once: equal texts by their hash, alike ones by their fingerprint."""

    def __init__(self, dialect: str | None) -> None:
        self.asked = dialect
        self.dialect = dialect or ""
        self.by_text: dict[bytes, LoggedStatement] = {}
        self.by_print: dict[str, LoggedStatement] = {}

    def add(self, entry: Entry, report: Report) -> None:
        """Count an entry under its statement."""
        if len(entry.text) > LONGEST_STATEMENT:
            why = f"the statement has {len(entry.text):,} characters; up to {LONGEST_STATEMENT:,} are read"
            left_out(report, entry.row.file, entry.row.line, why)
            return

        if self.asked is None and entry.dialect:
            self.dialect = entry.dialect

        entry = clean_session(entry)
        said = f"{entry.dialect}\0{entry.database}\0{entry.schema}\0{entry.text}".encode(
            "utf-8", "replace"
        )
        digest = hashlib.blake2b(said, digest_size=16).digest()
        seen = self.by_text.get(digest)
        if seen is None:
            seen = self.by_text[digest] = self.alike(entry, report)

        seen.add(entry)

    def alike(self, entry: Entry, report: Report) -> LoggedStatement:
        """Return the statement that has the fingerprint of an entry."""
        from lineal.extract.sql.fingerprint import fingerprint

        if "\0" in entry.text:
            left_out(
                report,
                entry.row.file,
                entry.row.line,
                "the statement has a NUL in it, which is read as a space",
            )

        dialect = self.asked if self.asked is not None else entry.dialect
        row = entry.row
        script = Script(
            clean_text(entry.text), dialect, row.file, row.line, one_line=row.one_line, recurs=True
        )
        key = key_of(fingerprint(script), entry.database, entry.schema)
        seen = self.by_print.get(key)
        if seen is None:
            seen = self.by_print[key] = LoggedStatement(key, script, entry)

        return seen

    def name_statements(self) -> Iterator[tuple[str, LoggedStatement]]:
        """Yield each statement with its name, in order."""
        shared: dict[str, int] = {}
        for key in self.by_print:
            shared[key[:SHORT]] = shared.get(key[:SHORT], 0) + 1

        for seen in sorted(self.by_print.values(), key=lambda seen: (*seen.first[:4], seen.key)):
            key = seen.key
            yield f"query_{key[:SHORT] if shared[key[:SHORT]] == 1 else key}", seen

    def scripts(self) -> list[Script]:
        """Return a script for each statement."""
        meaning = Sessions(seen.session for seen in self.by_print.values())
        return [
            replace(seen.script, target=name, **meaning.session_of(*seen.session))
            for name, seen in self.name_statements()
        ]

    def occurrences(self) -> list[Occurrence]:
        """Return how often and by whom each statement was run."""
        return [
            Occurrence(
                name, Place(seen.script.file, seen.script.line, 1), seen.count, seen.first[2], seen.last[1],
                tuple(sorted(seen.users)), tuple(sorted(seen.databases)), seen.first[4],
            )
            for name, seen in self.name_statements()
        ]  # fmt: skip


def key_of(fingerprint: str, database: str, schema: str) -> str:
    """The same words mean other tables in another database or schema."""
    where = f"{database}\0{schema}" if schema else database
    return hashlib.sha256(f"{fingerprint} {where}".encode()).hexdigest()


class Sessions:
    """The databases and schemas that the statements of a log were run in.

    FROM t, run in shop and in bank      shop..t and bank..t; with a schema that the log tells,
                                         shop.public.t
    FROM t, all run in shop              t: a name that everybody writes in the same way needs no
                                         more
    """

    def __init__(self, sessions: Iterable[tuple[str, str]]) -> None:
        found = set(sessions)
        self.several_databases = len({database for database, _ in found if database}) > 1
        self.several_schemas = len({schema for _, schema in found if schema}) > 1

    def session_of(self, database: str, schema: str) -> dict[str, Any]:
        """Return the session settings of a script."""
        catalog = _part(database) if self.several_databases else ""
        if schema and (self.several_schemas or catalog):
            return {"catalog": catalog, "schemas": (_part(schema),)}

        return {"catalog": catalog, "schemas": ("",) if catalog else ()}


def _part(name: str) -> str:
    """A part of a name, in quotes where it would be taken for several."""
    if "." in name or '"' in name:
        return '"' + name.replace('"', '""') + '"'

    return name


def clean_session(entry: Entry) -> Entry:
    """Return an entry whose user, number, database and schema can be written as UTF-8."""
    parts = entry.user, entry.id, entry.database, entry.schema
    if all(map(str.isascii, parts)):
        return entry

    user, number, database, schema = map(clean_text, parts)
    return entry._replace(user=user, id=number, database=database, schema=schema)


def clean_text(text: str) -> str:
    """Return a text without NUL and broken characters."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def moment(time: str) -> float:
    """2024-05-01 10:00:00, 2024-05-01T10:00:00Z, 1714557600

    times in an order, whichever way they are written
    """
    if NUMBER.fullmatch(time):
        return float(time)

    found = MOMENT.fullmatch(time)
    if found is None:
        return 0.0

    day, clock, seconds, offset = found.groups("")
    try:
        at = datetime.fromisoformat(f"{day} {clock}{seconds}{offset}" if clock else day)
    except ValueError:
        return 0.0

    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()

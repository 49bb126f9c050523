"""The statements of a log, those that differ only in literals together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from lineal.model.diagnostic import Place
from lineal.model.extraction import Occurrence
from lineal.model.script import Script
from lineal.projects.logs.entry import Entry, left_out
from lineal.projects.text import Report

LONGEST_STATEMENT = 10_000_000
SHORT = 8
"""Digits of a query's name; where two would be called the same, both get all of them."""


class Seen:
    """One statement, and when and for whom it ran."""

    __slots__ = ("count", "databases", "first", "id", "key", "last", "script", "users")

    def __init__(self, key: str, script: Script, entry: Entry) -> None:
        self.key = key
        self.script = script
        self.id = entry.id
        self.count = 0
        self.first = self.last = entry.time
        self.users: set[str] = set()
        self.databases: set[str] = set()

    def add(self, entry: Entry) -> None:
        self.count += entry.runs
        if entry.user:
            self.users.add(entry.user)
        if entry.database:
            self.databases.add(entry.database)
        if entry.time and entry.time not in (self.first, self.last):
            self.first = min(filter(None, (self.first, entry.time)), key=moment)
            self.last = max(self.last, entry.time, key=moment)


class Statements:
    """Every statement once: equal texts by their hash, alike ones by their fingerprint."""

    def __init__(self, dialect: str | None) -> None:
        self.asked = dialect
        self.dialect = dialect or ""
        self.by_text: dict[bytes, Seen] = {}
        self.by_print: dict[str, Seen] = {}

    def add(self, entry: Entry, report: Report) -> None:
        if len(entry.text) > LONGEST_STATEMENT:
            why = f"the statement has {len(entry.text):,} characters; up to {LONGEST_STATEMENT:,} are read"
            left_out(report, entry.row.file, entry.row.line, why)
            return
        if self.asked is None and entry.dialect:
            self.dialect = entry.dialect
        said = f"{entry.dialect}\0{entry.database}\0{entry.text}".encode("utf-8", "replace")
        digest = hashlib.blake2b(said, digest_size=16).digest()
        seen = self.by_text.get(digest)
        if seen is None:
            seen = self.by_text[digest] = self.alike(entry, report)
        seen.add(entry)

    def alike(self, entry: Entry, report: Report) -> Seen:
        from lineal.extract.sql.fingerprint import fingerprint

        if "\0" in entry.text:
            left_out(report, entry.row.file, entry.row.line, "the statement has a NUL in it, which is read as a space")
        text = entry.text.replace("\0", " ").encode("utf-8", "replace").decode()
        dialect = self.asked if self.asked is not None else entry.dialect
        script = Script(text, dialect, entry.row.file, entry.row.line, one_line=entry.row.one_line)
        key = hashlib.sha256(f"{fingerprint(script)} {entry.database}".encode()).hexdigest()
        seen = self.by_print.get(key)
        if seen is None:
            seen = self.by_print[key] = Seen(key, script, entry)
        return seen

    def named(self) -> Iterator[tuple[str, Seen]]:
        shared: dict[str, int] = {}
        for key in self.by_print:
            shared[key[:SHORT]] = shared.get(key[:SHORT], 0) + 1
        for key, seen in self.by_print.items():
            yield f"query_{key[:SHORT] if shared[key[:SHORT]] == 1 else key}", seen

    def scripts(self) -> list[Script]:
        return [replace(seen.script, target=name) for name, seen in self.named()]

    def occurrences(self) -> list[Occurrence]:
        return [
            Occurrence(
                name, Place(seen.script.file, seen.script.line, 1), seen.count, seen.first, seen.last,
                tuple(sorted(seen.users)), tuple(sorted(seen.databases)), seen.id,
            )
            for name, seen in self.named()
        ]  # fmt: skip


def moment(time: str) -> tuple[float, str]:
    """2024-05-01 10:00:00, 2024-05-01T10:00:00Z, 1714557600      times in an order, whichever way they are written"""
    try:
        return float(time), time
    except ValueError:
        pass
    try:
        found = datetime.fromisoformat(time.removesuffix(" UTC").removesuffix(" GMT"))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp(), time
    except (ValueError, OverflowError, OSError):
        return 0.0, time

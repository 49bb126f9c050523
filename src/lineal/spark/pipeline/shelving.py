"""The statements of a log get their names and keys on the executors, and come to the driver in pages."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from lineal.model.script import Script
from lineal.projects.logs.statements import SHORT, Sessions
from lineal.spark.pipeline.blobs import Blobs
from lineal.spark.pipeline.book import page_of
from lineal.spark.pipeline.logged import Logged
from lineal.spark.pipeline.pages import pack_page, read_page
from lineal.spark.pipeline.tables import Pages, statement_pages

SHELVED = "statements binary, page binary, poisoned binary"
SHELVED_SCHEMA = pa.schema([(name, pa.binary()) for name in ("statements", "page", "poisoned")])
MOST_USERS = 10_000
"""of one statement that are listed"""

Batches = Iterator[pa.RecordBatch]


class Shelf(NamedTuple):
    """The settings that the statements of a log have in common."""

    dialect: str
    about: bytes
    sessions: Sessions
    clashes: frozenset[str]
    """the first digits that several keys have"""


class Fingerprintless(NamedTuple):
    """A statement that has no fingerprint."""

    why: str
    runs: int
    text: str


def page_writer(shelf: Shelf) -> Callable[[Batches], Batches]:
    """Statements in their order → pages of the table of statements, and of a book."""

    def work(batches: Batches) -> Batches:
        """Make pages of the batches."""
        for batch in batches:
            if batch.num_rows:
                yield page_of_rows(batch.to_pylist(), shelf)

    return work


def page_of_rows(rows: list[dict[str, Any]], shelf: Shelf) -> pa.RecordBatch:
    """Return some statements as a page."""
    logged = [logged_in(row, shelf) for row in rows]
    sound = [each for each, row in zip(logged, rows, strict=True) if row["fault"] is None]
    poisoned = [
        (each.name, row["fault"], each.runs, each.text)
        for each, row in zip(logged, rows, strict=True)
        if row["fault"] is not None
    ]
    scripts = [script_of(each, shelf) for each in sound]
    page = page_of(scripts, sound, shelf.about)
    made = [
        pack_page(pa.concat_tables(statement_pages(logged))),
        pack_page(page),
        marshal.dumps(poisoned),
    ]
    return pa.RecordBatch.from_pylist(
        [dict(zip(SHELVED_SCHEMA.names, made, strict=True))], SHELVED_SCHEMA
    )


def logged_in(row: dict[str, Any], shelf: Shelf) -> Logged:
    """Return a statement with its name."""
    first, key = row["first"], row["key"]
    digits = key if key[:SHORT] in shelf.clashes else key[:SHORT]
    return Logged(
        key, f"query_{digits}", first["text"], row["runs"], first["time"], row["last"]["last"] or first["time"],
        tuple(row["users"][:MOST_USERS]), row["database"], first["id"], row["schema"],
    )  # fmt: skip


def script_of(logged: Logged, shelf: Shelf) -> Script:
    """Return the script of a statement."""
    name, session = logged.name, shelf.sessions.session_of(logged.database, logged.schema)
    return Script(
        logged.text, shelf.dialect, name, target=name, one_line=True, recurs=True, **session
    )


class Kept:
    """Pages of a table on the driver's disk, in their order."""

    def __init__(self, folder: Path) -> None:
        self.blobs = Blobs(folder)
        self.places: list[int] = []

    def add(self, page: bytes) -> None:
        """Append a page."""
        self.places.append(self.blobs.add(page))

    def pages(self) -> Pages:
        """Yield the table page by page."""
        for place in self.places:
            yield read_page(self.blobs.get(place))

"""A store in a file: SQLite, with a write-ahead log, so that readers go on while one process
writes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lineal.store.errors import Busy, Damaged, NoStore, StoreError, Unreadable
from lineal.store.lineage.database import WAIT, Ready, Row, Values, known, marks
from lineal.store.lineage.schema import SQLITE

APPLICATION = 0x6C696E65  # "line": what `file` and we know the file by
CACHE_KIB = 1 << 18
ROWS_AT_ONCE = 100

REASONS: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (
        Busy,
        "another process is writing to it: try again later, or wait longer with --wait",
    ),
    sqlite3.SQLITE_LOCKED: (
        Busy,
        "another process is writing to it: try again later, or wait longer with --wait",
    ),
    sqlite3.SQLITE_FULL: (
        Unreadable,
        "the disk is full; nothing was changed: make room and try again",
    ),
    sqlite3.SQLITE_IOERR: (
        Unreadable,
        "the disk does not take or give the data; nothing was changed: check that it has room and"
        " that no limit on file sizes is set (ulimit -f), and try again",
    ),
    sqlite3.SQLITE_READONLY: (
        Unreadable,
        "it cannot be written: check the rights of the file and of its folder",
    ),
    sqlite3.SQLITE_PERM: (
        Unreadable,
        "it cannot be read: check the rights of the file and of its folder",
    ),
    sqlite3.SQLITE_AUTH: (
        Unreadable,
        "it cannot be read: check the rights of the file and of its folder",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        Unreadable,
        "it cannot be opened: check the path, and the rights of file and folder",
    ),
    sqlite3.SQLITE_CORRUPT: (
        Damaged,
        "the file is damaged: put back a copy, or delete it and load again",
    ),
    sqlite3.SQLITE_NOTADB: (
        Damaged,
        "the file is damaged or no store: put back a copy, or delete it and load again",
    ),
    sqlite3.SQLITE_TOOBIG: (StoreError, "a text is too long to be stored; nothing was changed"),
}
"""SQLite's own codes, in words."""


class Sqlite:
    """A connection to a file."""

    dialect = SQLITE
    at_once = 400

    def __init__(self, path: str, *, create: bool = False, wait: float = WAIT) -> None:
        self.path = path
        self.wait = wait
        if not path:
            raise StoreError("the address of the store is empty: name a file, or postgresql://…")

        there = os.path.exists(path)  # noqa: PTH110  a path may be too long for pathlib
        if not create and not there:
            raise NoStore(f"there is no store {path}: `lineal store load` makes one")

        self.is_new = not there
        try:
            with self._errors_in_words():
                self.connection = self._connect()
        except (OSError, ValueError) as problem:  # too long for a path, or with a NUL in it
            words = getattr(problem, "strerror", None) or str(problem)
            raise Unreadable(f"store {path}: it cannot be opened: {words}") from problem

        try:
            with self._errors_in_words():
                self._check_whose()
                self._set_up()
        except BaseException:
            self.abandon()
            raise

        self.identity = identity_of(path)

    @property
    def name(self) -> str:
        """Return the path of the file."""
        return self.path

    def _connect(self) -> sqlite3.Connection:
        """Where nothing may be written nobody writes, and the file can be read as it is."""
        if "\0" in self.path:
            raise ValueError("embedded null byte")

        here = Path(self.path).absolute()
        there = here.is_file()
        self.writable = os.access(here.parent, os.W_OK) and (not there or os.access(here, os.W_OK))
        frozen = there and not self.writable
        if frozen and Path(f"{here}-wal").exists():
            raise Unreadable(
                f"store {self.path}: its last changes are in the log {here.name}-wal, and a log is"
                " only read in a folder that can be written: copy both files to one"
            )

        # always an address: SQLite keeps nothing under names such as `:memory:`
        mode = "ro&immutable=1" if frozen else "rwc"
        return sqlite3.connect(
            f"file:{quote(os.fsencode(here))}?mode={mode}",
            timeout=self.wait,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )

    def _check_whose(self) -> None:
        """Tables are made in an empty file, never in a file with other tables."""
        mark = self.connection.execute("PRAGMA application_id").fetchone()[0]
        if mark not in (0, APPLICATION) or (mark == 0 and self._has_tables()):
            raise StoreError(
                f"{self.path} is an SQLite database, but no store of lineal's: name another file"
            )

    def _has_tables(self) -> bool:
        """Tell whether the file has tables."""
        return bool(self.connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])

    def _set_up(self) -> None:
        """Set the pragmas of the connection."""
        for setting in ("foreign_keys = OFF", f"cache_size = -{CACHE_KIB}", "temp_store = MEMORY"):
            self.connection.execute(f"PRAGMA {setting}")

        if self.writable:
            if self.connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                self.connection.execute("PRAGMA journal_mode = WAL")

            self.connection.execute("PRAGMA synchronous = NORMAL")

    # -- transactions ------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read in one transaction that sees one state."""
        with self._transaction("BEGIN"):
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write in one transaction, one process at a time."""
        self._check_identity()
        with self._transaction("BEGIN IMMEDIATE"):
            yield

        self._check_identity()

    def _check_identity(self) -> None:
        """Rows that go into a file without a name would be lost, and nobody would know."""
        found = identity_of(self.path)
        self.identity = self.identity or found
        if self.writable and found != self.identity:
            raise StoreError(
                f"store {self.path}: the file was deleted or replaced while lineal had it open:"
                " load again"
            )

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        """Run statements in a transaction that is rolled back on an error."""
        with self._errors_in_words():
            self.connection.execute(begin)
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")

                raise

    @contextmanager
    def _errors_in_words(self) -> Iterator[None]:
        """SQLite's errors in words."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as problem:
            code = getattr(problem, "sqlite_errorcode", None)
            kind, words = REASONS.get((code or 0) & 0xFF, (None, ""))
            if kind is None:
                kind, words = _by_text(problem)

            raise kind(f"store {self.path}: {words}") from problem
        except UnicodeDecodeError as problem:
            kind, words = REASONS[sqlite3.SQLITE_CORRUPT]
            raise kind(f"store {self.path}: {words}") from problem
        except OverflowError as problem:
            raise StoreError(
                f"store {self.path}: a number is too large to be stored; nothing was changed"
            ) from problem

    # -- statements --------------------------------------------------------------------------------

    def rows(self, sql: str, values: Values = ()) -> list[Row]:
        """Return the rows of a query."""
        with self._errors_in_words():
            return self.connection.execute(sql, values).fetchall()

    def run(self, sql: str, values: Values = ()) -> None:
        """Run a statement that returns no rows."""
        with self._errors_in_words():
            self.connection.execute(sql, values)

    def fill(self, table: str, columns: Mapping[str, Values], same: Mapping[str, object]) -> None:
        """INSERT INTO edges (…) VALUES (?, ?, 1), (?, ?, 1), …

        a hundred rows a step cost half of one a step
        """
        columns = known(columns)
        names = ", ".join([*columns, *same])
        row = f"({', '.join(['?'] * len(columns) + list(map(_literal, same.values())))})"
        insert = f"INSERT INTO {table} ({names}) VALUES "
        values = list(columns.values())
        whole = len(values[0]) // ROWS_AT_ONCE * ROWS_AT_ONCE
        with self._errors_in_words():
            flat = chain.from_iterable(zip(*values, strict=True))
            if whole:
                steps = zip(*[flat] * (ROWS_AT_ONCE * len(columns)), strict=False)
                self.connection.executemany(insert + ", ".join([row] * ROWS_AT_ONCE), steps)

            self.connection.executemany(
                insert + row, zip(*(each[whole:] for each in values), strict=True)
            )

    def pour(
        self,
        table: str,
        batches: Iterable[Mapping[str, Values]],
        same: Mapping[str, int],
        ready: Ready = iter,
    ) -> None:
        """Write many rows, batch by batch."""
        for batch in ready(batches):
            self.fill(table, batch, same)

    def pairs(self, nodes: Sequence[tuple[int, str]]) -> tuple[str, list[Any]]:
        """Return a table of nodes as SQL, and its values."""
        return f"VALUES {marks(len(nodes), 2)}", list(chain.from_iterable(nodes))

    def among(self, numbers: Sequence[int]) -> tuple[str, list[Any]]:
        """Return a condition for one of some numbers, and its values."""
        return f"IN {marks(1, len(numbers))}", list(numbers)

    def versions(self) -> list[int] | None:
        """Return the versions of the tables; None if there is no store."""
        with self._errors_in_words():
            if not self._has_tables():
                return None

            return [
                version
                for (version,) in self.connection.execute(
                    "SELECT version FROM versions ORDER BY version"
                )
            ]

    def begin_store(self) -> None:
        """Mark the file as a store of lineal."""
        self.run(f"PRAGMA application_id = {APPLICATION}")

    def by_index(self) -> None:
        """As it is always done here: the order of joins says so."""

    def tidy(self) -> None:
        """Give unused space back to the file system."""
        with self._errors_in_words():
            self.connection.execute("VACUUM")

    def close(self) -> None:
        """Close the file."""
        with suppress(sqlite3.Error):
            self.connection.close()

    def abandon(self) -> None:
        """Close the store after a failure; a file that we have made and that holds no lineage goes."""
        with suppress(sqlite3.Error, OSError):
            if self.is_new and self._holds_nothing():
                for ending in ("", "-wal", "-shm"):
                    Path(f"{self.path}{ending}").unlink(missing_ok=True)

        self.close()

    def _holds_nothing(self) -> bool:
        """Tell whether nothing was loaded, and nobody writes now; another process is told by
        `_check_identity`.
        """
        if not any(map(_size_of, (self.path, f"{self.path}-wal"))):
            return True

        self.connection.execute("PRAGMA busy_timeout = 0")
        self.connection.execute("BEGIN IMMEDIATE")
        if not self._has_tables():
            return True

        return not self.connection.execute("SELECT count(*) FROM runs").fetchone()[0]


def _literal(value: Any) -> str:
    """Return a value as SQL."""
    if value is None:
        return "NULL"

    return str(int(value))


def _by_text(problem: BaseException) -> tuple[type[StoreError], str]:
    """Where Python does not give the code."""
    said = str(problem)
    if "locked" in said:
        return REASONS[sqlite3.SQLITE_BUSY]

    if "no such table" in said or "no such column" in said:
        return (
            Damaged,
            f"it has not the tables of a store ({said}): put back a copy, or delete it and load again",
        )

    if "decode" in said:
        return REASONS[sqlite3.SQLITE_CORRUPT]

    return StoreError, f"{said}; nothing was changed"


def _size_of(path: str) -> int:
    """Return the size of a file; 0 if there is none."""
    return os.stat(path).st_size if os.path.exists(path) else 0  # noqa: PTH110, PTH116  as above


def identity_of(path: str) -> tuple[int, int] | None:
    """The device and the number of a file; None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116  a path may be too long for pathlib
    except (OSError, ValueError):
        return None

    return found.st_dev, found.st_ino

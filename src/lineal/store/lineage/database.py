"""The operations that a store needs of a database: transactions, questions, and many rows at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from lineal.store.errors import Damaged
from lineal.store.lineage.schema import Dialect, indexes

Row = tuple[Any, ...]
Values = Sequence[Any]
Ready = Callable[[Iterable[Any]], Iterator[Any]]

WAIT = 60.0
"""Seconds that a writer waits for another one."""

AT_ONCE = 2000
"""So many rows are made before they are written: what they are made of is still available, and the
socket to a server
takes all of them, so that it works on them while the next ones are made."""


class Database(Protocol):
    """SQLite or PostgreSQL; SQL is written with `?` for values."""

    dialect: Dialect

    @property
    def name(self) -> str:
        """Return its name for messages, without a password."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """One state of the store, whatever others write meanwhile."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """The only writer; all that is written counts, or nothing of it."""
        ...

    def rows(self, sql: str, values: Values = ()) -> list[Row]:
        """Return the rows of a query."""

    def run(self, sql: str, values: Values = ()) -> None:
        """Run a statement that returns no rows."""

    def fill(self, table: str, columns: Mapping[str, Values], same: Mapping[str, object]) -> None:
        """Insert rows whose columns are given one by one, all equally long; the values in `same`
        hold for all rows.
        """
        ...

    def pour(
        self,
        table: str,
        batches: Iterable[Mapping[str, Values]],
        same: Mapping[str, int],
        ready: Ready = iter,
    ) -> None:
        """The same for very many rows: a batch is written while the next one is made. Numbers have
        four bytes.

        Who is not ready to have them written says when, and batches are prepared until then.
        """
        ...

    def versions(self) -> list[int] | None:
        """The versions that were applied; None where there is no store yet."""
        ...

    at_once: int
    """So many values are asked for in one question."""

    def pairs(self, nodes: Sequence[tuple[int, str]]) -> tuple[str, list[Any]]:
        """A table of numbers and texts, as SQL and its values."""
        ...

    def among(self, numbers: Sequence[int]) -> tuple[str, list[Any]]:
        """IN (1, 2, 3), as SQL and its values."""
        ...

    def begin_store(self) -> None:
        """Before the first table is made."""
        ...

    def by_index(self) -> None:
        """In this transaction rows are looked up one by one."""
        ...

    def tidy(self) -> None:
        """After much was deleted or written, outside a transaction."""
        ...

    def close(self) -> None:
        """Close the connection."""

    def abandon(self) -> None:
        """Close after a failure; what we have made and nobody can use goes."""
        ...


def known(columns: Mapping[str, Values]) -> dict[str, Values]:
    """Without the columns that are empty throughout: they need not be written."""
    return {
        name: values
        for name, values in columns.items()
        if isinstance(values, range) or not _empty(values)
    }


def _empty(values: Values) -> bool:
    """Tell whether all values are NULL."""
    return values[0] is None and values.count(None) == len(values)


@contextmanager
def report_damage(database: Database) -> Iterator[None]:
    """Around what reads: a value that lineal has not written there is damage."""
    try:
        yield
    except (LookupError, ValueError, TypeError, AssertionError, RecursionError) as problem:
        said = f"{type(problem).__name__}: {problem}"
        raise Damaged(
            f"store {database.name} is damaged ({said}): put back a copy, or load again"
        ) from problem


def batches(columns: Mapping[str, Values]) -> Iterator[dict[str, Values]]:
    """Whole columns, so many rows at once."""
    parts = [chunks(values, AT_ONCE) for values in columns.values()]
    return (dict(zip(columns, some, strict=True)) for some in zip(*parts, strict=True))


def chunks(values: Sequence[object], size: int) -> Iterator[Sequence[Any]]:
    """Yield the values in parts of at most that size."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def marks(count: int, columns: int) -> str:
    """(?, ?), (?, ?)"""
    return ", ".join([f"({', '.join('?' * columns)})"] * count)


def indexes_on(database: Database, tables: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the indexes of some tables: table and columns by name."""
    return {name: on for name, on in indexes(database.dialect).items() if on[0] in tables}

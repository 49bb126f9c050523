"""The facts of a record by which parts of a log are found (`parts`), as numbers.

Whoever makes a record packs its facts in front of it: the driver reads them without unpacking the
record.
"""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lineal.incremental.memory import Record
from lineal.model.names import Fold, column_key, is_exact
from lineal.spark.pipeline.hashing import hash_of
from lineal.spark.pipeline.order import bare_words, values_between

SCAN, ROW_TYPE = "scan", "row_type"
WIDE = "*"
"""A name that stands for all tables whose names begin alike."""

UNDECIDED, DECIDED, WHOLE = range(3)
"""Whose columns a statement names depends on others; it does not; its log cannot be taken apart."""

LENGTH = 4
"""Bytes that tell how long the facts are."""

Numbers: TypeAlias = "array[int]"
"""An array of numbers of 64 bits."""


class Facts(NamedTuple):
    """The facts of a record about a statement: tables by the last words of their names, as numbers."""

    kind: int
    writes: Numbers
    reads: Numbers
    exact: Numbers
    """the tables of which it names a column in quotes"""
    tables: Numbers
    """of each table that it reads three numbers: the name, its spelling, its last word"""
    columns: Numbers
    """of each column that it names three numbers: the name, its spelling, the last word of its table"""
    lends: Numbers
    """the tables that it writes, if other parts of a log may have a copy of it: it tells all their
    columns, and has nothing to report
    """


def last_word(name: str) -> str:
    """ "S"."Orders"      orders"""
    return next(reversed(bare_words(name).replace(".", " ").split()), "")


class Whole(Exception):
    """A corpus that cannot be taken apart."""


def facts_in(record: Record, fold: Fold) -> Facts | None:
    """Return the facts of a record; None if it lacks a result."""
    plans, results = record[3], record[4]
    decided = all(each is None or not each[1][6][3] for each in results)
    facts = Facts(DECIDED if decided else UNDECIDED, *(array("q") for _ in Facts._fields[1:]))
    for (fields, *_), result in zip(plans, results, strict=True):
        if fields["key"]:
            facts.writes.append(hash_of(last_word(fields["key"])))

        facts.reads.extend(hash_of(last_word(key)) for _, key in fields.get("like", ()))
        if result is None:
            if fields.get("schema") is None:
                return None

            continue

        questions, evaluation = result
        try:
            _add_questions(facts, questions)
        except Whole:
            return facts._replace(kind=WHOLE)

        for _, table, name, _ in evaluation[7][0]:
            _add_column(facts, table, name, fold)

    if decided and not record[1] and all(map(_is_closed, plans, results)):
        facts.lends.extend(facts.writes)

    return facts


def _is_closed(plan: tuple[Any, ...], result: tuple[Any, ...] | None) -> bool:
    """Tell whether a statement decides all columns of its table, without a diagnostic."""
    fields = plan[0]
    open_ended = not fields.get("defines", True) or fields.get("temporary") or fields.get("like")
    if open_ended or not fields["key"]:
        return False

    if result is None:
        return True

    slots, diagnostics = result[1][0], result[1][5]
    return not diagnostics and all(star is None for _, _, star, _ in slots)


def _add_questions(facts: Facts, questions: Iterable[tuple[Any, ...]]) -> None:
    """Add the names that a statement has asked for."""
    for kind, *asked in questions:
        if kind == ROW_TYPE:
            raise Whole

        if kind == SCAN:
            key, spelling, _ = asked
            if WIDE in key:
                raise Whole

            word = hash_of(last_word(key))
            facts.reads.append(word)
            facts.tables.extend((hash_of("table", key.lower()), hash_of(key, spelling), word))


def _add_column(facts: Facts, table: str, name: str, fold: Fold) -> None:
    """Add a column that a statement names."""
    word = hash_of(last_word(table))
    if is_exact(name):
        facts.exact.append(word)

    column = hash_of("column", table, column_key(name, fold))
    facts.columns.extend((column, hash_of(name), word))


def pack(record: Record, fold: Fold) -> bytes:
    """Return a record as it travels and is kept, with its facts."""
    facts = facts_in(record, fold)
    said = b""
    if facts is not None:
        several = facts[1:]
        head = array("q", (facts.kind, *map(len, several)))
        said = b"".join(each.tobytes() for each in (head, *several))

    return len(said).to_bytes(LENGTH, "little") + said + marshal.dumps(record)


def unpack(data: bytes) -> Record:
    """Return the record that was packed."""
    start = LENGTH + int.from_bytes(data[:LENGTH], "little")
    return tuple(marshal.loads(memoryview(data)[start:]))  # noqa: S302  from our own executors


def packed_facts(data: bytes) -> bytes:
    """Return the facts of a packed record as bytes; nothing if it lacks a result."""
    return data[LENGTH : LENGTH + int.from_bytes(data[:LENGTH], "little")]


class ManyFacts:
    """The facts of several records."""

    def __init__(self, several: Collection[bytes]) -> None:
        self.numbers = np.frombuffer(b"".join(several), np.int64)
        sizes = np.fromiter((len(each) // 8 for each in several), np.int64, len(several))
        starts = np.cumsum(sizes) - sizes
        width = len(Facts._fields)
        heads = self.numbers[starts[:, None] + np.arange(width)]
        self.kinds = heads[:, 0]
        ends = starts[:, None] + width + np.cumsum(heads[:, 1:], axis=1)
        self.ends = dict(zip(Facts._fields[1:], ends.T, strict=True))
        self.sizes = dict(zip(Facts._fields[1:], heads[:, 1:].T, strict=True))

    def counts(self, name: str) -> Any:
        """Return how many numbers each record has in a field."""
        return self.sizes[name]

    def numbers_of(self, name: str, which: Any = slice(None)) -> Any:
        """Return the numbers of a field, of all records or of some, one after the other."""
        ends = self.ends[name][which]
        return values_between(ends - self.sizes[name][which], ends, self.numbers)

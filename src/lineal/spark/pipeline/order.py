"""Which statements can be read before which: a glance at their words.

What it misses costs time, never the result: whoever puts the records together asks all questions
again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lineal.spark.pipeline.arrays import Array

KEPT = "._$#@-"
QUOTES = '"`[]'
APART: dict[int, str | None] = {
    code: None if chr(code) in QUOTES else " "
    for code in range(128)
    if not chr(code).isalnum() and chr(code) not in KEPT
}

BEFORE_NAMES = ("into", "overwrite", "update", "table")
BETWEEN = frozenset(("into", "table", "if", "not", "exists", "only"))
FAR = 7
"""Words from CREATE to TABLE, at most."""


def bare_words(text: str) -> str:
    """INSERT INTO "S"."T" (a) …      insert into s.t a: small letters, and names as words"""
    return text.lower().translate(APART)


def created_names(words: list[str]) -> set[str]:
    """CREATE TABLE s.t, CREATE OR REPLACE VIEW t      the last parts of the names"""
    found = set()
    for start in _places(words, "create"):
        for at in range(start + 1, min(start + FAR, len(words))):
            if words[at] in ("table", "view"):
                found |= _name_after(words, at)
                break

    return found


def written_names(words: list[str]) -> set[str]:
    """INSERT INTO t, MERGE INTO t, UPDATE t, INSERT OVERWRITE TABLE t"""
    return set().union(
        *(_name_after(words, at) for before in BEFORE_NAMES for at in _places(words, before))
    )


def _places(words: list[str], word: str) -> Iterator[int]:
    """Yield the positions of a word."""
    at = -1
    for _ in range(words.count(word)):
        at = words.index(word, at + 1)
        yield at


def _name_after(words: list[str], at: int) -> set[str]:
    """TABLE IF NOT EXISTS s.t      t"""
    name = next((word for word in words[at + 1 : at + FAR] if word not in BETWEEN), "select")
    if name != "select":
        return {name.rpartition(".")[2]}

    return set()


class Said(NamedTuple):
    """The words of a text: the names that it creates, those that it fills, and all of them."""

    makes: set[str]
    fills: set[str]
    words: set[str]


def said_by(text: str) -> Said:
    """Return the names that a statement writes, and its words."""
    plain = bare_words(text)
    words = plain.split()
    makes = created_names(words)
    return Said(makes, written_names(words) - makes, set(plain.replace(".", " ").split()))


class Pairs(NamedTuple):
    """Statements and names, both as numbers: sorted by the statement, each pair once."""

    statements: Array
    names: Array

    def starts(self, count: int) -> Array:
        """Return where the pairs of each statement start, and where those of the last one end."""
        return np.searchsorted(self.statements, np.arange(count + 1))

    def statements_by_name(self, names: int) -> tuple[Array, Array]:
        """Return the statements of each name: where they start, and all of them."""
        order = np.argsort(self.names, kind="stable")
        starts = np.zeros(names + 1, np.int64)
        np.cumsum(np.bincount(self.names, minlength=names), out=starts[1:])
        return starts, self.statements[order]

    def within(self, others: Pairs, names: int) -> Array:
        """Tell for each pair whether it is one of the others, too."""
        return np.isin(self.codes(names), others.codes(names))

    def codes(self, names: int) -> Array:
        """Return each pair as one number."""
        return self.statements.astype(np.int64) * names + self.names

    def where(self, kept: Array) -> Pairs:
        """Keep some of the pairs."""
        return Pairs(self.statements[kept], self.names[kept])


class Glance:
    """The names that statements create, the names that they fill, and the written names that they
    mention.
    """

    def __init__(self, count: int, names: int, makes: Pairs, fills: Pairs, mentions: Pairs) -> None:
        self.count = count
        self.names = names
        self.makes = makes
        self.fills = fills
        self.mentions = mentions

    @cached_property
    def mention_starts(self) -> Array:
        """Return where the mentions of each statement start."""
        return self.mentions.starts(self.count)

    def mentioned_by(self, numbers: Array) -> tuple[Array, Array]:
        """Return the written names that statements mention: how many each, and all of them."""
        return _lists(self.mention_starts, self.mentions.names, numbers)

    @cached_property
    def shared_writes(self) -> Pairs:
        """Return who writes the names that more than one text mentions."""
        shared = np.bincount(self.mentions.names, minlength=self.names) > 1
        written = united_pairs(self.makes, self.fills)
        return written.where(shared[written.names])

    @cached_property
    def write_starts(self) -> Array:
        """Return where the shared writes of each statement start."""
        return self.shared_writes.starts(self.count)

    def written_by(self, numbers: Array) -> tuple[Array, Array]:
        """Return the names that statements write and others mention: how many each, and all."""
        return _lists(self.write_starts, self.shared_writes.names, numbers)

    @cached_property
    def deciding(self) -> Pairs:
        """Return who decides the columns of names: an INSERT does only where nothing else does."""
        creators = np.zeros(self.names, bool)
        creators[self.makes.names] = True
        return united_pairs(self.makes, self.fills.where(~creators[self.fills.names]))

    @cached_property
    def deciders(self) -> tuple[Array, Array]:
        """Return the statements that decide each name: where they start, and all of them."""
        return self.deciding.statements_by_name(self.names)

    def deciders_of(self, names: Array, most: int) -> Array:
        """Return the statements that decide some names, at most so many of each."""
        starts, statements = self.deciders
        ends = np.minimum(starts[names + 1], starts[names] + most)
        return np.unique(values_between(starts[names], ends, statements))

    @cached_property
    def levels(self) -> Array:
        """Of each text the level on which all that it may read is known; -1 for what reads in a
        circle, and its readers.
        """
        own = self.mentions.within(self.deciding, self.names)
        return _levels(self.count, self.names, self.mentions.where(~own), self.deciding)


def united_pairs(left: Pairs, right: Pairs) -> Pairs:
    """Return the pairs of both, sorted by the statement."""
    statements = np.concatenate((left.statements, right.statements))
    order = np.argsort(statements, kind="stable")
    return Pairs(statements[order], np.concatenate((left.names, right.names))[order])


def _lists(starts: Array, values: Array, which: Array) -> tuple[Array, Array]:
    """Return how many values some rows have, and all of these values."""
    return starts[which + 1] - starts[which], _slices(starts, values, which)


def _levels(count: int, names: int, reads: Pairs, deciding: Pairs) -> Array:
    """A statement goes after the names that it reads, a name after the statements that decide it."""
    levels = np.full(count, -1, np.int32)
    missing = np.bincount(reads.statements, minlength=count)
    undecided = np.bincount(deciding.names, minlength=names)
    decided = deciding.starts(count)
    reader_starts, readers = reads.statements_by_name(names)
    ready = np.flatnonzero(missing == 0)
    level = 0
    while len(ready):
        levels[ready] = level
        level += 1
        known = _falls_to_zero(undecided, _slices(decided, deciding.names, ready))
        ready = _falls_to_zero(missing, _slices(reader_starts, readers, known))

    return levels


def _slices(starts: Array, values: Array, which: Array) -> Array:
    """Return the values of some rows, one after the other."""
    return values_between(starts[which], starts[which + 1], values)


def values_between(low: Array, high: Array, values: Array) -> Array:
    """Return the values from one place to another, for each pair of places."""
    counts = high - low
    places = np.repeat(low - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
    return np.take(values, places)


def _falls_to_zero(counts: Array, items: Array) -> Array:
    """Take one off for each item, and return the items that have none left."""
    which, times = np.unique(items, return_counts=True)
    counts[which] -= times
    return np.compress(counts[which] == 0, which)

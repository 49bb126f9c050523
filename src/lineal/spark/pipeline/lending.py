"""Tables that connect too much of a log: parts that only read them get copies of the statements
that make them.

    CREATE TABLE calendar AS SELECT day, week FROM raw_days      100,000 statements read calendar

The readers of such a table need not be in the part of its statements. A copy tells all that they
may ask: its columns and types, and those of the tables behind it. Nothing goes the other way, since
all its columns are known, and no reader needs the use by others to tell whose column it names.
"""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np

from lineal.model.sequences import flatten
from lineal.spark.pipeline.arrays import Array
from lineal.spark.pipeline.order import Pairs, values_between

MANY = 100
"""Statements that read a table before it is worth copies."""

MOST_LENT = 50
"""Statements behind a table of which every part of its readers gets a copy."""


class Used(NamedTuple):
    """Which statements write, read and lend which words."""

    writes: Pairs
    reads: Pairs
    lends: Pairs
    hard: Array
    """words that hold all their statements together, sorted"""


class Lending:
    """The tables whose readers may be in other parts, each with the statements behind it."""

    def __init__(self, used: Used) -> None:
        self.words = np.unique(used.writes.names)
        self.used = Used(
            self.number_pairs(used.writes),
            self.number_pairs(used.reads),
            self.number_pairs(used.lends),
            used.hard,
        )
        count = len(self.words)
        writers = np.bincount(self.used.writes.names, minlength=count)
        lenders = np.bincount(self.used.lends.names, minlength=count)
        self.lendable = (writers == lenders) & ~np.isin(self.words, used.hard)
        self.readers = np.bincount(self.used.reads.names, minlength=count)
        self.writers = self.used.writes.statements_by_name(count)
        self.behind = {
            int(self.words[word]): several
            for word in np.flatnonzero(self.lendable & (self.readers > MANY)).tolist()
            if (several := self.statements_behind(word)) is not None
        }

    def number_pairs(self, pairs: Pairs) -> Pairs:
        """Return pairs with the numbers of written words, each pair once, by statement."""
        at = np.minimum(np.searchsorted(self.words, pairs.names), max(len(self.words) - 1, 0))
        kept = self.words[at] == pairs.names if len(self.words) else np.zeros(len(at), bool)
        statements, names = np.unique(
            np.column_stack((pairs.statements[kept], at[kept])), axis=0
        ).T.reshape(2, -1)
        return Pairs(statements, names)

    def statements_behind(self, word: int) -> set[int] | None:
        """Return the statements that write a table, and those that write what these read; None if
        one of them cannot be copied, or if there are too many.
        """
        waiting, seen = [word], {word}
        found: set[int] = set()
        while waiting:
            at = waiting.pop()
            if not self.lendable[at]:
                return None

            starts, statements = self.writers
            fresh = set(statements[starts[at] : starts[at + 1]].tolist()) - found
            found |= fresh
            if len(found) > MOST_LENT:
                return None

            more = set(chain.from_iterable(map(self.words_of, fresh))) - seen
            seen |= more
            waiting += more

        return found

    def words_of(self, statement: int) -> list[int]:
        """Return the written words that a statement writes and reads."""
        return flatten(
            _of_statement(pairs, statement).tolist()
            for pairs in (self.used.writes, self.used.reads)
        )

    def is_lent(self, statements: Array, words: Array) -> Array:
        """Tell of pairs whether a statement reads a table of which it gets a copy."""
        lent = np.isin(words, np.array(sorted(self.behind), np.int64))
        places = np.searchsorted(self.words, words[lent])
        writes = self.used.writes.codes(len(self.words))
        own = statements[lent].astype(np.int64) * len(self.words) + places
        lent[lent] = ~np.isin(own, writes)
        return lent

    def borrowed_by(self, part: Array) -> Array:
        """Return the statements of which a part gets copies."""
        if not self.behind:
            return np.zeros(0, np.int64)

        reads = self.used.reads
        low, high = (np.searchsorted(reads.statements, part, side) for side in ("left", "right"))
        read = np.unique(self.words[values_between(low, high, reads.names)]).tolist()
        several = set().union(*(self.behind.get(word, ()) for word in read))
        return np.array(sorted(several.difference(part.tolist())), np.int64)


def _of_statement(pairs: Pairs, statement: int) -> Array:
    """Return the names of a statement."""
    low, high = (np.searchsorted(pairs.statements, statement, side) for side in ("left", "right"))
    return pairs.names[low:high]

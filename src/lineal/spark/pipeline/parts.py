"""Parts of a log that can be resolved by themselves.

Statements that share a name which one of them writes belong together. A table that nobody writes
may be read by several parts: what each of them tells about its columns is put together at the end
(`parcels`). Where more than that crosses, the readers of the table belong together, too: the table
or a column of it is spelled in several ways, or a statement cannot tell whose column it names.
Where a group gets too large, parts get copies of the tables that connect it (`lending`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from lineal.extract.sql.dialects.nearest import NEAREST_GRAMMAR
from lineal.model.script import Corpus
from lineal.spark.pipeline.arrays import Array
from lineal.spark.pipeline.blobs import Records
from lineal.spark.pipeline.book import Book
from lineal.spark.pipeline.components import component_numbers, members
from lineal.spark.pipeline.facts import UNDECIDED, WHOLE, ManyFacts, Whole, packed_facts
from lineal.spark.pipeline.hashing import hash_of
from lineal.spark.pipeline.lending import Lending, Used
from lineal.spark.pipeline.order import Pairs, said_by
from lineal.spark.pipeline.spellings import Spellings

PER_PART = 1_000
"""Statements of a part, about: a group that is larger is a part by itself."""

LARGEST_PART = 3_000
"""Statements of a group that is not worth to be taken apart."""

PER_LOOK = 2_000
"""Statements whose records are looked at together."""


class PartNumbers(NamedTuple):
    """The statements of a part, and those of which it gets copies."""

    own: Array
    lent: Array


def split(book: Book, corpus: Corpus, records: Records, left_out: set[int]) -> list[PartNumbers]:
    """Return the numbers of the statements of each part; one part unless the corpus is a plain log."""
    whole = [PartNumbers(np.arange(len(book)), NONE)]
    if len(book) - len(left_out) <= PER_PART or not is_plain_log(book, corpus):
        return whole

    found = Words(book, corpus)
    try:
        for start in range(0, len(book), PER_LOOK):
            numbers = range(start, min(start + PER_LOOK, len(book)))
            found.note([number for number in numbers if number not in left_out], records)
    except Whole:
        return whole

    groups, lending = found.groups()
    several = packed_groups(each for each in groups if int(each[0]) not in left_out)
    if lending is None:
        return [PartNumbers(part, NONE) for part in several]

    return [PartNumbers(part, lending.borrowed_by(part)) for part in several]


NONE = np.zeros(0, np.int64)


def is_plain_log(book: Book, corpus: Corpus) -> bool:
    """Tell whether only the statements of a log tell what names mean."""
    others = (
        corpus.functions,
        corpus.meanings,
        corpus.aliases,
        corpus.given,
        corpus.before,
        corpus.after,
    )
    exact = any(info.exact for info in corpus.datasets)
    if any(others) or exact or corpus.dialect in NEAREST_GRAMMAR:
        return False

    return book.is_log and not any(book.procedural)


class Words:
    """Which statements use which words, and by which of them they belong together."""

    def __init__(self, book: Book, corpus: Corpus) -> None:
        self.book = book
        self.speaks = book.has_sessions or corpus.defaults is not None
        """the same name may mean several tables"""
        self.writes, self.reads, self.lends = Numbers(), Numbers(), Numbers()
        self.hard = array("q")
        """words that hold all their statements together"""
        self.spellings = Spellings(book.folder)

    def note(self, numbers: list[int], records: Records) -> None:
        """Note what the records of some statements tell."""
        said: dict[int, bytes] = {}
        for number in numbers:
            data = records.get(self.book.key(number))
            facts = packed_facts(data) if data is not None else b""
            if facts:
                said[number] = facts
            else:  # it may mean anything that its text names
                text = self.book.script(number).text
                words = np.array(list(map(hash_of, said_by(text).words)), np.int64)
                self.hard.frombytes(words.tobytes())
                self.reads.add(np.full(len(words), number), words)

        if said:
            self.note_facts(np.array(list(said)), ManyFacts(said.values()))

    def note_facts(self, numbers: Array, facts: ManyFacts) -> None:
        """Note which words belong together, and how names are spelled."""
        if np.any(facts.kinds == WHOLE):
            raise Whole

        undecided = facts.kinds == UNDECIDED
        hard = (facts.numbers_of("exact"), facts.numbers_of("reads", undecided))
        self.hard.frombytes(np.concatenate(hard).tobytes())
        for name in ("writes", "reads", "lends"):
            pairs: Numbers = getattr(self, name)
            pairs.add(np.repeat(numbers, facts.counts(name)), facts.numbers_of(name))

        tables = facts.numbers_of("tables").reshape(-1, 3)
        if self.speaks:
            sessions = np.array(list(map(self.session_of, numbers.tolist())), np.int64)
            own = np.repeat(sessions, facts.counts("tables") // 3)
            tables = np.column_stack((tables[:, 2], tables[:, 1] ^ own, tables[:, 2]))

        self.spellings.add(tables)
        self.spellings.add(facts.numbers_of("columns"))

    def session_of(self, number: int) -> int:
        """Return the session of a statement as a number."""
        script = self.book.script(number)
        return hash_of("session", script.catalog, *script.schemas)

    def groups(self) -> tuple[Iterator[Array], Lending | None]:
        """Yield the statements that share a joint word, directly or through others, together.

        If there are too many in a group, those that only read a table which can be lent are apart.
        """
        hard = np.union1d(np.frombuffer(self.hard, np.int64), self.spellings.irregular())
        used = Used(self.writes.pairs(), self.reads.pairs(), self.lends.pairs(), hard)
        joint = np.union1d(used.writes.names, used.hard)
        statements = np.concatenate((used.writes.statements, used.reads.statements))
        words = np.concatenate((used.writes.names, used.reads.names))
        found = self.components(statements, words, joint)
        if not len(found) or np.bincount(found).max() <= LARGEST_PART:
            return members(found), None

        lending = Lending(used)
        kept = ~lending.is_lent(statements, words)
        return members(self.components(statements[kept], words[kept], joint)), lending

    def components(self, statements: Array, words: Array, joint: Array) -> Array:
        """Return of each statement the first one that it shares joint words with."""
        at = np.minimum(np.searchsorted(joint, words), max(len(joint) - 1, 0))
        kept = joint[at] == words if len(joint) else np.zeros(len(words), bool)
        return component_numbers(len(self.book), statements[kept], at[kept], len(joint))


class Numbers:
    """Statements, each with a word, as they are added."""

    def __init__(self) -> None:
        self.statements, self.words = array("i"), array("q")

    def add(self, statements: Array, words: Array) -> None:
        """Add words, each with its statement."""
        self.statements.frombytes(statements.astype(np.int32).tobytes())
        self.words.frombytes(words.tobytes())

    def pairs(self) -> Pairs:
        """Return all of them."""
        return Pairs(np.frombuffer(self.statements, np.int32), np.frombuffer(self.words, np.int64))


def packed_groups(found: Iterable[Array]) -> Iterator[Array]:
    """Return parts of about the same size, each of whole groups and in the order of the log."""
    part: list[Array] = []
    count = 0
    for group in found:
        part.append(group)
        count += len(group)
        if count >= PER_PART:
            yield np.sort(np.concatenate(part))
            part, count = [], 0

    if part:
        yield np.sort(np.concatenate(part))

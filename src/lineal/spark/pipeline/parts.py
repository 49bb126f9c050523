"""Parts of a log that can be resolved by themselves.

Statements that share a name which one of them writes belong together. A table that nobody writes
may be read by several parts: what each of them tells about its columns is put together at the end
(`parcels`). Where more than that crosses, the readers of the table belong together, too: the table
or a column of it is spelled in several ways, or a statement cannot tell whose column it names.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from lineal.extract.sql.dialects.nearest import NEAREST_GRAMMAR
from lineal.model.script import Corpus
from lineal.spark.pipeline.blobs import Records
from lineal.spark.pipeline.book import Book
from lineal.spark.pipeline.components import component_numbers, members
from lineal.spark.pipeline.facts import UNDECIDED, WHOLE, Facts, Whole, facts_of
from lineal.spark.pipeline.hashing import hash_of
from lineal.spark.pipeline.order import said_by
from lineal.spark.pipeline.spellings import Spellings

PER_PART = 1_000
"""Statements of a part, about: a group that is larger is a part by itself."""


def split(book: Book, corpus: Corpus, records: Records, left_out: set[int]) -> list[Any]:
    """Return the numbers of the statements of each part; one part unless the corpus is a plain log."""
    whole = [np.arange(len(book))]
    if len(book) - len(left_out) <= PER_PART or not is_plain_log(book, corpus):
        return whole

    found = Words(book, corpus)
    try:
        for number in range(len(book)):
            if number not in left_out:
                found.note(number, records.get(book.key(number)))
    except Whole:
        return whole

    groups = found.groups()
    return list(packed_groups(each for each in groups if int(each[0]) not in left_out))


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
        self.statements, self.words = array("i"), array("q")
        self.joint = array("q")
        self.spellings = Spellings(book.folder)

    def note(self, number: int, data: bytes | None) -> None:
        """Note what the record of a statement tells."""
        facts = facts_of(data) if data is not None else None
        if facts is None:  # it may mean anything that its text names
            words = set(map(hash_of, said_by(self.book.script(number).text).words))
            self.joint.extend(words)
        else:
            words = {*facts.writes, *facts.reads}
            self.note_facts(number, facts)

        self.statements.extend([number] * len(words))
        self.words.extend(words)

    def note_facts(self, number: int, facts: Facts) -> None:
        """Note which words belong together, and how names are spelled."""
        if facts.kind == WHOLE:
            raise Whole

        self.joint.extend(facts.writes)
        self.joint.extend(facts.exact)
        if facts.kind == UNDECIDED:
            self.joint.extend(facts.reads)

        tables = facts.tables
        if self.speaks:
            script = self.book.script(number)
            session = hash_of("session", script.catalog, *script.schemas)
            for at in range(0, len(tables), 3):
                tables[at], tables[at + 1] = tables[at + 2], tables[at + 1] ^ session

        self.spellings.add(tables)
        self.spellings.add(facts.columns)

    def groups(self) -> Iterator[Any]:
        """Yield the statements that share a joint word, directly or through others, together."""
        irregular = self.spellings.irregular()
        joint = np.union1d(np.frombuffer(self.joint, np.int64), irregular)
        words = np.frombuffer(self.words, np.int64)
        at = np.minimum(np.searchsorted(joint, words), max(len(joint) - 1, 0))
        kept = joint[at] == words if len(joint) else np.zeros(len(words), bool)
        statements = np.frombuffer(self.statements, np.int32)[kept]
        return members(component_numbers(len(self.book), statements, at[kept], len(joint)))


def packed_groups(found: Iterable[Any]) -> Iterator[Any]:
    """Return parts of about the same size, each of whole groups and in the order of the log."""
    part: list[Any] = []
    count = 0
    for group in found:
        part.append(group)
        count += len(group)
        if count >= PER_PART:
            yield np.sort(np.concatenate(part))
            part, count = [], 0

    if part:
        yield np.sort(np.concatenate(part))

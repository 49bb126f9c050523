"""Parts of a log that can be resolved by themselves.

Statements that share a name which one of them writes belong together. A table that nobody writes
may be read by several parts: what each of them tells about its columns is put together at the end
(`parcels`). Where more than that crosses, the readers of the table belong together, too: the table
or a column of it is spelled in several ways, or a statement cannot tell whose column it names.
"""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from lineal.extract.sql.dialects import facts_of
from lineal.extract.sql.dialects.nearest import NEAREST_GRAMMAR
from lineal.extract.sql.procedural.detection import may_be_procedural
from lineal.incremental.memory import Record
from lineal.model.grouping import group
from lineal.model.names import Fold, column_key, is_exact
from lineal.model.script import Corpus, Script
from lineal.spark.pipeline.order import bare

PER_PART = 1_000
"""Statements of a part, about: a group that is larger is a part by itself."""

SCAN, ROW_TYPE = "scan", "row_type"
WIDE = "*"
"""A name that stands for all tables whose names begin alike."""


class Whole(Exception):
    """A corpus that cannot be taken apart."""


class Facts(NamedTuple):
    """What a record tells of a statement: names by their last words."""

    writes: set[str]
    reads: set[str]
    spelled: list[tuple[str, str]]
    """the keys and spellings of the tables that it reads"""
    columns: list[tuple[str, str]]
    """the tables and columns that it names"""
    decided: bool
    """whose columns it names is certain, or does not depend on other statements"""


def last_word(name: str) -> str:
    """ "S"."Orders"      orders"""
    return next(reversed(bare(name).replace(".", " ").split()), "")


def facts_in(record: Record) -> Facts | None:
    """Return the facts of a record; None if it lacks a result."""
    plans, results = record[3], record[4]
    facts = Facts(set(), set(), [], [], all(each is None or not each[1][6][3] for each in results))
    for (fields, *_), result in zip(plans, results, strict=True):
        if fields["key"]:
            facts.writes.add(last_word(fields["key"]))

        facts.reads.update(last_word(key) for _, key in fields.get("like", ()))
        if result is None:
            if fields.get("schema") is None:
                return None

            continue

        questions, evaluation = result
        add_questions(facts, questions)
        facts.columns.extend((table, name) for _, table, name, _ in evaluation[7][0])

    return facts


def add_questions(facts: Facts, questions: Iterable[tuple[Any, ...]]) -> None:
    """Add the names that a statement has asked for."""
    for kind, *asked in questions:
        if kind == ROW_TYPE:
            raise Whole

        if kind == SCAN:
            key, spelling, _ = asked
            if WIDE in key:
                raise Whole

            facts.reads.add(last_word(key))
            facts.spelled.append((key, spelling))


class Words:
    """The numbers of words, and which statements use which."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}
        self.statements, self.words = array("i"), array("i")

    def note(self, statement: int, words: Iterable[str]) -> None:
        """Note that a statement uses some words."""
        number = self.number
        for word in words:
            self.statements.append(statement)
            self.words.append(number.setdefault(word, len(number)))


def split(
    corpus: Corpus, records: Mapping[bytes, bytes], key_of: Callable[[Script], bytes]
) -> list[list[int]]:
    """Return the numbers of the scripts of each part; all in one unless the corpus is a plain log."""
    scripts = corpus.scripts
    if len(scripts) <= PER_PART or not is_plain_log(corpus):
        return [list(range(len(scripts)))]

    try:
        words, joint = words_of(corpus, records, key_of)
    except Whole:
        return [list(range(len(scripts)))]

    return packed_groups(groups(len(scripts), words, joint))


def is_plain_log(corpus: Corpus) -> bool:
    """Whether only the statements of a log tell what names mean."""
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

    return all(
        each.recurs and each.dialect == corpus.dialect for each in corpus.scripts
    ) and not any(may_be_procedural(each.text, each.dialect) for each in corpus.scripts)


def words_of(
    corpus: Corpus, records: Mapping[bytes, bytes], key_of: Callable[[Script], bytes]
) -> tuple[Words, set[str]]:
    """Return the words of all statements, and those whose statements belong together."""
    words, tables = Words(), Tables(corpus)
    joint: set[str] = set()
    for number, script in enumerate(corpus.scripts):
        data = records.get(key_of(script))
        facts = facts_in(marshal.loads(data)) if data is not None else None  # noqa: S302  our own
        if facts is None:  # it may mean anything that its text names
            said = set(bare(script.text).replace(".", " ").split())
            joint |= said
            words.note(number, said)
            continue

        joint |= facts.writes
        if not facts.decided:
            joint |= facts.reads

        words.note(number, facts.writes | facts.reads)
        tables.note(script, facts)

    return words, joint | tables.irregular()


class Tables:
    """The spellings of tables and their columns, as hashes."""

    def __init__(self, corpus: Corpus) -> None:
        self.fold: Fold = facts_of(corpus.dialect).fold
        sessions = any(each.catalog or each.schemas for each in corpus.scripts)
        self.speaks = sessions or corpus.defaults is not None
        self.names: dict[str, tuple[str, int]] = {}
        """of each table its last word, and how it was spelled first"""
        self.column, self.spelling, self.table = array("q"), array("q"), array("i")
        self.words: dict[str, int] = {}
        self.odd: set[str] = set()

    def note(self, script: Script, facts: Facts) -> None:
        """Note how a statement spells the tables that it reads, and their columns."""
        session = (script.catalog, script.schemas) if self.speaks else ()
        for key, spelling in facts.spelled:
            word = last_word(key)
            name = word if self.speaks else key.lower()
            spelled = hash((key, spelling, session))
            held = self.names.setdefault(name, (word, spelled))
            if held[1] != spelled:
                self.odd.add(word)

        for table, name in facts.columns:
            word = last_word(table)
            if is_exact(name):
                self.odd.add(word)

            self.column.append(hash((table, column_key(name, self.fold))))
            self.spelling.append(hash(name))
            self.table.append(self.words.setdefault(word, len(self.words)))

    def irregular(self) -> set[str]:
        """Return the last words of the tables that are spelled in several ways, or a column of
        which is.
        """
        column, spelling = (
            np.frombuffer(self.column, np.int64),
            np.frombuffer(self.spelling, np.int64),
        )
        order = np.lexsort((spelling, column))
        same = column[order][1:] == column[order][:-1]
        differ = np.flatnonzero(same & (spelling[order][1:] != spelling[order][:-1]))
        numbers = np.unique(np.frombuffer(self.table, np.int32)[order[1:][differ]])
        names = list(self.words)
        return self.odd | {names[number] for number in numbers.tolist()}


def groups(count: int, words: Words, joint: set[str]) -> list[list[int]]:
    """Return the numbers of the statements that share a joint word, directly or through others."""
    names = [word for word in words.number if word in joint]
    shared = np.zeros(len(words.number), bool)
    shared[[words.number[word] for word in names]] = True
    uses = np.frombuffer(words.words, np.int32)
    kept = shared[uses] if len(uses) else np.zeros(0, bool)
    leader = array("i", range(count + len(words.number)))

    def find(item: int) -> int:
        """Return the leader of an item's group."""
        while leader[item] != item:
            leader[item] = leader[leader[item]]
            item = leader[item]

        return item

    pairs = zip(
        np.frombuffer(words.statements, np.int32)[kept].tolist(),
        (uses[kept] + count).tolist(),
        strict=True,
    )
    for statement, word in pairs:
        leader[find(word)] = find(statement)

    found = group(range(count), find)
    return list(found.values())


def packed_groups(found: Iterable[list[int]]) -> list[list[int]]:
    """Return parts of about the same size, each of whole groups and in the order of the log."""
    return [sorted(part) for part in _packed(found)]


def _packed(found: Iterable[list[int]]) -> Iterator[list[int]]:
    """Yield groups packed into parts of a useful size."""
    part: list[int] = []
    for members in found:
        part += members
        if len(part) >= PER_PART:
            yield part
            part = []

    if part:
        yield part

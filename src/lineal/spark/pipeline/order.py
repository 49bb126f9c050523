"""Which statements can be read before which: a glance at their words.

What it misses costs time, never the result: whoever puts the records together asks all questions
again.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

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


def bare(text: str) -> str:
    """INSERT INTO "S"."T" (a) …      insert into s.t a: small letters, and names as words"""
    return text.lower().translate(APART)


def created(words: list[str]) -> set[str]:
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


class Glance(NamedTuple):
    """The names that texts create, the names that they fill, and the written names that they
    mention.
    """

    makes: list[set[str]]
    fills: list[set[str]]
    mentions: list[set[str]]

    @property
    def writes(self) -> list[set[str]]:
        """Return the names that each statement writes."""
        return [made | filled for made, filled in zip(self.makes, self.fills, strict=True)]

    @property
    def shared(self) -> set[str]:
        """The names that more than one text mentions."""
        counts = Counter(name for names in self.mentions for name in names)
        return {name for name, count in counts.items() if count > 1}

    def levels(self) -> list[int]:
        """Of each text the level on which all that it may read is known; -1 for what reads in a
        circle, and its
        readers."""
        creators, writers = _by_name(self.makes), _by_name(self.fills)
        deciding = writers | creators  # an INSERT decides a schema only where nothing else does
        reads = [
            mentioned - made - filled.difference(creators)
            for mentioned, made, filled in zip(self.mentions, self.makes, self.fills, strict=True)
        ]
        return _levels(reads, deciding)


def groups_of(names: Sequence[Set[str]]) -> list[list[int]]:
    """Return the numbers of the texts that share a name, directly or through others, together."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        """Return the leader of a name's group."""
        while (above := leader.setdefault(name, name)) != name:
            leader[name] = leader[above]
            name = leader[name]

        return name

    for several in names:
        first = min(several, default="")
        for name in several:
            leader[find(name)] = find(first)

    found: dict[str | int, list[int]] = {}
    for number, several in enumerate(names):
        found.setdefault(find(min(several)) if several else number, []).append(number)

    return list(found.values())


def glance(texts: Sequence[str]) -> Glance:
    """Return the names that each statement writes and mentions, by its words."""
    every = [bare(text) for text in texts]
    split = [text.split() for text in every]
    makes = [created(words) for words in split]
    fills = [written_names(words) - made for words, made in zip(split, makes, strict=True)]
    names = set().union(*makes, *fills)
    return Glance(
        makes, fills, [names.intersection(text.replace(".", " ").split()) for text in every]
    )


def _by_name(names: list[set[str]]) -> dict[str, list[int]]:
    """Return the positions of each name."""
    found: dict[str, list[int]] = {}
    for number, several in enumerate(names):
        for name in several:
            found.setdefault(name, []).append(number)

    return found


def _levels(reads: list[set[str]], deciding: dict[str, list[int]]) -> list[int]:
    """A statement goes after the names that it reads, a name after the statements that decide it."""
    found = [-1] * len(reads)
    missing = [len(names) for names in reads]
    height = [0] * len(reads)
    undecided = {name: len(several) for name, several in deciding.items()}
    decides: dict[int, list[str]] = {}
    for name, several in deciding.items():
        for number in several:
            decides.setdefault(number, []).append(name)

    readers: dict[str, list[int]] = {}
    for number, names in enumerate(reads):
        for name in names:
            readers.setdefault(name, []).append(number)

    ready = deque(number for number, count in enumerate(missing) if not count)
    while ready:
        number = ready.popleft()
        found[number] = height[number]
        for name in decides.get(number, ()):
            undecided[name] -= 1
            for reader in readers.get(name, ()):
                height[reader] = max(height[reader], height[number] + 1)
                if not undecided[name]:
                    missing[reader] -= 1
                    if not missing[reader]:
                        ready.append(reader)

    return found

"""Which statements can be read before which: a glance at their words.

What it misses costs time, never the result: whoever puts the records together asks all questions again.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Sequence
from typing import NamedTuple

NAME = r"((?:[\w$#@-]+|\"[^\"]*\"|`[^`]*`|\[[^\]]*\])(?:\s*\.\s*(?:[\w$#@-]+|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]))*)"
CREATES = re.compile(
    rf"\bcreate\s[\w\s]{{0,60}}?\b(?:table|view)\s+(?:if\s+not\s+exists\s+)?(?!if\b){NAME}", re.IGNORECASE
)
WRITES = re.compile(rf"\b(?:into|overwrite|update|table)\s+(?!into\b|table\b|if\b|select\b){NAME}", re.IGNORECASE)
WORD = re.compile(r"[\w$#@-]+")


def created(text: str) -> set[str]:
    """CREATE TABLE s.t, CREATE OR REPLACE VIEW t      the last parts of the names"""
    return _last_parts(CREATES, text) if "create" in text.lower() else set()


def written(text: str) -> set[str]:
    """INSERT INTO t, MERGE INTO t, UPDATE t, INSERT OVERWRITE TABLE t"""
    return _last_parts(WRITES, text)


def _last_parts(pattern: re.Pattern[str], text: str) -> set[str]:
    return {found[1].rpartition(".")[2].strip().strip('"`[]').lower() for found in pattern.finditer(text)}


class Glance(NamedTuple):
    """What texts create, what they fill, and which names that somebody writes stand in them."""

    makes: list[set[str]]
    fills: list[set[str]]
    mentions: list[set[str]]

    @property
    def writes(self) -> list[set[str]]:
        return [made | filled for made, filled in zip(self.makes, self.fills, strict=True)]

    @property
    def shared(self) -> set[str]:
        """The names that more than one text mentions."""
        counts = Counter(name for names in self.mentions for name in names)
        return {name for name, count in counts.items() if count > 1}

    def levels(self) -> list[int]:
        """Of each text the level on which all that it may read is known; -1 for what reads in a circle, and its
        readers."""
        creators, writers = _by_name(self.makes), _by_name(self.fills)
        deciding = writers | creators  # an INSERT decides a schema only where nothing else does
        reads = [
            mentioned - made - (filled - creators.keys())
            for mentioned, made, filled in zip(self.mentions, self.makes, self.fills, strict=True)
        ]
        return _levels(reads, deciding)


def glance(texts: Sequence[str]) -> Glance:
    makes = [created(text) for text in texts]
    fills = [written(text) - made for text, made in zip(texts, makes, strict=True)]
    names = set().union(*makes, *fills)
    return Glance(makes, fills, [names.intersection(WORD.findall(text.lower())) for text in texts])


def _by_name(names: list[set[str]]) -> dict[str, list[int]]:
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

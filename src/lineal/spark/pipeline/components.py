"""Items that share words, directly or through others."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np


def component_numbers(items: int, item: Any, word: Any, words: int) -> Any:
    """Return of each item the smallest one that it is connected with.

    `item` and `word` are pairs: an item, and a word that it uses.
    """
    first = np.full(words, items, np.int64)
    np.minimum.at(first, word, item)
    leader = array("i", range(items))

    def find(one: int) -> int:
        """Return the smallest known item of an item's component."""
        while leader[one] != one:
            leader[one] = leader[leader[one]]
            one = leader[one]

        return one

    differ = first[word] != item
    pairs = np.column_stack((first[word][differ], item[differ]))
    for start in range(0, len(pairs), AT_ONCE):
        for left, right in pairs[start : start + AT_ONCE].tolist():
            low, high = sorted((find(left), find(right)))
            leader[high] = low

    found = np.frombuffer(leader, np.int32)
    while np.any((above := found[found]) != found):
        found = above

    return found


AT_ONCE = 50_000
"""Pairs that are taken up at once."""


def members(numbers: Any) -> Iterator[Any]:
    """Yield the items of each component in their order; the components by their first items."""
    order = np.argsort(numbers, kind="stable").astype(np.int32)
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    for start, end in zip(starts, np.append(starts[1:], len(order)), strict=True):
        yield order[start:end]

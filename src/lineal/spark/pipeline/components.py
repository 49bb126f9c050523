"""Items that share words, directly or through others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lineal.spark.pipeline.arrays import Array


def component_numbers(items: int, item: Array, word: Array, words: int) -> Array:
    """Return of each item the smallest one that it is connected with.

    `item` and `word` are pairs: an item, and a word that it uses.
    """
    first = np.full(words, items, np.int64)
    np.minimum.at(first, word, item)
    leader = np.arange(items, dtype=np.int32)
    left, right = first[word].astype(np.int32), item.astype(np.int32)
    while True:
        low, high = leader[left], leader[right]
        differ = low != high
        if not differ.any():
            return leader

        left, right = left[differ], right[differ]
        low, high = low[differ], high[differ]
        # a leader follows the smallest one that it meets; then everybody follows the last leader
        np.minimum.at(leader, np.maximum(low, high), np.minimum(low, high))
        while np.any((above := leader[leader]) != leader):
            leader = above


def members(numbers: Array) -> Iterator[Array]:
    """Yield the items of each component in their order; the components by their first items."""
    order = np.argsort(numbers, kind="stable").astype(np.int32)
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    for start, end in zip(starts, np.append(starts[1:], len(order)), strict=True):
        yield order[start:end]

"""The order of a run's facts, as ranges of their numbers: [[1, 500], [900, 900], [502, 1000]]."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

Ranges = list[list[int]]

NEAR = 1000
"""Ranges that are no farther apart are read in one go."""


def ranges(numbers: Sequence[int]) -> Ranges:
    if isinstance(numbers, range):
        return [[numbers.start, numbers.stop - 1]] if numbers else []
    found: Ranges = []
    first = last = None
    for number in numbers:
        if last is not None and number == last + 1:
            last = number
            continue
        if first is not None and last is not None:
            found.append([first, last])
        first = last = number
    return [*found, [first, last]] if first is not None and last is not None else found


def numbers(found: Iterable[Sequence[int]]) -> Iterator[int]:
    return chain.from_iterable(range(first, last + 1) for first, last in found)


def count(found: Ranges) -> int:
    return sum(last - first + 1 for first, last in found)


def spans(found: Ranges) -> Ranges:
    """Few and in order: what is read to have all of the ranges."""
    wide: Ranges = []
    for first, last in sorted(found):
        if wide and first <= wide[-1][1] + NEAR:
            wide[-1][1] = max(last, wide[-1][1])
        else:
            wide.append([first, last])
    return wide


class Ranks:
    """Where a number stands in the order."""

    def __init__(self, found: Ranges) -> None:
        before = 0
        placed: list[tuple[int, int]] = []
        for first, last in found:
            placed.append((first, before))
            before += last - first + 1
        placed.sort()
        self.firsts = [first for first, _ in placed]
        self.before = [count for _, count in placed]

    def of(self, number: int) -> int:
        at = bisect_right(self.firsts, number) - 1
        return self.before[at] + number - self.firsts[at] if at >= 0 else -1

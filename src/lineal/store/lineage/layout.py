"""The order of a run's facts, as ranges of their numbers: [[1, 500], [900, 900], [502, 1000]]."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from lineal.model.sequences import first_of_each, second_of_each

Ranges = list[list[int]]

NEAR = 1000
"""Ranges at most so far apart are read in one go."""


def ranges(numbers: Sequence[int]) -> Ranges:
    """Return numbers in order as ranges: first and last of each."""
    if isinstance(numbers, range):
        if numbers:
            return [[numbers.start, numbers.stop - 1]]

        return []

    found: Ranges = []
    first = last = None
    for number in numbers:
        if last is not None and number == last + 1:
            last = number
            continue

        if first is not None and last is not None:
            found.append([first, last])

        first = last = number

    if first is not None and last is not None:
        return [*found, [first, last]]

    return found


def numbers(found: Iterable[Sequence[int]]) -> Iterator[int]:
    """Yield the numbers of ranges."""
    return chain.from_iterable(range(first, last + 1) for first, last in found)


def count(found: Ranges) -> int:
    """Return how many numbers some ranges have."""
    return sum(last - first + 1 for first, last in found)


def covering_ranges(found: Ranges) -> Ranges:
    """Return few ranges, in order, that cover all of the given ones."""
    wide: Ranges = []
    for first, last in sorted(found):
        if wide and first <= wide[-1][1] + NEAR:
            wide[-1][1] = max(last, wide[-1][1])
        else:
            wide.append([first, last])

    return wide


class Ranks:
    """The position of a number in the order of some ranges."""

    def __init__(self, found: Ranges) -> None:
        before = 0
        placed: list[tuple[int, int]] = []
        for first, last in found:
            placed.append((first, before))
            before += last - first + 1

        placed.sort()
        self.firsts = first_of_each(placed)
        self.before = second_of_each(placed)

    def position_of(self, number: int) -> int:
        """Return the position of a number in the ranges, or -1."""
        at = bisect_right(self.firsts, number) - 1
        if at >= 0:
            return self.before[at] + number - self.firsts[at]

        return -1

"""Bands of levels: statements of a large group that several tasks evaluate at the same time.

In a band, statements depend on each other only where one reads a name that another one of the same
band decides. Names that earlier bands have decided are sent along with their readers. So a table
that everybody reads connects nobody, once it is known.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lineal.spark.pipeline.arrays import Array
from lineal.spark.pipeline.components import component_numbers, members
from lineal.spark.pipeline.order import Glance


class Bands:
    """Cuts statements into bands, in which no group is larger than one task can take."""

    def __init__(self, glance: Glance, numbers: Array, largest: int) -> None:
        self.glance = glance
        self.largest = largest
        levels = glance.levels[numbers]
        self.order = numbers[np.argsort(levels, kind="stable")]
        self.starts = np.append(np.unique(np.sort(levels), return_index=True)[1], len(numbers))
        """where each level starts, and where the last one ends"""

    def all(self) -> Iterator[list[Array]]:
        """Yield the groups of each band."""
        first, end = 0, len(self.starts) - 1
        while first < end:
            stop = self.longest_from(first, end)
            yield self.groups(first, stop)
            first = stop

    def longest_from(self, first: int, end: int) -> int:
        """Return where the longest band ends that begins at a level: the more levels, the larger
        the groups.
        """
        fits, fails = first + 1, end + 1
        trial = end
        while fails - fits > 1:
            if self.largest_in(first, trial) <= self.largest:
                fits = trial
            else:
                fails = trial

            trial = (fits + fails) // 2

        return fits

    def statements(self, first: int, stop: int) -> Array:
        """Return the statements of some levels."""
        return self.order[self.starts[first] : self.starts[stop]]

    def numbers(self, first: int, stop: int) -> Array:
        """Return of each statement of some levels the first one of its group."""
        glance, several = self.glance, self.statements(first, stop)
        if stop - first == 1:
            return several

        inside = np.zeros(glance.count, bool)
        inside[several] = True
        decided = np.zeros(glance.names, bool)
        decided[glance.deciding.names[inside[glance.deciding.statements]]] = True
        mentions = glance.mentions
        pairs = mentions.where(inside[mentions.statements] & decided[mentions.names])
        return component_numbers(glance.count, *pairs, glance.names)[several]

    def largest_in(self, first: int, stop: int) -> int:
        """Return the size of the largest group of some levels."""
        return int(np.bincount(self.numbers(first, stop)).max())

    def groups(self, first: int, stop: int) -> list[Array]:
        """Return the groups of some levels."""
        several = self.statements(first, stop)
        return [several[group] for group in members(self.numbers(first, stop))]

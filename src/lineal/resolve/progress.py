"""How far an extraction is: its observer gets each statement that has been evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from lineal.model.edge import Dataset
from lineal.model.script import Script


class Evaluated(NamedTuple):
    """A statement that has been evaluated, and what became of the columns that it names."""

    number: int
    total: int
    target: Dataset
    named: int
    ambiguous: int
    unresolved: int
    failed: bool = False

    @property
    def resolved(self) -> int:
        """Return how many columns are resolved for certain."""
        return self.named - self.ambiguous - self.unresolved


Progress = Callable[[Evaluated], object]
"""Who is told of each statement."""


class Watched(list[Script]):
    """Scripts that are counted while they are read; other passes over them do not count."""

    def __init__(self, scripts: list[Script], tick: Callable[[int], object]) -> None:
        super().__init__(scripts)
        self.tick = tick


def watch(scripts: list[Script]) -> Iterator[Script]:
    """Return the scripts one by one, and tell the observer how many were read."""
    if not isinstance(scripts, Watched):
        yield from scripts
        return

    for script in scripts:
        yield script
        scripts.tick(1)

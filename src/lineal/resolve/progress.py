"""How far an extraction is: whoever follows it is told of each statement that has been evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lineal.model.edge import Dataset


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

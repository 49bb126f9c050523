"""The base of all writers of random SQL: choices, made-up names, and how a column is spelled."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from random import Random
from typing import TypeVar

from generators.scope import Field, Scope

Thing = TypeVar("Thing")


class BaseWriter:
    """Draws every choice from `random`; the counters make every name unique."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers = {letter: count(1) for letter in ("t", "w", "c", "n", "out")}

    def new(self, letter: str) -> str:
        """Return a name that the statement does not use yet: t1, t2, …"""
        return f"{letter}{next(self.numbers[letter])}"

    def choose(self, things: Sequence[Thing]) -> Thing:
        """Return one of the things. A failing statement shrinks to the first."""
        return self.random.choice(things)

    def maybe(self, percent: int) -> bool:
        """Tell whether to write the rarer form. A failing statement shrinks to the plain one."""
        return self.random.randint(0, 99) >= 100 - percent

    def some(self, things: Sequence[Thing]) -> list[Thing]:
        """Return one or two of the things."""
        return self.random.sample(list(things), self.random.randint(1, min(2, len(things))))

    def spell(self, field: Field, scope: Scope) -> str:
        """Return `t1.a`, or `a` alone where no other column has that name."""
        if field.merged:
            return field.name
        if self.may_be_bare(field, scope) and self.maybe(50):
            return field.name
        return f"{field.alias}.{field.name}"

    def may_be_bare(self, field: Field, scope: Scope) -> bool:
        """Tell whether the name alone means this column."""
        return sum(each.name == field.name for each in scope) == 1

"""A statement as it was analysed: what it writes, where it stands, and digests by which two of them are compared."""

from __future__ import annotations

from typing import NamedTuple

from lineal.model.diagnostic import Place
from lineal.model.edge import Dataset


class Statement(NamedTuple):
    """One statement that writes a dataset, or one function that others call.

    A statement of a script in which order matters, of a procedure or of a program counts with the whole text around it.
    """

    target: Dataset
    kind: str
    """its first word: create, insert, merge, select; `python` for a write of a program, `function` for a function"""
    place: Place | None
    dialect: str
    words: str
    """a digest of its words: white space, comments, upper and lower case do not count"""
    meaning: str
    """a digest of what it says: also aliases, CTEs, brackets and the order of sides do not count"""


class LateStatement(Statement):
    """A statement whose meaning is not worked out before somebody asks: in its place stands who knows it."""

    __slots__ = ()

    @property
    def meaning(self) -> str:
        ask: object = self[5]
        return str(ask()) if callable(ask) else str(ask)

    @property
    def settled(self) -> Statement:
        return Statement(*self[:5], self.meaning)

    def __eq__(self, other: object) -> bool:
        return self.settled == (other.settled if isinstance(other, LateStatement) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.settled)

    def __reduce__(self) -> tuple[object, ...]:
        return Statement, tuple(self.settled)

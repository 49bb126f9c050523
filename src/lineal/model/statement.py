"""A statement as it was analyzed: what it writes, where it stands, and digests by which two of them
are compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from lineal.model.diagnostic import Place
from lineal.model.edge import Dataset


class Statement(NamedTuple):
    """One statement that writes a dataset, or one function that others call.

    A statement of a script in which order matters, of a procedure or of a program counts with the
    whole text around it.
    """

    target: Dataset
    kind: str
    """its first word: create, insert, merge, select; `python` for a write of a program, `function`
    for a function
    """
    place: Place | None
    dialect: str
    words: str
    """a digest of its words: white space, comments, upper and lower case do not count"""
    meaning: str
    """a digest of what it says: also aliases, CTEs, brackets and the order of sides do not count"""

    @property
    def file(self) -> str:
        """Return the file of the statement."""
        return self.place.file if self.place is not None else ""

    @property
    def text(self) -> str | None:
        """The text around it, while that is available: the same text says the same."""
        return None

    @property
    def sql(self) -> str | None:
        """Its own text, while that is available; none where a whole script counts."""
        return None


class DigestSource(Protocol):
    """A reader that can read a statement again."""

    @property
    def kind(self) -> str:
        """Return the kind of the statement, such as CREATE VIEW."""
        ...

    @property
    def place(self) -> Place | None:
        """Return the place of the statement."""
        ...

    @property
    def words(self) -> str:
        """Return the digest of the statement's words."""
        ...

    @property
    def meaning(self) -> str:
        """Return the digest of the statement's meaning."""
        ...

    @property
    def text(self) -> str:
        """Return the text around the statement."""
        ...

    @property
    def file(self) -> str:
        """Return the file of the statement."""
        ...

    @property
    def sql(self) -> str | None:
        """Return the statement's own text, if it has one."""
        ...


class LateStatement(Statement):
    """A statement that is read again only when somebody asks what it says; until then it has who
    can.
    """

    __slots__ = ()

    @classmethod
    def build(cls, target: Dataset, dialect: str, saying: DigestSource) -> LateStatement:
        """Build a statement whose digests are computed when they are first read."""
        late: Any = saying
        return cls(target, late, None, dialect, "", "")

    @property
    def _saying(self) -> DigestSource:
        """The part of the statement that is read when it is asked for."""
        saying: Any = self[1]
        return saying  # type: ignore[no-any-return]

    @property
    def kind(self) -> str:
        """Return the kind of the statement, such as CREATE VIEW."""
        return self._saying.kind

    @property
    def place(self) -> Place | None:
        """Return the place of the statement."""
        return self._saying.place

    @property
    def words(self) -> str:
        """Return the digest of the statement's words."""
        return self._saying.words

    @property
    def meaning(self) -> str:
        """Return the digest of the statement's meaning."""
        return self._saying.meaning

    @property
    def text(self) -> str | None:
        """Return the text around the statement."""
        return self._saying.text

    @property
    def file(self) -> str:
        """Return the file of the statement."""
        return self._saying.file

    @property
    def sql(self) -> str | None:
        """Return the statement's own text, if it has one."""
        return self._saying.sql

    @property
    def settled(self) -> Statement:
        """Return the statement as a plain record."""
        return Statement(self.target, self.kind, self.place, self.dialect, self.words, self.meaning)

    def __eq__(self, other: object) -> bool:
        return self.settled == (other.settled if isinstance(other, LateStatement) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.settled)

    def __reduce__(self) -> tuple[object, ...]:
        return Statement, tuple(self.settled)

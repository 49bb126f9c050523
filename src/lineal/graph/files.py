"""How much of each file is known: derived from its edges and diagnostics, whichever front end has
read it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Column, Edge, Read

LOST = (
    Code.DYNAMIC, Code.UNRESOLVED_COLUMN, Code.AMBIGUOUS_COLUMN, Code.UNSUPPORTED_CONSTRUCT, Code.UNSUPPORTED_STATEMENT,
    Code.TOO_DEEP, Code.PARSE_ERROR, Code.OPEN_STAR,
)  # fmt: skip
"""The codes that report a part of a file that was not followed to the end."""


class FileCoverage(NamedTuple):
    """A file: the columns that it writes and whose sources are known, and the places that were not
    followed.
    """

    file: str
    resolved: int
    lost: int

    @property
    def share(self) -> float | None:
        """None for a file that says nothing of columns."""
        whole = self.resolved + self.lost
        if whole:
            return round(self.resolved / whole, 3)

        return None


def files_of(
    edges: Iterable[Edge], reads: Iterable[Read], diagnostics: Iterable[Diagnostic]
) -> list[FileCoverage]:
    """Every file that anything was found in, by name; text without a file is left out."""
    resolved: dict[str, set[Column]] = {}
    lost: dict[str, set[Place]] = {}
    for edge in edges:
        if (place := edge.place) is not None:
            written = resolved.setdefault(place.file, set())
            if isinstance(edge.target, Column):
                written.add(edge.target)

    for read in reads:
        if read.place is not None:
            resolved.setdefault(read.place.file, set())

    for found in diagnostics:
        if found.code in LOST and found.place is not None:
            lost.setdefault(found.place.file, set()).add(found.place)

    names = sorted((resolved.keys() | lost.keys()) - {""})
    return [
        FileCoverage(name, len(resolved.get(name, ())), len(lost.get(name, ()))) for name in names
    ]

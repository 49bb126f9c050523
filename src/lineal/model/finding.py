"""Findings of a check, and what a project configures about them: severities, and comments that
silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lineal.model.diagnostic import Place, Severity
from lineal.model.edge import Column, Dataset


class Spot(NamedTuple):
    """Another place that a finding has to do with, and its text."""

    place: Place
    text: str
    own: bool = True
    """it is about the same column or dataset, so that a comment there silences the finding, too"""


class Found(NamedTuple):
    """A finding of one rule: where, about which column or dataset, and what to do."""

    message: str
    place: Place | None = None
    hint: str = ""
    about: Column | Dataset | None = None
    source: Column | None = None
    """the column upstream that it is compared with"""
    also: tuple[Spot, ...] = ()

    @property
    def places(self) -> tuple[Place, ...]:
        """Wherever a comment may silence it."""
        own = (spot.place for spot in self.also if spot.own)
        return (self.place, *own) if self.place is not None else tuple(own)


class Finding(NamedTuple):
    """A finding with the code of its rule and the severity that the project sets."""

    code: str
    name: str
    severity: Severity
    found: Found

    def __str__(self) -> str:
        where = f"{self.found.place}: " if self.found.place else ""
        return f"{where}{self.severity.label}[{self.code}]: {self.found.message}"


def move_finding(finding: Finding, place_of: Callable[[Place], Place]) -> Finding:
    """The finding, with each of its places as another knows it."""
    found = finding.found
    also = tuple(spot._replace(place=place_of(spot.place)) for spot in found.also)
    place = place_of(found.place) if found.place is not None else None
    return finding._replace(found=found._replace(place=place, also=also))


def order_of(finding: Finding) -> tuple[object, ...]:
    """Findings are shown by file and place."""
    at = finding.found.place or Place("", 0, 0)
    return (at.file, at.line, at.column, finding.code, finding.found.message)


class Suppression(NamedTuple):
    """-- lineal: ignore[A050, SA02]

    these rules say nothing about these lines; no codes: all rules
    """

    place: Place
    codes: tuple[str, ...]
    first: int
    last: int

    def covers(self, place: Place) -> bool:
        """Tell whether the comment silences a finding at a place."""
        return place.file == self.place.file and self.first <= place.line <= self.last


class Construct(NamedTuple):
    """A part of a statement that some projects do without: a CTE, a derived table."""

    kind: str
    name: str
    dataset: str
    place: Place | None


PERSONAL = ("pii", "phi", "personal", "sensitive")


@dataclass(frozen=True)
class Checks:
    """The `validate:` section of the project file."""

    severities: Mapping[str, tuple[str, Place]] = field(default_factory=dict)
    """rule → error, warning, info or off, as it is written, and where"""
    terminal: tuple[str, ...] = ()
    """the names of datasets, * for any letters, that are made to be looked at"""
    personal: tuple[str, ...] = PERSONAL
    """the labels of personal data"""

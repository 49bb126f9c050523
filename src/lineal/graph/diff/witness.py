"""The result of an experiment with a changed statement: rows that differ, or none found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

Row = tuple[object, ...]


class Outcome(Enum):
    """How an experiment ended."""

    REFUTED = "refuted"
    """there are tables over which both versions return other rows"""
    NOT_REFUTED = "not refuted"
    """no such tables were found, which proves nothing"""
    UNDECIDED = "undecided"
    """the versions could not be run, or not in time"""


@dataclass(frozen=True)
class Sample:
    """A table of a witness."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Experiment:
    """The result of running both versions of a statement."""

    outcome: Outcome
    note: str
    tables: tuple[Sample, ...] = ()
    """the tables over which they differ"""
    columns: tuple[str, ...] = ()
    """the columns that were compared"""
    only_before: tuple[Row, ...] = ()
    only_after: tuple[Row, ...] = ()


def without_experiment(note: str) -> Experiment:
    """Return an experiment that did not take place."""
    return Experiment(Outcome.UNDECIDED, note)

"""The level of each kind of change; a project may choose its own levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from fnmatch import fnmatchcase
from typing import NamedTuple


class Level(IntEnum):
    """The action that a change calls for."""

    SAFE = 0
    REVIEW = 1
    BLOCK = 2

    @property
    def label(self) -> str:
        """Return the name of the level in lower case."""
        return self.name.lower()


KINDS: Mapping[str, tuple[Level, str]] = {
    "dataset-removed-read": (Level.BLOCK, "a dataset is gone, and a statement still reads it"),
    "dataset-renamed-read": (
        Level.BLOCK,
        "a dataset has another name, and a statement still reads the old one",
    ),
    "column-removed-read": (Level.BLOCK, "a column is gone, and a statement still names it"),
    "column-renamed-read": (
        Level.BLOCK,
        "a column has another name, and a statement still uses the old one",
    ),
    "type-changed-read": (Level.BLOCK, "a column has another type, and something reads it"),
    "contract-broken": (Level.BLOCK, "a column that a contract of the base promises is missing"),
    "label-reached": (
        Level.BLOCK,
        "a column with a label reaches what the policy keeps it from, and nothing masks it",
    ),
    "errors-added": (Level.BLOCK, "something that could be read can no longer be"),
    "dataset-removed": (Level.REVIEW, "a dataset is gone that nothing here reads"),
    "dataset-renamed": (Level.REVIEW, "a dataset has another name and the same lineage"),
    "column-removed": (Level.REVIEW, "a column is gone that nothing here reads"),
    "column-renamed": (Level.REVIEW, "a column has another name and the same lineage"),
    "type-changed": (Level.REVIEW, "a column has another type, and nothing here reads it"),
    "value-changed": (Level.REVIEW, "a column is made of other columns, or in another way"),
    "rows-changed": (Level.REVIEW, "other columns decide which rows there are"),
    "logic-changed": (
        Level.REVIEW,
        "a statement says something else, with the same lineage: a literal, a function",
    ),
    "columns-reordered": (Level.REVIEW, "the columns have another order"),
    "classification-changed": (Level.REVIEW, "a column has another classification"),
    "column-added": (Level.SAFE, "a column is new"),
    "dataset-added": (Level.SAFE, "a dataset is new"),
    "description-changed": (Level.SAFE, "a description says something else"),
}
"""Every kind of change, the worst first: its level unless a policy says otherwise, and what it
means.
"""

SEVEREST_FIRST = tuple(KINDS)


CONSUMER_KINDS = ("test", "metric", "exposure", "model")
"""The kinds of readers that a policy has levels for; `model` is everything but consumers."""


class LabelRule(NamedTuple):
    """A label that must not reach some datasets unless it is masked on the way."""

    label: str
    into: tuple[str, ...]
    """kinds of datasets, `access:public`, `tag:x`, or patterns of names"""
    level: Level = Level.BLOCK

    def covers(self, name: str, kind: str, tags: tuple[str, ...]) -> bool:
        """Tell whether the label must not reach a dataset."""
        told = {kind, *(f"tag:{tag}" for tag in tags), *tags}
        return any(each in told or matches(name, each) for each in self.into)


class Contract(NamedTuple):
    """Columns of a dataset that have to stay: their names and types."""

    dataset: str
    """a pattern of names"""
    columns: tuple[str, ...] = ()
    """none: all that the base has"""
    level: Level = Level.BLOCK


@dataclass(frozen=True)
class Policy:
    """The levels that a project has chosen, the datasets whose changes do not count, and what must
    not happen.
    """

    levels: Mapping[str, Level] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    consumers: Mapping[str, Level] = field(default_factory=dict)
    """kind of reader → the least level of a change that reaches one"""
    labels: tuple[LabelRule, ...] = ()
    contracts: tuple[Contract, ...] = ()

    def level(self, kind: str) -> Level:
        """Return the level of a kind of finding."""
        return self.levels.get(kind, KINDS[kind][0])

    def ignores(self, name: str) -> bool:
        """Tell whether findings about a name are ignored."""
        return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in self.ignored)


def matches(name: str, pattern: str) -> bool:
    """Tell whether a pattern means a dataset: by its whole name, or by the last part of it."""
    folded, asked = name.lower(), pattern.lower()
    return fnmatchcase(folded, asked) or fnmatchcase(folded.rpartition(".")[2], asked)


DEFAULT = Policy()

"""Entries: a name with the statements that define it, and what one statement of a script leaves
behind.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from lineal.algebra.frame import Frame
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.statements.steps import Plan
from lineal.model.boundary import Passing
from lineal.model.diagnostic import Diagnostic
from lineal.model.edge import Dataset
from lineal.model.extraction import DatasetInfo

if TYPE_CHECKING:
    from lineal.resolve.naming import Naming
    from lineal.resolve.timeline import Change, Timeline, Version


DEEPEST_DIRECT = 40
"""A definition evaluates what it reads by a call, down to here; a longer chain goes through a work
list.
"""


class Pending(Passing):
    """The chain of definitions is too long for calls: evaluate this one first."""

    def __init__(self, entry: Entry) -> None:
        """Keep the entry whose frame is still being made."""
        self.entry = entry


class Setting(NamedTuple):
    """The surroundings of a statement, where they matter: the order of its script, and the meaning
    of names without a schema.
    """

    timeline: Timeline | None
    position: int
    naming: Naming | None


class Definition:
    """One statement that writes a dataset."""

    __slots__ = (
        "entry", "evaluation", "facts", "failure", "frame", "parameters", "plan", "reading", "setting", "target",
    )  # fmt: skip

    def __init__(
        self,
        plan: Plan,
        reading: Reading,
        facts: Facts,
        entry: Entry,
        parameters: tuple[str, ...] = (),
    ) -> None:
        """Keep a plan with the text and the dialect that it was read from."""
        self.plan = plan
        self.reading = reading
        self.facts = facts
        self.entry = entry
        self.target = entry.dataset
        self.parameters = parameters
        self.frame: Frame | None = None
        self.evaluation: Evaluation | None = None
        self.setting: Setting | None = None
        self.failure: Diagnostic | None = None
        """why it has no result; to its readers the dataset is unknown"""

    @property
    def hidden(self) -> bool:
        """Whether what it writes is composed into what reads it."""
        return self.entry.__class__ is State


class Entry:
    """A name with the statements that define it, and its scan once they are evaluated."""

    __slots__ = (
        "active",
        "broken",
        "changes",
        "dataset",
        "ddl",
        "deciding",
        "declared",
        "declared_in",
        "definitions",
        "kind",
        "like",
        "scanned",
        "told",
    )

    def __init__(self, dataset: Dataset, kind: str) -> None:
        """Start the entry of a dataset: no definition and no declaration is known yet."""
        self.dataset = dataset
        self.kind = kind
        self.definitions: list[Definition] = []
        self.deciding: list[Definition] = []
        """those of them that decide the schema"""
        self.declared: DatasetInfo | None = None
        self.ddl: dict[str, DatasetInfo] = {}
        """the columns that the DDL of each file declares"""
        self.declared_in: frozenset[str] = frozenset()
        """the files with DDL for it"""
        self.told: DatasetInfo | None = None
        """the declaration of the project or the caller, which wins over DDL"""
        self.changes: list[tuple[Timeline, int, Change]] = []
        """ALTER TABLE … RENAME COLUMN: the script, the statement's position in it, and the change
        """
        self.like: tuple[tuple[str, str], ...] = ()
        """CREATE TABLE t LIKE s: the spelling and key of s"""
        self.scanned: Frame | None = None
        self.active = False
        self.broken = False

    def add(self, definition: Definition) -> None:
        """Add a statement that writes the name; those of several files are kept by file, so that
        the order in which files are read does not matter.
        """
        insort(self.definitions, definition, key=file_of)
        if definition.plan.defines:
            insort(self.deciding, definition, key=file_of)

    def remove(self, definition: Definition) -> None:
        """Forget a statement."""
        self.definitions = [each for each in self.definitions if each is not definition]
        self.deciding = [each for each in self.deciding if each is not definition]

    @property
    def defining(self) -> list[Definition]:
        """The statements that decide the schema: an INSERT only where nothing else does."""
        if self.deciding or self.like or (self.declared is not None and self.declared.complete):
            return self.deciding

        return self.definitions


def file_of(definition: Definition) -> str:
    """Return the file of a statement; statements of a log are in the order of the log."""
    script = definition.reading.script
    return "" if script.recurs else script.file


class State(Entry):
    """The contents of a hidden version after one statement of its script."""

    __slots__ = ("before", "makes", "version")

    def __init__(self, dataset: Dataset, version: Version, before: State | None) -> None:
        """Start the state of a table after a change; `before` is the state that the change met."""
        super().__init__(dataset, "table")
        self.version = version
        self.before = before
        self.makes: Callable[[Frame | None], Frame] | None = None
        """instead of a statement that writes: the columns it starts with, or what ALTER TABLE does
        to them
        """

"""Sources: the members of FROM that names are looked up in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlglot import exp

from lineal.algebra.frame import Frame, Piped, Slot
from lineal.algebra.lineage import NOTHING, Lineage
from lineal.algebra.values import read_part
from lineal.model.edge import Column, Dataset

UNRESOLVED = Slot("", "", NOTHING)

SEQUENCE_CALLS = frozenset(("nextval", "currval"))
"""ids.NEXTVAL      the next number of a sequence, no column"""

SOMETIMES_COLUMNS = frozenset(("level", "user", "uid"))
"""Pseudo-columns whose names tables use, too: over an unknown schema they are columns"""

NILADIC = frozenset(("user", "current_role", "system_user", "current_schema", "current_path"))
"""SELECT user      a function; t.user is a column"""

NO_KEYS: set[str] = set()


class Source:
    """One member of FROM: its frame under its alias; `dataset` when it is scanned, none for CTEs
    and subqueries.

    A transparent one, (a JOIN b), is seen through: its members stand in the scope themselves.
    """

    __slots__ = (
        "alias",
        "answers",
        "dataset",
        "frame",
        "index",
        "items",
        "name",
        "stars",
        "transparent",
    )

    def __init__(
        self,
        alias: str,
        name: str,
        frame: Frame,
        dataset: Dataset | None = None,
        transparent: bool = False,
    ) -> None:
        """Build a source of FROM: an alias for the rows of a frame."""
        self.alias = alias
        self.name = name
        self.frame = frame
        self.index = frame.index
        self.stars = frame.stars
        self.dataset = dataset
        self.answers: dict[str, Slot] = {}
        self.transparent = transparent
        self.items: Lineage | None = None
        """UNNEST(xs), where the type of the items is not known: xs, which any name may be a field of"""

    @property
    def row_slots(self) -> Sequence[Slot]:
        """Return the columns of a row.

        SELECT t, t.*      the columns that make up a row of it
        """
        return self.frame.slots


class Counted(Source):
    """FROM UNNEST(items) AS i WITH OFFSET

    i is an item; its place is a column next to it, the last one
    """

    __slots__ = ()

    @property
    def row_slots(self) -> Sequence[Slot]:
        """The item without its place."""
        return self.frame.slots[:-1]


class Holders:
    """FROM a, b, c, … with many members: the sources by the names of their columns."""

    __slots__ = ("by_key", "count", "open")

    def __init__(self) -> None:
        """Start without sources."""
        self.count = 0
        self.by_key: dict[str, list[Source]] = {}
        self.open: list[Source] = []
        """the sources whose columns are not all known"""

    def add(self, order: Sequence[Source]) -> None:
        """Take in the sources that were added since the last question."""
        for source in order[self.count :]:
            if source.stars:
                self.open.append(source)

            for key in source.index:
                self.by_key.setdefault(key, []).append(source)

        self.count = len(order)


class KeyHolders:
    """a JOIN b USING (k) JOIN c USING (k) …: the members so far that have k."""

    __slots__ = ("members", "scanned")

    def __init__(self) -> None:
        """Start without a source that holds the key."""
        self.members: list[Source] = []
        self.scanned: set[int] = set()
        """the identities of k's slots in members that are scanned"""


class Scalar(NamedTuple):
    """WITH 5 AS k (ClickHouse)      a name for a value, which is read wherever the name stands"""

    node: exp.Expr


CTEs = Mapping[str, Frame | Scalar]
"""The CTEs that WITH has named so far."""


def kept_of(table: str, sources: Sequence[Source]) -> list[Slot]:
    """Return the columns that steps of a pipe keep of a source.

    FROM a |> JOIN b ON … |> EXTEND … |> SELECT a.*      what the steps so far have kept of a
    """
    frames = [source.frame for source in sources if isinstance(source.frame, Piped)]
    return next((frame.members[table] for frame in frames if table in frame.members), [])


def is_bare(node: exp.Expr, key: str) -> bool:
    """Tell whether a name is a bare word without a column.

    user, "$path"      no column; "user" in quotes is one
    """
    parts = node.parts if isinstance(node, exp.Column) else []
    return key[:1] == "$" or not any(
        part.args.get("quoted") and part.name.lower() == key.lower() for part in parts
    )


def is_sequence(node: exp.Column) -> bool:
    """Tell whether a name is a sequence.

    ids.NEXTVAL, db.ids.CURRVAL
    """
    return str(node.name).lower() in SEQUENCE_CALLS


def origin_of(slot: Slot) -> Column | None:
    """The one column that a slot of a dataset stands for; its star, where that is not known.

    None for what the dataset has not: the kind of a change in table_changes('t', 1).
    """
    return slot.scanned or next((origin for origin, _ in slot.lineage), None)


def field_of(slot: Slot, path: Sequence[str], node: exp.Expr) -> Slot:
    """Return the field of a column.

    address.city      the path stays on the origin, and reading a field transforms
    """
    if path:
        return Slot(path[-1], path[-1], read_part(slot.lineage, path, node))

    return slot


def has_own_alias(source: Source) -> bool:
    """FROM d.orders AS o      the alias differs from the name of the table"""
    if source.dataset is None:
        return True

    return source.dataset.name.rpartition(".")[2].lower() != source.alias.lower()

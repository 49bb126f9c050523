"""Frames: relations whose values are lineages. `relation` has the verbs that make them.

Slot     one output column; a star over an unknown schema is a slot of its own
Frame    slots in order, and the rows' lineage: what decides which rows there are
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from lineal.algebra.lineage import NOTHING, Lineage, absorb, unite_lineages
from lineal.algebra.values import read_part
from lineal.model.edge import Column, Dataset, Doubt
from lineal.model.way import IDENTITY, Confidence


class PatternColumns(NamedTuple):
    """PIVOT … FOR kind IN (ANY)

    columns that are all made alike; what they are called, only data decides
    """

    lineage: Lineage
    prefix: str
    suffix: str
    parts: bool = False
    """UNNEST(items)      any name is a field of the items, whose type is not known"""

    def matches(self, key: str) -> bool:
        """Tell whether a pivot may have made a column of that name."""
        return key.startswith(self.prefix) and key.endswith(self.suffix)


class Star(NamedTuple):
    """`*` over a dataset whose columns are not (all) known: answers any name but the excepted
    ones.
    """

    dataset: Dataset
    excepted: frozenset[str] = frozenset()
    beside: tuple[Star, ...] = ()
    """the stars of a union's other branches, which are in the same place"""
    made: PatternColumns | None = None
    """the columns of a pivot, called after what the data holds"""
    arguments: Lineage = NOTHING
    """FROM f(a): what the columns of a function are made of, whatever they are called"""

    def made_also(self, other: Star) -> Star:
        """Unite two pivots in one place.

        Two pivots in one place, whose columns are called after the same kind

        either makes them
        """
        if self.made is None or other.made is None:
            return self

        return self._replace(
            made=self.made._replace(lineage=unite_lineages((self.made.lineage, other.made.lineage)))
        )

    @property
    def excluded(self) -> frozenset[str]:
        """The columns that neither the star nor any next to it has."""
        return self.excepted.intersection(*(star.excluded for star in self.beside))

    def without(self, key: str) -> Star:
        """Return the star without one column.

        * EXCEPT (a)
        """
        beside = tuple(star.without(key) for star in self.beside)
        return self._replace(excepted=self.excepted | {key}, beside=beside)


class Slot(NamedTuple):
    """One output column: its spelling, its key, and where its value comes from."""

    name: str
    key: str
    lineage: Lineage
    star: Star | None = None
    scanned: Column | None = None
    """the dataset's column that a scanned slot stands for"""


class Frame:
    """A relation: slots in order, and the lineage of its rows."""

    __slots__ = ("_index", "_stars", "rows", "slots")

    def __init__(self, slots: Sequence[Slot], rows: Lineage) -> None:
        self.slots = slots
        self.rows = rows
        self._index: dict[str, Slot] | None = None
        self._stars: list[Slot] | None = None

    @property
    def index(self) -> dict[str, Slot]:
        """The slots by key; of two with one key the first is found."""
        if self._index is None:
            self._index = {slot.key: slot for slot in reversed(self.slots) if slot.star is None}

        return self._index

    @property
    def stars(self) -> list[Slot]:
        """Return the slots that stand for columns whose names are not known."""
        if self._stars is None:
            self._stars = [slot for slot in self.slots if slot.star is not None]

        return self._stars

    @property
    def complete(self) -> bool:
        """Tell whether all columns are known by name."""
        return not self.stars


Members = dict[str, list[Slot]]
"""The columns that are still those of a source, by the source's name."""


class Piped(Frame):
    """FROM a |> JOIN b ON … |> EXTEND …

    A step of a pipe, whose columns are still those of a, and of b.
    """

    __slots__ = ("members",)

    def __init__(self, slots: Sequence[Slot], rows: Lineage, members: Members) -> None:
        super().__init__(slots, rows)
        self.members = members


class Candidates(Frame):
    """FROM t, where t may be any of several datasets: a column comes from each that has it."""

    __slots__ = ()


def scanned_slot(column: Column, key: str) -> Slot:
    """Return the slot of a dataset's column.

    FROM t      the slot of t.a: a, as it is
    """
    return Slot(column.name, key, {(column, IDENTITY): None}, None, column)


class Scan(Frame):
    """FROM t, of whose hundred columns a query names three: a column is made a slot when it is
    first asked for.

    Until then `index` holds what it needs; `slot_at` makes the slot.
    """

    __slots__ = ("_made", "dataset", "declared_in")

    def __init__(
        self,
        dataset: Dataset,
        columns: Iterable[tuple[str, str]],
        complete: bool,
        declared_in: frozenset[str] | None = None,
    ) -> None:
        self.rows = NOTHING
        self.dataset = dataset
        self.declared_in = declared_in
        """the scripts whose DDL declares the columns, none for YAML or a server's catalog; None for
        columns that a statement makes
        """
        self._index: dict[str, Any] = {}
        for name, key in columns:
            self._index.setdefault(key, (dataset, name, self._index))

        self._stars: list[Slot] = [] if complete else [star_slot(Star(dataset))]
        self._made: list[Slot] | None = None

    @property
    def slots(self) -> Sequence[Slot]:  # type: ignore[override]
        """Return every column as a slot, in order."""
        if self._made is None:
            self._made = [slot_at(self._index, key) for key in self._index] + self.stars

        return self._made


def slot_at(index: dict[str, Any], key: str) -> Any:
    """The slot under a key, made when it is first asked for; None if there is none.

    Tables of several scans share what has been made: a column that is not a slot yet knows the scan
    it belongs to.
    """
    slot = index.get(key)
    if slot.__class__ is tuple:
        dataset, name, home = slot
        slot = home[key]
        if slot.__class__ is tuple:
            slot = home[key] = scanned_slot(Column(dataset, name), key)

        index[key] = slot

    return slot


def star_slot(star: Star) -> Slot:
    """Return the slot of an open star.

    SELECT * FROM unknown      t.* -> target.*
    """
    name = star.dataset.name if star.made is not None else "*"
    return Slot(name, name, unite_lineages(map(_any_column, (star, *star.beside))), star)


def _any_column(star: Star) -> Lineage:
    """Return the lineage of a column that a star may hold."""
    return (
        star.made.lineage
        if star.made is not None
        else {(Column(star.dataset, "*"), IDENTITY): None, **star.arguments}
    )


def answer(star: Star, name: str, key: str) -> Slot | None:
    """Return the column that a star stands for under a name, if it may have it.

    SELECT x FROM (SELECT * FROM unknown)      the star answers with unknown.x
    """
    if key in star.excepted:
        return None

    if star.made is not None:
        if not star.made.matches(key):
            return None

        if star.made.parts:
            return Slot(name, key, read_part(star.made.lineage, (name,)))

        return Slot(name, key, star.made.lineage)

    lineage: Lineage = {(Column(star.dataset, name), IDENTITY): None}
    # the first branch's names are certain; the others likely have the same name there
    for other in star.beside:
        if key not in other.excepted:
            lineage.setdefault(
                (Column(other.dataset, name), IDENTITY), (None, None, None, SAME_NAME)
            )
            absorb(other.arguments, lineage)

    absorb(star.arguments, lineage)
    return Slot(name, key, lineage)


SAME_NAME = Doubt(
    Confidence.MEDIUM, False, "a branch of a union whose columns are not known: matched by name"
)

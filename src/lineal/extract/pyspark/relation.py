"""Relations: the frames of DataFrames. Each column has an identity in addition to its name, as Spark's
attributes have.

df.x means that column of df wherever it has travelled; F.col("x") and "x" are looked up by name in
the current frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any, NamedTuple

from lineal.algebra.frame import Frame, PatternColumns, Scan, Slot, Star, star_slot
from lineal.algebra.lineage import Lineage, add_doubt
from lineal.algebra.relation import decided_rows, project
from lineal.extract.sql.evaluation import Evaluation
from lineal.model.diagnostic import Diagnostic
from lineal.model.edge import Dataset, Doubt

_ids = count(1)
OUTER = Dataset("", "<outer>")
"""The home of `col("x").outer()` until the query around is known."""


class Attribute(NamedTuple):
    """A column with its identity and the names that may qualify it."""

    slot: Slot
    id: int
    qualifier: tuple[str, ...] = ()
    doubt: Doubt | None = None
    """of everything that an open star answers"""

    @property
    def key(self) -> str:
        """Return the folded name of the column."""
        return self.slot.key

    def doubtful(self, doubt: Doubt) -> Attribute:
        """Return a column that is at most as certain as a doubt, as is all that a star answers."""
        slot = self.slot._replace(lineage=add_doubt(self.slot.lineage, doubt), scanned=None)
        weaker = doubt
        if self.doubt is not None and self.doubt.level < doubt.level:
            weaker = self.doubt

        return self._replace(slot=slot, doubt=weaker)


def fresh(slot: Slot, qualifier: tuple[str, ...] = (), doubt: Doubt | None = None) -> Attribute:
    """Return a new column, different from all others."""
    return Attribute(slot, next(_ids), qualifier, doubt)


DYNAMIC = Dataset("", "<dynamic>")
"""The home of columns of which nothing is known."""


def open_star() -> Attribute:
    """Return an open star of an unknown source.

    select(*names_that_only_a_run_knows)

    there may be any column, and none has a source that is known
    """
    return fresh(star_slot(Star(DYNAMIC, made=PatternColumns({}, "", ""))))


def is_dynamic(attribute: Attribute) -> bool:
    """Return whether this stands for any column, of a source that is not known."""
    return attribute.slot.star is not None and attribute.slot.star.dataset == DYNAMIC


class Twice(NamedTuple):
    """A self-join: the right side's columns got new identities, so that both sides can be told
    apart.
    """

    left: Relation
    right: Relation
    renewed: dict[int, int]

    def means_right(self, home: Relation) -> bool:
        """Whether a column of `home` can only be the right side's."""
        return self.right is home or (self.right.contains(home) and not self.left.contains(home))


class Relation:
    """A DataFrame: its columns in order, what decides its rows, and where it came from."""

    __slots__ = (
        "_by_key",
        "_places",
        "_stars",
        "attributes",
        "declared",
        "evaluation",
        "gaps",
        "hidden",
        "parents",
        "rows",
        "twice",
        "types",
        "under",
    )

    def __init__(
        self,
        attributes: Sequence[Attribute],
        rows: Lineage,
        parents: tuple[Relation, ...] = (),
        evaluation: Evaluation | None = None,
    ) -> None:
        """Build a relation of columns, row usages and the relations that it was made of."""
        self.attributes = attributes
        self.rows = rows
        self.parents = parents
        self.evaluation = evaluation
        self.hidden: tuple[Attribute, ...] = ()
        """columns that only their identity or qualifier reaches: the right key of join(…, "id")"""
        self.under: Relation | None = None
        """the columns that filter and orderBy may still name after a select"""
        self.declared: Scan | None = None
        """the table whose declared columns these are"""
        self.twice: tuple[Twice, ...] = ()
        self.types: dict[int, str] = {}
        self.gaps: frozenset[Diagnostic] = frozenset()
        """the places in the step that made it of which only a run knows what they do"""
        self._by_key: dict[str, list[Attribute]] | None = None
        self._places: list[int] | None = None
        self._stars: list[Attribute] | None = None

    def __deepcopy__(self, memo: Any) -> Relation:
        """Return the relation itself: a copied tree keeps pointing at the same DataFrame."""
        return self  # a tree that is copied goes on pointing at the same DataFrame

    @property
    def frame(self) -> Frame:
        """Its columns without their identities."""
        return project(decided_rows(self.rows), [attribute.slot for attribute in self.attributes])

    @property
    def complete(self) -> bool:
        """Tell whether all columns are known."""
        return not self.stars

    @property
    def names(self) -> list[str]:
        """Return the names of the columns, in order."""
        return [attribute.slot.name for attribute in self.attributes if attribute.slot.star is None]

    @property
    def by_key(self) -> dict[str, list[Attribute]]:
        """Return the columns by their folded names."""
        if self._by_key is None:
            self._by_key = {}
            for attribute in self.attributes:
                if attribute.slot.star is None:
                    self._by_key.setdefault(attribute.slot.key, []).append(attribute)

        return self._by_key

    def index(self, by_key: dict[str, list[Attribute]], places: list[int] | None = None) -> None:
        """The columns by their keys and the places of stars, where the step that made them knows."""
        self._by_key = by_key
        self._places = places

    @property
    def places(self) -> list[int]:
        """Return where the stars are among the columns."""
        if self._places is None:
            self._places = star_places(self.attributes)

        return self._places

    @property
    def stars(self) -> list[Attribute]:
        """Return the stars: columns whose names are not known."""
        if self._stars is None:
            self._stars = [self.attributes[place] for place in self.places]

        return self._stars

    def derive(
        self, attributes: Sequence[Attribute] | None = None, rows: Lineage | None = None,
        evaluation: Evaluation | None = None, parents: tuple[Relation, ...] = (),
    ) -> Relation:  # fmt: skip
        """The next DataFrame of a chain."""
        made = Relation(
            self.attributes if attributes is None else attributes,
            self.rows if rows is None else rows,
            (self, *parents),
            evaluation,
        )
        made.twice = self.twice
        made.types = self.types
        if attributes is None:
            made.hidden, made.under = self.hidden, self.under
            made.declared = self.declared
            made._by_key, made._stars = self._by_key, self._stars
            made._places = self._places

        return made

    def contains(self, other: Relation) -> bool:
        """Whether this DataFrame was made from the other one."""
        seen: set[int] = set()
        waiting = [self]

        while waiting:
            here = waiting.pop()
            if here is other:
                return True

            if id(here) not in seen:
                seen.add(id(here))
                waiting.extend(here.parents)

        return False

    def attribute_by_id(self, number: int, home: Relation, key: str = "") -> Attribute | None:
        """df.x after any number of steps: the column with that identity, if it is still there."""
        for join in reversed(self.twice):
            if number in join.renewed and join.left is not home and join.means_right(home):
                number = join.renewed[number]

        for found in self.by_key.get(key, ()):
            if found.id == number:
                return found

        return next(
            (found for found in (*self.attributes, *self.hidden) if found.id == number), None
        )


def star_places(attributes: Sequence[Attribute]) -> list[int]:
    """Return where the open stars are among columns."""
    return [place for place, each in enumerate(attributes) if each.slot.star is not None]


class Draft:
    """The columns of a DataFrame while a step adds some, one after the other.

    A new column is the same work, however many columns there are.
    """

    __slots__ = ("attributes", "index", "places")

    def __init__(self, relation: Relation) -> None:
        """Start a changed copy of a relation's columns."""
        self.attributes = list(relation.attributes)
        self.index = dict(relation.by_key)
        self.places = relation.places

    def add(self, made: Attribute, narrow: Callable[[Attribute, str], Attribute]) -> None:
        """Add a column of a new name, which open stars do not hold any more."""
        for place in self.places:
            self.attributes[place] = narrow(self.attributes[place], made.key)

        self.attributes.append(made)
        self.index[made.key] = [made]


def ancestors(*relations: Relation) -> Iterable[Relation]:
    """Every step on the way to DataFrames, each once, the first first."""
    order: list[Relation] = []
    seen: set[int] = set()
    begun: list[Relation] = []
    waiting: list[Relation | None] = [*reversed(relations)]

    while waiting:
        here = waiting.pop()
        if here is None:  # all that the last one begun was made from is done
            order.append(begun.pop())
        elif id(here) not in seen:
            seen.add(id(here))
            begun.append(here)
            waiting.append(None)
            waiting.extend(reversed(here.parents))

    return order


def scan_frame(frame: Frame, qualifier: tuple[str, ...], doubt: Doubt | None = None) -> Relation:
    """Return the DataFrame of a dataset.

    spark.table("db.orders")      every column stands for itself, and may be called orders.x
    """
    attributes = []
    for slot in frame.slots:
        if doubt is not None:
            slot = slot._replace(lineage=add_doubt(slot.lineage, doubt), scanned=None)

        attributes.append(fresh(slot, qualifier, doubt))

    relation = Relation(attributes, frame.rows)
    if isinstance(frame, Scan):
        relation.declared = frame

    return relation


def side_by_side_stars(
    left: list[Attribute], right: list[Attribute], doubt: Doubt | None = None
) -> list[Attribute]:
    """Unite two open stars.

    Two open stars in one place: a name may be answered by either
    """
    if not left or not right:
        return [*left, *right]

    first = left[0]
    assert first.slot.star is not None
    held = {star.dataset: star for star in (first.slot.star, *first.slot.star.beside)}

    for attribute in (*left[1:], *right):
        assert attribute.slot.star is not None
        for star in (attribute.slot.star, *attribute.slot.star.beside):
            held.setdefault(star.dataset, star._replace(beside=()))

    head, *others = held.values()
    if not others:
        return [first]

    found = fresh(star_slot(head._replace(beside=tuple(others))))
    doubt = doubt or first.doubt
    return [found if doubt is None else found.doubtful(doubt)]

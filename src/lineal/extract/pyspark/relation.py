"""Relations: the frames of DataFrames. Each column has an identity beside its name, as Spark's
attributes have.

df.x means that column of df wherever it has travelled; F.col("x") and "x" are looked up by name in
the frame at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.frame import Frame, Slot, answer, star_slot
from lineal.algebra.lineage import Lineage, doubted, pour
from lineal.algebra.relation import decided_rows, project
from lineal.extract.sql.columns import edited, struct_star
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.scope import UNRESOLVED, Scope, Source, field_of
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Column, Dataset, Doubt
from lineal.model.way import IDENTITY, Clause

_ids = count(1)
OUTER = Dataset("", "<outer>")
"""The home of `col("x").outer()` until the query around is known."""


class Attribute(NamedTuple):
    """A column with its identity and the names that may stand before it."""

    slot: Slot
    id: int
    qualifier: tuple[str, ...] = ()
    doubt: Doubt | None = None
    """of everything that an open star answers"""

    @property
    def key(self) -> str:
        """Return the folded name of the column."""
        return self.slot.key


def fresh(slot: Slot, qualifier: tuple[str, ...] = (), doubt: Doubt | None = None) -> Attribute:
    """Return a new column, different from all others."""
    return Attribute(slot, next(_ids), qualifier, doubt)


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
        "_stars",
        "attributes",
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
        self.attributes = attributes
        self.rows = rows
        self.parents = parents
        self.evaluation = evaluation
        self.hidden: tuple[Attribute, ...] = ()
        """columns that only their identity or qualifier reaches: the right key of join(…, "id")"""
        self.under: Relation | None = None
        """what filter and orderBy may still name after a select"""
        self.twice: tuple[Twice, ...] = ()
        self.types: dict[int, str] = {}
        self.gaps: frozenset[Diagnostic] = frozenset()
        """the places in the step that made it of which only a run knows what they do"""
        self._by_key: dict[str, list[Attribute]] | None = None
        self._stars: list[Attribute] | None = None

    def __deepcopy__(self, memo: Any) -> Relation:
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

    def index(self, by_key: dict[str, list[Attribute]]) -> None:
        """The columns by their keys, where the step that made them knows."""
        self._by_key = by_key

    @property
    def stars(self) -> list[Attribute]:
        """Return the stars: columns whose names are not known."""
        if self._stars is None:
            self._stars = [
                attribute for attribute in self.attributes if attribute.slot.star is not None
            ]
        return self._stars

    def derived(
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
            made._by_key, made._stars = self._by_key, self._stars

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

    def identified(self, number: int, home: Relation, key: str = "") -> Attribute | None:
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


def ancestors(relation: Relation) -> Iterable[Relation]:
    """Every step on the way to a DataFrame, each once, the first first."""
    order: list[Relation] = []
    seen: set[int] = set()
    begun: list[Relation] = []
    waiting: list[Relation | None] = [relation]

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


def scanned(frame: Frame, qualifier: tuple[str, ...], doubt: Doubt | None = None) -> Relation:
    """spark.table("db.orders")      every column stands for itself, and may be called orders.x"""
    attributes = []
    for slot in frame.slots:
        if doubt is not None:
            slot = slot._replace(lineage=doubted(slot.lineage, doubt), scanned=None)
        attributes.append(fresh(slot, qualifier, doubt))

    return Relation(attributes, frame.rows)


class Bound(NamedTuple):
    """What df.x points at."""

    relation: Relation
    id: int
    key: str

    def __deepcopy__(self, memo: Any) -> Bound:
        return self


class FrameScope(Scope):
    """The scope of an expression over a relation: names by Spark's rules, and columns by identity."""

    __slots__ = ("_order", "lenient", "relation")

    def __init__(
        self, relation: Relation, evaluation: Evaluation, clause: Clause, lenient: bool = False
    ) -> None:
        self._order: list[Source] | None = None
        super().__init__(evaluation, None, {})
        self.relation = relation
        self.clause = clause
        self.lenient = lenient
        """filter and orderBy may name what a select before them has left out"""

    @property
    def order(self) -> list[Source]:
        """Asked for by lambdas and date parts only."""
        if self._order is None:
            self._order = [Source("", "", self.relation.frame)]
        return self._order

    @order.setter
    def order(self, sources: list[Source]) -> None:
        """Set the sources in which a name is looked up."""
        self._order = sources or None

    def column(self, node: exp.Column) -> Slot:
        """Return the slot that a name means here."""
        evaluation = self.evaluation
        evaluation.references += 1
        meta = node._meta
        bound = meta.get("bound") if meta else None
        if bound is not None:
            return self.bound(bound, node)
        if meta and "outer" in meta:
            return Slot(node.name, node.name, {(Column(OUTER, _spelled(node)), IDENTITY): None})
        if self.aliases:
            alias = self.aliases.get(_fold(node.name))
            if (
                alias is not None
                and node.args.get("table") is None
                and _fold(node.name) not in self.relation.by_key
            ):
                if self.relation.stars:
                    return self.guessed(alias, f"`{node.name}` is an alias of this select")
                return alias

        args = node.args
        if args.get("table") is None and args["this"].__class__ is exp.Identifier:
            held = self.relation.by_key.get(_fold(args["this"].args["this"]), ())
            if len(held) == 1 and not self.relation.stars:  # as nearly every name
                return self.taken(held[0].slot, node)

        parts = [part.name for part in node.parts]
        first = _fold(parts[0])
        # _metadata.file_path
        if first in evaluation.facts.reserved_names and first not in self.relation.by_key:
            evaluation.references -= 1
            return UNRESOLVED

        slot = self.named(parts, node)
        if slot is not None:
            return slot
        if len(parts) == 1 and first in evaluation.facts.pseudo_columns:
            evaluation.references -= 1
            return UNRESOLVED

        evaluation.unresolved += 1
        near = self.did_you_mean(parts[-1])
        message = f"the DataFrame has no column '{'.'.join(parts)}'"
        evaluation.report(Code.UNRESOLVED_COLUMN, message, node, near)
        return UNRESOLVED

    def bound(self, bound: Bound, node: exp.Column) -> Slot:
        """df.x, df["x"]"""
        relation: Relation | None = self.relation
        while relation is not None:
            found = relation.identified(bound.id, bound.relation, bound.key)
            if found is not None:
                if found.slot.star is not None:
                    return self.taken(_answered(found, node.name, bound.key), node)
                return self.taken(found.slot, node)

            relation = relation.under if self.lenient else None

        found_by_name = self.named([node.name], node)
        if found_by_name is not None:
            return found_by_name

        self.evaluation.unresolved += 1
        message = f"the column '{node.name}' belongs to another DataFrame"
        self.evaluation.report(Code.UNRESOLVED_COLUMN, message, node)
        return UNRESOLVED

    def named(self, parts: list[str], node: exp.Column) -> Slot | None:
        """x, a.x, db.t.x, x.field

        the longest qualifier first, then a column with a path of fields
        """
        relation: Relation | None = self.relation
        while relation is not None:
            for length in range(len(parts) - 1, -1, -1):
                qualifier = tuple(_fold(part) for part in parts[:length])
                slot = self.lookup(
                    relation, parts[length], qualifier, node, bool(parts[length + 1 :])
                )
                if slot is not None:
                    return field_of(slot, parts[length + 1 :], node)

            relation = relation.under if self.lenient else None

        return None

    def lookup(
        self,
        relation: Relation,
        name: str,
        qualifier: tuple[str, ...],
        node: exp.Column,
        with_field: bool,
    ) -> Slot | None:
        """Return the columns of a name, with or without a qualifier."""
        key = _fold(name)
        held = relation.by_key.get(key, [])
        if qualifier:
            held = [found for found in held if _qualifies(found.qualifier, qualifier)]
            held = held or [
                f for f in relation.hidden if f.key == key and _qualifies(f.qualifier, qualifier)
            ]

        if held:
            slots = list({found.id: found.slot for found in held}.values())
            if len(slots) > 1:
                return self.ambiguous(name, slots, node)

            found = self.taken(slots[0], node)
            if qualifier or not _beside(found, relation.stars):
                return found
            return self.guessed(found, PRODUCED)

        stars = [
            star
            for star in relation.stars
            if not qualifier or _qualifies(star.qualifier, qualifier)
        ]
        answers = [slot for star in stars if (slot := _answered(star, name, key)) is not UNRESOLVED]
        if not answers:
            return None
        if len(answers) == 1:
            return self.taken(answers[0], node)
        return self.undecided(name, key, answers, node)

    def undecided(self, name: str, key: str, answers: list[Slot], node: exp.Column) -> Slot:
        """Several unknown schemas may have it: what the corpus says, else all of them."""
        origins = {origin: slot for slot in answers for origin, _ in slot.lineage}
        if len(origins) == 1:
            return self.taken(answers[0], node)

        best = self.evaluation.witness(key, origins)
        if best is not None:
            self.evaluation.read(best[0], self.clause, node)
            return self.guessed(origins[best[0]], best[1])

        self.evaluation.undecided = True
        for origin in origins:
            self.evaluation.read(origin, self.clause, node, learn=False)
        return self.ambiguous(name, answers, node)

    def taken(self, slot: Slot, node: exp.Column) -> Slot:
        """A column straight from a dataset is read here."""
        if slot.scanned is not None:
            self.evaluation.read(slot.scanned, self.clause, node)
        elif slot.star is None and len(slot.lineage) == 1:
            (origin, way), trail = next(iter(slot.lineage.items()))
            if way is IDENTITY and (trail is None or trail[0] is None) and origin.name == slot.name:
                self.evaluation.read(origin, self.clause, node)

        return slot


def _answered(star: Attribute, name: str, key: str) -> Slot:
    assert star.slot.star is not None
    slot = answer(star.slot.star, name, key)
    if slot is None:
        return UNRESOLVED
    if star.doubt is None:
        return slot
    return slot._replace(lineage=doubted(slot.lineage, star.doubt))


PRODUCED = "a table whose schema is not complete has it; another one that is not known may, too"


def _beside(slot: Slot, stars: list[Attribute]) -> bool:
    """Whether a column stands beside open stars of its own table and of another one."""
    if len(stars) < 2 or slot.scanned is None:
        return False
    datasets = {star.slot.star.dataset for star in stars if star.slot.star is not None}
    return slot.scanned.dataset in datasets and len(datasets) > 1


def _qualifies(qualifier: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    """orders.x and db.orders.x are columns of db.orders"""
    return qualifier[-len(asked) :] == asked


def _fold(name: str) -> str:
    return name.lower()


def _spelled(node: exp.Column) -> str:
    return ".".join(part.name for part in node.parts)


def with_outer(lineage: Lineage, scope: Scope) -> Lineage:
    """col("c.id").outer()      the column of the query around, now that it is known"""
    if not any(origin.dataset is OUTER for origin, _ in lineage):
        return lineage

    found: Lineage = {}
    for (origin, way), trail in lineage.items():
        if origin.dataset is OUTER:
            *table, name = origin.name.split(".")
            node = exp.column(name, *reversed(table)) if table else exp.column(name)
            pour(scope.column(node).lineage, way, found, node)
        else:
            found[origin, way] = trail

    return found


def side_by_side_stars(
    left: list[Attribute], right: list[Attribute], doubt: Doubt | None = None
) -> list[Attribute]:
    """Two open stars in one place: a name may be answered by either"""
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

    slot = star_slot(head._replace(beside=tuple(others)))
    return [fresh(slot, (), doubt or first.doubt)]


class FrameEvaluation(QueryEvaluation):
    """An evaluation in which a subquery may be a DataFrame."""

    __slots__ = ()

    def star_slots(self, node: Any, scope: Scope) -> list[Slot]:
        """to_json(struct("*"))      every column of the DataFrame at hand"""
        if not isinstance(scope, FrameScope):
            return super().star_slots(node, scope)
        return [attribute.slot for attribute in starred(scope.relation, node, scope)]

    def frame_of(self, node: Any, scope: Scope) -> Frame:
        """Return the frame of a DataFrame that stands in an expression."""
        relation = node._meta.get("relation") if node._meta else None
        if relation is None:
            return super().frame_of(node, scope)

        slots = [
            slot._replace(lineage=with_outer(slot.lineage, scope)) for slot in relation.frame.slots
        ]
        return project(decided_rows(with_outer(relation.rows, scope)), slots)


def starred(relation: Relation, tree: Any, scope: FrameScope) -> list[Attribute]:
    """select("*"), select("a.*"), select(df["*"])"""
    if isinstance(tree, exp.Star):
        own = tree.meta.get("of")
        found = list(relation.attributes) if own is None else of_one_side(relation, own)
    else:
        asked = tuple(part.name.lower() for part in tree.parts[:-1])
        found = [each for each in relation.attributes if each.qualifier[-len(asked) :] == asked]
        found += [each for each in relation.hidden if each.qualifier[-len(asked) :] == asked]
        if not found:
            return [fresh(slot) for slot in struct_star(tree, scope)]

    for attribute in found:
        if attribute.slot.scanned is not None:
            scope.evaluation.read(attribute.slot.scanned, scope.clause, tree)

    star = tree if isinstance(tree, exp.Star) else tree.this
    if not any(star.args.values()):
        return found

    held = {id(attribute.slot): attribute for attribute in found}
    slots = edited(star, [attribute.slot for attribute in found], scope)
    return [held.get(id(slot)) or fresh(slot) for slot in slots]


def of_one_side(relation: Relation, own: Relation) -> list[Attribute]:
    """a.join(b, "id").select(b["*"])

    b's columns, wherever they have gone: its id is hidden, and still there
    """
    found = [relation.identified(each.id, own, each.key) for each in own.attributes]
    return [each for each in found if each is not None]

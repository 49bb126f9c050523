"""The scope of an expression over a DataFrame: names by Spark's rules, and columns by identity."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.frame import Frame, Slot, answer
from lineal.algebra.lineage import Lineage, add_doubt, pour
from lineal.algebra.relation import decided_rows, project
from lineal.extract.pyspark.relation import OUTER, Attribute, Relation, fresh, is_dynamic
from lineal.extract.pyspark.schemas import parsed_schema
from lineal.extract.sql.columns import apply_modifiers, struct_star
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.nodes import part_names
from lineal.extract.sql.scope import UNRESOLVED, Scope, Source, field_of
from lineal.extract.sql.unresolved_names import read_undeclared
from lineal.model.diagnostic import Code
from lineal.model.edge import Column, Dataset
from lineal.model.sequences import first_of_each
from lineal.model.way import IDENTITY, Clause


class Bound(NamedTuple):
    """The column that df.x refers to."""

    relation: Relation
    id: int
    key: str

    def __deepcopy__(self, memo: Any) -> Bound:
        """Return the object itself: a copied tree keeps pointing at the same column."""
        return self


class FrameScope(Scope):
    """The scope of an expression over a relation: names by Spark's rules, and columns by identity."""

    __slots__ = ("_order", "lenient", "poured", "relation", "titles")

    def __init__(
        self, relation: Relation, evaluation: Evaluation, clause: Clause, lenient: bool = False
    ) -> None:
        """Look names up in the columns of one relation, as a clause of a query does."""
        self._order: list[Source] | None = None
        super().__init__(evaluation, None, {})
        self.relation = relation
        self.clause = clause
        self.lenient = lenient
        """filter and orderBy may name what a select before them has left out"""
        self.titles: frozenset[str] = frozenset()
        """the names that this select gives to its columns"""
        self.poured = 0
        """the influences of all columns that were looked up: what the lineages cost to unite"""

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

        if meta and "slot" in meta:
            return self.read_slot(meta["slot"], node)

        if meta and "outer" in meta:
            return Slot(node.name, node.name, {(Column(OUTER, _spelling(node)), IDENTITY): None})

        if self.aliases:
            alias = self.aliases.get(_fold(node.name))
            if (
                alias is not None
                and node.args.get("table") is None
                and _fold(node.name) not in self.relation.by_key
            ):
                if self.relation.stars:
                    return self.mark_guess(alias, f"`{node.name}` is an alias of this select")

                return alias

        args = node.args
        if args.get("table") is None and args["this"].__class__ is exp.Identifier:
            held = self.relation.by_key.get(_fold(args["this"].args["this"]), ())
            if len(held) == 1 and not self.relation.stars:  # as nearly every name
                return self.read_slot(held[0].slot, node)

        parts = part_names(node)
        first = _fold(parts[0])
        # _metadata.file_path
        if first in evaluation.facts.reserved_names and first not in self.relation.by_key:
            evaluation.references -= 1
            return UNRESOLVED

        slot = self.resolve_name(parts, node)
        if slot is not None:
            return slot

        if len(parts) == 1 and first in evaluation.facts.pseudo_columns:
            evaluation.references -= 1
            return UNRESOLVED

        evaluation.unresolved += 1
        near = self.did_you_mean(parts[-1])
        message = f"the DataFrame has no column '{'.'.join(parts)}'"
        evaluation.report(Code.UNRESOLVED_COLUMN, message, node, near)
        declared = self.relation.declared
        if declared is None or len(parts) > 1 or first in self.titles:
            return UNRESOLVED

        return read_undeclared(declared, parts[0], first, node, self)

    def bound(self, bound: Bound, node: exp.Column) -> Slot:
        """Resolve a column that is bound to a DataFrame.

        df.x, df["x"]
        """
        relation: Relation | None = self.relation
        while relation is not None:
            found = relation.attribute_by_id(bound.id, bound.relation, bound.key)
            if found is not None:
                if found.slot.star is not None:
                    self.evaluation.unresolved += is_dynamic(found)
                    return self.read_slot(_answer_of(found, node.name, bound.key), node)

                return self.read_slot(found.slot, node)

            relation = relation.under if self.lenient else None

        found_by_name = self.resolve_name([node.name], node)
        if found_by_name is not None:
            return found_by_name

        self.evaluation.unresolved += 1
        message = f"the column '{node.name}' belongs to another DataFrame"
        self.evaluation.report(Code.UNRESOLVED_COLUMN, message, node)
        return UNRESOLVED

    def resolve_name(self, parts: list[str], node: exp.Column) -> Slot | None:
        """Resolve a column by its name.

        x, a.x, db.t.x, x.field

        the longest qualifier first, then a column with a path of fields
        """
        relation: Relation | None = self.relation
        while relation is not None:
            for length in range(len(parts) - 1, -1, -1):
                qualifier = tuple(map(_fold, parts[:length]))
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
            held = [found for found in held if _fits_dataset(found.qualifier, qualifier)]
            held = held or [
                f for f in relation.hidden if f.key == key and _fits_dataset(f.qualifier, qualifier)
            ]

        if held:
            slots = list({found.id: found.slot for found in held}.values())
            if len(slots) > 1:
                return self.ambiguous(name, slots, node)

            found = self.read_slot(slots[0], node)
            if qualifier or not _is_next_to_stars(found, relation.stars):
                return found

            return self.mark_guess(found, PRODUCED)

        stars = [
            star
            for star in relation.stars
            if not qualifier or _fits_dataset(star.qualifier, qualifier)
        ]
        answers = [
            slot for star in stars if (slot := _answer_of(star, name, key)) is not UNRESOLVED
        ]
        if not answers:
            return None

        if any(map(is_dynamic, stars)):
            return self.dynamic(name, answers, node)

        if len(answers) == 1:
            return self.read_slot(answers[0], node)

        return self.candidates_for(name, key, answers, node)

    def dynamic(self, name: str, answers: list[Slot], node: exp.Column) -> Slot:
        """A DataFrame that only a run knows may have it, in addition to those that are known."""
        known = [slot for slot in answers if slot.lineage]
        if known:
            return self.ambiguous(name, known, node)

        self.evaluation.unresolved += 1
        return answers[0]

    def candidates_for(self, name: str, key: str, answers: list[Slot], node: exp.Column) -> Slot:
        """Several unknown schemas may have it: what the corpus says, else all of them."""
        origins = {origin: slot for slot in answers for origin, _ in slot.lineage}
        if len(origins) == 1:
            return self.read_slot(answers[0], node)

        named = {origin: slot for origin, slot in origins.items() if _fold(origin.name) == key}
        best = self.evaluation.witness(key, named)
        if best is not None:
            self.evaluation.read(best[0], self.clause, node)
            return self.mark_guess(origins[best[0]], best[1])

        self.evaluation.undecided = True
        for origin in origins:
            self.evaluation.read(origin, self.clause, node, learn=False)

        return self.ambiguous(name, answers, node)

    def read_slot(self, slot: Slot, node: exp.Column) -> Slot:
        """A column straight from a dataset is read here."""
        self.poured += len(slot.lineage)
        if slot.scanned is not None:
            self.evaluation.read(slot.scanned, self.clause, node)
        elif slot.star is None and len(slot.lineage) == 1:
            (origin, way), trail = next(iter(slot.lineage.items()))
            if way is IDENTITY and (trail is None or trail[0] is None) and origin.name == slot.name:
                self.evaluation.read(origin, self.clause, node)

        return slot


def _answer_of(star: Attribute, name: str, key: str) -> Slot:
    """Return what an open star answers to a name."""
    assert star.slot.star is not None
    slot = answer(star.slot.star, name, key)
    if slot is None:
        return UNRESOLVED

    if star.doubt is None:
        return slot

    return slot._replace(lineage=add_doubt(slot.lineage, star.doubt))


PRODUCED = "a table whose schema is not complete has it; another one that is not known may, too"


def _is_next_to_stars(slot: Slot, stars: list[Attribute]) -> bool:
    """Whether a column is next to open stars of its own table and of another one."""
    if len(stars) < 2 or slot.scanned is None:
        return False

    datasets = {star.slot.star.dataset for star in stars if star.slot.star is not None}
    return slot.scanned.dataset in datasets and len(datasets) > 1


def _fits_dataset(qualifier: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    """Tell whether a qualifier fits a dataset.

    orders.x and db.orders.x are columns of db.orders
    """
    return qualifier[-len(asked) :] == asked


def _fold(name: str) -> str:
    """Return a name as names are compared."""
    return name.lower()


def _spelling(node: exp.Column) -> str:
    """Return a column as it is written."""
    return ".".join(part_names(node))


def with_outer(lineage: Lineage, scope: Scope) -> Lineage:
    """Resolve the outer columns of an expression.

    col("c.id").outer()      the column of the query around, now that it is known
    """
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


class FrameEvaluation(QueryEvaluation):
    """An evaluation in which a subquery may be a DataFrame."""

    __slots__ = ()

    def star_slots(self, node: Any, scope: Scope) -> list[Slot]:
        """Return every column of the DataFrame.

        to_json(struct("*"))      every column of the DataFrame at hand
        """
        if not isinstance(scope, FrameScope):
            return super().star_slots(node, scope)

        return [attribute.slot for attribute in expand_star(scope.relation, node, scope)]

    def frame_of(self, node: Any, scope: Scope) -> Frame:
        """Return the frame of a DataFrame in an expression."""
        relation = node._meta.get("relation") if node._meta else None
        if relation is None:
            return super().frame_of(node, scope)

        slots = [
            slot._replace(lineage=with_outer(slot.lineage, scope)) for slot in relation.frame.slots
        ]
        return project(decided_rows(with_outer(relation.rows, scope)), slots)


def expand_star(relation: Relation, tree: Any, scope: FrameScope) -> list[Attribute]:
    """Return the columns that a star stands for.

    select("*"), select("a.*"), select(df["*"])
    """
    if isinstance(tree, exp.Star):
        own = tree.meta.get("of")
        found = list(relation.attributes) if own is None else of_one_side(relation, own)
    else:
        asked = tuple(part.name.lower() for part in tree.parts[:-1])
        found = [each for each in relation.attributes if each.qualifier[-len(asked) :] == asked]
        found += [each for each in relation.hidden if each.qualifier[-len(asked) :] == asked]
        if not found:
            return expand_struct(relation, tree, scope)

    for attribute in found:
        if attribute.slot.scanned is not None:
            scope.evaluation.read(attribute.slot.scanned, scope.clause, tree)

    star = tree if isinstance(tree, exp.Star) else tree.this
    if not any(star.args.values()):
        return found

    held = {id(attribute.slot): attribute for attribute in found}
    slots = apply_modifiers(star, [attribute.slot for attribute in found], scope)
    return [held.get(id(slot)) or fresh(slot) for slot in slots]


def expand_struct(relation: Relation, tree: Any, scope: FrameScope) -> list[Attribute]:
    """select("payload.*")      the fields by the type of the struct, else by how it was made"""
    *around, name = part_names(tree)[:-1]
    held = relation.by_key.get(name.lower(), ()) if not around else ()
    kind = relation.types.get(held[0].id, "") if len(held) == 1 else ""
    fields = parsed_schema(kind) if kind.startswith("struct<") else None
    if fields is None:
        return [fresh(slot) for slot in struct_star(tree, scope)]

    slot = scope.column(exp.column(name))
    found = []
    for field, of_type in fields.fields:
        lineage = field_of(slot, [field], tree).lineage
        made = fresh(Slot(field, field.lower(), lineage))
        relation.types[made.id] = of_type
        found.append(made)

    return found


def of_one_side(relation: Relation, own: Relation) -> list[Attribute]:
    """Return the columns of one side of a join.

    a.join(b, "id").select(b["*"])

    b's columns, wherever they have gone: its id is hidden, and still there
    """
    found: list[Attribute] = []
    for each in own.attributes:
        held = relation.attribute_by_id(each.id, own, each.key)
        if held is not None:
            found += [*taken_out(relation, each, held), held]

    return found


def taken_out(relation: Relation, before: Attribute, after: Attribute) -> list[Attribute]:
    """Return the columns that an open star has lost on the way, such as the keys of a join.

    a.join(b, "id").select(a.columns)
    """
    if before.slot.star is None or after.slot.star is None:
        return []

    dataset = after.slot.star.dataset
    names = after.slot.star.excepted - before.slot.star.excepted
    found: dict[str, Attribute] = {}
    for each in (*relation.attributes, *relation.hidden):
        if each.key in names and is_of(each, dataset):
            found.setdefault(each.key, each)

    return list(found.values())


def is_of(attribute: Attribute, dataset: Dataset) -> bool:
    """Tell whether a column is made of the column of its name in a dataset."""
    origins = first_of_each(attribute.slot.lineage)
    return any(
        origin.dataset == dataset and _fold(origin.name) == attribute.key for origin in origins
    )

"""Set operations between DataFrames."""

from __future__ import annotations

from typing import Any

from lineal.algebra.frame import Slot, answer
from lineal.algebra.lineage import Lineage, unite_lineages
from lineal.algebra.relation import SetOperation, set_operation
from lineal.extract.pyspark.frames.joins import as_relation
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.relation import Attribute, Relation, fresh, side_by_side_stars
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Value
from lineal.model.diagnostic import Code


def other_of(run: Run, call: Invocation) -> Relation | None:
    """Return the other DataFrame of a union; None if there is none."""
    found = as_relation(run, call.argument(0, "other"), call.node)
    if found is None:
        run.dynamic("a DataFrame that only a run knows", call.node)

    return found


def union_(run: Run, relation: Relation, call: Invocation) -> Value:
    """Append the rows of another DataFrame by position.

    df.union(other)      by position, with the names of the first
    """
    other = other_of(run, call)
    if other is None:
        return relation

    if relation.complete and other.complete and len(relation.attributes) != len(other.attributes):
        widths = f"{len(relation.attributes)} and {len(other.attributes)}"
        run.report(Code.COLUMN_COUNT, f"the sides of union have {widths} columns", call.node)

    whole = set_operation(SetOperation.UNION_ALL, [relation.frame, other.frame])
    return relation_of_slots(relation, other, list(whole.slots), whole.rows)


def relation_of_slots(
    relation: Relation, other: Relation, slots: list[Slot], rows: Lineage
) -> Relation:
    """A union's columns keep the identity of the first side's."""
    held = {id(attribute.slot): attribute for attribute in relation.attributes}
    attributes: list[Attribute] = []

    for position, slot in enumerate(slots):
        first = held.get(id(slot))
        if (
            first is None
            and position < len(relation.attributes)
            and relation.attributes[position].key == slot.key
        ):
            first = relation.attributes[position]

        attributes.append(first._replace(slot=slot) if first is not None else fresh(slot))

    return relation.derive(attributes, rows, None, (other,))


def union_by_name(run: Run, relation: Relation, call: Invocation) -> Value:
    """Append the rows of another DataFrame by name.

    df.unionByName(other, allowMissingColumns=True)
    """
    other = other_of(run, call)
    if other is None:
        return relation

    slots: list[Slot] = []
    for attribute in relation.attributes:
        slot = attribute.slot
        if slot.star is None:
            found = named_in(other, slot)
            lineage = (
                unite_lineages([slot.lineage, found.lineage]) if found is not None else slot.lineage
            )
            slots.append(slot if lineage is slot.lineage else Slot(slot.name, slot.key, lineage))

    for attribute in other.attributes:
        slot = attribute.slot
        if slot.star is None and attribute.key not in relation.by_key:
            found = named_in(relation, slot)
            slots.append(
                Slot(slot.name, slot.key, unite_lineages([found.lineage, slot.lineage]))
                if found is not None
                else slot
            )

    slots += [each.slot for each in side_by_side_stars(relation.stars, other.stars)]
    rows = unite_lineages([relation.rows, other.rows])
    return relation_of_slots(relation, other, slots, rows)


def named_in(relation: Relation, slot: Slot) -> Slot | None:
    """The column of that name; of an unknown schema, which must have it, what its star answers."""
    held = relation.by_key.get(slot.key)
    if held:
        return held[0].slot

    for star in relation.stars:
        found = answer(star.slot.star, slot.name, slot.key) if star.slot.star is not None else None
        if found is not None:
            return found

    return None


def set_comparison(operation: SetOperation) -> Any:
    """Return the method of a set operation.

    df.intersect(other), df.subtract(other)
    """

    def method(run: Run, relation: Relation, call: Invocation) -> Value:
        """Apply a set operation.

        df.intersect(other), df.subtract(other)      every column of both sides is compared
        """
        other = other_of(run, call)
        if other is None:
            return relation

        whole = set_operation(operation, [relation.frame, other.frame])
        return relation_of_slots(relation, other, list(whole.slots), whole.rows)

    return method


intersect = set_comparison(SetOperation.INTERSECT)
subtract = set_comparison(SetOperation.EXCEPT)

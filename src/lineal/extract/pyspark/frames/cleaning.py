"""Nulls and values: fillna, replace."""

from __future__ import annotations

import ast

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, add_doubt, pour_and_decide
from lineal.extract.pyspark.columns.trees import column
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.changes import replace_column
from lineal.extract.pyspark.frames.project import take_findings
from lineal.extract.pyspark.invocation import Invocation, argument_at
from lineal.extract.pyspark.relation import Relation, fresh
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.types import fits
from lineal.extract.pyspark.values import Value
from lineal.model.edge import Doubt
from lineal.model.sequences import instances
from lineal.model.way import IDENTITY, Clause, Confidence

BY_TYPE = Doubt(
    Confidence.MEDIUM,
    False,
    "only columns of the value's type are filled, and the types are not known",
)


def fill(run: Run, relation: Relation, call: Invocation) -> Value:
    """Fill nulls.

    df.fillna(0), df.fillna({"a": 0}), df.fillna("x", subset=["b"])
    """
    value = call.argument(0, "value")
    subset = call.argument(1, "subset")
    if isinstance(value, dict):
        by_name = {str(name): held for name, held in value.items()}
        return change_values(run, relation, by_name, False, call.node)

    wanted = dict.fromkeys(names_of(subset, relation.names), value)
    return change_values(run, relation, wanted, subset is None, call.node)


def replace(run: Run, relation: Relation, call: Invocation) -> Value:
    """Replace values.

    df.replace("old", "new", subset=["a"])
    """
    old = call.argument(0, "to_replace")
    sample = next(iter(old), None) if isinstance(old, (dict, list, tuple)) else old
    subset = call.keywords.get("subset", argument_at(call.arguments, 2))
    wanted = dict.fromkeys(names_of(subset, relation.names), sample)
    is_open = not isinstance(subset, (str, list, tuple))
    return change_values(run, relation, wanted, is_open, call.node)


def names_of(subset: Value, every: list[str]) -> list[str]:
    """Return the names; every name, where there is no subset.

    subset="a", subset=["a", "b"]
    """
    if isinstance(subset, str):
        return [subset]

    if isinstance(subset, (list, tuple)):
        return instances(subset, str)

    return every


def change_values(
    run: Run, relation: Relation, wanted: dict[str, Value], by_type: bool, node: ast.AST
) -> Relation:
    """Each column is its own value where it stays, and decides whether it does."""
    evaluation = run.evaluation()
    scope = FrameScope(relation, evaluation, Clause.SELECT)
    attributes = list(relation.attributes)

    for name, value in wanted.items():
        for held in relation.by_key.get(name.lower(), [None] if relation.stars else []):
            kind = relation.types.get(held.id, "") if held is not None else ""
            if kind and not fits(kind, value):
                continue

            tree = column(run, f"`{name}`", node)
            slot = held.slot if held is not None else scope.column(tree)
            scope.read_slot(slot, tree)
            lineage: Lineage = {}
            pour_and_decide(slot.lineage, IDENTITY, lineage, tree)
            if by_type and not kind:
                lineage = add_doubt(lineage, BY_TYPE)

            made = fresh(
                Slot(slot.name, slot.key, lineage), held.qualifier if held is not None else ()
            )
            relation.types[made.id] = kind
            if held is None:
                attributes = replace_column(attributes, made, {})
            else:
                attributes = [made if each.id == held.id else each for each in attributes]

    if by_type:
        attributes = [
            each if each.slot.star is None else each.doubtful(BY_TYPE) for each in attributes
        ]

    found = relation.derive(attributes, None, evaluation)
    return take_findings(run, found, evaluation)

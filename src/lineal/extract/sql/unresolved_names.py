"""Names that no source has: pseudo-columns, whole rows, other spellings; else a diagnostic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.algebra.relation import row_struct
from lineal.extract.sql.sources import (
    UNRESOLVED,
    Source,
    is_sequence,
    origin_of,
)
from lineal.model.diagnostic import Code

if TYPE_CHECKING:
    from lineal.extract.sql.scope import Scope


def resolve_otherwise(scope: Scope, name: str, key: str, node: exp.Column) -> Slot:
    """A pseudo-column, a whole row, or a name that nothing in scope can have."""
    evaluation = scope.evaluation
    if node.args.get("table") is None:
        if key in evaluation.facts.reserved_names or key.lower() in evaluation.facts.pseudo_columns:
            return scope.no_column()
        row = scope.find_source(evaluation.fold_table(name, node.this.args.get("quoted")))
        if row is not None:
            return row_value(scope, row, node)
    elif (
        is_sequence(node)
        or evaluation.fold(node.parts[0].name, False) in evaluation.facts.reserved_names
    ):
        return scope.no_column()
    if node.this.args.get("quoted") and (slot := find_spelling(scope, name, node)) is not None:
        return slot
    evaluation.unresolved += 1
    # it may be one of those that only a run knows, which has been said
    if evaluation.reading.script.open:
        return UNRESOLVED
    spelled = ".".join(part.name for part in node.parts)
    near = scope.did_you_mean(name)
    evaluation.report(
        Code.UNRESOLVED_COLUMN, f"no source in scope has a column '{spelled}'", node, near
    )
    return UNRESOLVED


def find_spelling(scope: Scope, name: str, node: exp.Column) -> Slot | None:
    """ "Name"

    a schema that was declared without quotes has a Name: it is meant, although Name folds
    """
    table = node.args.get("table")
    if table:
        source = scope.find_source(
            scope.evaluation.fold_table(table.name, table.args.get("quoted"))
        )
    else:
        source = None
    around: Scope | None = scope
    while around is not None:
        if table is None:
            members = around.order
        elif source is not None:
            members = [source]
        else:
            members = []
        for member in members:
            slot = next((slot for slot in member.frame.slots if slot.name == name), None)
            if slot is not None:
                if member.dataset is not None:
                    scope.evaluation.read(origin_of(slot), scope.clause, node)
                return slot
        around = around.parent if table is None else None
    return None


def row_value(scope: Scope, source: Source, node: exp.Expression) -> Slot:
    """SELECT t FROM t      every column of t, as one value"""
    slots = source.row_slots
    for slot in slots:
        if source.dataset is not None and slot.star is None:
            scope.evaluation.read(origin_of(slot), scope.clause, node)
    return Slot(source.alias, source.alias, row_struct(slots, not source.stars, node))

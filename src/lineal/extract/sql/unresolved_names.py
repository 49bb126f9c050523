"""Names that are missing in every source: pseudo-columns, whole rows, other spellings; else a diagnostic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineal.algebra.frame import Frame, Scan, Slot
from lineal.algebra.lineage import add_doubt
from lineal.algebra.relation import row_struct
from lineal.algebra.values import Part
from lineal.extract.sql.nodes import part_names
from lineal.extract.sql.sources import (
    UNRESOLVED,
    Source,
    is_sequence,
    origin_of,
)
from lineal.model.diagnostic import Code
from lineal.model.edge import Column, Doubt
from lineal.model.names import Fold, insensitive, sensitive
from lineal.model.way import IDENTITY, Confidence

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

    other: Slot | None = None
    if evaluation.fold is insensitive:
        other = find_spelling(scope, insensitive, name, node)
    elif node.this.args.get("quoted"):
        other = find_spelling(scope, sensitive, name, node)

    if other is not None:
        return other

    evaluation.unresolved += 1
    # it may be one of those that only a run knows, which has been said
    if evaluation.reading.script.open:
        return UNRESOLVED

    spelled = ".".join(part_names(node))
    near = scope.did_you_mean(name)
    evaluation.report(
        Code.UNRESOLVED_COLUMN, f"no source in scope has a column '{spelled}'", node, near
    )
    source = meant_source(scope, node)
    if source is None or is_alias(key, node, scope):
        return UNRESOLVED

    return read_undeclared(source.frame, name, key, node, scope)


def meant_source(scope: Scope, node: exp.Column) -> Source | None:
    """Return the source that an unresolved column is meant to be of.

    t.x, or x where t is the only source in sight: t, whatever its declaration says
    """
    table = node.args.get("table")
    if table is not None:
        key = scope.evaluation.fold_table(table.name, table.args.get("quoted"))
        return scope.find_source(key)

    found: list[Source] = []
    around: Scope | None = scope
    while around is not None:
        found += around.order
        around = around.parent

    if len(found) != 1:
        return None

    return found[0]


def is_alias(key: str, node: exp.Column, scope: Scope) -> bool:
    """Tell whether a name is an alias of the SELECT list.

    SELECT a AS x FROM t WHERE x > 1      x is the alias, which WHERE does not see
    """
    if node.args.get("table") is not None:
        return False

    select = node.find_ancestor(exp.Select)
    if select is None:
        return key in scope.aliases

    fold = scope.evaluation.fold
    aliases = (item for item in select.expressions if isinstance(item, exp.Alias))
    return any(fold(item.alias, False) == key for item in aliases)


def read_undeclared(frame: Frame, name: str, key: str, node: exp.Column, scope: Scope) -> Slot:
    """Read a column that a declaration lacks.

    SELECT x FROM t, where YAML or another script's DDL declares t without x

    a declaration can be stale, so the column may be there: read, with a LOW doubt. A declaration in
    the same script is not, and neither is a name that differs only by its case.
    """
    evaluation = scope.evaluation
    if not isinstance(frame, Scan) or frame.declared_in is None:
        return UNRESOLVED

    folded = key.lower()
    if evaluation.reading.script.file in frame.declared_in or not frame.complete:
        return UNRESOLVED

    if any(known.lower() == folded for known in frame.index):
        return UNRESOLVED

    origin = Column(frame.dataset, name)
    evaluation.read(origin, scope.clause, node, learn=False)
    doubt = Doubt(Confidence.LOW, False, f"`{frame.dataset}` is declared without `{name}`")
    return Slot(name, key, add_doubt({(origin, IDENTITY): None}, doubt))


def find_spelling(scope: Scope, fold: Fold, name: str, node: exp.Column) -> Slot | None:
    """Find the column that differs only in how its name is quoted.

    "Name"      a schema that was declared without quotes has a Name: it is meant, although it folds
    name        in a dialect that folds every name, over "Name" as PostgreSQL declares it
    """
    wanted = fold(name, None)
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
            slot = next(
                (slot for slot in member.frame.slots if fold(slot.name, None) == wanted), None
            )
            if slot is not None:
                if member.dataset is not None:
                    scope.evaluation.read(origin_of(slot), scope.clause, node)

                return slot

        around = around.parent if table is None else None

    return None


def is_row_of_call(node: exp.Expression, dialect: str) -> bool:
    """VALUE(t), REF(t)      Oracle: t is a row of an object table, and no column"""
    call = node.parent
    if dialect not in ROWS_OF_CALLS or not isinstance(call, exp.Anonymous):
        return False

    return len(call.expressions) == 1 and call.name.lower() in ROWS_OF_CALLS[dialect]


ROWS_OF_CALLS = {"oracle": ("value", "ref")}
"""Functions whose argument is the alias of a table."""


def takes_row(call: exp.Expr | None) -> bool:
    """TO_JSON_STRING(orders), row_to_json(orders)      a row, rather than a column called orders"""
    if isinstance(call, exp.Anonymous):
        return call.name.lower() in TAKES_ROW

    return isinstance(call, (exp.JSONFormat, exp.JSONArrayAgg))


TAKES_ROW = frozenset(("row_to_json", "to_json", "to_jsonb", "json_agg", "jsonb_agg", "hstore"))


def row_value(scope: Scope, source: Source, node: exp.Expression) -> Slot:
    """Return a whole row as one value.

    SELECT t FROM t      every column of t, as one value
    """
    slots = source.row_slots
    if source.dataset is None and len(slots) == 1 and isinstance(slots[0].lineage, Part):
        return slots[0]  # jsonb_array_elements(xs) AS e: e is the element

    for slot in slots:
        if source.dataset is not None and slot.star is None:
            scope.evaluation.read(origin_of(slot), scope.clause, node)

    return Slot(source.alias, source.alias, row_struct(slots, not source.stars, node))

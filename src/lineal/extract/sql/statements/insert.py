"""INSERT INTO … SELECT: by position, onto the column list or the target's schema."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Frame, Lineage, Slot, united
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.relations import relation
from lineal.extract.sql.scope import CTEs, Scope, Source
from lineal.extract.sql.statements import Plan, Unsupported, listed_columns, spelled
from lineal.extract.sql.statements.change import assigned


def insert(node: exp.Insert, facts: Facts) -> Plan | type[Unsupported] | None:
    """INSERT INTO t (a, b) SELECT x, y FROM s      x → t.a, y → t.b"""
    schema = node.this if isinstance(node.this, exp.Schema) else None
    table = schema.this if schema is not None else node.this
    query = node.args.get("expression")
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier) or query is None:
        return Unsupported
    name, key = spelled(table, facts)
    columns = listed_columns(schema, facts) if schema is not None else []
    by_name = bool(node.args.get("by_name"))
    conflict = node.args.get("conflict")
    sets = conflict is not None and bool(conflict.expressions)
    return Plan(
        name, key, "table", query=query, columns=columns, with_=node.args.get("with_"), node=node,
        defines=False, positional=not by_name,
        after=(lambda frame, e, c: on_conflict(conflict, table, frame, e, c)) if sets else None,
    )  # fmt: skip


def on_conflict(node: Any, table: exp.Table, frame: Frame, evaluation: Evaluation, ctes: CTEs) -> Frame:
    """… ON CONFLICT (id) DO UPDATE SET b = excluded.b + t.b      excluded is the row that was to be inserted"""
    scope = Scope(evaluation, None, ctes)
    rows: Lineage = dict(frame.rows)
    relation(table, scope, rows)
    scope.sources["excluded"] = Source("excluded", "excluded", Frame(frame.slots, {}))
    columns = assigned(node, scope, {})
    for slot in frame.slots:
        held = columns.get(slot.key)
        columns[slot.key] = slot if held is None else Slot(slot.name, slot.key, united([slot.lineage, held.lineage]))
    return Frame(list(columns.values()), rows)


PLANNERS = {exp.Insert: insert}

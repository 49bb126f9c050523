"""INSERT INTO … SELECT: by position, onto the column list or the target's schema."""

from __future__ import annotations

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.statements import Plan, Unsupported, listed_columns, spelled


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
    return Plan(
        name, key, "table", query=query, columns=columns, with_=node.args.get("with_"), node=node,
        defines=False, positional=not by_name,
    )  # fmt: skip


PLANNERS = {exp.Insert: insert}

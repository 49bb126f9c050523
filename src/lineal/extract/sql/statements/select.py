"""SELECT … on its own: a dataset named after its file or model."""

from __future__ import annotations

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.statements.planning import plan_of
from lineal.extract.sql.statements.steps import Plan, Steps, Unsupported
from lineal.extract.sql.tables import is_local, is_named, spell_table


def plan_select(node: exp.Expr, facts: Facts) -> Plan:
    """Plan a SELECT.

    SELECT a FROM t      the caller gives it a name
    """
    first = node
    # SELECT a INTO t FROM s UNION ALL SELECT …
    while isinstance(first, (exp.SetOperation, exp.Subquery)):
        first = first.this

    into = first.args.get("into")
    if into is not None and is_named(into.this):
        name, key = spell_table(into.this, facts)
        temporary = bool(into.args.get("temporary")) or is_local(name)
        return Plan(name, key, "table", query=node, node=node, temporary=temporary)

    return Plan("", "", "query", query=node, node=node)


def locking(node: exp.LockingStatement, facts: Facts) -> Steps | type[Unsupported]:
    """Plan a SELECT with a lock.

    LOCKING ROW FOR ACCESS SELECT …      the statement that the lock is for
    """
    return plan_of(node.expression, facts)


PLANNERS = {
    exp.LockingStatement: locking,
    exp.Select: plan_select,
    exp.Union: plan_select,
    exp.Intersect: plan_select,
    exp.Except: plan_select,
    exp.Subquery: plan_select,
    exp.Values: plan_select,
    exp.Pivot: plan_select,
}

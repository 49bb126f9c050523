"""Generated columns: what a table computes from its own columns, as a statement that sets them."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.nodes import list_arg
from lineal.extract.sql.statements.change import update
from lineal.extract.sql.statements.steps import Plan
from lineal.extract.sql.tables import is_named, target_of
from lineal.model.sequences import as_list, present

COMPUTED = (exp.ComputedColumnConstraint, exp.GeneratedAsIdentityColumnConstraint)


def with_generated(node: exp.Expr, found: Any, facts: Facts) -> Any:
    """Add the generated columns of a table to the plan of its declaration.

    CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a * 2)), ALTER TABLE t ADD b AS (a * 2)

    b comes from a: UPDATE t SET b = a * 2
    """
    if not isinstance(node, (exp.Create, exp.Alter)) or node.args.get("expression") is not None:
        return found

    table, schema = target_of(node.args.get("this"))
    items = schema.expressions if schema is not None else list_arg(node, "actions")
    assignments = present(list(map(assignment_of, items)))
    if not assignments or not is_named(table):
        return found

    plan = update(exp.Update(this=table.copy(), expressions=assignments), facts)
    if not isinstance(plan, Plan):
        return found

    plan.node = node
    return [*as_list(found), plan]


def assignment_of(item: exp.Expr) -> exp.EQ | None:
    """total INT GENERATED ALWAYS AS (qty * price) STORED      total = qty * price"""
    if not isinstance(item, exp.ColumnDef):
        return None

    kinds = [constraint.args.get("kind") for constraint in list_arg(item, "constraints")]
    value = next((value_in(kind) for kind in kinds if isinstance(kind, COMPUTED)), None)
    if value is None or value.find(exp.Column) is None:
        return None

    return exp.EQ(this=exp.column(item.this.copy()), expression=value.copy())


def value_in(constraint: Any) -> Any:
    """GENERATED ALWAYS AS (a * 2)      a * 2; GENERATED ALWAYS AS IDENTITY has no expression"""
    if isinstance(constraint, exp.ComputedColumnConstraint):
        return constraint.this

    return constraint.args.get("expression")

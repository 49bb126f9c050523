"""Leaves of an expression other than plain columns: parameters, placeholders, names in texts."""

from __future__ import annotations

from sqlglot import exp

from lineal.algebra.expression import (
    value,
)
from lineal.algebra.lineage import pour
from lineal.extract.sql.dialects.procedures import CURSOR_ATTRIBUTES
from lineal.extract.sql.expressions.walk import Calls, Visit, binary
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.tables import column_in_text, literal_name
from lineal.model.way import Way


def parameter(node: exp.Parameter, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a parameter.

    $1

    Snowflake: the first column of the only source; elsewhere a parameter, and no column; @x: a
    variable

    @ x in PostgreSQL is no parameter: the absolute value of x.
    """
    around = visit.scope.evaluation.around
    if around is not None:
        slot = around.sigil(node)
        if slot is not None:
            pour(slot.lineage, way, visit.into, node, calls)
            return

    if is_absolute(node, visit.scope):
        name = exp.Identifier(this=node.this.name, quoted=False)
        visit.stack.append((exp.Column(this=name), value(way), (node, calls)))

    if visit.scope.evaluation.facts.columns_by_number and len(visit.scope.order) == 1:
        if node.name.isdigit():
            slot = visit.scope.positional(visit.scope.order[0], f"${node.name}", node)
        else:
            slot = None

        if slot is not None:
            pour(slot.lineage, way, visit.into, node, calls)


def is_absolute(node: exp.Parameter, scope: Scope) -> bool:
    """Tell whether a parameter is PostgreSQL's absolute value.

    @ x, @ t.x      PostgreSQL's absolute value
    """
    return scope.evaluation.facts.absolute_sign and node.this.__class__ is exp.Var


def placeholder(node: exp.Placeholder, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a placeholder.

    :x      a variable of the procedure around; elsewhere a parameter, and no column
    """
    around = visit.scope.evaluation.around
    slot = around.sigil(node) if around is not None else None
    if slot is not None:
        pour(slot.lineage, way, visit.into, node, calls)


def extract(node: exp.Extract, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk EXTRACT.

    EXTRACT(YEAR_MONTH FROM a)      the unit is no column, whatever it is called
    """
    visit.stack.append((node.args["expression"], value(way), (node, calls)))


def dynamic_identifier(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a column that IDENTIFIER names, in a node of sqlglot's own.

    IDENTIFIER('t.a'), where sqlglot knows it
    """
    identifier(node, False, way, calls, visit)


def identifier(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a column that IDENTIFIER names.

    IDENTIFIER('t.a')      the column that the text names
    """
    text = literal_name(node)
    if text is not None:
        visit.stack.append((column_in_text(text), way, calls))


def remainder(node: exp.Mod, way: Way, calls: Calls, visit: Visit) -> None:
    """a % b      both are transformed; of Oracle's SQL%ROWCOUNT and c%FOUND nothing is"""
    attributes = CURSOR_ATTRIBUTES.get(visit.scope.evaluation.facts.name, ())
    if isinstance(node.this, exp.Column) and node.expression.name.lower() in attributes:
        return

    binary(node, way, calls, visit)

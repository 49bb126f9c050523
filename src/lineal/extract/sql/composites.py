"""Composite types: CREATE TYPE place AS (lat float, lon float), and the type that every table's
rows have.
"""

from __future__ import annotations

from sqlglot import exp

from lineal.extract.sql.dialects.table_functions import COLUMNS, OF_A_TYPE
from lineal.extract.sql.scope import Scope
from lineal.model.edge import Column
from lineal.model.sequences import first_of_each


def fields_of(node: exp.Expr, scope: Scope) -> list[str]:
    """Return the fields of a value.

    (t.home).*, (jsonb_each(x)).*

    the fields of a value, in order; none where its type is not known
    """
    while isinstance(node, exp.Paren):
        node = node.this

    if isinstance(node, exp.Anonymous):
        if node.name.lower() in OF_A_TYPE and node.expressions:
            return fields_of(node.expressions[0], scope)

        return list(COLUMNS.get(node.name.lower(), ())) or fields_returned(node.name.lower(), scope)

    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Anonymous):  # geo.located(x)
        return fields_of(node.expression, scope)

    return fields_named(type_of(node, scope), scope)


def fields_returned(function: str, scope: Scope) -> list[str]:
    """Return the fields of a function's result.

    CREATE FUNCTION located(word text) RETURNS place

    the fields of place; of RETURNS TABLE (…), those listed
    """
    routine = scope.evaluation.catalog.shapes.get(function)
    if routine is None:
        return []

    return first_of_each(routine.columns) or fields_named(routine.shape, scope)


def element_fields(node: exp.Expr, scope: Scope) -> list[str]:
    """Return the fields of an array's elements.

    unnest(t.lines)      the fields of an array's elements
    """
    return fields_named(element(type_of(node, scope)), scope)


def fields_named(type_: str, scope: Scope) -> list[str]:
    """Return the fields of a type, by its name."""
    if type_:
        return [info.name for info in scope.evaluation.catalog.row_type(type_)]

    return []


def type_of(node: exp.Expr, scope: Scope) -> str:
    """The type of a column, a field, an array's element or a cast, as it was declared; '' where
    that is not known.
    """
    while isinstance(node, exp.Paren):
        node = node.this

    if isinstance(node, exp.Cast):
        return str(node.to.sql(dialect=scope.evaluation.facts.name or None))

    if isinstance(node, exp.Bracket):
        return element(type_of(node.this, scope))

    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        return field_type(type_of(node.this, scope), node.expression.name, scope)

    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        return ""

    origins = list(scope.column(node).lineage)
    if len(origins) == 1:
        return origin_type(origins[0][0], scope)

    return ""


def origin_type(origin: Column, scope: Scope) -> str:
    """Return the type of a column or of a field in it.

    customers.home.spot      the type of a column, then of its fields
    """
    type_ = scope.evaluation.catalog.column_type(origin.dataset, origin.name)
    for name in origin.path:
        type_ = field_type(type_, name, scope)

    return type_


def field_type(type_: str, name: str, scope: Scope) -> str:
    """Return the type of one field."""
    fold = scope.evaluation.fold
    fields = scope.evaluation.catalog.row_type(type_) if type_ else []
    return next((info.type for info in fields if fold(info.name, False) == fold(name, False)), "")


def element(type_: str) -> str:
    """Return the type of an array's elements.

    item[]      item
    """
    if type_.endswith("[]"):
        return type_[:-2]

    return ""

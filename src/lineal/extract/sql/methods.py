"""Calls behind a value: a.abs(), doc.value('/x', 'int'), f(a).g(b)."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.extract.sql.placeholders import is_open_name
from lineal.extract.sql.scope import Scope

SCHEMAS = frozenset(("main", "temp", "system", "pg_catalog"))
"""SELECT main.abs(a)      the schemas that every database has"""

XML_METHODS = frozenset(("value", "query", "nodes", "exist", "modify"))
"""SELECT doc.value('/x', 'int')      the methods of a document"""


def as_function(node: exp.Expr, scope: Scope) -> Any:
    """Rewrite a method call as a function call.

    a.f(b)      f(a, b), where a is a value; None where it is a schema or a package
    """
    call = node.expression
    receiver = receiver_of(node.this, call, scope) if isinstance(call, exp.Anonymous) else None
    if receiver is None:
        return None

    return exp.Anonymous(
        this=call.this, expressions=[receiver, *(each.copy() for each in call.expressions)]
    )


def receiver_of(base: Any, call: exp.Anonymous, scope: Scope) -> Any:
    """Return the expression before the dot, if it is a value: the parser has made names of its
    columns.
    """
    facts = scope.evaluation.facts
    parts = names(base)
    if not parts:
        return as_columns(base)

    if is_open_name(parts[-1]):
        return None

    column = exp.Column(
        **dict(
            zip(
                ("this", "table", "db", "catalog"),
                (part.copy() for part in reversed(parts)),
                strict=False,
            )
        )
    )
    qualified = len(parts) > 1 and scope.find_source(
        scope.evaluation.fold_table(parts[0].name, parts[0].args.get("quoted"))
    )
    if qualified:
        return column

    if facts.chained_methods and parts[0].name.lower() not in SCHEMAS:
        return column

    if facts.xml_methods and call.name.lower() in XML_METHODS:
        return column

    if len(parts) == 1 and scope.has(column):
        return column

    return None


def names(node: exp.Expr) -> list[exp.Identifier]:
    """Return the parts of a dotted name.

    a.b      a and b; nothing for what is no name
    """
    if isinstance(node, exp.Identifier):
        return [node]

    if (
        isinstance(node, exp.Dot)
        and isinstance(node.expression, exp.Identifier)
        and (before := names(node.this))
    ):
        return [*before, node.expression]

    return []


NAMING = (exp.Column, exp.Alias, exp.Table, exp.TableAlias, exp.CTE, exp.DataType, exp.ColumnDef)
"""Nodes in which a name alone is not a column."""


def names_element(node: exp.Expr) -> bool:
    """XMLELEMENT(e, t.a)      whether a name is that of an element, and no column"""
    return isinstance(node.parent, exp.XMLElement) and node.arg_key == "this"


def as_columns(node: exp.Expr) -> Any:
    """Turn the names in an expression into columns.

    (a + t.b)      the names in an expression as the columns they are
    """

    def as_column(each: Any) -> Any:
        """Replace a path of names with the column that it names."""
        if isinstance(each.parent, NAMING) or names_element(each):
            return each

        parts = names(each)
        if not parts or isinstance(each.parent, exp.Dot):
            return each

        return exp.Column(
            **dict(
                zip(
                    ("this", "table", "db"), (part.copy() for part in reversed(parts)), strict=False
                )
            )
        )

    return node.copy().transform(as_column)

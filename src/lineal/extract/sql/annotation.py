"""The types of a tree's expressions, told by the tables that it reads: a translation depends on
them.

In PostgreSQL 7 / 2 is 3, and in Spark 3.5; which of the two a / b is, only the types of a and b
say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import TypeAnnotator
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.schema import MappingSchema

from lineal.extract.sql.nodes import holds, part_names
from lineal.model.sequences import first_or_none

Kinds = Mapping[str, Any]
"""Names of columns, folded, and their types."""

ColumnsOf = Callable[[str], Mapping[str, str]]
"""The columns of a table in Spark, and their types in Spark's words; none if it is not known."""

MISTAKES = (SqlglotError, ValueError, TypeError, AttributeError, KeyError, RecursionError)
"""The errors of sqlglot for a tree that it does not understand: then types stay unknown."""


def annotate(tree: exp.Expr, dialect: str, columns_of: ColumnsOf) -> None:
    """Give every expression the type that it has, as far as that is known."""
    annotator = TypeAnnotator(MappingSchema(dialect=dialect or None), overwrite_types=False)
    outputs: dict[int, Kinds] = {}
    try:
        for scope in traverse_scope(tree):
            sources = {
                name: kinds_of(source, outputs, columns_of)
                for name, source in scope.sources.items()
            }
            for column in scope.columns:
                kind = kind_of(column, scope, sources, outputs, columns_of)
                if kind is not None:
                    column._type = kind

            annotator.annotate_scope(scope)
            outputs[id(scope)] = dict(output_of(scope.expression, sources))

        annotator.annotate_expression(tree)
    except MISTAKES:
        return


def kind_of(
    column: Any,
    scope: Scope,
    sources: Mapping[str, Kinds],
    outputs: Mapping[int, Kinds],
    columns_of: ColumnsOf,
) -> Any:
    """The type of the column that a name means."""
    name = column.name.lower()
    if column.table:
        here: Scope | None = scope
        while here is not None:
            source = here.sources.get(column.table)
            if source is not None:
                return kinds_of(source, outputs, columns_of).get(name)

            here = here.parent

        return None

    found = [kinds[name] for kinds in sources.values() if name in kinds]
    return first_or_none(found)


def kinds_of(source: Any, outputs: Mapping[int, Kinds], columns_of: ColumnsOf) -> Kinds:
    """The columns of a member of FROM."""
    if isinstance(source, Scope):
        return outputs.get(id(source), {})

    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return {}

    name = ".".join(part_names(source))
    return {key.lower(): spark_type(kind) for key, kind in columns_of(name).items()}


def spark_type(kind: str) -> Any:
    """Return a type of Spark's by its name, or the unknown type."""
    try:
        return exp.DataType.build(kind, dialect="spark")
    except MISTAKES:
        return exp.DataType.build("unknown")


def output_of(query: exp.Expr, sources: Mapping[str, Kinds]) -> Iterator[tuple[str, Any]]:
    """The columns of a query; a star is those of its sources."""
    while isinstance(query, exp.SetOperation):
        query = query.this.unnest()

    if not isinstance(query, exp.Select):
        return

    for item in query.expressions:
        if isinstance(item, exp.Star):
            yield from chain.from_iterable(kinds.items() for kinds in sources.values())
        elif holds(item, exp.Column, exp.Star):
            yield from sources.get(item.table, {}).items()
        elif item.alias_or_name and item.type is not None:
            yield item.alias_or_name.lower(), item.type

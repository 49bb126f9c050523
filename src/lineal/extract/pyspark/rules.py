"""Types by the rules of SQL: of functions, fields, elements and generators."""

from __future__ import annotations

import ast
from typing import Any

from sqlglot import exp

from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.schemas import parsed_schema, type_text
from lineal.extract.sql.nodes import is_string, part_names
from lineal.extract.sql.types.expressions import Walk
from lineal.extract.sql.types.kinds import UNKNOWN, Kind, Type, declared_type, element, field
from lineal.extract.sql.types.queries import OPEN, Table
from lineal.extract.sql.types.rules import Rules

SPARK = "spark"
POSITIONS = (exp.Posexplode, exp.PosexplodeOuter)


class FrameTyping:
    """The names of an expression are the columns of a DataFrame."""

    dialect = SPARK
    rules = Rules(SPARK)

    @property
    def evaluation(self) -> FrameTyping:
        """Return itself: types need no other evaluation."""
        return self

    def has_body(self, node: ast.AST) -> bool:
        """Tell that functions have no bodies here."""
        return False

    def query(self, node: Any, scope: Any, ctes: Any) -> Table:
        """Return that the type of a subquery is open."""
        return OPEN

    def column(self, node: exp.Column, relation: Relation) -> Type:
        """Return the type of a column.

        a, t.a, a.field
        """
        parts = part_names(node)
        held = relation.by_key.get(parts[-1].lower(), ())
        if len(parts) > 1:
            held = [each for each in held if parts[-2].lower() in each.qualifier]

        if len(held) == 1:
            return declared_type(relation.types.get(held[0].id, ""), SPARK)

        outer = relation.by_key.get(parts[0].lower(), ()) if not held else ()
        found = (
            declared_type(relation.types.get(outer[0].id, ""), SPARK)
            if len(outer) == 1
            else UNKNOWN
        )
        for part in parts[1:]:
            found = field(found, part, SPARK)

        return found


TYPING: Any = FrameTyping()


def by_rules(tree: Any, relation: Relation) -> Type:
    """Return the type of an expression by the rules of Spark."""
    scope: Any = relation
    if isinstance(tree, exp.FromJson):
        return described_type(tree.args.get("expression"))

    return Walk(TYPING, scope, {}).type_of(tree)


def described_type(schema: Any) -> Type:
    """Return the type that a text describes.

    from_json(x, 'a INT, b STRING'), from_json(x, 'struct<a:int>')
    """
    text = schema.name if is_string(schema) else ""
    if text.lower().startswith(("array<", "map<")):
        return declared_type(text.lower(), SPARK)

    found = parsed_schema(text)
    if found is not None:
        return declared_type(type_text(found), SPARK)

    return UNKNOWN


def generated_types(tree: Any, relation: Relation) -> list[str]:
    """Return the types of a generator's columns.

    explode(xs)

    what an array holds, or the keys and values of a map; [] where that is not known
    """
    of = by_rules(tree.this, relation) if isinstance(tree.this, exp.Expr) else UNKNOWN
    position = ["int"] if isinstance(tree, POSITIONS) else []
    if of.is_a((Kind.MAP,)) and len(of.inner) == 2:
        return [*position, *(part.sql(SPARK).lower() for part in of.inner)]

    inner = element(of, SPARK)
    if inner.kind is not None:
        return [*position, inner.spelled.lower()]

    return []

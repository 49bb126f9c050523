"""Values to SQL expressions: names, literals, operators."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from lineal.extract.pyspark.collected import DATA, VALUE_TREES, open_row, subquery, tree_in
from lineal.extract.pyspark.columns.alternatives import alternatives
from lineal.extract.pyspark.frame_scope import Bound
from lineal.extract.pyspark.knowledge import is_text
from lineal.extract.pyspark.reading import PythonReading, Spot
from lineal.extract.pyspark.relation import Attribute, Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.schemas import type_text
from lineal.extract.pyspark.values import (
    SCHEMA_UNKNOWN,
    Choice,
    ColumnValue,
    Instance,
    Library,
    Pattern,
    SchemaValue,
    TypeValue,
    Unknown,
    Value,
    note_of,
)
from lineal.extract.sql.parse import parse
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.trees import MISNAMED, find_bad_name
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.script import Script
from lineal.model.sequences import all_are, first_or_none
from lineal.model.way import Confidence

NAME_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


def mark_place(run: Run, tree: Any, node: ast.AST) -> Any:
    """A leaf that knows the Python expression it was made from."""
    tree._meta = {"at": Spot(run.reading, node)}
    return tree


def identifier(name: str) -> exp.Identifier:
    """Return a name as a node of a tree."""
    return exp.Identifier(this=name, quoted=False)


def name_tree(run: Run, name: str, node: ast.AST) -> Any:
    """Parse the name of a column.

    "x", "a.x", "a.*", "`odd name`.field"      as F.col reads it
    """
    if name == "*":
        return mark_place(run, exp.Star(), node)

    if "." not in name and "`" not in name:
        return mark_place(run, exp.Column(this=identifier(name)), node)

    parts = name_parts(name)
    if parts[-1] == "*":
        keys = dict(
            zip(("table", "db", "catalog"), map(identifier, reversed(parts[:-1])), strict=False)
        )
        return mark_place(run, exp.Column(this=exp.Star(), **keys), node)

    head, rest = parts[:4], parts[4:]
    keys = dict(
        zip(("this", "table", "db", "catalog"), map(identifier, reversed(head)), strict=False)
    )
    tree: Any = mark_place(run, exp.Column(**keys), node)

    for part in rest:
        tree = exp.Dot(this=tree, expression=identifier(part))

    return tree


def name_parts(name: str) -> list[str]:
    """Return the parts of a dotted name, without their quotes.

    `odd name`.field
    """
    parts = [quoted.replace("``", "`") or plain for quoted, plain in NAME_PART.findall(name)]
    return parts or [name]


def stars_with(relation: Relation, key: str) -> list[Attribute]:
    """Return the open stars that may hold a column."""
    stars = [(each, each.slot.star) for each in relation.stars]
    return [each for each, star in stars if star is not None and key not in star.excepted]


def bound_column(run: Run, relation: Relation, name: str, node: ast.AST) -> Any | None:
    """Return the column of a DataFrame.

    df.x, df["x"], df["*"]      None if df cannot have an x
    """
    if name == "*":
        star = mark_place(run, exp.Star(), node)
        star.meta["of"] = relation
        return star

    parts = name_parts(name) if "." in name or "`" in name else [name]
    key = parts[0].lower()
    held: Sequence[Attribute] = relation.by_key.get(key, ())
    if not held and len(parts) == 1:
        held = stars_with(relation, key)

    if len(held) != 1:
        return name_tree(run, name, node)

    tree: Any = mark_place(run, exp.Column(this=identifier(parts[0])), node)
    tree._meta["bound"] = Bound(relation, held[0].id, key)
    for part in parts[1:]:
        tree = exp.Dot(this=tree, expression=identifier(part))

    return tree


def literal(run: Run, value: Value, node: ast.AST) -> Any:
    """Return a value as a constant.

    A value where PySpark takes values: F.lit("x"), df.x == "x"
    """
    if isinstance(value, ColumnValue):
        return value.tree

    if isinstance(value, bool):
        return exp.Boolean(this=value)

    if isinstance(value, str):
        return tree_in(value) or exp.Literal.string(str(value))

    if isinstance(value, (int, float)):
        if value >= 0:
            return exp.Literal.number(repr(value))

        return exp.Neg(this=exp.Literal.number(repr(-value)))

    if isinstance(value, (list, tuple, set, frozenset)):
        return exp.Array(expressions=[literal(run, item, node) for item in value])

    if isinstance(value, Instance) and "value" in value.names:
        return literal(run, value.names["value"], node)

    if isinstance(value, Relation):
        return subquery(value)

    if isinstance(value, (SchemaValue, TypeValue)):
        return exp.Literal.string(type_text(value))

    make = VALUE_TREES.get(value.__class__)
    if make is not None:
        return make(run, value, node)

    if open_row(value) is not None:
        run.dynamic(f"a value of a row whose columns are not known ({DATA})", node)
        return unknown_constant(value)

    found = tree_in(value)
    if found is None and isinstance(value, Unknown) and value.inputs:
        report_computed(run, value, node)

    return found or unknown_constant(value)


def report_computed(run: Run, value: Unknown, node: ast.AST) -> None:
    """F.lit(estimate(df))      Report a value that code which is not followed has made of a DataFrame."""
    if value.reason != SCHEMA_UNKNOWN:
        run.dynamic(note_of("a value", value), node, value.level)


def unknown_constant(value: Value) -> Any:
    """Return the constant of a value that only a run knows."""
    found = exp.Null()
    if isinstance(value, (Unknown, Library)):
        found.meta["unknown"] = True

    return found


def column(run: Run, value: Value, node: ast.AST) -> Any:
    """Return a value as a column.

    A value where PySpark takes a column or its name: df.select("x"), F.sum("x")
    """
    if value.__class__ is ColumnValue:
        return value.tree

    if value.__class__ is str:
        return name_tree(run, value, node)

    if isinstance(value, (Pattern, Unknown, Choice, Library)):
        return dynamic_column(run, value, node)

    if isinstance(value, Instance) and isinstance(value.names.get("value"), str):
        return name_tree(run, value.names["value"], node)

    return literal(run, value, node)


def dynamic_column(run: Run, value: Value, node: ast.AST) -> Any:
    """Return a column whose name only a run knows.

    F.col(name_that_only_a_run_knows)
    """
    if isinstance(value, Choice) and all_are(value.options, str):
        return alternatives(*(name_tree(run, option, node) for option in value.options))

    several = value.options if isinstance(value, Choice) else (value,)
    unsaid = next(each for each in several if not is_text(each))
    run.dynamic(note_of("a column", unsaid), node, getattr(unsaid, "level", Confidence.UNKNOWN))
    return exp.Null()


def parse_items(run: Run, text: str, node: ast.AST) -> list[Any]:
    """Parse the items of a SELECT list.

    F.expr("a + b AS c"), selectExpr("a", "b * 2 AS c")      items of a SELECT list
    """
    tree = statement(run, f"SELECT {text}", node, shift=-7)
    if tree is None or not isinstance(tree, exp.Select):
        return []

    return list(tree.expressions)


def statement(run: Run, text: str, node: ast.AST, shift: int = 0) -> Any | None:
    """Parse a text as one statement of SQL."""
    found = statements(run, text, node, shift)
    return first_or_none(found)


def statements(run: Run, text: str, node: ast.AST, shift: int = 0) -> list[Any]:
    """Return the trees of a SQL text in the program."""
    place = run.reading.place_of(node)
    file, line = (place.file, place.line) if place else ("", 1)
    reading, trees, diagnostics = parse_once(run.reading, text, file, line, run.facts.name)

    for diagnostic in diagnostics:
        if diagnostic.code is not Code.DYNAMIC:
            run.report(diagnostic.code, diagnostic.message, node)

    if reading.found is not None:
        run.program.known.add_routines(reading.found.functions)

    if any(mark in text for mark in MARKS):
        trees = [tree for tree in trees if is_named(run, tree, node)]

    for tree in trees:
        run.reading.embed(tree, reading)

    return trees


def parse_once(
    home: PythonReading, text: str, file: str, line: int, dialect: str = "spark"
) -> tuple[Reading, list[Any], list[Diagnostic]]:
    """Parse a SQL text of a program; a function that is called again gets copies of its trees."""
    known = home.parsed.get((dialect, text, file, line))
    if known is not None:
        reading, trees, diagnostics = known
        return reading, [tree.copy() for tree in trees], diagnostics

    reading = Reading(Script(text, dialect, file, line))
    trees, _, diagnostics = parse(reading)
    if reading.found is None and len(text) <= LONGEST_KEPT:
        home.parsed[dialect, text, file, line] = (
            reading,
            [tree.copy() for tree in trees],
            diagnostics,
        )

    return reading, trees, diagnostics


LONGEST_KEPT = 20_000
"""Characters of a SQL text whose trees are kept for the next call."""

MARKS = "@?:{["
"""The parts of a value that is used as a name."""


def is_named(run: Run, tree: Any, node: ast.AST) -> bool:
    """Tell whether every name is a word; if not, the statement is not valid.

    SELECT a AS @x
    """
    if find_bad_name(tree) is None:
        return True

    run.report(Code.PARSE_ERROR, MISNAMED, node)
    return False


# -- operators -------------------------------------------------------------------------------------

BINARY: dict[type, Any] = {
    ast.Add: exp.Add, ast.Sub: exp.Sub, ast.Mult: exp.Mul, ast.Div: exp.Div, ast.Mod: exp.Mod, ast.BitAnd: exp.And,
    ast.BitOr: exp.Or, ast.Pow: exp.Pow,
}  # fmt: skip
COMPARED: dict[type, Any] = {
    ast.Eq: exp.EQ, ast.NotEq: exp.NEQ, ast.Lt: exp.LT, ast.LtE: exp.LTE, ast.Gt: exp.GT, ast.GtE: exp.GTE,
}  # fmt: skip


def binary(run: Run, op: type, left: Value, right: Value, node: ast.AST) -> Value:
    """Build a binary operator.

    col("a") + 1
    """
    return operator(run, BINARY.get(op, exp.Add), left, right, node)


def compare(run: Run, op: type, left: Value, right: Value, node: ast.AST) -> Value:
    """Build a comparison.

    col("a") == "x"
    """
    return operator(run, COMPARED.get(op, exp.EQ), left, right, node)


def operator(run: Run, kind: Any, left: Value, right: Value, node: ast.AST) -> ColumnValue:
    """Return a binary operator over two columns or constants."""
    doubts = [
        value.doubt
        for value in (left, right)
        if isinstance(value, ColumnValue) and value.doubt is not None
    ]
    tree = kind(this=literal(run, left, node), expression=literal(run, right, node))
    return ColumnValue(tree, doubt=min(doubts) if doubts else None)


def unary(run: Run, op: type, held: ColumnValue, node: ast.AST) -> Value:
    """Build a unary operator.

    ~col("a"), -col("a")
    """
    return ColumnValue((exp.Not if op is ast.Invert else exp.Neg)(this=held.tree), doubt=held.doubt)


def item(value: ColumnValue) -> Any:
    """Return a column's expression together with its alias.

    The expression with its alias, where it stands next to others: struct(a.alias("p"))
    """
    if len(value.names) == 1:
        return exp.Alias(this=value.tree, alias=identifier(value.names[0]))

    return value.tree

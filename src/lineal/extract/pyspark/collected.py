"""Values that a program collects: df.collect(), df.first(), df.count().

Only the data knows them, but their columns are known. In an expression such a value is a scalar
subquery: `latest = df.agg(F.max("day")).first()[0]` and then `orders.filter(F.col("day") > latest)`
is `WHERE day > (SELECT max(day) FROM df)`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from typing import Any

from sqlglot import exp

from lineal.algebra.lineage import add_doubt
from lineal.extract.pyspark.dispatch import FRAME_METHODS
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import (
    Collected,
    ColumnValue,
    Instance,
    Pattern,
    Unknown,
    Value,
    label_of,
)
from lineal.extract.sql.nodes import items_in
from lineal.extract.sql.placeholders import name_of
from lineal.model.edge import Doubt
from lineal.model.sequences import first_or_none, present
from lineal.model.way import Confidence

DATA = "only the data knows"
WHOLE_ROW = Doubt(Confidence.MEDIUM, False, "a value of a collected row, whichever it is")

KEPT_BY = frozenset(
    "asDict as_dict copy tolist to_list sort reverse remove".split()  # noqa: SIM905
)
"""Methods of rows and lists that keep their values."""

VALUE_TREES: dict[type, Callable[[Run, Any, Any], Any]] = {}
"""The expression of a value of a DataFrame library, by its class: df["x"].max() of pandas."""


def subquery(relation: Relation) -> exp.Subquery:
    """Return a DataFrame as a subquery.

    df.scalar(), col.isin(df)      a DataFrame inside an expression
    """
    tree = exp.Subquery(this=exp.Select(expressions=[]))
    tree.meta["relation"] = relation
    return tree


def rows_of(label: str, relation: Relation) -> Unknown:
    """df.collect()      Return rows of a DataFrame."""
    return Unknown(
        label, DATA, inputs=(relation,), collected=Collected(each=row_of(label, relation))
    )


def row_of(label: str, relation: Relation) -> Unknown:
    """df.first()      Return one row of a DataFrame."""
    return Unknown(label, DATA, inputs=(relation,), collected=Collected(row=relation))


def value_of(label: str, relation: Relation) -> Unknown:
    """df.agg(F.max("x")).first()[0]      Return the one value of a DataFrame."""
    column = ColumnValue(subquery(relation))
    return Unknown(label, DATA, inputs=(relation,), collected=Collected(column))


def part_of(run: Run, held: Unknown, key: Value, node: ast.AST) -> Unknown | None:
    """rows[0], row["x"], row.x, value[2]      Return a part of a collected value."""
    known = held.collected
    if known is None:
        return None

    if known.row is None:
        return item_of_rows(held, known, key)

    found = column_at(run, known.row, key, node)
    if found is None:
        return held.rename(label_of(node))

    return value_of(label_of(node), found)


def value_by_key(run: Run, held: Unknown, arguments: list[Value], node: ast.AST) -> Value:
    """row.asDict().get("x", 0)      Return the value of a column."""
    if arguments:
        return part_of(run, held, arguments[0], node)

    return held


def keys_of(run: Run, held: Unknown, arguments: list[Value], node: ast.AST) -> Value:
    """row.asDict().keys()      Return the names of columns, which only the data knows."""
    return Unknown(label_of(node), DATA, inputs=held.inputs)


def values_of(run: Run, held: Unknown, arguments: list[Value], node: ast.AST) -> Value:
    """row.asDict().values(), row.asDict().items()      Return all values of a row."""
    return held


MAPPING_METHODS: dict[str, Callable[[Run, Unknown, list[Value], Any], Value]] = {
    "get": value_by_key,
    "items": values_of,
    "keys": keys_of,
    "values": values_of,
}
"""Methods of a row as a dict, where it has no column of that name."""


def item_of_rows(held: Unknown, known: Collected, key: Value) -> Unknown:
    """rows[0], rows[1:], mapping[key]      Return an item of several; a part of one value is itself."""
    if isinstance(key, slice) or not isinstance(known.each, Unknown):
        return held

    return known.each


def column_at(run: Run, relation: Relation, key: Value, node: ast.AST) -> Relation | None:
    """row["x"], row.x, row[0]      Return the column of a row, where it is known which one it is."""
    if isinstance(key, Pattern):
        return None

    if isinstance(key, str):
        found = relation.by_key.get(key.lower(), ())
        if len(found) == 1:
            return relation.derive([found[0]])

        selected: Relation = FRAME_METHODS["select"](run, relation, Invocation([key], {}, node))
        return selected

    count = len(relation.attributes)
    if isinstance(key, int) and relation.complete and -count <= key < count:
        return relation.derive([relation.attributes[key]])

    return None


def item_in(held: Value) -> Value | None:
    """for row in rows      Return an item of a collected value: all of them are alike."""
    if not isinstance(held, Unknown) or held.collected is None:
        return None

    if held.collected.each is not None:
        return held.collected.each

    return held


def tree_in(held: Value) -> Any | None:
    """Return the expression of a collected value; None for any other value.

    latest, [latest, 1], f"{latest}"
    """
    known = getattr(held, "collected", None)
    if known is not None:
        return tree_of_collected(known)

    if isinstance(held, Pattern):
        return join_trees(list(held.values.values()))

    if isinstance(held, (list, tuple, set, frozenset)):
        return combine_collected(held)

    if isinstance(held, dict):
        return combine_collected((*held, *held.values()))

    if isinstance(held, Instance):
        if held.home.is_tuple:
            return combine_collected(held.names.values())

        return None

    return None


def tree_of_collected(known: Collected) -> Any | None:
    """Return the expression of a collected value, row or list."""
    if known.column is not None:
        return known.column.tree

    if known.row is not None:
        return tree_of_row(known.row)

    return tree_in(known.each)


def open_row(held: Value) -> Relation | None:
    """Return the DataFrame of a collected row of which nobody knows the columns."""
    known = getattr(held, "collected", None)
    if known is None:
        return None

    if known.each is not None:
        return open_row(known.each)

    if known.row is not None and known.row.stars:
        found: Relation = known.row
        return found

    return None


def tree_of_row(relation: Relation) -> Any:
    """str(row)      Return a row as a value: any of its columns may be meant."""
    if len(relation.attributes) == 1:
        return subquery(relation)

    several = [
        each._replace(slot=each.slot._replace(lineage=add_doubt(each.slot.lineage, WHOLE_ROW)))
        for each in relation.attributes
    ]
    return exp.Tuple(expressions=[subquery(relation.derive([each])) for each in several])


def combine_collected(values: Iterable[Value]) -> Any | None:
    """Return one expression of the collected ones among several values."""
    return join_trees(present(map(tree_in, values)))


def join_trees(trees: list[Any]) -> Any | None:
    """Return one expression for several, None for none."""
    if len(trees) > 1:
        return exp.Tuple(expressions=trees)

    return first_or_none(trees)


def put_collected(tree: Any, text: str) -> bool:
    """Put collected values into an expression; return whether nothing else is unknown in its text.

    df.where(f"day > '{latest}'")      day > (SELECT max(day) FROM …)
    """
    if not isinstance(text, Pattern) or not text.values:
        return False

    met: set[str] = set()
    for node in list(tree.find_all(exp.Literal, exp.Placeholder)):
        written = node.this if isinstance(node, exp.Literal) else name_of(node)
        held = [label for label in text.values if label in str(written)]
        if held and node.parent is not None:
            met.update(held)
            trees = [text.values[label].copy() for label in held]
            one = len(trees) == 1 and written == held[0]
            node.replace(trees[0] if one else exp.Anonymous(this="format", expressions=trees))

    return met.issuperset(PLACEHOLDER.findall(text))


PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def lift_value(run: Run, held: Value, node: ast.AST) -> Value:
    """float(frame["x"].max())      Return a value of a DataFrame library as a collected one."""
    make = VALUE_TREES.get(held.__class__)
    if make is None:
        return held

    return Unknown("…", DATA, collected=Collected(ColumnValue(make(run, held, node))))


def computed_of(name: str, values: Iterable[Value]) -> Collected | None:
    """int(latest), latest + 1      Return the columns of a value that is computed of others."""
    tree = combine_collected(values)
    if tree is None:
        return None

    inner = items_in(tree)
    return Collected(ColumnValue(exp.Anonymous(this=name, expressions=inner)))

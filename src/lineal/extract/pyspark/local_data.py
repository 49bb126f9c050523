"""Local data: spark.createDataFrame(rows), and the collected values in its rows."""

from __future__ import annotations

import ast
from functools import reduce

from lineal.algebra.frame import Slot
from lineal.extract.pyspark.collected import item_in, tree_in, value_of
from lineal.extract.pyspark.columns.trees import literal
from lineal.extract.pyspark.dispatch import FRAME_METHODS
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.relation import Relation, fresh, open_star
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.types import schema_of
from lineal.extract.pyspark.values import ColumnValue, Instance, SchemaValue, Unknown, Value
from lineal.model.sequences import first_or_none


def create_data_frame(run: Run, call: Invocation) -> Value:
    """Build a DataFrame from local data.

    spark.createDataFrame(rows, ["a", "b"])      local data has no source
    """
    data = call.argument(0, "data")
    item = item_in(data)
    if item is not None:
        data = rows_of_item(item)

    wanted = call.argument(1, "schema")
    schema = schema_of(run, wanted, call.node)
    if wanted is None and not isinstance(data, (str, dict)):
        schema = schema_of_rows(items_of(data) or [])

    if schema is None:
        held = data
        if not isinstance(held, Unknown):
            held = Unknown("createDataFrame()", "its rows are not followed")

        run.dynamic(
            f"local data whose columns only a run knows ({held.reason})", call.node, held.level
        )
        return Relation([open_star()], {})

    return with_collected_cells(run, local_relation(schema), items_of(data) or [], call.node)


MOST_ROWS = 100
"""Local rows that are looked through for collected values."""


def rows_of_item(item: Value) -> list[Value]:
    """createDataFrame(df.take(5)), createDataFrame([(r.id, 1) for r in rows])      one such row"""
    known = getattr(item, "collected", None)
    if known is None or known.row is None or not known.row.complete:
        return [item]

    relation = known.row
    cells = [value_of(each.slot.name, relation.derive([each])) for each in relation.attributes]
    return [dict(zip(relation.names, cells, strict=True))]


def with_collected_cells(
    run: Run, relation: Relation, rows: list[Value], node: ast.AST
) -> Relation:
    """Return local data with the sources of the values in it that the program has collected.

    spark.createDataFrame([("orders", orders.count())], ["name", "rows"])
    """
    several = []
    for row in rows[:MOST_ROWS]:
        if tree_in(row) is not None:
            several.append(relation_of_row(run, relation, row, node))

    if not several:
        return relation

    found: Relation = reduce(
        lambda left, right: FRAME_METHODS["union"](run, left, Invocation([right], {}, node)),
        several,
    )
    found.types = relation.types
    return found


def relation_of_row(run: Run, relation: Relation, row: Value, node: ast.AST) -> Relation:
    """Return local data of one row: a column per cell."""
    if isinstance(row, dict):
        cells = list(map(row.get, relation.names))
    elif isinstance(row, Instance):
        cells = list(map(row.names.get, relation.names))
    else:
        cells = items_of(row) or [row]

    cells += [None] * (len(relation.names) - len(cells))
    columns = [
        ColumnValue(literal(run, cell, node), (name,))
        for name, cell in zip(relation.names, cells, strict=False)
    ]
    made: Relation = FRAME_METHODS["select"](run, relation, Invocation(columns, {}, node))
    return made


def schema_of_rows(data: list[Value]) -> SchemaValue | None:
    """Return the columns of local rows."""
    first = first_or_none(data)
    if isinstance(first, dict):
        return SchemaValue([(str(key), type_name(value)) for key, value in first.items()])

    if isinstance(first, (tuple, list)):
        return SchemaValue(
            [(f"_{position}", type_name(value)) for position, value in enumerate(first, 1)]
        )

    return None


def type_name(value: Value) -> str:
    """Return the type of a constant."""
    kinds = {bool: "boolean", int: "bigint", float: "double", str: "string"}
    return kinds.get(type(value), "")


def local_relation(schema: SchemaValue) -> Relation:
    """Return a DataFrame of local data: its columns have no source."""
    attributes = [fresh(Slot(name, name.lower(), {})) for name, _ in schema.fields]
    relation = Relation(attributes, {})
    relation.types = {
        each.id: kind for each, (_, kind) in zip(attributes, schema.fields, strict=True) if kind
    }
    return relation

"""pandas inside Spark: toPandas, createDataFrame(frame), mapInPandas, applyInPandas.

A body that can be followed gives the columns that it makes. Anything else stays as it is without
pandas: a declared column comes from every column, LOW.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from itertools import starmap
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.extract.dataframes.pandas.calls import Call
from lineal.extract.dataframes.pandas.files import with_exact_names, with_folded_names
from lineal.extract.dataframes.pandas.values import DataFrame, Table
from lineal.extract.pyspark.dispatch import ACTIONS, invoke
from lineal.extract.pyspark.frames.groups import IN_PANDAS, Applied
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.local_data import create_data_frame
from lineal.extract.pyspark.relation import Attribute, Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.session import SESSION
from lineal.extract.pyspark.types import schema_of
from lineal.extract.pyspark.values import (
    ColumnValue,
    Function,
    Generator,
    Value,
    parameters_of,
)
from lineal.model.sequences import first_of_each


def to_pandas(run: Run, relation: Relation, call: Invocation) -> Value:
    """df.toPandas()      the same columns, as a frame of pandas"""
    return DataFrame(Table(with_exact_names(relation)))


def from_pandas(run: Run, call: Invocation) -> Value:
    """spark.createDataFrame(frame), spark.createDataFrame(frame, ["a", "b"])"""
    data = call.argument(0, "data")
    if not isinstance(data, DataFrame):
        return create_data_frame(run, call)

    relation = with_folded_names(data.relation)
    schema = schema_of(run, call.argument(1, "schema"), call.node)
    if schema is None or len(schema.fields) != len(relation.attributes):
        return relation

    titles = first_of_each(schema.fields)
    pairs = zip(relation.attributes, titles, strict=True)
    return relation.derive(list(starmap(title_of, pairs)))


def title_of(each: Attribute, name: str) -> Attribute:
    """Return a column under the name that a schema gives it."""
    return each._replace(slot=Slot(name, name.lower(), each.slot.lineage))


OVER_FRAMES = ("mapInPandas", "applyInPandas", "apply")
"""Methods that hand frames of pandas, and nothing else but keys, to a function."""


def follow_frames(
    run: Run, applied: Applied, function: Value, names: list[str], node: Any
) -> Relation | None:
    """Return what a function over frames makes; None where its body cannot be followed.

    df.groupBy("k").applyInPandas(f, schema), df.mapInPandas(f, schema)

    Groups of two DataFrames hand both of them to the function.
    """
    method = getattr(getattr(node, "func", None), "attr", "")
    if not isinstance(function, Function) or not names or method not in OVER_FRAMES:
        return None

    frames = [DataFrame(Table(with_exact_names(each))) for each in applied.sides]
    given: list[Value] = [Generator(frames)] if method == "mapInPandas" else list(frames)
    if method != "mapInPandas" and len(parameters_of(function)) == len(frames) + 1:
        keys = key_values(Call(run, [], {}, node), frames[0].table, applied.keys)
        if keys is None:
            return None

        given = [keys, *frames]

    made = invoke(run, function, Invocation(given, {}, node))
    if isinstance(made, Generator):
        made = next(iter(items_of(made) or []), None)

    if not isinstance(made, DataFrame):
        return None

    return declared_columns(run, made, names, node)


def key_values(call: Call, table: Table, keys: Sequence[ColumnValue]) -> tuple[Value, ...] | None:
    """Return the key of a group, as a function gets it; None where a key is not a column.

    def total(key, frame): return pd.DataFrame({"store": [key[0]], …})
    """
    names = [key.tree.name if isinstance(key.tree, exp.Column) else "" for key in keys]
    if not names or any(call.find(table, name) is None for name in names):
        return None

    return tuple(replace(call.series(table, name), is_scalar=True) for name in names)


def declared_columns(run: Run, made: DataFrame, names: list[str], node: ast.AST) -> Relation | None:
    """Return the columns of a schema out of a frame, by name; None where one is missing."""
    call = Call(run, [], {}, node)
    found = [call.find(made.table, name) for name in names]
    if None in found:
        return None

    kept = [title_of(each, name) for each, name in zip(found, names, strict=True) if each]
    return made.relation.derive(kept)


ACTIONS["toPandas"] = to_pandas
SESSION["createDataFrame"] = from_pandas
IN_PANDAS.append(follow_frames)

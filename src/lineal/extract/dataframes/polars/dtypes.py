"""Types of Polars, as the types of SQL that selectors compare."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.values import Library, Value

DTYPES = {
    **dict.fromkeys(("Int8", "UInt8"), "tinyint"),
    **dict.fromkeys(("Int16", "UInt16"), "smallint"),
    **dict.fromkeys(("Int32", "UInt32"), "int"),
    **dict.fromkeys(("Int64", "UInt64", "Int128", "int"), "bigint"),
    "Float32": "float",
    **dict.fromkeys(("Float64", "float"), "double"),
    **dict.fromkeys(("String", "Utf8", "str"), "string"),
    **dict.fromkeys(("Boolean", "bool"), "boolean"),
    "Date": "date",
    "Datetime": "timestamp",
    "Decimal": "decimal",
    "Binary": "binary",
}
"""pl.Int64, int: the types that need no arguments."""


def kind_of(held: Value) -> str:
    """Return the type of SQL that a type of Polars is; "" where none is known."""
    return DTYPES.get(held.name.rpartition(".")[2], "") if isinstance(held, Library) else ""


def cast_type(held: Value) -> exp.DataType:
    """Return the type of `pl.col("a").cast(pl.Int64)`."""
    kind = kind_of(held)
    return exp.DataType.build(kind) if kind else exp.DataType(this=exp.DataType.Type.UNKNOWN)


def note_types(relation: Relation, *given: Value) -> Relation:
    """Take note of the types that a reader says: schema={"id": pl.Int64}"""
    for types in given:
        if not isinstance(types, Mapping):
            continue

        for name, held in types.items():
            for attribute in relation.by_key.get(str(name).lower(), ()):
                relation.types[attribute.id] = kind_of(held)

    return relation

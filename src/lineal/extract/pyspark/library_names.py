"""Names of libraries that are constants, or that a star brings along."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lineal.extract.pyspark.functions_list import FUNCTION_NAMES
from lineal.extract.pyspark.glue import TRANSFORMS
from lineal.extract.pyspark.types import TYPE_NAMES
from lineal.extract.pyspark.values import Library, Value

STARS: Mapping[str, frozenset[str]] = {
    "pyspark.sql.functions": FUNCTION_NAMES,
    "pyspark.sql.types": frozenset(
        (*TYPE_NAMES, "StructType", "StructField", "ArrayType", "MapType", "Row")
    ),
    "pyspark.sql": frozenset(
        ("SparkSession", "DataFrame", "Column", "Row", "Window", "SQLContext", "HiveContext")
    ),
    "pyspark.sql.window": frozenset(("Window", "WindowSpec")),
    "delta.tables": frozenset(("DeltaTable",)),
    "graphframes": frozenset(("GraphFrame",)),
    "delta": frozenset(("DeltaTable",)),
    "awsglue.transforms": frozenset(TRANSFORMS),
    "awsglue.context": frozenset(("GlueContext",)),
}
"""The names that a star imports: from pyspark.sql.functions import * """

LIBRARY_CONSTANTS: Mapping[str, Value] = {
    "__future__.annotations": None,
    "math.pi": 3.14,
    "math.e": 3.14,
}

MEMBERS: dict[str, Callable[[str], Value]] = {}
"""pl.col.amount: names of libraries whose every member is a value, and what makes the value."""


def member_by_star(module: str, name: str) -> Library | None:
    """Return the member of a library that a name means after a star import.

    from pyspark.sql.functions import *
    """
    if name in STARS[module]:
        return Library(f"{module}.{name}")

    return None

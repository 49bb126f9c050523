"""DataFrame libraries other than Spark: which ones are traced, and what the interpreter asks them.

`extract/dataframes/` enters a row for each library. Its values are classes of their own: handlers
for calls, attributes, items, operators and assignments are rows of the tables in `dispatch`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Value


class FrameLibrary(NamedTuple):
    """A DataFrame library that is traced."""

    module: str
    """the packages that programs import: pandas, snowflake.snowpark"""
    title: str
    """how people call it: Snowpark"""
    strong: frozenset[str] = frozenset()
    """names that only its DataFrames have: what they are read from is one"""
    open_frame: Callable[[Run, Relation], Value] | None = None
    """makes its DataFrame of a dataset: a parameter that no call binds, a name from elsewhere"""
    spoken: tuple[str, ...] = ()
    """how annotations name its DataFrames: pd.DataFrame"""
    open_session: Callable[[], Value] | None = None
    """makes a session of it: a parameter that no call binds"""


TRACED: dict[str, FrameLibrary] = {}
"""The libraries that are traced, by the module that programs import."""

KNOWN: dict[str, dict[str, frozenset[str]]] = {}
"""The methods and functions that are known, by library and kind of value.

`docs/generate.py` makes docs/reference/dataframes.md of it.
"""

SPARK = frozenset(("pyspark", "awsglue", "dlt", "databricks"))
"""Packages of programs whose DataFrames are Spark's, unless an annotation says otherwise."""


def imports_library(module: str, words: set[str]) -> bool:
    """Tell whether the words of a file's imports include a module.

    import numpy as np, pandas as pd
    """
    return words.issuperset(module.split("."))


def imports_traced(words: set[str]) -> bool:
    """Tell whether the words of a file's imports include a library that is traced."""
    return any(imports_library(module, words) for module in TRACED)


def library_of(words: set[str], annotation: str = "") -> FrameLibrary | None:
    """Return the library whose DataFrames a file uses; None if they are Spark's.

    def clean(df: pd.DataFrame)      the annotation decides where a file imports several
    """
    several = [each for name, each in TRACED.items() if imports_library(name, words)]
    having = [each for each in several if each.open_frame is not None]
    for each in having:
        if annotation.startswith(each.spoken) and annotation:
            return each

    if not having or not SPARK.isdisjoint(words):
        return None

    return having[0]


def open_value(run: Run, relation: Relation, library: FrameLibrary | None) -> Any:
    """Return the DataFrame of a dataset, as the current library has it; Spark's is a Relation."""
    if library is None or library.open_frame is None:
        return relation

    return library.open_frame(run, relation)

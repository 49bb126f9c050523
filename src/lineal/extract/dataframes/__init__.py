"""DataFrame libraries other than Spark: front ends over the interpreter of `extract/pyspark/`.

    sources.py    files, tables and SQL texts that a program of any library reads or writes
    duckdb.py     SQL over frames: DuckDB and pandasql
    polars/       Polars: frames that never change, and expressions over their columns
    snowpark/     Snowpark: DataFrames of Snowflake, close to Spark's
    pandas/       pandas: frames that change in place and are aligned by their index
    training/     scikit-learn, XGBoost and LightGBM: what trains a model

A front end enters itself in three steps:

1. A row of `TRACED` (`extract/pyspark/frame_libraries.py`) says which import makes a file a program
   of the library, and how an unknown DataFrame of it is made.
2. Its values are classes of its own. Their attributes, items, calls, methods, operators and
   assignments are rows of the tables in `extract/pyspark/dispatch.py`, keyed by class; `RELATIONS`
   tells the relation that a value holds. Functions of the library are rows of `LIBRARIES`.
3. A frame holds a `Relation`, and its methods call the verbs of the algebra; front ends construct
   no frames. A frame that changes in place keeps its relation in a dict that `Run.touch` hears of
   before each change, so that branches of the program can be undone and merged.

Importing this package enters all of them.
"""

from __future__ import annotations

from lineal.extract.dataframes import duckdb, pandas, polars, snowpark, training

__all__ = ["duckdb", "pandas", "polars", "snowpark", "training"]

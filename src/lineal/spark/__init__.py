"""The only room that imports pyspark: Spark as the exact engine, and the pipeline that runs on it.

lineage(df_or_sql, spark)    the lineage of one DataFrame or statement, from Spark's own analysed plan
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineal.spark.exact import lineage

__all__ = ["lineage"]


def __getattr__(name: str) -> Any:
    if name == "lineage":
        from lineal.spark.exact import lineage

        return lineage
    raise AttributeError(name)

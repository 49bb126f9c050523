"""The only room that imports pyspark: Spark as the exact engine, and the pipeline that runs on it.

lineage(df_or_sql, spark)    the lineage of one DataFrame or statement, from Spark's own analyzed
                             plan
capture(spark)               the lineage of whatever is written while a block runs

Both give a `lineal.Lineage`, as `lineal.lineage` does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineal.spark.job_capture import capture
    from lineal.spark.plan_lineage import lineage

__all__ = ["capture", "lineage"]


_HOME = {"capture": "lineal.spark.job_capture", "lineage": "lineal.spark.plan_lineage"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(name)

    try:
        return getattr(import_module(_HOME[name]), name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("pyspark", "py4j"):
            raise

        raise ImportError("Spark is not installed: pip install 'lineal[spark]'") from None

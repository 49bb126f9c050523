"""A collected row as a dict: its keys are names that only the data knows, never a column `keys`."""

from __future__ import annotations

import pytest

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.script import Corpus, Script

JOB = """
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
row = spark.table("src").agg(F.max("v").alias("top")).collect()[0]
names = row.asDict().{method}()
spark.table("src").select(*[F.col(name) for name in names]).write.saveAsTable("made")
"""


@pytest.mark.parametrize("method", ["keys", "items", "values"])
def test_names_from_a_row_are_dynamic(method: str) -> None:
    script = Script(JOB.format(method=method), "python", "job.py")
    codes = {each.code for each in extract(Corpus("spark", [script])).diagnostics}
    assert Code.DYNAMIC in codes
    assert Code.UNRESOLVED_COLUMN not in codes

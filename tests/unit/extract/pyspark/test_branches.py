"""What an `if` decides that only a run can tell: both ways are followed, and what one of them has
is MEDIUM.
"""

from __future__ import annotations

import pytest

from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script

START = """
import sys
from pyspark.sql import SparkSession, functions as F, Window
spark = SparkSession.builder.getOrCreate()
df = spark.table("t")
asked = len(sys.argv) > 1
"""

PROGRAMS = {
    "columns under one name": (
        'df.select((F.col("a") if asked else F.upper("b")).alias("x"))',
        {"t.a -> out.x IDENTITY MEDIUM", "t.b -> out.x TRANSFORMATION MEDIUM"},
    ),
    "columns under two names": (
        'df.select(F.col("a") if asked else F.upper("b").alias("y"))',
        {"t.a -> out.a IDENTITY MEDIUM", "t.b -> out.y TRANSFORMATION MEDIUM"},
    ),
    "names of columns": (
        'df.select(F.col("a" if asked else "b").alias("x"))',
        {"t.a -> out.x IDENTITY MEDIUM", "t.b -> out.x IDENTITY MEDIUM"},
    ),
    "functions": (
        'df.agg((F.max if asked else F.min)("a").alias("x"))',
        {"t.a -> out.x AGGREGATION HIGH"},
    ),
    "windows": (
        'df.select(F.rank().over(Window.orderBy("a") if asked else Window.partitionBy("b").orderBy("a")).alias("x"))',
        {"t.a -> out.x WINDOW HIGH", "t.b -> out.x WINDOW MEDIUM"},
    ),
    "groups": (
        '(df.groupBy("a") if asked else df.groupBy("a", "b")).agg(F.sum("c").alias("x"))',
        {
            "t.a -> out.a IDENTITY HIGH",
            "t.a => out GROUP_BY HIGH",
            "t.b -> out.b IDENTITY MEDIUM",
            "t.b => out GROUP_BY MEDIUM",
            "t.c -> out.x AGGREGATION HIGH",
        },
    ),
    "filters": (
        'df.filter(F.col("a") > 0 if asked else F.col("b") > 0).select("c")',
        {"t.a => out FILTER MEDIUM", "t.b => out FILTER MEDIUM", "t.c -> out.c IDENTITY HIGH"},
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_branches_are_followed(name):
    program, expected = PROGRAMS[name]
    script = Script(f'{START}({program}).write.saveAsTable("out")\n', "python", "job.py")
    edges = extract(Corpus("spark", [script], [])).edges
    arrow = {True: "->", False: "=>"}
    found = {
        f"{edge.source} {arrow[edge.field_level]} {edge.target} {usage.how.value} {edge.level.name}"
        for edge in edges
        for usage in edge.usages
    }
    assert found == expected

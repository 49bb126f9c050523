"""`lineal capture JOB --compare`: what static reading finds in a program, and what Spark has
executed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

JOB = """
import sys
from pyspark.sql import SparkSession, functions as F

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
rows = spark.createDataFrame([(1, "a", 2.0)], "id int, k string, v double")
rows.write.mode("overwrite").saveAsTable("src")
kept = spark.table("src").where(F.col("v") > 1)
total = kept.groupBy("k").agg(F.sum("v").alias("total"))
total.write.mode("overwrite").saveAsTable(f"out_{sys.argv[1]}")
names = spark.table("src").collect()[0].asDict().keys()
kept.select(*[F.col(name) for name in names if name != "k"]).write.mode("overwrite").saveAsTable("dyn")
"""


def test_a_job_is_compared_and_dynamic_columns_are_counted(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(JOB)
    command = [sys.executable, "-m", "lineal", "capture", "job.py", "--compare", "--", "monday"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "src.v -> out_monday.total  AGGREGATION" in done.stdout.splitlines()
    assert "3 writes; 7 edges, static = Catalyst, 2 columns not comparable" in done.stderr
    assert "info[not-compared]: 2 edges into dyn not comparable" in done.stderr

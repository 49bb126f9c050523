"""Print the options with which the tests start the JVM of Spark, several times as fast as without.

A test's session lives for seconds. It needs no optimizing compiler, and most of its start goes to
loading classes: an archive of those classes, which one session writes into .cache, takes half of
it away. A JVM that the archive does not fit ignores it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable -Xlog:all=error:stderr"

CACHE = Path(".cache")


def main() -> None:
    """Print the options; make the archive first where it is missing."""
    if sys.argv[1:] == ["--load"]:
        load_classes()
        return
    archive = CACHE.absolute() / f"spark-{pyspark.__version__}.jsa"
    if not archive.exists():
        write_archive(archive)
    shared = f" -XX:SharedArchiveFile={archive}" if archive.exists() else ""
    print(SHORT_LIVED + shared)


def write_archive(archive: Path) -> None:
    """Let a session write it when it ends; a reader never sees half of one."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        written = Path(folder) / archive.name
        options = f"{SHORT_LIVED} -XX:ArchiveClassesAtExit={written}"
        subprocess.run(
            [sys.executable, __file__, "--load"],
            env={**os.environ, "SPARK_SUBMIT_OPTS": options},
            capture_output=True,  # waits for the JVM, which ends after Python and writes then
            cwd=folder,
            check=False,
        )
        if written.exists():
            written.replace(archive)


def load_classes() -> None:
    """Do what the sessions of the tests do: read, compute with Python, write, stop."""
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import udf

    quiet = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    spark = SparkSession.builder.master("local[2]").config(map=quiet).getOrCreate()
    rows = spark.createDataFrame([(1, "a"), (2, "b")], "id long, name string")
    rows.write.csv("rows.csv", header=True)
    rows.write.json("rows.json")
    rows.write.saveAsTable("rows")
    spark.read.csv("rows.csv", header=True, inferSchema=True).createTempView("from_csv")
    spark.read.json("rows.json").createTempView("from_json")
    joined = spark.sql(
        "SELECT r.id, count(c.name) AS names FROM rows r JOIN from_csv c ON r.id = c.id "
        "LEFT JOIN from_json j USING (id) GROUP BY ALL ORDER BY 1"
    )
    joined.withColumn("twice", udf(lambda n: n * 2, "long")("names")).collect()
    spark.stop()


if __name__ == "__main__":
    main()

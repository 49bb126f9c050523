"""A run with a session of Spark Connect, in a process of its own: a session of another kind is
running where the tests are. Prints the rows and edges, and what is refused.
"""

from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession

from lineal.spark.pipeline import BulkError, Options, resolve, run
from lineal.spark.pipeline.follow import Following, follow


def main(log: str, out: str) -> None:
    resolve.FEWEST = 8
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    refused = []
    try:
        summary = run(Options((log,), out), spark)
        for work in (
            lambda: follow(Options((log,), out), Following(every=None), spark),
            lambda: run(Options((log,), "hdfs://nowhere/out"), spark),
        ):
            try:
                work()
            except BulkError as error:
                refused.append(str(error))
        print(json.dumps({"rows": summary.rows, "parsed": summary.parsed, "refused": refused}))
    finally:
        spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])

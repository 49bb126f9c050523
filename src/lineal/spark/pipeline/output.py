"""Tables into a folder: Parquet in parts of a fixed size, each table there as a whole or as it was
before.

Where the session has Delta, each is a Delta table over the same files.
"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from lineal.spark.names import column
from lineal.spark.pipeline.folder import UNFINISHED, Folder, nothing_more
from lineal.spark.pipeline.sessions import is_connect
from lineal.spark.pipeline.settings import settings
from lineal.store.outputs import TABLES, digest_of

NAMES = (*TABLES, "nodes", "closure")
PART = 1_000_000
GROUP = 100_000


DELTA = "io.delta.sql.DeltaSparkSessionExtension"
PARTITIONS = {"edges": "level STRING"}
FEW_TASKS = {
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
}
"""A table has few files: without this Delta lists them by a job of 10,000 tasks, and reads its log
by 50.
"""


class Output:
    """The tables of a folder."""

    def __init__(self, folder: Folder, spark: SparkSession) -> None:
        self.folder = folder
        self.spark = spark
        # a server of Spark Connect may not see the folder
        self.delta = not is_connect(spark) and DELTA in str(
            spark.conf.get("spark.sql.extensions", "")
        )
        self.written: dict[str, dict[str, Any]] = {}
        """table → what the manifest says about it"""

    def write(self, name: str, table: pa.Table) -> dict[str, Any]:
        """A table as `name/part-00000.parquet`, …; edges by their level. What the manifest says
        about it.
        """
        aside = self.aside(name)
        if name == "edges":
            into_columns = pc.is_valid(table["target_column"])
            _parts(aside / "level=column", table.filter(into_columns))
            _parts(aside / "level=dataset", table.filter(pc.invert(into_columns)))
        else:
            _parts(aside, table)
        return self.commit(name, table.num_rows)

    def aside(self, name: str) -> Path:
        """Where a table is put together: nothing is there yet."""
        where = self.folder.aside(name)
        shutil.rmtree(where, ignore_errors=True)
        return where

    def commit(self, name: str, rows: int) -> dict[str, Any]:
        """Put the finished table in the place of the former one."""
        said = {"rows": rows, "digest": digest_of(self.folder.aside(name))}
        self.folder.put(name, partial(self.convert, name) if self.delta else nothing_more)
        if self.delta:
            self.forget_logs()
        self.written[name] = said
        return said

    def convert(self, name: str, address: str) -> None:
        """The files of a table are those of a Delta table, too."""
        self.forget_logs()
        parts = f" PARTITIONED BY ({PARTITIONS[name]})" if name in PARTITIONS else ""
        with settings(self.spark, FEW_TASKS):
            self.spark.sql(f"CONVERT TO DELTA parquet.{column(address)}{parts}")

    def forget_logs(self) -> None:
        """Delta remembers what a place held before, and takes another table for the same."""
        jvm: Any = self.spark.sparkContext._jvm
        jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    def forget(self, *names: str) -> None:
        """Tables of an earlier run that this one does not make."""
        self.folder.remove(*names)

    def tidy(self) -> None:
        """Remove unfinished tables."""
        self.folder.remove(UNFINISHED)


def _parts(folder: Path, table: pa.Table) -> None:
    folder.mkdir(parents=True)
    for number, start in enumerate(range(0, max(table.num_rows, 1), PART)):
        write_part(folder, number, table.slice(start, PART))


def write_part(folder: Path, number: int, table: pa.Table) -> None:
    """Write a table as one Parquet file of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        table, folder / f"part-{number:05}.parquet", compression="zstd", row_group_size=GROUP
    )

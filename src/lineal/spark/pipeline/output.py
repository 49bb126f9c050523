"""Tables into a folder: Parquet in parts of a fixed size, each table there as a whole or as it was
before.

Where the session has Delta, each is a Delta table over the same files.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
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
GROUP = 25_000


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
        """Write a table, and return what the manifest says about it."""
        return self.commit(name, self.prepare(name, [table]))

    def prepare(self, name: str, pages: Iterable[pa.Table]) -> int:
        """Write a table aside as `part-00000.parquet`, …, page by page; edges by their level.
        Return how many rows it has.
        """
        aside = self.aside(name)
        if name != "edges":
            with Parts(aside) as parts:
                return sum(map(parts.add, pages))

        with Parts(aside / "level=column") as columns, Parts(aside / "level=dataset") as datasets:
            rows = 0
            for page in pages:
                into_columns = pc.is_valid(page["target_column"])
                rows += columns.add(page.filter(into_columns))
                rows += datasets.add(page.filter(pc.invert(into_columns)))

            return rows

    def aside(self, name: str) -> Path:
        """Where a table is put together: nothing is there yet."""
        where = self.folder.aside(name)
        shutil.rmtree(where, ignore_errors=True)
        return where

    def commit(self, name: str, rows: int) -> dict[str, object]:
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


class Parts:
    """The files of one table: pages go in, and only the rows of one row group are held."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.held: list[pa.Table] = []
        self.rows = self.written = 0
        self.writer: pq.ParquetWriter | None = None

    def __enter__(self) -> Parts:
        self.folder.mkdir(parents=True)
        return self

    def add(self, page: pa.Table) -> int:
        """Take a page, and return how many rows it has."""
        if page.num_rows or not (self.rows or self.held):
            self.held.append(page)

        self.rows += page.num_rows
        while self.rows - self.written > GROUP:
            self.write_group()

        return int(page.num_rows)

    def write_group(self) -> None:
        """Write the next rows; a full file is closed, and the next one begun."""
        table = pa.concat_tables(self.held)
        group, rest = table.slice(0, GROUP), table.slice(GROUP)
        if self.written % PART == 0:
            self.close()
            file = self.folder / f"part-{self.written // PART:05}.parquet"
            self.writer = pq.ParquetWriter(file, group.schema, compression="zstd")

        assert self.writer is not None
        self.writer.write_table(group, GROUP)
        self.written += group.num_rows
        self.held = [rest] if rest.num_rows else []

    def close(self) -> None:
        """Finish the current file."""
        if self.writer is not None:
            self.writer.close()

    def __exit__(self, problem: object, *_: object) -> None:
        if problem is None and self.held:
            self.write_group()

        self.close()


def write_part(folder: Path, number: int, table: pa.Table) -> None:
    """Write a table as one Parquet file of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        table, folder / f"part-{number:05}.parquet", compression="zstd", row_group_size=GROUP
    )

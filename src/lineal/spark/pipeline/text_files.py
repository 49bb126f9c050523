"""Lines of text as rows: Spark reads them, but for files that only the reader of a single machine
knows.

history/a.txt   SELECT 1      a statement a line
history/b.txt                 the same in UTF-16, or packed
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from lineal.projects.logs.rows import TORN, is_marked, is_packed, open_log
from lineal.spark.pipeline import csv_files
from lineal.spark.pipeline.address import to_read
from lineal.spark.pipeline.csv_files import BATCH, FULL_BATCH, NOT_READ, Batches

LINE = pa.schema([("text", pa.binary()), ("fault", pa.string())])
Text = TypeVar("Text", str, bytes)


def frame(
    spark: SparkSession, paths: tuple[str, ...], packed: tuple[str, ...], fault: str
) -> DataFrame:
    """A row for each line; what cannot be read is in the column of this name."""
    files = csv_files.local(paths, packed) or []
    others = [file for file in files if is_other(Path(file))]
    if not others:
        return _lines(spark, paths)

    found = csv_files.a_task_each(spark, others, _reading, "text binary, fault string")
    plain = [file for file in files if file not in set(others)]
    if plain:
        found = found.union(
            _lines(spark, plain).select(F.col("text").cast("binary"), F.lit(None).cast("string"))
        )

    return found.withColumnRenamed("fault", fault)


def _lines(spark: SparkSession, paths: Iterable[str]) -> DataFrame:
    """Return the lines of text files."""
    lines = spark.read.option("recursiveFileLookup", "true").text(list(map(to_read, paths)))
    return lines.withColumnRenamed("value", "text")


def is_other(file: Path) -> bool:
    """Whether Spark would not read the text that is in a file, or nothing of one that is torn."""
    try:
        return is_packed(file) or is_marked(file)
    except TORN:
        return True


def batches_of(texts: Iterable[Text]) -> Iterator[list[Text]]:
    """So many at once, and no more than fit."""
    held: list[Text] = []
    size = 0
    for text in texts:
        held.append(text)
        size += len(text)
        if len(held) >= BATCH or size > FULL_BATCH:
            yield held
            held, size = [], 0

    yield held


# -- on the executors ------------------------------------------------------------------------------


def _reading(batches: Batches) -> Batches:
    """file → its lines"""
    for batch in batches:
        for file in batch.column(0).to_pylist():
            yield from _batches(Path(file))


def _batches(file: Path) -> Batches:
    """Yield the lines of a file in batches, and last whether it was torn."""
    torn: list[str] = []
    for held in batches_of(_lines_of(file, torn)):
        yield pa.RecordBatch.from_pydict({"text": held, "fault": [None] * len(held)}, LINE)

    yield pa.RecordBatch.from_pydict({"text": [None] * len(torn), "fault": torn}, LINE)


def _lines_of(file: Path, torn: list[str]) -> Iterator[bytes]:
    """Yield the lines of a file; a torn file is noted."""
    try:
        with closing(open_log(file)) as lines:
            yield from (line.rstrip("\r\n").encode("utf-8", "surrogateescape") for line in lines)
    except TORN:
        torn.append(NOT_READ)

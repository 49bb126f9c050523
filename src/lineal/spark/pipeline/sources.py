"""Streams of query events: a folder that gets new files, a topic of Kafka, a Delta table.

history/                                files that are new, in any format that a log has
kafka://broker:9092/query-events        a message a statement, in JSON or as plain text
events.query_log with --format delta    rows that are appended

A source gives Structured Streaming a stream, and makes rows of each batch of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import NamedTuple, Protocol

import pyspark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamReader

from lineal.spark.pipeline import json_files, rows
from lineal.spark.pipeline.address import PATTERN, local, to_read
from lineal.spark.pipeline.errors import BulkError
from lineal.spark.pipeline.settings import settings

KAFKA = re.compile(r"kafka://(?P<servers>[^/]+)/(?P<topic>[^/]+)\Z", re.IGNORECASE)
DELTA = "delta"
FILES = "path string, modificationTime timestamp, length bigint, content binary"
"""The columns of Spark's format `binaryFile`; only the first is asked for, so no file is opened."""

CONNECTORS = {
    "kafka": "org.apache.spark:spark-sql-kafka-0-10_2.13:{spark}",
    DELTA: "io.delta:delta-spark_2.13:VERSION",
}
"""The packages that a session needs for a source."""

Rows = tuple[DataFrame, str | None]
"""The rows of a batch, and the preset that its columns tell."""


class Source(Protocol):
    """Where query events come from."""

    def stream(self, spark: SparkSession) -> DataFrame:
        """Return the stream, to be started."""

    def rows(self, spark: SparkSession, batch: DataFrame) -> Rows | None:
        """Return the rows of a batch; None if nothing in it is a log."""


class Settings(NamedTuple):
    """The user's settings of a stream."""

    log: rows.Log
    most: int
    """Files of a folder that one batch takes."""
    options: Mapping[str, str]
    """Settings of Spark's source, as Spark names them."""


def source_of(asked: Settings) -> Source:
    """Return the source that the paths and the format name."""
    paths = asked.log.paths
    topics = list(map(KAFKA.match, paths))
    if any(topics):
        if len(paths) != 1 or topics[0] is None:
            raise BulkError("a topic of Kafka is followed alone: name one kafka://servers/topic")

        return Topic(topics[0]["servers"], topics[0]["topic"], asked)

    if asked.log.format == DELTA:
        if len(paths) != 1:
            raise BulkError("a Delta table is followed alone: name one")

        return DeltaTable(paths[0], asked)

    if asked.log.format == "files":
        raise BulkError("a folder of scripts is not a stream of query events: run without --watch")

    return Folders(asked)


class Folders:
    """Folders that get new files; a file that is there counts once, whatever happens to it later."""

    def __init__(self, asked: Settings) -> None:
        self.asked = asked
        self.paths = list(map(_stream_path, asked.log.paths))

    def stream(self, spark: SparkSession) -> DataFrame:
        """Return the names of new files, as a stream."""
        reader = spark.readStream.format("binaryFile").schema(FILES)
        reader = reader.options(
            recursiveFileLookup="true", maxFilesPerTrigger=str(self.asked.most)
        ).options(**self.asked.options)
        several = [reader.load(path).select("path") for path in self.paths]
        return reduce(DataFrame.union, several)

    def rows(self, spark: SparkSession, batch: DataFrame) -> Rows | None:
        """Read the files that are new, as a run without a stream reads them."""
        log = self.asked.log
        named = sorted(row["path"] for row in batch.distinct().collect())
        found = named if log.format is not None else rows.called_as(named, None)
        if not found:
            return None

        return rows.read(spark, log._replace(paths=tuple(found)))


class Topic:
    """A topic of Kafka, from its beginning: each message is one event."""

    def __init__(self, servers: str, topic: str, asked: Settings) -> None:
        self.servers = servers
        self.topic = topic
        self.asked = asked

    def stream(self, spark: SparkSession) -> DataFrame:
        """Return the messages, as a stream of texts."""
        usual = {
            "kafka.bootstrap.servers": self.servers,
            "subscribe": self.topic,
            "startingOffsets": "earliest",
        }
        reader = spark.readStream.format("kafka").options(**{**usual, **self.asked.options})
        return load(reader.load, "kafka").select(F.col("value").cast("string").alias("value"))

    def rows(self, spark: SparkSession, batch: DataFrame) -> Rows | None:
        """Take messages apart: objects in JSON, or statements as they are."""
        session = batch.sparkSession
        texts = batch.where(F.col("value").isNotNull())
        if texts.isEmpty():
            return None

        log = self.asked.log
        if log.format == "text":
            return rows.rows_of(texts, log._replace(named=(("text", "value"), *log.named)))

        with settings(session, json_files.NAMES_APART):
            return rows.rows_of(json_files.frame_of_texts(session, texts, rows.CORRUPT), log)


class DeltaTable:
    """A Delta table that rows are appended to, by its name or its path."""

    def __init__(self, name: str, asked: Settings) -> None:
        self.name = name
        self.asked = asked

    def stream(self, spark: SparkSession) -> DataFrame:
        """Return the rows that are appended, as a stream."""
        reader = spark.readStream.format(DELTA).options(**self.asked.options)
        if local(self.name) is None or "/" in self.name:
            return load(lambda: reader.load(to_read(self.name)), DELTA)

        return load(lambda: _table(reader, self.name), DELTA)

    def rows(self, spark: SparkSession, batch: DataFrame) -> Rows | None:
        """Return the rows of a batch; their columns are those of the table."""
        return rows.rows_of(batch, self.asked.log._replace(format=None))


def _table(reader: DataStreamReader, name: str) -> DataFrame:
    """Return the stream of a table."""
    return reader.table(name)


def load(opened: Callable[[], DataFrame], kind: str) -> DataFrame:
    """Open a stream; if Spark lacks the connector, say which package has it."""
    try:
        return opened()
    except Exception as problem:
        if "DATA_SOURCE_NOT_FOUND" not in str(problem) and "find data source" not in str(problem):
            raise

        package = CONNECTORS[kind].format(spark=pyspark.__version__)
        raise BulkError(
            f"this Spark has no connector for {kind}: add --conf spark.jars.packages={package}"
        ) from problem


def _stream_path(path: str) -> str:
    """Return a folder or a pattern as a stream has to be told it."""
    where = local(path)
    if where is None or where.is_dir():
        return to_read(path)

    if where.exists():
        raise BulkError(f"{path} is a file: a stream follows a folder that gets new files")

    if not PATTERN.search(path):
        raise BulkError(f"no such folder: {path}")

    return to_read(path)

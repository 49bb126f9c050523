"""JSON files as rows: Spark reads those that have an object a line, the reader of a single machine
all others.

history/a.jsonl   {"sql": "SELECT 1"}                an object a line, or an array with an element a
                  line
history/b.json    [ {                                an array over many lines, objects over many
                  lines,
                      "sql": "SELECT 1" } ]          an array on one line; UTF-16; what is packed
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as F

from lineal.projects.logs import json_text
from lineal.projects.logs.rows import BROKEN, TORN, is_by_line, open_log
from lineal.spark.pipeline import csv_files
from lineal.spark.pipeline.address import to_read
from lineal.spark.pipeline.csv_files import NOT_READ, NOT_UTF8, Batches
from lineal.spark.pipeline.sessions import is_connect
from lineal.spark.pipeline.text_files import batches_of, is_other

LONGEST_VALUE = 2**31 - 1
"""Characters of a string: whether a statement is too long is not for the reader to say."""

SCHEMA = pa.schema([("value", pa.string())])


def frame(
    spark: SparkSession, paths: tuple[str, ...], packed: tuple[str, ...], fault: str
) -> DataFrame:
    """A row for each object; what cannot be read is in the column of this name."""
    reader = _reader(spark, fault)
    try:
        found = _frame(spark, reader, paths, packed, fault)
        # else Spark would not find them
        if len({name.lower() for name in found.columns}) == len(found.columns):
            return found
    except AnalysisException as problem:
        if problem.getCondition() != "COLUMN_ALREADY_EXISTS":
            raise

    return _parse_rows(spark, reader, _with_each_field_once(_every_text(spark, paths, packed)))


def frame_of_texts(spark: SparkSession, texts: DataFrame, fault: str) -> DataFrame:
    """Return a row for each object of a column of texts: the messages of a topic."""
    return _parse_rows(spark, _reader(spark, fault), texts)


def _reader(spark: SparkSession, fault: str) -> DataFrameReader:
    """Return Spark's reader of JSON with the settings of logs."""
    return spark.read.options(
        recursiveFileLookup="true", columnNameOfCorruptRecord=fault, primitivesAsString="true",
        maxStringLen=str(LONGEST_VALUE),
    )  # fmt: skip


def _frame(
    spark: SparkSession,
    reader: DataFrameReader,
    paths: tuple[str, ...],
    packed: tuple[str, ...],
    fault: str,
) -> DataFrame:
    """Return the rows of JSON files, whatever their layout."""
    files = csv_files.local(paths, packed)
    others, by_line = _split_by_reader(files or [])
    if others:
        return _parse_rows(spark, reader, _texts(spark, others, by_line))

    found = reader.json(list(map(to_read, paths)))
    if files is None and found.columns == [fault]:  # elsewhere nobody has looked into the files
        return reader.option("multiLine", "true").json(list(map(to_read, paths)))

    return _without_brackets(found, fault)


def _without_brackets(found: DataFrame, fault: str) -> DataFrame:
    """Of an array with an element a line."""
    if fault not in found.columns:
        return found

    bracket = F.coalesce(F.trim(fault).isin("[", "]"), F.lit(False))
    return found.where(~bracket)


def _texts(spark: SparkSession, others: list[str], by_line: list[str]) -> DataFrame:
    """Return the texts of the objects in JSON files."""
    found = csv_files.a_task_each(spark, others, _reading, "value string")
    if not by_line:
        return found

    return found.union(_lines(spark, list(map(to_read, by_line))))


def _lines(spark: SparkSession, sources: list[str]) -> DataFrame:
    """Return the lines of JSON files; broken bytes become a mark."""
    lines = spark.read.option("recursiveFileLookup", "true").text(sources)
    said = F.when(F.is_valid_utf8("value"), F.col("value")).otherwise(NOT_UTF8)
    return lines.where(~F.trim("value").isin("", "[", "]")).select(said.alias("value"))


def _every_text(spark: SparkSession, paths: tuple[str, ...], packed: tuple[str, ...]) -> DataFrame:
    """Return the text of every object."""
    files = csv_files.local(paths, packed)
    if files is None:
        return _lines(spark, list(map(to_read, paths)))

    return _texts(spark, *_split_by_reader(files))


def _split_by_reader(files: list[str]) -> tuple[list[str], list[str]]:
    """Those that only the reader of a single machine reads, and those with an object a line."""
    others = [file for file in files if is_other(Path(file)) or not is_by_line(Path(file))]
    return others, sorted(set(files) - set(others))


def _with_each_field_once(texts: DataFrame) -> DataFrame:
    """{"sql": "SELECT 1", "sql": "SELECT 2"}

    as a single machine reads it: the last one counts
    """

    def work(batches: Batches) -> Batches:
        """Rewrite each batch of texts."""
        for batch in batches:
            said = list(map(_rewrite_object, batch.column(0).to_pylist()))
            yield pa.RecordBatch.from_pydict({"value": said}, SCHEMA)

    return texts.mapInArrow(work, "value string")


def _rewrite_object(text: str) -> str:
    """Return a JSON object as Spark reads it; any other text stays."""
    try:
        found = json.loads(text.strip().rstrip(","))
    except (ValueError, RecursionError):
        return text

    if isinstance(found, dict):
        return json.dumps(found)

    return text


def _parse_rows(spark: SparkSession, reader: Any, texts: DataFrame) -> DataFrame:
    """Return the rows of JSON texts."""
    if is_connect(spark):
        return cast("DataFrame", reader.json(texts))

    jvm: Any = spark._jvm
    strings = getattr(texts._jdf, "as")(jvm.org.apache.spark.sql.Encoders.STRING())
    return DataFrame(reader._jreader.json(strings), spark)


NAMES_APART = {"spark.sql.caseSensitive": "true"}
"""QUERY_TEXT in one row, query_text in another      both are columns"""


# -- on the executors ------------------------------------------------------------------------------


def _reading(batches: Batches) -> Batches:
    """file → the texts of its objects"""
    for batch in batches:
        for file in batch.column(0).to_pylist():
            yield from _batches(file)


def _batches(file: str) -> Batches:
    """Yield the objects of a file in batches."""
    for held in batches_of(
        NOT_UTF8 if BROKEN.search(text) else text for text in _objects(Path(file))
    ):
        yield pa.RecordBatch.from_pydict({"value": held}, SCHEMA)


def _objects(file: Path) -> Iterator[str]:
    """Yield the texts of the objects in a file."""
    try:
        by_line = is_by_line(file)
        with closing(open_log(file, "\n")) as lines:
            if by_line:
                yield from (line for line in lines if line.strip() not in ("", "[", "]"))
            else:
                yield from (text for _, text in json_text.objects(lines))
    except TORN:
        yield NOT_READ

"""CSV files as rows, by the reader of a single machine: a quote that is never closed costs its own
line only.

history/a.csv   query_text;user_name         any delimiter, a mark of the encoding, blanks in the
                header,
history/b.csv   user_name,query_text,day     and columns in another order in each file
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from lineal.model.diagnostic import Diagnostic
from lineal.model.folders import walk_folders
from lineal.projects.logs import postgres
from lineal.projects.logs.entry import Row
from lineal.projects.logs.rows import (
    TORN,
    csv_rows,
    is_about_encoding,
    long_fields,
    open_log,
    records,
)
from lineal.projects.text import unreadable_file
from lineal.spark.pipeline import address
from lineal.spark.pipeline.errors import BulkError

NOT_UTF8 = "not UTF-8"
NOT_READ = "not readable as a row"

MOST_TASKS = 1000
BATCH = 2000
FULL_BATCH = 16_000_000
"""Characters that are sent on at once."""

Batches = Iterator[pa.RecordBatch]


def local(paths: tuple[str, ...], packed: tuple[str, ...]) -> list[str] | None:
    """The files at the paths, in order; None if Spark has to read one: an address, a pattern, or so
    packed.
    """
    found: list[str] = []
    for path in paths:
        where = address.local(path)
        if where is None or not where.exists():
            return None

        found += files_below(where) if where.is_dir() else [str(where)]

    if any(file.lower().endswith(packed) for file in found):
        return None

    return found


def files_below(folder: Path) -> Iterator[str]:
    """The files of a folder that Spark reads, too."""
    for where, folders, names in walk_folders(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        yield from (
            str(Path(where, name)) for name in sorted(names) if not name.startswith((".", "_"))
        )


def frame(spark: SparkSession, files: list[str], csvlog: bool, fault: str) -> DataFrame:
    """A row for each of the files; one that cannot be read has only a fault, in the column of this
    name.
    """
    headers = {str(Path(file).absolute()): _header(file, csvlog) for file in files}
    names = list(dict.fromkeys(name for header in headers.values() for name in header if name))
    schema = pa.schema([(name, pa.string()) for name in [*names, fault]])
    told = ", ".join(f"`{name.replace('`', '``')}` string" for name in schema.names)
    return a_task_each(spark, list(headers), _reading(headers if csvlog else {}, schema), told)


def a_task_each(
    spark: SparkSession, files: list[str], read: Callable[[Batches], Batches], told: str
) -> DataFrame:
    """Return a DataFrame that reads each file in a task."""
    every = pa.table(
        {"file": pa.array([str(Path(file).absolute()) for file in files], pa.string())}
    )
    tasks = max(1, min(len(files), MOST_TASKS))
    return spark.createDataFrame(every).repartition(tasks).mapInArrow(read, told)


def _header(file: str, csvlog: bool) -> list[str]:
    """The names of the columns; those of a csvlog are known from the first row that is one."""
    widths = []
    with suppress(*TORN), long_fields(), closing(open_log(Path(file))) as lines:
        for _, fields in records(file, lines, lambda problem: None):
            if not csvlog:
                return [name.strip().encode("utf-8", "replace").decode() for name in fields]

            if len(fields) in postgres.WIDTHS:
                return csvlog_names(len(fields), file)

            widths.append(len(fields))

    if widths:
        return csvlog_names(widths[0], file)

    return []


def csvlog_names(width: int, file: str) -> list[str]:
    """Return the column names of a csvlog of that width."""
    if width not in postgres.WIDTHS:
        widths = ", ".join(map(str, postgres.WIDTHS))
        raise BulkError(f"{file} has {width} columns, and a csvlog has {widths}")

    return postgres.HEADER[:width]


# -- on the executors ------------------------------------------------------------------------------


def _reading(fixed: dict[str, list[str]], schema: pa.Schema) -> Callable[[Batches], Batches]:
    """file → its rows; of a csvlog the names are told."""

    def work(batches: Batches) -> Batches:
        """Read the files of each batch."""
        for batch in batches:
            for file in batch.column(0).to_pylist():
                yield from _batches(file, fixed.get(file), schema)

    return work


def _batches(file: str, names: list[str] | None, schema: pa.Schema) -> Batches:
    """Yield the rows of a file in batches of limited size."""
    held: list[dict[str, Any]] = []
    size = 0
    for row in _rows(file, names, schema.names[-1]):
        held.append(row)
        size += sum(map(len, row.values()))
        if len(held) >= BATCH or size > FULL_BATCH:
            yield pa.RecordBatch.from_pylist(held, schema)
            held, size = [], 0

    yield pa.RecordBatch.from_pylist(held, schema)


def _rows(file: str, names: list[str] | None, fault: str) -> Iterator[dict[str, Any]]:
    """The fields of each row, and a fault for each that is none."""
    faults: list[Diagnostic] = []
    try:
        with closing(open_log(Path(file))) as lines:
            for row in csv_rows(file, lines, faults.append, names):
                yield _fields(row)
    except TORN as torn:
        faults.append(unreadable_file(file, torn))

    for problem in faults:
        yield {fault: NOT_UTF8 if is_about_encoding(problem) else NOT_READ}


def _fields(row: Row) -> dict[str, Any]:
    """Return the filled fields of a row."""
    return {name: value for name, value in row.fields.items() if value}

"""A log as rows of text, user, time, id and database; a row that cannot be used says why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from lineal.projects.logs import postgres
from lineal.projects.logs.columns import CANDIDATES
from lineal.projects.logs.histories import (
    CSVLOG,
    CUT_OFF,
    DID_NOT_RUN,
    HISTORIES,
    IN_PARTS,
    NOTHING,
    REDSHIFT,
    History,
    recognize,
)
from lineal.projects.logs.period import ALWAYS, Period
from lineal.projects.logs.statements import LONGEST_STATEMENT
from lineal.spark.pipeline import csv_files, json_files, text_files
from lineal.spark.pipeline.address import local, to_read
from lineal.spark.pipeline.csv_files import NOT_READ, NOT_UTF8
from lineal.spark.pipeline.errors import BulkError, explain_error
from lineal.spark.pipeline.settings import settings
from lineal.spark.pipeline.times import reason_of

CORRUPT = "_lineal_corrupt"
MOST_LISTED, MOST_NAMED = 30, 3
FORMATS = {
    "parquet": (".parquet", ".pq"),
    "json": (".json", ".jsonl", ".ndjson"),
    "csv": (".csv", ".tsv"),
    "text": (".txt", ".log"),
    "files": (".sql", ".py", ".ipynb", ".ddl", ".hql"),
}
"""How the format of a file is known; those of the last are scripts, not logs."""

FEWEST_NANOSECONDS = 100_000_000_000_000_000
"""since 1970, in March of 1973; in all that is coarser, a moment long after us"""

ONLY_SPARK_UNPACKS = (".zst", ".snappy")
PACKED = (".gz", ".bz2", *ONLY_SPARK_UNPACKS)

NO_TEXT = "no statement"
TOO_LONG = f"more than {LONGEST_STATEMENT:,} characters"
NO_QUERY = "another message of the server"


class Log(NamedTuple):
    """Where a log is and how it is written."""

    paths: tuple[str, ...]
    format: str | None = None
    preset: str | None = None
    named: tuple[tuple[str, str], ...] = ()
    """part → column, as the caller says"""
    period: Period = ALWAYS

    @property
    def sources(self) -> list[str]:
        """Return the paths as Spark reads them."""
        return list(map(to_read, self.paths))


def format_of(paths: tuple[str, ...]) -> str:
    """The one format of all files, told from their names."""
    found = set(chain.from_iterable(map(_formats, paths)))
    if len(found) == 1:
        return found.pop()

    if not found:
        raise BulkError(
            f"the format of {_example_paths(paths)} is not known: name it with --format"
        )

    raise BulkError(
        f"{_example_paths(paths)} has {' and '.join(sorted(found))} files: choose one with --format"
    )


def _example_paths(paths: tuple[str, ...]) -> str:
    """Return some paths for a message."""
    return ", ".join(paths[:MOST_NAMED]) + (
        f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
    )


def _formats(path: str) -> Iterator[str]:
    """Yield the formats of the files at a path."""
    where = local(path)
    found = csv_files.files_below(where) if where is not None and where.is_dir() else [path]
    yield from filter(None, map(_named_format, found))


def _named_format(name: str) -> str | None:
    """Return the format that the suffix of a file names."""
    where = Path(name.lower())
    suffix = Path(where.stem).suffix if where.suffix in PACKED else where.suffix
    return next((kind for kind, suffixes in FORMATS.items() if suffix in suffixes), None)


def rows(spark: SparkSession, log: Log) -> DataFrame:
    """text, user, time, id, database, reason: a row with a reason has no text."""
    return read(spark, log)[0]


def read(spark: SparkSession, log: Log) -> tuple[DataFrame, str | None]:
    """Return the rows, and the preset: as it was named, or as the columns tell."""
    kind = log.format or format_of(log.paths)
    kinds = (kind,) if log.format is None else (kind, None)
    log = log._replace(
        paths=tuple(chain.from_iterable(without_others(each, kinds) for each in log.paths))
    )
    if kind == "text" and log.preset == CSVLOG:
        kind = "csv"  # postgresql.log

    try:
        with settings(spark, json_files.NAMES_APART if kind in ("json", "csv") else {}):
            return rows_of(READERS[kind](spark, log), log)
    except (PySparkException, Py4JJavaError) as problem:
        if "UNABLE_TO_INFER_SCHEMA" in str(problem):
            raise BulkError(
                f"{_example_paths(log.paths)} has no file to be read as {kind}"
            ) from problem

        raise BulkError(
            f"{_example_paths(log.paths)} cannot be read as {kind}: {explain_error(problem)}"
        ) from problem


def rows_of(frame: DataFrame, log: Log) -> tuple[DataFrame, str | None]:
    """Return the rows of a log whose columns Spark has read, and the preset that they tell."""
    if log.preset is None:
        log = log._replace(preset=recognize(_paths(frame.schema)))

    if log.preset == REDSHIFT:
        frame = put_together(frame)

    return _normalize_rows(frame, log), log.preset


def called_as(paths: Iterable[str], kind: str | None) -> list[str]:
    """Return the files whose names tell this format; without a format, those that tell any log's."""
    kinds = {kind} if kind is not None else FORMATS.keys() - {"files"}
    return [path for path in paths if _named_format(path) in kinds]


# -- files -----------------------------------------------------------------------------------------


def without_others(path: str, kinds: tuple[str | None, ...]) -> list[str]:
    """history/

    where README.md is among its files, all but that; a format that was named has any names
    """
    where = local(path)
    if where is None or not where.is_dir():
        return [path]

    files = list(csv_files.files_below(where))
    kept = [file for file in files if _named_format(file) in kinds]
    if kept and len(kept) < len(files):
        return kept

    return [path]


def _parquet(spark: SparkSession, log: Log) -> DataFrame:
    """Later files may have more columns than earlier ones."""
    return spark.read.options(recursiveFileLookup="true", mergeSchema="true").parquet(*log.sources)


def _json(spark: SparkSession, log: Log) -> DataFrame:
    """Return the rows of JSON logs."""
    return json_files.frame(spark, log.paths, ONLY_SPARK_UNPACKS, CORRUPT)


def _csv(spark: SparkSession, log: Log) -> DataFrame:
    """Read local files as on one machine, and all other addresses by Spark."""
    files = csv_files.local(log.paths, ONLY_SPARK_UNPACKS)
    if files is not None:
        return csv_files.frame(spark, files, log.preset == CSVLOG, CORRUPT)

    return _csv_by_spark(spark, log)


def _csv_by_spark(spark: SparkSession, log: Log) -> DataFrame:
    """Return the rows of CSV logs, read by Spark."""
    csvlog = log.preset == CSVLOG
    tabs = all(".tsv" in path.lower() for path in log.paths)
    reader = spark.read.options(
        recursiveFileLookup="true", header=str(not csvlog).lower(), multiLine="true", quote='"', escape='"',
        sep="\t" if tabs else ",", columnNameOfCorruptRecord=CORRUPT, maxCharsPerColumn="-1", enforceSchema="false",
    )  # fmt: skip
    names = [name.strip() for name in reader.csv(log.sources).columns]
    if csvlog:
        names = csv_files.csvlog_names(len(names), _example_paths(log.paths))

    fields = [StructField(name, StringType()) for name in [*names, CORRUPT]]
    frame = reader.schema(StructType(fields)).csv(log.sources)
    lost = F.concat_ws("", *(f"`{field.name}`" for field in fields)).contains("\ufffd")
    return frame.withColumn(CORRUPT, F.when(lost, NOT_UTF8).otherwise(F.col(CORRUPT)))


def _text(spark: SparkSession, log: Log) -> DataFrame:
    """A statement a line."""
    return text_files.frame(spark, log.paths, ONLY_SPARK_UNPACKS, CORRUPT)


READERS = {"parquet": _parquet, "json": _json, "csv": _csv, "text": _text}


# -- columns ---------------------------------------------------------------------------------------


def _paths(schema: StructType) -> Iterator[str]:
    """The names of columns, and the dotted names of fields in them."""
    for field in schema.fields:
        yield field.name
        if isinstance(field.dataType, StructType):
            yield from (f"{field.name}.{inner}" for inner in _paths(field.dataType))


def _normalize_rows(frame: DataFrame, log: Log) -> DataFrame:
    """Return rows with the columns that all logs share."""
    preset = HISTORIES[log.preset] if log.preset is not None else None
    columns = found_columns(frame, log, preset)
    text, broken = _text_of(frame, columns["text"])
    reason = F.when(broken, NOT_UTF8)
    if CORRUPT in frame.columns:
        broken_bytes = ~F.is_valid_utf8(CORRUPT) | F.col(CORRUPT).contains("\ufffd")
        wrong = F.when((F.col(CORRUPT) == NOT_UTF8) | broken_bytes, NOT_UTF8).otherwise(NOT_READ)
        reason = F.when(F.col(CORRUPT).isNotNull(), wrong).otherwise(reason)

    if preset is not None:
        reason = F.coalesce(reason, _failure(frame, preset))

    if log.preset == CSVLOG:
        text = _log_line(frame, text)
        reason = F.coalesce(reason, F.when(text.isNull(), NO_QUERY), _failed_later(frame, text))

    reason = F.coalesce(
        reason,
        F.when(text.isNull() | ~text.rlike(r"\S"), NO_TEXT),
        F.when(F.length(text) > LONGEST_STATEMENT, TOO_LONG),
    )
    if preset is not None:
        reason = F.coalesce(reason, _cut_off(frame, log, preset, text))

    parent = _parent(frame, preset)
    if "time" in columns:
        columns["time"] = _nanoseconds(frame, columns["time"])

    parts = [_word(columns.get(part)).alias(part) for part in CANDIDATES if part != "text"]
    found = frame.select(
        text.alias("said"), reason.alias("reason"), *parts, _word(parent).alias("parent")
    ).withColumn("reason", F.coalesce("reason", reason_of(log.period)))
    if parent is not None:
        found = without_scripts(found)

    return found.select(
        F.when(F.col("reason").isNull(), F.col("said")).alias("text"),
        "reason",
        *(p for p in CANDIDATES if p != "text"),
    )


def _parent(frame: DataFrame, history: History | None) -> Column | None:
    """The column with the id of the script that a statement is a part of."""
    names = history.parent.split() if history is not None else []
    found = (_column(frame, list(frame.columns), name) for name in names)
    return next((column for column in found if column is not None), None)


def without_scripts(rows: DataFrame) -> DataFrame:
    """BigQuery: a script is a job, and each of its statements that ran is one

    what ran counts once
    """
    ran = rows.where(F.col("reason").isNull() & (F.col("parent") != ""))
    whole = (
        ran.select(F.col("parent").alias("id")).distinct().withColumn("in_parts", F.lit(IN_PARTS))
    )
    joined = rows.join(whole, "id", "left")
    return joined.withColumn("reason", F.coalesce("reason", "in_parts"))


def found_columns(frame: DataFrame, log: Log, preset: History | None) -> dict[str, Column]:
    """The column of each part; one that is named and not there is the caller's mistake, as is a log
    without text.
    """
    present = [name for name in frame.columns if name != CORRUPT]
    named = dict(log.named)
    known = preset.columns() if preset is not None else CANDIDATES
    found = {}
    for part in CANDIDATES:
        wanted = (named[part],) if part in named else known[part]
        column = next(
            (made for name in wanted if (made := _column(frame, present, name)) is not None), None
        )
        if column is not None:
            found[part] = column
        elif present and (part in named or (part == "text" and preset is not None)):
            raise BulkError(
                f"the log has no column {' or '.join(wanted)}; its columns are {_list_names(present)}"
            )
        elif part == "text" and not present:
            raise BulkError(
                f"{_example_paths(log.paths)} has no row that can be read: it is empty, or written otherwise"
            )
        elif part == "text":
            raise BulkError(
                f"no column is known to hold statements: name it with --log-text; it has {_list_names(present)}"
            )

    return found


def _list_names(names: list[str]) -> str:
    """Return some names for a message."""
    return ", ".join(names[:MOST_LISTED]) or "none"


def _column(frame: DataFrame, present: list[str], name: str) -> Column | None:
    """The column of a name; where rows write it in several ways, what each of them has."""
    alike = sorted(
        (each for each in present if each.lower() == name.lower()), key=lambda each: each != name
    )
    if alike:
        types = [frame.schema[each].dataType for each in alike]
        same = [each for each, type_ in zip(alike, types, strict=True) if type_ == types[0]]
        return F.coalesce(*(F.col(_quote_name(each)) for each in same))

    if "." not in name:
        return None

    return _nested_field(frame.schema, name.split("."))


def _quote_name(name: str) -> str:
    """Return a name in backticks."""
    return f"`{name.replace('`', '``')}`"


def _nested_field(schema: StructType, steps: list[str]) -> Column | None:
    """--log-text payload.query      a field in a field"""
    column: Column | None = None
    here: Any = schema
    for step in steps:
        names = here.fieldNames() if isinstance(here, StructType) else []
        found = next(
            (each for each in (step, *names) if each in names and each.lower() == step.lower()),
            None,
        )
        if found is None:
            return None

        column = F.col(_quote_name(found)) if column is None else column.getField(found)
        here = here[found].dataType

    return column


def _text_of(frame: DataFrame, column: Column) -> tuple[Column, Column]:
    """The text, and whether its bytes are none."""
    type_ = frame.select(column).schema[0].dataType
    if not isinstance(type_, (StringType, BinaryType)):
        raise BulkError(
            f"the column of statements holds {type_.simpleString()}, not text: name another with --log-text"
        )

    text = column.cast("string")
    return text, ~F.is_valid_utf8(text)


def _failure(frame: DataFrame, preset: History) -> Column:
    """Return the condition that a statement of the log has failed."""
    present = list(frame.columns)
    failed = F.lit(False)
    for name, says in preset.succeeded:
        status = _column(frame, present, name)
        if status is not None:
            failed = failed | F.coalesce(
                F.upper(F.trim(status.cast("string"))) != says.upper(), F.lit(False)
            )

    for name in preset.failed:
        error = _column(frame, present, name)
        if error is not None:
            failed = failed | _is_filled(error, frame.select(error).schema[0].dataType)

    return F.when(failed, DID_NOT_RUN)


def _cut_off(frame: DataFrame, log: Log, preset: History, text: Column) -> Column:
    """SELECT … FROM sales_2

    of sales_2026: what is there may be read, and say something else
    """
    longest = preset.limit_of(frame.columns)
    if longest is None or "text" in dict(log.named):
        return F.lit(None).cast("string")

    written = F.replace(text, F.lit("\n"), F.lit("\\n")) if preset.escapes_lines else text
    return F.when(F.length(written) >= longest, CUT_OFF.format(longest))


def _is_filled(column: Column, type_: DataType) -> Column:
    """{"reason": "invalidQuery"}; but {}, and a null in every field, say nothing"""
    if isinstance(type_, StructType):
        fields = [_is_filled(column.getField(field.name), field.dataType) for field in type_.fields]
        return column.isNotNull() & reduce(Column.__or__, fields, F.lit(False))

    if isinstance(type_, (ArrayType, MapType)):
        return F.coalesce(F.size(column) > 0, F.lit(False))

    said = F.lower(F.regexp_replace(column.cast("string"), r"\s", ""))
    return F.coalesce(~said.isin(*NOTHING), F.lit(False))


def _log_line(frame: DataFrame, message: Column) -> Column:
    """duration: 0.4 ms  statement: SELECT …      as `projects.logs.postgres` reads it"""
    detail = _column(frame, list(frame.columns), "detail")
    statement = F.regexp_extract(
        message, rf"(?s)\A{postgres.STATEMENT.pattern.replace('?P<text>', '')}\z", 1
    )
    prepared = F.regexp_extract(
        F.coalesce(detail, F.lit("")) if detail is not None else F.lit(""),
        rf"(?is)\A{postgres.PREPARED.pattern.replace('?P<text>', '')}\z",
        1,
    )
    text = F.when(statement != "", F.when(prepared != "", prepared).otherwise(statement))
    severity = _column(frame, list(frame.columns), "error_severity")
    if severity is not None:
        return F.when(severity == "LOG", text)

    return text


def _failed_later(frame: DataFrame, text: Column) -> Column:
    """LOG statement: INSERT …, then ERROR …      as `projects.logs.postgres.Running` reads it"""
    names = ("session_id", "session_line_num", "line_num", "error_severity", "query", "statement")
    found = {name: _column(frame, list(frame.columns), name) for name in names}
    session, severity = found["session_id"], found["error_severity"]
    line = found["session_line_num"] if found["line_num"] is None else found["line_num"]
    failing = found["statement"] if found["query"] is None else found["query"]
    if session is None or severity is None or line is None or failing is None:
        return F.lit(None).cast("string")

    is_failure = severity.isin(*postgres.FAILURES)
    event = F.when(
        is_failure | text.isNotNull(), F.struct(is_failure.alias("failed"), failing.alias("said"))
    )
    later = (
        Window.partitionBy(session)
        .orderBy(line.try_cast("bigint"))
        .rowsBetween(1, Window.unboundedFollowing)
    )
    following = F.first(event, ignorenulls=True).over(later)
    same = F.trim(following["said"]) == F.trim(text)
    return F.when(F.coalesce(following["failed"] & same, F.lit(False)), DID_NOT_RUN)


def _word(column: Column | None) -> Column:
    """Return a short text of a column; '' without one."""
    if column is None:
        return F.lit("")

    return F.coalesce(F.substring(F.make_valid_utf8(column.cast("string")), 1, 200), F.lit(""))


def _nanoseconds(frame: DataFrame, column: Column) -> Column:
    """TIMESTAMP(NANOS) in Parquet, which Spark gives as a number      2026-05-01 10:00:00"""
    if not isinstance(frame.select(column).schema[0].dataType, LongType):
        return column

    moment = F.timestamp_micros((column / 1000).cast("bigint")).cast("string")
    return F.when(F.abs(column) > FEWEST_NANOSECONDS, moment).otherwise(column.cast("string"))


# -- Redshift --------------------------------------------------------------------------------------


def put_together(frame: DataFrame) -> DataFrame:
    """STL_QUERYTEXT, SYS_QUERY_TEXT: a text in pieces of 200 or 4000 characters

    whole, with its line ends

    Columns that are filled up with blanks lose them; a piece in the middle gets those back that
    were cut off.
    """
    words = [name for name, type_ in frame.dtypes if type_ == "string" and name != CORRUPT]
    pieces = [name for name in frame.columns if name.lower() in ("sequence", "text")]
    frame = frame.withColumns({name: F.rtrim(f"`{name}`") for name in words if name not in pieces})
    if len(pieces) > 1:
        frame = _join_pieces(frame, *sorted(pieces, key=str.lower))

    texts = [name for name in words if name.lower() in ("text", "query_text", "querytxt")]
    return frame.withColumns(
        {name: F.replace(F.col(name), F.lit("\\n"), F.lit("\n")) for name in texts}
    )


def _join_pieces(frame: DataFrame, sequence: str, text: str) -> DataFrame:
    """A row for each statement: all other columns are the same in its pieces."""
    whose = [f"`{name}`" for name in frame.columns if name not in (sequence, text)]
    broken = F.col(CORRUPT).isNotNull() if CORRUPT in frame.columns else F.lit(False)
    piece = F.struct(F.col(sequence).try_cast("int").alias("number"), F.col(text).alias("said"))
    several = (
        frame.where(~broken)
        .groupBy(*whose)
        .agg(F.sort_array(F.collect_list(piece)).alias("pieces"))
    )
    most = "array_max(transform(pieces, p -> length(p.said)))"
    width = f"IF({most} BETWEEN 190 AND 200, 200, IF({most} BETWEEN 3990 AND 4000, 4000, {most}))"
    filled = f"transform(pieces, (p, at) -> IF(at < size(pieces) - 1, rpad(p.said, {width}, ' '), p.said))"
    whole = several.withColumn(text, F.expr(f"array_join({filled}, '')")).drop("pieces")
    return whole.unionByName(frame.where(broken).drop(sequence))

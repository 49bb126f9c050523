"""Every statement of a log once: equal texts are one row before any Python sees them, alike ones
one after it.
"""

from __future__ import annotations

import hashlib
import marshal
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from lineal.projects.logs.statements import SHORT, Sessions, key_of
from lineal.spark.pipeline.book import Book
from lineal.spark.pipeline.clock import Clock, TooLong
from lineal.spark.pipeline.guard import Fault, Note, run_guarded, too_long
from lineal.spark.pipeline.pages import read_page
from lineal.spark.pipeline.sessions import parallelism
from lineal.spark.pipeline.shelving import (
    SHELVED,
    Fingerprintless,
    Kept,
    Shelf,
    page_writer,
)
from lineal.spark.pipeline.times import moment

PER_FETCH = 8_000
"""Statements that the driver fetches at once."""

PRINTED = (
    "key string, text string, runs bigint, untimed boolean, moment double, time string, id string,"
    " last_moment double, last string, users array<string>, database string, schema string, texts bigint,"
    " fault string"
)
FIRST = ("untimed", "moment", "time", "text", "id")
FULL_BATCH = 16_000_000
"""Characters of text that are sent on at once."""

WORKER_DIED = re.compile("Python worker|ExecutorLostFailure")


Batches = Iterator[pa.RecordBatch]
Printing = Callable[[Batches], Batches]


class Log(NamedTuple):
    """The statements of a log in the order of their first runs, with the counts of its rows and
    texts.
    """

    book: Book
    tables: Kept
    """the table of the statements"""
    size: int
    """how many statements there are"""
    rows: int
    texts: int
    quarantined: dict[str, int]
    """rows that have no statement, by the reason"""
    poisoned: dict[str, Fingerprintless]
    """the statements that have no fingerprint by their names: each is known by its whole text"""
    files: int = 0
    """of a folder of scripts, which has no rows"""

    def runs_of(self, names: Collection[str]) -> dict[str, int]:
        """Return how often some statements were run."""
        found: dict[str, int] = {}
        wanted = pa.array(sorted(names), pa.string())
        for page in self.tables.pages() if names else ():
            several = page.filter(pc.is_in(page["name"], wanted))
            found.update(zip(several["name"].to_pylist(), several["runs"].to_pylist(), strict=True))

        return found


COUNTED = ("text", "database", "schema", "reason")
"""The key of equal texts; a row with a reason has no text."""


def count_runs(rows: DataFrame) -> DataFrame:
    """Return a row for each text: its runs, when the first and the last were, and who ran them."""
    timed = rows.withColumn("moment", moment()).withColumn("untimed", F.col("time") == "")
    exact = timed.groupBy(*COUNTED).agg(
        F.count(F.lit(1)).alias("runs"),
        F.min(F.struct("untimed", "moment", "time", "id")).alias("first"),
        F.max(F.when(~F.col("untimed"), F.struct("moment", "time"))).alias("last"),
        F.sort_array(F.collect_set(F.when(F.col("user") != "", F.col("user")))).alias("users"),
    )
    last = F.col("last.moment").alias("last_moment"), F.col("last.time").alias("last")
    return exact.select(*COUNTED, "runs", "first.*", *last, "users")


def add_up(counted: DataFrame) -> DataFrame:
    """Return what `count_runs` would have returned, had all its rows come at once."""
    several = counted.groupBy(*COUNTED).agg(
        F.sum("runs").alias("runs"),
        F.min(F.struct("untimed", "moment", "time", "id")).alias("first"),
        F.max(F.struct("last_moment", "last")).alias("ended"),
        F.sort_array(F.array_distinct(F.flatten(F.collect_list("users")))).alias("users"),
    )
    return several.select(*COUNTED, "runs", "first.*", "ended.*", "users")


class Wanted(NamedTuple):
    """The settings that decide how the statements of a log are read."""

    dialect: str
    seconds: float
    about: bytes
    """the common part of the keys of statements"""
    known: Mapping[bytes, Fault]
    """texts that have no fingerprint: they are not tried again"""


def statements(counted: DataFrame, wanted: Wanted, folder: Path) -> Log:
    """Return texts with their runs as statements: the result depends neither on their order nor on
    how they are shared out. Their texts are kept in a folder of the driver.
    """
    faults = {key: fault.why for key, fault in wanted.known.items()}
    print_texts = partial(fingerprint_texts, wanted.dialect, wanted.seconds, faults)
    try:
        return _statements(counted, print_texts(), wanted, folder)
    except (PySparkException, Py4JError) as problem:
        if not WORKER_DIED.search(str(problem)):
            raise

        return _statements(counted, print_texts(guard=True), wanted, folder)


def _statements(counted: DataFrame, printing: Printing, wanted: Wanted, folder: Path) -> Log:
    """Return the different statements of a log, counted."""
    printed = counted.mapInArrow(printing, PRINTED)
    alike = printed.groupBy("key", "fault").agg(
        F.min(F.struct(*FIRST)).alias("first"),
        F.max(F.struct("last_moment", "last")).alias("last"),
        F.sum("runs").alias("runs"),
        F.sum("texts").alias("texts"),
        F.sort_array(F.array_distinct(F.flatten(F.collect_list("users")))).alias("users"),
        F.max("database").alias("database"),
        F.max("schema").alias("schema"),
    )
    with on_disk(alike):
        return _gather_pages(alike, wanted, folder)


@contextmanager
def on_disk(frame: DataFrame) -> Iterator[None]:
    """Keep the rows of a frame on the executors' disks for a while."""
    frame.persist(StorageLevel.DISK_ONLY)
    try:
        yield
    finally:
        with suppress(PySparkException, Py4JError):  # a session that is gone holds nothing
            frame.unpersist()


def _gather_pages(alike: DataFrame, wanted: Wanted, folder: Path) -> Log:
    """Fetch the statements page by page, in the order of their first runs."""
    is_named = F.col("key") != ""
    why = F.when(~is_named, F.col("fault")).alias("why")
    sums = F.sum("runs").alias("runs"), F.sum("texts").alias("texts"), F.count("key").alias("count")
    several = alike.groupBy(is_named.alias("named"), why, "database", "schema").agg(*sums).collect()
    named = [row for row in several if row["named"]]
    count = sum(row["count"] for row in named)
    quarantined = {row["why"]: row["runs"] for row in several if not row["named"]}
    short = F.substring("key", 1, SHORT).alias("short")
    clashes = alike.where(is_named).groupBy(short).count().where("count > 1").collect()
    shelf = Shelf(
        wanted.dialect,
        wanted.about,
        Sessions((row["database"], row["schema"]) for row in named),
        frozenset(row["short"] for row in clashes),
    )
    order = (*(f"first.{part}" for part in FIRST[:4]), "key")
    pages = max(parallelism(alike.sparkSession), -(-count // PER_FETCH))
    ordered = alike.where(is_named).repartitionByRange(pages, *order).sortWithinPartitions(*order)
    shelved = ordered.mapInArrow(page_writer(shelf), SHELVED)
    log = Log(
        Book(folder, True),
        Kept(folder),
        count,
        sum(row["runs"] for row in several),
        sum(row["texts"] for row in named),
        dict(sorted(quarantined.items())),
        {},
    )
    with on_disk(shelved):
        shelved.count()  # by all executors at once; then one after the other is fetched
        for row in shelved.toLocalIterator():
            log.tables.add(bytes(row["statements"]))
            log.book.add(read_page(bytes(row["page"])))
            poisoned = marshal.loads(row["poisoned"])  # noqa: S302  from our own executors
            log.poisoned.update((name, Fingerprintless(*told)) for name, *told in poisoned)

    return log


# -- on the executors ------------------------------------------------------------------------------


def text_key(text: str, dialect: str) -> bytes:
    """Of a text of which nobody could make a fingerprint."""
    return hashlib.blake2b(f"{dialect}\0{text}".encode("utf-8", "replace"), digest_size=20).digest()


def fingerprint_texts(
    dialect: str, seconds: float, faults: Mapping[bytes, str], guard: bool = False
) -> Printing:
    """Gives texts their keys, and unites those of a partition that have the same; some are known to
    have none.
    """

    def work(batches: Batches) -> Batches:
        """Fingerprint each batch, and unite equal statements."""
        from lineal.spark.pipeline.shapes import Fingerprints

        prints, size = Fingerprints(dialect), 0
        united: dict[tuple[str, str | None], dict[str, Any]] = {}
        for batch in batches:
            rows = batch.to_pylist()
            texts = list(map(_clean_text, rows))
            known = (
                [_known_fault(text, dialect, faults) for text in texts]
                if faults
                else [None] * len(texts)
            )
            new = [text if why is None else None for text, why in zip(texts, known, strict=True)]
            found = (
                _printed_apart(new, prints, seconds)
                if guard
                else _fingerprints_of(new, prints, seconds)
            )
            for row, print_, why in zip(rows, found, known, strict=True):
                size += _unite(united, row, dialect, print_ if why is None else why)

            if size > FULL_BATCH:
                yield _batch(united)
                united, size = {}, 0

        yield _batch(united)

    return work


def _clean_text(row: dict[str, Any]) -> str | None:
    """Return the text of a row without NUL; None if the row is broken."""
    if row["reason"] is None:
        row["text"] = row["text"].replace("\0", " ")
        return str(row["text"])

    return None


def _known_fault(text: str | None, dialect: str, faults: Mapping[bytes, str]) -> tuple[str] | None:
    """Return the fault that an earlier run found in a text."""
    why = faults.get(text_key(text, dialect)) if text is not None else None
    if why is not None:
        return (why,)

    return None


def _fingerprints_of(
    texts: list[str | None], prints: Any, seconds: float, note: Note = lambda number: None
) -> list[object]:
    """The fingerprint of each text, or the reason why it has none; a text may take only so long."""
    clock = Clock(seconds)
    found: list[Any] = [None] * len(texts)
    with clock.ticking():
        for number, text in enumerate(texts):
            if text is None:
                continue

            try:
                note(number)
                clock.began = time.monotonic()
                found[number] = prints.fingerprint_of(text)
            except TooLong:
                found[number] = tuple(too_long(seconds))
            except Exception as problem:
                found[number] = tuple(Fault(f"could not be read ({type(problem).__name__})"))

    return found


def _printed_apart(texts: list[str | None], prints: object, seconds: float) -> list[object]:
    """The same in children, which may die."""
    return run_guarded(
        lambda several, note: _fingerprints_of(several, prints, seconds, note), texts, seconds
    )


def _unite(
    united: dict[tuple[str, str | None], dict[str, Any]],
    row: dict[str, Any],
    dialect: str,
    print_: Any,
) -> int:
    """Unite a row with those of the same fingerprint."""
    fault = row.pop("reason")
    if isinstance(print_, tuple):
        fault, print_ = print_[0], text_key(row["text"], dialect).hex()

    row["key"], row["fault"], row["texts"] = "", fault, 1
    if print_ is not None:
        row["key"] = key_of(print_, row["database"], row["schema"])
    else:
        row["text"], row["users"], row["database"], row["schema"] = "", [], "", ""

    held = united.get((row["key"], fault))
    if held is None:
        united[row["key"], fault] = row
        return len(row["text"])

    held["runs"] += row["runs"]
    held["texts"] += 1
    if tuple(row[part] for part in FIRST) < tuple(held[part] for part in FIRST):
        held.update({part: row[part] for part in FIRST})

    if row["last"] is not None and (held["last"] is None or _last_run(row) > _last_run(held)):
        held["last"], held["last_moment"] = row["last"], row["last_moment"]

    if not held["users"] or row["users"] != held["users"]:
        held["users"] = sorted({*held["users"], *row["users"]})

    return 0


def _last_run(row: dict[str, Any]) -> tuple[float, str]:
    """Return the sort key of the last run."""
    return row["last_moment"], row["last"]


SCHEMA = pa.schema(
    [
        ("key", pa.string()), ("text", pa.string()), ("runs", pa.int64()), ("untimed", pa.bool_()),
        ("moment", pa.float64()), ("time", pa.string()), ("id", pa.string()), ("last_moment", pa.float64()),
        ("last", pa.string()), ("users", pa.list_(pa.string())), ("database", pa.string()), ("schema", pa.string()),
        ("texts", pa.int64()),
        ("fault", pa.string()),
    ]
)  # fmt: skip


def _batch(united: dict[tuple[str, str | None], dict[str, Any]]) -> pa.RecordBatch:
    """Return united rows as a batch."""
    return pa.RecordBatch.from_pylist(list(united.values()), schema=SCHEMA)

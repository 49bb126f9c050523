"""The counts of a stream, in the folder of its output.

out/_history/stream.json    what the stream follows, and whose history it is
out/_history/batch-7        the texts of batch 7 with their runs
out/_history/upto-7         the texts of all batches up to 7, added up
out/_stream                 how far Spark has read: the checkpoint of Structured Streaming

A part counts once Spark has marked it as written. A batch that is repeated after a kill writes the
same part again, so each event counts once.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from lineal.spark.pipeline.errors import BulkError
from lineal.spark.pipeline.folder import Folder
from lineal.spark.pipeline.statements import add_up
from lineal.spark.pipeline.streams import HISTORY, is_stream

FOLLOWED = f"{HISTORY}/stream.json"
WRITTEN = "_SUCCESS"
"""The file by which Spark marks a part that is whole."""

PART = re.compile(r"(?P<kind>batch|upto)-(?P<number>\d+)\Z")
MOST_PARTS = 20
"""Batches that are kept apart; more are added up."""


class History:
    """The counts of a stream, batch by batch."""

    def __init__(self, folder: Folder, spark: SparkSession) -> None:
        self.folder = folder
        self.spark = spark

    # -- followed sources --------------------------------------------------------------------------

    def begin(self, followed: dict[str, Any]) -> None:
        """Note what the stream follows; a stream of something else cannot go on here."""
        before = self.followed_stream()
        if before is None:
            self.note({**followed, "preset": None})
            return

        if {**before, "preset": None} != {**followed, "preset": None}:
            raise BulkError(
                f"{self.folder} follows {', '.join(before['paths'])} with other options: name another "
                "folder, or start over with --fresh"
            )

    def followed_stream(self) -> dict[str, Any] | None:
        """Return what the stream follows; None if there is no stream yet."""
        data = self.folder.read(FOLLOWED)
        if data is None:
            return None

        found: dict[str, Any] = json.loads(data)
        return found

    def note(self, followed: dict[str, Any]) -> None:
        """Write down what the stream follows."""
        self.folder.write(FOLLOWED, json.dumps(followed, sort_keys=True).encode())

    def recognize(self, preset: str | None) -> str | None:
        """Return whose history it is: what the first batch with known columns told."""
        followed = self.followed_stream() or {}
        known: str | None = followed.get("preset")
        if known is None and preset is not None:
            self.note({**followed, "preset": preset})
            return preset

        return known

    # -- counts ------------------------------------------------------------------------------------

    def put(self, number: int, counted: DataFrame) -> None:
        """Keep what a batch has counted, in the place of what an earlier try has left."""
        counted.write.mode("overwrite").parquet(self.folder.address(f"{HISTORY}/batch-{number}"))

    def read(self) -> DataFrame:
        """Return the counts of all batches, added up."""
        return add_up(self.spark.read.parquet(*map(self.folder.address, self.parts())))

    def parts(self) -> list[str]:
        """Return the parts that count: the newest sum, and the batches after it."""
        found = [(match["kind"], int(match["number"])) for match in self.matches()]
        whole = [
            (kind, number)
            for kind, number in found
            if WRITTEN in self.folder.names(f"{HISTORY}/{kind}-{number}")
        ]
        newest = max((number for kind, number in whole if kind == "upto"), default=-1)
        kept = [
            (kind, number)
            for kind, number in whole
            if number > newest or (kind, number) == ("upto", newest)
        ]
        return [f"{HISTORY}/{kind}-{number}" for kind, number in sorted(kept, key=lambda p: p[1])]

    def matches(self) -> list[re.Match[str]]:
        """Return the names of parts, whole or not."""
        return [match for name in self.folder.names(HISTORY) if (match := PART.match(name))]

    def settle(self, number: int) -> None:
        """Add up the batches if they are many, and remove the parts that no longer count."""
        if len(self.parts()) > MOST_PARTS:
            where = self.folder.address(f"{HISTORY}/upto-{number}")
            self.read().write.mode("overwrite").parquet(where)

        kept = self.parts()
        gone = [f"{HISTORY}/{match[0]}" for match in self.matches()]
        self.folder.remove(*(name for name in gone if name not in kept))


def check_not_a_stream(folder: Folder) -> None:
    """Refuse a run that would replace what a stream has written."""
    if is_stream(folder.names()):
        raise BulkError(
            f"{folder} is the output of a stream: go on with --watch or --available-now, name another "
            "folder, or start over with --fresh"
        )


def check_not_a_run(folder: Folder) -> None:
    """Refuse a stream in a folder whose tables come from a log that was read as a whole."""
    names = folder.names()
    if "statements" in names and not is_stream(names):
        raise BulkError(
            f"{folder} is the output of a run without a stream: name another folder, or start over "
            "with --fresh"
        )

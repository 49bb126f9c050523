"""A history that is followed as it grows: each batch of a stream is merged into the output.

    follow(options, Following(every=60), spark)       until somebody stops it
    follow(options, Following(every=None), spark)     what there is by now, then the end

Structured Streaming says which events are new. What a batch has counted is kept in the output
folder; the stages then run over all counts, of which only new statements have to be read. A batch
that did not come to its end is repeated by Spark as a whole, and changes nothing twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from lineal.extract.sql.dialects import facts_of
from lineal.spark.availability import one_line
from lineal.spark.pipeline.errors import BulkError
from lineal.spark.pipeline.history import History, check_not_a_run
from lineal.spark.pipeline.presets import preset_of
from lineal.spark.pipeline.sessions import check_jvm
from lineal.spark.pipeline.settings import settings
from lineal.spark.pipeline.sources import Settings, Source, source_of
from lineal.spark.pipeline.stages import (
    RUNTIME,
    Counted,
    Options,
    Run,
    Say,
    Summary,
    check_outside,
    in_one_line,
    log_of,
)
from lineal.spark.pipeline.state import State, open_state
from lineal.spark.pipeline.statements import count_runs
from lineal.spark.pipeline.streams import CHECKPOINT

MOST_FILES = 1_000
POLL = 0.5
"""Seconds between two looks at the stream."""

After = Callable[[int, Summary], object]
"""Told of each batch, before Spark notes that it is done: what it does must be repeatable."""


@dataclass(frozen=True)
class Following:
    """How a history is followed."""

    every: float | None = None
    """Seconds from batch to batch; None: what there is by now, then the end."""
    most_files: int = MOST_FILES
    options: Mapping[str, str] = field(default_factory=dict)
    """Settings of Spark's source."""


def follow(
    options: Options,
    following: Following,
    spark: SparkSession,
    say: Say = lambda stage: None,
    after: After = lambda number, summary: None,
    state: State | None = None,
) -> Summary | None:
    """Merge new events into the folder, batch by batch; None if there are none."""
    preset_of(options.preset)
    facts_of(options.dialect or "")
    check_jvm(spark, "following a history", "run `lineal pipeline` again when the log has grown")
    with ExitStack() as stack:
        if state is None:
            state = stack.enter_context(open_state(options.folder, spark, options.fresh))

        stack.enter_context(settings(spark, RUNTIME))
        return Stream(options, following, spark, state, say, after).run()


class Stream:
    """One stream, batch by batch."""

    def __init__(
        self,
        options: Options,
        following: Following,
        spark: SparkSession,
        state: State,
        say: Say,
        after: After,
    ) -> None:
        self.options = options
        self.following = following
        self.spark = spark
        self.folder = state.folder
        self.state: State | None = state
        self.say = say
        self.after = after
        self.history = History(self.folder, spark)
        self.source = self._source()
        self.summary: Summary | None = None
        self.problem: BaseException | None = None

    def _source(self) -> Source:
        """Return the source of the stream."""
        asked = Settings(log_of(self.options), self.following.most_files, self.following.options)
        if "://" not in "".join(self.options.paths):
            check_outside(self.options.folder, self.options.paths)

        return source_of(asked)

    def run(self) -> Summary | None:
        """Follow the stream to its end."""
        check_not_a_run(self.folder)
        self.history.begin(self.settings_of_count())
        query = self.start()
        try:
            self.wait_for(query)
        finally:
            query.stop()

        return self.summary

    def settings_of_count(self) -> dict[str, Any]:
        """Return what decides how events are counted."""
        options = self.options
        return {
            "paths": list(options.paths),
            "format": options.format,
            "preset named": options.preset,
            "log": dict(options.log),
            "period": [options.period.since, options.period.until],
        }

    def start(self) -> StreamingQuery:
        """Start the query of Spark."""
        try:
            writer = self.source.stream(self.spark).writeStream.foreachBatch(self.take)
            writer = writer.option("checkpointLocation", self.folder.address(CHECKPOINT))
            if self.following.every is None:
                return writer.trigger(availableNow=True).start()

            return writer.trigger(processingTime=f"{self.following.every} seconds").start()
        except PySparkException as problem:
            raise BulkError(
                f"{', '.join(self.options.paths)} cannot be followed: {one_line(problem)}"
            ) from problem

    def wait_for(self, query: StreamingQuery) -> None:
        """Wait until the query has ended; what a batch has raised counts, not Spark's copy of it."""
        try:
            while query.isActive:
                time.sleep(POLL)

            query.awaitTermination()
        except PySparkException as problem:
            if self.problem is not None:
                raise self.problem from None

            raise BulkError(
                f"the stream has ended: {one_line(problem)} (run the same command again to continue)"
            ) from problem

    def take(self, batch: DataFrame, number: int) -> None:
        """Merge one batch into the output."""
        try:
            with in_one_line(self.options.folder):
                self.merge(batch, number)
        except BaseException as problem:
            self.problem = problem
            raise

    def merge(self, batch: DataFrame, number: int) -> None:
        """Keep what the batch has counted, and run the stages over all counts."""
        found = self.source.rows(self.spark, batch)
        if found is None:
            return

        rows, preset = found
        preset = self.history.recognize(preset)
        self.history.put(number, count_runs(rows))
        state, self.state = self.state or State(self.folder), None
        counted = Counted(self.history.read(), preset)
        summary = Run(self.options, self.spark, state, self.say, counted).all()
        self.history.settle(number)
        self.after(number, summary)
        self.summary = summary

"""The writes of Python models while they run, as Spark's listener reports them."""

from __future__ import annotations

from threading import Lock
from typing import Any

from lineal.extract.catalyst.plan import Names
from lineal.model.extraction import Extraction
from lineal.spark.job_capture.listener import Execution, Listener
from lineal.spark.job_capture.record import Recorder, Write
from lineal.spark.plan import analyze, describe_plan

PATIENCE = 10_000
"""The milliseconds that Spark has to report a write."""


class Writes:
    """Every write of the run's Spark, by the session that it was made in."""

    def __init__(self, spark: Any, names: Names) -> None:
        self._spark = spark
        self._listener = Listener(spark.sparkContext)
        self._problems: list[str] = []
        self._recorder = Recorder(names, self._take, self._problems.append)
        self._found: dict[int, list[Write]] = {}
        self._one_at_a_time = Lock()

    def _take(self, write: Write) -> None:
        """Keep a write by its session."""
        self._found.setdefault(write.session, []).append(write)

    def writes_of(self, session: Any) -> list[Write]:
        """Return the successful writes of a session so far, in order."""
        with self._one_at_a_time:
            self._drain()

        return [write for write in self._found.get(self.number(session), []) if not write.failure]

    def lineage(self, frame: Any, target: str, session: Any) -> Extraction:
        """The lineage of a DataFrame; rows that a checkpoint has cut off from their plan keep their
        sources, once `of`
        was asked for what the session has done."""
        text = describe_plan(analyze(frame, self._spark), self._spark)
        with self._one_at_a_time:
            return self._recorder.lineage(text, target, self.number(session))

    def number(self, session: Any) -> int:
        """How Spark's listener knows a session."""
        return int(self._spark._jvm.java.lang.System.identityHashCode(session._jsparkSession))

    def close(self) -> None:
        """Stop listening to writes."""
        self._listener.detach()

    def _drain(self) -> None:
        """Record all executions that have ended."""
        self._listener.flush(PATIENCE)
        while (told := self._listener.poll(0)) is not None:
            self._recorder.take(told, _no_number)


def _no_number(execution: Execution) -> str:
    """Return no number: writes of a run are not numbered."""
    return ""

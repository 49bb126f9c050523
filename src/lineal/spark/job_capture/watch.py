"""One job that is watched: its contexts, its writes and its events. Nothing of this may fail the
job.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import NAMESPACE_URL, uuid4, uuid5

from lineal.extract.catalyst.plan import Names
from lineal.model.edge import Dataset
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.model.job import Job
from lineal.model.openlineage import NO_NAMESPACE
from lineal.spark.availability import one_line
from lineal.spark.job_capture import procedures
from lineal.spark.job_capture.listener import DATASET_LINEAGE, Execution, Listener
from lineal.spark.job_capture.outlet import ToFile, ToServer
from lineal.spark.job_capture.record import Recorder, Write

if TYPE_CHECKING:
    from lineal.api import Lineage
    from lineal.views.openlineage.runs import Application

LOG = logging.getLogger("lineal.capture")
BEAT = 1000
"""The milliseconds for which a thread waits in the JVM for the next execution."""
ELSEWHERE = (
    "a session of Spark Connect cannot be watched, since its plans are on the server: nothing is captured; "
    "watch the server's own process"
)
DROPPED = (
    "Spark has dropped {} events of its queue 'lineal', which was full: edges may be missing; "
    "spark.scheduler.listenerbus.eventqueue.lineal.capacity makes room"
)


class Settings(NamedTuple):
    """The settings that a user may choose."""

    to: str = ""
    """the file or the address that events go to; '' for none"""
    endpoint: str = "api/v1/lineage"
    unsent: str = ""
    """the file that keeps what a server did not take"""
    save: str = ""
    """the file that the lineage is saved in, at the end"""
    namespace: str = ""
    """of datasets"""
    job_namespace: str = ""
    job_name: str = ""
    """else the name of Spark's application"""
    timeout: float = 5.0
    """the seconds to wait, at the end, for Spark's listeners, and again for the server"""
    legacy: bool | None = None
    """write what decides the rows next to every field; None: as DATASET_LINEAGE in the session's
    settings says
    """


class Captured:
    """The writes of a job so far, and in the end all of them."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    @property
    def extraction(self) -> Extraction:
        """Return everything that was captured so far."""
        return self._recorder.extraction()

    @property
    def lineage(self) -> Lineage:
        """Return the captured lineage as the API gives it."""
        from lineal.api import Lineage

        return Lineage(self.extraction)

    @property
    def latest(self) -> Extraction:
        """Return the final contents of the targets, without writes that a later one replaced."""
        return self._recorder.latest()

    @property
    def targets(self) -> set[Dataset]:
        """The datasets that were written."""
        return self._recorder.targets()

    @property
    def schemas(self) -> list[DatasetInfo]:
        """The datasets that were there before the job wrote them, with the columns that they had."""
        return self._recorder.schemas()

    @property
    def writes(self) -> int:
        """How many executions have written something, or failed to."""
        return self._recorder.writes

    @property
    def failed(self) -> int:
        """Return how many executions could not be read."""
        return self._recorder.failed


@contextmanager
def capture(
    spark: Any,
    *,
    to: str | os.PathLike[str] = "",
    save: str | os.PathLike[str] = "",
    unsent: str | os.PathLike[str] = "",
    namespace: str = "",
    job_namespace: str = "",
    job_name: str = "",
    timeout: float = 5.0,
    legacy: bool | None = None,
) -> Iterator[Captured]:
    """Watch all writes while the block runs, in any session of the same Spark.

    `to` is a file or the address of a server for OpenLineage events, `save` a file for the lineage.
    `legacy` chooses the form of the events; None does as the session's setting of OpenLineage's
    agent says.
    """
    watch = Watch(
        Settings(
            to=os.fspath(to), unsent=os.fspath(unsent), save=os.fspath(save), namespace=namespace,
            job_namespace=job_namespace, job_name=job_name, timeout=timeout, legacy=legacy,
        )
    )  # fmt: skip
    watch.attach(context_of(spark))
    try:
        yield watch.captured
    except BaseException as problem:
        watch.close(one_line(problem) or type(problem).__name__)
        raise

    watch.close()


def context_of(spark: Any) -> Any:
    """The session's context; that of a session of Spark Connect is on its server, which may be this
    process.
    """
    if not type(spark).__module__.startswith("pyspark.sql.connect"):
        return getattr(spark, "sparkContext", spark)

    from pyspark import SparkContext

    return SparkContext._active_spark_context


class Watch:
    """The contexts of a job, one after the other or side by side, and the lineage of their
    executions.
    """

    def __init__(self, settings: Settings, said: Callable[[str], None] = LOG.warning) -> None:
        self.settings = settings
        self._said = said
        self._recorder = Recorder(Names(settings.namespace), self._wrote, said)
        self._followers: list[Follower] = []
        self._process = os.getpid()
        self._run_id = str(uuid4())
        self._name = settings.job_name
        self._spark_version = ""
        self._began = current_time()
        self.captured = Captured(self._recorder)

    @property
    def attached(self) -> bool:
        """Tell whether a Spark session is followed."""
        return bool(self._followers)

    @property
    def forked(self) -> bool:
        """Whether this is a child of the process that watches: it has its memory, and nothing to
        say.
        """
        return os.getpid() != self._process

    def attach(self, context: Any) -> None:
        """A context that cannot be watched is said; it works as without us."""
        if context is None:
            self._recorder.lose("attach", ELSEWHERE)
            return

        try:
            self._name = self._name or str(context.appName)
            self._spark_version = str(context.version)
            follower = Follower(context, self._recorder)
        except Exception as problem:
            self._recorder.lose("attach", f"Spark cannot be watched: {one_line(problem)}")
            return

        if not self._followers:
            self._tell_that_it_began()
            procedures.listen(self._note_procedure)

        self._followers.append(follower)

    def close(self, failure: str = "") -> None:
        """Stop capturing, and send the remaining events."""
        if self.forked:
            return

        procedures.leave(self._note_procedure)
        try:
            for follower in self._followers:
                follower.finish(self.settings.timeout)

            if self.settings.to and self._followers:
                from lineal.views.openlineage import runs

                self._outlet.put([runs.end_of_run(self._application, current_time(), failure)])
                self._outlet.close(self.settings.timeout)

            if self.settings.save:
                self._save()
        except Exception as problem:
            self._recorder.problem("close", f"the capture did not end well: {one_line(problem)}")

    def _note_procedure(self, procedure: str) -> None:
        """Report a procedure whose writes cannot be captured."""
        self._recorder.lose(
            f"CALL {procedure}", f"the writes of the procedure {procedure} cannot be captured"
        )

    def _save(self) -> None:
        """Save the captured lineage to a file."""
        from lineal.store import saved

        try:
            saved.write(self.captured.extraction, self.settings.save)
        except OSError as problem:
            self._said(f"the lineage cannot be saved in {self.settings.save}: {problem.strerror}")

    # -- events ------------------------------------------------------------------------------------

    @cached_property
    def _outlet(self) -> ToFile | ToServer:
        """The destination of events: a file or a server."""
        settings = self.settings
        if settings.to.startswith(("http://", "https://")):
            return ToServer(
                settings.to, settings.endpoint, settings.timeout, settings.unsent, self._said
            )

        return ToFile(settings.to, self._said)

    @cached_property
    def _application(self) -> Application:
        """The application that events describe."""
        from lineal.views.openlineage.emission import Engine
        from lineal.views.openlineage.runs import Application

        namespace = self.settings.job_namespace or NO_NAMESPACE
        engine = Engine("spark", self._spark_version)
        return Application(namespace, self._name, self._run_id, engine)

    def _tell_that_it_began(self) -> None:
        """Send the event that the application has started."""
        if not self.settings.to:
            return

        try:
            from lineal.views.openlineage import runs

            self._outlet.put([runs.start_of_run(self._application, self._began)])
        except Exception as problem:
            self._recorder.problem("events", f"no event could be written: {one_line(problem)}")

    def _wrote(self, write: Write) -> None:
        """Send the event of a write."""
        if not self.settings.to:
            return

        from lineal.graph.graph import Graph
        from lineal.views.openlineage import Emission, runs
        from lineal.views.report import report_of_all

        job = Job(
            (write.target,),
            self._application.namespace,
            f"{self._name}.{write.target}",
            time=write.run.ended,
            run=write.run,
            given=True,
        )
        found = write.extraction
        told = Extraction(
            found.edges, found.reads, found.datasets, coverage=found.coverage, jobs=lambda: [job]
        )
        emission = Emission(
            write.run.ended, namespace=self.settings.namespace, legacy=self._legacy(write)
        )
        self._outlet.put(
            runs.of_write(report_of_all(Graph(told)), emission, self._application, write.failure)
        )

    def _legacy(self, write: Write) -> bool:
        """Tell whether the events of a write have the legacy form: as the user says, else as the
        session's setting says.
        """
        if self.settings.legacy is not None:
            return self.settings.legacy

        chosen = write.dataset_lineage.strip().lower()
        if chosen not in ("", "true", "false"):
            message = f"{DATASET_LINEAGE} is {write.dataset_lineage!r}: neither true nor false, so it is ignored"
            self._recorder.problem(DATASET_LINEAGE, message)

        return chosen == "false"


class Follower:
    """One context: a thread that waits in the JVM for finished writes."""

    def __init__(self, context: Any, recorder: Recorder) -> None:
        self._recorder = recorder
        self._listener = Listener(context)
        self._application = str(context.applicationId)
        self._ending = Event()
        self._thread = Thread(target=self._run, name="lineal-capture", daemon=True)
        self._thread.start()

    def run_id(self, execution: Execution) -> str:
        """The same for the same execution, for every caller."""
        return str(
            uuid5(NAMESPACE_URL, f"spark:{self._application}/{execution.id}/{execution.part}")
        )

    def finish(self, timeout: float) -> None:
        """All that has happened is read, if Spark tells it in time."""
        deadline = time.monotonic() + timeout
        try:
            told = self._listener.flush(int(timeout * 1000))
            self._listener.detach()
            self._ending.set()
            self._listener.wake()
        except Exception:  # a JVM that is gone tells no more
            told = True
            self._ending.set()

        self._thread.join(max(deadline - time.monotonic(), 0) + 2 * BEAT / 1000)
        if not told or self._thread.is_alive():
            self._recorder.lose(
                "late",
                f"some executions were not told within {timeout:g} s; their edges are missing",
            )

    def _run(self) -> None:
        """Record executions until the capture ends."""
        try:
            while True:
                ending = self._ending.is_set()
                told = self._listener.poll(0 if ending else BEAT)
                if told is not None:
                    self._recorder.take(told, self.run_id)
                elif ending:
                    break

            if lost := self._listener.lost:
                self._recorder.lose(
                    "lost", f"{lost} executions found the queue full; their edges are missing"
                )

            if dropped := self._listener.dropped:
                self._recorder.lose("dropped", DROPPED.format(dropped))
        except Exception as problem:
            self._recorder.lose("gone", f"Spark was gone before all was read: {one_line(problem)}")

        self._recorder.close(self.run_id)


def current_time() -> str:
    """Return the time as ISO 8601 in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

"""Python models of a run: executed in processes of their own, and their results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from lineal.extract.catalyst.plan import Names
from lineal.extract.pyspark.forms import Form, Kind, form_of
from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.paths import is_path
from lineal.spark.job_capture.record import Write
from lineal.spark.python import faults
from lineal.spark.python.process import Deadline, Ended, ModelProcess, OutOfTime, finish_within
from lineal.spark.run.errors import message_of
from lineal.spark.run.jobs import Job, key_of
from lineal.spark.run.result import Fault, Refused
from lineal.spark.run.stage import Stage, open_stage
from lineal.spark.run.warehouse import Catalog, Folder, folder_name
from lineal.spark.run.writes import Writes

TIMEOUT = 3600.0
"""The seconds after which a Python model is stopped."""

LOGS = "logs"

Result = TypeVar("Result")


@dataclass
class Trace:
    """The lineage of a model that a run has learned."""

    incremental: bool
    files: frozenset[str]
    """The files that were executed: the model and the modules that it imports."""
    edges: list[Edge] = field(default_factory=list)
    problem: str = ""
    """Why Spark's plan could not be read."""


@dataclass
class ModelResult:
    """A DataFrame that a model has made, while the process that made it is there."""

    frame: Any
    whole: bool
    """The rows of the whole table, as a job has written it; else those that are new."""
    in_place: bool
    """A job has written its table where it belongs, in a catalog that is not ours."""
    deadline: Deadline
    cancel: Callable[[], None]

    def within_time(self, action: Callable[[], Result]) -> Result:
        """Do something with the DataFrame, within the time of the model."""
        return finish_within(self.deadline, action, self.cancel)


@dataclass
class PythonModels:
    """Executes the Python models of one run."""

    tables: Folder | Catalog
    spark: Any
    jobs: Mapping[str, Job]
    statements: Callable[[Job], str]
    """How a function of the project is declared for one session."""
    names: Names
    timeout: float = TIMEOUT
    trace: bool = True
    traces: dict[str, Trace] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.writes = Writes(self.spark, self.names)

    def close(self) -> None:
        """End the watch over writes."""
        self.writes.close()

    @contextmanager
    def run_model(self, job: Job, *, incremental: bool) -> Iterator[ModelResult]:
        """Return the result of a model; Refused, with file and line, if it cannot be a table."""
        form = form_of(job.step.texts[0])
        deadline = Deadline(self.seconds(job))
        functions = list(map(self.statements, self.functions(job)))
        is_job = form.kind is Kind.JOB
        with open_stage(
            self.tables, self.spark, job.table, functions, job=is_job, goes_on=incremental
        ) as stage:
            cancel = canceller(self.spark, stage)
            files: dict[str, str] = {job.step.file: job.step.file}
            with (
                self.blame_line(job, form, files, deadline),
                ModelProcess(
                    self.request(job, form, stage, incremental), self.log(job), deadline
                ) as process,
            ):
                try:
                    answer = process.answer()
                    files.update(answer["files"])
                    if "fault" in answer:
                        raise Refused(fault_in(answer["fault"], job, form))

                    yield self.take_result(job, form, stage, answer, incremental, deadline, cancel)
                except OutOfTime:
                    process.stop()
                    cancel()
                    raise

    # -- what the process is told, and what it answers ---------------------------------------------

    def request(self, job: Job, form: Form, stage: Stage, incremental: bool) -> dict[str, Any]:
        """Return what the child process needs to know about a model."""
        gateway = self.spark.sparkContext._gateway
        pinned = hasattr(gateway, "java_parameters")
        address = gateway.java_parameters if pinned else gateway.gateway_parameters
        step = job.step
        tables = {
            key: stage.at_home(other.table)
            for key, other in self.jobs.items()
            if self.tables.stands(other.table)
        }
        return {
            "port": address.port,
            "token": address.auth_token,
            "pinned": pinned,
            "session": stage.session._jsparkSession._target_id,
            "group": group_of(stage),
            "name": job.name,
            "file": step.file,
            "text": step.texts[0],
            "form": form.kind.value,
            "entry": form.entry,
            "sessions": form.sessions,
            "roots": list(step.roots),
            "dbt": {
                "relations": dict(step.relations),
                "tables": tables,
                "variables": plain_value(step.variables),
                "settings": plain_value(step.settings),
                "incremental": incremental,
                "this": stage.at_home(job.table),
                "name": job.name,
                "schema": stage.home or self.spark.catalog.currentDatabase(),
                "database": self.spark.catalog.currentCatalog(),
            },
        }

    def take_result(
        self,
        job: Job,
        form: Form,
        stage: Stage,
        answer: Mapping[str, Any],
        incremental: bool,
        deadline: Deadline,
        cancel: Callable[[], None],
    ) -> ModelResult:
        """Return the DataFrame that a model has returned, or a job has written under its own name."""
        writes = self.writes.writes_of(stage.session)
        own = [write for write in writes if key_of(stage.plain_name(write.target.name)) == job.slot]
        self.check_writes(job, stage, writes)
        whole = True
        if own and form.kind is Kind.JOB:
            added = stage.added_rows()
            frame, whole = (stage.table(), True) if added is None else (added, False)
        elif "frame" in answer:
            frame, whole, own = self.returned_frame(answer["frame"], stage), False, []
        else:
            frame = stage.temporary_view()
            if frame is None:
                message = f'it has ended and has not written {job.name}: df.write.saveAsTable("{job.name}")'
                raise Refused(Fault(message, start_of(job, form)))

        if self.trace:
            files = frozenset((job.step.file, *answer["files"].values()))
            self.traces[job.key] = self.trace_frame(
                Trace(incremental, files), job, stage, frame, own
            )

        stage.give_back()
        return ModelResult(frame, whole, bool(own) and not stage.database, deadline, cancel)

    def returned_frame(self, number: str, stage: Stage) -> Any:
        """The DataFrame that Spark knows under a number."""
        from py4j.java_gateway import JavaObject
        from pyspark.sql import DataFrame

        client = self.spark.sparkContext._gateway._gateway_client
        return DataFrame(JavaObject(number, client), stage.session)

    def check_writes(self, job: Job, stage: Stage, writes: list[Write]) -> None:
        """A model makes the table of its own name, and no other."""
        targets = {stage.plain_name(write.target.name) for write in writes}
        named = {name for name in targets if not is_path(name)} | set(stage.others())
        other = sorted(name for name in named if key_of(name) != job.slot)
        if other:
            message = (
                f"it also writes {', '.join(other)}: a model may write only the table with its name. "
                "Use a temporary view, or make a node of it"
            )
            raise Refused(Fault(message, Place(job.step.file, 1, 1)))

        for path in sorted(filter(is_path, targets)):
            self.note(job, f"it also writes {path}, which is not part of the warehouse")

    def note(self, job: Job, text: str) -> None:
        """Add a remark about a node."""
        self.notes.setdefault(job.key, []).append(text)

    def trace_frame(
        self, trace: Trace, job: Job, stage: Stage, frame: Any, own: list[Write]
    ) -> Trace:
        """Return the lineage of Spark's plans: of the DataFrame, or of the writes to the model's
        own name.
        """
        target = Dataset(self.names.namespace, job.name)
        try:
            found = [write.extraction for write in own] or [
                self.writes.lineage(frame, job.name, stage.session)
            ]
        except Exception as problem:
            return replace(trace, problem=message_of(problem))

        edges = [
            rename_ends(edge, target, stage, self.names)
            for extraction in found
            for edge in extraction.edges
        ]
        return replace(trace, edges=[edge for edge in edges if edge.into == target])

    # -- around ------------------------------------------------------------------------------------

    @contextmanager
    def blame_line(
        self, job: Job, form: Form, files: Mapping[str, str], deadline: Deadline
    ) -> Iterator[None]:
        """Report any failure with the line of the project's own code."""
        try:
            yield
        except Refused as refused:
            raise Refused(*(self.with_log(job, fault) for fault in refused.faults)) from refused
        except OutOfTime as late:
            message = f"it has not ended within {deadline.seconds:g} seconds (timeout)"
            raise Refused(self.with_log(job, Fault(message, start_of(job, form)))) from late
        except Ended as ended:
            raise Refused(self.with_log(job, Fault(str(ended), start_of(job, form)))) from ended
        except Exception as problem:
            place = faults.place_of(problem, files) or start_of(job, form)
            raise Refused(self.with_log(job, Fault(faults.message_of(problem), place))) from problem

    def with_log(self, job: Job, fault: Fault) -> Fault:
        """Where the output of the model is, if there is any."""
        log = self.log(job)
        if not log.exists() or "output:" in fault.message:
            return fault

        return Fault(f"{fault.message} (output: {log})", fault.place)

    def log(self, job: Job) -> Path:
        """Return the log file of a node."""
        folder = self.tables.given / LOGS
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{folder_name(job.name)}.log"

    def seconds(self, job: Job) -> float:
        """Return how long a node may take."""
        said = job.step.settings.get("timeout")
        try:
            seconds = float(said) if said is not None else self.timeout
        except (TypeError, ValueError):
            seconds = 0.0

        if seconds <= 0:
            raise Refused(
                Fault(f"timeout: expected a number of seconds, found {said}", job.step.place)
            )

        return seconds

    def functions(self, job: Job) -> list[Job]:
        """The functions of the project that a model names, each after those that it calls itself."""
        words = set(re.findall(r"\w+", " ".join(job.step.texts).lower()))
        wanted = {
            key
            for key, other in self.jobs.items()
            if not other.is_data and key.rpartition(".")[2] in words
        }
        while (
            more := {
                need
                for key in wanted
                for need in self.jobs[key].needs
                if not self.jobs[need].is_data
            }
            - wanted
        ):
            wanted |= more

        return [
            other
            for key, other in self.jobs.items()
            if key in wanted and other.function is not None
        ]


def canceller(spark: Any, stage: Stage) -> Callable[[], None]:
    """Ends all that a model has asked Spark for."""

    def cancel() -> None:
        """Cancel the Spark jobs of a model."""
        with suppress(Exception):  # Spark may be gone
            spark.sparkContext.cancelJobGroup(group_of(stage))

        with suppress(Exception):
            stage.session._jsparkSession.interruptAll()

    return cancel


def group_of(stage: Stage) -> str:
    """Return the name of the Spark jobs of a stage."""
    return f"lineal-{stage.session._jsparkSession._target_id}"


def fault_in(said: Mapping[str, Any], job: Job, form: Form) -> Fault:
    """Return the fault that the child process reports."""
    place = (
        Place(said["file"], said["line"], said["column"]) if "file" in said else start_of(job, form)
    )
    return Fault(said["message"], place)


def start_of(job: Job, form: Form) -> Place:
    """def model(dbt, session): the line that a model starts with."""
    return Place(job.step.file, form.line, 1)


def plain_value(value: Any) -> Any:
    """Only what JSON knows: dates of the YAML as they are written."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(each) for key, each in value.items()}

    if isinstance(value, (list, tuple, set)):
        return list(map(plain_value, value))

    if isinstance(value, (str, int, float, bool)) or value is None:
        return value

    return str(value)


def rename_ends(edge: Edge, target: Dataset, stage: Stage, names: Names) -> Edge:
    """The edge with the names that the project knows."""

    def dataset(found: Dataset) -> Dataset:
        """Return a dataset by its name in the project."""
        plain_name = stage.plain_name(found.name)
        name = names.datasets.get(key_of(plain_name), plain_name)
        if key_of(name) == key_of(target.name):
            return target

        return Dataset(found.namespace, name)

    def column(found: Column) -> Column:
        """Return a column of the project's dataset."""
        return Column(dataset(found.dataset), found.name, found.path)

    goal = edge.target
    return Edge(
        column(edge.source),
        column(goal) if isinstance(goal, Column) else dataset(goal),
        edge.usages,
    )

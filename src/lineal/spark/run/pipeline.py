"""The pipeline: from a corpus to built, tested and compared tables."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lineal.extract.catalyst.plan import Names
from lineal.extract.definitions import extract
from lineal.extract.sql.translate import statement
from lineal.graph.compare import Disagreement
from lineal.model.extraction import Extraction
from lineal.model.script import ColumnTest, Corpus
from lineal.spark.names import quoted
from lineal.spark.python.process import stop_all
from lineal.spark.run.column_tests import Examined, examine, looker
from lineal.spark.run.crosscheck import Crosscheck
from lineal.spark.run.errors import Origin, fault_of
from lineal.spark.run.jobs import EXTERNAL, Fingerprints, Job, jobs_of, key_of
from lineal.spark.run.models import Builder, origin_of, session_function
from lineal.spark.run.python_models import TIMEOUT, PythonModels
from lineal.spark.run.result import (
    Agreement,
    Ended,
    Event,
    Fault,
    Note,
    Outcome,
    Planned,
    Refused,
    Status,
    Summary,
    Tested,
)
from lineal.spark.run.schedule import scheduled
from lineal.spark.run.select import selected
from lineal.spark.run.state import Entry, State, locked
from lineal.spark.run.warehouse import Catalogue, Folder, Tables, has_catalogue
from lineal.spark.start import start

FOLDER = ".lineal"
"""What a run leaves in the project."""

COMPARED = ("sql", "python")
"""The kinds of nodes whose static lineage is held against Spark's."""

VIEWS = ("view", "ephemeral")
ABSENT = "is not in the warehouse, and lineal run does not execute it"


@dataclass(frozen=True)
class Options:
    """How to run. What the project's `spark:` section says counts where these say nothing."""

    project: Path
    select: tuple[str, ...] = ()
    full_refresh: bool = False
    resume: bool = False
    threads: int = 4
    warehouse: Path | None = None
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    check: bool = True
    timeout: float = TIMEOUT
    """The seconds after which a Python model is stopped."""

    def settled(self, engine: Mapping[str, Any]) -> Settled:
        """With the project's settings: `spark: {master: …, warehouse: …, conf: {…}}`, or `spark.*` keys directly."""
        own = {key: _text(value) for key, value in engine.items() if key.startswith("spark.")}
        nested = engine.get("conf")
        more = {str(key): _text(value) for key, value in nested.items()} if isinstance(nested, dict) else {}
        folder = self.warehouse or self.project / str(engine.get("warehouse") or f"{FOLDER}/warehouse")
        master = self.master or str(engine.get("master") or "local[*]")
        return Settled(folder, master, {**own, **more, **self.conf})


@dataclass(frozen=True)
class Settled:
    """Where to run, and on what."""

    warehouse: Path
    master: str
    conf: Mapping[str, str]


def _text(value: object) -> str:
    """spark: {spark.ui.enabled: false} is `false` to Spark."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def run(corpus: Corpus, options: Options, spark: Any = None) -> Iterator[Event | Summary]:
    """Do it: events as they come, and the summary at the end. A session that is given is left as it was."""
    began = time.monotonic()
    static = extract(corpus)
    jobs = jobs_of(corpus, static)
    wanted = selected(options.select, jobs, static)
    settled = options.settled(corpus.engine)
    yield Planned(len(wanted))
    with ExitStack() as stack:
        stack.enter_context(locked(settled.warehouse))
        if spark is None:
            spark = start(settled.master, settled.conf, settled.warehouse, settled.warehouse / "spark.log")
            stack.callback(_stop, spark)
        tables = _tables(settled, spark)
        stack.callback(tables.close)
        pipeline = Pipeline(corpus, static, jobs, wanted, options, tables, spark, has_catalogue(settled.conf))
        stack.callback(pipeline.close)
        yield from pipeline.run()
        yield Summary(tuple(pipeline.outcomes[key] for key in wanted), time.monotonic() - began)


def _tables(settled: Settled, spark: Any) -> Folder | Catalogue:
    kind = Catalogue if has_catalogue(settled.conf) else Folder
    return kind(settled.warehouse, State(settled.warehouse), spark)


def _stop(spark: Any) -> None:
    with suppress(Exception):
        spark.sparkContext.cancelAllJobs()
    with suppress(Exception):
        spark.stop()


class Pipeline:
    """One run over one warehouse."""

    def __init__(
        self,
        corpus: Corpus,
        static: Extraction,
        jobs: Mapping[str, Job],
        wanted: Mapping[str, Job],
        options: Options,
        tables: Folder | Catalogue,
        spark: Any,
        catalogue: bool,
    ) -> None:
        self.jobs = jobs
        self.wanted = wanted
        self.options = options
        self.tables: Tables = tables
        self.state = tables.state
        self.spark = spark
        self.fingerprints = Fingerprints(jobs)
        self.python = self.python_models(corpus, tables)
        self.crosscheck = Crosscheck(corpus, static, spark, self.python) if options.check else None
        self.builder = Builder(
            tables,
            spark,
            self.view,
            self.python,
            full_refresh=options.full_refresh,
            own_functions=not catalogue,
        )
        self.look = looker(spark, tables.stands)
        self.outcomes: dict[str, Outcome] = {}

    def python_models(self, corpus: Corpus, tables: Folder | Catalogue) -> PythonModels | None:
        """What executes Python models, if there are any to execute."""
        if not any(job.is_python and job.kind != EXTERNAL and not job.fault for job in self.wanted.values()):
            return None
        return PythonModels(
            tables,
            self.spark,
            self.jobs,
            session_function,
            Names(namespace=corpus.namespace, meanings=corpus.meanings),
            self.options.timeout,
            self.options.check,
        )

    def close(self) -> None:
        """End what is still at work: the run is over, or was interrupted."""
        stop_all()
        if self.python is not None:
            with suppress(Exception):  # Spark may be gone already
                self.python.close()

    def run(self) -> Iterator[Event]:
        broken = self.tables.open(self.jobs)
        if self.state.unreadable:
            yield Note("the state of the warehouse cannot be read: everything is built anew")
        for name in broken:
            yield Note(f"{name} is half-written or gone from the warehouse: it is built again when its turn comes")
        self.fingerprints.versions = {key: entry.version for key, entry in self.state.entries.items()}
        for event in scheduled(self.wanted, self.work, self.options.threads):
            if isinstance(event, Ended):
                self.outcomes[key_of(event.outcome.name)] = event.outcome
            yield event
        yield from self.late_tests()

    # -- one job -----------------------------------------------------------------------------------

    def work(self, job: Job) -> Outcome:
        """Build, test and compare; whatever happens is an outcome."""
        began = time.monotonic()
        try:
            outcome = self.kept(job) or self.done(job)
        except Refused as refused:
            outcome = Outcome(job.name, job.kind, Status.FAILED, faults=refused.faults)
        except Exception as problem:
            fault = fault_of(problem, Origin(job.step.file, "", line=0))
            outcome = Outcome(job.name, job.kind, Status.FAILED, faults=(fault,))
        return replace(outcome, seconds=time.monotonic() - began)

    def done(self, job: Job) -> Outcome:
        self.possible(job)
        if job.kind == EXTERNAL:
            return self.external(job)
        made_of = self.fingerprints.of(job)
        entry = replace(self.builder.build(job), kind=job.kind, made_of=made_of)
        if not job.is_data:
            self.fingerprints.versions[job.key] = made_of
            return Outcome(job.name, job.kind, Status.OK)
        self.keep(job, entry)
        self.builder.finish(job)
        examined = self.examined(job, [test for test in job.step.tests if not self.is_late(job, test)])
        agreement = self.crosscheck.of(job) if self.crosscheck and job.step.kind in COMPARED else None
        status = Status.FAILED if any(test.status == "failed" for test in examined.tests) else Status.OK
        notes = self.notes(job)
        outcome = Outcome(
            job.name, job.kind, status, examined.rows, tests=examined.tests, agreement=agreement, notes=notes
        )
        self.remember(job, entry, outcome)
        return outcome

    def external(self, job: Job) -> Outcome:
        """Python that lineal does not execute: its table may be there, and others may read it."""
        missing = not self.tables.stands(job.name)
        note = f"lineal run does not execute {job.step.file}: it is neither a PySpark model nor a Spark job"
        return Outcome(job.name, job.kind, Status.EXTERNAL, notes=(note,), missing=missing, lacks=ABSENT)

    def notes(self, job: Job) -> tuple[str, ...]:
        said = self.python.notes.get(job.key, []) if self.python is not None else []
        if job.is_python and job.step.materialized in VIEWS:
            return ("a Python model cannot be a view: it is built as a table", *said)
        return tuple(said)

    def possible(self, job: Job) -> None:
        """Refused if it cannot be done, or needs what neither this run nor a former one has built."""
        if job.fault is not None:
            raise Refused(job.fault)
        needed = (self.jobs[key] for key in sorted(job.needs) if key in self.jobs and key not in self.wanted)
        missing = [other.name for other in needed if other.is_data and not self.tables.stands(other.name)]
        if missing:
            message = f"it reads {', '.join(missing)}, which is not in the warehouse: select +{job.name}"
            raise Refused(Fault(message, job.step.place))

    def keep(self, job: Job, entry: Entry) -> None:
        """The new version is the table from this moment on."""
        before = self.state.entries.get(job.key)
        self.state.put(job.key, entry)
        if not entry.sql:
            self.tables.register(entry)
        self.tables.settle(entry, before)
        self.fingerprints.versions[job.key] = entry.version

    def remember(self, job: Job, entry: Entry, outcome: Outcome) -> None:
        whole = outcome.status.stands and all(test.status == "passed" for test in outcome.tests)
        memory = {"tests": [asdict(test) for test in outcome.tests], "agreement": _remembered(outcome.agreement)}
        self.state.put(job.key, replace(entry, passed=whole, rows=outcome.rows, memory=memory))

    def kept(self, job: Job) -> Outcome | None:
        """--resume: what a former run built and tested from the same inputs stays."""
        entry = self.state.entries.get(job.key)
        if (
            not self.options.resume
            or job.fault
            or entry is None
            or not entry.passed
            or not self.tables.stands(job.name)
        ):
            return None
        if self.options.full_refresh or entry.made_of != self.fingerprints.of(job):
            return None
        tests = tuple(
            Tested(**{**each, "examples": tuple(each["examples"]), "place": None}) for each in entry.memory["tests"]
        )
        agreement = _recalled(entry.memory.get("agreement")) if self.options.check else None
        return Outcome(job.name, job.kind, Status.KEPT, entry.rows, tests=tests, agreement=agreement)

    def examined(self, job: Job, tests: list[ColumnTest]) -> Examined:
        """A view is examined by its query: errors in it know their line then."""
        try:
            view = job.kind == "view"
            frame = self.spark.sql(self.origin(job).text) if view else self.spark.table(quoted(job.name))
            return examine(frame, tests, self.look)
        except Exception as problem:
            raise Refused(fault_of(problem, self.origin(job), self.view)) from problem

    # -- tests that look at what is built later ----------------------------------------------------

    def is_late(self, job: Job, test: ColumnTest) -> bool:
        return key_of(str(test.arguments.get("to", ""))) in job.late

    def late_tests(self) -> Iterator[Event]:
        """Two models whose tests look at each other: one of the two is tested when both are there."""
        for key, job in self.wanted.items():
            outcome = self.outcomes.get(key)
            late = [test for test in job.step.tests if self.is_late(job, test)]
            if not late or outcome is None or outcome.status is not Status.OK:
                continue
            tests = (*outcome.tests, *self.examined(job, late).tests)
            failed = any(test.status == "failed" for test in tests)
            outcome = replace(outcome, tests=tests, status=Status.FAILED if failed else Status.OK)
            self.outcomes[key] = outcome
            self.remember(job, self.state.entries[key], outcome)
            if failed:
                yield Ended(outcome)

    # -- where an error comes from -----------------------------------------------------------------

    def view(self, name: str) -> Origin | None:
        """spark_catalog.default.stg_orders: the model of that name, if it is built as a view."""
        parts = [key_of(part.strip("`")) for part in name.split(".")]
        keys = (".".join(parts[at:]) for at in range(len(parts)))
        job = next((self.jobs[key] for key in keys if key in self.jobs), None)
        return None if job is None or job.kind != "view" else self.origin(job)

    def origin(self, job: Job) -> Origin:
        text = job.step.texts[0] if job.step.texts else ""
        return origin_of(job, statement(text, job.dialect))


def _remembered(agreement: Agreement | None) -> dict[str, Any] | None:
    return asdict(agreement) if agreement is not None else None


def _recalled(memory: dict[str, Any] | None) -> Agreement | None:
    if memory is None:
        return None
    disagreements = tuple(Disagreement(*each) for each in memory["disagreements"])
    incomparable = tuple(memory.get("incomparable", ()))
    return Agreement(tuple(memory["static"]), tuple(memory["exact"]), disagreements, memory["problem"], incomparable)

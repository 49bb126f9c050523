"""The pipeline: from a corpus to built, tested and compared tables."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lineal.extract.catalyst.plan import Names
from lineal.extract.sql.translator import Translated, Translator
from lineal.graph.compare import Disagreement
from lineal.incremental.extraction import extract
from lineal.model.extraction import Extraction
from lineal.model.script import ColumnTest, Corpus, QueryTest, Script
from lineal.spark.names import quote_name
from lineal.spark.python.process import stop_all
from lineal.spark.python.ship import settings_for_cluster
from lineal.spark.run.column_tests import Examined, dataset_reader, examine
from lineal.spark.run.crosscheck import Crosscheck
from lineal.spark.run.errors import Origin, fault_of
from lineal.spark.run.hooks import Hooks
from lineal.spark.run.jobs import EXTERNAL, Fingerprints, Job, jobs_of, key_of
from lineal.spark.run.models import Builder, origin_of, session_function
from lineal.spark.run.python_models import TIMEOUT, PythonModels
from lineal.spark.run.query_tests import QueryTests
from lineal.spark.run.result import (
    Agreement,
    Ended,
    Event,
    Fault,
    Missing,
    Note,
    Outcome,
    Planned,
    Refused,
    Status,
    Summary,
    Tested,
)
from lineal.spark.run.schedule import run_in_order
from lineal.spark.run.schemas import Schemas, reads
from lineal.spark.run.select import select_jobs
from lineal.spark.run.state import Entry, State, lock_warehouse
from lineal.spark.run.warehouse import Catalog, Folder, Tables, has_catalog
from lineal.spark.start import start

FOLDER = ".lineal"
"""The folder that a run leaves in the project."""

COMPARED = ("sql", "python", "snapshot")
"""The kinds of nodes whose static lineage is compared with Spark's."""

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

    def with_settings(self, engine: Mapping[str, object]) -> Settled:
        """With the project's settings: `spark: {master: …, warehouse: …, conf: {…}}`, or `spark.*`
        keys directly.
        """
        own = {key: _text(value) for key, value in engine.items() if key.startswith("spark.")}
        nested = engine.get("conf")
        more = (
            {str(key): _text(value) for key, value in nested.items()}
            if isinstance(nested, dict)
            else {}
        )
        folder = self.warehouse or self.project / str(
            engine.get("warehouse") or f"{FOLDER}/warehouse"
        )
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
    if isinstance(value, bool):
        return str(value).lower()

    return str(value)


def run(corpus: Corpus, options: Options, spark: Any = None) -> Iterator[Event | Summary]:
    """Do it: events as they come, and the summary at the end. A session that is given is left as it
    was.
    """
    began = time.monotonic()
    static = extract(corpus)
    jobs = jobs_of(corpus, static)
    wanted = select_jobs(options.select, jobs, static, options.project)
    settled = options.with_settings(corpus.engine)
    yield Planned(len(wanted))
    with ExitStack() as stack:
        stack.enter_context(lock_warehouse(settled.warehouse))
        if spark is None:
            conf = {**settled.conf, **stack.enter_context(_libraries(settled, jobs, wanted))}
            spark = start(settled.master, conf, settled.warehouse, settled.warehouse / "spark.log")
            stack.callback(_stop, spark)

        tables = _tables(settled, spark)
        stack.callback(tables.close)
        pipeline = Pipeline(
            corpus, static, jobs, wanted, options, tables, spark, has_catalog(settled.conf)
        )
        stack.callback(pipeline.close)
        yield from pipeline.run()
        yield Summary(tuple(pipeline.outcomes[key] for key in wanted), time.monotonic() - began)


def _libraries(
    settled: Settled, jobs: Mapping[str, Job], wanted: Iterable[str]
) -> AbstractContextManager[Mapping[str, str]]:
    """The settings that bring libraries to the executors of a cluster; only Python models need them
    there.
    """
    if any(jobs[key].is_python for key in wanted):
        return settings_for_cluster(settled.master, settled.conf)

    return nullcontext({})


def _tables(settled: Settled, spark: object) -> Folder | Catalog:
    """Return the tables of the run: a catalog's or a folder's."""
    kind = Catalog if has_catalog(settled.conf) else Folder
    return kind(settled.warehouse, State(settled.warehouse), spark)


def _stop(spark: Any) -> None:
    """Stop Spark, whatever state it is in."""
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
        tables: Folder | Catalog,
        spark: Any,
        catalog: bool,
    ) -> None:
        self.jobs = jobs
        self.wanted = wanted
        self.options = options
        self.tables: Tables = tables
        self.state = tables.state
        self.spark = spark
        self.corpus = corpus
        self.fingerprints = Fingerprints(jobs)
        names = {job.name: job.table for job in jobs.values() if job.table != job.name}
        self.schemas = Schemas(spark)
        self.translator = Translator(
            corpus.dialect,
            corpus.aliases,
            names,
            self.schemas.columns,
            lambda sql: reads(spark, sql),
        )
        self.python = self.python_models(corpus, tables)
        self.crosscheck = (
            Crosscheck(corpus, static, spark, self.translator, self.python)
            if options.check
            else None
        )
        self.builder = Builder(
            tables,
            spark,
            self.view,
            self.translator,
            self.python,
            full_refresh=options.full_refresh,
            own_functions=not catalog,
        )
        self.hooks = Hooks(tables, spark, self.translator)
        self.look = dataset_reader(spark, self.place)
        self.queries = QueryTests(spark, self.translator, self.is_there)
        self.outcomes: dict[str, Outcome] = {}

    def python_models(self, corpus: Corpus, tables: Folder | Catalog) -> PythonModels | None:
        """Return the executor of Python models, if there are any to execute."""
        if not any(
            job.is_python and job.kind != EXTERNAL and not job.fault for job in self.wanted.values()
        ):
            return None

        return PythonModels(
            tables,
            self.spark,
            self.jobs,
            session_function,
            Names(
                namespace=corpus.namespace,
                meanings=corpus.meanings,
                datasets=self.translator.datasets,
            ),
            self.options.timeout,
            self.options.check,
        )

    def close(self) -> None:
        """End the processes and sessions still at work: the run is over, or was interrupted."""
        stop_all()
        self.hooks.close()
        if self.python is not None:
            with suppress(Exception):  # Spark may be gone already
                self.python.close()

    def run(self) -> Iterator[Event]:
        """Build every node, and yield what happens."""
        yield from map(Note, self.corpus.notes)
        broken = self.tables.open(job.slot for job in self.jobs.values())
        if self.state.unreadable:
            yield Note("the state of the warehouse cannot be read: everything is rebuilt")

        for name in broken:
            yield Note(
                f"{name} is half-written or gone from the warehouse: it is built again when its turn comes"
            )

        entries = self.state.entries
        self.fingerprints.versions = {
            key: entries[job.slot].version for key, job in self.jobs.items() if job.slot in entries
        }
        if (
            self.corpus.before
            or self.corpus.after
            or any(job.step.lenient for job in self.wanted.values())
        ):
            self.hooks.open(self.corpus.schemas)

        yield from self.around(self.corpus.before, "on-run-start")
        for event in run_in_order(self.wanted, self.work, self.options.threads):
            if isinstance(event, Ended):
                self.outcomes[key_of(event.outcome.name)] = event.outcome

            yield event

        yield from self.late_tests()
        yield from self.around(self.corpus.after, "on-run-end")

    def around(self, scripts: Iterable[Script], when: str) -> Iterator[Event]:
        """Hooks of the whole run; what Spark does not take is passed over, and said."""
        for script in scripts:
            try:
                self.hooks.run(script)
            except Refused as refused:
                yield Note(f"the {when} hook is passed over: {refused.faults[0]}")

    # -- one job -----------------------------------------------------------------------------------

    def work(self, job: Job) -> Outcome:
        """Build, test and compare; whatever happens is an outcome."""
        began = time.monotonic()
        try:
            outcome = self.reuse_outcome(job) or self.build_job(job)
        except Missing as missing:
            outcome = Outcome(
                job.name, job.kind, Status.MISSING, faults=missing.faults, lacks="is missing"
            )
        except Refused as refused:
            outcome = Outcome(job.name, job.kind, Status.FAILED, faults=refused.faults)
        except Exception as problem:
            fault = fault_of(problem, Origin(job.step.file, "", line=0))
            outcome = Outcome(job.name, job.kind, Status.FAILED, faults=(fault,))

        return replace(outcome, seconds=time.monotonic() - began)

    def build_job(self, job: Job) -> Outcome:
        """Build and test a node, and return the outcome."""
        self.possible(job)
        if job.kind == "test":
            return self.run_test(job)

        if job.kind == EXTERNAL:
            return self.external(job)

        made_of = self.fingerprints.fingerprint_of(job)
        before, after = self.hooks_of(job)
        notes = self.run_hooks(job, before)
        built = self.builder.build(job)
        if not job.is_data:
            self.fingerprints.versions[job.key] = made_of
            return Outcome(job.name, job.kind, Status.OK)

        entry = replace(built, kind=job.kind, made_of=made_of) if built is not None else None
        if entry is not None:
            self.keep(job, entry)

        notes += self.run_hooks(job, after)
        examined = self.examine(job, late=False)
        agreement = (
            self.crosscheck.compare_job(job)
            if self.crosscheck and job.step.kind in COMPARED
            else None
        )
        status = (
            Status.FAILED if any(test.status == "failed" for test in examined.tests) else Status.OK
        )
        outcome = Outcome(
            job.name,
            job.kind,
            status,
            examined.rows,
            tests=examined.tests,
            agreement=agreement,
            notes=(*notes, *self.notes(job)),
        )
        if entry is not None:
            self.remember(job, self.state.entries[job.slot], outcome)

        return outcome

    def run_test(self, job: Job) -> Outcome:
        """A test of its own, which builds nothing."""
        tests = tuple(map(self.queries.run, job.step.queries))
        failed = any(test.status == "failed" for test in tests)
        return Outcome(job.name, job.kind, Status.FAILED if failed else Status.OK, tests=tests)

    def hooks_of(self, job: Job) -> tuple[tuple[Script, ...], tuple[Script, ...]]:
        """Return the hooks of this build: of a first build, or of an incremental one."""
        step = job.step
        if step.again is not None and self.builder.goes_on(job):
            return step.again

        return (step.before, step.after)

    def run_hooks(self, job: Job, hooks: Iterable[Script]) -> list[str]:
        """Carry out hooks; one that Spark does not take fails the job, or is passed over and said."""
        notes: list[str] = []
        for hook in hooks:
            try:
                changed = self.hooks.run(hook, job)
            except Refused as refused:
                if not job.step.lenient:
                    raise

                notes.append(f"a hook is passed over: {refused.faults[0]}")
                continue

            before = self.state.entries.get(job.slot)
            if changed is not None and before is not None:
                self.keep(job, replace(changed, kind=before.kind, made_of=before.made_of))

        return notes

    def external(self, job: Job) -> Outcome:
        """Python that lineal does not execute: its table may be there, and others may read it."""
        missing = not self.tables.stands(job.table)
        note = f"lineal run does not execute {job.step.file}: it is neither a PySpark model nor a Spark job"
        return Outcome(
            job.name, job.kind, Status.EXTERNAL, notes=(note,), missing=missing, lacks=ABSENT
        )

    def notes(self, job: Job) -> tuple[str, ...]:
        """Return the remarks about a node."""
        said = self.python.notes.get(job.key, []) if self.python is not None else []
        if job.is_python and job.step.materialized in VIEWS:
            return ("a Python model cannot be a view: it is built as a table", *said)

        return tuple(said)

    def possible(self, job: Job) -> None:
        """Refused if it cannot be done, or needs what neither this run nor a former one has built."""
        if job.fault is not None:
            raise Refused(job.fault)

        needed = (
            self.jobs[key]
            for key in sorted(job.needs)
            if key in self.jobs and key not in self.wanted
        )
        missing = [
            other.name for other in needed if other.is_data and not self.tables.stands(other.table)
        ]
        if missing:
            message = (
                f"it reads {', '.join(missing)}, which is not in the warehouse: select +{job.name}"
            )
            raise Refused(Fault(message, job.step.place))

    def keep(self, job: Job, entry: Entry) -> None:
        """The new version is the table from this moment on."""
        before = self.state.entries.get(job.slot)
        self.state.put(job.slot, entry)
        if not entry.sql:
            self.tables.register(entry)

        self.schemas.forget(job.table)
        self.tables.settle(entry, before)
        self.fingerprints.versions[job.key] = entry.version

    def remember(self, job: Job, entry: Entry, outcome: Outcome) -> None:
        """Save the result of a build, so that the next run can skip it."""
        whole = outcome.status.stands and all(test.status == "passed" for test in outcome.tests)
        memory = {
            "tests": list(map(asdict, outcome.tests)),
            "agreement": _encode_agreement(outcome.agreement),
        }
        self.state.put(job.slot, replace(entry, passed=whole, rows=outcome.rows, memory=memory))

    def reuse_outcome(self, job: Job) -> Outcome | None:
        """--resume: what a former run built and tested from the same inputs stays."""
        entry = self.state.entries.get(job.slot)
        if (
            not self.options.resume
            or job.fault
            or entry is None
            or not entry.passed
            or not self.tables.stands(job.table)
        ):
            return None

        if self.options.full_refresh or entry.made_of != self.fingerprints.fingerprint_of(job):
            return None

        tests = tuple(
            Tested(**{**each, "examples": tuple(each["examples"]), "place": None})
            for each in entry.memory["tests"]
        )
        agreement = _decode_agreement(entry.memory.get("agreement")) if self.options.check else None
        return Outcome(
            job.name, job.kind, Status.KEPT, entry.rows, tests=tests, agreement=agreement
        )

    def examine(self, job: Job, late: bool) -> Examined:
        """A view is examined by its query: errors in it know their line then."""
        columns = [test for test in job.step.tests if self.is_late(job, test) == late]
        try:
            view = job.kind == "view"
            name = self.translator.tables.get(job.name, job.table)
            frame = (
                self.spark.sql(self.origin(job).text)
                if view
                else self.spark.table(quote_name(name))
            )
            found = examine(frame, columns, self.look)
        except Exception as problem:
            raise Refused(fault_of(problem, self.origin(job), self.view)) from problem

        queries = tuple(
            self.queries.run(test) for test in job.step.queries if self.is_late(job, test) == late
        )
        return Examined(found.rows, (*found.tests, *queries))

    # -- tests that look at later tables -----------------------------------------------------------

    def is_late(self, job: Job, test: ColumnTest | QueryTest) -> bool:
        """Tell whether a test reads a node that is built after its own."""
        if isinstance(test, QueryTest):
            return any(key_of(name) in job.late for name in test.reads)

        return key_of(str(test.arguments.get("to", ""))) in job.late

    def late_tests(self) -> Iterator[Event]:
        """Two models whose tests look at each other: one of the two is tested when both are there."""
        for key, job in self.wanted.items():
            outcome = self.outcomes.get(key)
            tests: tuple[ColumnTest | QueryTest, ...] = (*job.step.tests, *job.step.queries)
            late = any(self.is_late(job, test) for test in tests)
            if not late or outcome is None or outcome.status is not Status.OK:
                continue

            tested = (*outcome.tests, *self.examine(job, late=True).tests)
            failed = any(test.status == "failed" for test in tested)
            outcome = replace(outcome, tests=tested, status=Status.FAILED if failed else Status.OK)
            self.outcomes[key] = outcome
            if job.slot in self.state.entries:
                self.remember(job, self.state.entries[job.slot], outcome)

            if failed:
                yield Ended(outcome)

    def place(self, name: str) -> str | None:
        """Return the name of a dataset in Spark; None if it does not exist."""
        job = self.jobs.get(key_of(name))
        table = self.translator.tables.get(name, job.table if job is not None else name)
        there = self.tables.stands(table) or (
            job is not None and job.kind == "source" and self.builder.exists(table)
        )
        if there:
            return table

        return None

    def is_there(self, name: str) -> bool:
        """Tell whether a dataset of the project exists; Spark checks the datasets outside the
        project.
        """
        return key_of(name) not in self.jobs or self.place(name) is not None

    # -- where an error comes from -----------------------------------------------------------------

    def view(self, name: str) -> Origin | None:
        """spark_catalog.default.stg_orders: the model of that name, if it is built as a view."""
        parts = [key_of(part.strip("`")) for part in name.split(".")]
        keys = [".".join(parts[at:]) for at in range(len(parts))]
        slots = {job.slot: job for job in self.jobs.values()}
        job = next((slots[key] for key in keys if key in slots), None)
        if job is None or job.kind != "view":
            return None

        return self.origin(job)

    def origin(self, job: Job) -> Origin:
        """Return where a node's SQL is written."""
        text = job.step.texts[0] if job.step.texts else ""
        sql = self.builder.translate(job, text) if text else Translated("", True)
        return origin_of(job, text, sql)


def _encode_agreement(agreement: Agreement | None) -> dict[str, Any] | None:
    """Return an agreement as plain data."""
    if agreement is not None:
        return asdict(agreement)

    return None


def _decode_agreement(memory: dict[str, Any] | None) -> Agreement | None:
    """Return the agreement of plain data."""
    if memory is None:
        return None

    disagreements = tuple(Disagreement(*each) for each in memory["disagreements"])
    counts = tuple(memory["static"]), tuple(memory["exact"])
    incomparable = tuple(memory.get("incomparable", ()))
    return Agreement(
        *counts, disagreements, memory["problem"], incomparable, str(memory.get("reason", ""))
    )

"""lineal pipeline: bulk extraction as a Spark job."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lineal.cli.console import report_failures
from lineal.cli.source import LOG_COLUMNS, Mistake

if TYPE_CHECKING:
    from lineal.spark.pipeline import Options, Session, Summary
    from lineal.spark.pipeline.state import State

STOPPED = 130
"""The exit code after Ctrl-C."""


class Request(NamedTuple):
    """The options of one `lineal pipeline` command."""

    paths: tuple[str, ...]
    out: str
    format: str | None
    preset: str | None
    log_text: str | None
    log_user: str | None
    log_time: str | None
    log_id: str | None
    log_database: str | None
    since: str | None
    until: str | None
    dialect: str | None
    schema: str | None
    default_catalog: str | None
    default_schema: tuple[str, ...]
    collapse_temp: bool
    closure: bool
    fresh: bool
    statement_timeout: float
    store: str | None
    namespace: str | None
    master: str
    conf: tuple[str, ...]
    watch: bool
    available_now: bool
    every: float
    max_files: int
    source_option: tuple[str, ...]
    installed: bool
    output: str

    @property
    def follows(self) -> bool:
        """Tell whether the history is followed as it grows."""
        return self.watch or self.available_now


@click.command(name="pipeline")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--out", required=True, metavar="DIR", help="The folder that the tables are written to."
)
@click.option(
    "--format",
    type=click.Choice(["parquet", "json", "csv", "text", "files", "delta"]),
    help="How the log is written; files: scripts; delta: a table that is followed.  "
    "[default: told from the names of the files]",
)
@click.option(
    "--preset",
    metavar="NAME",
    help="snowflake, bigquery, databricks, redshift or postgres-csvlog.  "
    "[default: told from the columns]",
)
@click.option(
    "--log-text", metavar="COLUMN", help="The column of a log with the text of a statement."
)
@click.option(
    "--log-user",
    metavar="COLUMN",
    help="The column of a query log with the user who ran a statement.",
)
@click.option(
    "--log-time", metavar="COLUMN", help="The column of a query log with the time of a statement."
)
@click.option(
    "--log-id", metavar="COLUMN", help="The column of a query log with the id of a statement."
)
@click.option(
    "--log-database",
    metavar="COLUMN",
    help="The column of a query log with the database of a statement.",
)
@click.option("--since", metavar="TIME", help="Only statements that ran at this time or later.")
@click.option("--until", metavar="TIME", help="Only statements that ran before this time.")
@click.option("--dialect", metavar="D", help="The SQL dialect.  [default: the preset's]")
@click.option(
    "--schema",
    metavar="FILE",
    help="JSON or YAML with the columns of tables: {table: {column: type}}.",
)
@click.option(
    "--default-catalog", metavar="C", help="The catalog of names without one: s.t is C.s.t."
)
@click.option(
    "--default-schema",
    metavar="S",
    multiple=True,
    help="The schema of names that have none: t is S.t.",
)
@click.option(
    "--collapse-temp/--no-collapse-temp",
    default=True,
    show_default=True,
    help="Replace temporary tables by their sources, or keep them as datasets.",
)
@click.option(
    "--closure/--no-closure",
    default=True,
    show_default=True,
    help="Also write the table `closure`: all pairs of columns that depend on each other, at any distance.",
)
@click.option(
    "--fresh",
    is_flag=True,
    help="Delete the results of earlier runs in the folder, and start over.",
)
@click.option(
    "--statement-timeout",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Put a statement that takes longer into quarantine.",
)
@click.option("--store", metavar="STORE", help="Also load the lineage into this store.")
@click.option(
    "--namespace",
    metavar="NAME",
    help="The namespace in that store.  [default: the name of the first PATH]",
)
@click.option(
    "--master",
    metavar="URL",
    default="local[*]",
    show_default=True,
    help="The address of the Spark cluster.",
)
@click.option("--conf", multiple=True, metavar="K=V", help="A setting of Spark; may be repeated.")
@click.option(
    "--installed",
    is_flag=True,
    help="lineal is installed on the executors: send them no archive of it.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Follow PATH as it grows, until stopped: a folder, kafka://SERVERS/TOPIC, a Delta table.",
)
@click.option(
    "--available-now",
    is_flag=True,
    help="Merge the events since the last run, then end: for a scheduler.",
)
@click.option(
    "--every",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How often --watch looks for new events.",
)
@click.option(
    "--max-files",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    metavar="N",
    help="The most files of a followed folder in one batch.",
)
@click.option(
    "--source-option",
    multiple=True,
    metavar="K=V",
    help="A setting of the followed source, as Spark names it: kafka.security.protocol=SSL.",
)
@click.option(
    "--output",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="The output format of the summary.",
)
def command(**options: Any) -> None:
    """Extract the lineage of a query history, or of many files, as a Spark job.

    PATH is a log in Parquet, JSON, CSV or text (a statement a line), a folder of logs, or a folder
    of scripts. Statements that differ only in literals are analyzed once. A second run reads only
    new statements, and an interrupted run continues.

    \b
    lineal pipeline history/ --preset snowflake --out lineage/
    lineal pipeline log.jsonl --log-text sql --dialect spark --out lineage/
    lineal pipeline s3a://bucket/history --format parquet --master spark://host:7077 --out lineage/
    lineal pipeline history/ --preset snowflake --out lineage/ --available-now

    --available-now and --watch follow a history with Structured Streaming: each event counts once,
    also after a kill.

    Exit codes: 0 done, 1 lineal failed on a part of the input, 2 a usage error, or no
    Spark.
    """
    sys.exit(_run(Request(**options)))


def _run(request: Request) -> int:
    """Run the pipeline, and return the exit code."""
    from lineal.cli.supervisor import supervise_spark

    supervise_spark()
    with _mistakes(), ExitStack() as stack:
        from lineal.cli.run import settings
        from lineal.spark.pipeline import ship
        from lineal.spark.pipeline.address import expand_patterns, local
        from lineal.spark.pipeline.state import open_state

        _check_following(request)
        if not request.follows:
            expand_patterns(request.paths)

        options, state = _options(request), None
        conf = settings(request.conf)
        _check_store(request)
        if local(request.out) is not None:  # what is wrong with it is said before Spark is started
            state = stack.enter_context(open_state(request.out, fresh=request.fresh))

        try:
            shown = sys.stderr.isatty()
            with ship.start_session(request.master, conf, shown, request.installed) as spark:
                summary = _extract(request, options, spark, state)
        except KeyboardInterrupt:
            click.echo("stopped: run the same command again to continue", err=True)
            return STOPPED

    if summary is None:
        click.echo(f"nothing new in {', '.join(request.paths)}")
        return 0

    _show(summary, request)
    return int(report_failures(summary.told, "auto"))


def _extract(
    request: Request, options: Options, spark: Session, state: State | None
) -> Summary | None:
    """Run the stages once, or for each batch of a stream; None if a stream had nothing new."""
    from lineal.cli.run import settings
    from lineal.spark.pipeline import run
    from lineal.spark.pipeline.follow import Following, follow

    if not request.follows:
        summary = run(options, spark, _say, state)
        _load(request, summary)
        return summary

    def load_batch(number: int, summary: Summary) -> None:
        """Load the merged batch into the store, and report it when watching."""
        _load(request, summary)
        if request.watch:
            click.echo(_batch_line(number, summary))

    every = request.every if request.watch else None
    following = Following(every, request.max_files, settings(request.source_option))
    return follow(options, following, spark, _say, load_batch, state)


def _batch_line(number: int, summary: Summary) -> str:
    """batch 3: 1,204 rows, 88 statements, 12 read, 310 edges      so far, but for those read"""
    read = summary.parsed + summary.here
    return (
        f"batch {number}: {summary.rows:,} rows, {summary.statements:,} statements, "
        f"{read:,} read, {summary.edges:,} edges"
    )


def _check_following(request: Request) -> None:
    """Refuse options that contradict each other."""
    if request.watch and request.available_now:
        raise Mistake("--watch runs until it is stopped, --available-now ends: choose one")

    streams = request.format == "delta" or any(
        path.lower().startswith("kafka://") for path in request.paths
    )
    if streams and not request.follows:
        raise Mistake("a Kafka topic or a Delta table is followed: add --available-now or --watch")


@contextmanager
def _mistakes() -> Iterator[None]:
    """Turn errors that the user can correct into one line."""
    try:
        from lineal.spark.availability import SparkUnavailable, check

        check()
        from lineal.extract import UnknownDialect
        from lineal.projects import ProjectError
        from lineal.spark.pipeline import BulkError
    except SparkUnavailable as mistake:
        raise Mistake(str(mistake)) from mistake
    except ImportError as missing:
        raise Mistake(f"{missing.name} is not installed: pip install 'lineal[spark]'") from missing

    try:
        yield
    except (SparkUnavailable, BulkError, ProjectError, UnknownDialect) as mistake:
        raise Mistake(str(mistake)) from mistake


def _options(request: Request) -> Options:
    """Return the options of the pipeline."""
    from lineal.model.script import Defaults
    from lineal.projects.logs.period import make_period
    from lineal.spark.pipeline import Options
    from lineal.spark.pipeline.presets import preset_of

    preset_of(request.preset)
    named = ((part, getattr(request, f"log_{part}")) for part in LOG_COLUMNS)
    defaults = None
    if request.default_catalog or request.default_schema:
        defaults = Defaults(request.default_catalog, request.default_schema)

    return Options(
        request.paths,
        request.out,
        request.format,
        request.preset,
        tuple((part, column) for part, column in named if column),
        request.dialect,
        request.schema,
        defaults,
        request.collapse_temp,
        request.closure,
        fresh=request.fresh,
        seconds=request.statement_timeout,
        period=make_period(request.since, request.until),
    )


def _say(stage: str) -> None:
    """Print the stage of the run to a terminal."""
    if sys.stderr.isatty():
        click.echo(f"{stage} …", err=True)


def _check_store(request: Request) -> None:
    """A store that takes no lineage is a mistake to be told of before the work."""
    if request.store is None:
        return

    from lineal.store.errors import Busy, NoStore

    try:
        _check_writable(request.store, create=False)
    except Mistake as mistake:
        if isinstance(mistake.__cause__, Busy):  # whoever writes to it now may be done by then
            return

        if not isinstance(mistake.__cause__, NoStore):
            raise

        if not _is_new_file(request.store):
            _check_writable(request.store, create=True)


def _check_writable(address: str, create: bool) -> None:
    """Raise if the store cannot be written to."""
    from lineal.cli.store_options import open_store_at

    with open_store_at(address, 1, create=create) as store:
        store.check_writable()


def _is_new_file(address: str) -> bool:
    """It can be made, and is gone again: a run that fails leaves no store. On a server one has to
    try.
    """
    if "://" in address:
        return False

    try:
        os.close(os.open(address, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        Path(address).unlink()
    except (OSError, ValueError):
        return False

    return True


def _load(request: Request, summary: Summary) -> None:
    """Save the lineage to the store that was named."""
    if request.store is None:
        return

    from lineal.cli.store_options import WAIT, load_sound, named_after, open_store_at
    from lineal.spark.pipeline.address import fixed_folder

    whose = request.namespace or named_after(fixed_folder(request.paths[0]))
    with open_store_at(request.store, WAIT, create=True) as store:
        load_sound(store, whose, summary.read_tables(), " ".join(request.paths))


def _show(summary: Summary, request: Request) -> None:
    """Print the summary."""
    from lineal.cli.pipeline_report import as_json, lines
    from lineal.views.safe import make_visible

    if request.output == "json":
        click.echo(as_json(summary))
        return

    for line in lines(summary, request.out):
        click.echo(make_visible(line))

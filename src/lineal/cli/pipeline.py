"""lineal pipeline: bulk extraction as a Spark job."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lineal.cli.console import report_internal_errors
from lineal.cli.source import LOG_COLUMNS, Mistake

if TYPE_CHECKING:
    from lineal.spark.pipeline import Options, Summary

STOPPED = 130
"""The exit code after Ctrl-C."""


class Request(NamedTuple):
    """What the user asked for."""

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
    output: str


@click.command(name="pipeline")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--out", required=True, metavar="DIR", help="The folder that the tables are written to."
)
@click.option(
    "--format",
    type=click.Choice(["parquet", "json", "csv", "text", "files"]),
    help="How the log is written; files: scripts.  [default: told from the names of the files]",
)
@click.option(
    "--preset",
    metavar="NAME",
    help="snowflake, bigquery, databricks, redshift or postgres-csvlog.  "
    "[default: told from the columns]",
)
@click.option("--log-text", metavar="COLUMN", help="The column of a log that has the statements.")
@click.option("--log-user", metavar="COLUMN", help="… who ran them.")
@click.option("--log-time", metavar="COLUMN", help="… when.")
@click.option("--log-id", metavar="COLUMN", help="… what the engine calls them.")
@click.option("--log-database", metavar="COLUMN", help="… where.")
@click.option("--since", metavar="TIME", help="Only statements that ran at this time or later.")
@click.option("--until", metavar="TIME", help="… that ran before this time.")
@click.option("--dialect", metavar="D", help="The SQL dialect.  [default: the preset's]")
@click.option(
    "--schema",
    metavar="FILE",
    help="JSON or YAML with the columns of tables: {table: {column: type}}.",
)
@click.option(
    "--default-catalog", metavar="C", help="The catalog of names that have none: s.t is C.s.t."
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
    help="Compose temporary tables into what reads them, or keep them as nodes.",
)
@click.option(
    "--closure/--no-closure",
    default=True,
    show_default=True,
    help="Also write what comes from what, at any distance.",
)
@click.option("--fresh", is_flag=True, help="Forget what an earlier run has left in the folder.")
@click.option(
    "--statement-timeout",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="A statement that takes longer is put in quarantine.",
)
@click.option("--store", metavar="STORE", help="Also load the lineage into this store.")
@click.option(
    "--namespace",
    metavar="NAME",
    help="… as the lineage of NAME.  [default: the name of the first PATH]",
)
@click.option(
    "--master", metavar="URL", default="local[*]", show_default=True, help="The Spark to run on."
)
@click.option(
    "--conf", multiple=True, metavar="K=V", help="A setting of Spark; may be given several times."
)
@click.option(
    "--output",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to show the summary.",
)
def command(**options: Any) -> None:
    """Extract the lineage of a query history, or of many files, as a Spark job.

    PATH is a log in Parquet, JSON, CSV or text (a statement a line), a folder of logs, or a folder
    of scripts. Statements that differ only in literals are analyzed once. A second run over a log
    that has grown reads only what is new, and a run that was stopped goes on where it was.

    \b
    lineal pipeline history/ --preset snowflake --out lineage/
    lineal pipeline log.jsonl --log-text sql --dialect spark --out lineage/
    lineal pipeline s3a://bucket/history --format parquet --master spark://host:7077 --out lineage/

    Exit codes: 0 done, 1 lineal failed on a part of the input, 2 a mistake in what was asked, or no
    Spark.
    """
    sys.exit(_run(Request(**options)))


def _run(request: Request) -> int:
    """Run the pipeline, and return the exit code."""
    from lineal.cli.supervisor import supervise_spark

    supervise_spark()
    with _mistakes(), ExitStack() as stack:
        from lineal.cli.run import settings
        from lineal.spark.pipeline import run, ship
        from lineal.spark.pipeline.address import local, met
        from lineal.spark.pipeline.state import open_state

        met(request.paths)
        options, state = _options(request), None
        conf = settings(request.conf)
        _check_store(request)
        if local(request.out) is not None:  # what is wrong with it is said before Spark is started
            state = stack.enter_context(open_state(request.out, fresh=request.fresh))
        try:
            with ship.started(request.master, conf, sys.stderr.isatty()) as spark:
                summary = run(options, spark, _say, state)
        except KeyboardInterrupt:
            click.echo("stopped: the same command goes on from here", err=True)
            return STOPPED
        _load(request, summary)
    _show(summary, request)
    return int(report_internal_errors(summary.extraction.diagnostics, "auto"))


@contextmanager
def _mistakes() -> Iterator[None]:
    """What the user can change is one line."""
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
    from lineal.spark.pipeline.address import fixed

    whose = request.namespace or named_after(fixed(request.paths[0]))
    with open_store_at(request.store, WAIT, create=True) as store:
        load_sound(store, whose, summary.extraction, " ".join(request.paths))


def _show(summary: Summary, request: Request) -> None:
    """Print the summary."""
    from lineal.cli.pipeline_report import as_json, lines
    from lineal.views.safe import visible

    if request.output == "json":
        click.echo(as_json(summary))
        return
    for line in lines(summary, request.out):
        click.echo(visible(line))

"""lineal capture: run a PySpark job, and take the lineage of what it writes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lineal.cli.source import Mistake, exists

if TYPE_CHECKING:
    from lineal.spark.live import Captured, Settings


@click.command(name="capture")
@click.argument("job", required=False, metavar="JOB.py")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGUMENT...]")
@click.option("--save", metavar="FILE", help="Save the lineage, as x.lineal.json: every command takes it as PATH.")
@click.option("--to", metavar="FILE", help="The file that OpenLineage events are appended to, one a line.")
@click.option("--url", metavar="URL", help="The server that events are posted to.")
@click.option("--endpoint", default="api/v1/lineage", show_default=True, help="The server's path for events.")
@click.option("--unsent", metavar="FILE", help="Keep the events that did not arrive; lineal emit FILE sends them.")
@click.option("--namespace", metavar="NS", help="The namespace of datasets.")
@click.option("--job-namespace", metavar="NS", help="The namespace of jobs.  [default: default]")
@click.option("--job-name", metavar="NAME", help="What events call the job.  [default: the name of the application]")
@click.option(
    "--legacy/--no-legacy",
    default=None,
    help="Write what decides the rows beside every field of an event, or once.  [default: as the job's setting "
    "spark.openlineage.columnLineage.datasetLineageEnabled says, else once]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    help="Seconds to wait at the end: for Spark's listeners, and for the server.",
)
@click.option("--entry", is_flag=True, help="Only print the file to give to spark-submit.")
def command(job: str | None, arguments: tuple[str, ...], entry: bool, **options: Any) -> None:
    """Run a PySpark job, and take the lineage of everything it writes as it writes it.

    This command executes JOB.py, as spark-submit does. Only run and capture execute what they read. The job never fails
    because of it, and its exit code is the job's. Without --save, --to or --url the edges are printed when the job has
    ended.

    \b
    lineal capture job.py --save job.lineal.json -- --day 2026-11-16
    lineal capture job.py --url http://localhost:5000
    spark-submit --master yarn "$(lineal capture --entry)" job.py --to events.ndjson -- --day 2026-11-16

    Exit codes: those of the job; 2 a mistake in what was asked, or no Spark.
    """
    if entry:
        click.echo(Path(__file__).with_name("capture_entry.py"))
        return
    sys.exit(_run(job, arguments, options))


def _run(job: str | None, arguments: tuple[str, ...], options: dict[str, Any]) -> int:
    from lineal.spark.session import SparkUnavailable, check

    if job is None:
        raise Mistake("name the job: lineal capture job.py")
    if not exists(job) or not Path(job).is_file():
        raise Mistake(f"no such file: {job}")
    settings = _settings(**options)
    try:
        check()
    except SparkUnavailable as mistake:
        raise Mistake(str(mistake)) from mistake
    from lineal.spark.live.job import run_job
    from lineal.spark.live.watch import Watch

    watch = Watch(settings, _say)
    code = run_job(job, arguments, watch)
    if watch.forked:
        return code
    if not watch.attached:
        _say(_why_nothing())
    _show(watch.captured, settings)
    return code


def _settings(to: str | None, url: str | None, timeout: float, legacy: bool | None, **options: Any) -> Settings:
    from lineal.spark.live import Settings

    if to and url:
        raise Mistake("--to is a file and --url a server: give one of them")
    if url and not url.startswith(("http://", "https://")):
        raise Mistake("--url is the address of a server, as http://localhost:5000")
    if legacy is not None and not (to or url):
        raise Mistake("--legacy is the form of events: say with --to or --url where they go")
    chosen = {name: value for name, value in options.items() if value}
    return Settings(to=url or to or "", timeout=timeout, legacy=legacy, **chosen)


def _why_nothing() -> str:
    if "pyspark.sql.connect.session" in sys.modules:
        return "the job talks to Spark Connect, whose plans are on the server: nothing was captured"
    return "the job has started no Spark: nothing was captured"


def _show(captured: Captured, settings: Settings) -> None:
    from lineal.cli.console import show
    from lineal.views.safe import visible
    from lineal.views.words import counted

    extraction = captured.extraction
    if not settings.save and not settings.to:
        show("".join(f"{visible(line)}\n" for line in sorted(map(str, extraction.edges))), "never")
    failed = f", {captured.failed} of which failed" if captured.failed else ""
    _say(f"{counted(captured.writes, 'write')}{failed}; {counted(len(extraction.edges), 'edge')}")


def _say(message: str) -> None:
    from lineal.cli.console import complain
    from lineal.views.safe import visible

    complain(f"lineal: {visible(message)}")

"""lineal capture: run a PySpark job, and take the lineage of what it writes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lineal.cli.source import Mistake, exists, mistakes, mistakes_of

if TYPE_CHECKING:
    from lineal.model.script import Corpus
    from lineal.spark.job_capture import Captured, Settings
    from lineal.spark.job_capture.compare import Comparison

FAIL_ON = ("error", "warning", "info", "never")


@click.command(name="capture")
@click.argument("job", required=False, metavar="JOB.py")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGUMENT...]")
@click.option(
    "--save",
    metavar="FILE",
    help="Save the lineage, as x.lineal.json: every command takes it as PATH.",
)
@click.option(
    "--to", metavar="FILE", help="The file that OpenLineage events are appended to, one per line."
)
@click.option("--url", metavar="URL", help="The server that events are posted to.")
@click.option(
    "--endpoint", default="api/v1/lineage", show_default=True, help="The server's path for events."
)
@click.option(
    "--unsent",
    metavar="FILE",
    help="Save events that did not arrive; lineal emit --resend FILE sends them.",
)
@click.option("--namespace", metavar="NS", help="The namespace of datasets.")
@click.option("--job-namespace", metavar="NS", help="The namespace of jobs.  [default: default]")
@click.option(
    "--job-name",
    metavar="NAME",
    help="The name of the job in events.  [default: the name of the application]",
)
@click.option(
    "--legacy/--no-legacy",
    default=None,
    help="Repeat row usages for every field of an event, or write them once.  [default: as the job's setting "
    "spark.openlineage.columnLineage.datasetLineageEnabled says, else once]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    help="Seconds to wait at the end: for Spark's listeners, and for the server.",
)
@click.option(
    "--compare",
    is_flag=True,
    help="Also read the program statically, and list every edge that only one of the two has.",
)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="error",
    show_default=True,
    help="With --compare, exit with 1 if there is a diagnostic of this severity or above; a disagreement is a warning.",
)
@click.option(
    "--entry",
    is_flag=True,
    help="Print the path of the file for spark-submit, and do nothing else.",
)
def command(
    job: str | None,
    arguments: tuple[str, ...],
    entry: bool,
    compare: bool,
    fail_on: str,
    **options: Any,
) -> None:
    """Run a PySpark job, and record the lineage of its writes from Spark's plans.

    This command executes JOB.py, as spark-submit does. Only run and capture execute what they read.
    The exit code is that of the job; an error of lineal does not fail the job. Without --save, --to
    or --url the edges are printed at the end.

    With --compare lineal also reads the program as text, with the arguments of the run and the
    columns of the tables that it read. Edges that the text marks as known only at run time are
    counted as not comparable.

    \b
    lineal capture job.py --save job.lineal.json -- --day 2026-11-16
    lineal capture job.py --compare --fail-on warning -- --day 2026-11-16
    lineal capture job.py --url http://localhost:5000
    spark-submit --master yarn "$(lineal capture --entry)" job.py --to events.ndjson

    Exit codes: those of the job; with --compare, 1 diagnostics (see --fail-on); 2 a usage error, or no Spark.
    """
    if entry:
        click.echo(Path(__file__).with_name("capture_entry.py"))
        return

    sys.exit(_run(job, arguments, fail_on if compare else None, options))


def _run(
    job: str | None, arguments: tuple[str, ...], fail_on: str | None, options: dict[str, Any]
) -> int:
    """Without `fail_on` nothing is compared."""
    from lineal.cli.supervisor import supervise_spark
    from lineal.spark.availability import SparkUnavailable, check

    if job is None:
        raise Mistake("name the job: lineal capture job.py")

    if not exists(job) or not Path(job).is_file():
        raise Mistake(f"no such file: {job}")

    settings = _settings(**options)
    supervise_spark()
    with mistakes_of(SparkUnavailable):
        check()

    from lineal.spark.job_capture.job import run_job
    from lineal.spark.job_capture.watch import Watch

    program = _program(job, arguments) if fail_on is not None else None
    watch = Watch(settings, _say)
    code = run_job(job, arguments, watch)
    if watch.forked:
        return code

    if not watch.attached:
        _say(_why_nothing())

    if program is None or fail_on is None or not watch.attached:
        _show(watch.captured, settings)
        return code

    from lineal.spark.job_capture.compare import compare_job

    comparison = compare_job(program, watch.captured, failed=code != 0)
    _show(watch.captured, settings, comparison)
    return code or _code(comparison, fail_on)


def _program(job: str, arguments: tuple[str, ...]) -> Corpus:
    """The program as it is before it runs."""
    from lineal.spark.job_capture.compare import program_at

    with mistakes():
        return program_at(job, arguments)


def _code(comparison: Comparison, fail_on: str) -> int:
    """Return the exit code: 1 if a difference is severe enough."""
    from lineal.model.diagnostic import Severity

    if fail_on == "never":
        return 0

    least = Severity[fail_on.upper()]
    return int(any(found.severity >= least for found in comparison.diagnostics))


def _settings(
    to: str | None, url: str | None, timeout: float, legacy: bool | None, **options: Any
) -> Settings:
    """Return the settings of a capture; a contradiction is a mistake."""
    from lineal.spark.job_capture import Settings

    if to and url:
        raise Mistake("--to is a file and --url a server: give one of them")

    if url and not url.startswith(("http://", "https://")):
        raise Mistake("--url is the address of a server, as http://localhost:5000")

    if legacy is not None and not (to or url):
        raise Mistake("--legacy is the form of events: say with --to or --url where they go")

    chosen = {name: value for name, value in options.items() if value}
    return Settings(to=url or to or "", timeout=timeout, legacy=legacy, **chosen)


def _why_nothing() -> str:
    """Return why nothing was captured."""
    if "pyspark.sql.connect.session" in sys.modules:
        return "the job talks to Spark Connect, whose plans are on the server: nothing was captured"

    return "the job did not start Spark: nothing was captured"


def _show(captured: Captured, settings: Settings, comparison: Comparison | None = None) -> None:
    """Print the captured edges, the differences and the diagnostics."""
    from lineal.cli.console import report_diagnostics, show
    from lineal.model.diagnostic import Code, Severity
    from lineal.views.safe import make_visible
    from lineal.views.words import count_noun

    extraction = captured.extraction
    if not settings.save and not settings.to:
        show(
            "".join(f"{make_visible(line)}\n" for line in sorted(map(str, extraction.edges))),
            "never",
        )

    if comparison is not None:
        # said as it happened
        told = [found for found in comparison.diagnostics if found.code is not Code.NOT_CAPTURED]
        report_diagnostics(told, "auto", Severity.INFO)

    failed = f", {captured.failed} of which failed" if captured.failed else ""
    writes, edges = count_noun(captured.writes, "write"), count_noun(len(extraction.edges), "edge")
    _say(f"{writes}{failed}; {edges}{_comparison_note(comparison)}")


def _comparison_note(comparison: Comparison | None) -> str:
    """, static = Catalyst, 2 columns not comparable"""
    from lineal.views.words import count_noun

    if comparison is None:
        return ""

    left = (
        f", {count_noun(comparison.columns_left, 'column')} not comparable"
        if comparison.left
        else ""
    )
    if comparison.agrees:
        return f", static = Catalyst{left}"

    return f", static ≠ Catalyst: {count_noun(len(comparison.disagreements), 'disagreement')}{left}"


def _say(message: str) -> None:
    """Print a message of the capture on standard error."""
    from lineal.cli.console import complain
    from lineal.views.safe import make_visible

    complain(f"lineal: {make_visible(message)}")

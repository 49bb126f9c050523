"""lineal run: the project's pipeline on Spark."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lineal.cli.source import Mistake, mistakes, mistakes_of

if TYPE_CHECKING:
    from lineal.model.script import Corpus
    from lineal.spark.run.result import Summary

STOPPED = 130
"""The exit code after Ctrl-C."""


class Request(NamedTuple):
    """The options of one `lineal run` command."""

    project: str
    dialect: str | None
    select: tuple[str, ...]
    full_refresh: bool
    resume: bool
    threads: int
    warehouse: str | None
    master: str | None
    conf: tuple[str, ...]
    check: bool
    timeout: float
    output: str
    color: str


@click.command(name="run")
@click.argument("project", default=".")
@click.option("--dialect", metavar="D", help="The SQL dialect, if the project does not say.")
@click.option(
    "-s",
    "--select",
    multiple=True,
    metavar="SELECTOR",
    help="The nodes to build; may be repeated.",
)
@click.option("--full-refresh", is_flag=True, help="Build incremental models from scratch.")
@click.option(
    "--resume", is_flag=True, help="Keep nodes that an earlier run built from the same inputs."
)
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    default=4,
    show_default=True,
    metavar="N",
    help="Number of models to build at the same time.",
)
@click.option(
    "--warehouse",
    metavar="DIR",
    help="The folder of the tables.  [default: .lineal/warehouse in the project]",
)
@click.option(
    "--master", metavar="URL", help="The address of the Spark cluster.  [default: local[*]]"
)
@click.option("--conf", multiple=True, metavar="K=V", help="A setting of Spark; may be repeated.")
@click.option(
    "--check/--no-check",
    default=True,
    help="Compare the lineage of the text with that of Spark's plan.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=3600.0,
    show_default=True,
    metavar="SECONDS",
    help="Stop a Python model after this time.",
)
@click.option(
    "--output",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="The output format.",
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colors and box lines.",
)
def command(**options: Any) -> None:
    """Run the project's pipeline on Spark: load seeds, build models, test columns, compare lineage.

    PROJECT is a folder with a lineal.yml, or a dbt project, which needs neither dbt nor a database.
    [default: .]

    This command executes the project's Python models. Only run and capture execute what they read.

    SELECTOR is a node, with a plus on the side to follow: m, +m with all that it is built from, m+
    with all that is built from it, 2+m two hops upstream; m.c+ what a change of the column c
    reaches.

    \b
    lineal run examples/shop
    lineal run examples/jaffle          a dbt project
    lineal run --select +fct_orders
    lineal run --resume                 go on after a failure
    lineal run --conf spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog …

    Exit codes: 0 all green, 1 a model, a test or a comparison failed, 2 a usage error, or
    no Spark.
    """
    sys.exit(_run(Request(**options)))


def _run(request: Request) -> int:
    """Build the project on Spark, and return the exit code."""
    from lineal.cli.supervisor import supervise_spark

    supervise_spark()
    from lineal.cli.progress import progress
    from lineal.extract import UnknownDialect
    from lineal.graph.graph import UnknownName
    from lineal.projects import ProjectError, home
    from lineal.spark.availability import SparkUnavailable, check

    corpus = _corpus(request)
    with mistakes_of(SparkUnavailable):
        check()

    from lineal.spark.run.pipeline import Options, run
    from lineal.spark.run.state import WarehouseError

    try:
        options = Options(
            home(request.project),
            request.select,
            request.full_refresh,
            request.resume,
            request.threads,
            Path(request.warehouse) if request.warehouse else None,
            request.master,
            settings(request.conf),
            request.check,
            request.timeout,
        )
        summary = progress(run(corpus, options), request.color)
    except (SparkUnavailable, WarehouseError, ProjectError, UnknownName, UnknownDialect) as mistake:
        raise Mistake(str(mistake)) from mistake
    except KeyboardInterrupt:
        click.echo("stopped: lineal run --resume continues from here", err=True)
        return STOPPED

    _show(summary, request)
    return int(not summary.green or _has_errors(corpus))


def _corpus(request: Request) -> Corpus:
    """Return the project with its steps; a project without any is a mistake."""
    from lineal.cli.console import report_diagnostics
    from lineal.model.diagnostic import Severity
    from lineal.projects import load

    with mistakes():
        corpus = load(request.project, request.dialect, to_run=True)

    report_diagnostics(corpus.diagnostics, request.color, Severity.WARNING)
    if not corpus.steps:
        raise Mistake(
            f"{request.project} has nothing to run: {_what_to_name(Path(request.project))}"
        )

    return corpus


def _what_to_name(folder: Path) -> str:
    """Return a hint for a folder that is not a project: the path that a user should name
    instead.
    """
    target = folder / "target"
    if (target / "manifest.json").is_file():
        return f"there is no dbt_project.yml; name {target} to run what dbt has compiled"

    return "name a folder with a lineal.yml and nodes, or a dbt project with seeds, models, snapshots or tests"


def _has_errors(corpus: Corpus) -> bool:
    """Tell whether the project has an error."""
    from lineal.model.diagnostic import Severity

    return any(diagnostic.severity >= Severity.ERROR for diagnostic in corpus.diagnostics)


def settings(conf: tuple[str, ...]) -> dict[str, str]:
    """Return the Spark settings of --conf."""
    pairs = [text.partition("=") for text in conf]
    wrong = next(
        (text for text, (key, equals, _) in zip(conf, pairs, strict=True) if not key or not equals),
        None,
    )
    if wrong is not None:
        raise Mistake(f"--conf {wrong}: write key=value")

    return {key.strip(): value.strip() for key, _, value in pairs}


def _show(summary: Summary, request: Request) -> None:
    """Print the summary."""
    from lineal.cli.console import show
    from lineal.cli.run_report import as_json, page

    show(as_json(summary) if request.output == "json" else page(summary), request.color)

"""lineal lineage: where columns come from and where they go."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from lineal.graph.select import Selection

FAIL_ON = ("error", "warning", "info", "never")
LOG_COLUMNS = ("text", "user", "time", "id", "database")


class Mistake(click.ClickException):
    """What the user asked for cannot be had: one line, exit code 2."""

    exit_code = 2

    def format_message(self) -> str:
        return _shown(self.message)


class Request(NamedTuple):
    """What the user asked for."""

    path: str
    selection: Selection | None
    node: str | None
    column: str | None
    direction: str | None
    impact: bool
    level: str
    with_rows: bool
    output: str | None
    dialect: str | None
    schema: str | None
    log: dict[str, str]
    default_catalog: str | None
    default_schema: tuple[str, ...]
    collapse_temp: bool
    engine: str
    fail_on: str
    color: str
    use_cache: bool
    jobs: int

    @property
    def traces(self) -> bool:
        """Whether a column is asked for, or a selector, which follows columns."""
        return self.column is not None or self.selection is not None

    @property
    def view(self) -> str:
        """What is traced has a chain, everything else a table."""
        return self.output or ("chain" if self.traces and self.level == "column" else "table")


@click.command(name="lineage")
@click.argument("arguments", nargs=-1, metavar="[PATH] [SELECTOR]")
@click.option("-n", "--node", metavar="NODE", help="A dataset: show the edges into it.")
@click.option("--column", metavar="C", help="A column of the node (or NODE.C): show its chain.")
@click.option(
    "--direction",
    type=click.Choice(["upstream", "downstream", "both"]),
    help="Which way to go from the node or column.  [default: upstream]",
)
@click.option("--impact", is_flag=True, help="Show everything that a change of the column reaches, and why.")
@click.option(
    "--level",
    type=click.Choice(["column", "table"]),
    default="column",
    show_default=True,
    help="Lineage between columns, or between tables (from all that is read).",
)
@click.option("--with-rows", is_flag=True, help="Upstream, also show the columns that decide which rows there are.")
@click.option(
    "--output",
    type=click.Choice(["table", "chain", "json", "dot", "mermaid", "pyspark-json"]),
    help="How to show it.  [default: chain for a column, else table]",
)
@click.option("--dialect", metavar="D", help="The SQL dialect, if the project does not say.")
@click.option("--schema", metavar="FILE", help="JSON or YAML with the columns of tables: {table: {column: type}}.")
@click.option("--log-text", metavar="COLUMN", help="The column of a query log that has the statements.")
@click.option("--log-user", metavar="COLUMN", help="… who ran them.")
@click.option("--log-time", metavar="COLUMN", help="… when.")
@click.option("--log-id", metavar="COLUMN", help="… what the engine calls them.")
@click.option("--log-database", metavar="COLUMN", help="… where.")
@click.option("--default-catalog", metavar="C", help="The catalogue of names that have none: s.t is C.s.t.")
@click.option(
    "--default-schema",
    metavar="S",
    multiple=True,
    help="The schema of names that have none: t is S.t. Given several times it is a search path.",
)
@click.option(
    "--collapse-temp/--no-collapse-temp",
    default=True,
    show_default=True,
    help="Compose temporary tables into what reads them, or keep them as nodes.",
)
@click.option(
    "--engine",
    type=click.Choice(["text", "catalyst", "both"]),
    default="text",
    show_default=True,
    help="Read the text, ask Spark's own analyser, or do both and list every disagreement.",
)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="error",
    show_default=True,
    help="Exit with 1 if there is a diagnostic of this severity or above.",
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colours and box lines.",
)
@click.option("--cache/--no-cache", "use_cache", default=True, help="Remember results.  [default: --cache]")
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    default=lambda: cores(),
    metavar="N",
    help="How many processes read many files.  [default: one per core]",
)
def command(arguments: tuple[str, ...], **options: Any) -> None:
    """Show where columns come from and where they go.

    PATH is a project, a .sql or .py file, a notebook, a folder of them, a query log (.jsonl, .csv, .log), or - for
    standard input.  [default: .]

    SELECTOR is a column or node with a plus on the side to follow: +m.c upstream, m.c+ downstream, +m.c+ both, 2+m.c
    two hops upstream, +m every column of m.

    \b
    lineal lineage                                        every edge of the project
    lineal lineage -n dim_customers                       the edges into one node
    lineal lineage -n dim_customers --column customer_id  where a column comes from
    lineal lineage stg_orders.amount+                     where a column goes
    lineal lineage --impact --column raw_orders.amount    what a change of it reaches

    Exit codes: 0 fine, 1 diagnostics (see --fail-on), 2 a mistake in what was asked.
    """
    path, selection = _arguments(arguments)
    named = {name: options.pop(f"log_{name}") for name in LOG_COLUMNS}
    request = Request(path, selection, log={name: column for name, column in named.items() if column}, **options)
    _check(request)
    sys.exit(_run(request))


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run(request: Request) -> int:
    from lineal.cli.console import complain, report_diagnostics, show
    from lineal.cli.shown import shown
    from lineal.model.diagnostic import Severity

    found = shown(request)
    as_json = request.view == "json"
    show(found.made, request.color)
    report_diagnostics(found.diagnostics, request.color, Severity.ERROR if as_json else Severity.INFO)
    if found.footer:
        complain(found.footer)
    if request.fail_on == "never":
        return 0
    least = Severity[request.fail_on.upper()]
    return int(any(diagnostic.severity >= least for diagnostic in found.diagnostics))


# -- what is asked -------------------------------------------------------------------------------


def _arguments(arguments: tuple[str, ...]) -> tuple[str, Selection | None]:
    """A path and a selector in either order: what exists is a path, what has a plus is a selector.

    Of two that exist, only one of them with a plus, that one is the selector.
    """
    paths: list[str] = []
    selections: list[Selection] = []
    doubtful = len(arguments) == 2 and sum("+" in argument for argument in arguments) == 1
    for argument in arguments:
        selection = None if argument == "-" or (_exists(argument) and not doubtful) else _selection(argument)
        if selection:
            selections.append(selection)
        else:
            paths.append(argument)
    if len(paths) > 1 or len(selections) > 1:
        surplus = paths[1] if len(paths) > 1 else selections[1].name
        raise Mistake(f"one path and one selector at most; {surplus} is one too many")
    path = paths[0] if paths else "."
    if path != "-" and not _exists(path):
        raise Mistake(f"no such file or folder: {path}{_alike(path)}")
    return path, selections[0] if selections else None


def _selection(argument: str) -> Selection | None:
    if "+" not in argument:
        return None
    from lineal.graph.select import parse

    return parse(argument)


def _alike(path: str) -> str:
    from lineal.model.names import closest

    asked = Path(path)
    try:
        near = closest(asked.name, [entry.name for entry in asked.parent.iterdir()])
    except (OSError, ValueError):
        return ""
    return f"; did you mean {asked.with_name(near)}?" if near else ""


def _exists(path: str) -> bool:
    try:
        return path != "" and Path(path).exists()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


def _check(request: Request) -> None:
    """Options that do not go together."""
    if request.log and request.path == "-":
        raise Mistake("standard input is SQL: name the file of a query log")
    if request.selection and (request.node or request.column or request.direction):
        raise Mistake("a selector says node, column and direction already: leave out -n, --column and --direction")
    if request.impact and not request.traces:
        raise Mistake("--impact is that of one column: add --column NODE.COLUMN")
    if request.impact and request.level == "table":
        raise Mistake("--impact works on columns: leave out --level table")
    if request.level == "table" and request.view == "chain":
        raise Mistake("--level table has no chain: use --output table, json, dot or mermaid")
    if request.level == "table" and request.column is not None:
        raise Mistake("--level table knows no columns: leave out --column")
    if request.view == "chain" and not (request.traces or request.node):
        raise Mistake("--output chain is that of a column: add --column NODE.COLUMN, or -n NODE for all of its columns")


def _shown(text: str) -> str:
    from lineal.views.safe import visible

    return visible(text)

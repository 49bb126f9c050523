"""lineal lineage: where columns come from and where they go."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lineal.cli.coverage import fail_under
from lineal.cli.event_options import Form, form_options
from lineal.cli.request import Request
from lineal.cli.source import Mistake, check_paths, exists, is_source, source_options
from lineal.service.source import STANDARD_INPUT, Source
from lineal.views import OUTPUTS

if TYPE_CHECKING:
    from lineal.cli.answer_cache import ShownAnswer
    from lineal.graph.concerns import Concerns
    from lineal.graph.graph import Graph
    from lineal.graph.select import Selection
    from lineal.views.openlineage import Emission
    from lineal.views.report import Report

FAIL_ON = ("error", "warning", "info", "never")


class Limits(NamedTuple):
    """When the exit code is 1."""

    fail_on: str
    fail_under: float | None


@click.command(name="lineage")
@click.argument("arguments", nargs=-1, metavar="[PATH]... [SELECTOR]...")
@click.option("-n", "--node", metavar="NODE", help="A dataset: show the edges into it.")
@click.option(
    "--column",
    metavar="C",
    help="Show the chain of a column: of the node, NODE.C, or of the only node with it.",
)
@click.option(
    "--direction",
    type=click.Choice(["upstream", "downstream", "both"]),
    help="Which way to go from the node or column.  [default: upstream]",
)
@click.option(
    "--impact", is_flag=True, help="Show everything that a change of the column reaches, and why."
)
@click.option(
    "--level",
    type=click.Choice(["column", "table"]),
    default="column",
    show_default=True,
    help="Lineage between columns, or between tables.",
)
@click.option(
    "--classification",
    metavar="LABEL",
    help="Show only the paths of a label, such as pii.",
)
@click.option(
    "--with-rows",
    is_flag=True,
    help="Also show upstream columns that decide rows: filters, joins, groups.",
)
@click.option(
    "--output",
    type=click.Choice(OUTPUTS),
    help="The output format.  [default: chain for a column, else table]",
)
@form_options
@click.option(
    "--save",
    metavar="FILE",
    help="Also save the whole lineage to a file that every command can read.",
)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="error",
    show_default=True,
    help="Exit with 1 if there is a diagnostic of this severity or above.",
)
@fail_under
@source_options
def command(arguments: tuple[str, ...], source: Source, save: str | None, **options: Any) -> None:
    """Show where columns come from and where they go.

    PATH is a project, a .sql or .py file, a notebook, a folder of them, a query log (.jsonl, .csv,
    .log), the folder that lineal pipeline wrote, OpenLineage events (.ndjson, .json), a saved
    lineage (.lineal.json), a PostgreSQL server
    (postgresql://host/database), or - for standard input; several are read as one.  [default: .]

    SELECTOR is a column or node with a plus on the side to follow: +m.c upstream, m.c+ downstream,
    +m.c+ both, 2+m.c two hops upstream, +m every column of m. m alone shows the edges into it.
    tag:T, path:FOLDER, kind:source and classification:pii select several. The results of several
    selectors are shown together.

    \b
    lineal lineage                                        every edge of the project
    lineal lineage -n dim_customers                       the edges into one node
    lineal lineage -n dim_customers --column customer_id  where a column comes from
    lineal lineage stg_orders.amount+                     where a column goes
    lineal lineage tag:daily+ path:models/marts           several selectors
    lineal lineage --impact --column raw_orders.amount    what a change of it reaches
    lineal lineage --classification pii                   where personal data goes

    Exit codes: 0 fine, 1 diagnostics (see --fail-on), 2 a usage error.
    """
    paths, selections = _arguments(arguments)
    form = Form(**{name: options.pop(name) for name in Form._fields if name in options})
    limits = Limits(options.pop("fail_on"), options.pop("fail_under"))
    request = Request(selections, **options)
    _check(request)
    if form != Form() and request.view != "openlineage":
        raise Mistake("--legacy, --namespace and --event-time are those of --output openlineage")

    sys.exit(_run(source._replace(paths=paths), request, form, save, limits))


def _run(source: Source, request: Request, form: Form, save: str | None, limits: Limits) -> int:
    """Show the lineage that was asked for, and return the exit code."""
    from lineal.cli.answer_cache import answer_from_cache
    from lineal.cli.console import complain, report_diagnostics, show
    from lineal.cli.coverage import falls_short
    from lineal.model.diagnostic import Severity

    if save or request.view == "openlineage":
        found = _saved_and_shown(source, request, form, save)
    else:
        found = answer_from_cache(source, request, lambda graph: _make_answer(request, graph))

    as_json = request.view == "json"
    show(found.made, source.color)
    shown = Severity.ERROR if as_json else Severity.INFO
    report_diagnostics(found.diagnostics, source.color, shown, found.others)
    if found.footer:
        complain(found.footer)

    short = falls_short(found.coverage, limits.fail_under)
    if limits.fail_on == "never":
        return int(short)

    least = Severity[limits.fail_on.upper()]
    return int(short or any(each.severity >= least for each in found.all_diagnostics))


def _make_answer(request: Request, graph: Graph, emission: Emission | None = None) -> ShownAnswer:
    """Return the report in the format that was asked for."""
    from lineal.cli.answer import answer
    from lineal.cli.answer_cache import ShownAnswer
    from lineal.cli.coverage import footer
    from lineal.views import view

    report = answer(request, graph)
    shows_ledger = request.view in ("table", "chain") or not graph.extraction.coverage.is_complete
    last = footer(graph) if shows_ledger and request.view != "json" else ""
    if emission is None:
        made = view(request.view, report)
    else:
        from lineal.views import openlineage

        made = openlineage.view(report, emission)

    own, others = _part_diagnostics(report)
    return ShownAnswer(made, own, last, graph.extraction.coverage, others=others)


def _part_diagnostics(report: Report) -> Concerns:
    """Part the diagnostics of the requested datasets from the others; without a request all are
    own.
    """
    from lineal.graph.concerns import Concerns, part_diagnostics

    if not report.focus:
        return Concerns(report.diagnostics, [])

    try:
        return part_diagnostics(report.graph, report.focus, report.datasets, report.diagnostics)
    except Exception as error:
        failures = report.graph.extraction.failures
        failures.add(error, None, "concerns", "the diagnostics of the requested datasets")
        return Concerns(report.diagnostics, [])


def _saved_and_shown(source: Source, request: Request, form: Form, save: str | None) -> ShownAnswer:
    """Save the whole lineage, whatever part of it is shown, and return the output; events say when
    they were made.
    """
    from lineal.cli.answer_cache import without_view
    from lineal.cli.event_options import emission_of, graph_and_corpus
    from lineal.graph.boundary import sound_part
    from lineal.graph.graph import Graph
    from lineal.store.files import replace_file
    from lineal.store.saved import write_text

    graph, corpus = graph_and_corpus(source)
    extraction = graph.extraction
    if save:
        text = sound_part(extraction, write_text)
        try:
            replace_file(Path(save), text.encode())
        except OSError as problem:
            raise Mistake(f"cannot write {save}: {problem.strerror}") from problem

    emission = emission_of(form, source, corpus) if request.view == "openlineage" else None
    try:
        return sound_part(extraction, lambda part: _make_answer(request, Graph(part), emission))
    except Exception as error:
        return without_view(extraction, error)


# -- the question ----------------------------------------------------------------------------------


def _arguments(
    arguments: tuple[str, ...],
) -> tuple[tuple[str, ...], tuple[Selection, ...]]:
    """Part paths from selectors, in any order: an existing name is a path; a name with a plus or a
    method is a selector, and so is the bare name of a node.

    Of two that exist, only one of them with a plus, that one is the selector.
    """
    paths: list[str] = []
    selections: list[Selection] = []
    doubtful = len(arguments) == 2 and sum("+" in argument for argument in arguments) == 1
    for argument in arguments:
        is_path = argument == STANDARD_INPUT or (
            is_source(argument) and not (doubtful and exists(argument))
        )
        selection = None if is_path else _selection(argument)
        if selection:
            selections.append(selection)
        else:
            paths.append(argument)

    return check_paths(tuple(paths)), tuple(selections)


def _selection(argument: str) -> Selection | None:
    """Return the selection of an argument; None if it is a path."""
    from lineal.graph.select import Selection, parse

    if "+" in argument or ":" in argument:
        found = parse(argument)
        if found is not None:
            return found

    return Selection(argument) if is_bare_name(argument) else None


def is_bare_name(argument: str) -> bool:
    """Tell whether an argument can only be the name of a node or column: no path, no SQL."""
    if not argument.isprintable() or any(character in argument for character in "/\\*?"):
        return False

    if not argument or argument[0] in ".-~":
        return False

    return not argument.lower().endswith(FILE_ENDINGS) and not any(map(str.isspace, argument))


FILE_ENDINGS = (
    *(".sql", ".py", ".ipynb", ".yml", ".yaml", ".json", ".jsonl", ".ndjson", ".csv", ".tsv"),
    *(".log", ".db", ".gz", ".bz2", ".txt"),
)
"""The label of a file that somebody expects to exist."""


def _check(request: Request) -> None:
    """Options that do not go together."""
    if request.selections and (request.node or request.column or request.direction):
        raise Mistake(
            "a selector says node, column and direction already: leave out -n, --column and --direction"
        )

    if request.impact and not request.traces:
        raise Mistake("--impact is that of one column: add --column NODE.COLUMN")

    if request.impact and request.level == "table":
        raise Mistake("--impact works on columns: leave out --level table")

    if request.classification is not None and (request.impact or request.level == "table"):
        raise Mistake(
            "--classification works on edges between columns: leave out --impact and --level table"
        )

    if request.level == "table" and request.view == "chain":
        raise Mistake("--level table has no chain: use --output table, json, dot or mermaid")

    if request.level == "table" and request.column is not None:
        raise Mistake("--level table knows no columns: leave out --column")

    if request.view == "chain" and not (request.traces or request.node):
        raise Mistake(
            "--output chain is that of a column: add --column NODE.COLUMN, or -n NODE for all of its columns"
        )

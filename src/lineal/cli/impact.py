"""lineal impact: what a change of one column does to everything behind it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from lineal.cli.coverage import fail_under
from lineal.cli.source import Mistake, check_order, check_paths, mistakes_of, source_options
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.cli.answer_cache import ShownAnswer
    from lineal.graph.change import Change
    from lineal.graph.graph import Graph


@click.command(name="impact")
@click.argument("column", metavar="COLUMN|DATASET")
@click.argument("where", nargs=-1, metavar="[PATH]...")
@click.option(
    "--change",
    default="values",
    show_default=True,
    metavar="CHANGE",
    help="What happens to the column: drop, rename=NEW, type=TYPE or values.",
)
@click.option(
    "--output",
    type=click.Choice(["table", "json", "markdown"]),
    default="table",
    show_default=True,
    help="The output format.",
)
@fail_under
@source_options
def command(
    column: str,
    where: tuple[str, ...],
    change: str,
    output: str,
    fail_under: float | None,
    source: Source,
) -> None:
    """Show the impact of a change of COLUMN: what breaks, what changes type or values, and why.

    COLUMN is dataset.column; a DATASET means all of its columns. PATH is what `lineal lineage`
    takes.  [default: .]

    A statement that names a dropped or renamed column breaks; a star passes the loss on to downstream
    statements that name the column. A type is passed on where a column is taken as it is, up to a
    cast.

    \b
    lineal impact stg_orders.amount --change drop
    lineal impact stg_orders --change drop
    lineal impact stg_orders.amount --change rename=total models/
    lineal impact raw_orders.amount --change type=DOUBLE --output markdown

    Exit codes: 0 fine, 1 less than --fail-under is resolved or lineal itself failed, 2 a usage error.
    """
    from lineal.graph.change import UnknownChange, parse

    try:
        wanted = parse(change)
    except UnknownChange as mistake:
        raise Mistake(f"--change: {mistake}") from mistake

    check_order("impact", column, where)
    sys.exit(_run(source._replace(paths=check_paths(where)), column, wanted, output, fail_under))


def _run(source: Source, column: str, change: Change, output: str, least: float | None) -> int:
    """Show the effects of a change, and return the exit code."""
    from lineal.cli.answer_cache import answer_from_cache
    from lineal.cli.console import complain, report_diagnostics, show
    from lineal.cli.coverage import falls_short
    from lineal.model.boundary import internal_errors
    from lineal.model.diagnostic import Severity

    found = answer_from_cache(
        source,
        ("impact", column, change, output),
        lambda graph: _make_answer(graph, column, change, output),
    )
    show(found.made, source.color)
    report_diagnostics(found.diagnostics, source.color, Severity.ERROR)
    if found.footer:
        complain(found.footer)

    short = falls_short(found.coverage, least)
    return int(short or bool(internal_errors(found.diagnostics)))


def _make_answer(graph: Graph, column: str, change: Change, output: str) -> ShownAnswer:
    """Return the effects of the change in the format that was asked for."""
    from lineal.cli.answer_cache import ShownAnswer
    from lineal.cli.coverage import footer
    from lineal.graph.dataset_effects import effects_on_dataset
    from lineal.graph.effects import effects
    from lineal.graph.graph import UnknownName
    from lineal.model.edge import Column
    from lineal.views.effects import OUTPUTS
    from lineal.views.report import report_of_all

    with mistakes_of(UnknownName):
        at = graph.find(column)

    if isinstance(at, Column):
        _check(graph, at.dataset, change)
        found = effects(graph, at, change)
    elif change.kind in OF_DATASETS:
        found = effects_on_dataset(graph, at, change)
    else:
        raise Mistake(f"--change {change} is that of one column: {at} is a dataset")

    made = OUTPUTS[output](found, graph)
    last = footer(graph) if output == "table" else ""
    return ShownAnswer(made, report_of_all(graph).diagnostics, last, graph.extraction.coverage)


OF_DATASETS = ("drop", "values")
"""The effects on a dataset as a whole."""


def _check(graph: Graph, dataset: object, change: Change) -> None:
    """Refuse a rename to a name that is taken."""
    from lineal.graph.change import RENAME
    from lineal.model import names
    from lineal.model.edge import Dataset

    assert isinstance(dataset, Dataset)
    if change.kind == RENAME and any(
        names.is_same_name(each.name, change.to) for each in graph.columns(dataset)
    ):
        raise Mistake(f"--change {change}: {dataset} has a column {change.to} already")

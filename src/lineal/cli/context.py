"""lineal context: what a language model needs to know about a column."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from lineal.cli.source import check_order, check_paths, mistakes_of, source_options
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.cli.answer_cache import ShownAnswer
    from lineal.graph.graph import Graph

SMALLEST, USUAL = 500, 8000


@click.command(name="context")
@click.argument("column")
@click.argument("where", nargs=-1, metavar="[PATH]...")
@click.option(
    "--max-chars",
    type=click.IntRange(min=SMALLEST),
    default=USUAL,
    show_default=True,
    help="The most characters to print.",
)
@source_options
def command(column: str, where: tuple[str, ...], max_chars: int, source: Source) -> None:
    """Print path, SQL and impact of COLUMN as Markdown of bounded size.

    Paste the text into the prompt of a language model. COLUMN is dataset.column, PATH is
    what `lineal lineage` takes.  [default: .] --redact-literals takes the literals out of the SQL.

    \b
    lineal context mart.total
    lineal context mart.total models/ --max-chars 4000 --redact-literals

    Exit codes: 0 fine, 1 lineal itself failed, 2 a usage error.
    """
    from lineal.cli.answer_cache import answer_from_cache
    from lineal.cli.console import report_failures, show

    check_order("context", column, where)
    asked = source._replace(paths=check_paths(where))
    found = answer_from_cache(
        asked, ("context", column, max_chars), lambda graph: _make_answer(graph, column, max_chars)
    )
    show(found.made, source.color)
    sys.exit(int(report_failures(found.diagnostics, source.color)))


def _make_answer(graph: Graph, column: str, size: int) -> ShownAnswer:
    """Return the context of a column."""
    from lineal.cli.answer_cache import ShownAnswer
    from lineal.graph.graph import UnknownName
    from lineal.views.context import context
    from lineal.views.report import report_of_all

    with mistakes_of(UnknownName):
        at = graph.column(column)

    made = context(graph, at, size)
    return ShownAnswer(made, report_of_all(graph).diagnostics, "", graph.extraction.coverage)

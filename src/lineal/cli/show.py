"""lineal show: the lineage as one HTML file, to look at."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from lineal.cli.source import Mistake, Source, checked, shown_path, source_options

if TYPE_CHECKING:
    from lineal.graph.diff import Finding, Overlay
    from lineal.graph.graph import Graph

OUT = "lineage.html"


@click.command(name="show")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("-n", "--node", metavar="NODE", help="A dataset to begin with.")
@click.option("--column", metavar="C", help="A column to begin with: of the node, or NODE.C.")
@click.option(
    "--diff",
    "base",
    metavar="BASE",
    help="Show what has changed since BASE, as `lineal diff` takes it: a revision, a folder or a saved lineage.",
)
@click.option("--out", metavar="FILE", default=OUT, show_default=True, help="Where to write the page.")
@click.option("--open/--no-open", "opens", default=True, help="Open it in the browser.  [default: --open]")
@source_options
def command(
    paths: tuple[str, ...],
    node: str | None,
    column: str | None,
    base: str | None,
    out: str,
    opens: bool,
    source: Source,
) -> None:
    """Write the lineage as one HTML file that needs no network, and open it.

    PATH is what `lineal lineage` reads.  [default: .]

    \b
    lineal show
    lineal show examples/shop -n dim_customers --column email --out customers.html --no-open
    lineal show --diff main                           what this work tree changes

    Exit codes: 0 fine, 2 a mistake in what was asked.
    """
    from lineal.cli.console import complain

    source = source._replace(paths=checked(paths))
    made = made_of(source, base)
    text = _page(made, source, _start(made.graph, node, column))
    where = Path(out)
    try:
        where.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise Mistake(f"cannot write {out}: {problem.strerror}") from problem
    complain(f"{where}: {len(made.graph.infos)} datasets, {len(text) / 1e6:.1f} MB")
    if opens and sys.stdout.isatty():
        webbrowser.open(where.resolve().as_uri())


class Made(NamedTuple):
    """What the page is made of."""

    graph: Graph
    texts: dict[str, str]
    over: Overlay | None = None
    findings: tuple[Finding, ...] = ()
    difference: str = ""
    """What has changed, as `lineal diff --output json` says it."""


def made_of(source: Source, base: str | None = None) -> Made:
    from lineal.cli.source import graph_of
    from lineal.web.data import texts_of

    if base is not None:
        return _compared(source, base)
    graph = graph_of(source)
    return Made(graph, texts_of(graph))


def _compared(source: Source, base: str) -> Made:
    """Both sides, one over the other."""
    from lineal.cli.diff import compared, ranged
    from lineal.graph.diff import overlay
    from lineal.views.diff import as_json
    from lineal.web.data import texts_of

    if len(source.paths) > 1:
        raise Mistake("--diff compares one PATH with what it was: name one")
    with compared(source, ranged(base, None, source.paths[0])) as found:
        over = overlay(found.found)
        return Made(over.graph, texts_of(over.graph, source.paths[0]), over, found.found.findings, as_json(found))


def _start(graph: Graph, node: str | None, column: str | None) -> str:
    """What the page opens with, by its full name."""
    from lineal.graph.graph import UnknownName

    try:
        if node is None:
            return str(graph.column(column)) if column is not None else ""
        dataset = graph.dataset(node)
        return str(graph.column_in(dataset, column)) if column is not None else dataset.name
    except UnknownName as mistake:
        raise Mistake(str(mistake)) from mistake


def _page(made: Made, source: Source, start: str) -> str:
    from lineal.web.data import page_data
    from lineal.web.page import html

    title = titled(source)
    data = page_data(
        made.graph, title=title, start=start, texts=made.texts, over=made.over, findings=made.findings
    )  # fmt: skip
    return html(data, f"{title} – lineal")


def titled(source: Source) -> str:
    """What is shown, by the names of its paths."""
    return ", ".join(Path(shown_path(path)).resolve().name or path for path in source.paths)

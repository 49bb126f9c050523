"""lineal show: the lineage as one HTML file, to look at."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from lineal.cli.source import (
    Mistake,
    check_paths,
    mistakes,
    mistakes_of,
    project_of,
    shown_path,
    source_options,
)
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.cli.answer_cache import ShownAnswer
    from lineal.graph.diff import Finding, Overlay
    from lineal.graph.graph import Graph
    from lineal.projects.source_texts import SourceFiles
    from lineal.service.project import Project
    from lineal.views.diff import Compared

OUT = "lineage.html"

Drawn = TypeVar("Drawn")


@click.command(name="show")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("-n", "--node", metavar="NODE", help="A dataset to begin with.")
@click.option("--column", metavar="C", help="A column to begin with: of the node, or NODE.C.")
@click.option(
    "--diff",
    "base",
    metavar="BASE",
    help="Show the changes since BASE: a revision, a folder or a saved lineage, as for `lineal diff`.",
)
@click.option(
    "--out", metavar="FILE", default=OUT, show_default=True, help="Where to write the page."
)
@click.option(
    "--open/--no-open", "opens", default=True, help="Open it in the browser.  [default: --open]"
)
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

    Exit codes: 0 fine, 1 lineal failed on a part of the input, 2 a usage error.
    """
    from lineal.cli.console import complain, report_failures
    from lineal.store.files import replace_file

    source = source._replace(paths=check_paths(paths))
    found = _answer(source, base, node, column)
    (datasets,) = found.facts
    text = str(found.made)
    where = Path(out)
    try:
        replace_file(where, text.encode("utf-8", "replace"))
    except OSError as problem:
        raise Mistake(f"cannot write {out}: {problem.strerror}") from problem

    complain(f"{where}: {datasets} datasets, {len(text) / 1e6:.1f} MB")
    failed = report_failures(found.diagnostics, source.color)
    complain(found.footer)
    if opens and sys.stdout.isatty():
        webbrowser.open(where.resolve().as_uri())

    sys.exit(int(failed))


def _answer(source: Source, base: str | None, node: str | None, column: str | None) -> ShownAnswer:
    """The page; if nothing has changed, as the last run drew it."""
    from lineal.cli.answer_cache import decided_by, kept_answer

    def work() -> ShownAnswer:
        """Draw the page of the lineage."""
        return _show_page(
            *draw_lineage(
                source, base, lambda made: _page(made, source, _start(made.graph, node, column))
            )
        )

    with mistakes():
        project = project_of(source)
        if base is not None or project.stamp is None:
            return work()

        decided = ("show", title_of(source), *decided_by(source, project), node, column)
        return kept_answer(source, decided, work)


def _show_page(made: PageParts, text: str) -> ShownAnswer:
    """Return the page, with its diagnostics and its coverage."""
    from lineal.cli.answer_cache import ShownAnswer
    from lineal.model.boundary import told_by_all
    from lineal.views.ledger import summarize

    extraction = made.graph.extraction
    return ShownAnswer(
        text,
        told_by_all(extraction.diagnostics),
        summarize(extraction.coverage),
        extraction.coverage,
        (len(made.graph.infos),),
    )


class PageParts(NamedTuple):
    """The parts of the page."""

    graph: Graph
    texts: dict[str, str]
    over: Overlay | None = None
    findings: tuple[Finding, ...] = ()
    difference: str = ""
    """The changes, as `lineal diff --output json` says them."""


def draw_lineage(
    source: Source,
    base: str | None,
    draw: Callable[[PageParts], Drawn],
    project: Project | None = None,
) -> tuple[PageParts, Drawn]:
    """Return the lineage and its drawing; a dataset that cannot be drawn is left out, and reported.
    A project that is followed is asked as it is now.
    """
    from lineal.cli.source import current_lineage, lineage_of
    from lineal.graph.boundary import sound_part
    from lineal.graph.graph import Graph
    from lineal.model.extraction import Extraction
    from lineal.web.data import texts_of

    if base is not None:
        return _draw_both_sides(source, base, draw)

    files = source_files(source)

    def draw_part(part: Extraction) -> tuple[PageParts, Drawn]:
        """Draw one part of the lineage."""
        graph = Graph(part)
        made = PageParts(graph, texts_of(graph, files.text))
        return made, draw(made)

    found = lineage_of(source) if project is None else current_lineage(project)
    return sound_part(found, draw_part)


def _draw_both_sides(
    source: Source, base: str, draw: Callable[[PageParts], Drawn]
) -> tuple[PageParts, Drawn]:
    """Both sides, one over the other."""
    from lineal.cli.comparison import compare, request_of_range
    from lineal.graph.diff import overlay
    from lineal.views.diff import as_json
    from lineal.web.data import texts_of

    if len(source.paths) > 1:
        raise Mistake("--diff compares one PATH with what it was: name one")

    files = source_files(source, named_from_root=True)

    def draw_both(found: Compared) -> tuple[PageParts, Drawn]:
        """Draw the difference of two sides as one graph."""
        over = overlay(found.found)
        texts = texts_of(over.graph, files.text)
        made = PageParts(over.graph, texts, over, found.found.findings, as_json(found))
        return made, draw(made)

    return compare(source, request_of_range(base, None, source.paths[0]), draw_both)


def source_files(source: Source, named_from_root: bool = False) -> SourceFiles:
    """Return the files whose texts may be shown: those of the projects that were named."""
    from lineal.cli.source import rules_of
    from lineal.projects.source_texts import SourceFiles

    return SourceFiles((*source.paths, *source.sql), rules_of(source), named_from_root)


def _start(graph: Graph, node: str | None, column: str | None) -> str:
    """Return the full name of the column or dataset that the page opens with."""
    from lineal.graph.graph import UnknownName

    with mistakes_of(UnknownName):
        if node is None:
            if column is not None:
                return str(graph.column(column))

            return ""

        dataset = graph.dataset(node)
        if column is not None:
            return str(graph.column_in(dataset, column))

        return dataset.name


def _page(made: PageParts, source: Source, start: str) -> str:
    """Return the page as HTML."""
    from lineal.web.data import page_data
    from lineal.web.page import html

    title = title_of(source)
    data = page_data(
        made.graph, title=title, start=start, texts=made.texts, over=made.over, findings=made.findings
    )  # fmt: skip
    return html(data, f"{title} – lineal")


def title_of(source: Source) -> str:
    """Return the title of a page: the names of its paths."""
    return ", ".join(Path(shown_path(path)).resolve().name or path for path in source.paths)

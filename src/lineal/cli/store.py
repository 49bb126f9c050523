"""lineal store: lineage that lasts, with its history, in a file or on a PostgreSQL server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from lineal.cli.history import command as history
from lineal.cli.source import check_paths, shown_path, source_options
from lineal.cli.store_options import (
    AT,
    choose_namespace,
    find_in_store,
    load_sound,
    named_after,
    open_store_at,
    store_options,
)
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.graph.select import Selection
    from lineal.model.edge import Column, Dataset
    from lineal.store.lineage import Store
    from lineal.store.lineage.load import Change
    from lineal.views.report import Report


@click.group(name="store")
def command() -> None:
    """Save lineage to a database and query its history.

    \b
    lineal store load models/              save the lineage, and end edges that are gone
    lineal store query +dim_customers.id   trace a column
    lineal store history dim_customers.id  show when each edge began and ended
    lineal store gc --before 2026-01-01    delete edges that ended before then

    A store is a file (SQLite) or, with --store postgresql://user@host/database, a schema on a
    server. Every command that takes a PATH takes a store's file, too.
    """


command.add_command(history)


@command.command(name="load")
@click.argument("where", nargs=-1, metavar="[PATH]...")
@store_options
@source_options
def load(
    where: tuple[str, ...], address: str, namespace: str | None, wait: float, source: Source
) -> None:
    """Save the lineage of PATH as the current lineage of its namespace. Unchanged edges are kept.

    PATH is what `lineal lineage` takes.  [default: .] The default namespace is the name of
    the folder.

    Exit codes: 0 fine, 1 lineal failed on a part of the input, 2 a usage error.
    """
    from lineal.cli.console import complain, report_diagnostics
    from lineal.cli.source import graph_of
    from lineal.model.boundary import internal_errors
    from lineal.model.diagnostic import Severity, order_of
    from lineal.views.ledger import summarize
    from lineal.views.safe import make_visible

    paths = check_paths(where)
    extraction = graph_of(source._replace(paths=paths, rooted=True)).extraction
    whose = namespace if namespace is not None else named_after(paths[0])
    with open_store_at(address, wait, create=True) as store:
        change = load_sound(store, whose, extraction, _source_text(paths))
        click.echo(make_visible(f"{whose}: {_describe_change(change)}"))

    report_diagnostics(sorted(extraction.diagnostics, key=order_of), source.color, Severity.ERROR)
    complain(summarize(extraction.coverage))
    sys.exit(int(bool(internal_errors(extraction.diagnostics))))


def _describe_change(change: Change) -> str:
    """Return what a load has changed."""
    if change.run is None:
        return f"nothing has changed, {change.edges:,} edges hold"

    return f"{change.opened:,} edges came, {change.closed:,} went, {change.edges:,} hold since {change.run.at}"


def _source_text(paths: tuple[str, ...]) -> str:
    """Where it came from; an address without its password."""
    return " ".join(map(shown_path, paths))


@command.command(name="query")
@click.argument("selector")
@AT
@click.option(
    "--with-rows",
    is_flag=True,
    help="Also show upstream columns that decide rows: filters, joins, groups.",
)
@click.option(
    "--output",
    type=click.Choice(["table", "chain", "json", "dot", "mermaid", "rows"]),
    default="chain",
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
@store_options
def query(
    selector: str,
    at: str | None,
    with_rows: bool,
    output: str,
    color: str,
    address: str,
    namespace: str | None,
    wait: float,
) -> None:
    """Show where a column of the store comes from and where it goes.

    SELECTOR is that of `lineal lineage`: +m.c upstream, m.c+ downstream, 2+m.c two hops, +m every
    column of m; m.c both ways. Only the edges on the way are read.
    """
    from lineal.cli.console import show
    from lineal.views import view

    with open_store_at(address, wait) as store:
        report = _report(
            store, choose_namespace(store, namespace), _selection(selector), at, with_rows
        )

    show(view(output, report), color)


def _report(
    store: Store, namespace: str, selection: Selection, at: str | None, with_rows: bool
) -> Report:
    """Return the part of the stored lineage that a selection asks for."""
    from lineal.graph.graph import Graph
    from lineal.views.report import report_of_trace

    asked = find_in_store(store, namespace, selection.name, at)
    starts = _columns(store, namespace, asked, at)
    hops = {"up": selection.up, "down": selection.down}
    part = store.region(namespace, starts, **hops, with_rows=with_rows, at=at)
    return report_of_trace(Graph(part), starts, **hops, with_rows=with_rows)


def _columns(store: Store, namespace: str, asked: Column | Dataset, at: str | None) -> list[Column]:
    """Return the column that was named, or all columns of a dataset."""
    from lineal.model.edge import Column

    if isinstance(asked, Column):
        return [asked]

    info = store.datasets_named(namespace, asked.name, at)[asked]
    return [Column(asked, column.name) for column in info.columns]


def _selection(text: str) -> Selection:
    """Return the selection of an argument; a bare name selects everything."""
    from lineal.graph.select import ALL, Selection, parse

    return parse(text) or Selection(text, ALL, ALL)


@command.command(name="gc")
@click.option(
    "--before",
    metavar="TIME",
    required=True,
    help="Delete edges that ended before this time: 2026-01-01.",
)
@store_options
def collect_garbage(before: str, address: str, namespace: str | None, wait: float) -> None:
    """Delete edges that ended before a time. Edges that are current, or ended later, stay."""
    from lineal.views.words import count_noun

    with open_store_at(address, wait) as store:
        whose = choose_namespace(store, namespace)
        click.echo(f"{count_noun(store.drop(whose, before), 'edge')} dropped")

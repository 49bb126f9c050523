"""lineal serve: the page and the API on this machine, and a door for OpenLineage events."""

from __future__ import annotations

import os
import secrets
import sys
import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from lineal.cli.source import Mistake, check_paths, mistakes, project_of, source_options
from lineal.model.limits import save_state, saved_state
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.graph.graph import Graph
    from lineal.web.server import Routes, Server

TOKEN = "LINEAL_TOKEN"  # noqa: S105  the name of a variable
MEGABYTE = 1024 * 1024


@click.command(name="serve")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--ingest",
    metavar="FILE",
    help="Take OpenLineage events at /api/v1/lineage, and append them to this file.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help=f"The address to listen on. Other machines need {TOKEN}.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=5000,
    show_default=True,
    help="The port to listen on; 0: any free port.",
)
@click.option(
    "--largest",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    metavar="MB",
    help="The largest request body, in MB.",
)
@click.option(
    "--diff",
    "base",
    metavar="BASE",
    help="Show the changes since BASE, as `lineal show --diff` does.",
)
@click.option(
    "--open/--no-open",
    "opens",
    default=True,
    help="Open the page in the browser.  [default: --open]",
)
@source_options
def command(
    paths: tuple[str, ...],
    ingest: str | None,
    host: str,
    port: int,
    largest: int,
    base: str | None,
    opens: bool,
    source: Source,
) -> None:
    """Serve the page and its API on this machine. The page reloads when files change.

    PATH is what `lineal lineage` reads.  [default: ., with --ingest nothing] Every request needs
    the token in the printed address; LINEAL_TOKEN sets your own.

    With --ingest the server receives OpenLineage events. Set OPENLINEAGE_URL=http://127.0.0.1:5000
    for the producers. Events are appended unchanged to the file, which every command can read. If
    LINEAL_TOKEN is set, producers send it as their API key.

    \b
    lineal serve                                          this project, until Ctrl-C
    lineal serve --diff main                              what this work tree changes, kept up to date
    lineal serve --ingest events.ndjson                   only receive events
    lineal serve models/ events.ndjson --ingest events.ndjson
    """
    from lineal.web.server import LOOPBACK, Server

    own = os.environ.get(TOKEN, "")
    if host not in LOOPBACK and not own:
        raise Mistake(f"other machines need a token to read {host}: set {TOKEN}")

    page = bool(paths) or ingest is None or base is not None
    before = saved_state()  # of a server that a statement has ended
    token = own or before.get("token") or (secrets.token_urlsafe(18) if page else "")
    routes: Routes = {}
    public = {"/"}
    if ingest is not None:
        routes = {**routes, **_inbox(ingest)}
        public |= set() if own else {"/api/v1/lineage"}

    if page:
        routes = {**routes, **_page(source._replace(paths=check_paths(paths)), base)}

    try:
        server = Server(host, before.get("port", port), routes, token, largest * MEGABYTE, public)
    except OSError as problem:
        raise Mistake(
            f"cannot listen on {host}:{port}: {problem.strerror}; "
            "set another --port (0: any free port) or --host"
        ) from problem

    save_state(token=token, port=server.server_address[1])
    _serve(server, ingest, page, opens and not before)


def _serve(server: Server, ingest: str | None, page: bool, opens: bool) -> None:
    """Serve until Ctrl-C, and say where."""
    from lineal.cli.console import complain

    with server, suppress(KeyboardInterrupt):
        if ingest is not None:
            complain(f"events are taken at {server.address}/api/v1/lineage and kept in {ingest}")

        if page:
            address = f"{server.address}/?token={server.token}"
            complain(f"the page is at {address}")
            if opens and sys.stdout.isatty():
                webbrowser.open(address)

        complain("Ctrl-C ends it")
        server.serve_forever()


def _inbox(file: str) -> Routes:
    """Return the routes that take events into a file."""
    from lineal.projects.openlineage import problem_of
    from lineal.web.ingest import Inbox

    try:
        return Inbox(file, problem_of).routes
    except OSError as problem:
        raise Mistake(f"cannot write {file}: {problem.strerror}") from problem


def _page(source: Source, base: str | None = None) -> Routes:
    """Return the routes of the page and its questions."""
    from lineal.cli.console import report_failures
    from lineal.cli.show import PageParts, draw_lineage, title_of
    from lineal.service.current import Current
    from lineal.web.api import Api
    from lineal.web.data import page_data
    from lineal.web.page import html
    from lineal.web.server import Answer

    title = title_of(source)
    difference = [""]

    def draw(made: PageParts) -> Mapping[str, Any]:
        """Return the data of the page."""
        return page_data(
            made.graph, title=title, texts=made.texts, over=made.over, findings=made.findings
        )

    project = project_of(source) if base is None and source.engine == "text" else None

    def read() -> tuple[Graph, Mapping[str, Any]]:
        """Read the lineage again if files have changed, and return its graph and its page data."""
        with mistakes():
            if project is not None:
                project.update()

            made, data = draw_lineage(source, base, draw, project)

        difference[0] = made.difference
        report_failures(made.graph.extraction.diagnostics, source.color)
        return made.graph, data

    current = Current(source.paths, read)
    shell = html(None, f"{title} – lineal").encode()
    api = Api(lambda: (*current(), current.version), lambda: difference[0], lambda: current.problem)
    return {
        **api.routes,
        ("GET", "/"): lambda request: Answer(200, shell, "text/html; charset=utf-8"),
    }

"""lineal serve: a server on this machine that takes OpenLineage events in."""

from __future__ import annotations

import os
from contextlib import suppress

import click

from lineal.cli.source import Mistake

TOKEN = "LINEAL_TOKEN"  # noqa: S105  the name of a variable
MEGABYTE = 1024 * 1024


@click.command(name="serve")
@click.option(
    "--ingest",
    metavar="FILE",
    required=True,
    help="Take OpenLineage events at /api/v1/lineage, and append them to this file.",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help=f"Where to listen; beyond this machine with {TOKEN}."
)
@click.option("--port", type=click.IntRange(0, 65535), default=5000, show_default=True, help="0: any that is free.")
@click.option(
    "--largest", type=click.IntRange(min=1), default=16, show_default=True, metavar="MB", help="The largest body."
)
def command(ingest: str, host: str, port: int, largest: int) -> None:
    """Take OpenLineage events in, on this machine.

    Producers are told the address: OPENLINEAGE_URL=http://127.0.0.1:5000. What arrives is kept as it came; the file is
    an input like any other. If LINEAL_TOKEN is set, producers send it as their API key.

    \b
    lineal serve --ingest events.ndjson                   until Ctrl-C
    lineal lineage models/ events.ndjson                  with what is read from text
    """
    from lineal.cli.console import complain
    from lineal.projects.openlineage import problem_of
    from lineal.web.ingest import Inbox
    from lineal.web.server import LOOPBACK, Server

    token = os.environ.get(TOKEN, "")
    if host not in LOOPBACK and not token:
        raise Mistake(f"beyond this machine only with a token: set {TOKEN}")
    try:
        inbox = Inbox(ingest, problem_of)
    except OSError as problem:
        raise Mistake(f"cannot write {ingest}: {problem.strerror}") from problem
    try:
        server = Server(host, port, inbox.routes, token, largest * MEGABYTE)
    except OSError as problem:
        raise Mistake(f"cannot listen on {host}:{port}: {problem.strerror}") from problem
    with server, suppress(KeyboardInterrupt):
        complain(f"events are taken at {server.address}/api/v1/lineage and kept in {ingest}; Ctrl-C ends it")
        server.serve_forever()

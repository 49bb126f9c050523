"""lineal mcp: a tool server that agents ask about the lineage of a project."""

from __future__ import annotations

import os
import secrets
import sys
from typing import TYPE_CHECKING, Any

import click

from lineal.cli.answering import (
    answering_command,
    answering_option,
    begin_answering,
    end_at_interrupt,
)
from lineal.cli.source import (
    check_paths,
    mistakes,
    project_of,
    require_library,
    unsupervised_source_options,
)
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.graph.graph import Graph
    from lineal.service.answers import Answers
    from lineal.service.project import Project

TOKEN = "LINEAL_TOKEN"  # noqa: S105  the name of a variable
LOOPBACK = "127.0.0.1"


@click.command(name="mcp")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--http", is_flag=True, help="Serve HTTP on this machine instead of standard input.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=5001,
    show_default=True,
    help="The port of --http.",
)
@answering_option
@unsupervised_source_options
def command(
    paths: tuple[str, ...], http: bool, port: int, server: int | None, source: Source
) -> None:
    """Start a server that AI agents ask about the lineage (Model Context Protocol).

    PATH is what `lineal lineage` reads.  [default: .] The agent starts the command itself, and talks
    to it on standard input and output. All tools only read. Files that change are read again.

    With --http the server listens on this machine only. Clients send the token that is printed, or
    that LINEAL_TOKEN sets, as `Authorization: Bearer TOKEN`.

    \b
    lineal mcp warehouse/                       for the configuration of an agent
    lineal mcp warehouse/ --http --port 5001    for clients that connect to an address

    Needs the extra `mcp`: pip install 'lineal[mcp]'.
    """
    asked = source._replace(paths=check_paths(paths))
    if server is not None:
        begin_answering(server, source)
        _answer_lines(asked)
        return

    require_library("mcp", "lineal mcp needs the extra `mcp`: pip install 'lineal[mcp]'")
    from lineal.mcp.server import build_server
    from lineal.service.worker import Worker

    # the process that reads the project: this one, with one option more
    own, *rest = sys.argv[1:]
    tools = build_server(Worker(answering_command(own, rest)))
    if http:
        _serve_http(tools, port)
    else:
        end_at_interrupt()
        tools.run("stdio")


def _serve_http(server: Any, port: int) -> None:
    """Serve on this machine, and say where."""
    from lineal.cli.console import complain
    from lineal.mcp.http import PATH, serve

    token = os.environ.get(TOKEN) or secrets.token_urlsafe(18)
    complain(f"the tools are at http://{LOOPBACK}:{port}{PATH}")
    if not os.environ.get(TOKEN):
        complain(f"clients send: Authorization: Bearer {token}")

    complain("Ctrl-C ends it")
    serve(server, LOOPBACK, port, token)


# -- the process that does the work ----------------------------------------------------------------


def _answer_lines(source: Source) -> None:
    """Answer the questions on standard input."""
    from lineal.service.worker import answer_lines

    answers = _answers_of(source)
    answer_lines(sys.stdin, sys.stdout, answers.answer)


def _answers_of(source: Source) -> Answers:
    """Return what answers questions about a project."""
    from lineal.cli.show import source_files
    from lineal.service.answers import Answers
    from lineal.service.current import Current

    project = project_of(source)

    def read() -> Graph:
        """Read the project again, and return its graph."""
        with mistakes():
            project.update()
            return _read_graph(project)

    current = Current(source.paths, read)
    text_of = source_files(source).text
    return Answers(
        current,
        text_of,
        lambda base: _compare(source, base),
        lambda: current.problem,
        lambda keep, ignore_tests: _find_unused(project, keep, ignore_tests),
    )


def _find_unused(project: Project, keep: tuple[str, ...], ignore_tests: bool) -> dict[str, object]:
    """Return the columns and datasets without readers."""
    from lineal.service.unused import Subject, plan_unused
    from lineal.views.unused import describe_outputs, document

    subject = Subject(project.source, project.corpus(), _read_graph(project))
    plan = plan_unused(subject, keep, ignore_tests=ignore_tests)
    made = document(subject.graph, plan.outputs, plan.verdicts, "")
    return {**made, "outputs_note": describe_outputs(plan.outputs)}


def _read_graph(project: Project) -> Graph:
    """Return the graph of all that can be drawn."""
    from lineal.cli.source import current_lineage
    from lineal.graph.boundary import graph_of

    return graph_of(current_lineage(project))


def _compare(source: Source, base: str) -> dict[str, object]:
    """Return the changes since a revision."""
    import json

    from lineal.cli.show import draw_lineage
    from lineal.service.answers import Misasked

    try:
        made, _ = draw_lineage(source, base, lambda _: None)
    except click.ClickException as mistake:
        raise Misasked(mistake.format_message()) from mistake

    found: dict[str, Any] = json.loads(made.difference)
    return found

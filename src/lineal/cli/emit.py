"""lineal emit: the lineage as OpenLineage events, on a console, in a file or at a server."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lineal.cli.event_options import Form, all_form_options, emission_of, graph_and_corpus
from lineal.cli.source import Mistake, Source, checked, source_options

if TYPE_CHECKING:
    from lineal.model.diagnostic import Diagnostic

URL = "OPENLINEAGE_URL"
FAIL_ON = ("error", "warning", "info", "never")


@click.command(name="emit")
@click.argument("arguments", nargs=-1, metavar="[PATH]...")
@click.option(
    "--transport",
    type=click.Choice(["console", "file", "http", "configured"]),
    help="Where events go; configured: as OpenLineage's client is.  [default: file with --to, http with --url, "
    "else console]",
)
@click.option("--to", metavar="FILE", help="The file that events are appended to, one a line.")
@click.option(
    "--url", metavar="URL", help=f"The server that events are posted to.  [default: {URL}]"
)
@click.option(
    "--endpoint", default="api/v1/lineage", show_default=True, help="The server's path for events."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    help="Seconds to wait.",
)
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How often to try again.",
)
@click.option(
    "--unsent",
    metavar="FILE",
    help="Keep the events that did not arrive; lineal emit FILE sends them.",
)
@all_form_options
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="error",
    show_default=True,
    help="Exit with 1 if there is a diagnostic of this severity or above.",
)
@source_options
def command(arguments: tuple[str, ...], source: Source, fail_on: str, **options: Any) -> None:
    """Send the lineage as OpenLineage events.

    PATH is whatever `lineal lineage` reads. Posting to a server needs OpenLineage's client: pip
    install 'lineal[openlineage]'. The server's key is taken from OPENLINEAGE_API_KEY.

    \b
    lineal emit                                           the events on standard output, one a line
    lineal emit models/ --to events.ndjson                in a file
    lineal emit --url http://localhost:5000               at a server
    lineal emit --facets both --legacy --describe         all that can be said

    Exit codes: 0 fine, 1 diagnostics (see --fail-on) or events that did not arrive, 2 a mistake in
    what was asked.
    """
    form = Form(**{name: options.pop(name) for name in Form._fields})
    unsent = options.pop("unsent")
    config = _config(**options)
    sys.exit(_run(source._replace(paths=checked(arguments)), form, config, unsent, fail_on))


def _config(
    transport: str | None,
    to: str | None,
    url: str | None,
    endpoint: str,
    timeout: float,
    retries: int,
) -> dict[str, Any] | None:
    """What the transport is told; None for what the client is configured to do."""
    from lineal.web import send

    if to and url:
        raise Mistake("--to is a file and --url a server: give one of them")
    usual = "http" if url else "console"
    chosen = transport or ("file" if to else usual)
    if (to and chosen != "file") or (url and chosen != "http"):
        raise Mistake(f"--transport {chosen} does not go with {'--to' if to else '--url'}")
    if chosen == "file" and not to:
        raise Mistake("--transport file: name the file with --to")
    if chosen == "file":
        return send.to_file(str(to))
    if chosen == "http":
        return send.to_server(_url(url), endpoint, timeout, retries)
    return None if chosen == "configured" else send.to_console()


def _url(given: str | None) -> str:
    url = given or os.environ.get(URL, "")
    if not url.startswith(("http://", "https://")):
        raise Mistake(f"--url is the address of a server, as http://localhost:5000 (or set {URL})")
    return url


def _run(
    source: Source, form: Form, config: dict[str, Any] | None, unsent: str | None, fail_on: str
) -> int:
    from lineal.cli.console import complain, report_diagnostics, show
    from lineal.graph.boundary import sound_part
    from lineal.graph.graph import Graph
    from lineal.model.diagnostic import Severity
    from lineal.views.openlineage import events
    from lineal.views.report import everything
    from lineal.views.safe import visible
    from lineal.views.words import counted
    from lineal.web.send import NotSent, Unavailable, send

    graph, corpus = graph_and_corpus(source)
    report = everything(graph)
    emission = emission_of(form, source, corpus)
    made = sound_part(graph.extraction, lambda part: events(everything(Graph(part)), emission))
    report_diagnostics(report.diagnostics, source.color, Severity.INFO)
    try:
        sent = send(made, config, lambda line: show(line, source.color))
    except Unavailable as problem:
        raise Mistake(str(problem)) from problem
    except NotSent as failure:
        rest = _kept(made[failure.sent :], unsent)
        message = f"{failure.sent} of {counted(len(made), 'event')} sent: {failure}; {rest}"
        raise click.ClickException(visible(message)) from failure
    complain(f"{counted(sent, 'event')} sent")
    return _exit_code(report.diagnostics, fail_on)


def _kept(left: list[dict[str, Any]], file: str | None) -> str:
    """The events that did not arrive, in a file, or what to do about them."""
    from lineal.views.openlineage import line

    if file is None:
        return "the rest was not: emit again, or name a file for it with --unsent"
    try:
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.writelines(f"{line(event)}\n" for event in left)
    except OSError as problem:
        return f"the rest cannot be kept in {file}: {problem.strerror}"
    return f"the rest is in {file}: lineal emit {file}, with the same options, sends it"


def _exit_code(diagnostics: list[Diagnostic], fail_on: str) -> int:
    from lineal.model.diagnostic import Severity

    if fail_on == "never":
        return 0
    least = Severity[fail_on.upper()]
    return int(any(diagnostic.severity >= least for diagnostic in diagnostics))

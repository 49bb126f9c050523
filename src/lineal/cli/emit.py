"""lineal emit: the lineage as OpenLineage events, on a console, in a file or at a server."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lineal.cli.event_options import Form, all_form_options, emission_of, graph_and_corpus
from lineal.cli.source import Mistake, check_paths, mistakes_of, source_options
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.deliver.delivery import Outcome
    from lineal.deliver.journal import Journal
    from lineal.deliver.profiles import Profile
    from lineal.model.diagnostic import Diagnostic
    from lineal.model.script import Corpus

ENDPOINT = "api/v1/lineage"
URL = "OPENLINEAGE_URL"
BIGQUERY = "bigquery"
FAIL_ON = ("error", "warning", "info", "never")


class Route(NamedTuple):
    """Where events go: how the transport is told, and the catalog that takes them."""

    config: dict[str, Any] | None
    """None: as OpenLineage's client is configured"""
    profile: Profile | None = None

    @property
    def is_received(self) -> bool:
        """Tell whether a server takes the events; files and the console keep them for later."""
        return self.config is None or "url" in self.config

    @property
    def is_native(self) -> bool:
        """Tell whether a catalog is told by its own interface, and not by OpenLineage's."""
        return self.config is not None and "form" in self.config

    @property
    def destination(self) -> str:
        """Say where the events go: ` to DataHub at http://localhost:8080`."""
        from lineal.deliver.failures import address_of

        if self.config is None or "url" not in self.config:
            return ""

        server = f"{address_of(self.config['url'])}/{self.config['endpoint']}"
        return f" to {self.profile.title} at {server}" if self.profile else f" to {server}"


@click.command(name="emit")
@click.argument("arguments", nargs=-1, metavar="[PATH]...")
@click.option(
    "--to",
    metavar="CATALOG|FILE",
    help="The catalog that takes the lineage (datahub, dataplex, marquez, openlineage, openmetadata, "
    "purview, snowflake, unity), or the file that the events are appended to, one per line.",
)
@click.option(
    "--native",
    is_flag=True,
    help="Use the catalog's own interface instead of OpenLineage's: datahub (needs lineal[datahub]) "
    "and openmetadata.",
)
@click.option(
    "--transport",
    type=click.Choice(["console", "file", "http", "configured"]),
    help="How events are sent; configured: by the configuration of OpenLineage's client.  "
    "[default: file with --to FILE, http with --url, else console]",
)
@click.option(
    "--url",
    metavar="URL",
    help=f"The server that events are posted to.  [default: {URL}, or the catalog's variable]",
)
@click.option(
    "--endpoint",
    metavar="PATH",
    help="The server's path for events.  [default: the catalog's, else api/v1/lineage]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    help="Seconds to wait for an answer.",
)
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Number of retries for each request.",
)
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of events in one request, for a catalog that takes several (openmetadata).  "
    "[default: 50]",
)
@click.option(
    "--unsent",
    metavar="FILE",
    help="Save events that did not arrive; --resend FILE sends them.",
)
@click.option(
    "--resend",
    metavar="FILE",
    help="Send the events of this file unchanged. Events that do not arrive stay in the file.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be sent, and send nothing.")
@all_form_options
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="error",
    show_default=True,
    help="Exit with 1 if there is a diagnostic of this severity or above.",
)
@source_options
def command(
    arguments: tuple[str, ...],
    source: Source,
    fail_on: str,
    unsent: str | None,
    resend: str | None,
    dry_run: bool,
    **options: Any,
) -> None:
    """Send the lineage to a catalog, as OpenLineage events.

    PATH is what `lineal lineage` reads.  [default: .] Address and token of a catalog come from its
    environment variables; OPENLINEAGE_URL and OPENLINEAGE_API_KEY are those of any other server.
    Posting to a server needs OpenLineage's client: pip install 'lineal[openlineage]'.

    \b
    lineal emit                                           print the events, one per line
    lineal emit models/ --to events.ndjson                append them to a file
    lineal emit --to datahub                              send them to a catalog
    lineal emit --to datahub --native                     use the catalog's own interface
    lineal emit --url http://localhost:5000               send them to another server
    lineal emit --facets both --legacy --describe         write every facet

    Exit codes: 0 fine, 1 diagnostics (see --fail-on) or events that did not arrive, 2 a usage error.
    """
    form = Form(**{name: options.pop(name) for name in Form._fields})
    route = _usable_route(**options)
    if resend is not None:
        if arguments or unsent:
            raise Mistake("--resend sends a file of events: give it alone")

        sys.exit(_resend(resend, route, dry_run, source.color))

    paths = source._replace(paths=check_paths(arguments))
    sys.exit(_run(paths, form, route, unsent, fail_on, dry_run))


def _usable_route(**options: Any) -> Route:
    """Return where the events go; a token that cannot be sent is a mistake."""
    from lineal.deliver.profiles import UnusableVariable

    with mistakes_of(UnusableVariable):
        return _route(**options)


def _route(
    transport: str | None,
    to: str | None,
    url: str | None,
    endpoint: str | None,
    timeout: float,
    retries: int,
    native: bool,
    batch: int | None,
) -> Route:
    """Return where the events go."""
    from lineal.deliver import send
    from lineal.deliver.profiles import PROFILES, token_from

    profile = PROFILES.get(to or "")
    if native and (profile is None or not profile.native):
        raise Mistake("--native goes with --to datahub or --to openmetadata")

    if profile is not None:
        if transport not in (None, "http"):
            raise Mistake(f"--transport {transport} does not go with --to {to}, a catalog")

        if native or profile.is_native_only:
            return _native_route(profile, url, timeout, retries)

        return _route_to(profile, url, endpoint, timeout, retries, batch)

    if to and url:
        raise Mistake("--to is a file and --url a server: give one of them")

    usual = "http" if url else "console"
    chosen = transport or ("file" if to else usual)
    if (to and chosen != "file") or (url and chosen != "http"):
        raise Mistake(f"--transport {chosen} does not go with {'--to' if to else '--url'}")

    if chosen == "file" and not to:
        raise Mistake("--transport file: name the file with --to")

    if chosen == "file":
        return Route(send.to_file(str(to)))

    if chosen == "http":
        token = token_from(send.API_KEY, os.environ)
        return Route(send.to_server(_url(url), endpoint or ENDPOINT, timeout, retries, token))

    if chosen == "configured":
        return Route(None)

    return Route(send.to_console())


def _route_to(
    profile: Profile,
    url: str | None,
    endpoint: str | None,
    timeout: float,
    retries: int,
    batch: int | None,
) -> Route:
    """Return the way to a catalog; its address and token are in the environment."""
    from lineal.deliver import send
    from lineal.deliver.profiles import headers_of, token_from

    address = _url(url or _fill_in(profile.address, profile))
    path = endpoint or _fill_in(profile.endpoint, profile)
    token = token_from(profile.token, os.environ)
    headers = headers_of(profile, os.environ)
    config = send.to_server(address, path, timeout, retries, token, headers)
    size = batch or profile.batch_size
    if profile.batch_endpoint and not endpoint:
        config = send.in_batches(config, profile.batch_endpoint, size, retries)

    return Route(config, profile)


def _native_route(profile: Profile, url: str | None, timeout: float, retries: int) -> Route:
    """Return the way to a catalog's own interface."""
    from lineal.deliver.native import NATIVE
    from lineal.deliver.profiles import COMPLETE, headers_of, token_from

    config = {
        "type": NATIVE,
        "form": profile.native,
        "url": _url(url or _fill_in(profile.address, profile)),
        "endpoint": profile.native_path,
        "token": token_from(profile.token, os.environ),
        "headers": headers_of(profile, os.environ),
        "timeout": timeout,
        "retries": retries,
    }
    return Route(config, profile._replace(states=(COMPLETE,)))


def _fill_in(text: str, profile: Profile) -> str:
    """Put in the variables of a profile's address or path."""
    from lineal.deliver.profiles import MissingVariable, fill_in

    try:
        return fill_in(text, profile.title, os.environ)
    except MissingVariable as missing:
        raise Mistake(f"{missing}; --url names the server, too") from missing


def _url(given: str | None) -> str:
    """Return the address of the server, from the option or the environment."""
    from lineal.deliver.failures import is_address

    url = (given or os.environ.get(URL, "")).strip()
    if not is_address(url):
        raise Mistake(f"--url is the address of a server, as http://localhost:5000 (or set {URL})")

    return url


def _run(
    source: Source, form: Form, route: Route, unsent: str | None, fail_on: str, dry_run: bool
) -> int:
    """Extract lineage, turn it into events, and send them; return the exit code."""
    from lineal.cli.console import complain, report_diagnostics
    from lineal.graph.boundary import sound_part
    from lineal.graph.graph import Graph
    from lineal.model.diagnostic import Severity
    from lineal.model.limits import commit
    from lineal.views.ledger import summarize
    from lineal.views.openlineage import events
    from lineal.views.openlineage.emission import AUTO, RUN
    from lineal.views.report import report_of_all

    graph, corpus = graph_and_corpus(source)
    report = report_of_all(graph)
    emission = emission_of(form, source, corpus)
    if route.is_received and emission.events == AUTO:
        emission = replace(emission, events=RUN)  # no catalog takes column lineage of job events

    if route.profile is not None:
        space = emission.namespace or _namespace_of(corpus)
        emission = replace(emission, relations=corpus.relations, located=True, namespace=space)

    if route.is_native:
        emission = replace(emission, describe=True)  # the text of each transformation

    made = sound_part(graph.extraction, lambda part: events(report_of_all(Graph(part)), emission))
    report_diagnostics(report.diagnostics, source.color, Severity.INFO)
    complain(summarize(graph.extraction.coverage))
    complain(describe_events())
    if route.profile is not None:
        _report_bare_names(made, route.profile)

    commit()
    journal = _journal(unsent) if unsent and not dry_run else None
    failed = _send(made, route, journal, dry_run, source.color)
    return failed or _exit_code(report.diagnostics, fail_on)


def _report_bare_names(events: list[dict[str, Any]], profile: Profile) -> None:
    """Tell which tables a catalog will not find, and what to do about it."""
    from lineal.cli.console import complain
    from lineal.deliver.delivery import bare_names, without_namespace
    from lineal.views.safe import make_visible
    from lineal.views.words import count_noun

    nameless = without_namespace(events)
    if nameless and profile.namespace:
        several = f"{count_noun(len(nameless), 'dataset')} ({nameless[0]})"
        complain(
            make_visible(
                f"{profile.title} does not know the system of {several}: "
                f"give --namespace, as {profile.namespace}"
            )
        )

    bare = bare_names(events, profile)
    if bare:
        several = f"{count_noun(len(bare), 'dataset')} without a schema ({bare[0]})"
        complain(make_visible(f"{profile.title} does not find {several}: give --default-schema"))


def _namespace_of(corpus: Corpus) -> str:
    """BigQuery has one namespace; that of any other system names a server, which no text tells."""
    dialects = {script.dialect for script in corpus.scripts}
    return BIGQUERY if dialects == {BIGQUERY} else ""


def describe_events() -> str:
    """Say what events hold, so that nobody sends more than they know."""
    from lineal.model.redaction import is_redacting_literals

    literals = "without literals" if is_redacting_literals() else "with literals"
    return f"events hold names of jobs, datasets and columns, and SQL {literals}"


def _journal(file: str) -> Journal:
    """Return the file for events that do not arrive, with those that it has."""
    from lineal.deliver.journal import Journal, NotEvents

    try:
        return Journal(Path(file))
    except OSError as problem:
        raise Mistake(f"--unsent {file}: {problem.strerror}") from problem
    except (NotEvents, UnicodeDecodeError) as problem:
        raise Mistake(f"--unsent: {problem}") from problem


def _resend(file: str, route: Route, dry_run: bool, color: str) -> int:
    """Send the events of a file, and leave in it what does not arrive."""
    from lineal.deliver.journal import NotEvents, Resumed

    try:
        journal = Resumed(Path(file))
        journal.file.stat()
    except OSError as problem:
        raise Mistake(f"--resend {file}: {problem.strerror}") from problem
    except (NotEvents, UnicodeDecodeError) as problem:
        raise Mistake(f"--resend: {problem}") from problem

    return _send(journal.events, route, journal, dry_run, color)


def _send(
    events: list[dict[str, Any]], route: Route, journal: Journal | None, dry_run: bool, color: str
) -> int:
    """Send events, tell what became of them, and keep those that did not arrive."""
    from lineal.cli.console import complain, show
    from lineal.deliver.delivery import deliver
    from lineal.deliver.failures import Unavailable
    from lineal.views.safe import make_visible
    from lineal.views.words import count_noun

    try:
        if dry_run:
            complain(make_visible(_plan(events, route)))
            return 0

        outcome = deliver(
            events, route.config, route.profile, lambda line: show(line, color), journal
        )
    except Unavailable as problem:
        raise Mistake(str(problem)) from problem
    except OSError as problem:
        raise Mistake(f"the events to send cannot be kept: {problem.strerror}") from problem

    if outcome.unresolved:
        several = count_noun(len(outcome.unresolved), "dataset")
        complain(make_visible(f"{several} not found there: {', '.join(outcome.unresolved[:5])}"))

    if not outcome.left:
        complain(make_visible(_report_acceptance(outcome, events, route)))
        if outcome.without_run:
            several = count_noun(outcome.without_run, "dataset")
            complain(f"{several} that no job reads or writes: catalogs take no such events")

        return 0

    total = count_noun(outcome.total, "event")
    rest = _advice(journal)
    message = f"{outcome.sent} of {total} sent{route.destination}: {outcome.reason}; {rest}"
    raise click.ClickException(make_visible(message))


def _report_acceptance(outcome: Outcome, events: list[dict[str, Any]], route: Route) -> str:
    """Report what a server has accepted: events, and the lineage in them."""
    from lineal.deliver.delivery import pack
    from lineal.views.words import count_noun

    told = f"{count_noun(outcome.sent, 'event')} sent{route.destination}"
    if not route.is_received:
        return told

    return f"{told}: it has accepted {_cargo(pack(events, route.profile).events, route)}"


def _cargo(events: list[dict[str, Any]], route: Route) -> str:
    """Say which lineage events bring, and what a catalog's own interface has no place for."""
    from lineal.deliver.delivery import count_edges
    from lineal.deliver.native import cargo_of
    from lineal.views.words import count_noun

    if route.config is None or not route.is_native:
        return count_noun(count_edges(events), "column edge")

    cargo = cargo_of(route.config, events)
    told = count_noun(cargo.edges, "column edge")
    if cargo.consumers:
        several = count_noun(cargo.consumers, "consumer")
        told += f"; {several} (tests, metrics and others) are not its tables and were left out"

    if cargo.own:
        several = count_noun(cargo.own, "pair")
        told += f"; {several} of the catalog's own tables were left out, because it records these itself"

    return told


def _plan(events: list[dict[str, Any]], route: Route) -> str:
    """Tell what --dry-run does not send."""
    from lineal.deliver.delivery import pack, size_of
    from lineal.deliver.native import check_client
    from lineal.views.words import count_noun

    if route.config is not None and route.is_native:
        check_client(route.config)

    shipment = pack(events, route.profile)
    sizes = list(map(size_of, shipment.events)) or [0]
    told = f"would send {count_noun(len(shipment.events), 'event')}{route.destination}: "
    if route.is_received:
        told += f"{_cargo(shipment.events, route)}; "

    told += f"{sum(sizes):,} bytes, the largest event {max(sizes):,}"
    if shipment.without_run:
        told += f"; {count_noun(shipment.without_run, 'dataset')} without a job left out"

    if shipment.too_large:
        told += f"; {count_noun(len(shipment.too_large), 'event')} too large for it"

    return told


def _advice(journal: Journal | None) -> str:
    """Tell what to do about the events that did not arrive."""
    if journal is None:
        return "run the command again, or save the rest with --unsent FILE"

    file = journal.file
    return f"the rest is in {file}: lineal emit --resend {file}, with the same options, sends it"


def _exit_code(diagnostics: list[Diagnostic], fail_on: str) -> int:
    """Return 1 if a diagnostic is severe enough."""
    from lineal.model.diagnostic import Severity

    if fail_on == "never":
        return 0

    least = Severity[fail_on.upper()]
    return int(any(diagnostic.severity >= least for diagnostic in diagnostics))

"""Options for the form of OpenLineage events: those of `lineal emit`, some also of `lineal
lineage`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from lineal.cli.source import corpus_of, graph_in
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.graph.graph import Graph
    from lineal.model.script import Corpus
    from lineal.views.openlineage import Emission

Command = TypeVar("Command", bound=Callable[..., Any])


class Form(NamedTuple):
    """The form of the events that the user asks for."""

    legacy: bool = False
    namespace: str | None = None
    event_time: str | None = None
    events: str = "auto"
    facets: str = "legacy"
    describe: bool = False
    job_namespace: str | None = None
    repository: str | None = None
    revision: str | None = None


def moment(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """2026-11-16T09:30:00Z"""
    if value is None:
        return None

    try:
        zoned = datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        zoned = False

    if not zoned or "T" not in value.upper():
        raise click.BadParameter(
            f"{value!r} is not a time with a zone: write it as 2026-11-16T09:30:00Z"
        )

    return value


FORM = (
    click.option(
        "--legacy",
        is_flag=True,
        help="OpenLineage: repeat row usages (WHERE, JOIN …) for every field instead of once for the dataset.",
    ),
    click.option(
        "--namespace", metavar="NS", help="OpenLineage: the namespace of datasets without one."
    ),
    click.option(
        "--event-time",
        callback=moment,
        metavar="TIME",
        help="OpenLineage: the time of the events, such as 2026-11-16T09:30:00Z.  [default: now]",
    ),
)
MORE = (
    click.option(
        "--events",
        type=click.Choice(["auto", "job", "run", "dataset"]),
        default="auto",
        show_default=True,
        help="Events about jobs, runs or datasets; auto: a statement is a job, an event that was read keeps its kind.",
    ),
    click.option(
        "--facets",
        type=click.Choice(["legacy", "explicit", "both"]),
        default="legacy",
        show_default=True,
        help="The columnLineage facet, the experimental facets of explicit lineage, or both.",
    ),
    click.option(
        "--describe",
        is_flag=True,
        help="Write the expression as the description of each transformation.",
    ),
    click.option(
        "--job-namespace", metavar="NS", help="The namespace of jobs.  [default: default]"
    ),
    click.option(
        "--repository",
        metavar="URL",
        help="The address of the files' root, such as https://…/blob/main.",
    ),
    click.option(
        "--revision", metavar="ID", help="The revision of the files, such as a commit hash."
    ),
)


def form_options(command: Command) -> Command:
    """Add the options of the form of events."""
    return _add_options(FORM, command)


def all_form_options(command: Command) -> Command:
    """Add the options of the form of events, and those of their jobs."""
    return _add_options((*FORM, *MORE), command)


def _add_options(options: tuple[Callable[[Any], Any], ...], command: Command) -> Command:
    """Add options to a command in the order in which they are listed."""
    made: Any = command
    for option in reversed(options):
        made = option(made)

    wrapped: Command = made
    return wrapped


def graph_and_corpus(source: Source) -> tuple[Graph, Corpus]:
    """The lineage, and what else the project says."""
    corpus = corpus_of(source)
    return graph_in(source, corpus), corpus


def emission_of(form: Form, source: Source, corpus: Corpus) -> Emission:
    """Return the form of the events: by the options, then by the project file."""
    from lineal.views.openlineage import Emission

    settings = corpus.openlineage
    return Emission(
        time=form.event_time or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        events=form.events,
        facets=form.facets,
        legacy=form.legacy,
        describe=form.describe,
        namespace=form.namespace or corpus.namespace,
        home=corpus.namespace,
        prefixes=settings.namespaces,
        job_namespace=form.job_namespace or settings.job_namespace,
        repository=form.repository or settings.repository,
        version=form.revision or "",
        root=_root(source),
    )


def _root(source: Source) -> str:
    """The folder that is analyzed, from which files are named."""
    if len(source.paths) != 1 or source.servers:
        return ""

    path = Path(source.paths[0])
    return str(path if path.is_dir() else path.parent)

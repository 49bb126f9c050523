"""The facts of an event: datasets by their OpenLineage names, and their sources.

Datasets that events cannot tell apart are one here, and so are columns: `a.b` and the field b of a.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from lineal.graph.graph import Graph
from lineal.graph.jobs import JobIndex
from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Doubt, Edge, Read, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.grouping import group
from lineal.model.job import Job
from lineal.model.openlineage import Named, event_name, prefix_namespace
from lineal.model.sequences import flatten, positions_of
from lineal.model.way import How
from lineal.views.openlineage.emission import Emission

STAR = "*"
RANK = positions_of(How)


class Source(NamedTuple):
    dataset: Named
    field: str


class Transformation(NamedTuple):
    """Ordered as they are listed: direct ones first."""

    rank: int
    masking: bool
    description: str
    how: How


Sources = dict[Source, set[Transformation]]
"""In the order in which the statement names them."""

Mention = tuple[bool, Place | None]
"""Where a statement first names a column; what it does not name comes last."""

UNMENTIONED: Mention = (True, None)


@dataclass
class DatasetSources:
    """The sources of a dataset: of each field, of the rows, and all datasets that are read."""

    fields: dict[str, Sources] = field(default_factory=dict)
    rows: Sources = field(default_factory=dict)
    read: set[Named] = field(default_factory=set)
    doubts: dict[tuple[str | None, Source], Doubt] = field(default_factory=dict)
    """how sure it is that a source reaches a field, or decides the rows, where that is not certain
    """

    @property
    def inputs(self) -> list[Named]:
        """Return every dataset that is read."""
        listed = (self.rows, *self.fields.values())
        return sorted(self.read | {source.dataset for sources in listed for source in sources})


@dataclass
class Facts:
    """All of it, for the edges that were asked for."""

    infos: dict[Named, DatasetInfo]
    made: dict[Named, DatasetSources]
    names: dict[Dataset, Named]
    mentions: dict[tuple[Dataset, Dataset, str], Place]

    @cached_property
    def fields(self) -> dict[Named, set[str]]:
        """The fields of each dataset that an edge begins or ends at."""
        found: dict[Named, set[str]] = {}
        for name, made in self.made.items():
            found.setdefault(name, set()).update(made.fields)
            for sources in (made.rows, *made.fields.values()):
                for source in sources:
                    found.setdefault(source.dataset, set()).add(source.field)

        return found

    def columns_of(self, name: Named) -> list[ColumnInfo]:
        """Return the columns that are known of a dataset.

        Those that only edges name follow, sorted; a field of a listed struct is not another column.
        """
        info = self.infos.get(name)
        listed = [] if info is None else info.columns
        if info is not None and info.complete:
            return listed

        known = {column.name for column in listed}
        others = sorted(
            field
            for field in self.fields.get(name, ())
            if field != STAR and field not in known and field.partition(".")[0] not in known
        )
        return [*listed, *map(ColumnInfo, others)]


def facts_of(
    graph: Graph, edges: Iterable[Edge], targets: set[Dataset] | None, emission: Emission
) -> Facts:
    """`targets` are the datasets whose making is told; None for all."""
    names = {
        dataset: _event_name_of(dataset, info.kind, emission)
        for dataset, info in graph.infos.items()
    }
    infos: dict[Named, DatasetInfo] = {}
    for dataset, info in graph.infos.items():
        held = infos.get(names[dataset])
        if held is None or (info.complete and not held.complete):
            infos[names[dataset]] = info

    facts = Facts(infos, {}, names, _mentions(graph))
    _add_all(facts, ((edge, edge.usages) for edge in edges), emission)
    for read in graph.reads:
        if (
            (targets is None or read.target in targets)
            and read.target in names
            and read.dataset in names
        ):
            facts.made.setdefault(names[read.target], DatasetSources()).read.add(
                names[read.dataset]
            )

    return facts


def _event_name_of(dataset: Dataset, kind: str, emission: Emission) -> Named:
    """Return the name of a dataset in events: its name in the database, where catalogs find it."""
    relation = emission.relations.get(dataset.name, "") if emission.located else ""
    called = dataset._replace(name=relation) if relation else dataset
    space = prefix_namespace(dataset.name, emission.prefixes) or emission.namespace
    return event_name(called, kind, space, emission.prefixes, emission.home)


class Parts(NamedTuple):
    """The edges and reads of each dataset, and the places where jobs were reported. Several jobs
    with one output have their part each.
    """

    edges: dict[Dataset, list[Edge]]
    reads: dict[Dataset, list[Read]]
    reported: Container[Place | None]
    jobs: JobIndex
    """The jobs of statements: of several with one output each has its own statements."""


def parts_of(graph: Graph, edges: Iterable[Edge], reported: Container[Place | None]) -> Parts:
    """Return the edges and reads of each dataset."""
    into = group(edges, lambda edge: edge.into)
    reads = group(graph.reads, lambda read: read.target)
    return Parts(into, reads, reported, graph.jobs)


def of_job(job: Job, parts: Parts, facts: Facts, emission: Emission) -> Facts:
    """Return the facts of the job itself; a statement has the facts that no job reports."""
    own = Facts(facts.infos, {}, facts.names, facts.mentions)

    def is_own(output: Dataset, place: Place | None, source: Dataset) -> bool:
        """Tell whether a read belongs to this job."""
        if job.given:
            return place == job.place

        if place in parts.reported:
            return False

        owners = parts.jobs.owners(output, place, source)
        return not owners or any(owner.name == job.name or not owner.name for owner in owners)

    edges = flatten(parts.edges.get(output, ()) for output in job.outputs)
    told = [
        (
            edge,
            [each for each in edge.usages if is_own(edge.into, each.place, edge.source.dataset)],
        )
        for edge in edges
    ]
    _add_all(own, told, emission)
    for read in chain.from_iterable(parts.reads.get(output, ()) for output in job.outputs):
        if is_own(read.target, read.place, read.dataset):
            own.made.setdefault(facts.names[read.target], DatasetSources()).read.add(
                facts.names[read.dataset]
            )

    return own


def _add_all(
    facts: Facts, told: Iterable[tuple[Edge, Sequence[Usage]]], emission: Emission
) -> None:
    """Add edges: fields in the order of the SELECT list, which edges have; sources in the order of
    the text.
    """
    told = [(edge, usages) for edge, usages in told if usages]
    for edge, _ in told:
        made = facts.made.setdefault(facts.names[edge.into], DatasetSources())
        if isinstance(edge.target, Column) and not (emission.located and _is_open(edge)):
            made.fields.setdefault(dotted_column(edge.target), {})

    for edge, usages in sorted(told, key=lambda each: _mention(each[0], facts)):
        _add(facts, edge, usages, emission)


def _add(facts: Facts, edge: Edge, usages: Sequence[Usage], emission: Emission) -> None:
    """Add the usages of an edge to its target."""
    made = facts.made[facts.names[edge.into]]
    if emission.located and _is_open(edge):
        made.read.add(facts.names[edge.source.dataset])
        return

    target = edge.target
    goal = dotted_column(target) if isinstance(target, Column) else None
    sources = made.rows if goal is None else made.fields[goal]
    source = Source(facts.names[edge.source.dataset], dotted_column(edge.source))
    sources.setdefault(source, set()).update(_transformation(usage, emission) for usage in usages)
    for doubt in (usage.doubt for usage in usages if usage.doubt is not None):
        made.doubts[goal, source] = min(doubt, made.doubts.get((goal, source), doubt))


def _is_open(edge: Edge) -> bool:
    """Tell whether an edge is that of an open star: a catalog would take it for a column named *."""
    target = dotted_column(edge.target) if isinstance(edge.target, Column) else ""
    return STAR in (target, dotted_column(edge.source))


def _mentions(graph: Graph) -> dict[tuple[Dataset, Dataset, str], Place]:
    """Return where each column is first named, by target and source."""
    found: dict[tuple[Dataset, Dataset, str], Place] = {}
    for read in graph.reads:
        if read.column is not None and read.place is not None:
            key = (read.target, read.dataset, read.column)
            found[key] = min(read.place, found.get(key, read.place))

    return found


def _mention(edge: Edge, facts: Facts) -> Mention:
    """Return where the column of an edge is named."""
    place = facts.mentions.get((edge.into, edge.source.dataset, edge.source.name))
    if place is None:
        return UNMENTIONED

    return (False, place)


def dotted_column(column: Column) -> str:
    """A column's name in an event: a nested field is written with dots."""
    return ".".join((column.name, *column.path))


def _transformation(usage: Usage, emission: Emission) -> Transformation:
    """Return how a usage transforms its column."""
    text = usage.expression if emission.describe else ""
    return Transformation(RANK[usage.how], usage.masked, text, usage.how)

"""Stories to an extraction: datasets, edges, reads and jobs, as if lineal had found them itself.

Of several runs of a job the latest that wrote an output tells what it is made of; a run that failed
tells nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from lineal.model.boundary import attempt
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Column, Dataset, Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.job import Job
from lineal.model.ledger import Coverage, Statements
from lineal.model.openlineage import Named, dataset_meant
from lineal.model.plain import as_mapping, as_text
from lineal.model.way import Clause, How
from lineal.projects.openlineage.facets import (
    STAR,
    Origin,
    OutputSources,
    Transformation,
    is_own,
    makings,
)
from lineal.projects.openlineage.runs import Facets, Story
from lineal.projects.openlineage.values import Complain, objects, read_name
from lineal.projects.text import Report

QUERY = "query"


def extraction_of(stories: Sequence[Story], report: Report) -> Extraction:
    """Return the lineage of all runs."""
    builder = Builder(stories, report)
    for story, outputs in builder.latest():
        attempt(partial(builder.add, story, outputs), None, story.place, report, "this run")

    coverage = Coverage(statements=Statements(len(stories)))
    coverage.fail("failed-run", sum(bool(story.failed) for story in stories))
    return Extraction(
        edges=[Edge(*ends, tuple(usages)) for ends, usages in builder.edges.items()],
        reads=list(builder.reads),
        datasets=builder.infos,
        coverage=coverage,
        jobs=builder.jobs,
    )


@dataclass
class Builder:
    stories: Sequence[Story]
    report: Report
    names: dict[Named, Dataset] = field(default_factory=dict)
    infos: dict[Dataset, DatasetInfo] = field(default_factory=dict)
    edges: dict[tuple[Column, Column | Dataset], dict[Usage, None]] = field(default_factory=dict)
    reads: dict[Read, None] = field(default_factory=dict)
    jobs: list[Job] = field(default_factory=list)
    kinds: dict[Named, str] = field(default_factory=dict)
    listed: dict[Dataset, set[str]] = field(default_factory=dict)
    described: defaultdict[Dataset, frozenset[str]] = field(
        default_factory=lambda: defaultdict(frozenset)
    )
    """the columns that a facet lists, rather than lineage"""

    def __post_init__(self) -> None:
        self._told = {id(story): self._makings(story) for story in self.stories}
        described = [
            (story, *each)
            for story in self.stories
            for side in _sides(story)
            for each in side.items()
        ]
        aliases = _aliases(self.stories)
        for _, name, facets in described:
            kind = as_text(as_mapping(facets.get("datasetType")).get("datasetType")).lower()
            if kind:
                self.kinds[aliases.get(name, name)] = kind

        for story, name, facets in described:
            written = facets is story.outputs.get(name)
            complain = partial(self._complain, story.place)
            describe = partial(self._describe, aliases.get(name, name), facets, written, complain)
            attempt(describe, None, story.place, self.report, "this dataset")
            self.names[name] = self._dataset(aliases.get(name, name))

        self.described |= {dataset: frozenset(info.names) for dataset, info in self.infos.items()}

    def _makings(self, story: Story) -> dict[Named, OutputSources]:
        """Return the sources of each output of a story; none, if lineal fails over it."""
        complain = partial(self._complain, story.place)
        nothing: dict[Named, OutputSources] = {}
        return attempt(
            lambda: makings(story, complain), nothing, story.place, self.report, "this run"
        )

    def _complain(self, place: Place, message: str) -> None:
        """Report a problem of an event."""
        self.report(Diagnostic(Code.EVENT_ERROR, message, place))

    # -- datasets ----------------------------------------------------------------------------------

    def _dataset(self, name: Named) -> Dataset:
        """Return the dataset that an OpenLineage name means, and list it."""
        found = self.names.get(name)
        if found is None:
            found, kind = dataset_meant(*name, self.kinds.get(name, ""))
            self.names[name] = found
            self.infos.setdefault(found, DatasetInfo(found, kind))

        return found

    def _describe(self, name: Named, facets: Facets, written: bool, complain: Complain) -> None:
        """Describe a dataset; the later story counts.

        Producers list all columns of what they write; of what they read, some list only the columns
        that were needed.
        """
        info = self.infos[self._dataset(name)]
        info.description = (
            as_text(as_mapping(facets.get("documentation")).get("description")) or info.description
        )
        schema = facets.get("schema")
        partial = "lineal_partial" in facets
        whole = not partial and (written or is_own(schema))
        if schema is not None and (whole or not info.complete):
            info.columns = list(_columns(schema, complain))
            info.complete = whole

        tags = facets.get("tags")
        if tags is not None:
            _label(info, tags, complain)

    def _column(self, dataset: Dataset, name: str) -> Column:
        """`address.city` is a field of address, where the schema says so."""
        known = self.described[dataset]
        if "." in name and name not in known:
            first, *path = name.split(".")
            if first in known:
                return Column(dataset, first, tuple(path))

        return Column(dataset, name)

    def _names(self, dataset: Dataset) -> set[str]:
        """The columns that are listed, once all that is told of the dataset is known."""
        found = self.listed.get(dataset)
        if found is None:
            found = self.listed[dataset] = set(self.infos[dataset].names)

        return found

    # -- lineage -----------------------------------------------------------------------------------

    def latest(self) -> Iterable[tuple[Story, list[Named]]]:
        """Each story, with the outputs of which nothing later is told."""
        last: dict[tuple[object, Named], Story] = {}
        for story in self.stories:
            if story.failed:
                message = f"run {story.run.id if story.run else ''} of {'.'.join(story.job or ())}: {story.failed}"
                self.report(Diagnostic(Code.RUN_FAILED, message, story.place))
                continue

            for output in self._told[id(story)] or [None]:
                last[story.job, output or _sink(story)] = story

        kept: dict[int, list[Named]] = {}
        for (_, output), story in last.items():
            kept.setdefault(id(story), []).append(output)

        return [(story, kept[id(story)]) for story in self.stories if id(story) in kept]

    def add(self, story: Story, outputs: list[Named]) -> None:
        """Add the lineage of a run."""
        told = self._told[id(story)]
        for output in outputs:
            if output in told:
                self._make(self._dataset(output), told[output], story.place)
            else:
                self._consume(output, story)

        self.jobs.append(_job(story, tuple(map(self._dataset, outputs))))

    def _make(self, target: Dataset, making: OutputSources, place: Place) -> None:
        """Add the reads and edges that make a dataset."""
        for name in making.read:
            self.reads[Read(target, self._dataset(name), None, Clause.FROM, place)] = None

        for written, origins in making.fields.items():
            column = self._column(target, written)
            self._list(target, column)
            for origin in origins:
                self._edge(origin, column, target, place)

        for origin in making.rows:
            self._edge(origin, target, target, place)

    def _edge(self, origin: Origin, end: Column | Dataset, target: Dataset, place: Place) -> None:
        """Add an edge from an origin, and the reads that it implies."""
        dataset = self._dataset(origin.dataset)
        source = self._column(dataset, origin.field)
        self._list(dataset, source)
        usages = self.edges.setdefault((source, end), {})
        for told in origin.told:
            usages[_usage(told, place)] = None
            self.reads[Read(target, dataset, source.name, told.way.clause, place)] = None

    def _list(self, dataset: Dataset, column: Column) -> None:
        """A column that only lineage names is one of the dataset's, as far as they are known; an
        open star is not a column.
        """
        info = self.infos[dataset]
        if info.complete or column.name == STAR:
            return

        if column.name not in self._names(dataset):
            self._names(dataset).add(column.name)
            info.columns.append(ColumnInfo(column.name))

    def _consume(self, sink: Named, story: Story) -> None:
        """A job that reads and writes nothing that is tracked is a query: it has a name, and reads."""
        target = self._dataset(sink)
        self.infos[target].kind = QUERY
        for name in story.inputs:
            self.reads[Read(target, self._dataset(name), None, Clause.FROM, story.place)] = None


def _sides(story: Story) -> tuple[dict[Named, Facets], dict[Named, Facets]]:
    """Return the inputs and outputs of a story."""
    return story.inputs, story.outputs


def _sink(story: Story) -> Named:
    """Return the name that reads without an output belong to."""
    return story.job or Named("", "")


def _aliases(stories: Iterable[Story]) -> dict[Named, Named]:
    """A table that is kept in files goes by its own name: what `symlinks` calls a TABLE."""
    found: dict[Named, Named] = {}
    for side in chain.from_iterable(map(_sides, stories)):
        for name, facets in side.items():
            identifiers = as_mapping(facets.get("symlinks")).get("identifiers")
            for each in identifiers if isinstance(identifiers, list) else ():
                alias = read_name(each)
                if alias is not None and each.get("type") == "TABLE":
                    found[name] = alias

    return found


def _usage(told: Transformation, place: Place) -> Usage:
    """Return the usage of an edge."""
    calls = () if told.way.how is How.IDENTITY else (told.way.how.value.lower(),)
    return Usage(told.way, told.doubt, None, Site(place, told.text, calls))


def _columns(schema: Mapping[str, object], complain: Complain) -> Iterable[ColumnInfo]:
    """Yield the columns of a schema facet."""
    for each in objects(schema.get("fields"), "schema.fields", complain):
        if isinstance(each.get("name"), str):
            yield ColumnInfo(
                each["name"], as_text(each.get("type")), as_text(each.get("description"))
            )
        else:
            complain("a field of the schema has no name: left out")


def _label(info: DatasetInfo, facet: dict[str, Any], complain: Complain) -> None:
    """{"key": "pii", "value": "true", "field": "email"}      a label of a column"""
    labels: dict[str, list[str]] = {}
    known = set(info.names)
    for tag in objects(facet.get("tags"), "tags", complain):
        column, key = as_text(tag.get("field")), as_text(tag.get("key"))
        if "field" in tag and key and tag.get("value") == "true":
            labels.setdefault(column, []).append(key)
            if not info.complete and column not in known:
                known.add(column)
                info.columns.append(ColumnInfo(column))

    info.columns = [
        column._replace(classification=tuple(labels.get(column.name, ())))
        for column in info.columns
    ]


LOCATION = ("type", "url", "repoUrl", "path", "version", "tag", "branch", "pullRequestNumber")


def _job(story: Story, outputs: tuple[Dataset, ...]) -> Job:
    """Return the job of a story with its SQL and its source code location."""
    facets = story.facets
    sql, location = as_mapping(facets.get("sql")), as_mapping(facets.get("sourceCodeLocation"))
    namespace, name = story.job or ("", "")
    return Job(
        outputs,
        namespace,
        name,
        sql=as_text(sql.get("query")),
        dialect=as_text(sql.get("dialect")),
        description=as_text(as_mapping(facets.get("documentation")).get("description")),
        place=story.place,
        location=tuple(
            (key, location[key]) for key in LOCATION if isinstance(location.get(key), str)
        ),
        time=story.time,
        run=story.run,
        given=True,
    )

"""Facets to lineage: explicit ones, else columnLineage, else every input for every output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lineal.model.edge import Doubt
from lineal.model.grouping import group_pairs
from lineal.model.openlineage import URN, Named
from lineal.model.plain import as_mapping, as_text
from lineal.model.way import Clause, Confidence, How, Way, way
from lineal.projects.openlineage.runs import Facets, Story
from lineal.projects.openlineage.values import Complain, entries, objects, read_name

STAR = "*"


class Transformation(NamedTuple):
    """One transformation: its usage, its confidence, and its text."""

    way: Way
    doubt: Doubt | None
    text: str


class Origin(NamedTuple):
    """A field of a dataset, with the transformations on the way."""

    dataset: Named
    field: str
    told: tuple[Transformation, ...]

    @property
    def column(self) -> tuple[Named, str]:
        """Return dataset and field."""
        return self.dataset, self.field


@dataclass
class OutputSources:
    """The sources of an output: of each field and of the rows, and all datasets that are read."""

    fields: dict[str, list[Origin]] = field(default_factory=dict)
    rows: list[Origin] = field(default_factory=list)
    read: dict[Named, None] = field(default_factory=dict)

    @property
    def origins(self) -> Iterator[Origin]:
        """Yield the origins of rows and fields."""
        yield from self.rows
        for origins in self.fields.values():
            yield from origins

    def add(self, more: OutputSources) -> None:
        """Add what another facet says."""
        self.rows += more.rows
        self.read |= more.read
        for name, origins in more.fields.items():
            self.fields.setdefault(name, []).extend(origins)


def is_own(facet: dict[str, Any] | None) -> bool:
    """Tell whether lineal has written the facet, and so exactly as lineal reads it."""
    return facet is not None and as_text(facet.get("_producer")).startswith(f"{URN}:")


def makings(story: Story, complain: Complain) -> dict[Named, OutputSources]:
    """Each output with what it is made of, and how sure that is."""
    found = _makings(story, complain)
    for name, making in found.items():
        facets = story.outputs.get(name, {})
        if any(
            map(
                is_own,
                (
                    story.facets.get("lineage"),
                    *map(facets.get, ("lineage", "columnLineage")),
                ),
            )
        ):
            _doubt(making, as_mapping(facets.get("lineal_doubts")), complain)

    return found


def _makings(story: Story, complain: Complain) -> dict[Named, OutputSources]:
    """Return how each output of a run is made, by the facets of its events."""
    if story.job is None:
        return {name: _of_dataset(facets, complain) for name, facets in story.outputs.items()}

    if story.lineage is not None:
        return _explicit(story.lineage, story.outputs, complain)

    told = {name: _column_lineage(facets, complain) for name, facets in story.outputs.items()}
    mentioned = {origin.dataset for making in told.values() if making for origin in making.origins}
    others = {name: None for name in story.inputs if name not in mentioned}
    found: dict[Named, OutputSources] = {}
    for name, making in told.items():
        found[name] = making or OutputSources()
        found[name].read |= others if making else dict.fromkeys(story.inputs)

    return found


def _of_dataset(facets: Facets, complain: Complain) -> OutputSources:
    """Return how a dataset is made, by the facets of a dataset event."""
    if "lineage" in facets:
        return _entry(facets["lineage"], complain)

    return _column_lineage(facets, complain) or OutputSources()


# -- doubts ----------------------------------------------------------------------------------------

LEVELS = {level.name: level for level in Confidence}


def _doubt(making: OutputSources, facet: dict[str, Any], complain: Complain) -> None:
    """Set the confidence of lineal's own events: certain, except where their facet has doubts."""
    doubts: dict[tuple[str | None, Named | None, str], Doubt] = {}
    for each in objects(facet.get("doubts"), "lineal_doubts", complain):
        goal, level = each.get("target"), LEVELS.get(as_text(each.get("level")), Confidence.LOW)
        said = Doubt(level, each.get("ambiguous") is True, as_text(each.get("evidence")))
        doubts[
            goal if isinstance(goal, str) else None, read_name(each), as_text(each.get("field"))
        ] = said

    making.rows = [
        _with_doubt(origin, doubts.get((None, *origin.column))) for origin in making.rows
    ]
    for name, origins in making.fields.items():
        making.fields[name] = [
            _with_doubt(origin, doubts.get((name, *origin.column))) for origin in origins
        ]


def _with_doubt(origin: Origin, doubt: Doubt | None) -> Origin:
    """Return an origin with a doubt on all its transformations."""
    return origin._replace(told=tuple(each._replace(doubt=doubt) for each in origin.told))


# -- explicit lineage ------------------------------------------------------------------------------


def _explicit(
    lineage: list[Any], outputs: Iterable[Named], complain: Complain
) -> dict[Named, OutputSources]:
    """Return only the explicit lineage: an output without an entry has no known upstream."""
    found = {name: OutputSources() for name in outputs}
    for entry in objects(lineage, "lineage.entries", complain):
        name = read_name(entry)
        if entry.get("type") == "JOB":
            complain("the flow of data into a job is not kept")
        elif name is None:
            complain("an entry of the lineage facet has no namespace and name: left out")
        else:
            found.setdefault(name, OutputSources()).add(_entry(entry, complain))

    return found


def _entry(entry: dict[str, Any], complain: Complain) -> OutputSources:
    """Return how a dataset is made, by its entry in the lineage facet."""
    making = OutputSources()
    for dataset, column, told in _sources(entry.get("inputs"), complain):
        making.read[dataset] = None
        if column is not None:
            making.rows.append(Origin(dataset, column, told or UNTOLD_ROWS))
        elif told:
            making.rows.append(Origin(dataset, STAR, _unknown_column(told)))

    for name, about in entries(entry.get("fields"), "lineage.fields", complain):
        origins = making.fields.setdefault(name, [])
        for dataset, column, told in _sources(about.get("inputs"), complain):
            making.read[dataset] = None
            said = told or UNTOLD
            found = (
                Origin(dataset, STAR, _unknown_column(said))
                if column is None
                else Origin(dataset, column, said)
            )
            origins.append(found)

    return making


def _sources(
    value: Any, complain: Complain
) -> Iterator[tuple[Named, str | None, tuple[Transformation, ...]]]:
    """Yield the dataset, column and transformations of each input."""
    for each in objects(value, "inputs of the lineage facet", complain):
        if each.get("type") == "JOB":
            continue  # a job is not data: what it hands over is not tracked

        name, column = read_name(each), each.get("field")
        if name is None or not isinstance(column, (str, type(None))):
            complain("an input of the lineage facet has no namespace and name: left out")
            continue

        yield name, column, _transformations(each, complain)


# -- columnLineage ---------------------------------------------------------------------------------

OF_ROWS = (How.JOIN, How.FILTER, How.GROUP_BY, How.SORT)


def _column_lineage(facets: Facets, complain: Complain) -> OutputSources | None:
    """Read both forms of the facet: the row usages are in `dataset`, or next to every field."""
    facet = facets.get("columnLineage")
    if facet is None:
        return None

    making = OutputSources()
    for name, about in entries(facet.get("fields"), "columnLineage.fields", complain):
        making.fields[name] = list(_fields(about.get("inputFields"), about, complain))

    making.rows = list(_fields(facet.get("dataset"), {}, complain))
    if not making.rows:
        if is_own(facet):
            making.rows = list(
                _fields(as_mapping(facets.get("lineal_rows")).get("dataset"), {}, complain)
            )
        else:
            making.rows = _move_common(making.fields)

        making.fields = {
            name: _without_row_usages(origins, making.rows)
            for name, origins in making.fields.items()
        }

    if not is_own(facet):
        making.fields = _as_listed(making.fields, facets.get("schema"))

    return making


def _as_listed(
    fields: dict[str, list[Origin]], schema: dict[str, Any] | None
) -> dict[str, list[Origin]]:
    """Fields in the order of the schema facet where their own order says nothing: many clients sort
    the keys.
    """
    listed = as_mapping(schema).get("fields")
    if not isinstance(listed, list) or list(fields) != sorted(fields):
        return fields

    names = [as_text(as_mapping(each).get("name")) for each in listed]
    positions = {name: position for position, name in reversed(list(enumerate(names)))}
    order = sorted(fields, key=lambda name: positions.get(name, len(positions)))
    return {name: fields[name] for name in order}


def _fields(value: Any, about: dict[str, Any], complain: Complain) -> Iterator[Origin]:
    """Yield the origins of a field in the columnLineage facet."""
    for each in objects(value, "columnLineage", complain):
        name, column = read_name(each), each.get("field")
        if name is None or not isinstance(column, str):
            complain("an input field has no namespace, name and field: left out")
            continue

        yield Origin(name, column, _transformations(each, complain) or _deprecated_usage(about))


def _move_common(fields: dict[str, list[Origin]]) -> list[Origin]:
    """Move columns that decide rows for every field to the dataset."""
    met: dict[tuple[tuple[Named, str], Transformation], set[str]] = {}
    for name, origins in fields.items():
        for origin in origins:
            for told in origin.told:
                if told.way.how in OF_ROWS:
                    met.setdefault((origin.column, told), set()).add(name)

    rows = group_pairs(
        (column, told) for (column, told), names in met.items() if len(names) == len(fields)
    )
    return [Origin(*column, tuple(told)) for column, told in rows.items()]


def _without_row_usages(origins: list[Origin], rows: list[Origin]) -> list[Origin]:
    """Return the origins of a column without those that decide all rows."""
    said: dict[tuple[Named, str], set[Transformation]] = {}
    for row in rows:
        said.setdefault(row.column, set()).update(row.told)

    left = (
        Origin(
            *origin.column,
            tuple(told for told in origin.told if told not in said.get(origin.column, ())),
        )
        for origin in origins
    )
    return [origin for origin in left if origin.told]


# -- transformations -------------------------------------------------------------------------------

CLAUSES = {
    How.JOIN: Clause.JOIN_ON,
    How.FILTER: Clause.WHERE,
    How.GROUP_BY: Clause.GROUP_BY,
    How.SORT: Clause.ORDER_BY,
    How.WINDOW: Clause.WINDOW,
}
SILENT = Doubt(Confidence.MEDIUM, False, "the event does not say how")
HIDDEN = Doubt(Confidence.LOW, False, "the event does not say which column")


def _way(how: How, masked: bool = False) -> Way:
    """Return the way of a transformation, with the clause that it implies."""
    return way(how, CLAUSES.get(how, Clause.SELECT), masked)


UNTOLD = (Transformation(_way(How.TRANSFORMATION), SILENT, ""),)
UNTOLD_ROWS = (Transformation(_way(How.FILTER), SILENT, ""),)
TYPES = {"DIRECT": How.TRANSFORMATION, "INDIRECT": How.FILTER}
"""The usages for subtypes that are not OpenLineage's, with a doubt."""
HOWS = {how.value: how for how in How}


def _transformations(origin: dict[str, Any], complain: Complain) -> tuple[Transformation, ...]:
    """Return the transformations of an input field."""
    return tuple(
        map(
            _read_transformation,
            objects(origin.get("transformations"), "transformations", complain),
        )
    )


def _read_transformation(said: dict[str, Any]) -> Transformation:
    """Return one transformation; a doubt marks a subtype that is not known."""
    how = HOWS.get(as_text(said.get("subtype")))
    masked, text = said.get("masking") is True, as_text(said.get("description"))
    if how is None:
        return Transformation(
            _way(TYPES.get(as_text(said.get("type")), How.TRANSFORMATION), masked), SILENT, text
        )

    return Transformation(_way(how, masked), None, text)


def _deprecated_usage(about: dict[str, Any]) -> tuple[Transformation, ...]:
    """Return the usage that facets before 1-1-0 state once for a field: IDENTITY, MASKED or none."""
    kind, text = about.get("transformationType"), as_text(about.get("transformationDescription"))
    if kind == "IDENTITY":
        return (Transformation(_way(How.IDENTITY), None, text),)

    if kind == "MASKED":
        return (Transformation(_way(How.TRANSFORMATION, masked=True), None, text),)

    return (UNTOLD[0]._replace(text=text),)


def _unknown_column(told: Iterable[Transformation]) -> tuple[Transformation, ...]:
    """The source is named, its column is not."""
    return tuple(each._replace(doubt=HIDDEN) for each in told)

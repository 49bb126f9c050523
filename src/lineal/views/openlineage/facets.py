"""Facets: the parts of an event, each with its own schema."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import starmap
from typing import Any
from urllib.parse import quote

from lineal import __version__
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.job import Job
from lineal.model.openlineage import FILE, URN, Named
from lineal.views.openlineage.emission import Emission, Engine
from lineal.views.openlineage.facts import STAR, DatasetSources, Source, Sources, Transformation

Json = dict[str, Any]

PRODUCER = f"{URN}:{__version__}"
SPEC = "https://openlineage.io/spec"


def facet(schema: str, **body: Any) -> Json:
    """Return a facet with its producer and the address of its definition."""
    return {"_producer": PRODUCER, "_schemaURL": schema_url(schema), **body}


def schema_url(schema: str) -> str:
    """1-0-0/TagsDatasetFacet.json      the definition `TagsDatasetFacet` in that file of the spec"""
    if schema.startswith(URN):
        return schema

    if "#" in schema:
        return f"{SPEC}/facets/{schema}"

    name = schema.rpartition("/")[2].removesuffix(".json")
    return f"{SPEC}/facets/{schema}#/$defs/{name}"


# -- column lineage --------------------------------------------------------------------------------

COLUMN_LINEAGE = "1-2-0/ColumnLineageDatasetFacet.json"
ROWS = f"{URN}:schema:openlineage-rows-1"
DOUBTS = f"{URN}:schema:openlineage-doubts-1"
PARTIAL = f"{URN}:schema:openlineage-partial-1"


def column_lineage(made: DatasetSources, fields: Iterable[str], emission: Emission) -> Json:
    """The facets `columnLineage` and, where the legacy form has mixed the rows into the fields,
    what they were.
    """
    if not emission.legacy:
        listed = {name: _fields(_inputs(sources)) for name, sources in made.fields.items()}
        return {"columnLineage": facet(COLUMN_LINEAGE, fields=listed, dataset=_inputs(made.rows))}

    telling = [name for name, sources in made.fields.items() if _adds_sources(sources, made.rows)]
    mixed = {
        name: _fields(_legacy(made.fields.get(name, {}), made.rows))
        for name in _in_order(fields, telling)
    }
    rows = _inputs(made.rows)
    facets = {"columnLineage": facet(COLUMN_LINEAGE, fields=mixed, dataset=[] if mixed else rows)}
    if rows and mixed:
        facets["lineal_rows"] = facet(ROWS, dataset=rows)

    return facets


def _in_order(columns: Iterable[str], telling: list[str]) -> list[str]:
    """All columns; those that have sources in the order of the SELECT list, the others where the
    schema has them.
    """
    listed = list(dict.fromkeys(columns))
    sourced = iter([name for name in telling if name in set(listed)])
    others = [name for name in telling if name not in set(listed)]
    return [*(next(sourced) if name in set(telling) else name for name in listed), *others]


def doubts(made: DatasetSources, emission: Emission) -> Json:
    """Return a facet of our own with the uncertain edges: OpenLineage has no field for
    confidence.
    """
    told = []
    for (name, source), doubt in sorted(
        made.doubts.items(), key=lambda each: (each[0][0] is None, each[0])
    ):
        if (
            name is not None
            and emission.legacy
            and not _adds_sources({source: made.fields[name][source]}, made.rows)
        ):
            continue  # the legacy form cannot tell it from what decides the rows

        goal = {} if name is None else {"target": name}
        said = {"level": doubt.level.name, "ambiguous": doubt.ambiguous, "evidence": doubt.evidence}
        told.append({**goal, **name_values(source.dataset), "field": source.field, **said})

    if told:
        return {"lineal_doubts": facet(DOUBTS, doubts=told)}

    return {}


def _adds_sources(sources: Sources, rows: Sources) -> bool:
    """Tell whether a column has sources that its rows do not have."""
    return any(told - rows.get(source, set()) for source, told in sources.items())


def _fields(inputs: list[Json]) -> Json:
    """Return the input fields of a column."""
    return {"inputFields": inputs}


def _inputs(sources: Sources) -> list[Json]:
    """Return all sources as input fields."""
    return list(starmap(_input, sources.items()))


def _input(source: Source, told: Iterable[Transformation]) -> Json:
    """Return a source as an input field."""
    return {
        **name_values(source.dataset),
        "field": source.field,
        "transformations": transformations(told),
    }


def _legacy(own: Sources, rows: Sources) -> list[Json]:
    """Direct usages first; what decides the rows follows in its order, then what else decides this
    field alone.
    """
    direct = {source: {each for each in told if each.how.direct} for source, told in own.items()}
    order = sorted(own, key=lambda source: not direct[source])  # as a reader meets them
    decided = {source: own[source] - direct[source] for source in order}
    indirect = {source: told | decided.get(source, set()) for source, told in rows.items()}
    indirect |= {source: told for source, told in decided.items() if source not in rows}
    both = (*direct.items(), *indirect.items())
    return [_input(source, told) for source, told in both if told]


def transformations(told: Iterable[Transformation]) -> list[Json]:
    """Return transformations in a fixed order."""
    return [
        {
            "type": each.how.type,
            "subtype": each.how.value,
            "description": each.description,
            "masking": each.masking,
        }
        for each in sorted(told, key=lambda each: each[:3])
    ]


# -- explicit lineage, experimental ----------------------------------------------------------------

LINEAGE = "1-0-0/LineageFacet.json#/$defs"


def explicit_of_job(outputs: dict[Named, DatasetSources]) -> Json:
    """Return the explicit lineage facet of a job."""
    entries = [
        {**name_values(output), "type": "DATASET", **_explicit(made)}
        for output, made in outputs.items()
    ]
    return facet(f"{LINEAGE}/LineageJobFacet", entries=entries)


def explicit_of_dataset(made: DatasetSources) -> Json:
    """Return the explicit lineage facet of a dataset."""
    return facet(f"{LINEAGE}/LineageDatasetFacet", **_explicit(made))


def _explicit(made: DatasetSources) -> Json:
    """Which datasets are read, which columns decide the rows, and the sources of each field."""
    whole = [{**name_values(each), "type": "DATASET"} for each in made.inputs]
    fields = {name: {"inputs": _explicit_inputs(sources)} for name, sources in made.fields.items()}
    body: Json = {"inputs": [*whole, *_explicit_inputs(made.rows)]}
    if fields:
        return {**body, "fields": fields}

    return body


def _explicit_inputs(sources: Sources) -> list[Json]:
    """An open star is a source of which no column is known: it has no field."""
    made = []
    for source, told in sources.items():
        column = {} if source.field == STAR else {"field": source.field}
        entity = {**name_values(source.dataset), "type": "DATASET", **column}
        made.append({**entity, "transformations": transformations(told)})

    return made


# -- facts of datasets and jobs --------------------------------------------------------------------


def of_dataset(info: DatasetInfo | None, columns: list[ColumnInfo]) -> Json:
    """Return the facets of a dataset: its columns, description, kind, and their labels.

    Catalogs drop the lineage of a column that no `schema` facet lists, so a table of which only some
    columns are known has one, too; the facet `lineal_partial` tells that there may be more columns.
    """
    facets: Json = {}
    complete = info is not None and info.complete
    # a dataset of unknown kind is called a table, too
    if info is not None and info.kind not in ("table", FILE):
        facets["datasetType"] = facet(
            "1-0-1/DatasetTypeDatasetFacet.json", datasetType=info.kind.upper()
        )

    if complete or columns:
        fields = list(map(_column, columns))
        facets["schema"] = facet("1-2-0/SchemaDatasetFacet.json", fields=fields)

    if columns and not complete:
        facets["lineal_partial"] = facet(PARTIAL)

    if info is None:
        return facets

    if info.description:
        facets["documentation"] = facet(
            "1-1-0/DocumentationDatasetFacet.json", description=info.description
        )

    return facets | _tags(info)


def symlink(namespace: str, name: str) -> Json:
    """Return the facet that tells what a database calls the dataset."""
    identifier = {"namespace": namespace, "name": name, "type": "TABLE"}
    return {"symlinks": facet("1-0-1/SymlinksDatasetFacet.json", identifiers=[identifier])}


def _tags(info: DatasetInfo) -> Json:
    """Return the labels of the columns, each once and sorted."""
    tags = [
        {"key": label, "value": "true", "source": "LINEAL", "field": column.name}
        for column in info.columns
        for label in column.classification
    ]
    if not tags:
        return {}

    unique = {json.dumps(tag, sort_keys=True): tag for tag in tags}
    listed = [unique[key] for key in sorted(unique)]
    return {"tags": facet("1-0-0/TagsDatasetFacet.json", tags=listed)}


def _column(column: ColumnInfo) -> Json:
    """Return a column of the schema facet."""
    said = {"name": column.name, "type": column.type, "description": column.description}
    return {key: value for key, value in said.items() if value or key == "name"}


def engine_of_run(engine: Engine) -> Json:
    """Return the facet that names a run's engine; DataHub refuses an event without it."""
    told = facet(
        "1-1-1/ProcessingEngineRunFacet.json",
        name=engine.name,
        version=engine.version,
        openlineageAdapterVersion=__version__,
    )
    return {"processing_engine": told}


def of_job(job: Job, emission: Emission) -> Json:
    """Return the facets of a job: its SQL, location and documentation."""
    facets = {}
    if job.sql:
        dialect = {"dialect": job.dialect} if job.dialect else {}
        facets["sql"] = facet("1-1-0/SQLJobFacet.json", query=job.sql, **dialect)

    location = dict(job.location) or _location(job, emission)
    if location:
        facets["sourceCodeLocation"] = facet("1-1-0/SourceCodeLocationJobFacet.json", **location)

    if job.description:
        facets["documentation"] = facet(
            "1-1-0/DocumentationJobFacet.json", description=job.description
        )

    return facets


def _location(job: Job, emission: Emission) -> Json:
    """Where the statement stands: in the repository, or in a file of which no repository is known."""
    if job.given or job.place is None or not job.place.file:
        return {}

    path = _relative(job.place.file, emission.root)
    where = f"{quote(path.encode('utf-8', 'replace'))}#L{job.place.line}"
    if not emission.repository:
        return {"type": "file", "url": f"file:{where}", "path": path}

    base = emission.repository.rstrip("/")
    said = {
        "type": "git",
        "url": f"{base}/{where}",
        "repoUrl": base,
        "path": path,
        "version": emission.version,
    }
    return {key: value for key, value in said.items() if value}


def _relative(path: str, root: str) -> str:
    """Return a path relative to the root of the repository."""
    folder = root.rstrip("/") + "/"
    if root and path.startswith(folder):
        return path[len(folder) :]

    return path


def name_values(dataset: Named) -> Json:
    """Return namespace and name as JSON values."""
    return {"namespace": dataset.namespace, "name": dataset.name}

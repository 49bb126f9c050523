"""Facets: the parts of an event, each with its own schema."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from lineal import __version__
from lineal.model.extraction import DatasetInfo
from lineal.model.job import Job
from lineal.model.openlineage import FILE, Named
from lineal.views.openlineage.emission import Emission
from lineal.views.openlineage.facts import Made, Source, Sources, Transformation

Json = dict[str, Any]

HOME = "https://lineal.dev"
PRODUCER = f"{HOME}/{__version__}"
SPEC = "https://openlineage.io/spec"
STAR = "*"


def facet(schema: str, **body: Any) -> Json:
    url = schema if "://" in schema else f"{SPEC}/facets/{schema}"
    return {"_producer": PRODUCER, "_schemaURL": url, **body}


# -- column lineage --------------------------------------------------------------------------------

COLUMN_LINEAGE = "1-2-0/ColumnLineageDatasetFacet.json"
ROWS = f"{HOME}/schema/openlineage-rows-1.json"
DOUBTS = f"{HOME}/schema/openlineage-doubts-1.json"


def column_lineage(made: Made, fields: Iterable[str], emission: Emission) -> Json:
    """The facets `columnLineage` and, where the legacy form has mixed the rows into the fields,
    what they were.
    """
    if not emission.legacy:
        listed = {name: _fields(_inputs(sources)) for name, sources in made.fields.items()}
        return {"columnLineage": facet(COLUMN_LINEAGE, fields=listed, dataset=_inputs(made.rows))}
    telling = [name for name, sources in made.fields.items() if _adds(sources, made.rows)]
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


def doubts(made: Made, emission: Emission) -> Json:
    """OpenLineage knows no doubt: what is not certain is said in a facet of our own."""
    told = []
    for (name, source), doubt in sorted(
        made.doubts.items(), key=lambda each: (each[0][0] is None, each[0])
    ):
        if (
            name is not None
            and emission.legacy
            and not _adds({source: made.fields[name][source]}, made.rows)
        ):
            continue  # the legacy form cannot tell it from what decides the rows
        goal = {} if name is None else {"target": name}
        said = {"level": doubt.level.name, "ambiguous": doubt.ambiguous, "evidence": doubt.evidence}
        told.append({**goal, **named(source.dataset), "field": source.field, **said})
    return {"lineal_doubts": facet(DOUBTS, doubts=told)} if told else {}


def _adds(sources: Sources, rows: Sources) -> bool:
    return any(told - rows.get(source, set()) for source, told in sources.items())


def _fields(inputs: list[Json]) -> Json:
    return {"inputFields": inputs}


def _inputs(sources: Sources) -> list[Json]:
    return [_input(source, told) for source, told in sources.items()]


def _input(source: Source, told: Iterable[Transformation]) -> Json:
    return {
        **named(source.dataset),
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


def explicit_of_job(outputs: dict[Named, Made]) -> Json:
    entries = [
        {**named(output), "type": "DATASET", **_explicit(made)} for output, made in outputs.items()
    ]
    return facet(f"{LINEAGE}/LineageJobFacet", entries=entries)


def explicit_of_dataset(made: Made) -> Json:
    return facet(f"{LINEAGE}/LineageDatasetFacet", **_explicit(made))


def _explicit(made: Made) -> Json:
    """Which datasets are read, which columns decide the rows, and the sources of each field."""
    whole = [{**named(each), "type": "DATASET"} for each in made.inputs]
    fields = {name: {"inputs": _explicit_inputs(sources)} for name, sources in made.fields.items()}
    body: Json = {"inputs": [*whole, *_explicit_inputs(made.rows)]}
    return {**body, "fields": fields} if fields else body


def _explicit_inputs(sources: Sources) -> list[Json]:
    """An open star is a source of which no column is known: it has no field."""
    made = []
    for source, told in sources.items():
        column = {} if source.field == STAR else {"field": source.field}
        entity = {**named(source.dataset), "type": "DATASET", **column}
        made.append({**entity, "transformations": transformations(told)})
    return made


# -- what is known of datasets and jobs ------------------------------------------------------------


def of_dataset(info: DatasetInfo | None) -> Json:
    """What is known of a dataset: schema where it is complete, description, kind, and the labels of
    its columns.
    """
    if info is None:
        return {}
    facets = {}
    # what is not known to be anything else is called a table, too
    if info.kind not in ("table", FILE):
        facets["datasetType"] = facet(
            "1-0-1/DatasetTypeDatasetFacet.json", datasetType=info.kind.upper()
        )
    if info.complete:
        facets["schema"] = facet(
            "1-2-0/SchemaDatasetFacet.json", fields=[_column(each) for each in info.columns]
        )
    if info.description:
        facets["documentation"] = facet(
            "1-1-0/DocumentationDatasetFacet.json", description=info.description
        )
    tags = [
        {"key": label, "value": "true", "source": "LINEAL", "field": column.name}
        for column in info.columns
        for label in column.classification
    ]
    if tags:
        unique = {json.dumps(tag, sort_keys=True): tag for tag in tags}
        facets["tags"] = facet(
            "1-0-0/TagsDatasetFacet.json", tags=[unique[key] for key in sorted(unique)]
        )
    return facets


def _column(column: Any) -> Json:
    said = {"name": column.name, "type": column.type, "description": column.description}
    return {key: value for key, value in said.items() if value or key == "name"}


def of_job(job: Job, emission: Emission) -> Json:
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
    folder = root.rstrip("/") + "/"
    return path[len(folder) :] if root and path.startswith(folder) else path


def named(dataset: Named) -> Json:
    return {"namespace": dataset.namespace, "name": dataset.name}

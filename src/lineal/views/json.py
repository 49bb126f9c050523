"""The JSON view: a versioned contract, described in docs/reference/json.md and lineage.schema.json
next to this file.

One dataset, edge, read or diagnostic a line, so that two outputs can be compared line by line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from lineal.graph.files import FileCoverage, files_of
from lineal.graph.impact import Impact
from lineal.graph.tables import TableEdge
from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.edge import Column, Dataset, Edge, Read, Usage
from lineal.model.extraction import Occurrence
from lineal.views.report import Report
from lineal.views.safe import json_safe

VERSION = 1


def view(report: Report) -> str:
    """Return the report as JSON, one item per line."""
    parts = [f'  "version": {VERSION}']
    for key, value in _body(report):
        if isinstance(value, dict):
            parts.append(f"  {_text(key)}: {_text(value)}")
        else:
            lines = ",\n".join(f"    {_text(item)}" for item in value)
            parts.append(f"  {_text(key)}: [\n{lines}\n  ]" if lines else f"  {_text(key)}: []")

    return json_safe("{\n" + ",\n".join(parts) + "\n}\n")


def _body(report: Report) -> Iterable[tuple[str, Any]]:
    """Yield the parts of the document: name and items."""
    yield "datasets", (dataset(report, each) for each in report.datasets)
    yield "edges", (edge(report, each) for each in report.edges)
    if report.tables is not None:
        yield "tables", map(table, report.tables)

    if report.impacted:
        yield "impact", map(impact, report.impacts)

    yield "reads", map(read, _reads(report))
    if report.graph.extraction.occurrences:
        yield "statements", map(statement, report.graph.extraction.occurrences)

    yield "diagnostics", map(diagnostic, report.diagnostics)
    yield "coverage", report.graph.extraction.coverage.to_json()
    if report.entire and (files := files_of(report.edges, report.graph.reads, report.diagnostics)):
        yield "files", map(file, files)


def dataset(report: Report, found: Dataset) -> dict[str, Any]:
    """Return a dataset as JSON values."""
    columns = [column(report, each) for each in report.graph.columns(found)]
    return {
        "name": found.name,
        "namespace": found.namespace,
        "kind": report.graph.kind(found),
        "columns": columns,
    }


def column(report: Report, found: Column) -> dict[str, Any]:
    """Return a column as JSON values."""
    info = report.graph.info(found)
    made: dict[str, Any] = {
        "name": found.name,
        "type": (info.type if info else "") or None,
        "description": report.description(found) or None,
        "classification": report.labels.labels_of(found),
        "sources": len({edge.source for edge in report.graph.into(found)}),
    }
    if brought := report.labels.labels_brought(found):
        made["brought"] = [
            {"label": each.label, "path": list(map(step, each.path))} for each in brought
        ]

    return made


def edge(report: Report, found: Edge) -> dict[str, Any]:
    """Return an edge as JSON values."""
    source, target = found.source, found.target
    made: dict[str, Any] = {
        "source": {
            "dataset": source.dataset.name,
            "column": source.name,
            "path": source.path,
            "type": report.graph.type_of(source) or None,
        },
        "target": {
            "dataset": found.into.name,
            "column": ".".join((target.name, *target.path)) if isinstance(target, Column) else None,
            "type": (report.graph.type_of(target) or None) if isinstance(target, Column) else None,
        },
        "kind": found.kind,
        "usages": list(map(usage, found.usages)),
        "used_in": found.used_in,
        "also_selected": report.graph.also_selected(found),
        "confidence": {"level": found.level.name, "score": found.score},
        "ambiguous": found.ambiguous,
        "description_status": report.status(found),
        "classification": report.labels.labels_of(source),
        "place": place(found.place),
    }
    if report.chains:
        made["depth"] = report.depths[source, target]

    if names := report.graph.jobs.names_of(found):
        made["jobs"] = names

    return made


def usage(found: Usage) -> dict[str, Any]:
    """Return a usage as JSON values."""
    return {
        "type": found.how.type,
        "subtype": found.how.value,
        "clause": found.clause.value,
        "masking": found.masked,
        "expression": found.expression,
        "transform": found.transform,
        "calls": found.calls,
        "place": place(found.place),
    }


def table(found: TableEdge) -> dict[str, Any]:
    """Return an edge between datasets as JSON values."""
    return {
        "source": found.source.name,
        "target": found.target.name,
        "columns": found.columns,
        "clauses": found.clauses,
    }


def impact(found: Impact) -> dict[str, Any]:
    """Return an impacted column as JSON values."""
    path = list(map(step, found.path))
    return {"column": step(found.column), "why": found.why, "depth": found.depth, "path": path}


def step(at: Column | Dataset) -> dict[str, Any]:
    """Return a column or dataset of a path as JSON values."""
    if isinstance(at, Column):
        return {"dataset": at.dataset.name, "column": ".".join((at.name, *at.path))}

    return {"dataset": at.name, "column": None}


def read(found: Read) -> dict[str, Any]:
    """Return a read as JSON values."""
    return {
        "target": found.target.name,
        "dataset": found.dataset.name,
        "column": found.column,
        "clause": found.clause.value,
        "place": place(found.place),
    }


def _reads(report: Report) -> Iterable[Read]:
    """The reads of the statements whose edges are shown."""
    if report.entire:
        return report.graph.reads

    targets = {found.into for found in report.edges} | {
        found.target for found in report.table_edges
    }
    return (found for found in report.graph.reads if found.target in targets)


def statement(found: Occurrence) -> dict[str, Any]:
    """Return a statement of a query log as JSON values."""
    return {
        "name": found.name,
        "id": found.id or None,
        "count": found.runs,
        "first": found.first or None,
        "last": found.last or None,
        "users": found.users,
        "databases": found.databases,
        "place": place(found.place),
    }


def diagnostic(found: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as JSON values."""
    return {
        "code": found.code.code,
        "severity": found.severity.label,
        "message": found.message,
        "hint": found.advice or None,
        "place": place(found.place),
    }


def place(found: Place | None) -> dict[str, Any] | None:
    """Return a place as JSON values."""
    if found:
        return found._asdict()

    return None


def file(found: FileCoverage) -> dict[str, Any]:
    """Return the coverage of a file as JSON values."""
    return {
        "file": found.file,
        "resolved": found.resolved,
        "lost": found.lost,
        "share": found.share,
    }


def _text(value: Any) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)

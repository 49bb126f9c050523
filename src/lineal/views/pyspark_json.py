"""The PySpark view: one object a file, with the tables it reads and writes, its columns and what stays dynamic.

    {"file": "jobs/orders.py", "table_lineage": {"reads": […], "writes": […]},
     "column_lineage": [{"output": "mart.orders.total", "sources": [{"table": …, "column": …, "transform": "sum"}],
                         "confidence": "high"}],
     "columns_read": [{"column_name": …, "table_name": …, "line_number": 12, "context": "filter", "is_dynamic": false,
                       "alias": null}],
     "columns_written": […],
     "dynamic_columns": [{"location": "line 45", "pattern": "df.select(*cols)", "note": …}],
     "coverage": {"resolved": 7, "lost": 1, "share": 0.875}}

Several files are a list of such objects.
"""

from __future__ import annotations

import json
import re
from typing import Any

from lineal.algebra.functions import Role, known
from lineal.graph.files import FileCoverage, files_of
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Column, Edge, Usage, written
from lineal.model.way import Clause, Confidence, How
from lineal.views.report import Report
from lineal.views.safe import json_safe

DYNAMIC = re.compile(r"^(?P<note>.*?): (?P<pattern>.*) \[(?P<level>\w+)\]$", re.DOTALL)

CONTEXTS = {
    Clause.SELECT: "select", Clause.WHERE: "filter", Clause.HAVING: "filter", Clause.QUALIFY: "filter",
    Clause.GROUP_BY: "groupby", Clause.JOIN_ON: "join", Clause.USING: "join", Clause.NATURAL: "join",
    Clause.ORDER_BY: "sort", Clause.DISTINCT: "distinct", Clause.DISTINCT_ON: "distinct",
}  # fmt: skip

AGGREGATES = (Role.AGGREGATE, Role.ORDERED, Role.VALUE_AT)


def view(report: Report) -> str:
    files = {place.file for edge in report.edges if (place := edge.place) is not None}
    files |= {read.place.file for read in report.graph.reads if read.place is not None}
    files |= {found.place.file for found in report.diagnostics if found.place is not None}
    known = {found.file: found for found in files_of(report.edges, report.graph.reads, report.diagnostics)}
    made = [of_file(report, file, known.get(file, FileCoverage(file, 0, 0))) for file in sorted(files)]
    found: Any = made[0] if len(made) == 1 else made
    return json_safe(json.dumps(found, ensure_ascii=False, indent=2) + "\n")


def of_file(report: Report, file: str, known: FileCoverage) -> dict[str, Any]:
    edges = [edge for edge in report.edges if edge.place is not None and edge.place.file == file]
    reads = [read for read in report.graph.reads if read.place is not None and read.place.file == file]
    targets = {edge.into for edge in edges} | {read.target for read in reads}
    written = sorted(target.name for target in targets if report.graph.kind(target) != "query")
    aggregated = {
        (edge.source.dataset, edge.source.name)
        for edge in edges
        if any(usage.how is How.AGGREGATION for usage in edge.usages)
    }
    aliases = aliases_of(edges)
    doubtful = {(edge.source.dataset, edge.source.name) for edge in edges if edge.level < Confidence.HIGH}
    return {
        "file": file,
        "table_lineage": {"reads": sorted({read.dataset.name for read in reads}), "writes": written},
        "column_lineage": [output(target, several) for target, several in by_target(edges).items()],
        "columns_read": [
            {
                "column_name": read.column,
                "table_name": read.dataset.name,
                "line_number": read.place.line if read.place is not None else None,
                "context": context(read.clause, (read.dataset, read.column) in aggregated),
                "is_dynamic": "{" in read.dataset.name or (read.dataset, read.column) in doubtful,
                "alias": aliases.get((read.dataset, read.column)) if read.clause is Clause.SELECT else None,
            }
            for read in reads
            if read.column is not None
        ],
        "columns_written": [
            {
                "column_name": target.name,
                "table_name": target.dataset.name,
                "line_number": line_of(several),
                "context": "write",
                "is_dynamic": any(edge.level < Confidence.HIGH for edge in several),
                "alias": None,
            }
            for target, several in by_target(edges).items()
        ],
        "dynamic_columns": [dynamic(found) for found in report.diagnostics if is_dynamic(found, file)],
        "coverage": {"resolved": known.resolved, "lost": known.lost, "share": known.share},
    }


def aliases_of(edges: list[Edge]) -> dict[tuple[Any, str], str]:
    """SELECT a AS b      the new name of a column that is only renamed, and only once"""
    found: dict[tuple[Any, str], set[str]] = {}
    for edge in edges:
        if isinstance(edge.target, Column) and any(usage.how is How.IDENTITY for usage in edge.usages):
            found.setdefault((edge.source.dataset, edge.source.name), set()).add(edge.target.name)
    return {source: name for source, names in found.items() if len(names) == 1 for name in names if name != source[1]}


def context(clause: Clause, aggregated: bool) -> str:
    found = CONTEXTS.get(clause, clause.value.lower())
    return "agg" if found == "select" and aggregated else found


def by_target(edges: list[Edge]) -> dict[Column, list[Edge]]:
    found: dict[Column, list[Edge]] = {}
    for edge in edges:
        if isinstance(edge.target, Column):
            found.setdefault(edge.target, []).append(edge)
    return found


def line_of(edges: list[Edge]) -> int | None:
    return next((edge.place.line for edge in edges if edge.place is not None), None)


def output(target: Column, edges: list[Edge]) -> dict[str, Any]:
    return {
        "output": str(target),
        "sources": [
            {
                "table": edge.source.dataset.name,
                "column": ".".join((edge.source.name, *edge.source.path)),
                "transform": transform(edge),
            }
            for edge in edges
        ],
        "confidence": min(edge.level for edge in edges).name.lower().replace("exact", "high"),
    }


def transform(edge: Edge) -> str:
    """The aggregate if there is one, else the outermost call; of a column that only decides, what it decides by"""
    direct = [usage for usage in edge.usages if usage.way.direct] or list(edge.usages)
    return min((called(usage) for usage in direct), key=lambda name: name == "direct")


def called(usage: Usage) -> str:
    """sum, whatever is around it; else the outermost call as it is written, be it a function of the project"""
    for name in usage.calls:
        row = known(name)
        if row is not None and row.role in AGGREGATES:
            return name
    return next(iter(written(usage.path)), "direct")


def is_dynamic(found: Diagnostic, file: str) -> bool:
    return found.code is Code.DYNAMIC and found.place is not None and found.place.file == file


def dynamic(found: Diagnostic) -> dict[str, Any]:
    said = DYNAMIC.match(found.message)
    assert found.place is not None
    return {
        "location": f"line {found.place.line}",
        "pattern": said["pattern"] if said is not None else "",
        "note": said["note"] if said is not None else found.message,
        "confidence": said["level"].lower() if said is not None else "unknown",
    }

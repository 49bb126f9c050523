"""The PySpark view: one object a file, with the tables it reads and writes, its columns and what
stays dynamic.

    {"file": "jobs/orders.py", "table_lineage": {"reads": […], "writes": […]},
     "column_lineage": [{"output": "mart.orders.total", "sources": [{"table": …, "column": …,
     "transform": "sum"}],
                         "confidence": "high"}],
     "columns_read": [{"column_name": …, "table_name": …, "line_number": 12, "context": "filter",
     "is_dynamic": false,
                       "alias": null}],
     "columns_written": [{…, "line_number": 24, "context": "write"}],
     "dynamic_columns": [{"location": "line 45", "pattern": "df.select(*cols)", "note": …}],
     "coverage": {"resolved": 7, "lost": 1, "share": 0.875}}

Several files are a list of such objects.
"""

from __future__ import annotations

import json
import re
from itertools import starmap
from typing import Any

from lineal.algebra.functions import Role, known
from lineal.graph.files import FileCoverage, files_of
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Column, Dataset, Edge, Read, Usage, outer_calls
from lineal.model.grouping import group_pairs
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
    """Return the report in the format of PySpark lineage tools, file by file."""
    files = {place.file for edge in report.edges if (place := edge.place) is not None}
    files |= {read.place.file for read in report.graph.reads if read.place is not None}
    files |= {found.place.file for found in report.diagnostics if found.place is not None}
    known = {
        found.file: found
        for found in files_of(report.edges, report.graph.reads, report.diagnostics)
    }
    made = [
        of_file(report, file, known.get(file, FileCoverage(file, 0, 0))) for file in sorted(files)
    ]
    found: Any = made[0] if len(made) == 1 else made
    return json_safe(json.dumps(found, ensure_ascii=False, indent=2) + "\n")


def of_file(report: Report, file: str, known: FileCoverage) -> dict[str, object]:
    """Return the lineage of one file."""
    edges = [edge for edge in report.edges if edge.file == file]
    reads = [read for read in report.graph.reads if read.file == file]
    targets = {edge.into for edge in edges} | {read.target for read in reads}
    written = {target for target in targets if report.graph.kind(target) != "query"}
    return {
        "file": file,
        "table_lineage": {
            "reads": sorted({read.dataset.name for read in reads}),
            "writes": sorted(target.name for target in written),
        },
        "column_lineage": list(starmap(output, by_target(edges).items())),
        "columns_read": columns_read(reads, edges),
        "columns_written": columns_written(report, file, written, edges),
        "dynamic_columns": [
            dynamic(found) for found in report.diagnostics if is_dynamic(found, file)
        ],
        "coverage": {"resolved": known.resolved, "lost": known.lost, "share": known.share},
    }


# -- input -----------------------------------------------------------------------------------------

Spot = tuple[Dataset, str, Place | None]
"""A column, and a place that names it."""


def columns_read(reads: list[Read], edges: list[Edge]) -> list[dict[str, object]]:
    """Return each place that names a column, with its clause; keys of groupBy do not count as
    columns of a select.
    """
    evidence = Evidence(edges)
    found: dict[tuple[Spot, str], Read] = {}
    for read in reads:
        if read.column is not None:
            spot = (read.dataset, read.column, read.place)
            found.setdefault((spot, context(read.clause, evidence.is_aggregated(read))), read)

    busy = {spot for spot, doing in found if doing != "select"}
    shown = [
        (read, doing)
        for (spot, doing), read in found.items()
        if doing != "select" or spot not in busy
    ]
    shown.sort(key=lambda each: _order(each[0].place))
    return [
        {
            "column_name": read.column,
            "table_name": read.dataset.name,
            "line_number": read.place.line if read.place is not None else None,
            "context": doing,
            "is_dynamic": evidence.is_dynamic(read),
            "alias": evidence.alias(read) if doing == "select" else None,
        }
        for read, doing in shown
    ]


def _order(place: Place | None) -> tuple[int, int]:
    """Return the sort key of a place."""
    if place is not None:
        return (place.line, place.column)

    return (0, 0)


class Evidence:
    """The evidence of edges about the places that name columns. A program states more itself, for
    each place.
    """

    def __init__(self, edges: list[Edge]) -> None:
        self.usages: dict[Spot, list[Usage]] = {}
        self.anywhere: dict[tuple[Dataset, str], list[Usage]] = {}
        self.aliases: dict[Spot, set[str]] = {}
        for edge in edges:
            column = (edge.source.dataset, edge.source.name)
            for usage in edge.usages:
                spot = (*column, usage.place)
                self.usages.setdefault(spot, []).append(usage)
                self.anywhere.setdefault(column, []).append(usage)
                if isinstance(edge.target, Column) and usage.how is How.IDENTITY:
                    self.aliases.setdefault(spot, set()).add(edge.target.name)

    def usages_of(self, read: Read) -> list[Usage]:
        """The usages at a place; of SQL that is composed through CTEs, those of the column wherever
        it is used.
        """
        assert read.column is not None
        found = self.usages.get((read.dataset, read.column, read.place))
        if found is not None:
            return found

        return self.anywhere.get((read.dataset, read.column), [])

    def is_aggregated(self, read: Read) -> bool:
        """Tell whether a column is read into an aggregate."""
        if is_program(read.place):
            return read.aggregated

        return any(usage.how is How.AGGREGATION for usage in self.usages_of(read))

    def is_dynamic(self, read: Read) -> bool:
        """Tell whether a read depends on what only a run knows."""
        if "{" in read.dataset.name:
            return True

        if is_program(read.place):
            return read.from_variable

        return any(usage.level < Confidence.HIGH for usage in self.usages_of(read))

    def alias(self, read: Read) -> str | None:
        """SELECT a AS b      the new name that a column is given at a place, if it is one"""
        assert read.column is not None
        names = self.aliases.get((read.dataset, read.column, read.place), set())
        if len(names) == 1 and names != {read.column}:
            return next(iter(names))

        return None


def is_program(place: Place | None) -> bool:
    """Tell whether a place is in a Python file or notebook."""
    return place is not None and place.file.lower().endswith((".py", ".ipynb"))


# -- output ----------------------------------------------------------------------------------------


def columns_written(
    report: Report, file: str, written: set[Dataset], edges: list[Edge]
) -> list[dict[str, object]]:
    """Return the columns of each write; a query whose result is not kept writes none."""
    writes = group_pairs(
        (statement.target, statement.place)
        for statement in report.graph.extraction.statements
        if statement.target in written and statement.place is not None and statement.file == file
    )
    several = by_target(edges)
    found: dict[tuple[Dataset, str, int | None], list[Edge]] = {}
    for target in sorted(written):
        places = sorted(writes.get(target, ()))
        for column in written_columns(report, target, several):
            made_of = several.get(column, [])
            for line in {written_at(edge, places) for edge in made_of} or {
                places[0].line if places else None
            }:
                found[target, column.name, line] = made_of

    return [
        {
            "column_name": name,
            "table_name": target.name,
            "line_number": line,
            "context": "write",
            "is_dynamic": "{" in target.name
            or any(edge.level < Confidence.HIGH for edge in made_of),
            "alias": None,
        }
        for (target, name, line), made_of in sorted(found.items(), key=lambda each: each[0][2] or 0)
    ]


def written_columns(
    report: Report, target: Dataset, several: dict[Column, list[Edge]]
) -> list[Column]:
    """The columns that a file makes: those with sources, and literals where no other file writes
    the table.
    """
    own = [column for column in several if column.dataset == target]
    statements = report.graph.extraction.statements
    files = {statement.file for statement in statements if statement.target == target}
    if len(files) != 1:
        return own

    produced = report.graph.infos[target].produced_columns
    listed = [Column(target, info.name) for info in produced if info.name != "*"]
    return list(dict.fromkeys([*listed, *own]))


def written_at(edge: Edge, places: list[Place]) -> int | None:
    """The line of the write that follows where an edge's column is named; of SQL, of the statement
    around it.
    """
    if not places:
        if edge.place is not None:
            return edge.place.line

        return None

    at = _order(edge.place)
    if is_program(places[0]):
        return next((place.line for place in places if _order(place) >= at), places[-1].line)

    return next((place.line for place in reversed(places) if _order(place) <= at), places[0].line)


# -- columns ---------------------------------------------------------------------------------------


def context(clause: Clause, aggregated: bool) -> str:
    """Return the word for a clause: select, filter, join, agg, …"""
    found = CONTEXTS.get(clause, clause.value.lower())
    if found == "select" and aggregated:
        return "agg"

    return found


def by_target(edges: list[Edge]) -> dict[Column, list[Edge]]:
    """Return the edges into each column."""
    return group_pairs((edge.target, edge) for edge in edges if isinstance(edge.target, Column))


def output(target: Column, edges: list[Edge]) -> dict[str, Any]:
    """Return an output column with its sources."""
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
    """The aggregate if there is one, else the outermost call; of a column that only decides, what
    it decides by
    """
    direct = [usage for usage in edge.usages if usage.way.direct] or list(edge.usages)
    return min(map(call_name, direct), key=lambda name: name == "direct")


def call_name(usage: Usage) -> str:
    """sum, whatever is around it; else the outermost call as it is written, be it a function of the
    project
    """
    for name in usage.calls:
        row = known(name)
        if row is not None and row.role in AGGREGATES:
            return name

    return next(iter(outer_calls(usage.path)), "direct")


def is_dynamic(found: Diagnostic, file: str) -> bool:
    """Tell whether a diagnostic is about dynamic code in a file."""
    return found.code is Code.DYNAMIC and found.file == file


def dynamic(found: Diagnostic) -> dict[str, object]:
    """Return a dynamic expression with its place and note."""
    said = DYNAMIC.match(found.message)
    parts = said.groupdict() if said is not None else {}
    assert found.place is not None
    return {
        "location": f"line {found.place.line}",
        "pattern": parts.get("pattern", ""),
        "note": parts.get("note", found.message),
        "confidence": parts.get("level", "unknown").lower(),
    }

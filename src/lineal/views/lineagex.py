"""The JSON of LineageX: for each table what it reads, its SQL, and for each column what contributes
and is referenced.

{"webinfo": {"tables": ["customers", "web"], "columns": {"wcid": [["customers.cid"], ["web.date"]]},
             "table_name": "webinfo", "sql": "SELECT …"}}

A column contributes if it reaches the column at field level, and is referenced if it decides the
rows. A table that nothing defines says so in the place of its SQL, and has empty texts in its
lists, as LineageX writes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lineal.model.edge import Column, Dataset
from lineal.views.report import Report
from lineal.views.safe import json_safe

BASE = "this is a base table"
NOTHING = [""]


@dataclass
class TableSources:
    """The sources of a table."""

    read: dict[Dataset, None] = field(default_factory=dict)
    contributed: dict[str, list[Column]] = field(default_factory=dict)
    referenced: list[Column] = field(default_factory=list)


def view(report: Report) -> str:
    """Return the report in the format of LineageX."""
    made = _collect_sources(report)
    written = {
        output: job.sql for job in reversed(report.graph.extraction.jobs) for output in job.outputs
    }
    document = {
        dataset.name: _table(report, dataset, made.get(dataset), written.get(dataset, ""))
        for dataset in report.datasets
    }
    lines = ",\n".join(f"{_text(name)}: {_text(about)}" for name, about in document.items())
    return json_safe(f"{{\n{lines}\n}}\n")


def _collect_sources(report: Report) -> dict[Dataset, TableSources]:
    """Return the tables and columns that each dataset is made of."""
    shown = set(report.datasets)
    found: dict[Dataset, TableSources] = {}
    for read in report.graph.reads:
        if read.target in shown and read.dataset in shown:
            found.setdefault(read.target, TableSources()).read[read.dataset] = None

    for edge in report.edges:
        made = found.setdefault(edge.into, TableSources())
        made.read[edge.source.dataset] = None
        if isinstance(edge.target, Column):
            made.contributed.setdefault(edge.target.name, []).append(edge.source)
        else:
            made.referenced.append(edge.source)

    return found


def _table(report: Report, dataset: Dataset, made: TableSources | None, sql: str) -> dict[str, Any]:
    """Return a dataset in the format of LineageX."""
    names = [column.name for column in report.graph.columns(dataset)]
    if made is None:
        columns = {name: [NOTHING, NOTHING] for name in names}
        return {
            "tables": NOTHING,
            "columns": columns,
            "table_name": dataset.name,
            "sql": sql or BASE,
        }

    columns = {
        name: [_texts(made.contributed.get(name, ())), _texts(made.referenced)] for name in names
    }
    return {"tables": _texts(made.read), "columns": columns, "table_name": dataset.name, "sql": sql}


def _text(value: Any) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def _texts(values: Iterable[Column | Dataset]) -> list[str]:
    """Return the names of columns or datasets, each once."""
    return list(dict.fromkeys(map(str, values)))

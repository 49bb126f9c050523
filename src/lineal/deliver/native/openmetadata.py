"""OpenMetadata by its REST interface: an edge between two tables with the lineage of their columns.

GET /api/v1/tables/name/{service.database.schema.table}     the id of a table
PUT /api/v1/lineage                                         AddLineageRequest
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from lineal.deliver.failures import Event, Refused
from lineal.deliver.native.flows import Flow, Pair, Table, flow_of
from lineal.deliver.native.http import Server

SERVICE = "OPENMETADATA_SERVICE"
DEFAULT_DATABASE = "default"
"""OpenMetadata's name for the database of systems that have only schemas."""

Json = dict[str, Any]


class OpenMetadata:
    """Adds an edge for every pair of tables of a job."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._server = Server(config)
        self._service = os.environ.get(SERVICE, "").strip() or config.get("service", "")
        self._found: dict[Table, str] = {}

    def send(self, event: Event) -> None:
        """Bring the lineage of an event; every table has to be in the catalog."""
        flow = flow_of(event)
        for pair in flow.pairs:
            ids = (self._id_of(pair.source), self._id_of(pair.target))
            held = self._held_columns(ids)
            self._server.ask("PUT", "api/v1/lineage", self.request(pair, flow, ids, held))

    def _held_columns(self, ids: tuple[str, str]) -> list[Json]:
        """Return the lineage of columns that an edge of the catalog has already."""
        path = f"api/v1/lineage/getLineageEdge/{ids[0]}/{ids[1]}"
        answer = self._server.ask("GET", path, allowed=(404,))
        edge = answer.body.get("edge") if isinstance(answer.body, dict) else None
        held = edge.get("columnsLineage") if isinstance(edge, dict) else None
        return held or []

    def request(
        self, pair: Pair, flow: Flow, ids: tuple[str, str], held: Sequence[Json] = ()
    ) -> Json:
        """Return an AddLineageRequest."""
        details: Json = {
            "columnsLineage": merge_columns(held, self.column_lineage(pair)),
            "source": "QueryLineage",
        }
        if flow.sql:
            details["sqlQuery"] = flow.sql

        source, target = ({"id": each, "type": "table"} for each in ids)
        return {"edge": {"fromEntity": source, "toEntity": target, "lineageDetails": details}}

    def column_lineage(self, pair: Pair) -> list[Json]:
        """Return an entry for each column that is made, with all columns that it is made of."""
        sources: dict[str, list[str]] = {}
        texts: dict[str, dict[str, None]] = {}
        for columns in pair.columns:
            sources.setdefault(columns.target, []).append(columns.source)
            texts.setdefault(columns.target, {})[columns.text] = None

        return [
            {
                "fromColumns": [self._column(pair.source, each) for each in made],
                "toColumn": self._column(pair.target, target),
                "function": "; ".join(filter(None, texts[target])),
            }
            for target, made in sources.items()
        ]

    def _column(self, table: Table, column: str) -> str:
        """Return the full name of a column in OpenMetadata."""
        return f"{self.full_name(table)}.{quote_part(column)}"

    def full_name(self, table: Table) -> str:
        """service.database.schema.table"""
        parts = table.name.split(".")
        if len(parts) == 2:
            parts = [DEFAULT_DATABASE, *parts]

        service = self._service or table.scheme
        return ".".join(map(quote_part, (service, *parts)))

    def _id_of(self, table: Table) -> str:
        """Return the id of a table; a table that is not in the catalog is refused and reported."""
        if table not in self._found:
            name = self.full_name(table)
            answer = self._server.ask(
                "GET", f"api/v1/tables/name/{quote(name, safe='')}", allowed=(404,)
            )
            if answer.status == 404 or not isinstance(answer.body, dict):
                raise Refused(f"OpenMetadata has no table {name}: ingest its database first")

            self._found[table] = str(answer.body["id"])

        return self._found[table]


def merge_columns(held: Sequence[Json], own: Sequence[Json]) -> list[Json]:
    """Return the lineage of all columns: an own entry adds its sources to one that is held."""
    merged = {each["toColumn"]: dict(each) for each in held}
    for each in own:
        before = merged.get(each["toColumn"], {})
        sources = (*before.get("fromColumns", ()), *each["fromColumns"])
        merged[each["toColumn"]] = {**each, "fromColumns": list(dict.fromkeys(sources))}

    return list(merged.values())


def quote_part(part: str) -> str:
    """a.b is "a.b" within a fully qualified name."""
    if "." in part or '"' in part:
        escaped = part.replace('"', '\\"')
        return f'"{escaped}"'

    return part

"""Unity Catalog's external lineage: how data reaches its tables from other systems, and leaves them.

    POST /api/2.0/lineage-tracking/external-metadata     a table of another system
    POST /api/2.0/lineage-tracking/external-lineage      a pair of tables with their columns

Of the two tables of a pair at most one is Unity Catalog's: it records the lineage between its own
tables itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from lineal.deliver.failures import Event
from lineal.deliver.native.flows import ColumnPair, Flow, Pair, Table, flow_of
from lineal.deliver.native.http import Server

METADATA = "api/2.0/lineage-tracking/external-metadata"
LINEAGE = "api/2.0/lineage-tracking/external-lineage"

OWN = frozenset({"databricks", "unity", "unitycatalog"})
"""The schemes of namespaces whose tables are Unity Catalog's: databricks://workspace"""

SYSTEMS = {
    "bigquery": "GOOGLE_BIGQUERY",
    "kafka": "KAFKA",
    "mssql": "MICROSOFT_SQL_SERVER",
    "mysql": "MYSQL",
    "oracle": "ORACLE",
    "postgres": "POSTGRESQL",
    "redshift": "AMAZON_REDSHIFT",
    "snowflake": "SNOWFLAKE",
    "sqlserver": "MICROSOFT_SQL_SERVER",
    "teradata": "TERADATA",
}
"""Unity Catalog's name for the system of a namespace."""

EXISTS = 409
Json = dict[str, Any]


class Unity:
    """Creates the tables of other systems and the relationships of a job, or updates them."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._server = Server(config)
        self._known: set[tuple[Table, tuple[str, ...]]] = set()
        self._columns: dict[tuple[Table, Table], dict[ColumnPair, None]] = {}

    def send(self, event: Event) -> None:
        """Bring the lineage of an event."""
        flow = flow_of(event)
        for pair in flow.pairs:
            if is_own(pair.source) and is_own(pair.target):
                continue

            for table in (pair.source, pair.target):
                self._declare(table, flow)

            self._relate(pair)

    def _declare(self, table: Table, flow: Flow) -> None:
        """Make a table of another system known."""
        body = external_metadata(table, flow)
        key = (table, tuple(body["columns"]))
        if is_own(table) or key in self._known:
            return

        answer = self._server.ask("POST", METADATA, body, allowed=(EXISTS,))
        if answer.status == EXISTS:
            path = f"{METADATA}/{quote(body['name'], safe='')}?update_mask=columns"
            self._server.ask("PATCH", path, body)

        self._known.add(key)

    def _relate(self, pair: Pair) -> None:
        """Make the lineage of a pair known; several jobs may make one table of another."""
        told = self._columns.setdefault((pair.source, pair.target), {})
        told |= dict.fromkeys(pair.columns)
        body = relationship(pair._replace(columns=list(told)))
        answer = self._server.ask("POST", LINEAGE, body, allowed=(EXISTS,))
        if answer.status == EXISTS:
            self._server.ask("PATCH", f"{LINEAGE}?update_mask=columns", body)


def is_own(table: Table) -> bool:
    """Tell whether a table is Unity Catalog's."""
    return table.scheme in OWN


def external_metadata(table: Table, flow: Flow) -> Json:
    """Return what Unity Catalog is to know of a table of another system."""
    named = [
        column.source for pair in flow.pairs if pair.source == table for column in pair.columns
    ]
    named += [
        column.target for pair in flow.pairs if pair.target == table for column in pair.columns
    ]
    return {
        "name": external_name(table),
        "system_type": SYSTEMS.get(table.scheme, "OTHER"),
        "entity_type": "Table",
        "columns": list(dict.fromkeys((*flow.columns.get(table, ()), *named))),
    }


def external_name(table: Table) -> str:
    """postgres://host:5432 and shop.orders      host:5432.shop.orders: one name for each table"""
    return f"{table.authority}.{table.name}" if table.authority else table.name


def relationship(pair: Pair) -> Json:
    """Return a request for the lineage of a pair of tables."""
    columns = [{"source": each.source, "target": each.target} for each in pair.columns]
    return {
        "source": _object(pair.source),
        "target": _object(pair.target),
        "columns": columns,
    }


def _object(table: Table) -> Json:
    """Return Unity Catalog's object for a table, which may be external."""
    if is_own(table):
        return {"table": {"name": table.name}}

    return {"external_metadata": {"name": external_name(table)}}

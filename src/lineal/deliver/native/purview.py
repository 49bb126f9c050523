"""Microsoft Purview's data map, an Apache Atlas: a process for each job, with the mapping of its
columns.

    POST /datamap/api/atlas/v2/types/typedefs     the type of our processes, once
    POST /datamap/api/atlas/v2/entity/bulk        the tables of a job, and its process
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lineal.deliver.failures import Event
from lineal.deliver.native.flows import Flow, Table, flow_of
from lineal.deliver.native.http import Server

TYPES = "datamap/api/atlas/v2/types/typedefs?api-version=2023-09-01"
ENTITIES = "datamap/api/atlas/v2/entity/bulk?api-version=2023-09-01"

PROCESS = "lineal_process"
EXISTS = 409

Json = dict[str, Any]

ASSETS = {
    "mssql": ("azure_sql_table", "mssql://{server}/{database}/{schema}/{table}"),
    "snowflake": (
        "snowflake_table",
        "snowflake://{server}.snowflakecomputing.com/databases/{database}/schemas/{schema}/tables/{table}",
    ),
    "sqlserver": ("azure_sql_table", "mssql://{server}/{database}/{schema}/{table}"),
}
"""The type and the qualified name that Purview's scans give to a table of a system. Any other table
is a `DataSet` under its name in OpenLineage.
"""


class Purview:
    """Creates or updates the process of every job, and the tables that no scan knows."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._server = Server(config)
        self._is_declared = False

    def send(self, event: Event) -> None:
        """Bring the lineage of an event."""
        flow = flow_of(event)
        if not flow.pairs:
            return

        if not self._is_declared:
            self._server.ask("POST", TYPES, type_definitions(), allowed=(EXISTS,))
            self._is_declared = True

        self._server.ask("POST", ENTITIES, {"entities": entities(flow)})


def type_definitions() -> Json:
    """Return the type of our processes: Purview draws the columns that `columnMapping` lists."""
    attributes = [
        {"name": name, "typeName": "string", "isOptional": True, "cardinality": "SINGLE"}
        for name in ("columnMapping", "query")
    ]
    process = {
        "category": "ENTITY",
        "name": PROCESS,
        "superTypes": ["Process"],
        "attributeDefs": attributes,
    }
    return {"entityDefs": [process]}


def entities(flow: Flow) -> list[Json]:
    """Return the process of a job, after the tables that only lineal knows."""
    sources = list(dict.fromkeys(pair.source for pair in flow.pairs))
    targets = list(dict.fromkeys(pair.target for pair in flow.pairs))
    tables = dict.fromkeys((*sources, *targets))
    own = [
        entity(table, -2 - number) for number, table in enumerate(tables) if not is_scanned(table)
    ]
    attributes = {
        "qualifiedName": f"lineal://{flow.job}",
        "name": flow.job.rpartition("/")[2],
        "inputs": list(map(reference, sources)),
        "outputs": list(map(reference, targets)),
        "columnMapping": json.dumps(column_mapping(flow)),
        "query": flow.sql,
    }
    return [*own, {"typeName": PROCESS, "guid": "-1", "attributes": attributes}]


def column_mapping(flow: Flow) -> list[Json]:
    """Return the pairs of columns for each pair of tables, as Purview reads them."""
    return [
        {
            "DatasetMapping": {
                "Source": qualified_name(pair.source),
                "Sink": qualified_name(pair.target),
            },
            "ColumnMapping": [
                {"Source": each.source, "Sink": each.target} for each in pair.columns
            ],
        }
        for pair in flow.pairs
    ]


def is_scanned(table: Table) -> bool:
    """Tell whether Purview's own scans know a table."""
    return table.scheme in ASSETS and table.name.count(".") == 2


def type_name(table: Table) -> str:
    """Return the type of a table in Purview."""
    return ASSETS[table.scheme][0] if is_scanned(table) else "DataSet"


def qualified_name(table: Table) -> str:
    """Return the name by which Purview finds a table."""
    if not is_scanned(table):
        return f"{table.namespace}/{table.name}"

    database, schema, name = table.name.split(".")
    server = table.authority.partition(":")[0].rstrip("/")
    pattern = ASSETS[table.scheme][1]
    return pattern.format(server=server, database=database, schema=schema, table=name)


def reference(table: Table) -> Json:
    """Return a table as a process names it."""
    unique = {"qualifiedName": qualified_name(table)}
    return {"typeName": type_name(table), "uniqueAttributes": unique}


def entity(table: Table, guid: int) -> Json:
    """Return a table that is to be there before a process names it."""
    attributes = {"qualifiedName": qualified_name(table), "name": table.name}
    return {"typeName": type_name(table), "guid": str(guid), "attributes": attributes}

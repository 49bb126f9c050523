"""Runs in OpenMetadata's environment: events on standard input, the column edges that its connector
makes of them on standard output.

The connector asks a server which tables there are; here every table that it asks for is there.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from metadata.generated.schema.entity.services.connections.pipeline.openLineageConnection import (  # noqa: F401
    OpenLineageConnection,
)
from metadata.ingestion.source.pipeline.openlineage.metadata import OpenlineageSource
from metadata.ingestion.source.pipeline.openlineage.models import EventType
from metadata.ingestion.source.pipeline.openlineage.utils import message_to_open_lineage_event


class Reader(OpenlineageSource):
    """The connector without a server: a table's name is service.database.schema.table."""

    def __init__(self) -> None:
        self._resolution_cache: dict[Any, Any] = {}

    def _get_table_fqn(self, table_details: Any, namespace: str | None = None) -> str:
        database = table_details.database or "default"
        return f"service.{database}.{table_details.schema}.{table_details.name}"


def main() -> None:
    """Read events, and print one JSON object for each."""
    reader = Reader()
    for text in sys.stdin:
        event = json.loads(text)
        try:
            parsed = message_to_open_lineage_event(event)
        except ValueError as problem:
            print(json.dumps({"problem": str(problem)}))
            continue
        if reader._filter_event_by_types(parsed, [EventType.COMPLETE]) is None:
            print(json.dumps({"passed": parsed.event_type}))
            continue
        reader._resolution_cache.clear()
        found = reader._get_column_lineage(parsed.inputs, parsed.outputs)
        edges = [
            [str(source.root), str(each.toColumn.root)]
            for tables in found.values()
            for several in tables.values()
            for each in several
            for source in each.fromColumns
        ]
        print(json.dumps({"edges": edges}))


main()

"""Runs in OpenMetadata's environment: AddLineageRequests on standard input, the column edges of
their models on standard output.
"""

from __future__ import annotations

import json
import sys

from metadata.generated.schema.api.lineage.addLineage import AddLineageRequest

for text in sys.stdin:
    edge = AddLineageRequest.model_validate_json(text).edge
    assert edge.fromEntity.type == edge.toEntity.type == "table"
    details = edge.lineageDetails
    assert details is not None and details.source is not None
    edges = [
        [str(source.root), str(each.toColumn.root)]
        for each in details.columnsLineage or ()
        for source in each.fromColumns
    ]
    print(json.dumps(edges))

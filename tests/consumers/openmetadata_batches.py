"""Runs in OpenMetadata's environment: requests with batches of events on standard input, the number
of events that OpenMetadata's own model reads in each on standard output.
"""

from __future__ import annotations

import sys

from metadata.generated.schema.api.lineage.openlineage.openLineageBatchRequest import (
    OpenLineageBatchRequest,
)

for text in sys.stdin:
    print(len(OpenLineageBatchRequest.model_validate_json(text).events))

"""The tables that random DuckDB statements read and write."""

from __future__ import annotations

from generators.scope import NUMBER, TEXT, Schema

LIST, STRUCT = "list", "struct"

SCHEMA: Schema = {
    "customers": {"id": NUMBER, "name": TEXT, "region": TEXT, "score": NUMBER},
    "orders": {"id": NUMBER, "customer_id": NUMBER, "region": TEXT, "amount": NUMBER, "tags": LIST},
    "payments": {
        "id": NUMBER,
        "order_id": NUMBER,
        "amount": NUMBER,
        "method": TEXT,
        "place": STRUCT,
    },
    "regions": {"region": TEXT, "name": TEXT, "factor": NUMBER, "codes": LIST},
}
FIELDS = {"lat": NUMBER, "town": TEXT}
"""The fields of a STRUCT."""

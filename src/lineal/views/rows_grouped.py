"""The rows view by target column: each column once, with the list of its sources.

[{"target": "customers", "target_column": "total_spent", "source_columns": [
    {"table": "stg_orders", "column": "amount", "transformation_type": "aggregation", "confidence":
    0.9}]}]
"""

from __future__ import annotations

from lineal.views.report import Report
from lineal.views.rows import as_relations


def view(report: Report) -> str:
    """Return a row for each target column, with its sources."""
    return as_relations(report)

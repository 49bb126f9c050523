"""The rows view as JSON: a list of objects with the names that the CSV has in its header."""

from __future__ import annotations

from lineal.views.report import Report
from lineal.views.rows import as_json


def view(report: Report) -> str:
    """Return a row for each edge as JSON."""
    return as_json(report)

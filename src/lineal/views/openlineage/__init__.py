"""The OpenLineage view: events, one a line, as https://openlineage.io describes them.

emission.py   what a user may choose
facts.py      datasets by their names in OpenLineage, and what each is made of
facets.py     columnLineage in both forms, the explicit facets, schema, SQL, source, documentation
events.py     job, run and dataset events
"""

from __future__ import annotations

from lineal.views.openlineage.emission import EVENTS, FACETS, Emission
from lineal.views.openlineage.events import events, line
from lineal.views.report import Report

__all__ = ["EVENTS", "FACETS", "Emission", "events", "line", "view"]

EPOCH = "1970-01-01T00:00:00Z"


def view(report: Report, emission: Emission | None = None) -> str:
    """Return the report as OpenLineage events, one per line."""
    chosen = emission or Emission(EPOCH)
    return "".join(f"{line(event)}\n" for event in events(report, chosen))

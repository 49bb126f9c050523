"""The views room: a report in, text out; no view reads or writes anything.

A view is one file with one function `view(report)`, which gives a text, or a page (styled lines and
grids) that is made into plain text or drawn with rich. To add one: a file here and a row in VIEWS.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineal.views.report import Report
    from lineal.views.terminal import Page

VIEWS: Mapping[str, str] = {
    "table": "lineal.views.table",
    "chain": "lineal.views.chain",
    "json": "lineal.views.json",
    "dot": "lineal.views.dot",
    "mermaid": "lineal.views.mermaid",
    "impact": "lineal.views.impact",
    "rows": "lineal.views.rows",
    "rows-json": "lineal.views.rows_json",
    "rows-grouped": "lineal.views.rows_grouped",
    "pyspark-json": "lineal.views.pyspark_json",
    "openlineage": "lineal.views.openlineage",
    "lineagex": "lineal.views.lineagex",
    "graphml": "lineal.views.graphml",
}

OUTPUTS = (
    "table",
    "chain",
    "json",
    "dot",
    "mermaid",
    "rows",
    "rows-json",
    "rows-grouped",
    "pyspark-json",
    "openlineage",
    "lineagex",
    "graphml",
)
"""The views that a user can ask for by name; impact is what table and chain become when impact is
asked for.
"""


def view(name: str, report: Report) -> str | Page:
    """A report as a text or a page; views are imported when they are first asked for."""
    if name in ("table", "chain") and report.impacted:
        name = "impact"

    made: str | Page = import_module(VIEWS[name]).view(report)
    return made


def text(name: str, report: Report) -> str:
    """A report as plain text, ending in a line break."""
    from lineal.views.terminal import plain_page

    made = view(name, report)
    if isinstance(made, str):
        return made

    return plain_page(made)

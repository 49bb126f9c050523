"""The impact view: what a change of one column reaches, the surest and nearest first."""

from __future__ import annotations

from itertools import islice

from lineal.graph.impact import BOTH, CONTRIBUTED, REFERENCED, Impact
from lineal.model.edge import Column
from lineal.views.report import Report
from lineal.views.terminal import Grid, Page, Piece, line
from lineal.views.words import count_noun

HEADER = ("COLUMN", "WHY", "DISTANCE", "PATH")
RULE = "═" * 64
LONGEST = 8
"""Steps of a path that are shown; of a longer one the end."""


def view(report: Report) -> Page:
    """Return the columns downstream of a column as a table."""
    page: Page = [
        line(Piece(f"IMPACT: {report.impacted}", "heading")),
        line(Piece(RULE, "rule")),
        line(),
    ]
    if report.impacts:
        rows = [
            (str(found.column), found.why, str(found.depth), path(found))
            for found in report.impacts
        ]
        page += [Grid(HEADER, rows, numbers=(2,), folds=True), line()]

    return [*page, line(summary(report))]


def path(found: Impact) -> str:
    """web.page ⇒ webact → webact.wcid ⇒ info: a double arrow leads into the rows of a dataset, and
    so to the column.
    """
    steps = list(islice(found.backwards(), LONGEST + 1))[::-1]
    if not isinstance(steps[-2], Column):
        steps.pop()

    first = str(steps[0]) if len(steps) <= LONGEST else "…"
    return first + "".join(
        f" → {step}" if isinstance(step, Column) else f" ⇒ {step}" for step in steps[1:]
    )


def summary(report: Report) -> str:
    """20 columns of 6 datasets are reached: 18 contributed, 1 both, 1 referenced."""
    if not report.impacts:
        return "No column is reached."

    counts = [
        sum(found.why == why for found in report.impacts) for why in (CONTRIBUTED, BOTH, REFERENCED)
    ]
    datasets = {found.column.dataset for found in report.impacts}
    verb = "is" if len(report.impacts) == 1 else "are"
    reached = f"{count_noun(len(report.impacts), 'column')} of {count_noun(len(datasets), 'dataset')} {verb} reached"
    return f"{reached}: {counts[0]:,} contributed, {counts[1]:,} both, {counts[2]:,} referenced."

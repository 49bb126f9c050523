"""From what is asked to a report."""

from __future__ import annotations

from lineal.cli.request import Request
from lineal.cli.source import Mistake
from lineal.graph.graph import Graph, UnknownName
from lineal.graph.select import ALL
from lineal.model.edge import Column, Dataset
from lineal.views.report import (
    DOWNSTREAM,
    UPSTREAM,
    Report,
    around,
    everything,
    impact_of,
    labelled,
    table_level,
    traced,
)


def answer(request: Request, graph: Graph) -> Report:
    """The part of a graph that is asked for."""
    try:
        at = _asked(graph, request)
        if request.level == "table":
            return _tables(graph, at, request)
        report = _columns(graph, at, request)
        return (
            report if request.classification is None else _labelled(report, request.classification)
        )
    except UnknownName as mistake:
        raise Mistake(str(mistake)) from mistake


def _asked(graph: Graph, request: Request) -> Column | Dataset | None:
    """The column or dataset that the selector or the options name."""
    if request.selection:
        return graph.find(request.selection.name)
    if request.node is None:
        return None if request.column is None else graph.column(request.column)
    dataset = graph.dataset(request.node)
    return dataset if request.column is None else graph.column_in(dataset, request.column)


def _columns(graph: Graph, at: Column | Dataset | None, request: Request) -> Report:
    if at is None:
        return everything(graph)
    if request.impact:
        if not isinstance(at, Column):
            raise Mistake(f"--impact is that of one column: {at} is a dataset")
        return impact_of(graph, at)
    if isinstance(at, Dataset) and not request.selection and request.view != "chain":
        return around(graph, at, request.direction or UPSTREAM)
    starts = [at] if isinstance(at, Column) else graph.columns(at)
    up, down = _hops(request, ALL)
    return traced(graph, starts, up=up, down=down, with_rows=request.with_rows)


def _labelled(report: Report, label: str) -> Report:
    """A label that no column declares is a mistake: it says which ones there are."""
    known = report.labels.known
    if label.lower() not in known:
        raise Mistake(
            f"no column is classified {label}; the labels are: {', '.join(known) or 'none at all'}"
        )
    return labelled(report, label.lower())


def _tables(graph: Graph, at: Column | Dataset | None, request: Request) -> Report:
    if at is None:
        return table_level(graph)
    up, down = _hops(request, 1)
    return table_level(graph, at.dataset if isinstance(at, Column) else at, up=up, down=down)


def _hops(request: Request, far: int) -> tuple[int, int]:
    """How far to go upstream and downstream: as the selector says, or `far` in the direction that
    is asked for.
    """
    if request.selection:
        return request.selection.up, request.selection.down
    direction = request.direction or UPSTREAM
    return far * (direction != DOWNSTREAM), far * (direction != UPSTREAM)

"""From a request to a report."""

from __future__ import annotations

from lineal.cli.request import Request
from lineal.cli.source import Mistake, mistakes_of
from lineal.graph.graph import Graph, UnknownName
from lineal.graph.select import ALL, METHODS, Selection, members
from lineal.model.edge import Column, Dataset, dataset_of
from lineal.views.report import (
    DOWNSTREAM,
    UPSTREAM,
    Report,
    edges_around,
    impact_of,
    report_of_all,
    report_of_label,
    report_of_trace,
    table_level,
    unite_reports,
)


def answer(request: Request, graph: Graph) -> Report:
    """The part of a graph that is asked for."""
    with mistakes_of(UnknownName):
        if request.selections and not _asks_for_one(request):
            return _unite_selections(graph, request)

        at = _start_of(graph, request)
        if request.level == "table":
            return _tables(graph, at, request)

        report = _columns(graph, at, request)
        if request.classification is None:
            return report

        return _check_label(report, request.classification)


def _find(graph: Graph, selection: Selection) -> Column | Dataset:
    """Find the columns that a selector names; a bare name that nobody knows may be meant as a path."""
    try:
        return graph.find(selection.name)
    except UnknownName as unknown:
        if selection.follows:
            raise

        raise Mistake(
            f"no such file or folder: {selection.name}; {unknown}{_methods(selection.name)}"
        ) from unknown


def _methods(name: str) -> str:
    """Return a hint for foo:bar, a selector whose method does not exist."""
    method, colon, value = name.partition(":")
    if colon and method.isalpha() and "/" not in value:
        return f"; the methods of selectors are {', '.join(METHODS)}"

    return ""


def _asks_for_one(request: Request) -> bool:
    """Tell whether one name is selected, as -n and --column do."""
    return len(request.selections) == 1 and not request.selections[0].method


def _unite_selections(graph: Graph, request: Request) -> Report:
    """Unite the columns that several selectors, or one with a method, name."""
    parts = [
        _part(graph, at, selection, request)
        for selection in request.selections
        for at in members(graph, selection)
    ]
    report = unite_reports(graph, parts)
    if request.level == "table":
        return report

    if request.classification is not None:
        return _check_label(report, request.classification)

    return report


def _part(graph: Graph, at: Column | Dataset, selection: Selection, request: Request) -> Report:
    """The part of a graph that one selector asks for, of one of the things that it names."""
    dataset = dataset_of(at)
    if request.level == "table":
        return table_level(graph, dataset, up=selection.up or 1, down=selection.down)

    starts = [at] if isinstance(at, Column) else graph.columns(at)
    if selection.follows:
        return report_of_trace(
            graph, starts, up=selection.up, down=selection.down, with_rows=request.with_rows
        )

    if isinstance(at, Column) or request.traces:
        return report_of_trace(graph, starts, up=1, with_rows=request.with_rows)

    return edges_around(graph, at, request.direction or UPSTREAM)


def _start_of(graph: Graph, request: Request) -> Column | Dataset | None:
    """The column or dataset that the selector or the options name."""
    if request.selections:
        return _find(graph, request.selections[0])

    if request.node is None:
        if request.column is None:
            return None

        return graph.column(request.column)

    dataset = graph.dataset(request.node)
    if request.column is None:
        return dataset

    return graph.column_in(dataset, request.column)


def _columns(graph: Graph, at: Column | Dataset | None, request: Request) -> Report:
    """Return the column-level report that was asked for."""
    if at is None:
        return report_of_all(graph)

    if request.impact:
        if not isinstance(at, Column):
            raise Mistake(f"--impact is that of one column: {at} is a dataset")

        return impact_of(graph, at)

    if isinstance(at, Dataset) and not request.traces and request.view != "chain":
        return edges_around(graph, at, request.direction or UPSTREAM)

    starts = [at] if isinstance(at, Column) else graph.columns(at)
    up, down = _hops(request, ALL)
    return report_of_trace(graph, starts, up=up, down=down, with_rows=request.with_rows)


def _check_label(report: Report, label: str) -> Report:
    """A label that no column declares is a mistake: it says which ones there are."""
    known = report.labels.known
    if label.lower() not in known:
        raise Mistake(
            f"no column is classified {label}; the labels are: {', '.join(known) or 'none at all'}"
        )

    return report_of_label(report, label.lower())


def _tables(graph: Graph, at: Column | Dataset | None, request: Request) -> Report:
    """Return the table-level report that was asked for."""
    if at is None:
        return table_level(graph)

    up, down = _hops(request, 1)
    return table_level(graph, dataset_of(at), up=up, down=down)


def _hops(request: Request, far: int) -> tuple[int, int]:
    """How far to go upstream and downstream: as the selector says, or `far` in the direction that
    is asked for.
    """
    if request.selections and request.selections[0].follows:
        return request.selections[0].up, request.selections[0].down

    direction = request.direction or UPSTREAM
    return far * (direction != DOWNSTREAM), far * (direction != UPSTREAM)

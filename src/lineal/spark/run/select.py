"""Selectors of a run: `stg_orders`, `+fct_orders`, `raw_orders+`, `2+m`, and columns: `raw_orders.amount+`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lineal.graph.graph import Graph, UnknownName
from lineal.graph.impact import impact
from lineal.graph.select import Selection, parse
from lineal.graph.tables import TableEdge, reaching, tables
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import Extraction
from lineal.spark.run.jobs import Job, key_of


def selected(selectors: Iterable[str], jobs: Mapping[str, Job], static: Extraction) -> dict[str, Job]:
    """The jobs that the selectors name, in the order of the jobs; all of them where there is no selector.

    The functions that they call come along, since a session knows none but those that it is told; so do sources, and
    the tests of what is selected.
    """
    selectors = list(selectors)
    if not selectors:
        return dict(jobs)
    graph = Graph(static)
    edges = [*tables(graph), *_edges_to_sources(jobs)]
    found = (dataset for text in selectors for dataset in datasets_of(text, graph, edges))
    keys = {key_of(dataset.name) for dataset in found} & jobs.keys()
    if not any(jobs[key].is_data for key in keys):
        raise UnknownName(f"{', '.join(selectors)} selects nothing that is built")
    return {key: job for key, job in jobs.items() if key in keys | _along(keys, jobs) or _tests_of(keys, job)}


def datasets_of(text: str, graph: Graph, edges: list[TableEdge]) -> set[Dataset]:
    """The dataset itself, and those within so many hops. Upstream of a column is all that its model is built from;
    downstream of a column are the models that a change of it reaches."""
    selection = parse(text) or Selection(text)
    at = graph.find(selection.name)
    start = at.dataset if isinstance(at, Column) else at
    down = 0 if isinstance(at, Column) else selection.down
    near = reaching(edges, start, up=selection.up, down=down)
    found = {start, *(edge.source for edge in near), *(edge.target for edge in near)}
    if isinstance(at, Column) and selection.down:
        found |= {each.column.dataset for each in impact(graph, at) if each.depth <= selection.down}
    return found


def _edges_to_sources(jobs: Mapping[str, Job]) -> Iterator[TableEdge]:
    """Return an edge from each seed to the source that it provides: no SQL of the project says so."""
    for job in jobs.values():
        seed = job.step.settings.get("seed") if job.kind == "source" else None
        if seed is not None:
            yield TableEdge(Dataset("", str(seed)), Dataset("", job.name), (), ())


def _along(keys: set[str], jobs: Mapping[str, Job]) -> set[str]:
    found: set[str] = set()
    border = set(keys)
    while border:
        needs = {other for key in border for other in jobs[key].needs if other in jobs}
        border = {key for key in needs if jobs[key].comes_along} - found
        found |= border
    return found


def _tests_of(keys: set[str], job: Job) -> bool:
    """Whether it is a test of its own that looks at what is selected."""
    return job.kind == "test" and bool(job.needs & keys)

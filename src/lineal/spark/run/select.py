"""Selectors of a run: `stg_orders`, `+fct_orders`, `raw_orders+`, `2+m`, and columns:
`raw_orders.amount+`.

A method selects several nodes at once: `tag:nightly`, `path:models/staging+`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from lineal.graph.graph import Graph, UnknownName
from lineal.graph.impact import impact
from lineal.graph.select import Selection, parse
from lineal.graph.tables import TableEdge, reaching, tables
from lineal.model.edge import Column, Dataset, dataset_of
from lineal.model.extraction import Extraction
from lineal.model.sequences import flatten
from lineal.spark.run.jobs import Job, key_of


def select_jobs(
    selectors: Iterable[str], jobs: Mapping[str, Job], static: Extraction, root: Path = Path()
) -> dict[str, Job]:
    """The jobs that the selectors name, in the order of the jobs; all of them where there is no
    selector.

    The functions that they call come along, since a session knows none but those that it is told;
    so do sources, and the tests of what is selected.
    """
    selectors = list(selectors)
    if not selectors:
        return dict(jobs)

    graph = Graph(static)
    edges = [*tables(graph), *_edges_to_sources(jobs)]
    plain = flatten(names_in(selector, jobs, root) for selector in selectors)
    found = chain.from_iterable(datasets_of(text, graph, edges) for text in plain)
    keys = {key_of(dataset.name) for dataset in found} & jobs.keys()
    if not any(jobs[key].is_data for key in keys):
        raise UnknownName(f"{', '.join(selectors)} selects nothing that is built")

    return {
        key: job
        for key, job in jobs.items()
        if key in keys | _jobs_along(keys, jobs) or _tests_of(keys, job)
    }


def names_in(selector: str, jobs: Mapping[str, Job], root: Path) -> list[str]:
    """Return the selectors of the nodes that a method selects: +tag:x is +a and +b."""
    selection = parse(selector) or Selection(selector)
    method, colon, value = selection.name.partition(":")
    if not colon or key_of(selection.name) in jobs:
        return [selector]

    if method not in METHODS:
        raise UnknownName(
            f"{selector}: the method {method} is not known; use {', '.join(METHODS)} or a name"
        )

    names = [job.name for job in jobs.values() if job.is_data and METHODS[method](job, value, root)]
    if not names:
        raise UnknownName(f"{selector} selects nothing that is built")

    before, after = selector.split(selection.name, 1)
    return [f"{before}{name}{after}" for name in names]


def _has_tag(job: Job, tag: str, root: Path) -> bool:
    """Tell whether a job has a tag."""
    return tag in job.step.tags


def _is_below(job: Job, path: str, root: Path) -> bool:
    """Tell whether the file of a node is that file, or is in that folder of the project."""
    file = Path(job.step.file)
    return job.kind != "source" and (root / path).resolve() in (
        file.resolve(),
        *file.resolve().parents,
    )


METHODS: dict[str, Callable[[Job, str, Path], bool]] = {"tag": _has_tag, "path": _is_below}
"""Methods of selection, as dbt calls them."""


def datasets_of(text: str, graph: Graph, edges: list[TableEdge]) -> set[Dataset]:
    """The dataset itself, and those within so many hops. Upstream of a column is all that its model
    is built from;
    downstream of a column are the models that a change of it reaches."""
    selection = parse(text) or Selection(text)
    at = graph.find(selection.name)
    start = dataset_of(at)
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


def _jobs_along(keys: set[str], jobs: Mapping[str, Job]) -> set[str]:
    """Return the jobs that come along with those selected."""
    found: set[str] = set()
    border = set(keys)
    while border:
        needs = {other for key in border for other in jobs[key].needs if other in jobs}
        border = {key for key in needs if jobs[key].comes_along} - found
        found |= border

    return found


def _tests_of(keys: set[str], job: Job) -> bool:
    """Tell whether a job is a separate test that reads a selected dataset."""
    return job.kind == "test" and bool(job.needs & keys)

"""The boundary around what is made of a whole graph: a dataset over which that fails is left out, and reported.

    text = sound_part(extraction, lambda part: view(Graph(part)))

Nothing is paid for it while nothing fails. After a failure the guilty datasets are found by halves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from lineal.graph.graph import Graph
from lineal.model.boundary import Failures, Passing, culprits, is_debugging
from lineal.model.diagnostic import Place
from lineal.model.edge import Dataset
from lineal.model.extraction import DatasetInfo, Extraction

Made = TypeVar("Made")


def graph_of(extraction: Extraction) -> Graph:
    """The graph of an extraction, as far as one can be made."""
    return sound_part(extraction, Graph)


def sound_part(extraction: Extraction, work: Callable[[Extraction], Made]) -> Made:
    """What some work makes of an extraction, without the datasets over which it fails."""
    return sound_parts([extraction], lambda parts: work(parts[0]))


def sound_parts(extractions: Sequence[Extraction], work: Callable[[list[Extraction]], Made]) -> Made:
    """The same for several extractions, from which the same datasets are left out; the last one tells of failures.

    If looking something up fails meanwhile, the work is done again: what it says of coverage was said too early.
    A failure that is no dataset's is raised: nothing can be made at all.
    """
    failures = extractions[-1].failures
    failed = sum(extraction.failures.count for extraction in extractions)
    try:
        made = work([without(extraction, failures.left_out) for extraction in extractions])
        if sum(extraction.failures.count for extraction in extractions) == failed:
            return made
    except Exception as error:
        if isinstance(error, Passing) or is_debugging():
            raise
        guilty = _guilty(extractions, work)
        if not guilty:
            raise
        for dataset, problem in guilty:
            _leave_out(dataset, problem, extractions, failures)
    return work([without(extraction, failures.left_out) for extraction in extractions])


def _guilty(
    extractions: Sequence[Extraction], work: Callable[[list[Extraction]], Made]
) -> list[tuple[Dataset, Exception]]:
    """The datasets over which some work fails; none, if it fails without any of them, too."""
    targets = list(dict.fromkeys(target for extraction in extractions for target in _targets(extraction)))

    def work_on(some: Iterable[Dataset]) -> Made:
        others = {*targets} - {*some}
        return work([without(extraction, others) for extraction in extractions])

    try:
        work_on([])
    except Exception:
        return []
    return culprits(targets, work_on)


def _leave_out(dataset: Dataset, error: Exception, extractions: Sequence[Extraction], failures: Failures) -> None:
    place = next(filter(None, (_place_of(dataset, extraction) for extraction in reversed(extractions))), None)
    failures.left_out.add(dataset)
    failures.add(error, place, dataset, f"lineage of {dataset.name}")


def _targets(extraction: Extraction) -> Iterable[Dataset]:
    yield from extraction.datasets
    yield from (edge.into for edge in extraction.edges)


def _place_of(dataset: Dataset, extraction: Extraction) -> Place | None:
    """Where a dataset is made, as far as that can still be looked up."""
    try:
        info = extraction.datasets.get(dataset)
        places = (edge.place for edge in extraction.edges if edge.into == dataset)
        return next(filter(None, places), None) or (info.place if info is not None else None)
    except Exception:
        return None


def without(extraction: Extraction, left_out: Iterable[Hashable]) -> Extraction:
    """An extraction of which some datasets are known by name only; it counts and reports as the whole does."""
    names = {*left_out}
    if not names:
        return extraction
    return Extraction(
        edges=[edge for edge in extraction.edges if edge.into not in names],
        reads=lambda: [read for read in extraction.reads if read.target not in names],
        datasets=lambda: {
            dataset: DatasetInfo(dataset, "table") if dataset in names else info
            for dataset, info in extraction.datasets.items()
        },
        diagnostics=extraction.diagnostics,
        coverage=extraction.coverage,
        occurrences=extraction.occurrences,
        statements=lambda: [each for each in extraction.statements if each.target not in names],
        jobs=lambda: [job for job in extraction.jobs if names.isdisjoint(job.outputs)],
        failures=extraction.failures,
    )

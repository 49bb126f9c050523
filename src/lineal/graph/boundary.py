"""The boundary around a computation over a whole graph: datasets that make it fail are left out and
reported.

    text = sound_part(extraction, lambda part: view(Graph(part)))

Nothing is paid for it while nothing fails. After a failure the guilty datasets are found by halves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import TypeVar

from lineal.graph.graph import Graph
from lineal.model.boundary import FAILED, Failures, culprits, let_pass
from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.edge import Dataset, Edge, Read
from lineal.model.extraction import DatasetInfo, Extraction

Made = TypeVar("Made")


def graph_of(extraction: Extraction) -> Graph:
    """The graph of an extraction, as far as one can be made."""
    return sound_part(extraction, Graph)


def sound_part(extraction: Extraction, work: Callable[[Extraction], Made]) -> Made:
    """Apply some work to an extraction, without the datasets over which it fails."""
    return sound_parts([extraction], lambda parts: work(parts[0]))


def sound_parts(
    extractions: Sequence[Extraction], work: Callable[[list[Extraction]], Made]
) -> Made:
    """The same for several extractions, from which the same datasets are left out; the last one
    tells of failures.

    If looking something up fails meanwhile, the work is done again: what it says of coverage was
    said too early. A failure that is no dataset's is raised: nothing can be made at all.
    """
    failures = extractions[-1].failures
    failed = sum(extraction.failures.count for extraction in extractions)
    try:
        made = work([shown_part(extraction, failures) for extraction in extractions])
        if sum(extraction.failures.count for extraction in extractions) == failed:
            return made
    except Exception as error:
        let_pass(error)
        told = _leave_diagnostics(extractions, work)
        leaves = (without_edges_into, drop_datasets)
        helps = any(_leave_out(extractions, work, leave) for leave in leaves)
        if not told and not helps:
            raise

    try:
        return work([shown_part(extraction, failures) for extraction in extractions])
    except Exception as error:
        let_pass(error)
        if not _leave_diagnostics(extractions, work):  # the reports of failures, this time
            raise

    return work([shown_part(extraction, failures) for extraction in extractions])


def shown_part(extraction: Extraction, failures: Failures) -> Extraction:
    """An extraction without what nothing can be shown of."""
    made = without_edges_into(extraction, failures.left_out)
    return drop_datasets(made, failures.unseen)


Leave = Callable[[Extraction, Iterable[Hashable]], Extraction]


def _leave_out(
    extractions: Sequence[Extraction], work: Callable[[list[Extraction]], Made], leave: Leave
) -> bool:
    """Find the datasets over which some work fails, and leave them out from now on; whether that
    helps.
    """
    failures = extractions[-1].failures
    targets = list(dict.fromkeys(chain.from_iterable(map(_targets, extractions))))

    def work_on(some: Iterable[Dataset]) -> Made:
        """Do the work without all targets but these."""
        others = {*targets} - {*some}
        return work([leave(shown_part(extraction, failures), others) for extraction in extractions])

    try:
        work_on([])
    except Exception:
        return False

    guilty = culprits(targets, work_on)
    for dataset, problem in guilty:
        (failures.left_out if leave is without_edges_into else failures.unseen).add(dataset)
        failures.add(
            problem, _place_of(dataset, extractions), dataset, f"the lineage of {dataset.name}"
        )

    return bool(guilty)


def _leave_diagnostics(
    extractions: Sequence[Extraction], work: Callable[[list[Extraction]], Made]
) -> bool:
    """Find the diagnostics over which some work fails, and put failures in their place; whether
    that helps.
    """
    failures = extractions[-1].failures
    found = list(dict.fromkeys(chain.from_iterable(part.diagnostics for part in extractions)))

    def work_on(some: Iterable[Diagnostic]) -> Made:
        """Do the work with only these diagnostics, and without any dataset."""
        parts = [drop_datasets(extraction, _targets(extraction)) for extraction in extractions]
        return work([_with_diagnostics(part, some) for part in parts])

    guilty = culprits(found, work_on)
    for diagnostic, problem in guilty:
        for extraction in extractions:
            kept = [each for each in extraction.diagnostics if each != diagnostic]
            extraction.diagnostics[:] = kept

        what = f"the diagnostic {diagnostic.code.code}"
        place = None if diagnostic.code in FAILED else diagnostic.place
        failures.add(problem, place, diagnostic, what)

    return bool(guilty)


def _targets(extraction: Extraction) -> Iterable[Dataset]:
    """Yield every dataset that the extraction knows or writes."""
    yield from extraction.datasets
    yield from (edge.into for edge in extraction.edges)


def _place_of(dataset: Dataset, extractions: Sequence[Extraction]) -> Place | None:
    """Where a dataset is made, as far as that can still be looked up."""
    try:
        for extraction in reversed(extractions):
            info = extraction.datasets.get(dataset)
            places = (edge.place for edge in extraction.edges if edge.into == dataset)
            found = next(filter(None, places), None) or (info.place if info is not None else None)
            if found is not None:
                return found
    except Exception:
        return None

    return None


def without_edges_into(extraction: Extraction, left_out: Iterable[Hashable]) -> Extraction:
    """An extraction of which some datasets are known by name only: nothing tells how they are made."""
    names = {*left_out}
    if not names:
        return extraction

    return _reduce(
        extraction,
        lambda edge: edge.into not in names,
        lambda read: read.target not in names,
        lambda: {
            dataset: DatasetInfo(dataset, "table") if dataset in names else info
            for dataset, info in extraction.datasets.items()
        },
        names,
    )


def drop_datasets(extraction: Extraction, unseen: Iterable[Hashable]) -> Extraction:
    """Return an extraction without some datasets: edges into them and edges from them are removed,
    and so are the reads of them.
    """
    names = {*unseen}
    if not names:
        return extraction

    return _reduce(
        extraction,
        lambda edge: edge.into not in names and edge.source.dataset not in names,
        lambda read: read.target not in names and read.dataset not in names,
        lambda: {
            dataset: info for dataset, info in extraction.datasets.items() if dataset not in names
        },
        names,
    )


def _reduce(
    extraction: Extraction,
    has_edge: Callable[[Edge], bool],
    has_read: Callable[[Read], bool],
    datasets: Callable[[], dict[Dataset, DatasetInfo]],
    names: set[Hashable],
) -> Extraction:
    """A part of an extraction, which counts and reports as the whole does."""
    return Extraction(
        edges=list(filter(has_edge, extraction.edges)),
        reads=lambda: list(filter(has_read, extraction.reads)),
        datasets=datasets,
        diagnostics=extraction.diagnostics,
        coverage=extraction.coverage,
        occurrences=extraction.occurrences,
        statements=lambda: [each for each in extraction.statements if each.target not in names],
        jobs=lambda: [job for job in extraction.jobs if names.isdisjoint(job.outputs)],
        failures=extraction.failures,
    )


def _with_diagnostics(extraction: Extraction, diagnostics: Iterable[Diagnostic]) -> Extraction:
    """An extraction with other diagnostics, to try some work on: nobody is told of its failures."""
    return Extraction(
        edges=extraction.edges,
        reads=lambda: extraction.reads,
        datasets=lambda: extraction.datasets,
        diagnostics=[*diagnostics],
        coverage=extraction.coverage,
        occurrences=extraction.occurrences,
        statements=lambda: extraction.statements,
        jobs=lambda: extraction.jobs,
        failures=Failures(),
    )

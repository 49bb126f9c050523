"""Join lineage that other tools saved or reported with the lineage that lineal reads from text: one
graph.

    events.ndjson: raw.orders → stg_orders        mart.sql: CREATE TABLE mart AS SELECT … FROM
    stg_orders

A dataset of the same name is the same dataset, unless the two say that they stand in different
namespaces. What is given of a dataset's columns counts as its schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from lineal.model import names
from lineal.model.diagnostic import order_of
from lineal.model.edge import Column, Dataset, Edge, Read, Usage
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.model.grouping import group
from lineal.model.job import Job
from lineal.model.ledger import Coverage
from lineal.model.script import Corpus
from lineal.model.sequences import first_or_none, flatten
from lineal.model.statement import Statement

Same = dict[Dataset, Dataset]


def add_schemas(corpus: Corpus) -> Corpus:
    """The corpus, with the schemas that are given and not declared."""
    declared = {_key(info.dataset) for info in corpus.datasets}
    learnt: dict[str, DatasetInfo] = {}
    infos = flatten(given.datasets.values() for given in corpus.given)
    spaces: dict[str, set[str]] = {}
    for info in infos:
        spaces.setdefault(_key(info.dataset), set()).add(info.dataset.namespace)

    for info in infos:
        key, namespace = _key(info.dataset), info.dataset.namespace
        alone = not corpus.namespace and len(spaces[key]) == 1
        if key not in declared and (not namespace or namespace == corpus.namespace or alone):
            learnt.setdefault(key, info)

    return replace(corpus, datasets=[*corpus.datasets, *learnt.values()], given=[])


def unite_imported(found: Extraction, given: Sequence[Extraction]) -> Extraction:
    """Join the extraction with the imported ones; an edge that several have is kept once."""
    for each in given:
        found = _unite_two(found, each)

    return found


def _unite_two(found: Extraction, given: Extraction) -> Extraction:
    """Unite two extractions; datasets of the same name become one."""
    same = _same_datasets(found.datasets, given.datasets)
    homes = {
        other: Dataset(dataset.namespace, other.name)
        for dataset, other in same.items()
        if dataset.namespace and not other.namespace
    }
    if homes:
        found = _move_to_homes(found, homes)
        same = {dataset: homes.get(other, other) for dataset, other in same.items()}

    coverage = Coverage()
    coverage.add(found.coverage)
    coverage.add(given.coverage)
    datasets = dict(found.datasets)
    for dataset, info in given.datasets.items():
        dataset = same.get(dataset, dataset)
        datasets[dataset] = _fuller_info(datasets[dataset], info) if dataset in datasets else info

    both = Extraction(
        edges=list(_edges([*found.edges, *(_rename_edge(edge, same) for edge in given.edges)])),
        reads=list(
            dict.fromkeys([*found.reads, *(_rename_read(read, same) for read in given.reads)])
        ),
        datasets=datasets,
        diagnostics=sorted({*found.diagnostics, *given.diagnostics}, key=order_of),
        coverage=coverage,
        occurrences=[*found.occurrences, *given.occurrences],
        statements=lambda: list(
            dict.fromkeys(
                [*found.statements, *(_rename_statement(each, same) for each in given.statements)]
            )
        ),
        jobs=lambda: [*found.jobs, *(_rename_job(job, same) for job in given.jobs)],
        texts={**found.texts, **given.texts},
        failures=found.failures,
    )
    given.failures.follow(both.diagnostics, both.coverage)
    return both


def _move_to_homes(found: Extraction, homes: Same) -> Extraction:
    """Rename the datasets of a text, which does not name their database, as the imported lineage
    does.
    """
    return Extraction(
        edges=[_rename_edge(edge, homes) for edge in found.edges],
        reads=[_rename_read(read, homes) for read in found.reads],
        datasets={
            homes.get(dataset, dataset): replace(info, dataset=homes[dataset])
            if dataset in homes
            else info
            for dataset, info in found.datasets.items()
        },
        diagnostics=found.diagnostics,
        coverage=found.coverage,
        occurrences=found.occurrences,
        statements=lambda: [_rename_statement(each, homes) for each in found.statements],
        jobs=lambda: [_rename_job(job, homes) for job in found.jobs],
        texts=found.texts,
        failures=found.failures,
    )


def _same_datasets(found: Iterable[Dataset], given: Iterable[Dataset]) -> Same:
    """Given dataset → the one that was found under its name; one without a namespace is that of no
    two namespaces.
    """
    known = group(found, _key)
    pairs = {
        dataset: other
        for dataset in given
        if (other := _match(dataset, known.get(_key(dataset), []))) is not None
    }
    spaces: dict[Dataset, set[str]] = {}
    for dataset, other in pairs.items():
        spaces.setdefault(other, set()).add(dataset.namespace)

    return {
        dataset: other
        for dataset, other in pairs.items()
        if dataset.namespace == other.namespace or len(spaces[other]) == 1
    }


def _match(dataset: Dataset, alike: list[Dataset]) -> Dataset | None:
    """The same name in the same case and namespace, as far as any is spelt so and says one."""
    near = [other for other in alike if not (dataset.namespace and other.namespace)]
    there = [other for other in alike if other.namespace == dataset.namespace] or near
    spelt = [other for other in there if other.name == dataset.name] or there
    return first_or_none(spelt)


def _key(dataset: Dataset) -> str:
    """Return the name of a dataset without regard to case."""
    return names.insensitive(dataset.name, False)


def _fuller_info(info: DatasetInfo, other: DatasetInfo) -> DatasetInfo:
    """The one that knows the columns, or knows them all."""
    better = (
        other
        if (other.complete, bool(other.columns)) > (info.complete, bool(info.columns))
        else info
    )
    return replace(
        better,
        dataset=info.dataset,
        description=info.description or other.description,
        place=info.place or other.place,
        declared=other.declared
        if info.declared is None or info.declared is other.columns
        else info.declared,
        produced=other.produced if info.produced is None else info.produced,
        terminal=info.terminal or other.terminal,
    )


def _rename_edge(edge: Edge, same: Same) -> Edge:
    """Return an edge between the datasets that its ends are united with."""
    source, target = edge.source, edge.target
    if source.dataset not in same and edge.into not in same:
        return edge

    goal = _column(target, same) if isinstance(target, Column) else same.get(target, target)
    return Edge(_column(source, same), goal, edge.usages)


def _column(column: Column, same: Same) -> Column:
    """Return a column of the dataset that its own is united with."""
    return Column(same.get(column.dataset, column.dataset), column.name, column.path)


def _rename_read(read: Read, same: Same) -> Read:
    """Return a read of the datasets that its own are united with."""
    return read._replace(
        target=same.get(read.target, read.target), dataset=same.get(read.dataset, read.dataset)
    )


def _rename_statement(statement: Statement, same: Same) -> Statement:
    """Return a statement of the dataset that its target is united with."""
    return statement._replace(target=_same_dataset(statement.target, same))


def _rename_job(job: Job, same: Same) -> Job:
    """Return a job of the datasets that its outputs are united with."""
    return replace(job, outputs=tuple(_same_dataset(output, same) for output in job.outputs))


def _same_dataset(dataset: Dataset, same: Same) -> Dataset:
    """Return the dataset that another one is united with."""
    return same.get(dataset, dataset)


def _edges(edges: Iterable[Edge]) -> Iterator[Edge]:
    """One edge per pair, with the usages of all."""
    pairs = group(edges, lambda edge: (edge.source, edge.target))
    for (source, target), several in pairs.items():
        yield several[0] if len(several) == 1 else Edge(source, target, _usages(several))


def _usages(edges: Iterable[Edge]) -> tuple[Usage, ...]:
    """Return the usages of several edges, each once."""
    usages = chain.from_iterable(edge.usages for edge in edges)
    return tuple(
        {
            (usage.way, usage.doubt, usage.place, usage.expression): usage for usage in usages
        }.values()
    )

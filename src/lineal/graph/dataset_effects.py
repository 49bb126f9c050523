"""Effects of a change of a whole dataset: those of all of its columns, and of everybody who reads it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from lineal.graph.change import DROP, Change
from lineal.graph.effects import (
    BREAKS,
    REVALUED,
    ColumnEffect,
    DatasetEffect,
    DescriptionEffect,
    Effects,
    column_rank,
    dataset_rank,
    effects,
)
from lineal.graph.graph import Graph
from lineal.graph.names_used import NamesUsed
from lineal.model.consumers import CONSUMERS, VIRTUAL
from lineal.model.edge import Column, Dataset
from lineal.model.sequences import flatten


def effects_on_dataset(graph: Graph, dataset: Dataset, change: Change) -> Effects:
    """Return what a change of every column of a dataset does, the worst first."""
    used = NamesUsed(graph)
    found = [effects(graph, column, change, used) for column in graph.columns(dataset)]
    columns = worst_columns(chain.from_iterable(part.columns for part in found))
    columns = [each for each in columns if each.column.dataset != dataset]
    counts: dict[Dataset, int] = {}
    for each in columns:
        counts[each.column.dataset] = counts.get(each.column.dataset, 0) + 1

    several = flatten((*part.datasets, *part.consumers) for part in found)
    datasets = [
        replace(each, columns=counts.get(each.dataset, 0))
        for each in worst_datasets([*several, *readers(graph, dataset, change)])
        if each.dataset != dataset
    ]
    return Effects(
        dataset,
        change,
        tuple(columns),
        tuple(each for each in datasets if each.kind not in CONSUMERS),
        tuple(each for each in datasets if each.kind in CONSUMERS),
        tuple(descriptions(chain.from_iterable(part.descriptions for part in found))),
    )


def worst_columns(several: Iterable[ColumnEffect]) -> list[ColumnEffect]:
    """Return the worst effect on each column, the worst of them first."""
    found: dict[Column, ColumnEffect] = {}
    for each in sorted(several, key=column_rank):
        found.setdefault(each.column, each)

    return list(found.values())


def worst_datasets(several: Iterable[DatasetEffect]) -> list[DatasetEffect]:
    """Return the worst effect on each dataset, the worst of them first."""
    found: dict[Dataset, DatasetEffect] = {}
    for each in sorted(several, key=dataset_rank):
        found.setdefault(each.dataset, each)

    return list(found.values())


def readers(graph: Graph, dataset: Dataset, change: Change) -> Iterable[DatasetEffect]:
    """Yield the datasets that read the dataset, also those that name none of its columns.

    A semantic model without its model has no measures, be they counts of rows: every metric of it
    is affected, too, and so are the metrics and saved queries of that one.
    """
    effect = BREAKS if change.kind == DROP else REVALUED
    distances = {dataset: 0}
    waiting = [dataset]
    while waiting:
        source = waiting.pop(0)
        for read in (each for each in graph.reads if each.dataset == source):
            info = graph.infos.get(read.target)
            kind = info.kind if info is not None else "table"
            distance = distances[source] + 1
            yield DatasetEffect(
                read.target, kind, effect, 0, distance, f"reads {source}", read.place
            )
            if kind in VIRTUAL and read.target not in distances:
                distances[read.target] = distance
                waiting.append(read.target)


def descriptions(several: Iterable[DescriptionEffect]) -> list[DescriptionEffect]:
    """Return each description once."""
    found: dict[Column | Dataset, DescriptionEffect] = {}
    for each in several:
        found.setdefault(each.at, each)

    return list(found.values())

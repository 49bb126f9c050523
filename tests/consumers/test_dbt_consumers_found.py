"""Every test, measure and metric that names a column is found when the column is dropped.

The expectations come from the YAML files of a project, by a reader that shares nothing with lineal.
LINEAL_HELD_OUT names a folder of checkouts of other projects; `make test-consumers HELD_OUT=folder`
sets it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from dbt_expectations import Expected, expectations
from held_out import dbt_projects

import lineal
from lineal.graph.change import parse
from lineal.graph.effects import BREAKS, effects
from lineal.graph.graph import Graph
from lineal.model.edge import Column, Dataset
from lineal.rules import unused_column
from lineal.rules.rule import Subject

PROJECTS = dbt_projects()


def graph_and_expected(folder: Path) -> tuple[Graph, Expected]:
    return lineal.lineage(folder).graph, expectations(folder)


def broken_by(graph: Graph, owner: str, name: str) -> set[str] | None:
    """The consumers that break where a column is dropped; None if there is no such column."""
    info = graph.infos.get(Dataset("", owner))
    if info is None:
        return None
    known = {each.lower(): each for each in info.names}
    if name not in known:
        return None
    found = effects(graph, Column(info.dataset, known[name]), parse("drop"))
    return {each.dataset.name for each in found.consumers if each.effect == BREAKS}


def missing(graph: Graph, expected: Expected) -> tuple[int, int, list[str]]:
    """How many consumers were looked for, how many name a column that no statement makes or reads,
    and those that were not found.
    """
    count = unknown = 0
    lost: list[str] = []
    for (owner, name), consumers in sorted((*expected.tests.items(), *expected.layer.items())):
        found = broken_by(graph, owner, name)
        if found is None:
            unknown += len(consumers)
            continue
        for each in consumers:
            count += 1
            is_found = each in found if ":" in each else any(each in other for other in found)
            if not is_found:
                lost.append(f"{owner}.{name}: {each}")
    return count, unknown, lost


@pytest.mark.parametrize("folder", PROJECTS, ids=[each.name for each in PROJECTS])
def test_each_consumer_that_names_a_dropped_column_breaks(folder: Path) -> None:
    graph, expected = graph_and_expected(folder)
    count, unknown, lost = missing(graph, expected)
    print(f"{folder.name}: {count - len(lost)} of {count} consumers found; {unknown} of no column")
    assert lost == []
    assert count or not (expected.tests or expected.layer)


@pytest.mark.parametrize("folder", PROJECTS, ids=[each.name for each in PROJECTS])
def test_no_model_that_a_metric_reads_is_unread(folder: Path) -> None:
    graph, expected = graph_and_expected(folder)
    messages = [each.message for each in unused_column.find(Subject(graph))]
    unread = {each.removeprefix("nothing reads ") for each in messages}
    assert unread.isdisjoint(expected.measured)

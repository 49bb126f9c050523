"""Events of invented graphs: each is valid, and reading them gives the same events again,
byte for byte.

LINEAL_OPENLINEAGE_EVENTS says how many events there are to be: 5,000 take half a minute.
"""

from __future__ import annotations

import json
import os
from itertools import count
from random import Random

import pytest
from random_graphs import Invented
from spec import check

import lineal
from lineal.graph.graph import Graph
from lineal.model.extraction import Extraction
from lineal.model.way import Confidence
from lineal.projects.openlineage import extraction_of_texts
from lineal.store.saved import read_text, write_text
from lineal.views.openlineage import EVENTS, FACETS, Emission, view
from lineal.views.report import report_of_all

MANY = int(os.environ.get("LINEAL_OPENLINEAGE_EVENTS", "500"))


def emission(seed: int) -> Emission:
    random = Random(-seed - 1)
    return Emission(
        "2024-01-01T00:00:00Z",
        events=random.choice(EVENTS),
        facets=random.choice(FACETS),
        legacy=random.random() < 0.5,
        describe=random.random() < 0.5,
        namespace=random.choice(("", "food_delivery", "é")),
        prefixes=random.choice(((), (("a", "postgres://a:1"),))),
        job_namespace=random.choice(("", "jobs")),
        repository=random.choice(("", "https://git.example.com/blob/main")),
        version=random.choice(("", "abc")),
    )


def emitted(extraction: Extraction, chosen: Emission) -> str:
    return view(report_of_all(Graph(extraction)), chosen)


def test_events_are_valid_and_survive_a_round_trip() -> None:
    total = 0
    for seed in count():
        chosen = emission(seed)
        text = emitted(Invented(seed).extraction(), chosen)
        events = [json.loads(line) for line in text.splitlines()]
        for event in events:
            check(event)
        read = extraction_of_texts([("events.ndjson", text)])
        assert read.diagnostics == [], seed
        assert emitted(read, chosen) == text, seed
        total += len(events)
        if total >= MANY:
            break


@pytest.mark.parametrize("facets", FACETS)
@pytest.mark.parametrize("legacy", [False, True])
def test_doubts_survive_a_round_trip(facets: str, legacy: bool) -> None:
    found = lineal.lineage(
        {"v": "SELECT a.x, y FROM a JOIN b ON a.id = b.id WHERE z > 0", "w": "SELECT * FROM v, c"}
    )
    chosen = Emission("2024-01-01T00:00:00Z", facets=facets, legacy=legacy)
    read = extraction_of_texts([("events.ndjson", emitted(found.extraction, chosen))])
    doubts = {
        (str(edge.source), str(edge.target)): (edge.level, edge.ambiguous) for edge in found.edges
    }
    assert {(Confidence.LOW, True), (Confidence.HIGH, False)} <= set(doubts.values())
    assert {
        (str(edge.source), str(edge.target)): (edge.level, edge.ambiguous) for edge in read.edges
    } == doubts


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_events_does_not_matter(seed: int) -> None:
    chosen = emission(seed)
    lines = emitted(Invented(seed).extraction(), chosen).splitlines(keepends=True)
    Random(seed).shuffle(lines)
    shuffled = extraction_of_texts([("events.ndjson", "".join(lines))])
    assert sorted(emitted(shuffled, chosen).splitlines(keepends=True)) == sorted(lines)


@pytest.mark.parametrize("seed", range(20))
def test_a_saved_lineage_gives_the_same_events(seed: int) -> None:
    extraction, chosen = Invented(seed).extraction(), emission(seed)
    assert emitted(read_text(write_text(extraction)), chosen) == emitted(extraction, chosen)

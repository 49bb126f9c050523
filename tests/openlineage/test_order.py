"""Fields of `columnLineage` keep the order of the SELECT list, whatever the events went through;
START says it all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from spec import check

import lineal
from generators.rounds import draw_examples, fixed_examples
from generators.strategies import select_lists
from lineal.cli import main
from lineal.graph.graph import Graph
from lineal.projects.openlineage import extraction_of_texts
from lineal.store.saved import read_text, write_text
from lineal.views.openlineage import Emission, events, view
from lineal.views.report import report_of_all

TIME = "2024-01-01T00:00:00Z"
NAMES = ["zeta", "alpha", "Mid", "b_2", "b_10", "order", "ä", "_x", "id", "ID2", "name", "z"]
KINDS = (
    't."{0}"',
    't."{0}" + t."w" AS "{0}"',
    'max(t."{0}") OVER (PARTITION BY t."k") AS "{0}"',
)


def fields(event: dict[str, Any]) -> list[str]:
    return list(event["outputs"][0]["facets"]["columnLineage"]["fields"])


@st.composite
def shuffled(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A statement whose SELECT list has the columns in some order, and that order."""
    items, names = draw(select_lists(NAMES, KINDS))
    where = draw(st.sampled_from(("", ' WHERE t."q" > 0 AND t."alpha" > 1')))
    head = draw(st.sampled_from(("CREATE TABLE v AS ", "CREATE VIEW v AS ", "INSERT INTO v ")))
    return f'{head}SELECT {items} FROM "t" AS t{where}', names


def emissions() -> st.SearchStrategy[Emission]:
    """The forms of events that name the fields of a dataset."""
    return st.builds(
        Emission,
        st.just(TIME),
        legacy=st.booleans(),
        events=st.sampled_from(("job", "run")),
        facets=st.sampled_from(("legacy", "both")),
    )


@fixed_examples(40)
@given(shuffled(), emissions())
def test_fields_keep_the_order_of_the_select_list(
    drawn: tuple[str, list[str]], chosen: Emission
) -> None:
    text, names = drawn
    found = lineal.lineage(text, dialect="postgres").extraction
    first = view(report_of_all(Graph(found)), chosen)
    again = extraction_of_texts([("events.ndjson", first)])
    for extraction in (found, again, read_text(write_text(found)), read_text(write_text(again))):
        for event in events(report_of_all(Graph(extraction)), chosen):
            check(event)
            assert fields(event) == names


def test_a_store_keeps_the_order(tmp_path: Path) -> None:
    file = tmp_path / "v.sql"
    text, names = draw_examples(shuffled(), 7, 20)[-1]
    file.write_text(text)
    store = tmp_path / "lineage.db"
    runner = CliRunner()
    loaded = runner.invoke(
        main, ["store", "load", str(file), "--store", str(store), "--dialect", "postgres"]
    )
    assert loaded.exit_code == 0, loaded.output
    told = runner.invoke(main, ["emit", str(store), "--event-time", TIME])
    assert told.exit_code == 0, told.output
    assert fields(json.loads(told.stdout.splitlines()[0])) == names


def test_a_column_list_names_the_fields_in_its_own_order() -> None:
    text = "CREATE TABLE v (a int, b int, c int, d int); INSERT INTO v (d, b, a) SELECT x, 1, z FROM t WHERE w > 0"
    found = report_of_all(Graph(lineal.lineage(text).extraction))
    (plain,) = events(found, Emission(TIME))
    assert fields(plain) == ["d", "a"]
    (legacy,) = events(found, Emission(TIME, legacy=True))
    # b and c have only what decides the rows: as the schema has them
    assert fields(legacy) == ["d", "b", "c", "a"]


@pytest.mark.parametrize("legacy", [False, True])
def test_sorted_keys_of_other_producers_are_put_in_the_order_of_the_schema(legacy: bool) -> None:
    names = ["zeta", "alpha", "mid"]
    row = {
        "namespace": "n",
        "name": "t",
        "field": "q",
        "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}],
    }
    own = {
        name: [
            {"namespace": "n", "name": "t", "field": name, "transformations": [{"type": "DIRECT"}]}
        ]
        for name in sorted(names)
    }
    facet = {
        "_producer": "https://example.com",
        "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json",
        "fields": {
            name: {"inputFields": [*inputs, *([row] if legacy else [])]}
            for name, inputs in own.items()
        },
        "dataset": [] if legacy else [row],
    }
    schema = {"_producer": "https://example.com", "fields": [{"name": name} for name in names]}
    event = {
        "eventTime": TIME,
        "job": {"namespace": "n", "name": "j"},
        "outputs": [
            {"namespace": "n", "name": "v", "facets": {"columnLineage": facet, "schema": schema}}
        ],
    }
    read = extraction_of_texts([("events.ndjson", json.dumps(event))])
    (told,) = events(report_of_all(Graph(read)), Emission(TIME))
    assert fields(told) == names


def test_a_start_event_names_inputs_and_outputs() -> None:
    text = "CREATE TABLE v AS SELECT b, a FROM t JOIN u ON t.id = u.id"
    start, complete = events(
        report_of_all(Graph(lineal.lineage(text).extraction)), Emission(TIME, events="run")
    )
    assert (start["eventType"], complete["eventType"]) == ("START", "COMPLETE")
    assert list(start)[:2] == ["eventType", "eventTime"]
    assert [each["name"] for each in start["inputs"]] == ["t", "u"]
    assert fields(start) == ["b", "a"]
    assert {**start, "eventType": "COMPLETE"} == complete

"""What other producers report: facets old and new, runs in pieces, and events that are not as they
should be.
"""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import lineal
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.way import Confidence
from lineal.projects.openlineage import extraction_of_texts

Json = dict[str, Any]
FACET = {
    "_producer": "https://producer.example.com",
    "_schemaURL": "https://openlineage.io/spec/x.json",
}
RUN = "0176a8c2-fe01-7439-87e6-56a1a1b4029f"


def dataset(name: str, **facets: Json) -> Json:
    return {
        "namespace": "db",
        "name": name,
        "facets": {key: {**FACET, **value} for key, value in facets.items()},
    }


def source(name: str, column: str, *subtypes: str) -> Json:
    direct = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")
    told = [
        {"type": "DIRECT" if each in direct else "INDIRECT", "subtype": each} for each in subtypes
    ]
    return {
        "namespace": "db",
        "name": name,
        "field": column,
        **({"transformations": told} if told else {}),
    }


def columns(fields: dict[str, list[Json]], **more: Any) -> Json:
    return {"fields": {name: {"inputFields": inputs} for name, inputs in fields.items()}, **more}


def event(state: str, *, at: int = 0, job: str = "load", run: str = RUN, **parts: Any) -> Json:
    told = {
        "eventType": state,
        "eventTime": f"2024-01-01T00:00:{at:02}Z",
        "producer": "https://producer.example.com",
    }
    about = {
        "run": {"runId": run},
        "job": {"namespace": "jobs", "name": job, "facets": parts.pop("facets", {})},
    }
    return {
        **told,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json",
        **about,
        **parts,
    }


def read(*events: Any) -> Extraction:
    return extraction_of_texts(
        [("events.ndjson", "".join(f"{json.dumps(each)}\n" for each in events))]
    )


def edges(found: Extraction) -> set[str]:
    return {str(edge) for edge in found.edges}


def codes(found: Extraction) -> list[str]:
    return [diagnostic.code.code for diagnostic in found.diagnostics]


def tables(found: Extraction) -> set[tuple[str, str]]:
    return {(read.dataset.name, read.target.name) for read in found.reads}


# -- facets ----------------------------------------------------------------------------------------


def test_row_usages_are_in_dataset() -> None:
    facet = columns({"x": [source("t", "a", "IDENTITY")]}, dataset=[source("t", "k", "FILTER")])
    found = read(
        event("COMPLETE", inputs=[dataset("t")], outputs=[dataset("v", columnLineage=facet)])
    )
    assert edges(found) == {"t.a -> v.x  IDENTITY", "t.k => v  FILTER"}
    assert found.diagnostics == []


def test_row_usages_of_every_field_belong_to_the_dataset() -> None:
    rows = source("t", "k", "FILTER")
    facet = columns(
        {"x": [source("t", "a", "IDENTITY"), rows], "y": [source("t", "b", "AGGREGATION"), rows]}
    )
    found = read(event("COMPLETE", outputs=[dataset("v", columnLineage=facet)]))
    assert edges(found) == {"t.a -> v.x  IDENTITY", "t.b -> v.y  AGGREGATION", "t.k => v  FILTER"}


def test_row_usages_of_one_field_stay_with_it() -> None:
    facet = columns(
        {"x": [source("t", "k", "FILTER")], "y": [source("t", "b", "IDENTITY", "CONDITIONAL")]}
    )
    found = read(event("COMPLETE", outputs=[dataset("v", columnLineage=facet)]))
    assert edges(found) == {"t.k -> v.x  FILTER", "t.b -> v.y  CONDITIONAL, IDENTITY"}


def test_old_facets_and_unknown_subtypes_are_read() -> None:
    old = {"fields": {"x": {"inputFields": [source("t", "a")], "transformationType": "MASKED"}}}
    odd = source("t", "b")
    odd["transformations"] = [{"type": "INDIRECT", "subtype": "VIBES"}, {"type": "DIRECT"}]
    old["fields"]["y"] = {"inputFields": [odd]}
    old["fields"]["z"] = {"inputFields": [source("t", "c")]}
    found = read(event("COMPLETE", outputs=[dataset("v", columnLineage=old)]))
    assert edges(found) == {
        "t.a -> v.x  TRANSFORMATION",
        "t.b -> v.y  FILTER, TRANSFORMATION",
        "t.c -> v.z  TRANSFORMATION",
    }
    assert [edge.masked for edge in found.edges] == [True, False, False]
    assert [edge.level for edge in found.edges] == [
        Confidence.HIGH,
        Confidence.MEDIUM,
        Confidence.MEDIUM,
    ]


def test_explicit_facets_come_before_the_others() -> None:
    entry = {
        "namespace": "db",
        "name": "v",
        "type": "DATASET",
        "inputs": [
            {"namespace": "db", "name": "t", "type": "DATASET"},
            {**source("t", "k", "GROUP_BY"), "type": "DATASET"},
        ],
        "fields": {
            "x": {"inputs": [{**source("t", "a", "IDENTITY"), "type": "DATASET"}]},
            "y": {"inputs": [{"namespace": "db", "name": "u", "type": "DATASET"}, {"type": "JOB"}]},
        },
    }
    facet = columns({"x": [source("other", "a", "IDENTITY")]})
    found = read(
        event(
            "COMPLETE",
            facets={"lineage": {**FACET, "entries": [entry]}},
            inputs=[dataset("t"), dataset("u"), dataset("other")],
            outputs=[dataset("v", columnLineage=facet), dataset("w")],
        )
    )
    assert edges(found) == {
        "t.a -> v.x  IDENTITY",
        "t.k => v  GROUP_BY",
        "u.* -> v.y  TRANSFORMATION",
    }
    assert tables(found) == {("t", "v"), ("u", "v")}


def test_without_facets_every_input_feeds_every_output() -> None:
    found = read(
        event("COMPLETE", inputs=[dataset("a"), dataset("b")], outputs=[dataset("c"), dataset("d")])
    )
    assert found.edges == []
    assert tables(found) == {("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")}


def test_a_job_that_writes_nothing_tracked_still_reads() -> None:
    assert tables(read(event("COMPLETE", inputs=[dataset("a")]))) == {("a", "load")}


def test_a_dataset_event_describes_a_view() -> None:
    lineage = {"inputs": [{"namespace": "db", "name": "t", "type": "DATASET"}], "fields": {}}
    told = {
        "eventTime": "2024-01-01T00:00:00Z",
        "producer": "p:x",
        "dataset": dataset("v", lineage=lineage),
    }
    assert tables(read(told)) == {("t", "v")}


def test_schema_documentation_tags_and_symlinks() -> None:
    stored = {
        **dataset(
            "orders", schema={"fields": [{"name": "id", "type": "int", "description": "the key"}]}
        ),
        "namespace": "s3://lake",
        "name": "warehouse/orders",
    }
    stored["facets"]["symlinks"] = {
        **FACET,
        "identifiers": [{"namespace": "hive://h", "name": "shop.orders", "type": "TABLE"}],
    }
    stored["facets"]["tags"] = {**FACET, "tags": [{"key": "pii", "value": "true", "field": "id"}]}
    stored["facets"]["documentation"] = {**FACET, "description": "all orders"}
    (info,) = read(event("COMPLETE", inputs=[stored], outputs=[stored])).datasets.values()
    assert (info.dataset.namespace, info.dataset.name, info.complete) == (
        "hive://h",
        "shop.orders",
        True,
    )
    assert info.columns[0]._replace(place=None)[:4] == ("id", "int", "the key", ("pii",))
    assert info.description == "all orders"


def test_a_nested_field_is_one_where_the_schema_knows_the_column() -> None:
    known = dataset("t", schema={"fields": [{"name": "address"}, {"name": "a.b"}]})
    facet = columns(
        {"x": [source("t", "address.city", "IDENTITY"), source("t", "a.b", "IDENTITY")]}
    )
    found = read(event("COMPLETE", inputs=[known], outputs=[dataset("v", columnLineage=facet)]))
    assert [(edge.source.name, edge.source.path) for edge in found.edges] == [
        ("address", ("city",)),
        ("a.b", ()),
    ]


# -- runs ------------------------------------------------------------------------------------------

IN_PIECES = [
    event("START", at=1, inputs=[dataset("t")]),
    event(
        "RUNNING",
        at=2,
        outputs=[dataset("v", columnLineage=columns({"x": [source("t", "old", "IDENTITY")]}))],
    ),
    event(
        "RUNNING",
        at=3,
        outputs=[dataset("v", columnLineage=columns({"x": [source("t", "a", "IDENTITY")]}))],
    ),
    event("COMPLETE", at=4, inputs=[dataset("u")]),
]


@pytest.mark.parametrize("order", list(permutations(IN_PIECES)), ids=range(24))
def test_a_run_is_one_story_whatever_the_order(order: tuple[Json, ...]) -> None:
    found = read(*order)
    assert edges(found) == {"t.a -> v.x  IDENTITY"}
    assert tables(found) == {("t", "v"), ("u", "v")}
    (job,) = found.jobs
    assert job.run is not None
    assert (job.run.started[-3:], job.run.ended[-3:]) == ("01Z", "04Z")


def test_a_failed_run_gives_no_edges_and_is_reported() -> None:
    facet = columns({"x": [source("t", "a", "IDENTITY")]})
    outputs = [dataset("v", columnLineage=facet)]
    for state in ("FAIL", "ABORT"):
        found = read(event("START", inputs=[dataset("t")], outputs=outputs), event(state, at=1))
        assert (found.edges, found.reads, codes(found)) == ([], [], ["run-failed"])
        assert {dataset.name for dataset in found.datasets} == {"t", "v"}
    assert edges(read(event("START", outputs=outputs))) == {"t.a -> v.x  IDENTITY"}


def test_the_latest_run_counts_for_what_it_writes() -> None:
    def ran(run: str, at: int, name: str, column: str) -> Json:
        facet = columns({"x": [source("t", column, "IDENTITY")]})
        return event("COMPLETE", run=run, at=at, outputs=[dataset(name, columnLineage=facet)])

    found = read(ran("r2", 2, "v", "new"), ran("r1", 1, "v", "old"), ran("r0", 0, "w", "other"))
    assert edges(found) == {"t.new -> v.x  IDENTITY", "t.other -> w.x  IDENTITY"}


def test_two_runs_that_end_at_the_same_time() -> None:
    twice = [
        event("COMPLETE", run=run, inputs=[dataset("a")], outputs=[dataset("b")])
        for run in ("r1", "r2")
    ]
    assert tables(read(*twice)) == tables(read(*reversed(twice))) == {("a", "b")}
    assert [job.run.id for job in read(*twice).jobs if job.run] == ["r2"]


def test_one_id_for_two_jobs_is_two_runs() -> None:
    found = read(
        event("COMPLETE", job="one", inputs=[dataset("a")], outputs=[dataset("b")]),
        event("COMPLETE", job="two", inputs=[dataset("c")], outputs=[dataset("d")]),
        event("COMPLETE", job="two", inputs=[dataset("c")], outputs=[dataset("d")]),
    )
    assert tables(found) == {("a", "b"), ("c", "d")}
    assert codes(found) == ["event-error"]


def test_a_later_job_event_replaces_and_a_deleted_facet_goes() -> None:
    def told(at: int, column: str) -> Json:
        facet = columns({"x": [source("t", column, "IDENTITY")]})
        made = event("", at=at, outputs=[dataset("v", columnLineage=facet)])
        return {key: value for key, value in made.items() if key not in ("run", "eventType")}

    assert edges(read(told(2, "b"), told(1, "a"))) == {"t.b -> v.x  IDENTITY"}
    gone = event("COMPLETE", at=2, outputs=[dataset("v", columnLineage={"_deleted": True})])
    facet = columns({"x": [source("t", "a", "IDENTITY")]})
    assert read(event("START", outputs=[dataset("v", columnLineage=facet)]), gone).edges == []


def test_a_cycle_is_kept_and_can_be_walked(tmp_path: Path) -> None:
    there = columns({"x": [source("b", "y", "IDENTITY")]})
    back = columns({"y": [source("a", "x", "IDENTITY"), source("b", "y", "TRANSFORMATION")]})
    file = tmp_path / "events.ndjson"
    told = [
        event("COMPLETE", job="one", outputs=[dataset("a", columnLineage=there)]),
        event("COMPLETE", job="two", run="r2", outputs=[dataset("b", columnLineage=back)]),
    ]
    file.write_text("\n".join(map(json.dumps, told)))
    found = lineal.lineage(file)
    assert len(found.upstream("a.x")) == 3
    assert [str(each.column) for each in found.impact("a.x")] == ["b.y"]


# -- bad input -------------------------------------------------------------------------------------

GOOD = event("COMPLETE", inputs=[dataset("t")], outputs=[dataset("v")])

BAD = [
    *(
        "{",
        "[1]",
        "nonsense",
        '"text"',
        "\x00",
        "{'a': 1}",
        '{"a": }',
        "NaN",
        "1e999",
        "[" * 100_000,
    ),
    *(
        '{"eventTime": 1}',
        "{}",
        '{"eventTime": "2024-01-01T00:00:00Z"}',
        '{"job": {}, "eventTime": "x"}',
    ),
]


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_a_bad_line_costs_only_itself(text: str) -> None:
    found = extraction_of_texts([("e", f"{text}\n{json.dumps(GOOD)}\n{text}\n")])
    assert tables(found) == {("t", "v")}
    assert set(codes(found)) == {"event-error"}
    assert {diagnostic.place.line for diagnostic in found.diagnostics if diagnostic.place} >= {1}


def test_no_depth_is_too_much() -> None:
    for depth in (*range(800, 1100, 9), 5_000):
        deep = json.dumps(GOOD)[:-1] + ', "x": ' + "[" * depth + "]" * depth + "}"
        found = extraction_of_texts([("e", f"{deep}\n{json.dumps(GOOD)}")])
        assert tables(found) == {("t", "v")}


PARTS: list[Any] = [
    None,
    1,
    "x",
    [],
    {},
    [1],
    [None],
    {"a": 1},
    [[]],
    [{"namespace": 1}],
    {"fields": 1},
    True,
]


@pytest.mark.parametrize("part", PARTS, ids=repr)
def test_any_part_may_be_anything(part: Any) -> None:
    facets = (
        "schema",
        "tags",
        "documentation",
        "symlinks",
        "columnLineage",
        "lineage",
        "datasetType",
        "unknown",
    )
    read(
        {**GOOD, "inputs": part},
        {**GOOD, "outputs": part},
        {**GOOD, "run": part},
        {**GOOD, "eventType": part},
    )
    read({**GOOD, "job": part}, {**GOOD, "dataset": part}, {**GOOD, "eventTime": part})
    for name in facets:
        for key in (
            "fields",
            "dataset",
            "tags",
            "identifiers",
            "entries",
            "inputs",
            "description",
            name,
        ):
            one = {"namespace": "db", "name": "v", "facets": {name: part}}
            two = {"namespace": "db", "name": "v", "facets": {name: {key: part}}}
            deep = {
                "namespace": "db",
                "name": "v",
                "facets": {name: {key: [{"inputFields": part, "fields": part}]}},
            }
            held = {
                "namespace": "db",
                "name": "v",
                "facets": {name: {key: {"x": {"inputFields": part, "inputs": part}}}},
            }
            for each in (one, two, deep, held):
                found = read(
                    {**GOOD, "outputs": [each]},
                    {**GOOD, "job": {**GOOD["job"], "facets": each["facets"]}},
                )
                assert all(diagnostic.code is Code.EVENT_ERROR for diagnostic in found.diagnostics)


def test_unknown_facets_are_ignored() -> None:
    told = event(
        "COMPLETE",
        facets={"spark_jobDetails": {**FACET, "jobId": 1}},
        inputs=[dataset("t", odd={"a": [1]})],
    )
    assert (
        read(
            {**told, "outputs": [dataset("v", columnLineage=columns({}))], "later": {}}
        ).diagnostics
        == []
    )


def test_ten_thousand_fields() -> None:
    names = [f"c{number}" for number in range(10_000)]
    facet = columns(
        {name: [source("t", name, "IDENTITY")] for name in names},
        dataset=[source("t", "c0", "FILTER")],
    )
    known = {"fields": [{"name": name} for name in names]}
    found = read(
        event(
            "COMPLETE",
            inputs=[dataset("t", schema=known)],
            outputs=[dataset("v", columnLineage=facet, schema=known)],
        )
    )
    assert len(found.edges) == 10_001
    bare = read(event("COMPLETE", outputs=[dataset("v", columnLineage=facet)]))
    assert len(bare.edges) == 10_001


# -- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["lines", "list", "indented", "concatenated", "mark"])
def test_files_of_events(layout: str, tmp_path: Path) -> None:
    two = [
        GOOD,
        event("COMPLETE", job="b", run="r2", inputs=[dataset("v")], outputs=[dataset("w")]),
    ]
    texts = {
        "lines": "\n".join(map(json.dumps, two)),
        "list": json.dumps(two, indent=1),
        "indented": "\n".join(json.dumps(each, indent=2) for each in two),
        "concatenated": "".join(map(json.dumps, two)),
        "mark": "\ufeff" + "\r\n".join(map(json.dumps, two)),
    }
    (tmp_path / "sub").mkdir()
    file = tmp_path / "sub" / "events.json"
    file.write_text(texts[layout], encoding="utf-8")
    for path in (file, tmp_path):
        found = lineal.lineage(path)
        assert found.diagnostics == []
        assert tables(found.extraction) == {("t", "v"), ("v", "w")}


def test_a_long_first_event_is_known_for_one(tmp_path: Path) -> None:
    facet = columns({f"c{number}": [source("t", "a", "IDENTITY")] for number in range(20_000)})
    told = event(
        "COMPLETE", inputs=[dataset("t", odd={})], outputs=[dataset("v", columnLineage=facet)]
    )
    file = tmp_path / "wide.json"
    file.write_text(json.dumps(told, sort_keys=True))
    assert file.stat().st_size > 1 << 21
    for path in (file, tmp_path):
        assert len(lineal.lineage(path).edges) == 20_000


def test_events_join_lineage_from_text(tmp_path: Path) -> None:
    facet = columns({"id": [source("raw.orders", "id", "IDENTITY")]})
    output = dataset(
        "stg.Orders", columnLineage=facet, schema={"fields": [{"name": "id"}, {"name": "amount"}]}
    )
    (tmp_path / "events.ndjson").write_text(json.dumps(event("COMPLETE", outputs=[output])))
    (tmp_path / "mart.sql").write_text("CREATE TABLE mart AS SELECT * FROM stg.orders")
    for source_path in (tmp_path, [tmp_path / "mart.sql", tmp_path / "events.ndjson"]):
        found = lineal.lineage(source_path)
        assert [str(column) for column in found.columns if column.dataset.name == "mart"] == [
            "mart.id",
            "mart.amount",
        ]
        assert [(str(edge).lower(), edge.level) for edge in found.upstream("mart.id")] == [
            ("stg.orders.id -> mart.id  identity", Confidence.HIGH),
            ("raw.orders.id -> stg.orders.id  identity", Confidence.HIGH),
        ]


def test_a_dataset_may_have_more_columns_than_an_event_lists() -> None:
    some = {"fields": [{"name": "id"}]}
    found = read(
        event("COMPLETE", inputs=[dataset("t", schema=some)], outputs=[dataset("v", schema=some)])
    )
    assert {info.dataset.name: info.complete for info in found.datasets.values()} == {
        "t": False,
        "v": True,
    }
    again = event(
        "COMPLETE",
        at=1,
        run="r2",
        inputs=[dataset("v", schema={"fields": []})],
        outputs=[dataset("w")],
    )
    both = read(event("COMPLETE", outputs=[dataset("v", schema=some)]), again)
    assert [info.names for info in both.datasets.values() if info.dataset.name == "v"] == [["id"]]


def test_a_dataset_of_text_and_events_has_one_name_in_new_events(tmp_path: Path) -> None:
    (tmp_path / "events.ndjson").write_text(
        json.dumps(event("COMPLETE", outputs=[dataset("stg.orders")]))
    )
    (tmp_path / "mart.sql").write_text(
        "CREATE TABLE mart AS SELECT id FROM stg.orders WHERE id > 0"
    )
    found = lineal.lineage(tmp_path)
    assert {(edge.source.dataset.namespace, edge.into.namespace) for edge in found.edges} == {
        ("db", "")
    }
    made = [json.loads(line) for line in found.to("openlineage").splitlines()]
    (mart,) = (each for each in made if each["job"]["name"] == "mart")
    assert [(each["namespace"], each["name"]) for each in mart["inputs"]] == [("db", "stg.orders")]


def test_one_name_in_two_namespaces_is_not_the_texts(tmp_path: Path) -> None:
    known = {"schema": {**FACET, "fields": [{"name": "id"}]}}
    two = [{"namespace": space, "name": "orders", "facets": known} for space in ("a", "b")]
    (tmp_path / "events.ndjson").write_text(json.dumps(event("COMPLETE", outputs=two)))
    (tmp_path / "mart.sql").write_text("CREATE TABLE mart AS SELECT x FROM orders")
    found = lineal.lineage(tmp_path)
    assert found.diagnostics == []
    assert sorted(
        each.dataset.namespace for each in found.datasets if each.dataset.name == "orders"
    ) == ["", "a", "b"]


def test_a_query_log_is_not_read_as_events(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"query": "CREATE VIEW v AS SELECT a FROM t", "user": "u"}\n')
    assert [str(edge) for edge in lineal.lineage(log).edges] == ["t.a -> v.a  IDENTITY"]

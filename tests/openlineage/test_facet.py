"""The facet of seed 001 comes out of its example query, in both representations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from click.testing import CliRunner
from spec import check

import lineal
from lineal.cli import main
from lineal.model.openlineage import URN
from lineal.views.openlineage import Emission, events
from lineal.views.report import report_of_all
from test_openlineage_example import DIALECTS, FACET, SCHEMA

Json = dict[str, Any]
URL = "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet"


def field(name: str, kind: str, subtype: str) -> Json:
    transformation = {"type": kind, "subtype": subtype, "description": "", "masking": False}
    source = {"namespace": "food_delivery", "name": "public.delivery_7_days", "field": name}
    return {**source, "transformations": [transformation]}


def copied(name: str) -> Json:
    return field(name, "DIRECT", "IDENTITY")


SORTED = [field(name, "INDIRECT", "SORT") for name in ("order_placed_on", "order_delivered_on")]
OWN = {
    "order_id": [copied("order_id")],
    "order_placed_on": [copied("order_placed_on")],
    "order_delivered_on": [copied("order_delivered_on")],
    "order_delivery_time": [
        field("order_placed_on", "DIRECT", "TRANSFORMATION"),
        field("order_delivered_on", "DIRECT", "TRANSFORMATION"),
    ],
}
COMPACT = {
    "fields": {name: {"inputFields": inputs} for name, inputs in OWN.items()},
    "dataset": SORTED,
}
LEGACY = {
    "fields": {name: {"inputFields": [*inputs, *SORTED]} for name, inputs in OWN.items()},
    "dataset": [],
}


def facet_in(event: Mapping[str, Any]) -> Json:
    check(event)
    assert [(each["namespace"], each["name"]) for each in event["inputs"]] == [
        ("food_delivery", "public.delivery_7_days")
    ]
    (output,) = event["outputs"]
    assert (output["namespace"], output["name"]) == ("food_delivery", "public.top_delivery_times")
    found = dict(output["facets"]["columnLineage"])
    assert found.pop("_producer") == f"{URN}:{lineal.__version__}"
    assert found.pop("_schemaURL") == URL
    return found


@pytest.mark.parametrize("schema", [None, SCHEMA], ids=["no schema", "schema"])
@pytest.mark.parametrize("legacy", [False, True], ids=["compact", "legacy"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_facet_equals_the_seeds(
    dialect: str | None, legacy: bool, schema: Mapping[str, object] | None
) -> None:
    found = lineal.lineage(FACET, dialect=dialect, schema=schema, default_schema="public")
    emission = Emission("2020-02-22T22:42:42.000Z", legacy=legacy, namespace="food_delivery")
    (event,) = events(report_of_all(found.graph), emission)
    assert facet_in(event) == (LEGACY if legacy else COMPACT)


@pytest.mark.parametrize(("options", "expected"), [([], COMPACT), (["--legacy"], LEGACY)])
def test_on_the_command_line(options: list[str], expected: Json) -> None:
    asked = [
        "lineage",
        "-",
        "--output",
        "openlineage",
        "--namespace",
        "food_delivery",
        "--default-schema",
        "public",
    ]
    shown = CliRunner().invoke(main, [*asked, *options], input=FACET)
    assert shown.exit_code == 0
    assert facet_in(json.loads(shown.stdout)) == expected


def test_a_description_is_the_expression() -> None:
    found = lineal.lineage(FACET)
    (event,) = events(report_of_all(found.graph), Emission("2020-02-22T22:42:42Z", describe=True))
    fields = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    said = fields["order_delivery_time"]["inputFields"][0]["transformations"][0]["description"]
    assert said == "DATEDIFF(minute, order_placed_on, order_delivered_on) AS order_delivery_time"


def test_direct_and_indirect_usages_are_separate_in_the_legacy_form_only() -> None:
    found = lineal.lineage({"mart": "SELECT COALESCE(a, b) AS c FROM t WHERE a > 0"})
    made = {
        legacy: events(report_of_all(found.graph), Emission("2020-02-22T22:42:42Z", legacy=legacy))[
            0
        ]
        for legacy in (False, True)
    }
    said = {
        legacy: [
            (source["field"], [each["subtype"] for each in source["transformations"]])
            for source in event["outputs"][0]["facets"]["columnLineage"]["fields"]["c"][
                "inputFields"
            ]
        ]
        for legacy, event in made.items()
    }
    assert said[False] == [
        ("a", ["TRANSFORMATION", "CONDITIONAL"]),
        ("b", ["TRANSFORMATION", "CONDITIONAL"]),
    ]
    assert said[True] == [
        ("a", ["TRANSFORMATION"]),
        ("b", ["TRANSFORMATION"]),
        ("a", ["FILTER", "CONDITIONAL"]),
        ("b", ["CONDITIONAL"]),
    ]


def test_masking_and_columns_that_are_only_read() -> None:
    found = lineal.lineage(
        {"mart": "SELECT md5(email) AS e, count(*) AS n FROM users CROSS JOIN days"}
    )
    (event,) = events(report_of_all(found.graph), Emission("2020-02-22T22:42:42Z", facets="both"))
    check(event)
    assert [each["name"] for each in event["inputs"]] == ["days", "users"]
    facet = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    assert facet["e"]["inputFields"][0]["transformations"][0]["masking"] is True
    (entry,) = event["job"]["facets"]["lineage"]["entries"]
    assert [each["name"] for each in entry["inputs"]] == ["days", "users"]


def test_jobs_and_datasets_have_their_other_facets(tmp_path: Any) -> None:
    (tmp_path / "lineal.yml").write_text(
        "dialect: postgres\nnamespace: 'postgres://wh:5432'\nopenlineage:\n  job_namespace: shop\n"
        "  namespaces: {raw: 'postgres://raw:5432'}\n  repository: https://git.example.com/shop/blob/main\n"
    )
    (tmp_path / "a b.sql").write_text(
        "CREATE TABLE raw.t (id INT);\n\nCREATE VIEW v AS SELECT id FROM raw.t;\n"
    )
    asked = [
        "lineage",
        str(tmp_path),
        "--output",
        "openlineage",
        "--event-time",
        "2024-01-01T00:00:00+01:00",
    ]
    event = json.loads(CliRunner().invoke(main, asked).stdout)
    check(event)
    assert event["eventTime"] == "2024-01-01T00:00:00+01:00"
    assert (event["job"]["namespace"], event["job"]["name"]) == ("shop", "v")
    facets = event["job"]["facets"]
    assert (
        facets["sql"]["query"] == "CREATE VIEW v AS SELECT id FROM raw.t"
        and facets["sql"]["dialect"] == "postgres"
    )
    assert (
        facets["sourceCodeLocation"]["url"] == "https://git.example.com/shop/blob/main/a%20b.sql#L3"
    )
    assert facets["sourceCodeLocation"]["path"] == "a b.sql"
    assert event["inputs"][0]["namespace"] == "postgres://raw:5432"
    assert event["outputs"][0]["namespace"] == "postgres://wh:5432"
    assert event["inputs"][0]["facets"]["schema"]["fields"] == [{"name": "id", "type": "INT"}]

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from handmade import LINEAGEX, column, dataset, diagnosed, graph, ranking

from lineal.graph.field_types import type_at
from lineal.graph.graph import Graph
from lineal.graph.select import ALL
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Edge, Site, Usage
from lineal.model.extraction import ColumnInfo, Extraction
from lineal.model.openlineage import URN
from lineal.model.way import Clause, How, way
from lineal.views import json as json_view
from lineal.views import text
from lineal.views.report import (
    Report,
    edges_around,
    impact_of,
    report_of_all,
    report_of_trace,
    table_level,
)

SCHEMA = json.loads(
    files("lineal.views").joinpath("lineage.schema.json").read_text(encoding="utf-8")
)


def document(report: Report) -> Any:
    made = json.loads(text("json", report))
    jsonschema.Draft202012Validator(SCHEMA).validate(made)
    return made


def test_the_schema_is_a_schema_and_knows_our_words() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == f"{URN}:schema:lineage-{json_view.VERSION}"
    assert SCHEMA["$defs"]["clause"]["enum"] == [clause.value for clause in Clause]
    assert SCHEMA["$defs"]["usage"]["properties"]["subtype"]["enum"] == [how.value for how in How]


@pytest.mark.parametrize(
    "report",
    [
        report_of_all(ranking()),
        report_of_all(graph("")),
        report_of_all(
            graph("t.a -> v.a  IDENTITY [LOW ambiguous]\nt.address.city -> v.city\nt.* -> v.*")
        ),
        edges_around(ranking(), dataset("int_customer_ranking")),
        report_of_trace(
            ranking(), [column("int_customer_ranking.value_or_zero")], up=ALL, with_rows=True
        ),
        report_of_trace(ranking(), [column("raw_customers.id")], up=ALL, down=ALL),
        impact_of(graph(LINEAGEX), column("web.page")),
        table_level(ranking()),
        table_level(ranking(), dataset("stg_orders")),
    ],
)
def test_every_report_keeps_the_contract(report: Report) -> None:
    document(report)


def test_the_whole_graph() -> None:
    made = document(report_of_all(ranking()))
    assert list(made) == [
        "version",
        "datasets",
        "edges",
        "reads",
        "diagnostics",
        "coverage",
        "files",
    ]
    target = next(each for each in made["datasets"] if each["name"] == "int_customer_ranking")
    assert {each["name"]: each["sources"] for each in target["columns"]} == {
        "customer_id": 1,
        "customer_name": 1,
        "lifetime_value": 1,
        "value_or_zero": 1,
        "nonzero_orders": 1,
        "value_per_order": 2,
        "made_by": 0,
    }
    inspects = {
        (edge["source"]["dataset"], edge["target"]["dataset"]): edge["also_selected"]
        for edge in made["edges"]
        if edge["target"]["column"] is None
    }
    assert inspects["stg_customers", "int_customer_ranking"] is True
    assert inspects["int_customer_metrics", "int_customer_ranking"] is False
    assert made["coverage"]["columns"] == {"named": 20, "resolved": 20, "left_out": []}
    assert made["coverage"]["percent"] == 100


def test_one_edge() -> None:
    (edge,) = document(
        edges_around(graph("t.address.city -> v.town  TRANSFORMATION upper"), dataset("v"))
    )["edges"]
    place = {"file": "by_hand.sql", "line": 1, "column": 1}
    assert edge == {
        "source": {"dataset": "t", "column": "address", "path": ["city"], "type": None},
        "target": {"dataset": "v", "column": "town", "type": None},
        "kind": "transform",
        "usages": [
            {
                "type": "DIRECT",
                "subtype": "TRANSFORMATION",
                "clause": "SELECT",
                "masking": False,
                "expression": "an expression",
                "transform": "upper",
                "calls": ["upper"],
                "place": place,
            }
        ],
        "used_in": ["SELECT"],
        "also_selected": False,
        "confidence": {"level": "HIGH", "score": 0.8},
        "ambiguous": False,
        "description_status": "missing",
        "classification": [],
        "place": place,
    }


def test_an_edge_has_the_types_of_both_ends() -> None:
    about = {
        "t.address": ColumnInfo("address", "struct<city: string, geo: array<struct<lat: double>>>"),
        "t.id": ColumnInfo("id", "BIGINT"),
        "v.town": ColumnInfo("town", "STRING"),
    }
    known = graph(
        "t.address.city -> v.town\nt.address.geo.lat -> v.lat\nt.address.zip -> v.zip\nt.id => v  FILTER",
        about,
    )
    types = [
        (edge["source"]["type"], edge["target"]["column"], edge["target"]["type"])
        for edge in document(report_of_all(known))["edges"]
    ]
    assert types == [
        ("string", "town", "STRING"),
        ("double", "lat", None),
        (None, "zip", None),
        ("BIGINT", None, None),
    ]


@pytest.mark.parametrize(
    ("kind", "path", "found"),
    [
        ("STRUCT<a INT64, b ARRAY<STRUCT<c STRING NOT NULL>>>", "b.c", "STRING"),
        ("STRUCT(a INTEGER, b STRUCT(c VARCHAR)[])", "b.c", "VARCHAR"),
        ('row("the key" varchar, v decimal(10, 2))', "v", "decimal(10, 2)"),
        ('row("the key" varchar, v decimal(10, 2))', "the key", "varchar"),
        ("struct<A: int COMMENT 'a, b', b: map<string, int>>", "B", "map<string, int>"),
        ("struct<a: int>", "a.b", ""),
        ("struct<a: int>", "c", ""),
        ("struct<a: int", "a", ""),
        ("json", "a", ""),
        ("", "a", ""),
        ("]", "a", ""),
        ("struct<>", "a", ""),
    ],
)
def test_the_type_of_a_field(kind: str, path: str, found: str) -> None:
    assert type_at(kind, path.split(".")) == found


def test_a_macro_is_named_in_place_of_the_calls_of_its_body() -> None:
    usage = Usage(
        way(How.TRANSFORMATION),
        None,
        None,
        Site(None, "", ("coalesce", ("cents", "round", "divide"))),
    )
    made = document(
        report_of_all(Graph(Extraction([Edge(column("t.a"), column("v.a"), (usage,))])))
    )
    assert made["edges"][0]["usages"][0]["transform"] == "coalesce+cents"
    assert made["edges"][0]["usages"][0]["calls"] == ["coalesce", "round", "divide"]


def test_a_trace_says_how_far_each_edge_is() -> None:
    made = document(
        report_of_trace(ranking(), [column("int_customer_ranking.customer_id")], up=ALL)
    )
    depths = {edge["source"]["dataset"]: edge["depth"] for edge in made["edges"]}
    assert depths == {"stg_customers": 1, "raw_customers": 2}
    assert [each["name"] for each in made["datasets"]] == [
        "stg_customers",
        "raw_customers",
        "int_customer_ranking",
    ]


def test_diagnostics_are_in_the_body() -> None:
    found = diagnosed(
        Diagnostic(Code.PARSE_ERROR, "no", Place("a.sql", 3, 4)), Diagnostic(Code.OPEN_STAR, "star")
    )
    assert document(report_of_all(found))["diagnostics"] == [
        {
            "code": "open-star",
            "severity": "info",
            "message": "star",
            "hint": Code.OPEN_STAR.remedy,
            "place": None,
        },
        {
            "code": "parse-error",
            "severity": "error",
            "message": "no",
            "hint": Code.PARSE_ERROR.remedy,
            "place": {"file": "a.sql", "line": 3, "column": 4},
        },
    ]


def test_impact_and_tables_have_their_own_keys() -> None:
    reached = document(impact_of(graph(LINEAGEX), column("web.page")))["impact"]
    assert reached[3] == {
        "column": {"dataset": "webact", "column": "wcid"},
        "why": "referenced",
        "depth": 1,
        "path": [
            {"dataset": "web", "column": "page"},
            {"dataset": "webact", "column": None},
            {"dataset": "webact", "column": "wcid"},
        ],
    }
    made = document(table_level(ranking(), dataset("int_customer_ranking"), up=1, down=0))
    assert made["edges"] == []
    assert {each["source"] for each in made["tables"]} == {"stg_customers", "int_customer_metrics"}

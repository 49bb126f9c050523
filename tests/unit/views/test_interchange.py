"""LineageX's JSON out and in, and GraphML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from handmade import LINEAGEX, graph

import lineal
from lineal.graph.graph import Graph
from lineal.projects.errors import ProjectError
from lineal.projects.lineagex import extraction_of
from lineal.views import text
from lineal.views.report import report_of_all, table_level

SPACE = "{http://graphml.graphdrawing.org/xmlns}"


def test_the_views_of_seed_002() -> None:
    document = json.loads(text("lineagex", report_of_all(graph(LINEAGEX))))
    assert document["webinfo"]["tables"] == ["customers", "web"]
    referenced = ["customers.cid", "web.date", "web.cid"]
    contributed, also = document["webinfo"]["columns"]["wpage"]
    assert (contributed, sorted(also)) == (["web.page"], sorted(referenced))
    assert document["web"] == {
        "tables": [""],
        "columns": {name: [[""], [""]] for name in ("date", "page", "reg", "cid")},
        "table_name": "web",
        "sql": "this is a base table",
    }


def test_the_sql_is_the_statement() -> None:
    found = lineal.lineage("CREATE VIEW v AS SELECT a FROM t; CREATE VIEW w AS SELECT a FROM v")
    document = json.loads(found.to("lineagex"))
    assert document["v"]["sql"] == "CREATE VIEW v AS SELECT a FROM t"
    assert document["w"]["columns"] == {"a": [["v.a"], []]}


def test_out_and_in_and_out(tmp_path: Path) -> None:
    first = text("lineagex", report_of_all(graph(LINEAGEX)))
    file = tmp_path / "output.json"
    file.write_text(first, encoding="utf-8")
    found = lineal.lineage(file)
    assert found.diagnostics == []
    assert json.loads(found.to("lineagex")) == json.loads(first)
    reached = {str(impact.column): impact.why for impact in found.impact("web.page")}
    assert (reached["webinfo.wpage"], reached["webact.wpage"], reached["info.age"]) == (
        "contributed",
        "both",
        "referenced",
    )


def test_a_reference_of_one_column_belongs_to_it() -> None:
    document = {
        "v": {
            "tables": ["t"],
            "columns": {"x": [["t.a"], ["t.k"]], "y": [["s.t.b"], []]},
            "table_name": "v",
        }
    }
    found = extraction_of(document, "output.json")
    assert {str(edge) for edge in found.edges} == {
        "t.a -> v.x  TRANSFORMATION",
        "t.k -> v.x  CONDITIONAL",
        "s.t.b -> v.y  TRANSFORMATION",
    }


PARTS: list[Any] = [None, 1, "x", [], {}, [[1], [2]], [["a"], ["b"]], [["t.a"]], {"x": [1, 2]}]


@pytest.mark.parametrize("part", PARTS, ids=repr)
def test_any_part_may_be_anything(part: Any) -> None:
    for table in (part, {"columns": part}, {"columns": {"x": part}, "tables": part, "sql": part}):
        extraction_of({"t": table}, "output.json")


def test_a_file_that_is_not_json_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "output.json"
    file.write_text('{"tables" "columns" "table_name"')
    with pytest.raises(ProjectError, match="is not JSON"):
        lineal.lineage(file)


def test_graphml_has_every_dataset_column_and_edge() -> None:
    shown = graph(LINEAGEX)
    tree = ElementTree.fromstring(text("graphml", report_of_all(shown)))
    nodes = tree.findall(f".//{SPACE}node")
    edges = tree.findall(f".//{SPACE}edge")
    assert len(nodes) == len(shown.infos) + sum(
        len(shown.columns(dataset)) for dataset in shown.infos
    )
    assert len(edges) == len(shown.edges)
    ids = {node.get("id") for node in nodes}
    assert {edge.get(end) for edge in edges for end in ("source", "target")} <= ids
    keys = {key.get("id") for key in tree.findall(f"{SPACE}key")}
    assert {data.get("key") for data in tree.iter(f"{SPACE}data")} <= keys


def test_graphml_of_tables() -> None:
    shown = lineal.lineage("CREATE VIEW v AS SELECT a FROM t").graph
    tree = ElementTree.fromstring(text("graphml", table_level(shown)))
    assert len(tree.findall(f".//{SPACE}edge")) == 1


ODD = ("<a>", "&amp;", "]]>", "\x00", "\x1b", "\ud800", "\ufffe", "\uffff", "a\nb", "\u2028", "'\"")


@pytest.mark.parametrize("name", ODD, ids=ascii)
@pytest.mark.parametrize("view", ["graphml", "lineagex"])
def test_names_stay_text(view: str, name: str) -> None:
    made = extraction_of(
        {name: {"tables": [], "columns": {name: [[f"t.{name}"], []]}, "table_name": name}}, "x"
    )
    shown = text(view, report_of_all(Graph(made)))
    shown.encode("utf-8")
    if view == "graphml":
        ElementTree.fromstring(shown)
    else:
        assert name in json.loads(shown)

"""Names, types and descriptions come from the input: in every view they stay text."""

from __future__ import annotations

import io
import json
import re

import pytest

from lineal.graph.graph import Graph
from lineal.graph.select import ALL
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Column, Dataset, Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.way import Clause, How, way
from lineal.views import OUTPUTS, text, view
from lineal.views.dot import quote_text as dot_quoted
from lineal.views.mermaid import quote_text as mermaid_quoted
from lineal.views.report import Report, impact_of, report_of_all, report_of_trace, table_level
from lineal.views.safe import make_visible, width
from lineal.views.terminal import draw_page

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "\x9b31m",
    "a\nb\r\nc\td",
    "nul\x00bell\x07del\x7f",
    "[bold red]markup[/bold red]",
    "[link=https://example.org]x[/link]",
    ":smile:",
    'quote"quote',
    "back\\slash\\",
    '\\"; evil [label="x',
    "</script><img onerror=alert(1)>",
    "&lt;b&gt;",
    "#quot;",
    "`**bold**`",
    'x"] --> y["z',
    "|pipe|",
    "{record|<port>}",
    "%%{init: {}}%%",
    "end",
    "\u202eright to left",
    "\u2028separator",
    "\ud800",
    "日本語のとても長い名前",
    "e\u0301\u0301",
    "😀",
    "x" * 10_000,
    "",
    " ",
    "a.b.c",
    "*",
]
UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def poisoned(name: str) -> Graph:
    source, target = Dataset(name, name), Dataset("", f"v {name}")
    usage = Usage(way(How.TRANSFORMATION), None, None, Site(None, name, (name,)))
    rows = Usage(way(How.FILTER, Clause.WHERE), None, None, Site(None, name, ()))
    known = [ColumnInfo(name, name, name, (name,))]
    return Graph(
        Extraction(
            edges=[
                Edge(Column(source, name), Column(target, name), (usage,)),
                Edge(Column(source, f"{name}2", (name,)), target, (rows,)),
            ],
            reads=[Read(target, source, name, Clause.SELECT, None)],
            datasets={
                each: DatasetInfo(each, name, list(known), True, name) for each in (source, target)
            },
            diagnostics=[Diagnostic(Code.DYNAMIC, name)],
        )
    )


def reports(name: str) -> list[Report]:
    graph = poisoned(name)
    (source, target) = graph.infos
    return [
        report_of_all(graph),
        report_of_trace(graph, [Column(target, name)], up=ALL, with_rows=True),
        report_of_trace(graph, [Column(source, name), Column(source, f"{name}2")], down=ALL),
        impact_of(graph, Column(source, f"{name}2")),
        table_level(graph),
    ]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("output", OUTPUTS)
def test_no_view_lets_anything_unseen_through(name: str, output: str) -> None:
    for report in reports(name):
        made = text(output, report)
        assert not UNSEEN.search(made)
        made.encode("utf-8")
        if output == "json":
            json.loads(made)


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("output", ["table", "chain"])
def test_rich_takes_nothing_for_markup(name: str, output: str) -> None:
    from rich.console import Console

    for report in reports(name):
        page = view(output, report)
        assert not isinstance(page, str)
        file = io.StringIO()
        console = Console(
            file=file,
            width=100_000,
            force_terminal=False,
            markup=False,
            emoji=False,
            highlight=False,
        )
        for part in draw_page(page, 100_000):
            console.print(part)
        assert not UNSEEN.search(file.getvalue())
        if page and report.tables is None and "[" in name and "\x1b" not in name:
            assert name in file.getvalue()


def test_json_says_the_name_exactly() -> None:
    for name in HOSTILE:
        made = json.loads(text("json", report_of_all(poisoned(name))))
        assert made["datasets"][0]["name"] == name


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_dot_string_ends_where_it_should(name: str) -> None:
    assert re.fullmatch(r'"(?:[^"\\]|\\.)*"', dot_quoted(name))
    read = dot_quoted(name)[1:-1].replace("&amp;", "&").replace('\\"', '"').replace("\\\\", "\\")
    assert read == make_visible(name)


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_mermaid_string_has_no_markup(name: str) -> None:
    quoted = mermaid_quoted(name)
    assert not re.search(r"[^\w .#;-]", quoted[1:-1])
    assert re.sub(r"#(\d+);", lambda found: chr(int(found[1])), quoted[1:-1]) == make_visible(name)


def test_the_lines_of_a_graph_stay_lines() -> None:
    made = text("dot", report_of_all(poisoned("a\nb\n}\nc")))
    assert made.count("\n") == text("dot", report_of_all(poisoned("a"))).count("\n")


def test_visible_and_width() -> None:
    assert make_visible("a\x1b[1m\n\u202e") == "a\\x1b[1m\\n\\u202e"
    assert [width(each) for each in ("abc", "日本", "e\u0301", "😀")] == [3, 4, 1, 2]

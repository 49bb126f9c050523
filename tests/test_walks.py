"""The walks of ARCHITECTURE.md: what they say is called is called, for the example that they show."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import lineal.views
from lineal.extract.catalyst.plan import extract as extract_plan
from lineal.graph.graph import Graph
from lineal.incremental.extraction import extract
from lineal.projects import load
from lineal.views.report import report_of_all

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "lineal"
SECTION = re.compile(
    r"^## Walk: one ([^\n]+)\n\n`([^\n]+?)`(.*?)(?=^## )", re.MULTILINE | re.DOTALL
)
WALKS = {
    what: (example, set(re.findall(r"`([\w.]+)`", text)))
    for what, example, text in SECTION.findall(
        (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    )
}
IN_SPARK = ("lineal.spark.",)
"""What a walk only does in a session."""


def functions() -> set[str]:
    """Return the names of all functions and methods, as a page may write them."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            inside = node.body if isinstance(node, ast.ClassDef) else [node]
            owner = [node.name] if isinstance(node, ast.ClassDef) else []
            names = [part.name for part in inside if isinstance(part, ast.FunctionDef)]
            for name in names:
                found |= spellings(module.removesuffix(".__init__"), ".".join([*owner, name]))
    return found


def spellings(module: str, name: str) -> set[str]:
    """Return a function as a page may write it: with its module, or alone."""
    return {f"{module}.{name}", name}


def called_by(work: Callable[[], Any]) -> set[str]:
    """Return every function of lineal that some work calls."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        module = str(frame.f_globals.get("__name__", ""))
        if event == "call" and module.startswith("lineal."):
            found.update(spellings(module, frame.f_code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return found


def read_file(path: Path, text: str) -> list[str]:
    """Write a file, read it, and show its edges; return them."""
    path.write_text(text, encoding="utf-8")
    graph = Graph(extract(load(path)))
    assert lineal.views.view("json", report_of_all(graph))
    return [f"{edge.source} {edge.target}" for edge in graph.edges]


def read_statement(folder: Path, example: str) -> None:
    """The example, and a statement that needs a repair."""
    edges = read_file(
        folder / "load.sql", f"{example};\nINSERT INTO m SELECT a FROM t LOG ERRORS INTO e"
    )
    assert {"orders.amount mart.total", "orders.paid mart"} <= {*edges}


def read_job(folder: Path, example: str) -> None:
    assert read_file(
        folder / "job.py",
        f"from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n{example}\n",
    )


def read_plan(folder: Path, example: str) -> None:
    """SELECT day FROM orders WHERE day GROUP BY day, as a plan."""
    day = {"class": "AttributeReference", "num-children": 0, "name": "day", "exprId": {"id": 1}}
    alias = {"class": "Alias", "num-children": 1, "name": "d", "exprId": {"id": 2}}
    plan = [
        {
            "class": "Aggregate",
            "num-children": 1,
            "groupingExpressions": [[day]],
            "aggregateExpressions": [[alias, day]],
        },
        {"class": "Filter", "num-children": 1, "condition": [day]},
        {
            "class": "LogicalRelation",
            "num-children": 0,
            "output": [[day]],
            "note": {"name": ["orders"]},
        },
    ]
    assert extract_plan(json.dumps(plan)).edges


@pytest.mark.parametrize(
    ("what", "read"),
    [("SQL statement", read_statement), ("PySpark job", read_job), ("Spark plan", read_plan)],
)
def test_a_walk_calls_what_it_names(
    what: str, read: Callable[[Path, str], None], tmp_path: Path
) -> None:
    example, named = WALKS[what]
    named = {name for name in named & functions() if not name.startswith(IN_SPARK)}
    called = called_by(lambda: read(tmp_path, example))
    assert len(named) >= 7
    assert sorted(named - called) == []

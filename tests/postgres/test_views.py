"""Hard PostgreSQL views: what lineal reads from the text is what the server has stored, edge by
edge.

views/<name>.md is a case over schema.sql whose edges the server has written (LINEAL_GOLDEN=write
renews them): lineal is held against them always, and they against the server where there is one.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import truth

from casefile import BLOCK, defined, edge_line, lines_of
from lineal.incremental.extraction import extract
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script
from lineal.model.way import Confidence

HERE = Path(__file__).parent
SCHEMA = (HERE / "schema.sql").read_text(encoding="utf-8")
FUNCTIONS = (HERE / "functions.sql").read_text(encoding="utf-8")
VIEWS = sorted((HERE / "views").glob("*.md"))


@pytest.mark.parametrize("path", VIEWS, ids=lambda path: path.stem)
def test_lineal_reads_what_the_server_has_stored(path: Path) -> None:
    name = view_name(path)
    extraction = extract(
        Corpus("postgres", [Script(SCHEMA, "postgres", "schema.sql"), *scripts(path)])
    )
    assert column_edges(extraction).get(name, set()) == expected(path)
    assert [
        str(found)
        for found in extraction.diagnostics
        if found.place and found.place.file == path.name
    ] == []


@pytest.mark.parametrize("path", VIEWS, ids=lambda path: path.stem)
def test_the_server_has_stored_the_view_as_written(path: Path, stored: dict[str, set[str]]) -> None:
    found = stored[view_name(path)]
    if os.environ.get("LINEAL_GOLDEN") == "write":
        text = path.read_text(encoding="utf-8")
        block = "```edges\n" + "\n".join(sorted(found)) + "\n```"
        path.write_text(
            re.sub(r"```edges\n.*?```", lambda _: block, text, flags=re.DOTALL), encoding="utf-8"
        )
    assert found == expected(path)


@pytest.fixture(scope="module")
def stored(database: Any) -> dict[str, set[str]]:
    """The edges of all views, as the server has them."""
    database.execute(SCHEMA)
    database.execute(FUNCTIONS)
    for path in VIEWS:
        for script in scripts(path):
            database.execute(script.text.replace("CREATE VIEW", "CREATE OR REPLACE VIEW", 1))
    return truth.edges(database)


def view_name(path: Path) -> str:
    return path.stem.replace("-", "_")


@cache
def scripts(path: Path) -> list[Script]:
    """The view, after those that it reads."""
    sql = blocks(path)["sql"]
    others = [
        other for other in VIEWS if other != path and re.search(rf"\b{view_name(other)}\b", sql)
    ]
    return [script for other in others for script in scripts(other)] + [
        Script(sql, "postgres", path.name)
    ]


def expected(path: Path) -> set[str]:
    return {edge_line(line) for line in lines_of(blocks(path)["edges"])}


def blocks(path: Path) -> dict[str, str]:
    return {match[1]: match[3] for match in BLOCK.finditer(path.read_text(encoding="utf-8"))}


def column_edges(extraction: Extraction) -> dict[str, set[str]]:
    """The edges by view, as the server can know them: of columns without the paths inside, and
    without masking.
    """
    usages: dict[str, dict[str, set[str]]] = {}
    for edge in extraction.edges:
        source = f"{edge.source.dataset}.{edge.source.name}"
        line = f"{source} {'->' if edge.field_level else '=>'} {edge.target}"
        found = usages.setdefault(str(edge.into), {}).setdefault(line, set())
        found.update(usage.how.value for usage in edge.usages)
        found.update(["DOUBTED"] if edge.level < Confidence.HIGH else [])
    for info in extraction.datasets.values():
        for column in info.columns if info.dataset in defined(extraction) else ():
            lines = usages.setdefault(str(info.dataset), {})
            if not any(line.endswith(f"-> {info.dataset}.{column.name}") for line in lines):
                lines[f"-> {info.dataset}.{column.name}"] = set()
    return {
        view: {written(line, ways) for line, ways in lines.items()}
        for view, lines in usages.items()
    }


def written(line: str, ways: set[str]) -> str:
    return f"{line}  {', '.join(sorted(ways))}" if ways else line

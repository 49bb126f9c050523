"""Selectors of `lineal lineage`, impact of a dataset, and how results are written."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console
from rich.text import Text

from lineal.cli import main
from lineal.views.terminal import Grid, draw_page, fit, shorten

FILES = {
    "dbt_project.yml": "name: shop\nprofile: duckdb\nmodels:\n  shop:\n    marts:\n      +tags: daily\n",
    "models/raw.yml": (
        "sources:\n- name: raw\n  tables:\n  - name: t\n    columns:\n"
        "    - {name: id, meta: {classification: pii}}\n    - {name: v}\n"
    ),
    "models/stg/a.sql": "select id, v from {{ source('raw', 't') }}",
    "models/marts/b.sql": "select id from {{ ref('a') }}",
    "models/marts/c.sql": "select v from {{ ref('a') }}",
    "models/d.sql": "select v as w from {{ ref('c') }}",
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LINEAL_CACHE", "off")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def edges(*arguments: str) -> set[str]:
    result = run("lineage", *arguments, "--output", "json", "--no-cache")
    assert result.exit_code == 0, result.output
    return {
        f"{edge['source']['dataset']}.{edge['source']['column']} -> "
        f"{edge['target']['dataset']}.{edge['target']['column']}"
        for edge in json.loads(result.stdout)["edges"]
    }


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("selectors", "expected"),
    [
        (["b"], {"a.id -> b.id"}),
        (["b", "c"], {"a.id -> b.id", "a.v -> c.v"}),
        (["tag:daily"], {"a.id -> b.id", "a.v -> c.v"}),
        (["path:models/stg"], {"raw.t.id -> a.id", "raw.t.v -> a.v"}),
        (["path:models/marts/*.sql"], {"a.id -> b.id", "a.v -> c.v"}),
        (["kind:source+1"], {"raw.t.id -> a.id", "raw.t.v -> a.v"}),
        (["+b"], {"raw.t.id -> a.id", "a.id -> b.id"}),
        (["c.v+", "b"], {"c.v -> d.w", "a.id -> b.id"}),
        (["tag:daily+"], {"c.v -> d.w"}),
        (["classification:pii"], {"raw.t.id -> a.id", "a.id -> b.id"}),
    ],
)
def test_selectors(selectors: list[str], expected: set[str]) -> None:
    assert edges(*selectors) == expected


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("selector", ["tag:weekly", "kind:gremlin", "path:nowhere", "nobody"])
def test_a_selector_that_names_nothing_is_a_mistake(selector: str) -> None:
    result = run("lineage", selector, "--no-cache")
    assert result.exit_code == 2
    assert selector in result.stderr


@pytest.mark.usefixtures("shop")
def test_sql_in_place_of_a_path_gets_a_hint() -> None:
    result = run("lineage", "select id from t")
    assert result.exit_code == 2
    assert "lineal lineage -" in result.stderr


@pytest.mark.usefixtures("shop")
def test_impact_of_a_dataset() -> None:
    result = run("impact", "a", "--change", "drop", "--output", "json", "--no-cache")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["column"] == {"dataset": "a", "column": None}
    effects = {each["dataset"]: each["effect"] for each in found["datasets"]}
    assert effects == {"b": "breaks", "c": "breaks", "d": "stale"}


@pytest.mark.usefixtures("shop")
def test_a_dataset_has_no_type_to_change() -> None:
    result = run("impact", "a", "--change", "type=INT", "--no-cache")
    assert result.exit_code == 2
    assert "one column" in result.stderr


@pytest.mark.usefixtures("shop")
def test_quiet_shows_results_only() -> None:
    result = run("lineage", "b", "-q", "--no-cache")
    assert result.stderr == ""
    assert "a" in result.stdout


def test_long_names_are_shortened_in_the_middle() -> None:
    assert shorten("a_very_long_name_of_a_column", 11) == "a_ver…olumn"
    assert shorten("models/marts/orders.sql", 11, is_path=True) == "…orders.sql"
    assert shorten("short", 11) == "short"


def test_a_table_is_made_to_fit() -> None:
    grid = Grid(("NAME", "N", "PATH"), [("n" * 80, "1", "p/" * 60)], numbers=(1,), paths=True)
    fitted = fit(grid, 80)
    assert fitted is not None
    (row,) = fitted.rows
    assert sum(map(len, row)) + 3 * 3 + 1 <= 80
    assert row[1] == "1" and row[2].startswith("…")
    assert fit(grid, 20) is None


@pytest.mark.parametrize("columns", [80, 100, 120])
def test_the_table_of_lineage_fits_a_terminal(columns: int) -> None:
    """Its eight columns need no box: a line is never longer than the screen."""
    header = (
        "SOURCE MODEL", "SOURCE COLUMN", "TARGET MODEL", "TARGET COLUMN", "KIND", "CLASS",
        "DESC STATUS", "CONFIDENCE",
    )  # fmt: skip
    name = "a_name_of_more_than_thirty_letters"
    grid = Grid(header, [(name, name, name, name, "transform", "sensitive", "modified", "MEDIUM")])
    console = Console(file=io.StringIO(), width=columns)
    for part in draw_page([grid], columns):
        console.print(part, soft_wrap=isinstance(part, Text))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= columns
    assert any("…" in line and "MEDIUM" in line for line in lines)

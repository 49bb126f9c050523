"""Every command over one repository of SQLMesh, Dataform and Airflow: examples/bakery."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main

ROOT = Path(__file__).resolve().parents[3]


MADE = {
    "raw.orders",
    "archive.orders",
    "staging.orders",
    "mart.revenue",
    "reports.shops",
    "reports.best_shops",
}


@pytest.fixture
def bakery(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "examples" / "bakery", tmp_path / "bakery"))


def lineal(*arguments: str) -> Result:
    found = CliRunner().invoke(main, [*arguments])
    assert found.exception is None or isinstance(found.exception, SystemExit)
    return found


def test_every_edge_has_its_job(bakery: Path) -> None:
    document = json.loads(lineal("lineage", str(bakery), "--output", "json").stdout)
    jobs: dict[str, list[str]] = {}
    for edge in document["edges"]:
        names = {*jobs.get(edge["target"]["dataset"], ()), *edge.get("jobs", ())}
        jobs[edge["target"]["dataset"]] = sorted(names)
        assert edge.get("jobs") or edge["target"]["dataset"] not in MADE
    tests = {each["name"] for each in document["datasets"] if each["kind"] == "test"}
    assert {name: held for name, held in jobs.items() if name not in tests} == {
        "raw.orders": ["bakery.load_north", "bakery.load_south"],
        "archive.orders": ["bakery.archive"],
        "staging.orders": ["staging.orders"],
        "mart.revenue": ["mart.revenue"],
        "reports.shops": ["reports.shops"],
        "reports.best_shops": ["reports.best_shops"],
    }


def test_events_are_named_as_airflow_names_them(bakery: Path, tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    done = lineal("emit", str(bakery), "--to", str(file), "--job-namespace", "airflow")
    assert done.exit_code == 0
    events = [json.loads(line) for line in file.read_text().splitlines()]
    names = {(each["job"]["namespace"], each["job"]["name"]) for each in events}
    assert {("airflow", "bakery.load_north"), ("airflow", "bakery.archive")} <= names
    loads = [each for each in events if each["job"]["name"] == "bakery.load_north"]
    assert [each["outputs"][0]["name"] for each in loads] == ["raw.orders"]
    assert {each["name"] for each in loads[0]["inputs"]} == {"till_north.sales"}


def test_impact_reaches_all_kinds(bakery: Path) -> None:
    document = json.loads(
        lineal("impact", "raw.orders.price", str(bakery), "--output", "json").stdout
    )
    text = json.dumps(document)
    for name in ("archive.orders", "staging.orders", "mart.revenue", "reports.best_shops"):
        assert name in text


def test_a_change_of_a_model_is_found_in_the_other_kinds(bakery: Path, tmp_path: Path) -> None:
    before = Path(shutil.copytree(bakery, tmp_path / "before"))
    model = bakery / "sqlmesh" / "models" / "revenue.sql"
    text = model.read_text()
    assert "cents" in text
    model.write_text(text.replace("AS cents", "AS pence"))
    found = lineal("diff", str(before), str(bakery))
    assert "mart.revenue" in found.output
    assert "BLOCK" in found.output


def test_the_page_has_the_tables_of_all_kinds(bakery: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert lineal("show", str(bakery), "--out", str(page), "--no-open").exit_code == 0
    assert page.stat().st_size > 10_000


def test_the_rules_know_all_kinds(bakery: Path) -> None:
    found = lineal("validate", str(bakery), "--output", "json")
    places = json.dumps(json.loads(found.stdout))
    assert "load_orders.sql" in places
    assert "best_shops.js" in places

"""lineal lineage --classification: only the paths of a label, and the way that it came."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main

FILES = {
    "lineal.yml": "dialect: duckdb\n",
    "nodes/raw/raw.yml": "kind: source\ntables: [{name: raw, columns: [id, {name: email, classification: PII}]}]\n",
    "nodes/stg/stg.sql": "select id, email from raw where email is not null",
    "nodes/stg/stg.yml": "kind: sql\n",
    "nodes/mart/mart.sql": "select upper(email) as mail, md5(email) as hashed, id from stg",
    "nodes/mart/mart.yml": "kind: sql\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def run(project: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["lineage", str(project), "--classification", "pii", *options])


def test_only_edges_that_carry_the_label_are_shown(project: Path) -> None:
    rows = [line.split() for line in run(project).stdout.splitlines()[2:]]
    assert [row[:4] for row in rows] == [
        ["stg", "email", "mart", "mail"],
        ["raw", "email", "stg", "email"],
    ]
    assert [" ".join(row[5:-1]) for row in rows] == ["pii ← raw.email", "pii"]


def test_a_chain_names_the_way_at_each_column(project: Path) -> None:
    chain = run(project, "--column", "mart.mail").stdout
    assert "mart.mail   (sql, VARCHAR, pii ← raw.email via stg.email)" in chain
    assert "stg.email   (sql, pii ← raw.email)" in chain
    assert "raw.email   (source, pii)" in chain
    masked = run(project, "--column", "mart.hashed").stdout
    assert "raw.email" not in masked and "1 node in lineage chain." in masked


def test_json_has_the_path(project: Path) -> None:
    made = json.loads(run(project, "--output", "json").stdout)
    columns = {
        (each["name"], column["name"]): column
        for each in made["datasets"]
        for column in each["columns"]
    }
    path = [
        {"dataset": name, "column": column}
        for name, column in (("raw", "email"), ("stg", "email"), ("mart", "mail"))
    ]
    assert columns["mart", "mail"]["brought"] == [{"label": "pii", "path": path}]
    assert "brought" not in columns["raw", "email"] and "brought" not in columns["mart", "hashed"]
    assert len(made["edges"]) == 2


def test_an_undeclared_label_is_a_usage_error(project: Path) -> None:
    done = CliRunner().invoke(main, ["lineage", str(project), "--classification", "phi"])
    assert (done.exit_code, done.stderr) == (
        2,
        "Error: no column is classified phi; the labels are: pii\n",
    )
    assert (
        run(project, "--level", "table").exit_code
        == run(project, "--impact", "--column", "raw.id").exit_code
        == 2
    )

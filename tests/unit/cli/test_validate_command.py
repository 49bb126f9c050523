"""lineal validate: options, findings and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main

FILES = {
    "lineal.yml": "dialect: duckdb\n",
    "nodes/raw/raw.yml": "kind: source\ntables: [{name: raw, columns: [{name: id, description: Key}]}]\n",
    "nodes/mart/mart.sql": "select id, id + 1 as next from raw\n",
    "nodes/mart/mart.yml": "kind: sql\ncolumns:\n  - name: id\n  - name: gone\n",
}


def project(folder: Path, **changed: str) -> Path:
    """The files above, some of them changed: lineal_yml=…, mart_sql=…"""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(changed.get(name.rsplit("/", 1)[-1].replace(".", "_"), text))
    return folder


def run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["validate", str(folder), *options])


def codes(done: Result) -> list[str]:
    return [finding["code"] for finding in json.loads(done.stdout)["findings"]]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 1),
        (("--fail-on", "never"), 0),
        (("--ignore", "SA01"), 0),
        (("--ignore", "SA01", "--fail-on", "warning"), 1),
        (("--select", "A020"), 0),
        (("--select", "A020", "--fail-on", "info"), 1),
        (("--select", "S005", "--fail-on", "info"), 0),
    ],
)
def test_the_exit_code_is_that_of_the_worst_finding(
    tmp_path: Path, options: tuple[str, ...], code: int
) -> None:
    assert run(project(tmp_path), *options).exit_code == code


def test_rules_are_selected_and_ignored_by_code_name_or_pattern(tmp_path: Path) -> None:
    folder = project(tmp_path)
    assert codes(run(folder, "--output", "json")) == ["SA02", "A020", "A050", "SA01"]
    assert codes(
        run(folder, "--output", "json", "--select", "sa*,a050", "--ignore", "column-not-declared")
    ) == [
        "A050",
        "SA01",
    ]


@pytest.mark.parametrize(
    "options", [("--select", "A99"), ("--ignore", "nope"), ("--explain", "A0500")]
)
def test_an_unknown_rule_is_a_usage_error(tmp_path: Path, options: tuple[str, ...]) -> None:
    done = run(project(tmp_path), *options)
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: there is no rule ")


def test_explain() -> None:
    done = CliRunner().invoke(main, ["validate", "--explain", "description-drift"])
    assert done.exit_code == 0
    assert done.stdout.startswith(
        "A051 description-drift (warning)\n\nThe description of a copied or renamed column"
    )


def test_the_project_sets_severities(tmp_path: Path) -> None:
    settings = "dialect: duckdb\nvalidate:\n  severity: {SA01: off, A05*: error, column-not-declared: info}\n"
    found = json.loads(run(project(tmp_path, lineal_yml=settings), "--output", "json").stdout)[
        "findings"
    ]
    assert {each["code"]: each["severity"] for each in found} == {
        "A050": "error",
        "SA02": "info",
        "A020": "info",
    }


def test_mistakes_in_the_settings_are_found_at_their_place(tmp_path: Path) -> None:
    settings = (
        "validate:\n  severity: {A999: error, SA01: loud}\n  terminals: [x]\n  personal: {a: b}\n"
    )
    shown = run(
        project(tmp_path, lineal_yml=f"dialect: duckdb\n{settings}"), "--output", "github"
    ).stdout
    found = {
        line.split("line=")[1].split(",")[0] + line.split("::")[2] for line in shown.splitlines()
    }
    assert any(line.startswith("3validate.severity: there is no rule A999") for line in found)
    assert any(
        line.startswith("3validate.severity.SA01: expected off, info, warning, error, found 'loud'")
        for line in found
    )
    assert any(
        line.startswith("4validate: unknown key 'terminals', did you mean 'terminal'?")
        for line in found
    )
    assert any(
        line.startswith("5validate.personal: expected text, found a mapping") for line in found
    )


@pytest.mark.parametrize(
    "section",
    ["validate: [1]", "validate: 7", "validate:", "validate: {severity: []}", "[]", "a: ["],
)
def test_settings_of_another_shape_break_nothing(tmp_path: Path, section: str) -> None:
    done = run(project(tmp_path, lineal_yml=f"{section}\n"), "--output", "json")
    assert done.exit_code == 1 and "SA01" in codes(done)


def test_settings_next_to_other_project_files(tmp_path: Path) -> None:
    settings = "validate: {severity: {SA01: off}}\n"
    folder = project(tmp_path, lineal_yml=settings)
    (folder / "featherflow.yml").write_text("name: x\nnode_paths: [nodes]\n")
    assert "SA01" not in codes(run(folder, "--output", "json"))
    (folder / "lineal.yml").unlink()
    assert "SA01" in codes(run(folder, "--output", "json"))
    (folder / "featherflow.yml").write_text(f"name: x\nnode_paths: [nodes]\n{settings}")
    assert "SA01" not in codes(run(folder, "--output", "json"))


def test_settings_of_a_folder_of_sql(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("with x as (select a from t) select a from x")
    assert codes(run(tmp_path, "--output", "json")) == []
    (tmp_path / "lineal.yml").write_text("validate: {severity: {S005: error}}\n")
    done = run(tmp_path, "--output", "json")
    assert (codes(done), done.exit_code) == (["S005"], 1)


def test_settings_of_a_dbt_project(tmp_path: Path) -> None:
    (tmp_path / "dbt_project.yml").write_text("name: shop\nprofile: shop\n")
    (tmp_path / "lineal.yml").write_text("validate: {severity: {SA01: info}}\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "mart.sql").write_text("select 1 as id\n")
    (tmp_path / "models" / "m.yml").write_text(
        "models:\n  - name: mart\n    config: {meta: {lineal: {terminal: true}}}\n    columns:\n      - name: gone\n"
    )
    found = json.loads(run(tmp_path, "--output", "json").stdout)["findings"]
    assert [(each["code"], each["severity"]) for each in found] == [
        ("SA02", "warning"),
        ("SA01", "info"),
    ]


def test_the_last_line_counts(tmp_path: Path) -> None:
    done = run(project(tmp_path))
    *counts, _, _ = done.stderr.splitlines()
    assert sum(int(each.split()[0]) for each in counts) == 4
    assert (
        done.stderr.split("\n", len(counts))[-1]
        == "1 error, 2 warnings, 1 info\ncoverage 100 %: 4 files, 1 statement, 2 columns; 2 + 0 edges\n"
    )
    assert "3 |   - name: id\n  |     ^^^^^^^^\n" in done.stdout


def test_files_that_are_not_text_cost_only_themselves(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (folder / "nodes" / "bad").mkdir()
    (folder / "nodes" / "bad" / "bad.sql").write_bytes(b"select \xff\xfe -- lineal: ignore[A050]")
    (folder / "nodes" / "bad" / "bad.yml").write_bytes(b"kind: sql\ncolumns: [\xff]")
    (folder / "nodes" / "odd").mkdir()
    (folder / "nodes" / "odd" / "odd.sql").write_text("select 1 as a")
    (folder / "nodes" / "odd" / "odd.yml").write_text(
        "kind: sql\nmeta: 7\ncolumns: [{name: a, meta: {lineal: {inherit: 3}}}]"
    )
    found = codes(run(folder, "--output", "json"))
    assert found.count("not-utf8") == 2 and "yaml-type" in found and "SA01" in found


def test_a_comment_without_a_line_end_and_one_in_a_string(tmp_path: Path) -> None:
    sql = (
        "select id, id + 1 as next from raw where '-- lineal: ignore' <> '' -- lineal: ignore[SA02]"
    )
    assert "SA02" not in codes(run(project(tmp_path, mart_sql=sql), "--output", "json"))
    sql = "select '\n-- lineal: ignore[SA02]\n' || id as id, id + 1 as next from raw"
    assert "SA02" in codes(run(project(tmp_path, mart_sql=sql), "--output", "json"))


def test_a_saved_lineage_is_checked_and_reads_no_files(tmp_path: Path) -> None:
    """Declared and returned columns are saved; the places that a file names are not followed."""
    folder, saved = project(tmp_path / "project"), tmp_path / "x.lineal.json"
    CliRunner().invoke(main, ["lineage", str(folder), "--save", str(saved)])
    assert codes(run(saved, "--output", "json")) == codes(run(folder, "--output", "json"))
    secret = tmp_path / "secret.yml"
    secret.write_text("one\ntwo\nthe secret\nfour\n")
    saved.write_text(saved.read_text().replace(str(folder / "nodes/mart/mart.yml"), str(secret)))
    shown = run(saved).stdout
    assert "secret.yml:3:5" in shown and "the secret" not in shown


def test_too_little_coverage_is_a_separate_failure(tmp_path: Path) -> None:
    folder = project(tmp_path, mart_sql="select id, nope from raw")
    assert run(folder, "--fail-on", "never", "--fail-under", "50").exit_code == 0
    done = run(folder, "--fail-on", "never", "--fail-under", "90")
    assert done.exit_code == 1
    assert done.stderr.endswith("coverage is below 90 %: it is 50 %\n")


def test_lines_that_a_loop_has_moved_are_those_of_the_template(tmp_path: Path) -> None:
    sql = "select\n{% for x in ['a', 'b', 'c'] %}\n  id as {{ x }},\n{% endfor %}\n  id + 1 as next\nfrom raw\n"
    folder = project(tmp_path, mart_sql=sql, mart_yml="kind: sql\ncolumns: [a, b, c]\n")
    done = run(folder, "--select", "SA02")
    assert "mart.sql:5:3\n  |\n5 |   id + 1 as next\n  |   ^^\n" in done.stdout
    drift = run(folder, "--select", "A050", "--output", "json")
    lines = [each["also"][0]["place"]["line"] for each in json.loads(drift.stdout)["findings"]]
    assert lines == [3, 3, 3]

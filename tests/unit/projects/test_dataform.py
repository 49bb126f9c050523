"""Dataform projects: SQLX, JavaScript as far as constants go, assertions, and broken input."""

from __future__ import annotations

from pathlib import Path

import pytest

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.projects import load

SETTINGS = "defaultProject: p\ndefaultDataset: d\nvars:\n  env: prod\n"


def project(folder: Path, files: dict[str, str]) -> Extraction:
    for name, text in {"workflow_settings.yaml": SETTINGS, **files}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return extract(load(folder))


def edges(found: Extraction) -> set[str]:
    return {f"{each.source} {each.kind} {each.target}" for each in found.edges}


def codes(found: Extraction) -> list[Code]:
    return [each.code for each in found.diagnostics]


TABLE = 'config { type: "table" }\n'
SOURCE = {"definitions/t.sqlx": 'config { type: "declaration", schema: "raw", name: "t" }'}
TEXTS = {
    "ref": (TABLE + 'SELECT a FROM ${ref("t")}', {"raw.t.a copy d.x.a"}),
    "ref with a schema": (TABLE + 'SELECT a FROM ${ref("raw", "t")}', {"raw.t.a copy d.x.a"}),
    "ref of an object": (
        TABLE + 'SELECT a FROM ${ref({ schema: "raw", name: "t" })}',
        {"raw.t.a copy d.x.a"},
    ),
    "js": (
        TABLE + 'js { const cols = ["a", "b"]; }\n'
        'SELECT ${cols.map(c => `SUM(${c}) AS ${c}_sum`).join(", ")} FROM ${ref("t")}',
        {"raw.t.a transform d.x.a_sum", "raw.t.b transform d.x.b_sum"},
    ),
    "includes": (
        TABLE + 'SELECT ${money.cents("a")} AS c FROM ${ref("t")} WHERE b = "${money.UNIT}"',
        {"raw.t.a transform d.x.c", "raw.t.b inspect d.x"},
    ),
    "variables": (
        TABLE + "SELECT a FROM raw.${dataform.projectConfig.vars.env}_t",
        {"raw.prod_t.a copy d.x.a"},
    ),
    "incremental, both ways": (
        'config { type: "incremental" }\nSELECT a, n FROM ${ref("t")}\n'
        "${when(incremental(), `WHERE n > (SELECT MAX(n) FROM ${self()})`)}",
        {
            "raw.t.a copy d.x.a",
            "raw.t.n copy d.x.n",
            "raw.t.n inspect d.x",
            "d.x.n inspect d.x",
        },
    ),
    "operations": (
        'config { type: "operations", hasOutput: true }\n'
        'CREATE OR REPLACE TABLE ${self()} AS SELECT a FROM ${ref("t")}',
        {"raw.t.a copy d.x.a"},
    ),
    "post operations": (
        TABLE + 'SELECT a FROM ${ref("t")}\n'
        "post_operations { INSERT INTO log.l SELECT b FROM raw.u }",
        {"raw.t.a copy d.x.a", "raw.u.b copy log.l.b"},
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_sqlx_is_read(tmp_path: Path, name: str) -> None:
    text, expected = TEXTS[name]
    include = (
        'const UNIT = "kg";\nfunction cents(c) { return `${c} * 100`; }\n'
        "module.exports = { UNIT, cents };\n"
    )
    files = {**SOURCE, "definitions/x.sqlx": text, "includes/money.js": include}
    found = project(tmp_path, files)
    assert edges(found) == expected
    assert codes(found) == []


def test_assertions_are_tests_that_read_columns(tmp_path: Path) -> None:
    files = {
        **SOURCE,
        "definitions/x.sqlx": 'config { type: "view", assertions: { uniqueKey: ["a"], '
        'nonNull: "b", rowConditions: ["c > 0"] } }\nSELECT a, b, c FROM ${ref("t")}',
        "definitions/ok.sqlx": 'config { type: "assertion" }\n'
        'SELECT a FROM ${ref("x")} WHERE b IS NULL',
    }
    found = project(tmp_path, files)
    tests = {each.dataset.name for each in found.datasets.values() if each.kind == "test"}
    assert tests == {"d_x_assertions_uniqueKey_0", "d_x_assertions_rowConditions", "d.ok"}
    read = {(each.target.name, each.column) for each in found.reads if each.column}
    assert {
        ("d_x_assertions_uniqueKey_0", "a"),
        ("d_x_assertions_rowConditions", "b"),
        ("d_x_assertions_rowConditions", "c"),
        ("d.ok", "b"),
    } <= read
    assert not [each for each in found.edges if each.into.name in tests]


def test_javascript_defines_actions(tmp_path: Path) -> None:
    text = (
        'declare({ schema: "raw", name: "t" });\n'
        'for (const kind of ["u", "v"]) {\n'
        "  publish(`${kind}_rows`, { type: \"view\", schema: 'mart' }).query(\n"
        '    (ctx) => `SELECT a FROM ${ctx.ref("t")} WHERE kind = "${kind}"`);\n'
        "}\n"
        'operate("log").queries(ctx => `INSERT INTO d.log SELECT a FROM ${ctx.ref("u_rows")}`);\n'
    )
    found = project(tmp_path, {"definitions/all.js": text})
    assert edges(found) == {
        "raw.t.a copy mart.u_rows.a",
        "raw.t.kind inspect mart.u_rows",
        "raw.t.a copy mart.v_rows.a",
        "raw.t.kind inspect mart.v_rows",
        "mart.u_rows.a copy d.log.a",
    }
    assert codes(found) == []


def test_actions_of_yaml_are_plain_sql(tmp_path: Path) -> None:
    files = {
        "definitions/actions.yaml": "actions:\n- table:\n    filename: x.sql\n    dataset: m\n",
        "definitions/x.sql": "SELECT a FROM raw.t",
    }
    assert edges(project(tmp_path, files)) == {"raw.t.a copy m.x.a"}


def test_the_project_is_not_part_of_a_name(tmp_path: Path) -> None:
    files = {
        "definitions/x.sqlx": TABLE + "SELECT a FROM `p.raw.t`",
        "definitions/y.sqlx": TABLE + "SELECT a FROM `p.d.x`",
    }
    assert "d.x.a copy d.y.a" in edges(project(tmp_path, files))


BROKEN = {
    "a config block": 'config { type: "table", }}\nSELECT a FROM raw.t',
    "a config that is no object": 'config { type: "table" name: }\nSELECT a FROM raw.t',
    "an expression": TABLE + "SELECT a FROM raw.t WHERE b = ${ = }",
    "a value that only a run knows": TABLE + "SELECT a FROM raw.t WHERE b = ${today()}",
    "a loop without an end": "config { type: 'table' }\njs { function f(x) { return f(x); } }\n"
    "SELECT a, ${f(1)} AS c FROM raw.t",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_costs_only_itself(tmp_path: Path, name: str) -> None:
    found = project(tmp_path, {"definitions/x.sqlx": BROKEN[name], "definitions/y.js": "publish("})
    assert Code.INTERNAL_ERROR not in codes(found)
    assert {Code.DYNAMIC, Code.PARSE_ERROR} & {*codes(found)}
    assert "raw.t.a copy d.x.a" in edges(found)


MODULES = {
    "includes/core/names.js": "const { UNIT } = require('./units');\n"
    "module.exports = { cents: (c) => `${c} * ${UNIT}` };",
    "includes/core/units.js": "module.exports = { UNIT: 100 };",
    "includes/names.js": "module.exports = { cents: (c) => `${c} / 100` };",
    "includes/tables.json": '[{"name": "t"}, {"name": "u"}]',
}


def test_modules_are_found_by_their_path(tmp_path: Path) -> None:
    query = (
        TABLE + 'js { const core = require("includes/core/names"); }\n'
        'SELECT ${core.cents("a")} AS b, ${names.cents("a")} AS c FROM ${ref("t")}'
    )
    found = project(tmp_path, {**SOURCE, **MODULES, "definitions/x.sqlx": query})
    assert edges(found) == {"raw.t.a transform d.x.b", "raw.t.a transform d.x.c"}
    assert not found.diagnostics


def test_json_of_the_project_is_a_value(tmp_path: Path) -> None:
    query = (
        TABLE + 'js { const tables = require("../includes/tables.json"); }\n'
        "${tables.map(t => `SELECT a FROM raw.${t.name}`).join(' UNION ALL ')}"
    )
    found = project(tmp_path, {**MODULES, "definitions/x.sqlx": query})
    assert edges(found) == {"raw.t.a copy d.x.a", "raw.u.a copy d.x.a"}


def test_a_module_outside_the_project_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"name": "t"}')
    query = (
        TABLE + 'js { const held = require("../../secret.json"); }\nSELECT a FROM raw.${held.name}'
    )
    found = project(tmp_path / "inner", {"definitions/x.sqlx": query})
    assert edges(found) == {"raw.{held_name}.a copy d.x.a"} or Code.DYNAMIC in codes(found)
    assert "raw.t.a copy d.x.a" not in edges(found)


def test_modules_that_require_each_other_end(tmp_path: Path) -> None:
    files = {
        "includes/a.js": "const b = require('./b');\nmodule.exports = { A: 1 };",
        "includes/b.js": "const a = require('./a');\nmodule.exports = { B: 2 };",
        "definitions/x.sqlx": TABLE + 'SELECT a * ${b.B} AS c FROM ${ref("t")}',
    }
    found = project(tmp_path, {**SOURCE, **files})
    assert edges(found) == {"raw.t.a transform d.x.c"}


def test_items_that_only_a_run_knows_are_followed_once(tmp_path: Path) -> None:
    query = (
        TABLE + "js { const tables = readTables(); }\n"
        "SELECT a FROM (${tables.map(t => `SELECT a FROM raw.${t}`).join(' UNION ALL ')})"
    )
    found = project(tmp_path, {"definitions/x.sqlx": query})
    assert edges(found) == {"raw.{item}.a copy d.x.a"}
    assert Code.DYNAMIC in codes(found)


def test_values_that_only_a_run_knows_are_placeholders(tmp_path: Path) -> None:
    query = (
        TABLE + "js { const cols = load().names.join(', '); }\n"
        'SELECT a, ${cols} AS b, STRUCT(${f().x()} AS c) AS s FROM ${ref("t")}'
    )
    found = project(tmp_path, {**SOURCE, "definitions/x.sqlx": query})
    assert "raw.t.a copy d.x.a" in edges(found)
    assert Code.PARSE_ERROR not in codes(found)


def test_settings_may_be_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "definitions" / "x.sqlx"
    file.parent.mkdir()
    file.write_text('config { type: "table", schema: "d" }\nSELECT a FROM raw.t')
    assert edges(extract(load(tmp_path))) == {"raw.t.a copy d.x.a"}


def test_names_that_differ_in_case_are_two(tmp_path: Path) -> None:
    files = {
        "definitions/sources.js": 'declare({ schema: "raw", name: "Guest" });',
        "definitions/guest.sqlx": 'config { type: "table", schema: "m" }\nSELECT 1 AS one',
        "definitions/x.sqlx": TABLE + 'SELECT id FROM ${ref("Guest")}',
    }
    assert edges(project(tmp_path, files)) == {"raw.Guest.id copy d.x.id"}


def test_a_table_that_declares_itself_first(tmp_path: Path) -> None:
    query = (
        'config { type: "incremental" }\npre_operations {\n'
        "  CREATE TABLE IF NOT EXISTS ${self()} (a INT64, at TIMESTAMP);\n}\n"
        'SELECT a, CURRENT_TIMESTAMP() AS at FROM ${ref("t")}'
    )
    found = project(tmp_path, {**SOURCE, "definitions/x.sqlx": query})
    assert edges(found) == {"raw.t.a copy d.x.a"}


def test_a_name_that_an_include_does_not_export_is_undefined(tmp_path: Path) -> None:
    files = {
        "includes/names.js": "module.exports = { SCHEMA: 's' };",
        "definitions/x.sqlx": 'config { type: "table", schema: names.TYPO }\nSELECT a FROM raw.t',
    }
    assert edges(project(tmp_path, files)) == {"raw.t.a copy d.x.a"}

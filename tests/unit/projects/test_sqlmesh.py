"""SQLMesh projects: headers, macros, Python, seeds, externals, audits, and input that is broken."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from lineal.extract.pyspark.blocks import STATEMENTS
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.projects import load

CONFIG = "model_defaults:\n  dialect: duckdb\nvariables:\n  env: prod\n  rate: 2\n"


def project(folder: Path, files: dict[str, str]) -> Extraction:
    for name, text in {"config.yaml": CONFIG, **files}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return extract(load(folder))


def edges(found: Extraction) -> set[str]:
    return {f"{each.source} {each.kind} {each.target}" for each in found.edges}


def codes(found: Extraction) -> list[Code]:
    return [each.code for each in found.diagnostics]


def reads(found: Extraction, target: str) -> set[str]:
    return {
        f"{each.dataset}.{each.column}"
        for each in found.reads
        if each.target.name == target and each.column
    }


MACROS = {
    "variables": ("SELECT a * @rate AS b FROM raw.@{env}_t", {"raw.prod_t.a transform s.x.b"}),
    "times": (
        "SELECT a FROM raw.t WHERE ds BETWEEN @start_ds AND @end_date",
        {"raw.t.a copy s.x.a", "raw.t.ds inspect s.x"},
    ),
    "each": (
        "SELECT @EACH([a, b], c -> SUM(c) AS sum_@c) FROM raw.t",
        {"raw.t.a transform s.x.sum_a", "raw.t.b transform s.x.sum_b"},
    ),
    "each of texts": (
        "SELECT @EACH(['u', 'v'], k -> MAX(IF(kind = k, a, NULL)) AS @{k}_max) FROM raw.t",
        {
            "raw.t.a transform s.x.u_max",
            "raw.t.kind transform s.x.u_max",
            "raw.t.a transform s.x.v_max",
            "raw.t.kind transform s.x.v_max",
        },
    ),
    "definitions": (
        "@DEF(half, x -> x / 2); @DEF(col, a); SELECT @half(@col) AS h FROM raw.t",
        {"raw.t.a transform s.x.h"},
    ),
    "reduce": (
        "SELECT @REDUCE([a, b, c], (x, y) -> x + y) AS total FROM raw.t",
        {
            "raw.t.a transform s.x.total",
            "raw.t.b transform s.x.total",
            "raw.t.c transform s.x.total",
        },
    ),
    "if, decided": ("SELECT @IF(@rate = 2, a, b) AS c FROM raw.t", {"raw.t.a rename s.x.c"}),
    "if, both ways": (
        "SELECT @IF(@gateway_name = 'a', a, b) AS c FROM raw.t",
        {"raw.t.a rename s.x.c", "raw.t.b rename s.x.c"},
    ),
    "and": (
        "SELECT a FROM raw.t WHERE @AND(b > 1, NULL, c > 2)",
        {"raw.t.a copy s.x.a", "raw.t.b inspect s.x", "raw.t.c inspect s.x"},
    ),
    "surrogate key": (
        "SELECT @GENERATE_SURROGATE_KEY(a, b) AS k FROM raw.t",
        {"raw.t.a transform s.x.k", "raw.t.b transform s.x.k"},
    ),
    "star": (
        "SELECT @STAR(s.y, y, [b]) FROM s.y AS y",
        {"s.y.a copy s.x.a", "raw.u.a copy s.y.a", "raw.u.b copy s.y.b"},
    ),
    "macro in Python": ("SELECT @cents(a) AS c FROM raw.t", {"raw.t.a transform s.x.c"}),
    "jinja": (
        "JINJA_QUERY_BEGIN;\nSELECT {% for c in ['a', 'b'] %}{{ c }},{% endfor %} 1 AS n "
        "FROM raw.t WHERE ds = '{{ start_ds }}';\nJINJA_END;",
        {"raw.t.a copy s.x.a", "raw.t.b copy s.x.b", "raw.t.ds inspect s.x"},
    ),
}


@pytest.mark.parametrize("name", MACROS)
def test_macros_are_expanded(tmp_path: Path, name: str) -> None:
    text, expected = MACROS[name]
    files = {
        "models/x.sql": f"MODEL (name s.x);\n{text}",
        "macros/m.py": "from sqlmesh import macro\n\n@macro()\n"
        'def cents(evaluator, column):\n    return f"{column} * 100"\n',
    }
    if "s.y" in text:
        files["models/y.sql"] = "MODEL (name s.y); SELECT a, b FROM raw.u"
    found = project(tmp_path, files)
    assert edges(found) == expected
    assert codes(found) == []


def test_macros_over_tables_cast_columns_to_their_types(tmp_path: Path) -> None:
    """@UNION and @STAR write CAST(a AS INT) AS a where the types are known."""
    files = {
        "external_models.yaml": "- name: raw.t\n  columns:\n    a: int\n    b: text\n"
        "- name: raw.u\n  columns:\n    a: int\n",
        "models/x.sql": "MODEL (name s.x);\n@UNION('all', raw.t, raw.u)",
        "models/y.sql": "MODEL (name s.y);\nSELECT @STAR(raw.u, v) FROM raw.u AS v",
    }
    assert edges(project(tmp_path, files)) == {
        "raw.t.a transform s.x.a",
        "raw.u.a transform s.x.a",
        "raw.u.a transform s.y.a",
    }


def test_places_stay_where_they_are_written(tmp_path: Path) -> None:
    text = "MODEL (\n  name s.x\n);\n\nSELECT\n  @EACH([a], c ->\n    c),\n  b\nFROM raw.t\n"
    found = project(tmp_path, {"models/x.sql": text})
    lines = {str(each.source): each.place.line for each in found.edges if each.place}
    assert lines == {"raw.t.a": 6, "raw.t.b": 8}


def test_seeds_externals_and_python_models_have_columns(tmp_path: Path) -> None:
    files = {
        "models/seed.sql": "MODEL (name s.kinds, kind SEED (path '../seeds/kinds.csv'));",
        "seeds/kinds.csv": "id,kind\n1,a\n",
        "external_models.yaml": "- name: raw.t\n  columns:\n    id: int\n    v: text\n",
        "models/p.py": "from sqlmesh import model\n"
        '@model("s.p", columns={"id": "int", "w": "text"})\n'
        "def execute(context, **kwargs):\n"
        '    return context.fetchdf("SELECT * FROM raw.u")\n',
        "models/x.sql": "MODEL (name s.x);\nSELECT * FROM s.kinds JOIN s.p USING (id) "
        "JOIN raw.t USING (id)",
    }
    found = project(tmp_path, files)
    names = {each.dataset.name: (each.kind, each.names) for each in found.datasets.values()}
    assert names["s.x"] == ("model", ["id", "kind", "w", "v"])
    assert names["s.kinds"] == ("seed", ["id", "kind"])
    assert names["raw.t"] == ("source", ["id", "v"])
    assert codes(found) == [Code.NOT_TRACED]
    tables = {(each.target.name, each.dataset.name) for each in found.reads}
    assert ("s.p", "raw.u") in tables


def test_audits_are_tests_that_read_columns(tmp_path: Path) -> None:
    files = {
        "models/x.sql": "MODEL (name s.x, audits (not_null(columns := (a, b)), "
        "forall(criteria := (c > 0)), positive(column := d)));\n"
        "SELECT a, b, c, d FROM raw.t",
        "audits/positive.sql": "AUDIT (name positive);\n"
        "SELECT 1 FROM @this_model WHERE @column <= 0;\n"
        "AUDIT (name alone, standalone true);\nSELECT a FROM s.x",
    }
    found = project(tmp_path, files)
    tests = {each.dataset.name: each for each in found.datasets.values() if each.kind == "test"}
    assert set(tests) == {"not_null:s.x", "forall:s.x", "positive:s.x", "alone"}
    assert all(each.columns == [] for each in tests.values())
    assert not [each for each in found.edges if each.into.name in tests]
    assert reads(found, "not_null:s.x") == {"s.x.a", "s.x.b"}
    assert reads(found, "forall:s.x") == {"s.x.c"}
    assert reads(found, "positive:s.x") == {"s.x.d"}
    assert reads(found, "alone") == {"s.x.a"}


QUERIES = {
    "query": "SELECT a FROM raw.t",
    "jinja": "JINJA_QUERY_BEGIN;\nSELECT {{ 'a' }} FROM raw.t\nJINJA_END;",
}


@pytest.mark.parametrize("kind", QUERIES)
@pytest.mark.parametrize("is_first", [True, False])
def test_an_audit_in_the_file_of_a_model_has_one_statement(
    kind: str, is_first: bool, tmp_path: Path
) -> None:
    audit = "AUDIT (name rare);\nSELECT 1 FROM s.x GROUP BY a HAVING count(*) > ';'"
    parts = [f"{audit};\n", QUERIES[kind]] if is_first else [f"{QUERIES[kind]};\n", audit]
    text = f"MODEL (name s.x, audits (rare));\n{''.join(parts)}"
    found = project(tmp_path, {"models/x.sql": text})
    assert edges(found) == {"raw.t.a copy s.x.a"}
    assert reads(found, "rare:s.x") == {"s.x.a"}
    assert codes(found) == []


def test_a_jinja_macro_builds_a_list(tmp_path: Path) -> None:
    macro = (
        "{% macro key(columns) %}{% set parts = [] %}"
        "{% for c in columns %}{% do parts.append('lower(' ~ c ~ ')') %}{% endfor %}"
        "md5({{ parts | join(' || ') }}){% endmacro %}"
    )
    body = "JINJA_QUERY_BEGIN;\nSELECT {{ key(['a', 'b']) }} AS k FROM raw.t;\nJINJA_END;"
    files = {"macros/key.sql": macro, "models/x.sql": f"MODEL (name s.x);\n{body}"}
    found = project(tmp_path, files)
    assert edges(found) == {"raw.t.a transform s.x.k", "raw.t.b transform s.x.k"}
    assert codes(found) == []


def test_a_macro_finds_a_table_by_the_end_of_its_name(tmp_path: Path) -> None:
    files = {
        "external_models.yaml": "- name: shop.raw.t\n  columns:\n    a: int\n    b: int\n",
        "models/x.sql": "MODEL (name s.x);\nSELECT @STAR(t) FROM shop.raw.t",
    }
    found = project(tmp_path, files)
    assert {edge.rpartition(" ")[2] for edge in edges(found)} == {"s.x.a", "s.x.b"}
    assert codes(found) == []


def test_dashes_begin_a_comment_in_every_dialect(tmp_path: Path) -> None:
    text = (
        "MODEL (name s.x, dialect mysql);\nSELECT a --the key\n---- totals\n, '--b' AS b FROM raw.t"
    )
    found = project(tmp_path, {"models/x.sql": text})
    assert edges(found) == {"raw.t.a copy s.x.a"}
    assert codes(found) == []


def test_blueprints_metrics_and_history(tmp_path: Path) -> None:
    files = {
        "models/b.sql": "MODEL (name @name, blueprints ((name := s.one, k := 'u'), "
        "(name := s.two, k := 'v')));\nSELECT a FROM raw.t WHERE kind = @k",
        "models/h.sql": "MODEL (name s.h, kind SCD_TYPE_2 (unique_key id));\n"
        "SELECT id, updated_at FROM raw.t",
        "metrics/m.sql": "METRIC (name paid, expression SUM(s.one.a));",
    }
    found = project(tmp_path, files)
    made = edges(found)
    assert {"raw.t.a copy s.one.a", "raw.t.a copy s.two.a"} <= made
    assert "raw.t.updated_at rename s.h.valid_from" in made
    assert "s.one.a transform paid.paid" in made
    kinds = {each.dataset.name: each.kind for each in found.datasets.values()}
    assert kinds["paid"] == "metric"


BROKEN = {
    "a bracket that is not closed": (
        {"models/x.sql": "MODEL (name s.x, kind VIEW;\nSELECT a FROM raw.t"},
        Code.PARSE_ERROR,
    ),
    "a macro that only a run knows": (
        {
            "models/x.sql": "MODEL (name s.x);\nSELECT a, @odd(b) AS c FROM raw.t",
            "macros/m.py": "@macro()\ndef odd(evaluator, c):\n    for x in c: pass\n    return x\n",
        },
        Code.DYNAMIC,
    ),
    "a macro that only a run knows, called twice": (
        {
            "models/x.sql": "MODEL (name s.x);\nSELECT a, @odd(b) AS c, @odd(b) AS d FROM raw.t",
            "macros/m.py": "@macro()\ndef odd(evaluator, c):\n    for x in c: pass\n    return x\n",
        },
        Code.DYNAMIC,
    ),
    "a macro that is not there": (
        {"models/x.sql": "MODEL (name s.x);\nSELECT a, @gone(b) AS c FROM raw.t"},
        Code.DYNAMIC,
    ),
    "Python that is not valid": (
        {"models/x.sql": "MODEL (name s.x);\nSELECT a FROM raw.t", "models/p.py": "def ("},
        Code.PARSE_ERROR,
    ),
    "a seed without its file": (
        {
            "models/x.sql": "MODEL (name s.x);\nSELECT a FROM raw.t",
            "models/s.sql": "MODEL (name s.s, kind SEED (path 'gone.csv'));",
        },
        Code.SEED_ERROR,
    ),
    "gateways of their own": (
        {
            "config.yaml": "gateways:\n  a: {variables: {s: x}}\n  b: {variables: {s: y}}\n"
            "model_defaults: {dialect: duckdb}\n",
            "models/x.sql": "MODEL (name s.x);\nSELECT a FROM raw.t",
        },
        Code.DYNAMIC,
    ),
    "macros without an end": (
        {"models/x.sql": "MODEL (name s.x);\n@DEF(f, x -> @f(x)); SELECT a, @f(b) AS c FROM raw.t"},
        Code.DYNAMIC,
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_costs_only_itself(tmp_path: Path, name: str) -> None:
    files, code = BROKEN[name]
    found = project(tmp_path, files)
    assert code in codes(found)
    assert Code.INTERNAL_ERROR not in codes(found)
    assert "raw.t.a copy s.x.a" in edges(found)


def test_a_model_reads_the_table_of_a_dbt_project(tmp_path: Path) -> None:
    files = {
        "dbt/dbt_project.yml": "name: shop\nprofile: duckdb\n",
        "dbt/models/orders.sql": "{{ config(schema='core') }} select id from raw.orders",
        "mesh/config.yaml": CONFIG,
        "mesh/models/x.sql": "MODEL (name s.x); SELECT id FROM orders",
    }
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert {"raw.orders.id copy orders.id", "orders.id copy s.x.id"} <= edges(
        extract(load(tmp_path))
    )


def test_the_default_catalog_is_not_part_of_a_name(tmp_path: Path) -> None:
    files = {
        "config.yaml": "gateways: {g: {connection: {type: snowflake, database: DW}}}\n",
        "models/x.sql": "MODEL (name s.x); SELECT a FROM raw.t",
        "models/y.sql": "MODEL (name s.y); SELECT a FROM DW.s.x",
    }
    assert "s.x.A copy s.y.A" in edges(project(tmp_path, files)) or (
        "s.x.a copy s.y.a" in edges(project(tmp_path, files))
    )


@pytest.mark.poisoned
def test_a_failure_inside_a_macro_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "models/x.sql": "MODEL (name s.x);\nSELECT a, @odd(b) AS c FROM raw.t",
        "models/y.sql": "MODEL (name s.y);\nSELECT a FROM s.x",
        "macros/m.py": "@macro()\ndef odd(evaluator, c):\n    return f'{c} + 1'\n",
    }

    def fail(*arguments: object) -> None:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setitem(STATEMENTS, ast.Return, fail)
    found = project(tmp_path, files)

    assert Code.INTERNAL_ERROR in codes(found)
    assert "s.x.a copy s.y.a" in edges(found)

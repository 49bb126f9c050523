"""dbt projects without dbt: every kind of node, names, macros, packages, and hostile
content.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import lineal
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code, Place
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.projects import load, stamp

HEAD = "name: shop\nprofile: duckdb\n"


def project(root: Path, files: Mapping[str, str], head: str = HEAD) -> Path:
    """A project on disk; "orders" stands for models/orders.sql."""
    for name, content in {"dbt_project.yml": head, **files}.items():
        path = root / (name if "." in name else f"models/{name}.sql")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return root


def found(root: Path, files: Mapping[str, str], head: str = HEAD) -> Extraction:
    return extract(load(project(root, files, head)))


def edges(extraction: Extraction) -> list[str]:
    return sorted(f"{edge.source} -> {edge.target}" for edge in extraction.edges)


def quiet(extraction: Extraction) -> list[str]:
    assert extraction.diagnostics == []
    return edges(extraction)


def info(extraction: Extraction, name: str) -> DatasetInfo:
    return next(info for dataset, info in extraction.datasets.items() if dataset.name == name)


def codes(extraction: Extraction) -> set[Code]:
    return {diagnostic.code for diagnostic in extraction.diagnostics}


# -- nodes -----------------------------------------------------------------------------------------


def test_models_are_called_as_dbt_calls_them_and_sources_by_source_and_table(
    tmp_path: Path,
) -> None:
    files = {
        "models/raw.yml": "sources: [{name: raw, schema: lake, tables: [{name: orders, identifier: ORDERS_V1}]}]\n",
        "orders": "with orders as (select id from {{ source('raw', 'orders') }}) select id from orders",
        "mart": "{{ config(alias='m', schema='x') }} select orders.id from {{ ref('orders') }}",
    }
    assert quiet(found(tmp_path, files)) == ["orders.id -> mart.id", "raw.orders.id -> orders.id"]


def test_a_common_table_expression_does_not_capture_what_ref_means(tmp_path: Path) -> None:
    files = {
        "orders": "select 1 as id",
        "stg": "select 2 as id",
        "mart": "with orders as (select id from {{ ref('stg') }}), b as (select id from {{ ref('orders') }})"
        " select * from b",
    }
    assert quiet(found(tmp_path, files)) == ["orders.id -> mart.id"]


def test_a_relation_that_is_written_out_is_the_node(tmp_path: Path) -> None:
    files = {
        "models/raw.yml": "sources: [{name: raw, database: lake, schema: shop, tables: [{name: orders}]}]\n",
        "a": "select id from lake.shop.orders",
        "b": "select id from shop.orders",
    }
    assert quiet(found(tmp_path, files)) == ["raw.orders.id -> a.id", "raw.orders.id -> b.id"]


def test_a_name_may_bring_its_quotes_along(tmp_path: Path) -> None:
    files = {
        "models/raw.yml": "sources: [{name: raw, database: '\"DATA LAKE\"', tables: [{name: order}]}]\n",
        "a": "select id from {{ source('raw', 'order') }}",
    }
    assert quiet(found(tmp_path, files)) == ["raw.order.id -> a.id"]


def test_a_project_without_models_is_reported(tmp_path: Path) -> None:
    extraction = found(tmp_path, {}, HEAD + "model-paths: [\"{{ env_var('WHERE') }}/models\"]\n")
    assert codes(extraction) == {Code.NO_INPUT}


def test_a_seed_has_the_columns_of_its_header_and_what_yaml_says_of_them(tmp_path: Path) -> None:
    files = {
        "seeds/people.csv": "id,email\n1,a@example.org\n",
        "seeds/seeds.yml": "seeds:\n  - name: people\n    columns:\n"
        "      - {name: email, description: Mail, meta: {contains_pii: true}}\n",
        "m": "select * from {{ ref('people') }}",
    }
    extraction = found(tmp_path, files)
    assert quiet(extraction) == ["people.email -> m.email", "people.id -> m.id"]
    people = info(extraction, "people")
    assert (people.kind, people.complete, people.names) == ("seed", True, ["id", "email"])
    assert people.columns[1].classification == ("pii",)
    assert people.columns[1].place == Place(str(tmp_path / "seeds/seeds.yml"), 4, 9)


def test_an_ephemeral_model_is_a_separate_dataset(tmp_path: Path) -> None:
    files = {
        "a": "{{ config(materialized='ephemeral') }} select id from t",
        "b": "select id from {{ ref('a') }}",
    }
    assert quiet(found(tmp_path, files)) == ["a.id -> b.id", "t.id -> a.id"]


def test_an_incremental_model_is_read_both_ways(tmp_path: Path) -> None:
    text = (
        "{{ config(materialized='incremental') }} select id, at from {{ ref('a') }}\n"
        "{% if is_incremental() %} where at > (select max(at) from {{ this }}) {% endif %}"
    )
    files = {"a": "select id, at from t", "m": text}
    assert quiet(found(tmp_path, files)) == [
        "a.at -> m", "a.at -> m.at", "a.id -> m.id", "m.at -> m", "t.at -> a.at", "t.id -> a.id",
    ]  # fmt: skip
    table = {**files, "m": text.replace("incremental'", "table'")}
    assert "m.at -> m" not in edges(found(tmp_path, table))


def test_a_snapshot_has_dbts_columns_in_addition_to_its_own(tmp_path: Path) -> None:
    block = (
        "{% snapshot history %}{{ config(strategy='timestamp', updated_at='at', unique_key='id') }}\n"
        "select id, at from {{ ref('a') }}\n{% endsnapshot %}"
    )
    files = {
        "a": "select 1 as id, current_date as at",
        "snapshots/h.sql": block,
        "snapshots/h.yml": "snapshots:\n"
        "  - {name: checked, relation: ref('a'), config: {strategy: check, unique_key: id}}\n",
        "m": "select id from {{ ref('history') }} where dbt_valid_to is null",
    }
    extraction = found(tmp_path, files)
    assert extraction.diagnostics == []
    scd = ["dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to"]
    assert (
        info(extraction, "history").names == info(extraction, "checked").names == ["id", "at", *scd]
    )
    assert {
        "a.at -> history.dbt_valid_from",
        "a.at -> history.dbt_valid_to",
        "history.dbt_valid_to -> m",
    } <= set(edges(extraction))
    assert "a.at -> checked.dbt_valid_from" not in edges(extraction)


def test_an_exposure_reads_what_it_depends_on(tmp_path: Path) -> None:
    yml = "exposures: [{name: weekly, type: dashboard, depends_on: [ref('a'), \"source('raw', 't')\", ref('gone')]}]\n"
    files = {
        "a": "select 1 as id",
        "models/e.yml": yml + "sources: [{name: raw, tables: [{name: t}]}]\n",
    }
    extraction = found(tmp_path, files)
    assert info(extraction, "weekly").kind == "exposure"
    reads = {
        (each.dataset.name, each.column)
        for each in extraction.reads
        if each.target.name == "weekly"
    }
    assert reads == {("a", None), ("raw.t", None)}
    assert codes(extraction) == {Code.UNKNOWN_REFERENCE}


def test_versions_of_a_model_are_datasets_and_the_latest_is_meant(tmp_path: Path) -> None:
    files = {
        "dim_v1": "select 1 as id",
        "dim_v2": "select 1 as key",
        "models/v.yml": "models: [{name: dim, latest_version: 2, versions: [{v: 1}, {v: 2}]}]\n",
        "new": "select * from {{ ref('dim') }}",
        "old": "select * from {{ ref('dim', v=1) }}",
    }
    assert quiet(found(tmp_path, files)) == ["dim_v1.id -> old.id", "dim_v2.key -> new.key"]


def test_a_python_model_is_read_by_the_pyspark_front_end(tmp_path: Path) -> None:
    files = {
        "a": "select id, paid from t",
        "models/p.py": "def model(dbt, session):\n    df = dbt.ref('a')\n"
        "    return df.where('paid > 1').select('id')\n",
        "b": "select id from {{ ref('p') }}",
    }
    extraction = found(tmp_path, files)
    assert {"a.id -> p.id", "a.paid -> p", "p.id -> b.id"} <= set(edges(extraction))


def test_disabled_nodes_are_left_out(tmp_path: Path) -> None:
    files = {
        "a": "{{ config(enabled=false) }} select {{ nobody_knows() }}",
        "off/b": "",
        "models/off/c.sql": "select 1 as id",
        "models/d.yml": "models: [{name: d, config: {enabled: false}}]\n",
        "d": "select 1 as id",
        "e": "{{ config(enabled=var('e_on', true)) }} select 1 as id",
    }
    head = HEAD + "vars: {e_on: false}\nmodels: {shop: {off: {+enabled: false}}}\n"
    del files["off/b"]
    extraction = found(tmp_path, files, head)
    assert extraction.diagnostics == []
    assert list(extraction.datasets) == []


def test_yaml_of_a_model_without_a_file_has_no_effect(tmp_path: Path) -> None:
    listed = "[{name: ordrs}, {name: off}, {name: days}, {name: v, versions: [{v: 1}, {v: 2}]}]"
    files = {
        "orders": "select 1 as id",
        "off": "{{ config(enabled=false) }} select 1 as id",
        "v_v2": "select 1 as id",
        "seeds/days.csv": "day\n1\n",
        "models/all.yml": f"models: {listed}\nseeds:\n  - name: weeks\n",
    }
    told = [
        (each.code, each.message, each.place, each.hint)
        for each in found(tmp_path, files).diagnostics
    ]
    file = str(tmp_path / "models/all.yml")
    assert told == [
        (Code.NO_EFFECT, "YAML describes the model ordrs, which has no file in the project",
         Place(file, 1, 17), "Did you mean orders?"),
        (Code.NO_EFFECT, "YAML describes the seed weeks, which has no file in the project",
         Place(file, 3, 11), ""),
    ]  # fmt: skip


def test_of_two_files_of_one_name_the_enabled_one_counts(tmp_path: Path) -> None:
    files = {
        "models/bq/m.sql": "{{ config(enabled=target.type == 'bigquery') }} select 1 as b",
        "models/duck/m.sql": "{{ config(enabled=target.type == 'duckdb') }} select 1 as d",
        "a": "select {{ dbt_utils.star(ref('m')) }} from {{ ref('m') }}",
    }
    assert quiet(found(tmp_path, files)) == ["m.d -> a.d"]


def test_hooks_and_operations_are_statements(tmp_path: Path) -> None:
    files = {
        "a": "{{ config(post_hook='insert into audit select id from {{ this }}') }} select id from t"
    }
    head = HEAD + "on-run-end: ['insert into done select id from {{ ref(\"a\") }}']\n"
    assert quiet(found(tmp_path, files, head)) == [
        "a.id -> audit.id",
        "a.id -> done.id",
        "t.id -> a.id",
    ]


def test_a_hook_that_only_asks_is_not_the_model(tmp_path: Path) -> None:
    hooks = "['grant select on {{ this }} to role x', '-- done\\nselect notify(at) from log']"
    files = {"a": f"{{{{ config(post_hook={hooks}) }}}} select id from t"}
    assert quiet(found(tmp_path, files)) == ["t.id -> a.id"]


def test_the_analysis_folder_is_left_out_and_tests_only_read(tmp_path: Path) -> None:
    files = {
        "a": "select 1 as id",
        "tests/t.sql": "select * from {{ ref('a') }}",
        "analyzes/x.sql": "select 1",
    }
    extraction = found(tmp_path, files)
    assert {each.name: info.kind for each, info in extraction.datasets.items()} == {
        "a": "model",
        "test:t": "test",
    }
    assert edges(extraction) == []


def test_yaml_gives_descriptions_with_their_places(tmp_path: Path) -> None:
    yml = (
        "models:\n  - name: a\n    description: '{{ doc(\"about_a\") }}'\n    columns:\n"
        "      - name: id\n        data_type: int\n        description: Key.\n        tags: [PII, daily]\n"
    )
    docs = "{% docs about_a %}\nAll of it.\n{% enddocs %}\n"
    extraction = found(tmp_path, {"a": "select 1 as id", "models/a.yml": yml, "models/a.md": docs})
    a = info(extraction, "a")
    assert (a.kind, a.description, a.place) == (
        "model",
        "All of it.",
        Place(str(tmp_path / "models/a.yml"), 2, 5),
    )
    (column,) = a.columns
    assert (column.type, column.description, column.classification) == ("int", "Key.", ("pii",))
    assert column.place == Place(str(tmp_path / "models/a.yml"), 5, 9)


# -- templates -------------------------------------------------------------------------------------


def test_variables_of_the_project_and_of_a_package(tmp_path: Path) -> None:
    head = HEAD + "vars: {tables: [x, y], util: {name: z}}\n"
    files = {
        "a": "{% for t in var('tables') %}select id from {{ t }}{{ ' union all ' if not loop.last }}{% endfor %}",
        "dbt_packages/util/dbt_project.yml": "name: util\nvars: {name: q, other: w}\n",
        "dbt_packages/util/models/b.sql": "select u.id, v.n from {{ var('name') }} u, {{ var('other') }} v",
    }
    assert quiet(found(tmp_path, files, head)) == [
        "w.n -> b.n",
        "x.id -> a.id",
        "y.id -> a.id",
        "z.id -> b.id",
    ]


def test_an_undefined_variable_is_dynamic(tmp_path: Path) -> None:
    extraction = found(tmp_path, {"a": "select id from {{ var('table_name') }}"})
    assert edges(extraction) == ["table_name.id -> a.id"]
    assert codes(extraction) == {Code.DYNAMIC}


def test_only_variables_of_dbt_are_taken_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBT_TABLE", "told")
    monkeypatch.setenv("SECRET_TABLE", "leaked")
    monkeypatch.setenv("DBT_ENV_SECRET_TABLE", "leaked")
    files = {
        "a": "select id from {{ env_var('DBT_TABLE') }}",
        "b": "select id from {{ env_var('SECRET_TABLE', 'unsaid') }}",
        "c": "select id from {{ env_var('DBT_ENV_SECRET_TABLE', 'unsaid') }}",
    }
    assert quiet(found(tmp_path, files)) == [
        "told.id -> a.id",
        "unsaid.id -> b.id",
        "unsaid.id -> c.id",
    ]


def test_macros_of_the_project_its_packages_and_dbt(tmp_path: Path) -> None:
    files = {
        "macros/m.sql": (
            "{% macro cents(c) %}{{ c }} / 100{% endmacro %}\n{# {% macro cents(c) %}no{% endmacro %} #}\n"
            "{% macro listed() %}{% do return(['x', 'y']) %}{% endmacro %}\n"
            "{% macro pick() %}{{ return(adapter.dispatch('pick', 'shop')()) }}{% endmacro %}\n"
            "{% macro default__pick() %}default_pick{% endmacro %}{% macro duckdb__pick() %}duckdb_pick{% endmacro %}"
        ),
        "dbt_packages/util/dbt_project.yml": "name: util\n",
        "dbt_packages/util/macros/u.sql": "{% macro _hidden(c) %}upper({{ c }}){% endmacro %}",
        "a": (
            "select {{ cents('p') }} as p, {{ util._hidden('n') }} as n, {{ pick() }} as d,"
            " {% for c in listed() %}{{ c }}{{ ', ' if not loop.last }}{% endfor %},"
            " {{ dbt.dateadd('day', 1, 'at') }} as at, {{ dbt_utils.generate_surrogate_key(['k', 'l']) }} as key from t"
        ),
    }
    assert quiet(found(tmp_path, files)) == [
        "t.at -> a.at", "t.duckdb_pick -> a.d", "t.k -> a.key", "t.l -> a.key", "t.n -> a.n", "t.p -> a.p",
        "t.x -> a.x", "t.y -> a.y",
    ]  # fmt: skip


def test_star_lists_the_columns_of_a_model_that_lists_those_of_another(tmp_path: Path) -> None:
    files = {
        "seeds/s.csv": "id,secret,at\n",
        "a": "select {{ dbt_utils.star(from=ref('s'), except=['secret']) }} from {{ ref('s') }}",
        "b": "select {{ dbt_utils.star(ref('a'), suffix='_b') }}, 1 as n from {{ ref('a') }}",
        "c": "{% for c in adapter.get_columns_in_relation(ref('b')) %}select {{ c.name }} as v from {{ ref('b') }}"
        "{{ ' union all ' if not loop.last }}{% endfor %}",
    }
    assert quiet(found(tmp_path, files)) == [
        "a.at -> b.at_b", "a.id -> b.id_b", "b.at_b -> c.v", "b.id_b -> c.v", "b.n -> c.v", "s.at -> a.at",
        "s.id -> a.id",
    ]  # fmt: skip


def test_a_star_over_unknown_columns_stays_a_star(tmp_path: Path) -> None:
    files = {
        "models/r.yml": "sources: [{name: raw, tables: [{name: t}]}]\n",
        "a": "select {{ dbt_utils.star(source('raw', 't'), except=['x']) }} from {{ source('raw', 't') }}",
        "b": "select id from {{ ref('a') }}",
    }
    extraction = found(tmp_path, files)
    assert {"a.id -> b.id", "raw.t.id -> a.id"} <= set(edges(extraction))
    assert Code.DYNAMIC in codes(extraction)


def test_a_placeholder_replaces_the_result_of_a_query(tmp_path: Path) -> None:
    text = (
        "{% set methods = dbt_utils.get_column_values(ref('p'), 'method') %}\n"
        "select id{% for m in methods %}, sum(case when method = '{{ m }}' then paid end) as {{ m }}{% endfor %}\n"
        "from {{ ref('p') }} group by id"
    )
    extraction = found(tmp_path, {"p": "select id, method, paid from t", "a": text})
    assert "p.paid -> a.method_value" in edges(extraction)
    (note,) = extraction.diagnostics
    assert (note.code, note.place) == (Code.DYNAMIC, Place(str(tmp_path / "models/a.sql"), 1, 1))


def test_columns_that_only_a_run_knows_may_be_used(tmp_path: Path) -> None:
    text = (
        "with paid as (select id, {{ dbt_utils.pivot('method', dbt_utils.get_column_values(ref('p'), 'method')) }}"
        " from {{ ref('p') }} group by id) select paid.*, paid.card as c from paid"
    )
    files = {
        "p": "select id, method from t",
        "a": text,
        "b": "select id, coupon from {{ ref('a') }}",
    }
    extraction = found(tmp_path, files)
    assert {"a.coupon -> b.coupon", "p.method -> a.method_value"} <= set(edges(extraction))
    assert codes(extraction) == {Code.DYNAMIC}


def test_a_value_that_only_a_run_knows_is_not_a_column(tmp_path: Path) -> None:
    text = (
        "{% set last = run_query('select max(at) as latest from t').columns[0].values()[0] %}"
        "select id from u where at > {{ last }} and on_day > '{{ last }}'"
    )
    assert edges(found(tmp_path, {"a": text})) == ["u.at -> a", "u.id -> a.id", "u.on_day -> a"]


def test_models_of_one_alias_in_several_schemas_are_several(tmp_path: Path) -> None:
    files = {
        "a": "{{ config(alias='metrics', schema='one') }} select 1 as x",
        "b": "{{ config(schema='two', alias='metrics') }} select 1 as y",
        "c": "{{ config(schema=target.name, alias='metrics') }} select 1 as z",
        "d": "{{ config(schema=target.schema, alias='metrics') }} select 1 as w",
        "m": "select a.*, b.*, c.*, d.* from {{ ref('a') }} a, {{ ref('b') }} b, {{ ref('c') }} c, {{ ref('d') }} d",
    }
    assert quiet(found(tmp_path, files)) == ["a.x -> m.x", "b.y -> m.y", "c.z -> m.z", "d.w -> m.w"]


def test_a_package_that_is_not_installed_is_named(tmp_path: Path) -> None:
    extraction = found(
        tmp_path, {"a": "select {{ other_pkg.thing('x') }} as x from t", "b": "select id from u"}
    )
    assert edges(extraction) == ["u.id -> b.id"]
    (fault,) = extraction.diagnostics
    assert fault.code is Code.MISSING_PACKAGE
    assert "other_pkg.thing" in fault.message
    assert "dbt deps" in fault.advice


def test_hooks_that_need_a_missing_package_do_not_lose_their_nodes(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "dbt_project.yml").write_text(
        "name: shop\nmodels:\n  shop:\n    +pre-hook: '{{ audit_tools.tag() }}'\n", "utf-8"
    )
    (tmp_path / "packages.yml").write_text("packages:\n  - package: acme/audit_tools\n", "utf-8")
    for name in ("a", "b", "c"):
        (tmp_path / "models" / f"{name}.sql").write_text("select 1 as one", "utf-8")

    corpus = load(tmp_path, "duckdb")
    (fault,) = (each for each in corpus.diagnostics if each.code is Code.MISSING_PACKAGE)
    assert "3 nodes have hooks that do not render without audit_tools.tag: a, b, c" in fault.message
    extraction = extract(corpus)
    files, statements = extraction.coverage.files, extraction.coverage.statements
    assert (files.rendered, files.due) == (5, 5)
    assert (statements.evaluated, statements.found) == (3, 4)


def test_a_reference_to_a_missing_node_is_kept(tmp_path: Path) -> None:
    extraction = found(
        tmp_path,
        {"a": "select id from {{ ref('gone') }}\njoin {{ source('no', 'where') }} w using (id)"},
    )
    assert {"gone.id -> a.id"} <= set(edges(extraction))
    assert [(each.code, each.place and each.place.line) for each in extraction.diagnostics][:2] == [
        (Code.UNKNOWN_REFERENCE, 1),
        (Code.UNKNOWN_REFERENCE, 2),
    ]


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    text = "{{\n  config(\n    materialized='view'\n  )\n}}\n\nselect nope\nfrom {{ ref('a') }}\n"
    extraction = found(tmp_path, {"a": "select 1 as id", "b": text})
    (unresolved,) = extraction.diagnostics
    assert unresolved.place == Place(str(tmp_path / "models/b.sql"), 7, 8)


@pytest.mark.parametrize(
    ("head", "files", "dialect"),
    [
        (
            "name: p\nprofile: x\n",
            {"profiles.yml": "x: {target: t, outputs: {t: {type: bigquery}}}\n"},
            "bigquery",
        ),
        ("name: p\nprofile: my_snowflake\n", {}, "snowflake"),
        ("name: p\n", {"requirements.txt": "dbt-core\ndbt-sqlserver==1.8\n"}, "tsql"),
        (
            "name: p\n",
            {"models/x.sql": "select * from t, lateral flatten(input => t.v)"},
            "snowflake",
        ),
        (
            "name: p\n",
            {"models/x.sql": r"select case when t.a ~ '^\d+$' then 1 end as n from t"},
            "postgres",
        ),
    ],
)
def test_the_adapter_decides_the_dialect(
    tmp_path: Path, head: str, files: Mapping[str, str], dialect: str
) -> None:
    folder = project(tmp_path / "p", {"a": "select 1 as id", **files}, head)
    assert load(folder).dialect == dialect
    assert load(folder, dialect="oracle").dialect == "oracle"


def test_a_package_and_the_project_may_have_a_model_of_one_name(tmp_path: Path) -> None:
    files = {
        "orders": "select id from {{ ref('util', 'orders') }}",
        "dbt_packages/util/dbt_project.yml": "name: util\n",
        "dbt_packages/util/models/orders.sql": "select id from t",
    }
    assert quiet(found(tmp_path, files)) == [
        "t.id -> util.orders.id",
        "util.orders.id -> orders.id",
    ]


# -- what somebody may have put there --------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "{{ cycler.__init__.__globals__ }}",
        "{{ ''.__class__.__mro__ }} {{ ref.__globals__['os'].system('x') }}",
        "{{ adapter._renderer.setup }}{{ adapter._renderer.setup() }}",
        "{% include '/etc/passwd' %}",
        "{% import '../../secrets.sql' as s %}{{ s.x() }}",
        "{% for i in range(10**9) %}x{% endfor %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ modules.datetime.sys.exit() }}",
        "{{ modules.re.compile.__globals__ }}{{ modules.os.system('touch x') }}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% set x = i * j %}{% endfor %}{% endfor %}",
        "{{ 'x' * 10**10 }}",
        "{{ run_query.__self__.environment }} {{ nope( }}",
    ],
)
def test_hostile_templates_cost_only_themselves(tmp_path: Path, text: str) -> None:
    extraction = found(
        tmp_path,
        {
            "bad": f"select '{text}' as x",
            "good": "select id from {{ ref('a') }}",
            "a": "select 1 as id",
        },
    )
    assert "a.id -> good.id" in edges(extraction)
    assert not any("secret" in str(each) or "root:" in str(each) for each in extraction.diagnostics)
    shown = [str(each) for each in extraction.diagnostics]
    assert shown or "bad" in {dataset.name for dataset in extraction.datasets}
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "files",
    [
        {"models/a.yml": "models: 3\n"},
        {
            "models/a.yml": "models: [{name: [x]}, 4, {columns: 7}]\nsources: {a: b}\nexposures: [1]\n"
        },
        {"models/a.yml": "models: [{name: a, columns: [{description: x}]}]\n"},
        {"models/a.yml": ":\n - [\n"},
        {"models/a.yml": "sources: [{name: s, tables: [{name: t, columns: x}]}]\n"},
        {"packages.yml": "packages: 1\n"},
        {"profiles.yml": "duckdb: {outputs: [1]}\n"},
    ],
)
def test_odd_yaml_costs_only_itself(tmp_path: Path, files: Mapping[str, str]) -> None:
    extraction = found(tmp_path, {"a": "select id from t", **files})
    assert "t.id -> a.id" in edges(extraction)


def test_a_project_file_that_is_not_a_mapping_is_reported(tmp_path: Path) -> None:
    extraction = found(tmp_path, {"a": "select id from t"}, "- just\n- a list\n")
    assert "t.id -> a.id" in edges(extraction)
    assert Code.YAML_TYPE in codes(extraction)


def test_a_folder_outside_the_project_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.sql").write_text("select 1 as secret")
    extraction = found(
        tmp_path / "p", {"a": "select id from t"}, HEAD + "model-paths: [models, ../outside]\n"
    )
    assert edges(extraction) == ["t.id -> a.id"]
    assert codes(extraction) == {Code.UNREADABLE}


# -- manifests -------------------------------------------------------------------------------------


def manifest(
    root: Path, nodes: Mapping[str, Mapping[str, Any]], version: str = "v12", **more: Any
) -> Path:
    """target/manifest.json with models of these names."""
    made = {}
    for name, about in nodes.items():
        kind = about.get("resource_type", "model")
        made[f"{kind}.shop.{name}"] = {
            "name": name, "resource_type": kind, "package_name": "shop", "database": "db", "schema": "s",
            "alias": name, "relation_name": f'"db"."s"."{name}"', "original_file_path": f"models/{name}.sql",
            **about,
        }  # fmt: skip
    about = {
        "dbt_schema_version": f"https://schemas.getdbt.com/dbt/manifest/{version}.json",
        "adapter_type": "duckdb",
    }
    path = root / "target" / "manifest.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"metadata": {**about, "project_name": "shop"}, "nodes": made, **more})
    )
    return root / "target"


def test_compiled_relations_are_mapped_back_to_nodes(tmp_path: Path) -> None:
    nodes = {
        "a": {
            "compiled_code": "select id from raw.t",
            "alias": "aa",
            "relation_name": '"db"."s"."aa"',
        },
        "b": {"compiled_code": 'select x.id from "db"."s"."aa" as x'},
        "not_null_a": {"resource_type": "test", "compiled_code": "select * from nowhere"},
    }
    assert quiet(extract(load(manifest(tmp_path, nodes)))) == ["a.id -> b.id", "raw.t.id -> a.id"]


@pytest.mark.parametrize(
    "code",
    [
        "with __dbt__cte__e as (\nselect id from t where x = ')('\n) select id from __dbt__cte__e",
        "with __dbt__cte__e as (select id from t -- )\n), c as (select id from __dbt__cte__e) select id from c",
        "with __dbt__cte__f as (select 1 as x), __dbt__cte__e as (select id from t) select id from __dbt__cte__e",
        "with recursive_ as (select 1 as z), __dbt__cte__e as (select id from t) select id from __dbt__cte__e",
    ],
)
def test_an_ephemeral_model_that_dbt_has_put_into_another_is_that_model(
    tmp_path: Path, code: str
) -> None:
    ephemeral = {"config": {"materialized": "ephemeral"}, "relation_name": None}
    nodes = {
        "e": {**ephemeral, "compiled_code": "select id from t where x = ')('"},
        "f": {**ephemeral, "compiled_code": "select 1 as x"},
        "m": {"compiled_code": code},
    }
    assert quiet(extract(load(manifest(tmp_path, nodes)))) == [
        "e.id -> m.id",
        "t.id -> e.id",
        "t.x -> e",
    ]


def test_the_branch_that_dbt_has_not_compiled_is_rendered(tmp_path: Path) -> None:
    later = "{% if is_incremental() %} where at > (select max(at) from {{ this }}) {% endif %}"
    raw = f"select id, at from {{{{ ref('a') }}}} {later}"
    nodes = {
        "a": {"compiled_code": "select id, at from t"},
        "m": {
            "compiled_code": 'select id, at from "db"."s"."a"',
            "raw_code": raw,
            "config": {"materialized": "incremental"},
        },
    }
    assert {"m.at -> m", "a.at -> m", "a.id -> m.id"} <= set(
        quiet(extract(load(manifest(tmp_path, nodes))))
    )


LOOP = """{{
    config(materialized='table')
}}
select
    id,
    {%- for kind in ['bread', 'cake'] %}
    sum(case when kind = '{{ kind }}' then amount end) as {{ kind }}_amount,
    {%- endfor %}
    max(tip) as tip -- the last one
from {{ ref('a') }}
group by id"""
COMPILED = """select
    id,
    sum(case when kind = 'bread' then amount end) as bread_amount,
    sum(case when kind = 'cake' then amount end) as cake_amount,
    max(tip) as tip -- the last one
from "db"."s"."a"
group by id"""


def test_compiled_text_has_the_lines_of_its_file_behind_loops_and_settings(tmp_path: Path) -> None:
    text = "{% snapshot s %}\n" + LOOP + "{% endsnapshot %}"
    files = {"a": "select id, kind, amount, tip from t", "m": LOOP, "snapshots/s.sql": text}
    nodes = {
        "a": {"compiled_code": files["a"], "raw_code": files["a"]},
        "m": {"compiled_code": COMPILED, "raw_code": LOOP},
        "s": {
            "resource_type": "snapshot",
            "compiled_code": COMPILED,
            "raw_code": LOOP,
            "original_file_path": "snapshots/s.sql",
            "config": {"unique_key": "id", "strategy": "check", "check_cols": "all"},
        },
    }
    manifest(project(tmp_path, files), nodes)
    lines = {
        f"{edge.target}": edge.place.line
        for edge in extract(load(tmp_path)).edges
        if edge.place is not None and str(edge.target)[:2] in ("m.", "s.")
    }
    expected = {"id": 5, "bread_amount": 7, "cake_amount": 7, "tip": 9}
    assert {name: lines[f"m.{name}"] for name in expected} == expected
    assert {name: lines[f"s.{name}"] - 1 for name in expected} == expected


def test_semantic_models_of_a_manifest_have_the_places_of_their_yaml(tmp_path: Path) -> None:
    about = """semantic_models:
  - name: orders
    model: ref('a')
    measures:
      - name: revenue
        agg: sum
        expr: amount
"""
    measures = [{"name": "revenue", "agg": "sum", "expr": "amount"}]
    entry = {
        "name": "orders", "package_name": "shop", "original_file_path": "models/sem.yml",
        "model": "ref('a')", "measures": measures, "depends_on": {"nodes": ["model.shop.a"]},
    }  # fmt: skip
    files = {"a": "select id, amount from t", "models/sem.yml": about}
    nodes = {"a": {"compiled_code": files["a"], "raw_code": files["a"]}}
    manifest(project(tmp_path, files), nodes, semantic_models={"semantic_model.shop.orders": entry})
    (place,) = (
        edge.place
        for edge in extract(load(tmp_path)).edges
        if str(edge.target) == "semantic_model:orders.revenue"
    )
    assert place is not None
    assert (Path(place.file).name, place.line, place.column) == ("sem.yml", 7, 15)


def test_a_catalog_knows_all_columns(tmp_path: Path) -> None:
    source = {
        "source.shop.raw.t": {
            "name": "t", "source_name": "raw", "resource_type": "source", "package_name": "shop", "database": "db",
            "schema": "raw", "identifier": "t", "relation_name": '"db"."raw"."t"',
            "columns": {"id": {"name": "id", "description": "Key."}},
        }
    }  # fmt: skip
    target = manifest(
        tmp_path, {"a": {"compiled_code": 'select * from "db"."raw"."t"'}}, sources=source
    )
    columns = {
        "AT": {"type": "DATE", "index": 2, "name": "at"},
        "ID": {"type": "INT", "index": 1, "name": "id"},
    }
    (target / "catalog.json").write_text(
        json.dumps({"sources": {"source.shop.raw.t": {"columns": columns}}})
    )
    extraction = extract(load(target))
    assert quiet(extraction) == ["raw.t.at -> a.at", "raw.t.id -> a.id"]
    assert [
        (each.name, each.type, each.description) for each in info(extraction, "raw.t").columns
    ] == [
        ("id", "INT", "Key."),
        ("at", "DATE", ""),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"nodes": 3}',
        "[]",
        '{"metadata": {}, "nodes": {"a": 1, "b": {"name": 2}}}',
    ],
)
def test_a_manifest_that_cannot_be_read_gives_way_to_the_files(tmp_path: Path, text: str) -> None:
    project(
        tmp_path,
        {
            "a": "select id from {{ ref('b') }}",
            "b": "select id from t",
            "target/manifest.json": text,
        },
    )
    extraction = extract(load(tmp_path))
    assert edges(extraction) == ["b.id -> a.id", "t.id -> b.id"]
    assert codes(extraction) == {Code.MANIFEST}


def test_a_manifest_that_is_not_text_gives_way_to_the_files(tmp_path: Path) -> None:
    project(tmp_path, {"a": "select id from t", "target/manifest.json": "\x00"})
    extraction = extract(load(tmp_path))
    assert edges(extraction) == ["t.id -> a.id"]
    assert codes(extraction) == {Code.LEFT_OUT}


def test_files_replace_a_manifest_of_an_unknown_version(tmp_path: Path) -> None:
    project(tmp_path, {"a": "select id from t"})
    target = manifest(tmp_path, {"a": {"compiled_code": "select other from u"}}, version="v99")
    assert edges(extract(load(tmp_path))) == ["t.id -> a.id"]
    (tmp_path / "dbt_project.yml").unlink()
    alone = extract(load(target))
    assert edges(alone) == ["u.other -> a.other"]
    assert codes(alone) == {Code.MANIFEST}


def test_a_model_that_was_edited_since_is_read_from_its_file(tmp_path: Path) -> None:
    project(tmp_path, {"a": "select new from {{ ref('b') }}", "b": "select new from t"})
    raw = {
        "compiled_code": 'select old from "db"."s"."b"',
        "raw_code": "select old from {{ ref('b') }}",
    }
    manifest(
        tmp_path,
        {"a": raw, "b": {"compiled_code": "select new from t", "raw_code": "select new from t"}},
    )
    extraction = extract(load(tmp_path))
    assert edges(extraction) == ["b.new -> a.new", "t.new -> b.new"]
    assert codes(extraction) == {Code.STALE_MANIFEST}


def test_a_model_that_is_newer_than_the_manifest_is_read(tmp_path: Path) -> None:
    project(
        tmp_path,
        {"a": "select id from t", "new": "select id from {{ ref('a') }}", "off": "select 1 as id"},
    )
    off = {"model.shop.off": [{"name": "off", "original_file_path": "models/off.sql"}]}
    raw = {"compiled_code": "select id from t", "raw_code": "select id from t"}
    manifest(tmp_path, {"a": raw}, disabled=off)
    extraction = extract(load(tmp_path))
    assert edges(extraction) == ["a.id -> new.id", "t.id -> a.id"]
    assert codes(extraction) == {Code.STALE_MANIFEST}


def test_lines_of_compiled_sql_are_those_of_the_file(tmp_path: Path) -> None:
    raw = "{{ config(\n  materialized='view'\n) }}\n\nselect\n    id,\n    missing\nfrom {{ ref('a') }}"
    nodes = {
        "a": {"compiled_code": "select 1 as id"},
        "b": {
            "raw_code": raw,
            "compiled_code": '\n\nselect\n    id,\n    missing\nfrom "db"."s"."a"',
        },
    }
    (fault,) = extract(load(manifest(tmp_path, nodes))).diagnostics
    assert fault.place is not None
    assert fault.place.line == 7


def test_a_stamp_changes_with_every_file_that_counts(tmp_path: Path) -> None:
    project(tmp_path, {"a": "select id from t", "models/a.yml": "models: []\n"})
    first = stamp(tmp_path)
    assert first is not None
    assert stamp(tmp_path) == first
    for name in (
        "models/a.sql",
        "models/a.yml",
        "macros/m.sql",
        "target/manifest.json",
        "dbt_project.yml",
    ):
        before = stamp(tmp_path)
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(path.read_text() + "\n" if path.exists() else "x")
        assert stamp(tmp_path) != before, name
    assert stamp(tmp_path / "models") is None


def test_a_model_of_another_project_is_in_the_default_schema(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "dbt_project.yml").write_text("name: shop\nprofile: duckdb\n")
    (tmp_path / "models" / "a.sql").write_text("select x from {{ ref('platform', 'base') }}")
    (tmp_path / "models" / "b.sql").write_text("select x from {{ ref('a') }}")
    found = lineal.lineage(tmp_path, default_schema="warehouse").graph.extraction
    assert {f"{edge.source} -> {edge.target}" for edge in found.edges} == {
        "warehouse.base.x -> warehouse.a.x",
        "warehouse.a.x -> warehouse.b.x",
    }

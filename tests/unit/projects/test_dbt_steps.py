"""What a run does for the nodes of a dbt project, as its files tell it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from lineal.model.diagnostic import Code
from lineal.model.script import Corpus, Step
from lineal.projects import home, load
from lineal.projects.dbt.steps import table_names

DATA = Path(__file__).resolve().parents[2] / "data"
BAKERY = DATA / "bakery"
MANIFEST = DATA / "jaffle" / "manifest.json"


def project(root: Path, files: dict[str, str], adapter: str = "duckdb", about: str = "") -> Path:
    """A dbt project with these files."""
    head = {"dbt_project.yml": f"name: little\nprofile: {adapter}\n{about}"}
    for name, text in (head | files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def steps(corpus: Corpus) -> dict[str, Step]:
    return {step.name: step for step in corpus.steps}


def loaded(root: Path, files: dict[str, str], **more: Any) -> dict[str, Step]:
    return steps(load(project(root, files, **more), to_run=True))


@pytest.fixture(scope="module")
def bakery() -> Corpus:
    return load(BAKERY, to_run=True)


def test_only_a_run_reads_steps() -> None:
    assert load(BAKERY).steps == []


def test_every_node_has_a_step(bakery: Corpus) -> None:
    kinds = {name: (step.kind, step.materialized) for name, step in steps(bakery).items()}
    assert kinds["raw_orders"] == ("seed", "")
    assert kinds["stg_orders"] == ("sql", "view")
    assert kinds["paid_orders"] == ("sql", "ephemeral")
    assert kinds["customers"] == ("sql", "table")
    assert kinds["order_log"] == ("sql", "incremental")
    assert kinds["totals_by_kind"] == ("python", "table")
    assert kinds["orders_history"] == kinds["readings_history"] == ("snapshot", "snapshot")
    assert kinds["oven_readings"] == ("seed", "")
    assert "landing.oven_readings" not in kinds, "generate_schema_name puts the seed there"
    assert kinds["no_order_without_customer"] == ("test", "")
    assert "base.raw_customers" not in kinds, (
        "a source that is the very table of a seed is that seed"
    )
    assert not bakery.diagnostics


def test_an_incremental_model_has_the_text_of_a_first_and_of_a_later_build(bakery: Corpus) -> None:
    first, later = steps(bakery)["order_log"].texts
    assert "max(ordered_at)" not in first and "max(ordered_at)" in later
    step = steps(bakery)["order_state"]
    assert step.before == () and step.again is not None
    assert [script.text for script in step.again[0]] == [
        "delete from analytics.main.order_state where order_id = 6"
    ]
    assert steps(bakery)["customers"].again is None


def test_a_python_model_gets_its_settings(bakery: Corpus) -> None:
    step = steps(bakery)["totals_by_kind"]
    assert step.relations["stg_orders"] == step.relations["bakery.stg_orders"] == "stg_orders"
    assert step.relations["landing.oven_readings"] == "oven_readings"
    assert step.relations["base.raw_customers"] == "raw_customers"
    assert step.variables["first_day"] == "2024-01-01"


def test_tests_without_anything_special_are_checked_in_one_pass(bakery: Corpus) -> None:
    step = steps(bakery)["stg_orders"]
    assert [(test.column, test.name) for test in step.tests] == [
        ("order_id", "unique"),
        ("order_id", "not_null"),
        ("customer_id", "relationships"),
    ]
    assert step.tests[2].arguments == {"to": "stg_customers", "field": "customer_id"}
    queries = {test.name: test for test in step.queries}
    assert queries.keys() == {"large_orders_have_customers", "positive", "above"}
    assert "where amount > 5" in queries["large_orders_have_customers"].query.text
    assert queries["large_orders_have_customers"].reads == ("stg_customers",)
    assert (queries["above"].error_if, queries["above"].warn_if) == ("> 2", "> 1")
    assert queries["above"].place is not None and queries["above"].place.line == 28
    (warned,) = [
        test for test in steps(bakery)["stg_customers"].queries if test.name == "accepted_values"
    ]
    assert warned.severity == "warn" and "not in ('Leeds', 'York')" in warned.query.text


def test_a_test_of_the_projects_own_name_comes_before_dbts(tmp_path: Path) -> None:
    files = {
        "models/m.sql": "select 1 as id",
        "models/m.yml": "models: [{name: m, columns: [{name: id, data_tests: [not_null]}]}]\n",
        "macros/t.sql": "{% test not_null(model, column_name) %}select 1 from {{ model }} where false{% endtest %}",
    }
    step = loaded(tmp_path, files)["m"]
    assert not step.tests
    assert step.queries[0].query.text.strip() == "select 1 from analytics.dbt.m where false"


def test_a_test_without_its_macro_is_reported(tmp_path: Path) -> None:
    about = "models: [{name: m, data_tests: [{dbt_expectations.expect_x: {a: 1}}]}]\n"
    step = loaded(tmp_path, {"models/m.sql": "select 1 as id", "models/m.yml": about})["m"]
    assert "there is no macro dbt_expectations.test_expect_x" in step.queries[0].problem


@pytest.mark.parametrize(
    ("about", "words"),
    [
        (
            "{dbt_utils.unique_combination_of_columns: {combination_of_columns: [a, b]}}",
            "group by a, b having count(*) > 1",
        ),
        ("{dbt_utils.expression_is_true: {expression: 'a > 0'}}", "where not(a > 0)"),
        ("{dbt_utils.equal_rowcount: {compare_model: ref('m')}}", "diff_count"),
    ],
)  # fmt: skip
def test_the_commonest_tests_of_dbt_utils_need_no_package(
    tmp_path: Path, about: str, words: str
) -> None:
    files = {
        "models/m.sql": "select 1 as a, 2 as b",
        "models/m.yml": f"models: [{{name: m, data_tests: [{about}]}}]\n",
    }
    (test,) = loaded(tmp_path, files)["m"].queries
    assert not test.problem and words in test.query.text


# -- what cannot be known --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (
            "select {{ run_query('select 1 as x').columns[0].values()[0] }} as a",
            Code.DYNAMIC,
            "run_query()",
        ),
        ("select {{ var('gone') }} as a", Code.DYNAMIC, "the variable 'gone' is not defined"),
        ("select '{{ env_var('DBT_GONE') }}' as a", Code.DYNAMIC, "DBT_GONE"),
        (
            "select * from {{ ref('gone') }}",
            Code.UNKNOWN_REFERENCE,
            "ref('gone') is not in the project",
        ),
        ("select {{ gone() }} as a", Code.TEMPLATE_ERROR, "gone"),
        (
            "{% for c in adapter.get_columns_in_relation(source('s', 't')) %}{{ c.name }}, {% endfor %} 1 as one",
            Code.DYNAMIC,
            "are not all known",
        ),
        (
            "{{ dbt_date.get_date_dimension('2020-01-01', '2020-02-01') }}",
            Code.DYNAMIC,
            "only known for lineage",
        ),
    ],
)
def test_a_model_whose_sql_only_a_database_knows_is_not_run(
    tmp_path: Path, text: str, code: Code, words: str
) -> None:
    files = {
        "models/m.sql": f"-- a model\n{text}",
        "models/s.yml": "sources: [{name: s, tables: [{name: t, columns: [{name: a}]}]}]\n",
    }
    problem = loaded(tmp_path, files)["m"].problem
    assert problem is not None and problem.code is code and words in problem.message
    assert problem.place is not None and problem.place.line == 2


def test_a_star_over_columns_that_are_not_all_known_can_be_run(tmp_path: Path) -> None:
    files = {
        "models/m.sql": "select {{ dbt_utils.star(source('s', 't')) }} from {{ source('s', 't') }}",
        "models/s.yml": "sources: [{name: s, tables: [{name: t, columns: [{name: a}]}]}]\n",
    }
    step = loaded(tmp_path, files)["m"]
    assert step.problem is None and step.texts[0] == "select * from analytics.s.t"


def test_days_are_counted_without_a_database(tmp_path: Path) -> None:
    text = "{{ dbt_utils.date_spine('day', \"cast('2020-01-01' as date)\", \"cast('2020-01-11' as date)\") }}"
    step = loaded(tmp_path, {"models/m.sql": text})["m"]
    assert step.problem is None
    assert (
        "p3 where" not in step.texts[0]
        and "p as p3" in step.texts[0]
        and "p as p4" not in step.texts[0]
    )


# -- sources ---------------------------------------------------------------------------------------

SOURCE = "sources: [{name: web, schema: site, tables: [{name: visits, identifier: page_visits}]}]\n"
READER = {"models/s.yml": SOURCE, "models/m.sql": "select * from {{ source('web', 'visits') }}"}


@pytest.mark.parametrize("name", ["visits", "page_visits", "web__visits", "PAGE_VISITS"])
def test_a_seed_named_like_a_source_replaces_it(tmp_path: Path, name: str) -> None:
    corpus = load(project(tmp_path, {**READER, f"seeds/{name}.csv": "id,at\n1,2\n"}), to_run=True)
    step = steps(corpus)["web.visits"]
    assert step.settings["seed"] == name and step.refs == (name,)
    (info,) = [info for info in corpus.datasets if info.dataset.name == "web.visits"]
    assert info.complete and [column.name for column in info.columns] == ["id", "at"]


def test_a_file_for_the_run_alone_comes_first(tmp_path: Path) -> None:
    files = {**READER, "seeds/visits.csv": "id\n1\n", ".lineal/sources/web.visits.csv": "id\n2\n"}
    step = loaded(tmp_path, files)["web.visits"]
    assert (
        step.settings["file"] == str(tmp_path / ".lineal/sources/web.visits.csv") and not step.refs
    )


def test_a_disabled_seed_replaces_a_source(tmp_path: Path) -> None:
    about = "seeds: {little: {+enabled: \"{{ var('load', false) }}\"}}\n"
    step = loaded(tmp_path, {**READER, "seeds/visits.csv": "id\n1\n"}, about=about)["web.visits"]
    assert step.settings["file"] == str(tmp_path / "seeds/visits.csv")


def test_a_source_without_a_provider_is_a_separate_step(tmp_path: Path) -> None:
    step = loaded(tmp_path, READER)["web.visits"]
    assert step.kind == "source" and step.settings == {
        "relation": ["analytics", "site", "page_visits"]
    }


def test_a_source_that_nothing_reads_or_tests_is_left_out(tmp_path: Path) -> None:
    assert loaded(tmp_path, {"models/s.yml": SOURCE, "models/m.sql": "select 1 as a"}).keys() == {
        "m"
    }


# -- names, settings -------------------------------------------------------------------------------


def test_names_that_spark_does_not_take_have_another_one() -> None:
    found = table_names(
        [
            "orders",
            "web.visits",
            "my-model",
            "my_model",
            "pack.web.visits",
            "Größe",
            "a.b.c",
            "a__b.c",
        ]
    )
    assert found == {
        "my-model": "my_model_2",
        "pack.web.visits": "pack__web.visits",
        "Größe": "Gr__e",
        "a.b.c": "a__b.c_2",
    }


def test_variables_in_yaml_are_those_of_the_package(tmp_path: Path) -> None:
    files = {
        "packages.yml": "packages: [{local: packs/inner}]\n",
        "packs/inner/dbt_project.yml": "name: inner\nvars: {table: gone}\n",
        "packs/inner/models/s.yml": (
            "sources: [{name: s, tables: [{name: t, identifier: \"{{ var('table') }}\"}]}]\n"
        ),
        "packs/inner/models/inner_m.sql": "select * from {{ source('s', 't') }}",
        "seeds/rows.csv": "a\n1\n",
    }
    found = loaded(tmp_path, files, about="vars: {inner: {table: rows}}\n")
    assert found["s.t"].settings["seed"] == "rows"


def test_column_types_may_be_templates(tmp_path: Path) -> None:
    about = "seeds: {little: {+column_types: {a: \"{{ 'bigint' if target.type == 'duckdb' else 'int' }}\"}}}\n"
    assert loaded(tmp_path, {"seeds/s.csv": "a\n1\n"}, about=about)["s"].settings[
        "column_types"
    ] == {"a": "bigint"}


@pytest.mark.parametrize(
    ("adapter", "strategy"),
    [("spark", "append"), ("snowflake", "merge"), ("duckdb", "delete+insert")],
)
def test_the_usual_strategy_is_the_adapters(tmp_path: Path, adapter: str, strategy: str) -> None:
    text = "{{ config(materialized='incremental', unique_key='a') }} select 1 as a"
    step = loaded(tmp_path, {"models/m.sql": text}, adapter=adapter)["m"]
    assert step.settings["incremental_strategy"] == strategy


def test_a_project_that_names_no_database_is_read_as_sparks(tmp_path: Path) -> None:
    corpus = load(project(tmp_path, {"models/m.sql": "select 1 as a"}, adapter="shop"), to_run=True)
    assert corpus.dialect == "spark" and "--dialect" in corpus.notes[0]
    corpus = load(tmp_path, "duckdb", to_run=True)
    assert corpus.dialect == "duckdb" and corpus.notes == []


def test_unit_tests_are_counted(tmp_path: Path) -> None:
    about = "unit_tests: [{name: a, model: m}, {name: b, model: m}]\n"
    corpus = load(
        project(tmp_path, {"models/m.sql": "select 1 as a", "models/u.yml": about}), to_run=True
    )
    assert corpus.notes == ["2 unit tests are not run"]


def test_a_run_never_writes_into_the_target_folder(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"target/manifest.json": "{}"})
    assert home(root) == home(root / "target") == home(root / "target/manifest.json") == root
    alone = tmp_path / "alone" / "target"
    alone.mkdir(parents=True)
    (alone / "manifest.json").write_text("{}", encoding="utf-8")
    assert home(alone) == tmp_path / "alone"


def test_the_paths_of_a_manifest_alone_start_above_its_target_folder(tmp_path: Path) -> None:
    target = tmp_path / "alone" / "target"
    target.mkdir(parents=True)
    shutil.copy(MANIFEST, target / "manifest.json")
    found = steps(load(target, to_run=True))
    assert found["raw_customers"].file == str(tmp_path / "alone" / "seeds" / "raw_customers.csv")
    assert found["customers"].texts and found["customers"].problem is None


def test_an_adapter_that_is_not_known_is_named(tmp_path: Path) -> None:
    profile = "shop: {target: d, outputs: {d: {type: quantumdb, schema: x}}}\n"
    files = {"models/m.sql": "select 1 as a", "profiles.yml": profile}
    corpus = load(project(tmp_path, files, adapter="shop"), to_run=True)
    assert corpus.notes == [
        "the adapter quantumdb is not known: its SQL is taken for Spark's (--dialect)"
    ]
    assert load(tmp_path, "duckdb", to_run=True).notes == []


def test_steps_have_the_tags_of_their_nodes(tmp_path: Path) -> None:
    files = {
        "models/a.sql": "{{ config(tags='daily') }} select 1 as a",
        "models/b.sql": "{{ config(tags=['x', 'y']) }} select 1 as a",
    }
    found = loaded(tmp_path, files)
    assert (found["a"].tags, found["b"].tags) == (("daily",), ("x", "y"))

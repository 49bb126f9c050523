"""A folder with whatever is in it: which files are found and read, and how the parts meet."""

from __future__ import annotations

import json
import os
import time
import tracemalloc
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from lineal.cli import main
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.ledger import Reason
from lineal.model.script import Corpus
from lineal.projects import load, make_rules
from lineal.projects.dbt.options import DbtOptions
from lineal.projects.dialect_guess import guess_dialect
from lineal.projects.intake import Intake
from lineal.projects.repository import find


def tree(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def edges(corpus: Corpus) -> set[str]:
    return {f"{edge.source} -> {edge.target}" for edge in extract(corpus).edges}


def read_files(corpus: Corpus, root: Path) -> set[str]:
    return {os.path.relpath(file, root) for file in corpus.files.due_files}


def codes(found: Extraction | Corpus) -> list[Code]:
    return [diagnostic.code for diagnostic in found.diagnostics]


MONOREPO = {
    "a/dbt_project.yml": "name: a\nprofile: a\nmacro-paths: [macros, ../shared]\n",
    "a/profiles.yml": (
        "a:\n  target: dev\n  outputs:\n"
        "    dev: {type: snowflake, database: PROD, schema: core}\n"
        "    live: {type: snowflake, database: PROD, schema: live}\n"
    ),
    "a/models/orders.sql": "select id, {{ cents('amount') }} as amount from raw.shop.orders",
    "a/models/final.sql": "{{ config(schema='marts') }} select id from {{ ref('orders') }}",
    "a/scripts/backfill.sql": "select 1 as x",
    "shared/cents.sql": "{% macro cents(c) %}({{ c }} / 100){% endmacro %}",
    "shared/names.sql": (
        "{% macro generate_schema_name(custom_schema_name, node) %}"
        "{{ custom_schema_name or target.schema }}{% endmacro %}"
    ),
    "b/dbt_project.yml": "name: b\n",
    "b/models/sources.yml": (
        "sources: [{name: core, database: PROD, schema: core, tables: [{name: orders}]}]\n"
    ),
    "b/models/orders.sql": "select id, amount from {{ source('core', 'orders') }}",
    "b/models/mesh.sql": "select id from {{ ref('a', 'final') }}",
    "sql/load.sql": "create table raw.shop.orders as select id, amount from landing.events",
    "sql/report.sql": "create view report as select id from PROD.marts.final",
}


def test_the_parts_of_a_repository_are_one_graph(tmp_path: Path) -> None:
    corpus = load(tree(tmp_path, MONOREPO))
    assert edges(corpus) == {
        "landing.events.id -> raw.shop.orders.id",
        "landing.events.amount -> raw.shop.orders.amount",
        "raw.shop.orders.id -> a.orders.id",
        "raw.shop.orders.amount -> a.orders.amount",
        "a.orders.id -> final.id",
        "a.orders.id -> b.orders.id",
        "a.orders.amount -> b.orders.amount",
        "final.id -> mesh.id",
        "final.id -> report.id",
    }


def test_sql_outside_the_paths_of_a_project_is_reported(tmp_path: Path) -> None:
    corpus = load(tree(tmp_path, MONOREPO))
    assert codes(corpus) == [Code.OUTSIDE_PATHS]
    assert "a/scripts/backfill.sql" in corpus.diagnostics[0].message
    assert corpus.files.passed_over[Reason.OUTSIDE_PATHS] == 1


def test_another_target_gives_other_tables(tmp_path: Path) -> None:
    corpus = load(tree(tmp_path, MONOREPO), dbt_options=DbtOptions("live"))
    assert "core.orders.id -> b.orders.id" in edges(corpus)


def test_the_environment_names_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBT_TARGET", "live")
    assert "core.orders.id -> b.orders.id" in edges(load(tree(tmp_path, MONOREPO)))


def test_a_target_that_the_profile_lacks_is_reported(tmp_path: Path) -> None:
    corpus = load(tree(tmp_path, MONOREPO), dbt_options=DbtOptions("nowhere"))
    assert Code.NO_EFFECT in codes(corpus)


def test_files_of_tools_are_left_alone(tmp_path: Path) -> None:
    files = {
        "a.sql": "select x from t",
        "target/compiled/b.sql": "select 1",
        "dbt_packages/p/dbt_project.yml": "name: p\n",
        "dbt_packages/p/models/c.sql": "select 1",
        "venv/pyvenv.cfg": "",
        "venv/lib/d.py": "",
        "node_modules/e.sql": "select 1",
        "scratch/f.sql": "select 1",
        ".gitignore": "scratch/\n",
        "service/setup.py": "",
        "service/build/g.sql": "select 1",
        "tests/test_h.py": "",
    }
    corpus = load(tree(tmp_path, files))
    assert read_files(corpus, tmp_path) == {"a.sql", "service/setup.py"}
    counts = corpus.files.passed_over
    assert (counts[Reason.BUILD_FOLDER], counts[Reason.IGNORED], counts[Reason.PYTHON_TEST]) == (
        5,
        1,
        1,
    )


@pytest.mark.parametrize(
    ("files", "edge"),
    [
        (
            {
                "m/config.yaml": "model_defaults:\n  dialect: duckdb\n",
                "m/models/a.sql": "MODEL (name s.x); SELECT a FROM raw.t",
            },
            "raw.t.a -> s.x.a",
        ),
        (
            {
                "d/dataform.json": '{"warehouse": "bigquery", "defaultSchema": "x"}',
                "d/definitions/a.sqlx": 'config { type: "table" }\nselect b from raw.u',
            },
            "raw.u.b -> x.a.b",
        ),
        (
            {
                "af/dags/daily.py": "from airflow import DAG\n"
                "from airflow.providers.postgres.operators.postgres import PostgresOperator\n"
                'with DAG("d"):\n'
                '    PostgresOperator(task_id="t", sql="insert into m select c from raw.v")\n'
            },
            "raw.v.c -> m.c",
        ),
    ],
)
def test_projects_of_other_tools_are_read(tmp_path: Path, files: dict[str, str], edge: str) -> None:
    corpus = load(tree(tmp_path, {**files, "ok.sql": "select x from t"}))
    found = {f"{each.source} -> {each.target}" for each in extract(corpus).edges}
    assert found == {edge, "t.x -> ok.x"}
    assert "ok.sql" in read_files(corpus, tmp_path)


def test_every_extension_is_read_with_its_dialect(tmp_path: Path) -> None:
    names = (
        "a.sql b.hql c.ddl d.dml e.bteq f.pls g.pks h.pkb i.prc j.trg k.vw l.tsql m.psql n.q o.sqlx"
    )
    corpus = load(tree(tmp_path, dict.fromkeys(names.split(), "select x from t")))
    spoken = {Path(script.file).suffix: script.dialect for script in corpus.scripts}
    assert spoken == {
        **dict.fromkeys((".sql", ".ddl", ".dml", ".prc", ".trg", ".vw"), ""),
        **dict.fromkeys((".hql", ".q"), "hive"),
        **dict.fromkeys((".pls", ".pks", ".pkb"), "oracle"),
        ".bteq": "teradata",
        ".tsql": "tsql",
        ".psql": "postgres",
        ".sqlx": "bigquery",
    }
    assert set(codes(corpus)) == {Code.GUESSED_DIALECT}


@pytest.mark.parametrize(
    ("name", "text", "dialect"),
    [
        ("n.sql", "-- Databricks notebook source\nselect 1", "databricks"),
        ("n.sql", "-- dialect: snowflake\nselect 1", "snowflake"),
        ("o.sql", "create table t (a varchar2(10), b date default sysdate)", "oracle"),
        ("t.sql", "SELECT [a] FROM [dbo].[t]\nGO\n", "tsql"),
        ("b.sql", "select a from `p.d.t` where b is not null", "bigquery"),
        ("h.sql", "create table t (a int) stored as orc", "hive"),
        ("m.sql", "create table t (a int auto_increment)", "mysql"),
        ("r.sql", "create table t (a int) distkey (a) sortkey (a)", "redshift"),
        ("postgres/x.sql", "select a from t", "postgres"),
        ("impala_migration.sql", "create table t (a varchar(max))", "impala"),
        ("oracle/x.sql", "SET NOCOUNT ON\nGO\nselect a from [dbo].[t]", "tsql"),
        ("concepts_duckdb/x.sql", "select a from t", "duckdb"),
        ("postgres_to_snowflake.sql", "select a from t", ""),
        ("j.sql", "declare n INT64 default 3; select a from d.t", "bigquery"),
        ("i.sql", "rem indexes\ncreate index i on t (a)", "oracle"),
        ("p.sql", "select relname from pg_class where relname !~ '^x'", "postgres"),
        ("x.sql", "select a from t", ""),
        ("b.sql", "select a from `{{.Project}}.d.t`", "bigquery"),
        ("b.sql", "select a from `${project}.{env}_raw.t_*` join u using (a)", "bigquery"),
        ("b.sql", " #legacySQL\nselect a from t", "bigquery"),
        ("x.sql", "-- see view `d.t`\nselect a from t", ""),
        ("x.sql", "comment on table t is 'Made from `d.t`; stored as csv, I''m told'", ""),
        ("x.sql", "select a from t where a like 'x' escape '\\' and b = 'stored as orc'", ""),
        ("p.sql", "alter table s.t owner to admins", "postgres"),
        ("p.sql", "create index on t using gist (a)", "postgres"),
        (
            "r.sql",
            "create table t (a character varying(3) encode lzo, b timestamp without time zone)",
            "redshift",
        ),
        (
            "redshift/r.sql",
            "select nvl(a.x, sysdate), getdate() from a, b where a.i = b.i (+)",
            "redshift",
        ),
        ("o.sql", "select nvl(a.x, sysdate) from a, b where a.i = b.i (+)", "oracle"),
        ("o.sql", "create view v as select a from t\n/\n", "oracle"),
        ("p.sql", "COPY t (a, b) FROM stdin;\n1\t2\n\\.\n", "postgres"),
        ("yugabytedb-demo/p.sql", "select a from t", "postgres"),
        (
            "p.sql",
            "create function f() returns int as $$ return 1 $$ language plpythonu",
            "postgres",
        ),
        ("databricks/jobs/t.sql", "insert into [dbo].[t] select a from u", "tsql"),
        ("t.sql", "CREATE SCHEMA [ext]", "tsql"),
        ("t.sql", "create view v as select a,\n  [b] = isnull(c, 1) from t", "tsql"),
        ("t.sql", "select a from [t]", "tsql"),
        ("t.sql", "if exists (select 1 from sys.tables) drop table t", "tsql"),
        ("t.sql", "create procedure s.p as begin insert into t select a from u end", "tsql"),
        ("t.sql", "create procedure s.[load-t] as select a from u", "tsql"),
        ("t.sql", "create view v as select isnull(a, 'none') as a from t", "tsql"),
        ("t.sql", "create view v as select isnull(a) as a from t", ""),
        (
            "m.sql",
            "delimiter #\ncreate procedure p() begin delete from t; end #\ndelimiter ;",
            "mysql",
        ),
        ("h.sql", "create view `d.v` as select `a` as `a` from `d`.`t`", "hive"),
        ("b.sql", "create view `p-1.d.v` as select a from `p-1`.d.t", "bigquery"),
        ("snowflake_migration/b.sql", "create view `p-1.d.v` as select a from t", "bigquery"),
    ],
)
def test_the_dialect_is_guessed_and_the_guess_is_reported(
    tmp_path: Path, name: str, text: str, dialect: str
) -> None:
    corpus = load(tree(tmp_path, {name: text}))
    assert [script.dialect for script in corpus.scripts] == [dialect]
    assert (Code.GUESSED_DIALECT in codes(corpus)) == bool(dialect)


def test_a_dialect_that_is_named_is_not_guessed(tmp_path: Path) -> None:
    corpus = load(tree(tmp_path, {"a.hql": "select 1"}), dialect="spark")
    assert [script.dialect for script in corpus.scripts] == ["spark"]
    assert codes(corpus) == []


@pytest.mark.parametrize(
    "configuration",
    [
        {"lineal.yml": "dialect: duckdb\nexclude: [old/]\nextensions: {.bql: bigquery}\n"},
        {
            "pyproject.toml": '[tool.lineal]\ndialect = "duckdb"\nexclude = ["old/"]\n'
            'extensions = {".bql" = "bigquery"}\n'
        },
    ],
)
def test_configuration_selects_the_files(tmp_path: Path, configuration: dict[str, str]) -> None:
    files = {"a.sql": "select 1", "old/b.sql": "select 1", "c.bql": "select 1"}
    corpus = load(tree(tmp_path, {**files, **configuration}))
    assert {Path(script.file).name: script.dialect for script in corpus.scripts} == {
        "a.sql": "duckdb",
        "c.bql": "duckdb",
    }
    assert corpus.files.passed_over[Reason.EXCLUDED] == 1


def test_an_unknown_key_of_tool_lineal_is_reported(tmp_path: Path) -> None:
    corpus = load(
        tree(tmp_path, {"a.sql": "select 1", "pyproject.toml": "[tool.lineal]\nexclud = []\n"})
    )
    assert codes(corpus) == [Code.UNKNOWN_KEY]


def test_options_exclude_and_include(tmp_path: Path) -> None:
    tree(tmp_path, {"a/x.sql": "select 1", "a/y.sql": "select 1", "b/z.sql": "select 1"})
    rules = make_rules(None, False, None, exclude=("y.sql",), include=("a/",))
    assert read_files(load(tmp_path, rules=rules), tmp_path) == {"a/x.sql"}


def test_a_broken_project_does_not_spoil_the_others(tmp_path: Path) -> None:
    files = {
        "bad/dbt_project.yml": "name: [\n",
        "bad/models/x.sql": "select 1 as a",
        "good/dbt_project.yml": "name: good\n",
        "good/models/y.sql": "select id from raw.t",
    }
    corpus = load(tree(tmp_path, files))
    assert Code.YAML_ERROR in codes(corpus)
    assert "raw.t.id -> y.id" in edges(corpus)


def test_two_projects_of_one_name_are_reported_and_kept_apart(tmp_path: Path) -> None:
    files = {
        f"{folder}/{name}": text
        for folder in ("east", "west")
        for name, text in {
            "dbt_project.yml": "name: shop\n",
            "models/orders.sql": f"select id from raw.{folder}",
        }.items()
    }
    corpus = load(tree(tmp_path, files))
    assert codes(corpus) == [Code.PROJECT_NAME]
    found = edges(corpus)
    assert any(each.startswith("raw.east.id -> east.orders.id") for each in found)
    assert any(each.startswith("raw.west.id -> west.orders.id") for each in found)


def test_a_missing_package_is_named_once(tmp_path: Path) -> None:
    files = {"dbt_project.yml": "name: shop\n", "packages.yml": "packages: [{package: x/audit}]\n"}
    files |= {f"models/m{n}.sql": "select {{ audit.columns() }} from t" for n in range(20)}
    corpus = load(tree(tmp_path, files))
    assert codes(corpus) == [Code.MISSING_PACKAGE]
    assert "20 nodes" in corpus.diagnostics[0].message
    lost = [reason for reason in corpus.files.due_files.values() if reason]
    assert lost == [Reason.MISSING_PACKAGE] * 20


def test_a_local_package_is_read_with_the_project_that_uses_it(tmp_path: Path) -> None:
    files = {
        "main/dbt_project.yml": "name: main\n",
        "main/packages.yml": "packages: [{local: ../common}]\n",
        "main/models/top.sql": "select {{ common.pick() }} from {{ ref('base') }}",
        "common/dbt_project.yml": "name: common\n",
        "common/models/base.sql": "select id from raw.t",
        "common/macros/pick.sql": "{% macro pick() %}id{% endmacro %}",
    }
    assert edges(load(tree(tmp_path, files))) == {"raw.t.id -> base.id", "base.id -> top.id"}


def test_a_project_that_tests_the_one_around_it_does_not_take_it_over(tmp_path: Path) -> None:
    files = {
        "dbt_project.yml": "name: package\n",
        "models/base.sql": "select id from raw.t",
        "integration_tests/dbt_project.yml": "name: checks\n",
        "integration_tests/packages.yml": "packages: [{local: ../}]\n",
        "integration_tests/models/uses.sql": "select id from {{ ref('base') }}",
    }
    assert edges(load(tree(tmp_path, files))) == {"raw.t.id -> base.id", "base.id -> uses.id"}


def test_variables_switch_models_off_and_they_are_counted(tmp_path: Path) -> None:
    files = {
        "dbt_project.yml": "name: shop\nmodels:\n  shop:\n    extra:\n"
        "      +enabled: \"{{ var('with_extra', false) }}\"\n",
        "models/extra/a.sql": "select id from raw.t",
        "models/b.sql": "select id from raw.u",
    }
    off = load(tree(tmp_path, files))
    assert edges(off) == {"raw.u.id -> b.id"}
    assert off.files.passed_over[Reason.DISABLED] == 1
    on = load(tmp_path, dbt_options=DbtOptions(variables={"with_extra": True}))
    assert edges(on) == {"raw.u.id -> b.id", "raw.t.id -> a.id"}


def test_the_adapter_follows_the_dialect(tmp_path: Path) -> None:
    files = {
        "dbt_project.yml": "name: shop\n",
        "models/a.sql": "select {{ 'x' if target.type == 'bigquery' else 'y' }} as v from raw.t",
    }
    assert edges(load(tree(tmp_path, files), dialect="bigquery")) == {"raw.t.x -> a.v"}
    assert edges(load(tmp_path, dialect="snowflake")) == {"raw.t.y -> a.v"}


def test_types_of_seeds_are_rendered(tmp_path: Path) -> None:
    files = {
        "dbt_project.yml": "name: shop\nprofile: snowflake\n",
        "seeds/s.csv": "id,name\n1,a\n",
        "seeds/s.yml": "seeds:\n- name: s\n  config:\n    column_types:\n"
        "      id: \"{{ 'number' if target.type == 'snowflake' else 'int' }}\"\n"
        '      name: "{{ nobody_knows() }}"\n',
    }
    corpus = load(tree(tmp_path, files))
    types = {column.name: column.type for info in corpus.datasets for column in info.columns}
    assert types == {"id": "number", "name": ""}


def test_an_empty_folder_is_reported(tmp_path: Path) -> None:
    corpus = load(tmp_path)
    assert codes(corpus) == [Code.NO_INPUT]


def test_the_command_lists_what_would_be_read(tmp_path: Path) -> None:
    tree(tmp_path, {**MONOREPO, "jobs/job.py": "x = 1\n", "n.ipynb": "{}", "target/x.sql": ""})
    result = CliRunner().invoke(main, ["projects", str(tmp_path), "--format", "json"])
    assert result.exit_code == 0
    parts = {
        (part["kind"], os.path.relpath(part["path"], tmp_path)): (part["files"], part["read"])
        for part in json.loads(result.stdout)["parts"]
    }
    assert parts == {
        ("dbt", "a"): (4, True),
        ("dbt", "b"): (2, True),
        ("SQL", "sql"): (2, True),
        ("Python", "jobs"): (1, True),
        ("notebooks", "."): (1, True),
        ("in a build folder", "target"): (1, False),
    }
    text = CliRunner().invoke(main, ["projects", str(tmp_path)])
    assert text.exit_code == 0
    assert "dbt" in text.stdout


def test_the_files_of_an_airflow_folder_are_counted_with_it(tmp_path: Path) -> None:
    files = {
        "dags/load.py": "from airflow import DAG\n",
        "dags/sql/load.sql": "insert into a select b from c",
        "other/view.sql": "select a from b",
    }
    result = CliRunner().invoke(main, ["projects", str(tree(tmp_path, files)), "--format", "json"])
    parts = json.loads(result.stdout)["parts"]
    assert [(part["kind"], part["files"]) for part in parts] == [("Airflow", 2), ("SQL", 1)]


def test_the_command_fails_where_nothing_is_to_be_read(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["projects", str(tmp_path)]).exit_code == 1


def test_many_files_are_found_fast_and_unread_ones_are_not_kept(tmp_path: Path) -> None:
    for folder in range(100):
        where = tmp_path / f"d{folder}"
        where.mkdir()
        for number in range(200):
            (where / f"f{number}.txt").touch()
        (where / "q.sql").write_text("select 1")
    (tmp_path / ".gitignore").write_text("*.log\nout/\n/x/**/y\n!keep.log\n*.py[cod]\n")
    peaks = []
    for _ in range(2):  # once may be when Python's table of names grows, which is 2 MB by itself
        started = time.process_time()
        tracemalloc.start()
        with Intake(tmp_path) as intake:
            found = find(tmp_path, lambda _: None)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert time.process_time() - started < 5  # 20,100 files, with tracing on
    assert sum(map(len, found.scripts.values())) == 100
    assert min(peaks) < 2_000_000
    assert not intake.passed_over


@pytest.mark.parametrize(
    "text",
    [
        "merge `p-1.d.t` dest using s.u source on false when not matched then insert (a) values (a)",
        "update `p-1.d.t` set a = 1 where b = 2",
    ],
)
def test_a_changed_table_in_backticks_means_bigquery(text: str) -> None:
    """Three parts in one pair of backticks are a table of BigQuery, whatever is done with it."""
    found = guess_dialect("history.sql", text)
    assert found is not None and found.dialect == "bigquery"


def test_a_dialect_that_folds_reads_the_exact_names_of_another_engine(tmp_path: Path) -> None:
    """Queries in another dialect say IsNew where the DDL of PostgreSQL says "IsNew". A query of
    PostgreSQL must write the quotes: the hint asks for them.
    """
    files = {
        "p/dbt_project.yml": "name: p\nprofile: p\n",
        "p/profiles.yml": "p: {target: d, outputs: {d: {type: postgres, schema: s, dbname: b}}}",
        "p/models/m.sql": "select IsNew from raw.fee",
        "ddl.sql": 'create table raw.fee ("IsNew" jsonb, "Id" serial)',
        "plain.sql": "with s as (select * from raw.fee) select isnew, Id from s",
    }
    found = extract(load(tree(tmp_path, files)))
    pairs = {(str(edge.source), str(edge.target)) for edge in found.edges}
    assert {("raw.fee.IsNew", "plain.isnew"), ("raw.fee.Id", "plain.Id")} <= pairs
    told = [each for each in found.diagnostics if each.code is Code.UNRESOLVED_COLUMN]
    assert [each.hint for each in told] == ['did you mean "IsNew", in quotes?']


def test_include_leaves_out_projects_without_a_file_of_it(tmp_path: Path) -> None:
    files = {
        "p/dbt_project.yml": "name: p\nprofile: p\n",
        "p/models/m.sql": "select a from raw.t",
        "q/dbt_project.yml": "name: q\nprofile: q\n",
        "q/models/n.sql": "select b from raw.t",
        "sql/x.sql": "select c from raw.t",
    }
    cases = [("sql/", {"x.c"}), ("q/models/", {"n.b"}), ("'*.sql'", {"m.a", "n.b", "x.c"})]
    for pattern, left in cases:
        root = tree(tmp_path, {**files, "lineal.yml": f"include: [{pattern}]"})
        assert {str(edge.target) for edge in extract(load(root)).edges} == left


def test_each_statement_votes_once_for_the_spelling_of_a_table(tmp_path: Path) -> None:
    """Two statements write s.t, and two others read it; S.T is named by two. The order does not matter."""
    files = {
        "a.sql": "update S.T set a = (select max(x) from r);\nupdate u set a = (select max(x) from s.t)",
        "b.sql": "insert into s.t select a from S.T;\ninsert into s.t select a from r",
        "c.sql": "select x from s.t",
    }
    corpus = load(tree(tmp_path, files))
    for scripts in (corpus.scripts, corpus.scripts[::-1]):
        found = extract(replace(corpus, scripts=scripts))
        assert {dataset.name for dataset in found.datasets if dataset.name.lower() == "s.t"} == {
            "s.t"
        }

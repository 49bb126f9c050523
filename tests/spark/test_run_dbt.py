"""lineal run on dbt projects: without dbt, and without a database."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from little import Run, dbt_project, rows

from lineal.cli import main
from lineal.graph.graph import UnknownName

ROOT = Path(__file__).resolve().parents[2]
BAKERY = ROOT / "tests" / "data" / "bakery"
IGNORED = shutil.ignore_patterns(".lineal", "target", "logs", "*.duckdb")


def changed(root: Path) -> None:
    """News of the bakery: rows that are new, changed and gone."""
    orders = (root / "seeds/raw_orders.csv").read_text(encoding="utf-8")
    orders = orders.replace("3;2;bread;7.00;false", "3;2;bread;7.00;true").replace("31.25", "33.25")
    kept = [line for line in orders.splitlines() if not line.startswith("5;")]
    kept += ["7;2;bread;4.50;true;2024-01-06 08:00:00", "8;1;cake;;false;2024-01-07 08:00:00"]
    (root / "seeds/raw_orders.csv").write_text("\n".join(kept) + "\n", encoding="utf-8")
    customers = (root / "seeds/raw_customers.csv").read_text(encoding="utf-8")
    customers = customers.replace("Ben Hill,,", "Ben Hill,York,") + "5,101,Eve Gray,,2024-01-01\n"
    (root / "seeds/raw_customers.csv").write_text(customers, encoding="utf-8")
    readings = "reading_id,oven,degrees,read_at\n4,left,190.0,2024-01-04 06:00:00\n5,right,179.0,2024-01-02 06:00:00\n"
    (root / "seeds/landing/oven_readings.csv").write_text(readings, encoding="utf-8")


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory, spark: Any) -> tuple[Path, Run, Run]:
    """The fixture with every materialization, built twice: the second time on top of the first."""
    root = shutil.copytree(BAKERY, tmp_path_factory.mktemp("bakery") / "bakery", ignore=IGNORED)
    first = Run(root, spark)
    changed(root)
    return root, first, Run(root, spark)


def told(run: Run, *names: str) -> str:
    """What a failing test should show of a run."""
    shown = [
        f"{name}: {[*run[name].faults, run[name].agreement]}" for name in names or run.outcomes
    ]
    return "\n".join(shown)


def test_every_materialization_is_built_and_agrees_with_catalyst(
    bakery: tuple[Path, Run, Run],
) -> None:
    _, first, second = bakery
    for run in (first, second):
        assert set(run.status.values()) == {"ok"}, told(run)
        assert run.summary.green, told(run)
    kinds = {name: outcome.kind for name, outcome in first.outcomes.items()}
    assert kinds["paid_orders"] == "view" and kinds["order_log"] == "incremental"
    assert kinds["orders_history"] == "snapshot" and kinds["oven_readings"] == "seed"
    assert not first.notes, "the hooks around the run are statements that Spark takes"


def test_models_that_cannot_be_compared_are_counted_with_a_reason(
    bakery: tuple[Path, Run, Run],
) -> None:
    _, first, _ = bakery
    found = {
        name: (outcome.agreement.incomparable, outcome.agreement.reason)
        for name, outcome in first.outcomes.items()
        if outcome.agreement is not None and outcome.agreement.incomparable
    }
    assert found == {
        "latest_orders": (("latest_orders",), "the translation says them in other words"),
        "order_state": (("order_state",), "a hook changes them"),
    }


def test_seeds_are_read_as_dbt_reads_them(bakery: tuple[Path, Run, Run], spark: Any) -> None:
    root, _, _ = bakery
    (row,) = [each for each in rows(root, "raw_customers", spark) if each[0] == 3]
    assert row[1:4] == ("0099", 'Cleo "C" Marsh', "York")


def test_sql_of_duckdb_means_what_it_means_there(bakery: tuple[Path, Run, Run], spark: Any) -> None:
    root, _, _ = bakery
    latest = {row[1]: row for row in rows(root, "latest_orders", spark)}
    assert len(latest) == 4 and len(latest[3]) == 11
    assert latest[3][0] == 4 and str(latest[3][7]) == "2024-01-01"
    assert latest[3][8] == 4 and latest[3][10] == 33 and latest[3][9] == pytest.approx(33.25 / 3)
    assert len(rows(root, "days", spark)) == 7


def test_incremental_models_grow_as_their_strategies_say(
    bakery: tuple[Path, Run, Run], spark: Any
) -> None:
    root, first, second = bakery
    assert (first["order_log"].rows, second["order_log"].rows) == (6, 8)
    merged = {row[0]: row[2:] for row in rows(root, "order_merge", spark)}
    assert merged[4] == (Decimal("33.25"), Decimal("31.25")), (
        "a column that is left out keeps its value"
    )
    assert set(merged) == {1, 2, 3, 4, 5, 6, 7, 8}
    state = {row[0]: row[2:] for row in rows(root, "order_state", spark)}
    assert state == {
        1: (Decimal("3.50"), True),
        2: (Decimal("24.00"), True),
        3: (Decimal("7.00"), True),
        4: (Decimal("33.25"), True),
        6: (Decimal("18.00"), False),
        7: (Decimal("4.50"), True),
        8: (None, False),
    }


def test_a_snapshot_closes_changed_and_removed_rows(
    bakery: tuple[Path, Run, Run], spark: Any
) -> None:
    root, _, _ = bakery
    history = rows_of(root, "orders_history", spark)
    versions = {
        (row["order_id"], row["paid"], row["amount"]): row["dbt_valid_to"] is None
        for row in history
    }
    assert (
        versions[3, False, Decimal("7.00")] is False and versions[3, True, Decimal("7.00")] is True
    )
    assert (
        versions[4, True, Decimal("31.25")] is False and versions[4, True, Decimal("33.25")] is True
    )
    assert versions[5, True, Decimal("3.50")] is False, "hard_deletes: invalidate"
    assert versions[1, True, Decimal("3.50")] is True and versions[7, True, Decimal("4.50")] is True
    assert len(history) == 11 - 1
    times = {row["order_id"]: row for row in history if row["order_id"] == 4}
    assert times[4]["dbt_valid_from"] == times[4]["dbt_updated_at"]
    assert len({row["dbt_scd_id"] for row in history}) == len(history)


def test_a_snapshot_by_time_takes_the_times_of_the_rows(
    bakery: tuple[Path, Run, Run], spark: Any
) -> None:
    root, _, _ = bakery
    found = [
        (row["reading_id"], str(row["dbt_valid_from"]), str(row["dbt_valid_to"]))
        for row in rows_of(root, "readings_history", spark)
    ]
    assert sorted(found) == [
        (1, "2024-01-02 06:00:00", "2024-01-04 06:00:00"),
        (2, "2024-01-02 06:00:00", "None"),
        (3, "2024-01-03 06:00:00", "2024-01-04 06:00:00"),
        (4, "2024-01-04 06:00:00", "None"),
        (4, "2024-01-04 06:00:00", "None"),
    ], "two current versions have the key of the new row: dbt adds it for each of them"


def test_a_row_that_is_gone_can_have_a_last_version(tmp_path: Path, spark: Any) -> None:
    files = {
        "seeds/people.csv": "id,name\n1,Ann\n2,Ben\n",
        "snapshots/s.yml": (
            "snapshots: [{name: history, relation: ref('people'), config: {strategy: check, unique_key: id, "
            "check_cols: all, hard_deletes: new_record, dbt_valid_to_current: \"cast('9999-12-31' as timestamp)\", "
            "snapshot_meta_column_names: {dbt_valid_to: until}}}]\n"
        ),
    }
    root = dbt_project(tmp_path, files)
    assert Run(root, spark).summary.green
    (root / "seeds/people.csv").write_text("id,name\n1,Anna\n", encoding="utf-8")
    Run(root, spark, check=False)
    (root / "seeds/people.csv").write_text("id,name\n1,Anna\n2,Ben\n", encoding="utf-8")
    Run(root, spark, check=False)
    found = [(row["id"], row["name"], row["until"].year == 9999, row["dbt_is_deleted"]) for row in rows_of(root, "history", spark)]  # fmt: skip  # noqa: E501
    assert sorted(found) == [
        (1, "Ann", False, "False"),
        (1, "Anna", True, "False"),
        (2, "Ben", False, "False"),
        (2, "Ben", False, "True"),
        (2, "Ben", True, "False"),
    ]


def test_tests_pass_warn_and_fail_as_they_are_configured(bakery: tuple[Path, Run, Run]) -> None:
    _, first, _ = bakery
    found = {(test.name, test.column): test.status for test in first["stg_orders"].tests}
    assert (
        found["above", "amount"] == "warned"
        and found["large_orders_have_customers", "customer_id"] == "passed"
    )
    assert {test.status for test in first["stg_customers"].tests} == {"passed", "warned"}
    assert [test.status for test in first["no_order_without_customer"].tests] == ["passed"]
    assert [test.name for test in first["oven_readings"].tests] == [
        "unique",
        "not_null",
        "accepted_values",
    ]


def test_a_python_model_is_built_between_models_of_sql(
    bakery: tuple[Path, Run, Run], spark: Any
) -> None:
    root, first, _ = bakery
    assert (
        first["totals_by_kind"].agreement is not None and first["totals_by_kind"].agreement.agrees
    )
    assert {row[0] for row in rows(root, "big_totals", spark)} == {"cake"}


def rows_of(root: Path, name: str, spark: Any) -> list[dict[str, Any]]:
    """The rows of a table, by the names of their columns."""
    warehouse = root / ".lineal" / "warehouse"
    version = json.loads((warehouse / "state.json").read_text(encoding="utf-8"))["entries"][name][
        "version"
    ]
    return [row.asDict() for row in spark.read.parquet(str(warehouse / name / version)).collect()]


# -- the example -----------------------------------------------------------------------------------


def test_the_example_runs_and_has_the_lineage_that_is_shown(tmp_path: Path, spark: Any) -> None:
    root = shutil.copytree(ROOT / "examples" / "jaffle", tmp_path / "jaffle", ignore=IGNORED)
    run = Run(root, spark)
    assert run.summary.green, told(run)
    agreements = [
        outcome.agreement for outcome in run.outcomes.values() if outcome.agreement is not None
    ]
    assert [sum(each.static[at] for each in agreements) for at in (0, 1)] == [60, 4]
    assert sorted(str(row[1]) for row in rows(root, "visits_by_day", spark)) == [
        "2024-01-02",
        "2024-01-03",
        "2024-01-03",
    ]
    again = Run(root, spark, resume=True)
    assert set(again.status.values()) == {"kept", "ok"}
    assert [name for name, status in again.status.items() if status == "ok"] == [
        "nobody_pays_less_than_nothing"
    ]


# -- what cannot be built --------------------------------------------------------------------------

BROKEN = {
    "seeds/s.csv": "id,name\n1,a\n",
    "models/good.sql": "select id from {{ ref('s') }}",
    "models/web.yml": "sources: [{name: web, tables: [{name: visits}]}]\n",
    "models/reader.sql": "select * from {{ source('web', 'visits') }}",
    "models/after_reader.sql": "select * from {{ ref('reader') }}",
    "models/unparsed.sql": "select id,\n  ) from {{ ref('s') }}",
    "models/unknown.sql": "-- asks for more\nselect\n  id,\n  nothing\nfrom {{ ref('s') }}",
    "models/foreign.sql": "select some_function_of_duckdb(id) as x from {{ ref('s') }}",
    "models/asking.sql": "select {{ run_query('select 1').columns[0].values()[0] }} as a",
    "models/after_asking.sql": "{{ config(materialized='table') }} select * from {{ ref('asking') }}",
    "models/odd.sql": "{{ config(materialized='cube') }} select 1 as a",
    "models/batches.sql": (
        "{{ config(materialized='incremental', incremental_strategy='microbatch') }} select id from {{ ref('s') }}"
    ),
    "models/viewed.sql": "{{ config(materialized='materialized_view') }} select id from {{ ref('s') }}",
    "models/my-model.sql": "select id as my_id from {{ ref('s') }}",
    "models/after_my.sql": "select my_id from {{ ref('my-model') }}",
    "tests/on_reader.sql": "select * from {{ ref('reader') }}",
    "tests/failing.sql": "select * from {{ ref('good') }} where id = 1",
    "models/good.yml": (
        "models: [{name: good, columns: [{name: id, data_tests: [{dbt_expectations.x: {a: 1}}, "
        "{accepted_values: {values: [2], config: {severity: warn}}}]}]}]\n"
    ),
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory, spark: Any) -> Run:
    return Run(dbt_project(tmp_path_factory.mktemp("broken"), BROKEN), spark)


def test_a_model_that_cannot_be_built_skips_only_its_readers(broken: Run) -> None:
    assert broken.status == {
        "s": "ok",
        "good": "ok",
        "web.visits": "missing",
        "reader": "skipped",
        "after_reader": "skipped",
        "unparsed": "failed",
        "unknown": "failed",
        "foreign": "failed",
        "asking": "failed",
        "after_asking": "skipped",
        "odd": "failed",
        "batches": "failed",
        "viewed": "ok",
        "my-model": "ok",
        "after_my": "ok",
        "on_reader": "skipped",
        "failing": "failed",
    }
    assert broken["reader"].because == broken["on_reader"].because == "web.visits"
    assert broken["reader"].lacks == "is missing"


@pytest.mark.parametrize(
    ("name", "place", "words"),
    [
        (
            "web.visits",
            "web.yml:1:",
            "add a seed visits.csv or the file .lineal/sources/web.visits.csv",
        ),
        ("unparsed", "unparsed.sql:2:", "cannot be translated to Spark"),
        ("unknown", "unknown.sql:4:3", "nothing"),
        ("foreign", "foreign.sql:1:8", "some_function_of_duckdb"),
        ("asking", "asking.sql:1:", "run_query()"),
        ("odd", "odd.sql:1:1", "materialized: cube is not known"),
        ("batches", "batches.sql:1:1", "incremental_strategy: microbatch is not known"),
    ],
)
def test_a_model_that_is_refused_says_where_and_why(
    broken: Run, name: str, place: str, words: str
) -> None:
    fault = broken.fault(name)
    assert f"/{place}" in fault and words.lower() in fault.lower() and "\n" not in fault


def test_a_test_that_cannot_be_run_is_skipped_with_a_reason(broken: Run) -> None:
    found = {test.name: test for test in broken["good"].tests}
    assert found["x"].status == "skipped" and "there is no macro" in found["x"].message
    assert found["accepted_values"].status == "warned"
    assert str(broken["failing"].tests[0]) == "failing: 1 row failed"


def test_a_name_that_spark_does_not_take_is_shown_unchanged(broken: Run) -> None:
    assert broken["my-model"].agreement is not None and broken["my-model"].agreement.agrees
    assert broken["after_my"].agreement is not None and broken["after_my"].agreement.static == (
        1,
        0,
    )


# -- incremental models ----------------------------------------------------------------------------


def incremental(settings: str) -> dict[str, str]:
    text = (
        f"{{{{ config(materialized='incremental', {settings}) }}}} select * from {{{{ ref('s') }}}}"
    )
    return {
        "models/m.sql": text,
        "seeds/s.csv": "id,day,n\n1,2024-01-01,10\n2,2024-01-02,20\n3,2024-01-02,30\n",
    }


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("incremental_strategy='append'", [(1, 10), (2, 20), (2, 21), (3, 30), (4, 40)]),
        ("unique_key='id'", [(1, 10), (2, 21), (3, 30), (4, 40)]),
        ("incremental_strategy='merge', unique_key='id'", [(1, 10), (2, 21), (3, 30), (4, 40)]),
        ("incremental_strategy='merge'", [(1, 10), (2, 20), (2, 21), (3, 30), (4, 40)]),
        (
            "incremental_strategy='insert_overwrite', partition_by='day'",
            [(1, 10), (2, 21), (4, 40)],
        ),
        ("incremental_strategy='insert_overwrite'", [(2, 21), (4, 40)]),
        ("unique_key=\"id || '-' || day\"", [(1, 10), (2, 21), (3, 30), (4, 40)]),
        ("unique_key='id', full_refresh=true", [(2, 21), (4, 40)]),
        (
            "incremental_strategy='merge', unique_key='id', incremental_predicates=[\"DBT_INTERNAL_DEST.n > 100\"]",
            [(1, 10), (2, 20), (2, 21), (3, 30), (4, 40)],
        ),
    ],
)
def test_strategies(
    tmp_path: Path, spark: Any, settings: str, expected: list[tuple[int, int]]
) -> None:
    root = dbt_project(tmp_path, incremental(settings))
    Run(root, spark, check=False)
    (root / "seeds/s.csv").write_text(
        "id,day,n\n2,2024-01-02,21\n4,2024-01-03,40\n", encoding="utf-8"
    )
    run = Run(root, spark, check=False)
    assert run.summary.green, told(run)
    assert sorted((row[0], row[2]) for row in rows(root, "m", spark)) == expected


@pytest.mark.parametrize(
    ("change", "columns", "expected"),
    [
        ("ignore", ["id", "day", "n"], [(2, 21), (1, 10), (2, 20), (3, 30)]),
        ("append_new_columns", ["id", "day", "n", "more"], None),
        ("sync_all_columns", ["id", "day", "n", "more"], None),
        ("fail", None, None),
    ],
)
def test_columns_that_are_new(
    tmp_path: Path,
    spark: Any,
    change: str,
    columns: list[str] | None,
    expected: list[tuple[int, int]] | None,
) -> None:
    root = dbt_project(tmp_path, incremental(f"on_schema_change='{change}'"))
    Run(root, spark, check=False)
    (root / "seeds/s.csv").write_text("id,day,n,more\n2,2024-01-02,21,x\n", encoding="utf-8")
    run = Run(root, spark, check=False)
    if columns is None:
        assert "its columns have changed (+more): rebuild it with --full-refresh" in run.fault("m")
        return
    found = rows_of(root, "m", spark)
    assert list(found[0]) == columns and len(found) == 4
    if expected is not None:
        assert sorted((row["id"], row["n"]) for row in found) == sorted(expected)
    else:
        assert [row["more"] for row in found if row["n"] == 21] == ["x"]


def test_a_merge_needs_one_new_row_for_each_key(tmp_path: Path, spark: Any) -> None:
    root = dbt_project(tmp_path, incremental("incremental_strategy='merge', unique_key='id'"))
    Run(root, spark, check=False)
    (root / "seeds/s.csv").write_text(
        "id,day,n\n2,2024-01-02,21\n2,2024-01-03,40\n", encoding="utf-8"
    )
    assert "2 new rows have the unique_key 2" in Run(root, spark, check=False).fault("m")
    assert len(rows(root, "m", spark)) == 3


# -- hooks, seeds, other ways to name a project ----------------------------------------------------


def test_a_hook_that_spark_does_not_take_is_reported_and_passed_over(
    tmp_path: Path, spark: Any
) -> None:
    hooks = (
        "pre_hook=['create index i on nowhere (a)'], "
        "post_hook=[\"update {{ this }} set name = 'x' where id = 1\", "
        "\"insert into {{ this }} (id) values (9)\", 'grant select on {{ this }} to nobody']"
    )
    files = {
        "seeds/s.csv": "id,name\n1,a\n2,b\n",
        "models/m.sql": f"{{{{ config(materialized='table', {hooks}) }}}} select id, name from {{{{ ref('s') }}}}",
    }
    about = "on-run-start: ['vacuum everything now']\n"
    run = Run(dbt_project(tmp_path, files, about=about), spark, check=False)
    assert run.summary.green
    assert sorted(rows(tmp_path, "m", spark), key=str) == [(1, "x"), (2, "b"), (9, None)]
    assert len(run["m"].notes) == 2 and all(
        "a hook is passed over" in note for note in run["m"].notes
    )
    (note,) = run.notes
    assert note.startswith("the on-run-start hook is passed over")


def test_a_seed_whose_values_do_not_fit_says_its_line(tmp_path: Path, spark: Any) -> None:
    about = "seeds: {little: {+column_types: {n: integer}}}\n"
    run = Run(
        dbt_project(tmp_path, {"seeds/s.csv": "id,n\n1,2\n2,two\n3\n"}, about=about),
        spark,
        check=False,
    )
    assert run.fault("s").endswith("seeds/s.csv:3:1: n: 'two' is not of type INT")


def test_types_of_a_seed_are_guessed_as_dbt_guesses_them(tmp_path: Path, spark: Any) -> None:
    csv = 'n,code,money,day,at,flag,t,empty\n1,007,"1,000.50",2024-01-31,2024-01-31 10:00:00,true,yes,\n2,12,$2,2024-02-01,2024-02-01T11:00:00Z,FALSE,no,\n'  # noqa: E501
    root = dbt_project(tmp_path, {"seeds/s.csv": csv}, adapter="postgres")
    assert Run(root, spark, check=False).summary.green
    (folder,) = (root / ".lineal/warehouse/s").iterdir()
    kinds = [kind for _, kind in spark.read.parquet(str(folder)).dtypes]
    assert kinds == [
        "bigint",
        "bigint",
        "double",
        "date",
        "timestamp",
        "boolean",
        "string",
        "bigint",
    ]


def test_a_table_of_the_catalog_is_a_source(tmp_path: Path, spark: Any) -> None:
    files = {
        "models/s.yml": "sources: [{name: web, schema: lineal_site, tables: [{name: visits, identifier: page_visits, "
        "columns: [{name: id, data_tests: [unique]}]}]}]\n",
        "models/m.sql": "{{ config(materialized='table') }} select id from {{ source('web', 'visits') }}",
    }
    spark.sql("CREATE SCHEMA IF NOT EXISTS lineal_site")
    spark.sql("CREATE OR REPLACE VIEW lineal_site.page_visits AS SELECT 7 AS id")
    try:
        run = Run(dbt_project(tmp_path, files), spark)
        assert run.status == {"web.visits": "ok", "m": "ok"}
        assert run["web.visits"].tests[0].status == "passed"
        assert run["m"].agreement is not None and run["m"].agreement.agrees
        assert rows(tmp_path, "m", spark) == [(7,)]
    finally:
        spark.sql("DROP SCHEMA lineal_site CASCADE")


def test_parts_of_a_project_are_selected_with_their_sources_and_tests(
    tmp_path: Path, spark: Any
) -> None:
    files = {
        "seeds/visits.csv": "id\n1\n",
        "models/s.yml": "sources: [{name: web, tables: [{name: visits}]}]\n",
        "models/a.sql": "{{ config(tags='daily') }} select id from {{ source('web', 'visits') }}",
        "models/sub/b.sql": "select id from {{ ref('a') }}",
        "tests/t.sql": "select id from {{ ref('b') }} where id < 0",
    }
    root = dbt_project(tmp_path, files)
    assert Run(root, spark, check=False, select=("+a",)).status.keys() == {
        "visits",
        "web.visits",
        "a",
    }
    assert Run(root, spark, check=False, select=("b",)).status == {"b": "ok", "t": "ok"}
    assert Run(root, spark, check=False, select=("visits+",)).status.keys() == {
        "visits",
        "web.visits",
        "a",
        "b",
        "t",
    }
    assert Run(root, spark, check=False, select=("tag:daily",)).status.keys() == {"web.visits", "a"}
    assert Run(root, spark, check=False, select=("path:models/sub",)).status.keys() == {"b", "t"}
    assert Run(root, spark, check=False, select=("+path:models/sub/b.sql",)).status.keys() >= {
        "visits",
        "a",
        "b",
    }
    for selector, words in {
        "tag:x": "selects nothing",
        "group:x": "use tag, path or a name",
    }.items():
        with pytest.raises(UnknownName, match=words):
            Run(root, spark, check=False, select=(selector,))


def test_a_manifest_is_run_as_well(tmp_path: Path, spark: Any) -> None:
    """What dbt has compiled: with the relations of its database, and with tests that are nodes."""
    shutil.copytree(ROOT / "examples" / "jaffle", tmp_path / "jaffle", ignore=IGNORED)
    (tmp_path / "jaffle/target").mkdir()
    shutil.copy(ROOT / "tests/data/jaffle/manifest.json", tmp_path / "jaffle/target/manifest.json")
    run = Run(tmp_path / "jaffle", spark, select=("+customers",))
    assert run.summary.green, told(run)
    assert run["customers"].rows == 3 and run["customers"].kind == "table"


def test_a_project_that_cannot_be_written_to_names_the_option(tmp_path: Path) -> None:
    root = dbt_project(tmp_path / "p", {"models/m.sql": "select 1 as a"})
    (root / ".lineal").write_text("no folder", encoding="utf-8")
    done = CliRunner().invoke(main, ["run", str(root)])
    assert done.exit_code == 2
    assert "cannot write to the warehouse" in done.output and "--warehouse" in done.output


def test_a_package_without_models_has_nothing_to_run(tmp_path: Path) -> None:
    root = dbt_project(tmp_path, {"macros/m.sql": "{% macro a() %}1{% endmacro %}"})
    done = CliRunner().invoke(main, ["run", str(root)])
    assert done.exit_code == 2 and "has nothing to run" in done.output


def test_a_folder_with_compiled_models_alone_says_what_to_name(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    shutil.copy(ROOT / "tests/data/jaffle/manifest.json", tmp_path / "target/manifest.json")
    done = CliRunner().invoke(main, ["run", str(tmp_path)])
    assert done.exit_code == 2 and f"name {tmp_path / 'target'} to run" in done.output

"""lineal run on little projects: builds, refusals and tests."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from little import ORDERS, ORDERS_YML, Run, project, rows, shop

INCREMENTAL = "kind: sql\nmaterialized: incremental\n"
NEW_ROWS = """\
select id, amount from orders
{% if is_incremental() %} where id > (select max(l.id) from {{ this }} l) {% endif %}
"""


def test_seeds_views_and_tables_are_built_in_order(tmp_path: Path, spark) -> None:
    run = Run(shop(tmp_path), spark)
    assert run.summary.green
    assert run.ended == ["orders", "paid", "totals"]
    assert [run[name].rows for name in run.ended] == [3, 2, 1]
    assert rows(tmp_path, "totals", spark) == [(10, Decimal("6.25"))]
    assert run["totals"].agreement is not None and run["totals"].agreement.agrees
    assert run["totals"].agreement.static == run["totals"].agreement.exact == (2, 0)


def test_a_run_leaves_the_session_as_it_was(tmp_path: Path, spark) -> None:
    before = [table.name for table in spark.catalog.listTables()]
    Run(shop(tmp_path), spark)
    assert [table.name for table in spark.catalog.listTables()] == before
    assert not (tmp_path / ".lineal/warehouse/.scratch").exists()


# -- what Spark refuses ----------------------------------------------------------------------------


def test_a_refused_model_has_its_file_and_line_and_stops_only_what_needs_it(
    tmp_path: Path, spark
) -> None:
    wrong = "-- what was paid\nselect\n  id,\n  amuont\nfrom orders\n"
    run = Run(shop(tmp_path, paid_sql=wrong, other_sql="select count(*) as n from orders"), spark)
    assert run.status == {"orders": "ok", "paid": "failed", "totals": "skipped", "other": "ok"}
    assert run.fault("paid").startswith(f"{tmp_path}/nodes/paid/paid.sql:4:3: [UNRESOLVED_COLUMN")
    assert "`amount`" in run.fault("paid") and "\n" not in run.fault("paid")
    assert run["totals"].because == "paid"


@pytest.mark.parametrize(
    ("kind", "sql", "place", "message"),
    [
        ("table", "select id\nfrom orders\nwhere ) = 1\n", "3:7", "[PARSE_SYNTAX_ERROR]"),
        ("view", "select id\nfrom orders\nwhere ) = 1\n", "3:7", "[PARSE_SYNTAX_ERROR]"),
        ("table", "select id,\n  amount / (id - 1) as r from orders", "2:3", "[DIVIDE_BY_ZERO]"),
        (
            "view",
            "\n-- x\nselect id,\n  amount / (id - 1) as r from orders",
            "4:3",
            "[DIVIDE_BY_ZERO]",
        ),
        ("table", "select * from nowhere", "1:15", "[TABLE_OR_VIEW_NOT_FOUND]"),
        ("table", "insert into orders select * from orders", "1:1", "[PARSE_SYNTAX_ERROR]"),
    ],
)
def test_an_error_has_its_file_and_line(
    tmp_path: Path, spark, kind: str, sql: str, place: str, message: str
) -> None:
    nodes = {
        "orders.csv": ORDERS,
        "orders.yml": ORDERS_YML,
        "m.sql": sql,
        "m.yml": f"kind: sql\nmaterialized: {kind}\ncolumns: [{{name: r, tests: [not_null]}}]\n",
    }
    run = Run(project(tmp_path, nodes), spark)
    assert run.status == {"orders": "ok", "m": "failed"}
    assert run.fault("m").startswith(f"{tmp_path}/nodes/m/m.sql:{place}: {message}")


def test_an_error_in_the_view_below_fails_the_table_that_computes_it(tmp_path: Path, spark) -> None:
    """A view is a promise: nothing computes a column that nothing tests, until a table reads it."""
    run = Run(
        shop(
            tmp_path, paid_sql="select\n  id, customer,\n  amount / (id - 1) as amount\nfrom orders"
        ),
        spark,
    )
    assert run.status == {"orders": "ok", "paid": "ok", "totals": "failed"}
    assert "[DIVIDE_BY_ZERO]" in run.fault("totals")


def test_nodes_that_cannot_be_run_at_all(tmp_path: Path, spark) -> None:
    nodes = {
        "a.sql": "select * from b",
        "b.sql": "select * from a",
        "c.sql": "select 1 as x",
        "c.yml": "kind: sql\nmaterialized: tabel\n",
        "d.sql": "select {{ nothing }}",
        "e.yml": "kind: python\n",
        "f.sql": "select * from e",
        "g.sql": "select 1 as x",
    }
    run = Run(project(tmp_path, nodes), spark)
    assert run.status == dict(zip("abcdefg", ["failed"] * 5 + ["skipped", "ok"], strict=True))
    assert "it reads itself in a cycle: a → b → a" in run.fault("a")
    assert "did you mean table?" in run.fault("c")
    assert "nothing" in run.fault("d") and "d.sql:1" in run.fault("d")
    assert "Python" in run.fault("e")


def test_hostile_names_reach_no_other_folder(tmp_path: Path, spark) -> None:
    names = ["../out", "a b", "x`y", "drop table t; --", "sales.daily", "Ünïcode"]
    nodes = {
        f"n{at}.yml": f"kind: sql\nname: {name!r}\nmaterialized: table\n"
        for at, name in enumerate(names)
    }
    nodes |= {f"n{at}.sql": f"select {at} as `a``b.c`, 1 as `x y`" for at in range(len(names))}
    run = Run(project(tmp_path / "p", nodes), spark)
    assert run["sales.daily"].status == "ok"
    assert run["sales.daily"].agreement.agrees
    assert "[INVALID_SCHEMA_OR_RELATION_NAME]" in run.fault("a b")
    assert {path.name for path in tmp_path.iterdir()} == {"p"}
    assert {path.name for path in (tmp_path / "p").iterdir()} == {".lineal", "nodes", "lineal.yml"}


# -- seeds -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("csv", "faults"),
    [
        (
            "id,customer,amount,status\n1,2,3.00\n2,3,1,x\n3,4,5,6,7\n",
            ["2:1: the line has 3 values, the header 4", "4:1:"],
        ),
        ("id,customer,amount,status\none,2,3,x\n", ["2:1: id: 'one' is not of type INT"]),
        (
            "id,customer,amount,status\n1,99999999999,3,x\n",
            ["2:1: customer: '99999999999' is not of type INT"],
        ),
        (
            'id,customer,amount,status\n1,2,3,"a\nb"\n2,2,3.125,x\n',
            ["4:1: amount: '3.125' is not of type DECIMAL(10, 2)"],
        ),
        ("id,customer,amount\n1,2,3\n", ["1:1: the header lacks status"]),
        ("id,customer,amount,status,id\n", ["1:1: the column id appears twice"]),
        ('id,customer,amount,status\n1,2,3,"x\n', ["2:1: not valid CSV"]),
        ("", ["1:1: there is no header line"]),
    ],
)
def test_a_seed_that_does_not_fit_says_its_line(
    tmp_path: Path, spark, csv: str, faults: list[str]
) -> None:
    run = Run(shop(tmp_path, orders_csv=csv), spark, check=False)
    assert run.status == {"orders": "failed", "paid": "skipped", "totals": "skipped"}
    said = [str(fault) for fault in run["orders"].faults]
    assert len(said) == len(faults)
    for text, start in zip(said, faults, strict=True):
        assert text.startswith(f"{tmp_path}/nodes/orders/orders.csv:{start}")


def test_many_bad_lines_are_counted(tmp_path: Path, spark) -> None:
    csv = ORDERS + "x,1,1,x\n" * 10
    run = Run(shop(tmp_path, orders_csv=csv), spark, check=False)
    assert [fault.place.line for fault in run["orders"].faults if fault.place] == [5, 6, 7, 1]
    assert "and 7 more values of id" in str(run["orders"].faults[-1])


def test_a_seed_without_types_gets_those_that_fit(tmp_path: Path, spark) -> None:
    csv = "n,x,d,code,flag,empty,Größe;x\n1,1.5,2024-01-31,007,true,,a\n,2,2024-02-01,12,false,,\n"
    nodes = {
        "s.csv": csv,
        "s.yml": "kind: seed\n",
        "t.sql": "select * from s",
        "t.yml": "kind: sql\nmaterialized: table\n",
    }
    run = Run(project(tmp_path, nodes), spark)
    assert run.summary.green
    (folder,) = (tmp_path / ".lineal/warehouse/t").iterdir()
    kinds = [kind for _, kind in spark.read.parquet(str(folder)).dtypes]
    assert kinds == ["bigint", "double", "date", "string", "boolean", "string", "string"]


# -- tests -----------------------------------------------------------------------------------------

TESTED = """\
kind: sql
materialized: table
columns:
  - {name: id, tests: [unique, not_null, positive]}
  - {name: customer, tests: [not_null, {relationships: {to: customers, field: id}}]}
  - {name: status, tests: [{accepted_values: {values: [paid, open]}}]}
  - {name: amount, tests: [uniqe, {min_value: 1}]}
  - {name: gone, tests: [not_null]}
"""


def test_failed_tests_are_listed_with_counts_and_examples(tmp_path: Path, spark) -> None:
    bad = (
        "id,customer,amount,status\n1,10,5.00,paid\n1,20,7.50,open\n-3,,0.25,lost\n4,30,2.00,paid\n"
    )
    nodes = {
        "raw.csv": bad,
        "raw.yml": ORDERS_YML,
        "customers.sql": "select 10 as id union all select 20",
        "orders.sql": "select * from raw",
        "orders.yml": TESTED,
        "after.sql": "select * from orders",
    }
    run = Run(project(tmp_path, nodes), spark)
    assert run.status == {"raw": "ok", "customers": "ok", "orders": "failed", "after": "skipped"}
    found = {(test.column, test.name): test for test in run["orders"].tests}
    said = {key: (test.status, test.failures, test.examples) for key, test in found.items()}
    assert said["id", "unique"] == ("failed", 1, ("1 (2 times)",))
    assert said["id", "not_null"] == ("passed", 0, ())
    assert said["id", "positive"] == ("failed", 1, ("-3",))
    assert said["customer", "not_null"] == ("failed", 1, ())
    assert said["customer", "relationships"] == ("failed", 1, ("30",))
    assert said["status", "accepted_values"] == ("failed", 1, ("lost",))
    assert said["amount", "min_value"] == ("failed", 1, ("0.25",))
    assert found["amount", "uniqe"].message == "there is no such test; did you mean unique?"
    assert found["gone", "not_null"].message == "there is no such column"
    assert found["id", "unique"].place is not None and found["id", "unique"].place.line == 4


def test_tests_of_two_models_run_when_both_are_built(tmp_path: Path, spark) -> None:
    def about(other: str) -> str:
        return f"kind: sql\ncolumns:\n  - {{name: id, tests: [{{relationships: {{to: {other}, field: id}}}}]}}\n"

    nodes = {
        "a.sql": "select 1 as id",
        "a.yml": about("b"),
        "b.sql": "select id from a",
        "b.yml": about("a"),
    }
    run = Run(project(tmp_path, nodes), spark, check=False)
    assert run.summary.green
    assert [test.status for name in "ab" for test in run[name].tests] == ["passed", "passed"]


# -- functions, hooks, other dialects --------------------------------------------------------------


def test_functions_are_registered_before_they_are_called(tmp_path: Path, spark) -> None:
    nodes = {
        "orders.csv": ORDERS,
        "orders.yml": ORDERS_YML,
        "a_view.sql": "select twice(amount) as double from orders",
        "half.yml": "kind: function\narguments: [{name: x, type: DOUBLE}]\nreturns: DOUBLE\n",
        "half.sql": "return x / 2",
        "twice.yml": "kind: function\narguments: [{name: x, type: DOUBLE}]\nreturns: DOUBLE\n",
        "twice.sql": "half(x) * 4",
        "of.yml": "kind: function\nfunction_type: table\narguments: {who: int}\n"
        "returns: {columns: [{name: id, type: int}]}\n",
        "of.sql": "select id\nfrom orders\nwhere customer = who",
        "b_table.sql": "select id from of(10)",
        "b_table.yml": "kind: sql\nmaterialized: table\n",
        "untyped.yml": "kind: function\narguments: [x]\nreturns: int\n",
        "untyped.sql": "x",
        "c.sql": "select untyped(1) as x",
    }
    run = Run(project(tmp_path, nodes), spark)
    assert rows(tmp_path, "b_table", spark) == [(1,), (3,)]
    assert run["a_view"].green and run["b_table"].green
    assert run.status["untyped"] == "failed" and run.status["c"] == "skipped"
    assert "the parameter x has no type" in run.fault("untyped")


def test_hooks_run_around_their_model(tmp_path: Path, spark) -> None:
    hooks = "pre_hook: set lineal.test = on\npost_hook: ['set lineal.test', 'selct 1']\n"
    about = f"kind: sql\nmaterialized: table\n{hooks}"
    run = Run(shop(tmp_path, totals_yml=about), spark)
    assert spark.conf.get("lineal.test") == "on"
    assert run.status["totals"] == "failed"
    assert "totals.yml:4" in run.fault("totals")


def test_another_dialect_is_translated(tmp_path: Path, spark) -> None:
    nodes = {
        "a.sql": "select '7'::int as n, 'x' || 'y' as s",
        "a.yml": "kind: sql\nmaterialized: table\n",
    }
    root = project(tmp_path, nodes)
    (root / "lineal.yml").write_text("name: duck\ndialect: duckdb\n", encoding="utf-8")
    assert Run(root, spark).summary.green
    assert rows(root, "a", spark) == [(7, "xy")]


# -- incremental -----------------------------------------------------------------------------------


def test_an_incremental_model_grows(tmp_path: Path, spark) -> None:
    root = shop(tmp_path, log_sql=NEW_ROWS, log_yml=INCREMENTAL)
    first = Run(root, spark)
    assert first.summary.green and first["log"].rows == 3
    (root / "nodes/orders/orders.csv").write_text(
        "id,customer,amount,status\n4,10,9.00,paid\n", encoding="utf-8"
    )
    second = Run(root, spark)
    assert second.summary.green and second["log"].rows == 4
    assert [row[0] for row in rows(root, "log", spark)] == [1, 2, 3, 4]
    assert Run(root, spark, full_refresh=True)["log"].rows == 1


def test_an_incremental_model_with_a_key_replaces_its_rows(tmp_path: Path, spark) -> None:
    root = shop(
        tmp_path, log_sql="select id, amount from orders", log_yml=f"{INCREMENTAL}unique_key: id\n"
    )
    Run(root, spark, check=False)
    (root / "nodes/orders/orders.csv").write_text(
        "id,customer,amount,status\n3,10,9.00,paid\n", encoding="utf-8"
    )
    Run(root, spark, check=False)
    assert rows(root, "log", spark) == [
        (1, Decimal("5.00")),
        (2, Decimal("7.50")),
        (3, Decimal("9.00")),
    ]


def test_an_incremental_model_whose_columns_change_asks_for_a_refresh(
    tmp_path: Path, spark
) -> None:
    root = shop(tmp_path, log_sql="select id, amount from orders", log_yml=INCREMENTAL)
    Run(root, spark, check=False)
    (root / "nodes/log/log.sql").write_text("select id, status from orders", encoding="utf-8")
    run = Run(root, spark, check=False)
    assert (
        "its columns have changed (+status, -amount): rebuild it with --full-refresh"
        in run.fault("log")
    )
    assert len(rows(root, "log", spark)) == 3

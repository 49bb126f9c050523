"""lineal run on projects with Python models: builds, failures and comparisons."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest
from little import ORDERS, ORDERS_YML, Run, project, rows

from lineal.spark.python import process

SEED = {"orders.csv": ORDERS, "orders.yml": ORDERS_YML}
PYTHON = "kind: python\n"
INCREMENTAL = "kind: python\nmaterialized: incremental\n"
MORE = "id,customer,amount,status\n3,10,9.00,paid\n4,30,2.00,open\n"

PAID = """\
from pyspark.sql import functions as F


def model(dbt, session):
    orders = dbt.ref("orders")
    return orders.where(F.col("status") == "paid").select("id", "customer", "amount")
"""


def python(root: Path, models: dict[str, str], head: str = "", **about: str) -> Path:
    """{"paid": code}: a seed `orders` and a Python node for each code; paid="…" is its YAML."""
    nodes = dict(SEED)
    for name, code in models.items():
        nodes[f"{name}.py"] = code
        nodes[f"{name}.yml"] = about.get(name, PYTHON)
    nodes |= {f"{name}.yml": text for name, text in about.items()}
    return project(root, nodes, head)


def body(code: str) -> str:
    """def model(dbt, session) with this body."""
    return "def model(dbt, session):\n" + indent(dedent(code).strip(), "    ") + "\n"


def edit(root: Path, name: str, text: str) -> None:
    (root / "nodes" / Path(name).stem / name).write_text(text, encoding="utf-8")


def log(root: Path, name: str) -> str:
    file = root / ".lineal" / "warehouse" / "logs" / f"{name}.log"
    return file.read_text(encoding="utf-8") if file.exists() else ""


# -- what is built ---------------------------------------------------------------------------------


def test_models_and_sql_build_on_each_other(tmp_path: Path, spark: Any) -> None:
    models = {
        "paid": PAID,
        "ranked": body("""
            paid = session.table("paid")
            paid.createOrReplaceTempView("p")
            return session.sql("select id, rank() over (order by amount desc) as place from p")
        """),
    }
    root = python(tmp_path, models)
    (root / "nodes/last").mkdir()
    edit(root, "last.yml", "kind: sql\nmaterialized: table\n")
    edit(root, "last.sql", "select id from ranked where place = 1")
    run = Run(root, spark)
    assert run.summary.green, run.summary
    assert run.status == {"orders": "ok", "paid": "ok", "ranked": "ok", "last": "ok"}
    assert (run["paid"].kind, run["paid"].rows) == ("table", 2)
    assert rows(root, "ranked", spark) == [(1, 1), (3, 2)]
    assert rows(root, "last", spark) == [(1,)]
    assert [run[name].agreement.static for name in ("paid", "ranked", "last")] == [
        (3, 1),
        (2, 0),
        (1, 1),
    ]
    assert all(
        run[name].agreement.exact == run[name].agreement.static
        for name in ("paid", "ranked", "last")
    )
    assert all(not run[name].agreement.incomparable for name in ("paid", "ranked", "last"))


JOBS = {
    "main": """\
from pyspark.sql import SparkSession


def main():
    spark = SparkSession.builder.appName("x").config("spark.sql.shuffle.partitions", "1").getOrCreate()
    df = spark.table("orders").select("id")
    df.write.mode("overwrite").saveAsTable("main")
    spark.stop()


if __name__ == "__main__":
    import sys

    sys.exit(main())
""",
    "by_sql": "def run(spark):\n    spark.sql('create table by_sql as select id from orders')\n",
    "returned": "def run(spark):\n    return spark.table('orders').select('id')\n",
    "viewed": "spark.table('orders').select('id').createOrReplaceTempView('viewed')\n",
    "as_json": "spark.table('orders').select('id').write.format('json').saveAsTable('as_json')\n",
    "by_context": """\
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

sc = SparkContext(conf=SparkConf().setAppName("x"))
with SparkSession(sc) as spark:
    spark.table("orders").select("id").write.saveAsTable("by_context")
""",
    "by_arguments": """\
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=9)
args = parser.parse_args()
spark.table("orders").limit(args.rows).select("id").write.saveAsTable("by_arguments")
""",
    "in_a_class": """\
from pyspark.sql import SparkSession


class Job:
    target = "in_a_class"

    def __init__(self):
        self.spark = SparkSession.builder.getOrCreate()

    def run(self):
        self.spark.read.table("orders").select("id").write.saveAsTable(self.target)


Job().run()
""",
}


def test_jobs_write_their_own_name(tmp_path: Path, spark: Any) -> None:
    before = {database.name for database in spark.catalog.listDatabases()}
    root = python(tmp_path, {**JOBS, "after": body('return dbt.ref("main")')})
    run = Run(root, spark)
    assert run.summary.green, run.summary
    for name in (*JOBS, "after"):
        assert rows(root, name, spark) == [(1,), (2,), (3,)]
        assert run[name].agreement.static == run[name].agreement.exact == (1, 0)
    assert {database.name for database in spark.catalog.listDatabases()} == before
    assert [table.name for table in spark.catalog.listTables()] == []


def test_a_model_gets_the_settings_of_dbt(tmp_path: Path, spark: Any) -> None:
    code = body("""
        dbt.config(materialized="table", tags=["x"])
        told = [dbt.config.get("keep"), dbt.config.get("no", 1), dbt.config.get("materialized"), dbt.var("day"),
                dbt.var("no", "none"), dbt.this.identifier, bool(dbt.is_incremental), dbt.is_incremental(),
                dbt.config.get("tags"), dbt.config.get("meta")]
        print(repr(told))
        return dbt.source("shop", "orders").select(*dbt.config.get("keep"))
    """)
    about = "kind: python\nmeta: {owner: me}\nconfig: {keep: [id, status]}\n"
    root = python(tmp_path, {"m": code}, "vars: {day: 2024-01-01}\n", m=about)
    run = Run(root, spark)
    assert run.summary.green, run.summary
    told = "[['id', 'status'], 1, 'table', '2024-01-01', 'none', 'm', False, False, ['x'], {'owner': 'me'}]\n"
    assert log(root, "m") == told
    assert run["m"].agreement.static == (2, 0)


def test_a_view_of_python_is_a_table_with_a_note(tmp_path: Path, spark: Any) -> None:
    run = Run(python(tmp_path, {"paid": PAID}, paid="kind: python\nmaterialized: view\n"), spark)
    assert run["paid"].kind == "table" and "built as a table" in run["paid"].notes[0]


def test_tests_and_hooks_of_a_python_model(tmp_path: Path, spark: Any) -> None:
    about = """\
kind: python
pre_hook: set lineal.python = before
columns:
  - {name: id, tests: [unique, not_null]}
  - {name: customer, tests: [unique]}
"""
    code = body('print(session.conf.get("lineal.python"))\nreturn dbt.ref("orders")')
    root = python(tmp_path, {"m": code, "after": body('return dbt.ref("m")')}, m=about)
    run = Run(root, spark)
    assert run.status == {"orders": "ok", "m": "failed", "after": "skipped"}
    assert [test.status for test in run["m"].tests] == ["passed", "passed", "failed"]
    assert log(root, "m") == "before\n"


def test_functions_of_the_project_and_of_the_model(tmp_path: Path, spark: Any) -> None:
    """A SQL function of the project, a UDF of the model, and one of a module, which no worker could
    import.
    """
    code = """\
from pyspark.sql import functions as F

from texts import shout

OFFSET = 1


@F.udf("int")
def more(x):
    return x + OFFSET


def model(dbt, session):
    df = session.sql("select id, half(amount) as h, status from orders")
    return df.select(more("id").alias("n"), "h", shout("status").alias("s"))
"""
    module = "from pyspark.sql import functions as F\n\nMARK = '!'\n\n\n"
    module += "def loud(text):\n    return text.upper() + MARK\n\n\n"
    root = python(
        tmp_path, {"m": code}, half="kind: function\narguments: {x: DOUBLE}\nreturns: DOUBLE\n"
    )
    edit(root, "half.sql", "x / 2")
    (root / "modules").mkdir()
    (root / "modules/texts.py").write_text(module + "shout = F.udf(loud)\n", encoding="utf-8")
    run = Run(root, spark)
    assert run.summary.green, run.summary
    assert rows(root, "m", spark) == [(2, 2.5, "PAID!"), (3, 3.75, "OPEN!"), (4, 0.625, "PAID!")]
    assert run["m"].agreement.static == (3, 0)


def test_modules_of_one_name_and_nothing_left_behind(tmp_path: Path, spark: Any) -> None:
    code = "from own import COLUMN\n\n\n" + body('return dbt.ref("orders").select(COLUMN)')
    root = python(tmp_path, {"a": code, "b": code})
    edit(root, "a.py", code)
    for name, column in (("a", "id"), ("b", "status")):
        (root / "nodes" / name / "own.py").write_text(f'COLUMN = "{column}"\n', encoding="utf-8")
    path = list(sys.path)
    run = Run(root, spark)
    assert run.summary.green, run.summary
    assert rows(root, "b", spark) == [("open",), ("paid",), ("paid",)]
    files = [str(getattr(module, "__file__", "")) for module in list(sys.modules.values())]
    assert [file for file in files if file.startswith(str(root))] == []
    assert sys.path == path
    assert not list(root.rglob("__pycache__"))


# -- incremental -----------------------------------------------------------------------------------

NEW = body("""
    df = dbt.ref("orders").select("id", "amount")
    if dbt.is_incremental:
        df = df.where(f"id > (select max(id) from {dbt.this})")
    return df
""")


def test_an_incremental_model_goes_both_ways(tmp_path: Path, spark: Any) -> None:
    root = python(tmp_path, {"m": NEW}, m=INCREMENTAL)
    first = Run(root, spark)
    assert first.summary.green and first["m"].agreement.static == (2, 0)
    edit(root, "orders.csv", MORE)
    second = Run(root, spark)
    assert second.summary.green, second.summary
    assert second["m"].agreement.static == second["m"].agreement.exact == (2, 1)
    assert [row[0] for row in rows(root, "m", spark)] == [1, 2, 3, 4]
    assert Run(root, spark, full_refresh=True)["m"].rows == 2


def test_an_incremental_model_with_a_key_replaces_its_rows(tmp_path: Path, spark: Any) -> None:
    code = body(
        'dbt.config(materialized="incremental", unique_key="id")\nreturn dbt.ref("orders").select("id", "amount")'
    )
    root = python(tmp_path, {"m": code})
    assert Run(root, spark)["m"].kind == "incremental"
    edit(root, "orders.csv", MORE)
    assert Run(root, spark).summary.green
    assert rows(root, "m", spark) == [
        (1, Decimal("5.00")),
        (2, Decimal("7.50")),
        (3, Decimal("9.00")),
        (4, Decimal("2.00")),
    ]


KEYED = f"{INCREMENTAL}unique_key: id\n"
GROWING = {
    "append": ("df.write.mode('append').saveAsTable('append')", INCREMENTAL, [1, 2, 3, 3, 4]),
    "keyed": ("df.write.mode('append').saveAsTable('keyed')", KEYED, [1, 2, 3, 4]),
    "replace": ("df.write.mode('overwrite').saveAsTable('replace')", INCREMENTAL, [3, 4]),
    "afresh": ("df.write.mode('append').saveAsTable('afresh')", PYTHON, [3, 4]),
    "insert": (
        "df.write.insertInto('insert') if spark.catalog.tableExists('insert') else df.write.saveAsTable('insert')",
        INCREMENTAL,
        [1, 2, 3, 3, 4],
    ),
    "given": ("return df", KEYED, [1, 2, 3, 4]),
}
"""How a job writes, what its YAML says, and what is there after a second run."""


def test_incremental_jobs(tmp_path: Path, spark: Any) -> None:
    code = "def run(spark):\n    df = spark.table('orders').select('id')\n    {}\n"
    models = {name: code.format(write) for name, (write, _, _) in GROWING.items()}
    root = python(tmp_path, models, **{name: about for name, (_, about, _) in GROWING.items()})
    assert Run(root, spark).summary.green
    edit(root, "orders.csv", MORE)
    run = Run(root, spark)
    assert run.summary.green, run.summary
    for name, (_, _, found) in GROWING.items():
        assert [row[0] for row in rows(root, name, spark)] == found, name


# -- what fails ------------------------------------------------------------------------------------

DEEP = """\
from pyspark.sql import functions as F


@F.udf("int")
def broken(x):
    return 1 // (x - 1)


def model(dbt, session):
    return dbt.ref("orders").select(broken("id").alias("n"))
"""


FAULTS = [
    (body("x = 1\nraise ValueError('no luck\\nat all')"), 3, "ValueError: no luck"),
    (body("return 7"), 1, "model() returned a value of the type int, but must return a DataFrame"),
    (body("dbt.ref('orders')"), 1, "model() returned nothing, but must return a DataFrame"),
    (body("import sys\nsys.exit('enough')"), 3, "it called sys.exit('enough')"),
    (body("import sys\nsys.exit(0)"), 3, "it called sys.exit(0)"),
    (body("import os\nos._exit(3)"), 1, "its process ended with the exit code 3"),
    (body("import os\nos.kill(os.getpid(), 9)"), 1, "its process was killed by the signal SIGKILL"),
    (body("x = 1\nreturn dbt.ref('order')"), 3, "dbt.ref('order'): there is no table order"),
    (body("return session.table('nowhere')"), 2, "[TABLE_OR_VIEW_NOT_FOUND]"),
    (body("return dbt.ref('orders').select('ident')"), 2, "[UNRESOLVED_COLUMN"),
    (body("return dbt.ref('orders'"), 2, "SyntaxError: "),
    (body("return session.sql('select 1 / 0 as x')"), 2, "[DIVIDE_BY_ZERO]"),
    (body("df = dbt.ref('orders')\nreturn df.select(df.id / (df.id - 1))"), 3, "[DIVIDE_BY_ZERO]"),
    (DEEP, 6, "ZeroDivisionError: integer division or modulo by zero"),
    ("import nothing_of_this_name\n" + body("return dbt.ref('orders')"), 1, "ModuleNotFoundError: "),
    ("def run(spark):\n    spark.table('orders').count()\n", 1, "it has ended and has not written m"),
    ("import sys\nspark.table('orders')\nsys.exit(4)\n", 3, "it called sys.exit(4)"),
    (body("dbt.ref('orders').write.saveAsTable('extra')\nreturn dbt.ref('orders')"), 1, "it also writes extra"),
    ("spark.table('orders').write.saveAsTable('m')\nspark.sql('create table t as select 1 as x')\n", 1, "it also"),
]  # fmt: skip


def test_failed_models_say_where_and_stop_only_what_needs_them(tmp_path: Path, spark: Any) -> None:
    models = {f"m{at}": code for at, (code, _, _) in enumerate(FAULTS)}
    more = {"after": body("return dbt.ref('m0')"), "beside": body("return dbt.ref('orders')")}
    root = python(tmp_path, {**models, **more})
    run = Run(root, spark)
    assert run.status == {
        "orders": "ok",
        **dict.fromkeys(models, "failed"),
        "after": "skipped",
        "beside": "ok",
    }
    assert run["after"].because == "m0"
    for at, (_, line, message) in enumerate(FAULTS):
        place, _, said = run.fault(f"m{at}").partition(": ")
        assert (place.rpartition(":")[0], said[: len(message)]) == (
            f"{root}/nodes/m{at}/m{at}.py:{line}",
            message,
        )
        assert "\n" not in said


def test_the_warehouse_keeps_the_last_good_version_and_resume_continues(
    tmp_path: Path, spark: Any
) -> None:
    good = "def run(spark):\n    spark.table('orders').select('id').write.mode('overwrite').saveAsTable('m')\n"
    root = python(tmp_path, {"m": good, "n": PAID, "after": body("return dbt.ref('m')")})
    assert Run(root, spark).summary.green
    before = rows(root, "m", spark)
    edit(root, "m.py", good + "    raise RuntimeError('half-way')\n")
    edit(
        root,
        "n.py",
        PAID.replace('"customer", ', "").replace('"id"', '(1 / (F.col("id") - 1)).alias("id")'),
    )
    failed = Run(root, spark)
    assert failed.status == {"orders": "ok", "m": "failed", "n": "failed", "after": "skipped"}
    assert failed.fault("m").startswith(f"{root}/nodes/m/m.py:3:5: RuntimeError: half-way")
    assert failed.fault("n").startswith(f"{root}/nodes/n/n.py:6")
    assert rows(root, "m", spark) == before
    assert Run(root, spark, select=("after",)).summary.green
    edit(root, "m.py", good)
    edit(root, "n.py", PAID)
    again = Run(root, spark, resume=True)
    assert again.summary.green
    assert again.status == {"orders": "kept", "m": "ok", "n": "ok", "after": "ok"}
    assert set(Run(root, spark, resume=True).status.values()) == {"kept"}


def test_resume_builds_again_what_imports_something_new(tmp_path: Path, spark: Any) -> None:
    code = "from own import COLUMN\n\n\n" + body('return dbt.ref("orders").select(COLUMN)')
    root = python(tmp_path, {"a": code, "b": PAID})
    (root / "nodes/a/own.py").write_text('COLUMN = "id"\n', encoding="utf-8")
    Run(root, spark)
    (root / "nodes/a/own.py").write_text('COLUMN = "status"\n', encoding="utf-8")
    assert Run(root, spark, resume=True).status == {"orders": "kept", "a": "ok", "b": "kept"}


ENDLESS = [
    body("import time\nwhile True:\n    time.sleep(0.1)"),
    body("while True:\n    pass"),
    body("""
        from pyspark.sql import functions as F
        def slow(x):
            import time
            time.sleep(600)
            return x
        return dbt.ref("orders").select(F.udf(slow, "int")("id").alias("n"))
    """),
    """\
import subprocess
import subprocess
import sys
subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"])
spark.table("orders").write.saveAsTable("m3")
""",
]


def test_models_that_never_end_are_stopped(tmp_path: Path, spark: Any) -> None:
    models = {f"m{at}": code for at, code in enumerate(ENDLESS)}
    more = {"after": body("return dbt.ref('m0')"), "beside": PAID}
    about = dict.fromkeys(models, "kind: python\ntimeout: 6\n")
    root = python(tmp_path, {**models, **more}, **about)
    began = time.monotonic()
    run = Run(root, spark)
    assert time.monotonic() - began < 120
    assert run.status == {
        "orders": "ok",
        **dict.fromkeys(models, "failed"),
        "after": "skipped",
        "beside": "ok",
    }
    for name in models:
        assert run.fault(name).startswith(
            f"{root}/nodes/{name}/{name}.py:1:1: it has not ended within 6 seconds"
        )
    assert spark.range(3).count() == 3
    assert not process.RUNNING


def test_output_goes_to_the_log_and_is_limited(
    tmp_path: Path, spark: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(process, "LOG_LIMIT", 100_000)
    loud = body("""
        import os, sys, warnings
        warnings.warn("old")
        os.write(1, b"straight\\n")
        print("to the error stream", file=sys.stderr)
        print("a line of output\\n" * 1_000_000)
        return dbt.ref("orders")
    """)
    root = python(tmp_path, {"m": loud, "quiet": PAID})
    assert Run(root, spark).summary.green
    said = log(root, "m")
    assert "UserWarning: old" in said and "straight" in said and "to the error stream" in said
    assert 100_000 <= len(said) < 100_200 and "only 100,000 bytes of it are kept" in said
    assert not log(root, "quiet")
    assert capfd.readouterr() == ("", "")


def test_a_model_cannot_stop_the_spark_of_the_others(tmp_path: Path, spark: Any) -> None:
    stops = "df = dbt.ref('orders')\nsession.stop()\nsession.sparkContext.stop()\nreturn df"
    models = {"a": body(stops), "b": PAID, "c": body("return dbt.ref('a')")}
    assert Run(python(tmp_path, models), spark).summary.green


# -- what is compared ------------------------------------------------------------------------------


def test_columns_that_only_a_run_knows_are_not_comparable(tmp_path: Path, spark: Any) -> None:
    code = """\
import os

from pyspark.sql import functions as F


def model(dbt, session):
    df = dbt.ref("orders")
    names = [row[0] for row in session.sql("select 'amount' as c").collect()]
    return df.select("id", *names).withColumn("extra", F.expr(os.environ.get("NO_SUCH_RULE", "id + amount")))
"""
    run = Run(python(tmp_path, {"m": code}), spark)
    assert run.summary.green, run.summary
    assert run["m"].agreement.incomparable == ("m.amount", "m.extra")
    assert run["m"].agreement.static[0] < run["m"].agreement.exact[0]


def test_a_branch_that_only_a_run_decides_is_not_comparable(tmp_path: Path, spark: Any) -> None:
    code = body("""
        df = dbt.ref("orders").select("id", "amount", "status")
        if df.count() > 100:
            df = df.where("status = 'paid'")
        return df.drop("status")
    """)
    run = Run(python(tmp_path, {"m": code}), spark)
    assert run.summary.green, run.summary
    assert run["m"].agreement.incomparable == ("m",)


def test_a_difference_fails_the_run(tmp_path: Path, spark: Any) -> None:
    """What the text says is not what runs: nobody can read that."""
    code = (
        'import sys\n\nCOLUMN = "id"\nvars(sys.modules[__name__]).update({"COL" + "UMN": "amount"})\n\n\n'
        + body('return dbt.ref("orders").select(COLUMN)')
    )
    run = Run(python(tmp_path, {"m": code}), spark)
    assert not run.summary.green and run["m"].status == "ok"
    assert [str(each) for each in run["m"].agreement.disagreements] == [
        "orders.amount -> m.amount  IDENTITY  (only in catalyst)",
        "orders.id -> m.id  IDENTITY  (only in static)",
    ]


def test_checkpoints_and_caches_keep_their_sources(tmp_path: Path, spark: Any) -> None:
    code = body("""
        df = dbt.ref("orders").select("id", "amount").cache()
        df.count()
        df = df.localCheckpoint().groupBy("id").sum("amount")
        return df.withColumnRenamed("sum(amount)", "total")
    """)
    run = Run(python(tmp_path, {"m": code}), spark)
    assert run.summary.green, run.summary
    assert run["m"].agreement.static == run["m"].agreement.exact == (2, 0)


# -- nodes that are not run ------------------------------------------------------------------------


def test_other_python_is_not_run(tmp_path: Path, spark: Any) -> None:
    about = "kind: python\ndepends_on: [orders]\ncolumns: [{name: x}]\n"
    mark = tmp_path / "mark"
    models = {
        "other": f"open({str(mark)!r}, 'w')\n",
        "after": body("return dbt.ref('other')"),
        "beside": PAID,
    }
    run = Run(python(tmp_path, models, other=about), spark)
    assert run.status == {"orders": "ok", "other": "external", "after": "skipped", "beside": "ok"}
    assert (run["after"].because, run["after"].lacks) == (
        "other",
        "is not in the warehouse, and lineal run does not execute it",
    )
    assert "does not execute" in run["other"].notes[0]
    assert not mark.exists()
    assert not run.summary.green
    alone = python(tmp_path / "alone", {"other": "print(1)\n"}, other=about)
    assert Run(alone, spark).summary.green


def test_columns_select_python_models(tmp_path: Path, spark: Any) -> None:
    models = {"paid": PAID, "ids": body("return dbt.ref('orders').select('id')")}
    root = python(tmp_path, models)
    Run(root, spark, check=False)
    run = Run(root, spark, select=("orders.amount+",), check=False)
    assert list(run.outcomes) == ["orders", "paid"]


def test_the_state_remembers_comparisons(tmp_path: Path, spark: Any) -> None:
    root = python(tmp_path, {"paid": PAID})
    Run(root, spark)
    state = json.loads((root / ".lineal/warehouse/state.json").read_text(encoding="utf-8"))
    assert state["entries"]["paid"]["memory"]["agreement"]["static"] == [3, 1]
    assert Run(root, spark, resume=True)["paid"].agreement.agrees


def test_tables_of_another_catalog(tmp_path: Path, spark: Any) -> None:
    """Names mean there what they mean: a job writes its table where it belongs, a model's is saved
    as a table.
    """
    conf = {"spark.sql.catalogImplementation": "in-memory"}
    job = "def run(spark):\n    spark.table('paid').select('id').write.mode('overwrite').saveAsTable('job')\n"
    root = python(tmp_path, {"paid": PAID, "job": job, "log": NEW}, log=INCREMENTAL)
    try:
        first = Run(root, spark, conf=conf)
        assert first.summary.green, first.summary
        edit(root, "orders.csv", MORE)
        second = Run(root, spark, conf=conf)
        assert second.summary.green, second.summary
        assert sorted(row[0] for row in spark.table("log").collect()) == [1, 2, 3, 4]
        assert [row[0] for row in spark.table("job").collect()] == [3]
        assert second["job"].agreement.static == second["job"].agreement.exact == (1, 0)
    finally:
        for name in ("orders", "paid", "job", "log"):
            spark.sql(f"DROP TABLE IF EXISTS {name}")


def test_a_run_that_is_killed_leaves_no_process(tmp_path: Path, spark: Any) -> None:
    """Nor does a model leave the processes that it has started."""
    mark = f"lineal_{tmp_path.name}"
    code = body(f"""
        import subprocess, sys, time
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)  # {mark}"])
        print("begun")
        time.sleep(600)
    """)
    root = python(tmp_path, {"m": code})
    command = [
        sys.executable,
        "-m",
        "lineal",
        "run",
        str(root),
        "--conf",
        "spark.sql.shuffle.partitions=1",
    ]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: "begun" in log(root, "m"), 120)
        assert found_processes(mark)
    finally:
        run.kill()
        run.wait()
    wait_until(lambda: not found_processes(mark), 60)


def wait_until(ready: Any, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def found_processes(mark: str) -> list[str]:
    listed = subprocess.run(
        ["ps", "-ewwo", "args"], capture_output=True, text=True, check=True
    ).stdout
    return [line for line in listed.splitlines() if mark in line]

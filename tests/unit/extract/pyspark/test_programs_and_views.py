"""Programs together with SQL: a view tells its columns, whichever file writes the tables below it."""

from __future__ import annotations

from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script

WRITER = 'spark.table("raw.orders").select("order_id", "amount").write.saveAsTable("mart.paid")\n'
VIEW = "CREATE VIEW mart.v AS SELECT * FROM mart.paid;"
READER = """
from pyspark.sql import functions as F
v = spark.table("mart.v")
v.select(*[F.col(c).alias("p_" + c) for c in v.columns]).write.saveAsTable("mart.renamed")
"""


def edges_of(*scripts: Script) -> set[str]:
    return {str(edge) for edge in extract(Corpus("spark", list(scripts))).edges}


def test_a_view_over_a_table_that_another_program_writes_has_its_columns():
    scripts = [
        Script(READER, "python", "a.py"),
        Script(VIEW, "spark", "v.sql"),
        Script(WRITER, "python", "w.py"),
    ]
    for order in (scripts, scripts[::-1]):
        assert edges_of(*order) == {
            "raw.orders.order_id -> mart.paid.order_id  IDENTITY",
            "raw.orders.amount -> mart.paid.amount  IDENTITY",
            "mart.paid.order_id -> mart.v.order_id  IDENTITY",
            "mart.paid.amount -> mart.v.amount  IDENTITY",
            "mart.v.order_id -> mart.renamed.p_order_id  IDENTITY",
            "mart.v.amount -> mart.renamed.p_amount  IDENTITY",
        }


def test_tables_written_elsewhere_stay_open():
    assert "mart.paid.* -> mart.v.*  IDENTITY" in edges_of(
        Script(VIEW, "spark", "v.sql"), Script(READER, "python", "a.py")
    )

"""SQL texts of a program know the statements before them:
variables, functions, views and existing tables.
"""

from __future__ import annotations

import pytest

from lineal.incremental.extraction import extract
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Script

SCHEMA = [
    DatasetInfo(
        Dataset("", "t"), "table", [ColumnInfo(name) for name in ("id", "a", "b")], complete=True
    ),
    DatasetInfo(
        Dataset("", "p"),
        "table",
        [ColumnInfo(name) for name in ("x", "y", "store", "day")],
        complete=True,
    ),
]

PROGRAMS = {
    "a partition that is given takes no column of the query": (
        """spark.sql("INSERT INTO p PARTITION (store = 's9', day) SELECT id, a, b FROM t")""",
        {"t.id -> p.x  IDENTITY", "t.a -> p.y  IDENTITY", "t.b -> p.day  IDENTITY"},
    ),
    "the names of a view's columns stand before its query": (
        """
spark.sql("CREATE VIEW v (k, n) AS SELECT a, count(b) FROM t GROUP BY a")
spark.sql("CREATE TEMP VIEW w (l) AS SELECT n FROM v")
spark.sql("SELECT * FROM w").write.saveAsTable("out")
""",
        {
            "t.a -> v.k  IDENTITY",
            "t.b -> v.n  AGGREGATION",
            "t.a => v  GROUP_BY",
            "v.n -> out.l  IDENTITY",
        },
    ),
    "what spares what is there writes nothing": (
        """
spark.sql("CREATE TABLE k AS SELECT a FROM t")
spark.sql("CREATE TABLE IF NOT EXISTS k AS SELECT b FROM t")
spark.table("t").select("id").write.mode("ignore").saveAsTable("k")
spark.table("t").select("id").write.mode("ignore").saveAsTable("new")
""",
        {"t.a -> k.a  IDENTITY", "t.id -> new.id  IDENTITY"},
    ),
    "what was dropped, or made in a branch, may be made anew": (
        """
import sys
spark.sql("CREATE TABLE k AS SELECT a FROM t")
spark.sql("DROP TABLE k")
spark.sql("CREATE TABLE IF NOT EXISTS k AS SELECT b FROM t")
if sys.argv[1:]:
    spark.sql("CREATE TABLE m AS SELECT a FROM t")
spark.sql("CREATE TABLE IF NOT EXISTS m AS SELECT a FROM t")
""",
        {"t.b -> k.b  IDENTITY", "t.a -> m.a  IDENTITY"},
    ),
    "a parameter may be a name": (
        """
spark.sql("CREATE TABLE IDENTIFIER(:to) AS SELECT a FROM IDENTIFIER(:of)", args={"to": "k", "of": "t"})
spark.sql("INSERT INTO IDENTIFIER(:db || '.k') SELECT b FROM t", args={"db": "x", "of": "t"})
spark.sql("INSERT INTO IDENTIFIER(?) SELECT b FROM t WHERE id = ?", ["k", 1])
""",
        {
            "t.a -> k.a  IDENTITY",
            "t.b -> k.a  IDENTITY",
            "t.id => k  FILTER",
            "t.b -> x.k.b  IDENTITY",
        },
    ),
    "a variable is the query that filled it": (
        """
spark.sql("DECLARE OR REPLACE VARIABLE most DOUBLE DEFAULT 0")
spark.sql("SET VAR most = (SELECT max(a) FROM t)")
spark.sql("SELECT b, most - b AS less FROM t WHERE id < most").write.saveAsTable("k")
""",
        {
            "t.b -> k.b  IDENTITY",
            "t.b -> k.less  TRANSFORMATION",
            "t.a -> k.less  AGGREGATION",
            "t.id => k  FILTER",
            "t.a => k  FILTER",
        },
    ),
    "a stream in memory is a view, and a function of a stream no target": (
        """
s = spark.readStream.table("t")
s.select("a").writeStream.format("memory").queryName("seen").start()
s.writeStream.foreach(print).start()
spark.table("seen").write.saveAsTable("k")
""",
        {"t.a -> k.a  IDENTITY"},
    ),
    "a format gives its own columns to what another has written": (
        """
spark.table("t").write.csv("/out/t")
spark.read.text("/out/t").write.saveAsTable("k")
spark.read.format("binaryFile").load("/out/t").select("path").write.saveAsTable("m")
""",
        {
            *(f"t.{name} -> /out/t.{name}  IDENTITY" for name in ("id", "a", "b")),
            "/out/t.value -> k.value  IDENTITY",
            "/out/t.path -> m.path  IDENTITY",
        },
    ),
    "a script has variables of its own": (
        """
spark.sql('''BEGIN
  DECLARE least INT DEFAULT 2;
  CREATE TABLE k AS SELECT a FROM t WHERE b > least;
END''')
""",
        {"t.a -> k.a  IDENTITY", "t.b => k  FILTER"},
    ),
    "a function is what its body says, and no more": (
        """
spark.sql("CREATE FUNCTION taxed(x DOUBLE, unused DOUBLE) RETURNS DOUBLE RETURN x * 0.19")
spark.sql("SELECT taxed(a, b) AS n FROM t").write.saveAsTable("k")
""",
        {"t.a -> k.n  TRANSFORMATION"},
    ),
    "a table function is a dataset": (
        """
spark.sql("CREATE FUNCTION some(n INT) RETURNS TABLE (q INT, r INT) RETURN SELECT a, b FROM t WHERE id = n")
spark.sql("SELECT r FROM some(1)").write.saveAsTable("k")
""",
        {
            "t.a -> some.q  IDENTITY",
            "t.b -> some.r  IDENTITY",
            "t.id => some  FILTER",
            "some.r -> k.r  IDENTITY",
        },
    ),
}


@pytest.mark.parametrize("title", PROGRAMS)
def test_a_program_gives_its_edges(title):
    program, edges = PROGRAMS[title]
    found = extract(Corpus("spark", [Script(program, "python", "job.py")], SCHEMA))
    shown = {
        str(edge).replace("IDENTITY, TRANSFORMATION", "TRANSFORMATION") for edge in found.edges
    }
    assert shown == edges
    assert not found.diagnostics

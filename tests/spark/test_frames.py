"""DataFrame programs, run for real: the edges of their analyzed plans are those that the meaning
page asks for.
"""

from __future__ import annotations

import pytest

from lineal.model.way import Confidence
from lineal.spark import lineage

WHOLE_T = ["t.a -> query.a IDENTITY", "t.b -> query.b IDENTITY", "t.c -> query.c IDENTITY"]


def udf(spark, t, s, F, W):
    upper = F.udf(lambda text: text, "string", useArrow=False)
    return t.select(upper("b").alias("u"), F.sha2("b", 256).alias("h"))


def self_join_by_alias(spark, t, s, F, W):
    joined = t.alias("x").join(t.alias("y"), F.col("x.a") == F.col("y.c"))
    return joined.select("x.b", F.col("y.b").alias("b2"))


def columns_by_identity(spark, t, s, F, W):
    return t.join(s, t.a == s.a, "left").where(s.d > 1).select(t.b, s.d)


def drop_duplicates(spark, t, s, F, W):
    return t.dropDuplicates(["a"])


def fill_and_drop(spark, t, s, F, W):
    return t.fillna({"b": "x"}).na.drop(subset=["c"])


def shortcuts(spark, t, s, F, W):
    return t.groupBy("b").agg({"c": "max", "a": "count"})


def pivot(spark, t, s, F, W):
    return t.groupBy("a").pivot("b", ["x", "y"]).sum("c")


def union_by_name(spark, t, s, F, W):
    return t.unionByName(s, allowMissingColumns=True)


def unpivot(spark, t, s, F, W):
    return t.unpivot(["b"], ["a", "c"], "k", "v")


def explode(spark, t, s, F, W):
    return t.select("a", F.explode(F.split("b", ",")).alias("p"))


def explode_a_fixed_number(spark, t, s, F, W):
    return t.select(F.explode(F.array("a", "c")).alias("p"))


def latest_per_key(spark, t, s, F, W):
    ranked = t.withColumn("r", F.row_number().over(W.partitionBy("b").orderBy(F.desc("c"))))
    return ranked.filter("r = 1").drop("r")


def higher_order(spark, t, s, F, W):
    return t.select(F.transform(F.array("a"), lambda v: v + F.col("c")).alias("x"))


def stack(spark, t, s, F, W):
    return t.selectExpr("stack(2, 'a', a, 'c', c) AS (k, v)")


def rollup(spark, t, s, F, W):
    return t.rollup("a", "b").agg(F.grouping("a").alias("g"), F.sum("c").alias("total"))


def written_and_inserted_casts(spark, t, s, F, W):
    return t.select(
        F.col("a").cast("string").alias("text"), (F.col("a") + F.lit(1.5)).alias("sum")
    ).union(t.select("b", "c"))


def struct_built_and_read(spark, t, s, F, W):
    return t.select(F.struct("a", "b").alias("p"), F.struct("a", "b").getField("b").alias("q"))


def struct_updated(spark, t, s, F, W):
    built = t.select(F.struct("a", "b").alias("p"))
    return built.select(F.col("p").withField("k", F.lit(1)).alias("p")).select("p.k", "p.b")


def frequent_items(spark, t, s, F, W):
    return t.freqItems(["a"])


def random_split(spark, t, s, F, W):
    return t.select("a").randomSplit([0.5, 0.5])[0]


def intersect(spark, t, s, F, W):
    return t.select("a").intersect(s.select("d"))


def except_all(spark, t, s, F, W):
    return t.select("a").exceptAll(s.select("d"))


def limited_and_sorted(spark, t, s, F, W):
    return t.sample(0.5).limit(3).orderBy("c")


def map_in_pandas(spark, t, s, F, W):
    return t.select("a", "b").mapInPandas(lambda batches: batches, "z string")


def apply_in_pandas(spark, t, s, F, W):
    return t.select("a", "b").groupBy("b").applyInPandas(lambda group: group, "n int")


PROGRAMS = {
    udf: ["t.b -> query.u TRANSFORMATION", "t.b -> query.h TRANSFORMATION masked"],
    self_join_by_alias: [
        "t.b -> query.b IDENTITY",
        "t.b -> query.b2 IDENTITY",
        "t.a => query JOIN",
        "t.c => query JOIN",
    ],
    columns_by_identity: [
        "t.b -> query.b IDENTITY",
        "s.d -> query.d IDENTITY",
        "t.a => query JOIN",
        "s.a => query JOIN",
        "s.d => query FILTER",
    ],
    drop_duplicates: [*WHOLE_T, "t.a => query GROUP_BY"],
    fill_and_drop: [
        "t.a -> query.a IDENTITY",
        "t.b -> query.b CONDITIONAL, TRANSFORMATION",
        "t.c -> query.c IDENTITY",
        "t.c => query FILTER",
    ],
    shortcuts: [
        "t.b -> query.b IDENTITY",
        "t.c -> query.max(c) AGGREGATION",
        "t.a -> query.count(a) AGGREGATION masked",
        "t.b => query GROUP_BY",
    ],
    pivot: [
        "t.a -> query.a IDENTITY",
        "t.c -> query.x AGGREGATION",
        "t.b -> query.x CONDITIONAL",
        "t.c -> query.y AGGREGATION",
        "t.b -> query.y CONDITIONAL",
        "t.a => query GROUP_BY",
    ],
    union_by_name: [
        "t.a -> query.a IDENTITY",
        "s.a -> query.a IDENTITY",
        "t.b -> query.b IDENTITY",
        "s.b -> query.b IDENTITY",
        "t.c -> query.c IDENTITY",
        "s.d -> query.d IDENTITY",
    ],
    unpivot: ["t.b -> query.b IDENTITY", "t.a -> query.v IDENTITY", "t.c -> query.v IDENTITY"],
    explode: ["t.a -> query.a IDENTITY", "t.b -> query.p TRANSFORMATION", "t.b => query JOIN"],
    explode_a_fixed_number: ["t.a -> query.p TRANSFORMATION", "t.c -> query.p TRANSFORMATION"],
    latest_per_key: [*WHOLE_T, "t.b => query FILTER", "t.c => query FILTER"],
    higher_order: ["t.a -> query.x TRANSFORMATION", "t.c -> query.x TRANSFORMATION"],
    stack: ["t.a -> query.v IDENTITY", "t.c -> query.v IDENTITY"],
    rollup: [
        "t.a -> query.a IDENTITY",
        "t.b -> query.b IDENTITY",
        "t.a -> query.g CONDITIONAL",
        "t.c -> query.total AGGREGATION",
        "t.a => query GROUP_BY",
        "t.b => query GROUP_BY",
    ],
    written_and_inserted_casts: [
        "t.a -> query.text TRANSFORMATION",
        "t.b -> query.text IDENTITY",
        "t.a -> query.sum TRANSFORMATION",
        "t.c -> query.sum IDENTITY",
    ],
    struct_built_and_read: [
        "t.a -> query.p TRANSFORMATION",
        "t.b -> query.p TRANSFORMATION",
        "t.b -> query.q TRANSFORMATION",
    ],
    struct_updated: ["t.b -> query.b TRANSFORMATION"],
    frequent_items: ["t.a -> query.a_freqItems AGGREGATION"],
    random_split: ["t.a -> query.a IDENTITY"],
    intersect: [
        "t.a -> query.a IDENTITY",
        "s.d -> query.a IDENTITY",
        "t.a => query FILTER",
        "s.d => query FILTER",
    ],
    except_all: ["t.a -> query.a IDENTITY", "t.a => query FILTER", "s.d => query FILTER"],
    limited_and_sorted: [*WHOLE_T, "t.c => query SORT"],
    map_in_pandas: [
        "t.a -> query.z TRANSFORMATION [MEDIUM]",
        "t.b -> query.z TRANSFORMATION [MEDIUM]",
    ],
    apply_in_pandas: [
        "t.a -> query.n TRANSFORMATION [MEDIUM]",
        "t.b -> query.n TRANSFORMATION [MEDIUM]",
        "t.b => query GROUP_BY",
    ],
}


@pytest.fixture(scope="module")
def tables(spark):
    spark.sql("CREATE TABLE t (a INT, b STRING, c INT) USING parquet")
    spark.sql("CREATE TABLE s (a INT, b STRING, d INT) USING parquet")
    yield spark.table("t"), spark.table("s")
    spark.sql("DROP TABLE t")
    spark.sql("DROP TABLE s")


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.__name__ for program in PROGRAMS])
def test_a_dataframe_program(program, spark, tables):
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    assert edges_of(program(spark, *tables, F, Window)) == sorted(PROGRAMS[program])


STATEMENTS = {
    "UPDATE t SET b = upper(b), c = c + 1 WHERE a > 1": [
        "t.b -> t.b TRANSFORMATION",
        "t.a -> t.b FILTER",
        "t.c -> t.c TRANSFORMATION",
        "t.a -> t.c FILTER",
    ],
    "DELETE FROM t WHERE a IN (SELECT a FROM s WHERE d > 1)": [
        "t.a => t FILTER",
        "s.a => t FILTER",
        "s.d => t FILTER",
    ],
    """MERGE INTO t USING s ON t.a = s.a
       WHEN MATCHED AND s.d > 1 THEN UPDATE SET b = s.b, c = t.c + s.d
       WHEN MATCHED THEN DELETE
       WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, s.b)
       WHEN NOT MATCHED BY SOURCE AND t.c = 0 THEN UPDATE SET c = 1""": [
        "s.b -> t.b IDENTITY",
        "t.c -> t.c TRANSFORMATION",
        "s.d -> t.c TRANSFORMATION",
        "s.a -> t.a IDENTITY",
        "t.a => t JOIN",
        "s.a => t JOIN",
        "s.d => t FILTER",
        "t.c => t FILTER",
    ],
    "MERGE INTO t USING (SELECT a, b, d AS c FROM s) x ON t.a = x.a WHEN MATCHED THEN UPDATE SET *": [
        "s.a -> t.a IDENTITY",
        "s.b -> t.b IDENTITY",
        "s.d -> t.c IDENTITY",
        "t.a => t JOIN",
        "s.a => t JOIN",
    ],
    "INSERT INTO t (c, a) SELECT d, a FROM s": ["s.d -> t.c IDENTITY", "s.a -> t.a IDENTITY"],
    "CREATE TABLE made USING parquet AS SELECT a + 1 AS n FROM t WHERE b = 'x'": [
        "t.a -> made.n TRANSFORMATION",
        "t.b => made FILTER",
    ],
    "CREATE TEMPORARY VIEW seen (n) AS SELECT a FROM t": ["t.a -> seen.n IDENTITY"],
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_that_writes_is_analyzed_and_not_executed(statement, spark, tables):
    assert edges_of(lineage(statement, spark)) == sorted(STATEMENTS[statement])
    assert not spark.catalog.tableExists("made") and not spark.catalog.tableExists("seen")
    assert spark.table("t").count() == 0


def test_a_file_is_named_by_its_path_as_the_text_spells_it(spark, tmp_path):
    path = str(tmp_path / "in")
    spark.range(3).write.parquet(path)
    extraction = lineage(spark.read.parquet(path).where("id > 1"), spark)
    assert {str(edge.source.dataset) for edge in extraction.edges} == {path}


def test_an_rdd_is_reported_as_the_end_of_the_trail(spark, tables):
    checkpointed = tables[0].where("a > 1").localCheckpoint(eager=False)
    extraction = lineage(checkpointed, spark)
    assert extraction.edges == []
    assert [diagnostic.code.code for diagnostic in extraction.diagnostics] == ["dynamic"]


def edges_of(found) -> list[str]:
    extraction = found if hasattr(found, "edges") else lineage(found)
    return sorted(line_of(edge) for edge in extraction.edges)


def line_of(edge) -> str:
    usages = sorted(
        {usage.how.value + (" masked" if usage.masked else "") for usage in edge.usages}
    )
    doubt = "" if edge.level is Confidence.EXACT else f" [{edge.level.name}]"
    return f"{edge.source} {'->' if edge.field_level else '=>'} {edge.target} {', '.join(usages)}{doubt}"

"""Stars over structs and over unknown schemas, and schemas that the text of a program tells."""

from __future__ import annotations

import pytest

from jobbook import facts_in
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script
from lineal.model.way import Confidence

SPARK = "from pyspark.sql import SparkSession, functions as F\nspark = SparkSession.builder.getOrCreate()\n"


def read(text: str) -> Extraction:
    return extract(Corpus("spark", [Script(SPARK + text, "python", "job.py")]))


def codes(found: Extraction) -> set[Code]:
    return {each.code for each in found.diagnostics}


def test_the_star_of_a_struct_that_an_aggregate_passes_on_has_its_fields():
    found = read("""
orders = spark.table("orders").select("customer", "at", "id")
first = orders.groupBy("customer").agg(F.min(F.struct("at", F.col("id").alias("nr"))).alias("f"))
first.select("customer", "f.*").select("nr").write.saveAsTable("mart")
""")
    assert facts_in(found) == {
        "orders.at -> mart.nr AGGREGATION",
        "orders.id -> mart.nr AGGREGATION",
        "orders.customer => mart GROUP_BY",
    }


def test_nested_fields_of_a_declared_schema():
    found = read("""
from pyspark.sql.types import StructType
schema = StructType.fromDDL("id BIGINT, payload STRUCT<a: INT, b: STRUCT<c: STRING>>")
events = spark.read.schema(schema).json("/lake/events")
events.select("id", "payload.*").select("id", "a", "b.*").write.parquet("/lake/flat")
""")
    assert facts_in(found) == {
        "/lake/events.id -> /lake/flat.id IDENTITY",
        "/lake/events.payload.a -> /lake/flat.a TRANSFORMATION",
        "/lake/events.payload.b.c -> /lake/flat.c TRANSFORMATION",
    }
    assert Code.UNRESOLVED_COLUMN not in codes(found)


def test_a_schema_as_json():
    found = read("""
from pyspark.sql.types import StructType
fields = [{"name": "id", "type": "long"}, {"name": "tags", "type": {"type": "array", "elementType": "string"}}]
schema = StructType.fromJson({"type": "struct", "fields": fields})
spark.read.schema(schema).json("/lake/events").write.parquet("/lake/copy")
""")
    assert facts_in(found) == {
        "/lake/events.id -> /lake/copy.id IDENTITY",
        "/lake/events.tags -> /lake/copy.tags IDENTITY",
    }


def test_the_star_of_a_struct_without_a_type_answers_any_field():
    found = read("""
spark.table("events").select("payload.*").select("a").write.saveAsTable("mart")
""")
    assert facts_in(found) == {"events.payload.a -> mart.a TRANSFORMATION"}
    assert Code.UNRESOLVED_COLUMN not in codes(found)


def test_the_columns_of_an_unknown_schema_are_all_columns():
    found = read("""
a, b = spark.table("a"), spark.table("b")
both = a.join(b, a["id"] == b["id"]).select(*a.columns, b["score"])
both.filter(a["status"] == "ok").write.saveAsTable("mart")
""")
    assert facts_in(found) >= {
        "a.* -> mart.* IDENTITY",
        "b.score -> mart.score IDENTITY",
        "a.id => mart JOIN",
        "b.id => mart JOIN",
        "a.status => mart FILTER",
    }
    assert Code.DYNAMIC not in codes(found)


def test_an_expression_for_each_column_of_an_unknown_schema_passes_all_through():
    found = read("""
t = spark.table("t")
t.select([F.trim(F.col(c)).alias(c.lower()) for c in t.columns]).write.saveAsTable("mart")
""")
    assert facts_in(found) == {"t.* -> mart.* IDENTITY"}
    assert Code.DYNAMIC in codes(found)


MAYBE_CHANGED = {
    "replaced in a loop": """
for name in df.columns:
    df = df.withColumn(name, F.sha2(F.col(name), 256))
""",
    "renamed in a loop": """
for name in df.columns:
    df = df.withColumnRenamed(name, name.lower())
""",
    "one expression for each": "df = df.select([F.upper(F.col(c)).alias(c) for c in df.columns])",
    "aggregated one by one": "df = df.agg(*[F.max(c).alias(c) for c in df.columns])",
}


@pytest.mark.parametrize("step", MAYBE_CHANGED)
@pytest.mark.parametrize("end", ("df", "df.select('a')", "df.drop('b')"))
def test_a_step_over_unknown_columns_leaves_none_certain(step, end):
    text = f'df = spark.table("people")\n{MAYBE_CHANGED[step]}\n{end}.write.saveAsTable("mart")\n'
    found = read(text)
    assert found.edges
    assert {edge.level for edge in found.edges} == {Confidence.LOW}
    assert Code.DYNAMIC in codes(found)

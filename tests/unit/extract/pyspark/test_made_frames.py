"""Graphs, table functions and JSON of rows: the sources of their DataFrames, and diagnostics."""

from __future__ import annotations

import pytest

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script

GRAPH = """
from graphframes import GraphFrame
v, e = spark.table("people"), spark.table("friends")
g = GraphFrame(v, e)
"""


def read(text: str) -> Extraction:
    spark = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
    return extract(Corpus("spark", [Script(spark + text, "python", "job.py")], []))


def facts(extraction: Extraction) -> set[str]:
    return {
        f"{edge.source} {'->' if edge.field_level else '=>'} {edge.target} {usage.how.value}"
        for edge in extraction.edges
        for usage in edge.usages
    }


ENDS = {"friends.src => out JOIN", "friends.dst => out JOIN"}
GRAPHS = {
    'g.degrees.select("id")': {
        "friends.src -> out.id TRANSFORMATION",
        "friends.dst -> out.id TRANSFORMATION",
        "friends.src => out GROUP_BY",
        "friends.dst => out GROUP_BY",
    },
    'g.triplets.select("src.name", "edge.kind")': {
        "people.name -> out.name TRANSFORMATION",
        "friends.kind -> out.kind TRANSFORMATION",
        "people.id => out JOIN",
        *ENDS,
    },
    'g.find("(a)-[e]->(b); !(b)-[]->(a)").select("a.name")': {
        "people.name -> out.name TRANSFORMATION",
        "people.id => out JOIN",
        *ENDS,
    },
    'g.filterVertices("age > 30").edges.select("kind")': {
        "friends.kind -> out.kind IDENTITY",
        "people.age => out FILTER",
        "people.id => out JOIN",
        *ENDS,
    },
    'g.filterEdges("kind = 1").dropIsolatedVertices().vertices.select("name")': {
        "people.name -> out.name IDENTITY",
        "friends.kind => out FILTER",
        "people.id => out JOIN",
        *ENDS,
    },
    'g.shortestPaths(landmarks=["a"]).select("distances")': {
        "people.id -> out.distances AGGREGATION",
        "friends.src -> out.distances AGGREGATION",
        "friends.dst -> out.distances AGGREGATION",
    },
}


@pytest.mark.parametrize("frame", GRAPHS)
def test_a_frame_of_a_graph_is_made_of_vertices_and_edges(frame):
    assert facts(read(f'{GRAPH}{frame}.write.saveAsTable("out")\n')) == GRAPHS[frame]


@pytest.mark.parametrize("call", ["g.svdPlusPlus()", "g.find(pattern)"])
def test_untraced_parts_of_a_graph_are_reported(call):
    found = read(f'{GRAPH}{call}.select("name").write.saveAsTable("out")\n')
    assert {each.code for each in found.diagnostics} & {Code.UNSUPPORTED_CONSTRUCT, Code.DYNAMIC}
    assert not [edge for edge in found.edges if edge.field_level]


TABLE_FUNCTION = """
from pyspark.sql.functions import udtf
class Sums:
    def eval(self, row):
        yield row["store"], row["amount"]
"""


def test_a_table_argument_gives_any_of_its_columns():
    text = """
sums = udtf(Sums, returnType="store string, total double")
orders = spark.table("orders").where("paid").select("store", "amount")
sums(orders.asTable().partitionBy("store")).select("total").write.saveAsTable("out")
"""
    assert facts(read(TABLE_FUNCTION + text)) == {
        "orders.store -> out.total TRANSFORMATION",
        "orders.amount -> out.total TRANSFORMATION",
        "orders.store => out JOIN",
        "orders.amount => out JOIN",
        "orders.paid => out FILTER",
    }


def test_a_table_function_without_a_schema_is_dynamic():
    text = 'udtf(Sums)(spark.table("orders").asTable()).select("total").write.saveAsTable("out")\n'
    found = read(TABLE_FUNCTION + text)
    assert Code.DYNAMIC in {each.code for each in found.diagnostics}
    assert not [edge for edge in found.edges if edge.field_level]


def test_json_of_a_frame_has_its_columns():
    text = """
rows = spark.table("orders").where("paid").select("id", "amount").toJSON()
spark.read.json(rows).select("amount").write.saveAsTable("out")
"""
    assert facts(read(text)) == {
        "orders.amount -> out.amount IDENTITY",
        "orders.paid => out FILTER",
    }


def test_json_of_computed_rows_has_no_columns():
    text = """
df = spark.table("orders")
spark.read.json(df.rdd.map(lambda row: row.body)).select("id").write.saveAsTable("out")
"""
    found = read(text)
    assert Code.DYNAMIC in {each.code for each in found.diagnostics}
    assert not found.edges
    assert "orders" in {each.dataset.name for each in found.datasets.values()}


def test_rows_of_a_long_range_cost_no_other_statement():
    text = """
rows = [(i, f"order {i}", i % 12, (i * 37) % 500 + 10.0) for i in range(1, 50001)]
more = [(i, i * 2) for i in range(90000)]
orders = spark.createDataFrame(rows, ["id", "title", "month", "amount"])
orders.join(spark.table("rates"), "month").select("title", "rate").write.saveAsTable("out")
"""
    found = read(text)
    assert facts(found) == {"rates.rate -> out.rate IDENTITY", "rates.month => out JOIN"}
    assert not found.diagnostics

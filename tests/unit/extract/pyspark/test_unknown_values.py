"""What only a run knows: whose name it is, what reaches a target through it, and what it keeps."""

from __future__ import annotations

from jobbook import facts_in
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script

JOB = """import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()


def main(output):
    spark.table("{table}").select("{column}").write.saveAsTable(output)


def start():
    output = sys.argv[1]
    main(output)


start()
"""

SPARK = "from pyspark.sql import SparkSession, functions as F\nspark = SparkSession.builder.getOrCreate()\n"


def read(**files: str) -> Extraction:
    scripts = [
        Script(text, "python", f"{name.replace('__', '/')}.py") for name, text in files.items()
    ]
    return extract(Corpus("spark", scripts))


def pairs_read(found: Extraction) -> set[tuple[str, str]]:
    return {(str(each.dataset), str(each.target)) for each in found.reads}


def codes(found: Extraction) -> set[Code]:
    return {each.code for each in found.diagnostics}


def test_a_placeholder_belongs_to_its_file_and_function():
    found = read(
        jobs__a=JOB.format(table="orders", column="id"),
        jobs__b=JOB.format(table="customers", column="email"),
    )
    assert facts_in(found) == {
        "orders.id -> jobs/a.py::start::{1}.id IDENTITY",
        "customers.email -> jobs/b.py::start::{1}.email IDENTITY",
    }
    assert Code.DUPLICATE_DEFINITION not in codes(found)


def test_a_name_with_literal_parts_is_a_pattern_of_all_files():
    text = SPARK + "import sys\nenv = sys.argv[1]\n"
    found = read(
        a=text + 'spark.table("t").select("x").write.saveAsTable(f"{env}.staged")\n',
        b=text + 'spark.table(f"{env}.staged").select("x").write.saveAsTable("mart")\n',
    )
    assert facts_in(found) == {
        "t.x -> {env}.staged.x IDENTITY",
        "{env}.staged.x -> mart.x IDENTITY",
    }


def test_a_placeholder_in_sql_belongs_to_its_file():
    text = SPARK + "import sys\ntable = sys.argv[1]\n"
    found = read(
        a=text + 'spark.sql(f"SELECT x FROM {table}").write.saveAsTable("a")\n',
        b=text + 'spark.sql(f"SELECT x FROM {table}").write.saveAsTable("b")\n',
    )
    assert facts_in(found) == {
        "a.py::{table}.x -> a.x IDENTITY",
        "b.py::{table}.x -> b.x IDENTITY",
    }


def test_an_unknown_data_frame_is_not_a_source_and_keeps_the_table_level_link():
    found = read(
        job=SPARK
        + "from company.io import enrich\n"
        + 'made = enrich(spark.table("orders"), level=2)\n'
        + 'made.groupBy("store").agg(F.sum("amount").alias("t")).write.saveAsTable("mart")\n'
    )
    assert facts_in(found) == set()
    assert ("orders", "mart") in pairs_read(found)
    assert Code.DYNAMIC in codes(found)
    assert found.coverage.columns.unresolved == 3


def test_the_known_side_of_a_join_with_an_unknown_data_frame_keeps_its_edges():
    found = read(
        job=SPARK
        + "from company.io import read_dim\n"
        + 'o, d = spark.table("orders"), read_dim(spark)\n'
        + 'o.join(d, o["store"] == d["code"]).select(o["id"], d["city"]).write.saveAsTable("mart")\n'
    )
    assert facts_in(found) == {"orders.id -> mart.id IDENTITY", "orders.store => mart JOIN"}
    assert Code.UNRESOLVED_COLUMN not in codes(found)


def test_a_computed_function_keeps_the_columns_that_it_is_given():
    found = read(
        job=SPARK
        + "import sys\nfrom company import clean\n"
        + 'o = spark.table("orders")\n'
        + 'out = o.groupBy("store").agg(getattr(F, sys.argv[1])("amount").alias("v"))\n'
        + 'out.write.saveAsTable("mart")\n'
        + 'o.select(clean(F.col("store"), 3).alias("s")).write.saveAsTable("cleaned")\n'
    )
    assert facts_in(found) == {
        "orders.store -> mart.store IDENTITY",
        "orders.amount -> mart.v AGGREGATION",
        "orders.store => mart GROUP_BY",
        "orders.store -> cleaned.s TRANSFORMATION",
    }


HELPERS = """
def load(spark, name):
    return spark.table(f"raw.{name}")


def save(df, target):
    df.write.mode("overwrite").saveAsTable(target)


def enrich(orders, customers):
    return orders.join(customers, "id").select("store", "email")


def run(spark):
    save(enrich(load(spark, "orders"), load(spark, "customers")), "mart")
"""


def test_functions_are_read_at_their_calls_though_nothing_calls_the_entry_point():
    found = read(job=SPARK + HELPERS)
    assert {str(edge.into) for edge in found.edges} == {"mart"}
    assert {str(each.dataset) for each in found.reads} == {"raw.orders", "raw.customers"}
    assert Code.DYNAMIC not in codes(found)


METHODS = """
class Job:
    def save(self, df, target):
        df.write.saveAsTable(target)

    def run(self, spark):
        self.save(spark.table("orders").select("id"), "mart")
"""


def test_methods_are_read_at_their_calls_though_nothing_makes_the_object():
    found = read(job="from pyspark.sql import SparkSession\n" + METHODS)
    assert facts_in(found) == {"orders.id -> mart.id IDENTITY"}


def test_helpers_of_another_file_are_read_at_their_calls():
    main = "from pyspark.sql import SparkSession\nfrom helpers import load, enrich, save\n"
    run = HELPERS[HELPERS.index("def run") :]
    found = read(
        helpers="from pyspark.sql import DataFrame\n" + HELPERS.replace(run, ""), main=main + run
    )
    assert {str(edge.into) for edge in found.edges} == {"mart"}


def test_a_session_is_known_by_its_variable_and_by_the_function_that_makes_it() -> None:
    found = read(
        one='from company import start\nspark = start("job")\n'
        'spark.table("t").select("a").write.saveAsTable("u")\n',
        two='from company import get_spark\nengine = get_spark("job")\n'
        'engine.table("t").select("b").write.saveAsTable("v")\n',
        three="from company import start\n\n\nclass Job:\n    def __init__(self, spark=None):\n"
        '        self.spark = spark or start("job")\n\n    def run(self):\n'
        '        self.spark.table("t").select("c").write.saveAsTable("w")\n\n\nJob().run()\n',
    )
    assert facts_in(found) == {
        "t.a -> u.a IDENTITY",
        "t.b -> v.b IDENTITY",
        "t.c -> w.c IDENTITY",
    }

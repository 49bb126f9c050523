"""The patterns of the PySpark design page: what each snippet reads, what it gives, and how sure
that is.
"""

from __future__ import annotations

import json

import pytest

from lineal.api import Lineage
from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.script import Corpus, Script

HEAD = "from pyspark.sql import functions as F\nfrom pyspark.sql.functions import col, concat, sum, avg\n"


def read(text: str) -> Lineage:
    return Lineage(extract(Corpus("spark", [Script(HEAD + text, "python", "jobs/job.py")])))


def written(text: str) -> list[str]:
    return sorted(f"{edge} [{edge.level.name}]" for edge in read(text).edges)


def columns_read(text: str) -> set[str]:
    return {f"{read.dataset}.{read.column}" for read in read(text).reads if read.column}


def test_a_sql_text_is_read_as_sql():
    assert columns_read('spark.sql("SELECT user_id, name FROM users")') == {
        "users.user_id",
        "users.name",
    }
    joined = 'spark.sql("""\n  SELECT a.id, b.value\n  FROM table_a a\n  JOIN table_b b ON a.id = b.id\n""")'
    assert columns_read(joined) == {"table_a.id", "table_b.value", "table_b.id"}


def test_an_aggregation_in_a_sql_text():
    text = 'spark.sql("SELECT category, SUM(amount) as total FROM sales GROUP BY category")'
    assert columns_read(text) == {"sales.category", "sales.amount"}
    assert "sales.amount -> job.total  AGGREGATION [HIGH]" in written(text)


def test_an_undefined_data_frame_is_an_open_dataset():
    found = written('df.select("a", "b", "c")')
    assert found == [f"jobs/job.py::df.{name} -> job.{name}  IDENTITY [HIGH]" for name in "abc"]


def test_columns_of_a_filter_decide_the_rows():
    assert "jobs/job.py::df.status => job  FILTER [HIGH]" in written(
        'df.filter(col("status") == "active")'
    )


def test_a_new_column_comes_from_what_its_expression_names():
    found = [
        line
        for line in written('df.withColumn("full_name", concat(col("first"), col("last")))')
        if "full" in line
    ]
    assert found == [
        "jobs/job.py::df.first -> job.full_name  TRANSFORMATION [HIGH]",
        "jobs/job.py::df.last -> job.full_name  TRANSFORMATION [HIGH]",
    ]
    edges = read('df.withColumn("full_name", concat(col("first"), col("last")))').edges
    assert {edge.usages[0].transform for edge in edges if "full_name" in str(edge.target)} == {
        "concat"
    }


def test_groups_and_aggregates():
    assert written('df.groupBy("category").agg(sum("amount").alias("total"))') == [
        "jobs/job.py::df.amount -> job.total  AGGREGATION [HIGH]",
        "jobs/job.py::df.category -> job.category  IDENTITY [HIGH]",
        "jobs/job.py::df.category => job  GROUP_BY [HIGH]",
    ]


@pytest.mark.parametrize("call", ["df.select(cols)", "df.select(*cols)"])
def test_a_list_in_a_variable_is_medium(call):
    found = written(f'cols = ["a", "b", "c"]\n{call}')
    assert found == [f"jobs/job.py::df.{name} -> job.{name}  IDENTITY [MEDIUM]" for name in "abc"]


def test_literals_next_to_a_variable_are_certain():
    found = written('base_cols = ["id", "name"]\ndf.select(*base_cols, "extra_col")')
    assert "jobs/job.py::df.extra_col -> job.extra_col  IDENTITY [HIGH]" in found
    assert "jobs/job.py::df.id -> job.id  IDENTITY [MEDIUM]" in found


@pytest.mark.parametrize(
    ("call", "level"),
    [
        ("df.select(get_columns())", "UNKNOWN"),
        ("df.select(*get_columns())", "UNKNOWN"),
        ("df.select(*grouping_fields)", "UNKNOWN"),
        ("df.select(config.cols)", "LOW"),
    ],
)
def test_unresolved_columns_are_listed_without_an_edge(call, level):
    found = read(call)
    assert found.edges == []
    [diagnostic] = [each for each in found.diagnostics if each.code is Code.DYNAMIC]
    assert diagnostic.place is not None and diagnostic.place.line == 3
    assert call in diagnostic.message and diagnostic.message.endswith(f"[{level}]")


JOB = """
events = spark.table("staging.events")
users = spark.table("warehouse.users")
joined = events.join(users, "user_id")
joined.groupBy(col("segment").alias("user_segment"), F.to_date("event_timestamp").alias("event_date")).agg(
    sum("revenue").alias("total_revenue"), F.coalesce(F.sum("cost"), F.lit(0)).alias("total_cost")
).write.saveAsTable("warehouse.fact_events")
events.select(*names_of_columns()).write.saveAsTable("warehouse.other")
"""


def test_the_output_has_the_form_of_the_design():
    schema = "staging.events(user_id int, event_timestamp timestamp, revenue double, cost double)"
    from casefile import read_schema

    known = read_schema(f"{schema}\nwarehouse.users(user_id int, segment string)")
    found = Lineage(
        extract(Corpus("spark", [Script(HEAD + JOB, "python", "jobs/process_events.py")], known))
    )
    shown = json.loads(found.to("pyspark-json"))
    assert shown["file"] == "jobs/process_events.py"
    assert shown["table_lineage"] == {
        "reads": ["staging.events", "warehouse.users"],
        "writes": ["warehouse.fact_events", "warehouse.other"],
    }
    outputs = {each["output"]: each for each in shown["column_lineage"]}
    assert outputs["warehouse.fact_events.user_segment"] == {
        "output": "warehouse.fact_events.user_segment",
        "sources": [{"table": "warehouse.users", "column": "segment", "transform": "direct"}],
        "confidence": "high",
    }
    transforms = {
        name.rsplit(".", 1)[1]: each["sources"][0]["transform"] for name, each in outputs.items()
    }
    assert transforms == {
        "user_segment": "direct",
        "event_date": "to_date",
        "total_revenue": "sum",
        "total_cost": "sum",
    }
    assert shown["dynamic_columns"] == [
        {
            "location": "line 10",
            "pattern": "events.select(*names_of_columns())",
            "note": "columns that only a run knows (what names_of_columns() gives is not known)",
            "confidence": "unknown",
        }
    ]
    contexts = {(each["column_name"], each["context"]) for each in shown["columns_read"]}
    assert (
        ("user_id", "join") in contexts
        and ("segment", "groupby") in contexts
        and ("revenue", "agg") in contexts
    )


def test_a_variable_that_nothing_defines_is_named():
    [shown] = json.loads(read("df.select(*grouping_fields)").to("pyspark-json"))["dynamic_columns"]
    assert shown == {
        "location": "line 3",
        "pattern": "df.select(*grouping_fields)",
        "note": "columns from variable 'grouping_fields' (not defined in this program)",
        "confidence": "unknown",
    }


def test_a_method_that_is_not_known_is_named():
    found = read(
        'df = spark.read.csv("/a.csv", schema="a INT")\ndf.new_method(1).write.saveAsTable("u")'
    )
    assert "new_method(…) is not traced" in [each.message for each in found.diagnostics]
    assert [edge for edge in found.edges if edge.source.dataset.name == "/a.csv"] == []


def test_a_global_view_is_seen_by_sql():
    text = 'spark.table("t").createGlobalTempView("g")\nspark.sql("SELECT x FROM global_temp.g").write.saveAsTable("u")'
    assert written(text) == ["t.x -> u.x  IDENTITY [HIGH]"]


def test_types_inside_types():
    text = (
        "from pyspark.sql.types import *\n"
        "kind = MapType(StringType(), ArrayType(IntegerType()))\nprint(kind.keyType, kind.valueType.elementType)\n"
        'schema = StructType([StructField("id", IntegerType()), StructField("xs", ArrayType(StringType()))])\n'
        'spark.read.schema(schema).json("/x").select("id", F.explode("xs").alias("x")).write.saveAsTable("u")'
    )
    found = read(text)
    assert found.diagnostics == []
    assert sorted(map(str, found.edges)) == [
        "/x.id -> u.id  IDENTITY",
        "/x.xs -> u.x  TRANSFORMATION",
        "/x.xs => u  JOIN",
    ]


def test_columns_read_and_written_and_the_coverage_of_a_file() -> None:
    text = """
        import os
        df = spark.table("raw.orders").filter(F.col("status") == "x")
        df.select(F.col("id").alias("order_id"), F.upper("name").alias("name")).write.saveAsTable("mart.orders")
        df.select(*os.environ["C"].split(",")).write.saveAsTable("mart.more")
    """
    script = Script(
        HEAD + "\n".join(line.strip() for line in text.splitlines()), "python", "job.py"
    )
    shown = json.loads(Lineage(extract(Corpus("spark", [script], []))).to("pyspark-json"))
    read = {each["column_name"]: each for each in shown["columns_read"]}
    line = read["id"]["line_number"]
    assert {
        name: (each["context"], each["line_number"] - line, each["alias"])
        for name, each in read.items()
    } == {
        "status": ("filter", -1, None),
        "id": ("select", 0, "order_id"),
        "name": ("select", 0, None),
    }
    assert not any(each["is_dynamic"] for each in read.values())
    written = [
        (each["table_name"], each["column_name"], each["context"])
        for each in shown["columns_written"]
    ]
    assert written == [("mart.orders", "order_id", "write"), ("mart.orders", "name", "write")]
    assert shown["coverage"] == {"resolved": 2, "lost": 1, "share": 0.667}

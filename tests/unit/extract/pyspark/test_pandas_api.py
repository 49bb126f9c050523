"""The pandas API on Spark: frames that are read, changed column by column, and written."""

from __future__ import annotations

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.script import Corpus, Script

HEADER = "import pyspark.pandas as ps\n"


def read(text: str):
    return extract(Corpus("spark", [Script(HEADER + text, "python", "job.py")], []))


def facts(found) -> list[str]:
    return sorted(
        f"{edge.source} {'->' if edge.field_level else '=>'} {edge.target} {usage.how.value}"
        for edge in found.edges
        for usage in edge.usages
    )


def test_columns_that_are_assigned_and_selected():
    found = read(
        'p = ps.read_table("raw.sales")\np["net"] = p["amount"] - p["tax"]\np["flag"] = 1\n'
        'p[["id", "net", "flag"]].to_table("mart.sales")\n'
    )
    assert facts(found) == [
        "raw.sales.amount -> mart.sales.net TRANSFORMATION",
        "raw.sales.id -> mart.sales.id IDENTITY",
        "raw.sales.tax -> mart.sales.net TRANSFORMATION",
    ]
    assert not found.diagnostics


def test_frames_from_queries_and_paths():
    found = read(
        'ps.sql("SELECT id FROM raw.t").to_delta("s3://lake/t")\n'
        'ps.read_parquet("s3://lake/u").to_spark().select("k").write.saveAsTable("mart.u")\n'
    )
    assert facts(found) == [
        "raw.t.id -> s3://lake/t.id IDENTITY",
        "s3://lake/u.k -> mart.u.k IDENTITY",
    ]


def test_methods_of_pandas_are_read():
    found = read(
        'p = ps.read_table("raw.sales")\np = p[p["amount"] > 0].rename(columns={"amount": "net"})\n'
        'by = p.groupby("shop", as_index=False).agg({"net": "sum"})\n'
        'ps.concat([by[["shop", "net"]]]).to_table("mart.sales")\n'
        'ps.read_table("raw.t", index_col="id").to_spark(index_col="id").write.saveAsTable("mart.t")\n'
        'spark.table("raw.u").pandas_api()[["k"]].to_delta("s3://lake/u", mode="append")\n'
    )
    assert facts(found) == [
        "raw.sales.amount -> mart.sales.net AGGREGATION",
        "raw.sales.amount => mart.sales FILTER",
        "raw.sales.shop -> mart.sales.shop IDENTITY",
        "raw.sales.shop => mart.sales GROUP_BY",
        "raw.t.* -> mart.t.* IDENTITY",
        "raw.t.id -> mart.t.id IDENTITY",
        "raw.u.k -> s3://lake/u.k IDENTITY",
    ]


def test_untraced_calls_are_reported():
    found = read('ps.read_table("raw.t").summarize_all("id").to_table("mart.t")\n')
    assert {each.code for each in found.diagnostics} & {Code.DYNAMIC, Code.UNSUPPORTED_CONSTRUCT}

"""What a project file says of functions holds for Spark's plans, too."""

from __future__ import annotations

from typing import Any

from lineal.graph.compare import compare
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Meaning, Script
from lineal.spark.plan_lineage import of_corpus

ORDERS = DatasetInfo(
    Dataset("", "orders"), "table", [ColumnInfo("email", "string"), ColumnInfo("paid", "int")], True
)
TEXT = "SELECT tokenize_pii(email) AS token, upper(email) AS loud, lower(email) AS quiet, paid FROM orders"


def test_both_engines_mask_what_the_project_lists(spark: Any) -> None:
    spark.udf.register("tokenize_pii", lambda text: text)
    meanings = [Meaning("tokenize_pii", masks=True), Meaning("Upper", masks=True)]
    corpus = Corpus("spark", [Script(TEXT, "spark", target="mart")], [ORDERS], meanings=meanings)
    static, exact = of_corpus(corpus, spark)
    assert [
        str(each) for each in (*exact.diagnostics, *static.diagnostics, *compare(static, exact))
    ] == []
    masked = {
        edge.target.name: any(usage.way.masked for usage in edge.usages) for edge in exact.edges
    }
    assert masked == {"token": True, "loud": True, "quiet": False, "paid": False}

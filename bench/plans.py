"""Spark's own analysis of the TPC-DS queries, next to the way from its plans to edges."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from sqlglot import transpile

import tpc
from lineal.extract.catalyst.plan import Names, extract
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus
from lineal.spark.plan import analyze, describe_plan
from lineal.spark.session import session
from lineal.spark.stand_in import StandIns

ROUNDS = 5


class Figures(NamedTuple):
    analysis: float
    edges: float
    found: int


def measure() -> Figures:
    """Wall-clock time of all 99 queries, the smallest of several rounds: analyzing them, and
    reading their plans.
    """
    suite = tpc.suite("TPC-DS")
    queries = [transpile(query, write="spark")[0] for query in suite.queries]
    spark = session()
    with StandIns(spark, Corpus("")) as stand_ins:
        for table, columns in suite.schema.items():
            infos = [ColumnInfo(name, kind) for name, kind in columns.items()]
            stand_ins.add(DatasetInfo(Dataset("", table), "table", infos, complete=True))
        rounds = [one_round(queries, spark, stand_ins.names) for _ in range(ROUNDS)]
    return Figures(min(r.analysis for r in rounds), min(r.edges for r in rounds), rounds[0].found)


def one_round(queries: list[str], spark: Any, names: Names) -> Figures:
    analysis = edges = 0.0
    found = 0
    for query in queries:
        start = time.perf_counter()
        plan = analyze(query, spark)
        middle = time.perf_counter()
        found += len(extract(describe_plan(plan, spark, names.views), "query", names).edges)
        edges += time.perf_counter() - middle
        analysis += middle - start
    return Figures(analysis, edges, found)

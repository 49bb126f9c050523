"""SQL over Polars frames: pl.sql, SQLContext, df.sql."""

from __future__ import annotations

import ast

from lineal.extract.dataframes.polars.values import PolarsFrame, SqlContext
from lineal.extract.dataframes.sources import read_sql
from lineal.extract.pyspark.dispatch import relation_in
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Unknown, Value

DIALECT = "postgres"
"""The SQL of Polars is closest to PostgreSQL's."""


def context(run: Run, call: Invocation) -> Value:
    """pl.SQLContext(orders=lf), pl.SQLContext({"orders": lf}), pl.SQLContext(register_globals=True)"""
    given = call.argument(0, "frames")
    named = dict(given) if isinstance(given, dict) else {}
    return SqlContext(frames_in({**named, **call.keywords}))


def frames_in(named: dict[str, Value]) -> dict[str, PolarsFrame]:
    """Return the frames among values."""
    found = {name: relation_in(held) for name, held in named.items()}
    return {name: PolarsFrame(held) for name, held in found.items() if held is not None}


def call_context(run: Run, held: SqlContext, name: str, call: Invocation) -> Value:
    """ctx.execute("SELECT …"), ctx.register("orders", lf), ctx.register_many(…)"""
    if name == "execute":
        query = call.argument(0, "query")
        return execute(run, query, held.frames, call.node)

    if name == "register":
        table = call.argument(0, "name")
        frame = call.argument(1, "frame")
        run.touch(held.frames)
        held.frames.update(frames_in({str(table): frame}))
        return held

    if name in ("register_many", "register_globals"):
        given = call.argument(0, "frames")
        run.touch(held.frames)
        held.frames.update(
            frames_in({**(given if isinstance(given, dict) else {}), **call.keywords})
        )
        return held

    return Unknown(f"{name}()", "not followed")


def execute(run: Run, query: Value, frames: dict[str, PolarsFrame], node: ast.AST) -> PolarsFrame:
    """Run a SELECT over frames."""
    relations: dict[str, Relation] = {name: each.relation for name, each in frames.items()}
    return PolarsFrame(read_sql(run, query, DIALECT, node, relations))


def sql_over_globals(run: Run, call: Invocation) -> Value:
    """pl.sql("SELECT … FROM orders")      orders is a variable of the program"""
    query = call.argument(0, "query")
    return execute(
        run, query, frames_in(run.here.visible() if run.here is not None else {}), call.node
    )


def sql_of_frame(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.sql("SELECT a FROM self")"""
    query = call.argument(0, "query")
    name = call.keywords.get("table_name", "self")
    return execute(run, query, {str(name): frame}, call.node)

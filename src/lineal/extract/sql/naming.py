"""The name that a dialect gives to an expression without an alias."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lineal.extract.sql.evaluation import Evaluation


def output_name(node: Any, position: int, evaluation: Evaluation) -> tuple[str, bool]:
    """SELECT a, t.b, s.c, sum(d)      a, b, c, and what the dialect says; with whether the name was quoted"""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Column):
        identifier = node.args["this"]
        return identifier.args["this"], bool(identifier.args.get("quoted"))
    if isinstance(node, exp.Dot) and not isinstance(node.expression, exp.Func):
        return node.expression.name, False
    return NAMES.get(evaluation.facts.name, numbered)(node, position, evaluation), False


def numbered(node: Any, position: int, evaluation: Evaluation) -> str:
    return f"_col_{position}"


def bigquery(node: Any, position: int, evaluation: Evaluation) -> str:
    return f"f{position}_"


def written(node: Any, position: int, evaluation: Evaluation) -> str:
    """Spark, DuckDB: sum(amount) is called sum(amount)."""
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Column):
        return str(node.this.name)
    return str(node.sql(dialect=evaluation.facts.name, normalize_functions="lower"))


def called(node: Any, position: int, evaluation: Evaluation) -> str:
    """PostgreSQL: sum(amount) is called sum, an operator ?column?"""
    while isinstance(node, (exp.Window, exp.Filter, exp.WithinGroup)):
        node = node.this
    if isinstance(node, exp.Cast):
        inner = node.this
        return output_name(inner, position, evaluation)[0] if isinstance(inner, exp.Column) else node.to.sql().lower()
    if isinstance(node, exp.Case):
        return "case"
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    if isinstance(node, exp.Func) and not isinstance(node, exp.Connector):
        return node.sql_name().lower()
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select):
        inner = node.this.expressions[0]
        return inner.alias if isinstance(inner, exp.Alias) else output_name(inner, position, evaluation)[0]
    return "?column?"


NAMES: dict[str, Callable[[Any, int, Evaluation], str]] = {
    "spark": written,
    "spark2": written,
    "databricks": written,
    "hive": numbered,
    "duckdb": written,
    "mysql": written,
    "sqlite": written,
    "postgres": called,
    "redshift": called,
    "bigquery": bigquery,
}

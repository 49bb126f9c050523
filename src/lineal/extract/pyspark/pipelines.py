"""Declarative pipelines of Databricks: @dlt.table, @dp.materialized_view."""

from __future__ import annotations

import ast
from typing import Any

from lineal.extract.pyspark.expressions import value
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import Function


def defined(run: Run, made: Function, decorator: Any, kind: str, env: Environment) -> None:
    """@dlt.table(name="x")      the function's DataFrame is the dataset x"""
    keywords = {k.arg: value(run, k.value, env) for k in decorator.keywords} if isinstance(decorator, ast.Call) else {}
    name = keywords.get("name", keywords.get("target"))
    env.file.pipelines.append((made, name if isinstance(name, str) else made.name, kind, decorator))

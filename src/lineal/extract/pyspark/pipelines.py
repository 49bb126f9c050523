"""Functions that define a dataset: @dlt.table, @dp.materialized_view, dbt's model(dbt, session)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from lineal.extract.pyspark.calls import call_function
from lineal.extract.pyspark.dbt import Dbt
from lineal.extract.pyspark.expressions import value
from lineal.extract.pyspark.frames.rows import filter_
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run, Write
from lineal.extract.pyspark.session import read_name, table_named
from lineal.extract.pyspark.values import Function, Session, Value
from lineal.model.script import Script

VIEWS = ("view", "temporary_view")
DROPPING = ("expect_or_drop", "expect_all_or_drop")


def defined(run: Run, made: Function, decorator: Any, kind: str, env: Environment) -> None:
    """@dlt.table(name="x")      the function's DataFrame is the dataset x"""
    keywords = {k.arg: value(run, k.value, env) for k in decorator.keywords} if isinstance(decorator, ast.Call) else {}
    name = keywords.get("name", keywords.get("target"))
    shown = name if isinstance(name, str) else made.name
    env.file.pipelines.append((made, shown, kind, decorator, expected(run, made, env)))


def expected(run: Run, made: Function, env: Environment) -> list[Value]:
    """@dlt.expect_or_drop("known", "id IS NOT NULL")      rows that do not keep it are not in the dataset"""
    found: list[Value] = []
    for decorator in made.node.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
            last = [*decorator.args, *(keyword.value for keyword in decorator.keywords)][-1:]
            rules = [value(run, each, env) for each in last if decorator.func.attr in DROPPING]
            found += [rule for each in rules for rule in (each.values() if isinstance(each, dict) else [each])]
    return found


def define(
    run: Run,
    function: Function,
    name: str,
    kind: str,
    node: Any,
    arguments: list[Value],
    rules: Sequence[Value] = (),
) -> None:
    """Call the function, and what it gives is the dataset."""
    from lineal.extract.pyspark.sinks import written

    found = call_function(run, function, arguments, {}, node)
    for rule in rules:
        found = filter_(run, found, [rule], {}, node) if isinstance(found, Relation) else found
    if isinstance(found, Relation):
        reading, run.reading = run.reading, function.file.reading
        shown = "view" if kind in VIEWS else "table"
        written(run, Write(name, found, function.node, run.reading, shown, defines=kind != "append_flow"))
        run.reading = reading


def dbt_model(run: Run, function: Function, script: Script, name: str) -> None:
    """def model(dbt, session)      the DataFrame that it returns is the dataset"""
    define(run, function, name, "table", function.node, [Dbt(name, script.dbt), Session()])


def pipeline_call(run: Run, name: str, arguments: list[Value], keywords: dict[str, Value], node: Any) -> Value:
    """dlt.read("x"), dlt.apply_changes(target="x", source="y")"""
    from lineal.extract.pyspark.sinks import write_to

    last = name.rsplit(".", 1)[-1]
    if last in ("read", "read_stream"):
        return read_name(run, arguments[0] if arguments else keywords.get("name"), node, table_named)
    if last in ("apply_changes", "create_auto_cdc_flow", "apply_changes_from_snapshot") and "target" in keywords:
        source = read_name(run, keywords.get("source"), node, table_named)
        if isinstance(source, Relation):
            return write_to(run, source, keywords["target"], node)
    return None

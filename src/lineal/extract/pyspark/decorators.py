"""Decorators: UDFs, pipelines of Databricks, and those that leave a function what it is."""

from __future__ import annotations

import ast
from typing import Any

from lineal.extract.pyspark.dispatch import invoke, value
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import (
    Builder,
    Class,
    Function,
    Instance,
    Library,
    Method,
    Partial,
    Udf,
    Value,
)

UDFS = ("udf", "pandas_udf", "arrow_udf")
DATASETS = (
    "table",
    "view",
    "materialized_view",
    "temporary_view",
    "streaming_table",
    "append_flow",
)


def decorated(run: Run, made: Function, node: Any, env: Environment) -> Value:
    """@udf("int"), @dlt.table(name="x"), @staticmethod, @anything      the innermost first"""
    result: Value = made
    for decorator in reversed(node.decorator_list):
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = (
            target.attr
            if isinstance(target, ast.Attribute)
            else target.id
            if isinstance(target, ast.Name)
            else ""
        )
        made.decorators = (*made.decorators, name)
        if isinstance(result, Function) and result is not made:
            result.decorators = (*result.decorators, name)
        if name == "setter" and isinstance(target, ast.Attribute):
            getter = value(run, target.value, env)
            if isinstance(getter, Function):
                getter.setter = made
                return getter

        if (
            name == "register"
            and isinstance(target, ast.Attribute)
            and registered(run, made, decorator, target, env)
        ):
            return made

        owner = value(run, target, env)
        full = owner.name if isinstance(owner, Library) else ""
        if full in ("functools.singledispatch", "functools.singledispatchmethod"):
            made.variants = []
        if name in UDFS and ("pyspark" in full or not full):
            return Udf(made.name, aggregates=aggregates(made, decorator))
        if isinstance(owner, Builder) and owner.kind == "udf_decorator":
            return Udf(made.name)
        if name in DATASETS and full.startswith(
            ("dlt.", "pyspark.pipelines.", "databricks.declarative")
        ):
            defined(run, made, decorator, name, env)
            return made

        if isinstance(owner, (Function, Class)) or (
            isinstance(owner, Method) and owner.function is not None
        ):
            result = wrapped_by(run, owner, result, decorator, env) or result

    return result


def registered(
    run: Run, made: Function, decorator: Any, target: ast.Attribute, env: Environment
) -> bool:
    """@render.register, @render.register(str)

    for that type, or for that of the first parameter
    """
    general = value(run, target.value, env)
    if not isinstance(general, Function) or general.variants is None:
        return False

    said = decorator.args[0] if isinstance(decorator, ast.Call) and decorator.args else None
    annotations = [each.annotation for each in made.node.args.args if each.annotation is not None]
    kind = said or next(iter(annotations), None)
    if kind is not None:
        general.variants.append((value(run, kind, env), made))
    return True


def wrapped_by(
    run: Run, owner: Value, made: Value, decorator: Any, env: Environment
) -> Value | None:
    """A decorator of the program itself: what it gives back is called instead."""
    function: Value = owner
    if isinstance(decorator, ast.Call):
        function = value(run, decorator, env)

    found = invoke(run, function, [made], {}, decorator)
    if isinstance(found, (Function, Partial, Udf, Class, Instance, Method)):
        return found
    return None


def aggregates(made: Function, decorator: Any) -> bool:
    """A pandas UDF from a Series to one value aggregates."""
    text = ast.unparse(decorator) if isinstance(decorator, ast.Call) else ""
    if "GROUPED_AGG" in text:
        return True
    if (
        not made.decorators
        or made.decorators[-1] != "pandas_udf"
        or isinstance(made.node, ast.Lambda)
    ):
        return False

    result = made.node.returns
    arguments = [argument.annotation for argument in made.node.args.args]
    if result is None or not arguments:
        return False
    return (
        "Series" not in ast.unparse(result)
        and "Iterator" not in ast.unparse(result)
        and any(
            annotation is not None and "Series" in ast.unparse(annotation)
            for annotation in arguments
        )
    )


def udf_of(run: Run, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    """F.udf(f, "int"), F.udf(lambda x: …); without a function a decorator"""
    function = next(
        (
            each
            for each in [*arguments, *keywords.values()]
            if isinstance(each, (Function, Partial))
        ),
        None,
    )
    if isinstance(function, Function):
        return Udf("udf" if function.name == "<lambda>" else function.name)
    if function is not None:
        return Udf("udf")
    return Builder("udf_decorator")


# -- functions that define a dataset ---

DROPPING = ("expect_or_drop", "expect_all_or_drop")


def defined(run: Run, made: Function, decorator: Any, kind: str, env: Environment) -> None:
    """@dlt.table(name="x")      the function's DataFrame is the dataset x"""
    keywords = (
        {k.arg: value(run, k.value, env) for k in decorator.keywords}
        if isinstance(decorator, ast.Call)
        else {}
    )
    name = keywords.get("name", keywords.get("target"))
    shown = name if isinstance(name, str) else made.name
    env.file.pipelines.append((made, shown, kind, decorator, expected(run, made, env)))


def expected(run: Run, made: Function, env: Environment) -> list[Value]:
    """@dlt.expect_or_drop("known", "id IS NOT NULL")

    rows that do not keep it are not in the dataset
    """
    found: list[Value] = []
    for decorator in made.node.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
            last = [*decorator.args, *(keyword.value for keyword in decorator.keywords)][-1:]
            rules = [value(run, each, env) for each in last if decorator.func.attr in DROPPING]
            found += [
                rule
                for each in rules
                for rule in (each.values() if isinstance(each, dict) else [each])
            ]

    return found

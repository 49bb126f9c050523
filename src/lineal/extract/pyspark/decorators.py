"""Decorators: UDFs, pipelines of Databricks, and those that leave a function what it is."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from lineal.extract.pyspark.dispatch import invoke, value
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.names import owned_name
from lineal.extract.pyspark.protocols import unknown_of
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
    Unknown,
    Value,
    note_of,
)
from lineal.model.sequences import instances

UDFS = ("udf", "pandas_udf", "arrow_udf")
WITH_UDFS = ("pyspark.", "snowflake.snowpark.")
UDF_DECORATORS = {f"{name}_decorator": name for name in UDFS}
DATASETS = (
    "table",
    "view",
    "materialized_view",
    "temporary_view",
    "streaming_table",
    "append_flow",
)

PIPELINES = ("dlt.", "pyspark.pipelines.", "databricks.declarative")
SINGLE_DISPATCH = ("functools.singledispatch", "functools.singledispatchmethod")


def decorate(run: Run, made: Function, node: Any, env: Environment) -> Value:
    """Apply the decorators of a function.

    @udf("int"), @dlt.table(name="x"), @staticmethod, @anything      the innermost first
    """
    result: Value = made
    for decorator in reversed(node.decorator_list):
        target = decorator_target(decorator)
        name = decorator_name(target)
        made.decorators = (*made.decorators, name)
        if isinstance(result, Function) and result is not made:
            result.decorators = (*result.decorators, name)

        final = decorate_by_attribute(run, made, decorator, env)
        if final is None:
            owner = value(run, target, env)
            final = decorate_by_library(run, made, decorator, owner, env)

        if final is not None:
            return final

        if is_of_program(owner):
            result = wrap_by(run, owner, result, decorator, env) or result

    return result


def decorator_target(decorator: ast.expr) -> ast.expr:
    """Return a decorator without its arguments.

    @udf("int")
    """
    if isinstance(decorator, ast.Call):
        return decorator.func

    return decorator


def decorator_name(target: ast.expr) -> str:
    """Return the last name of a decorator, such as table.

    @dlt.table
    """
    if isinstance(target, ast.Attribute):
        return target.attr

    if isinstance(target, ast.Name):
        return target.id

    return ""


def decorate_by_attribute(
    run: Run, made: Function, decorator: ast.expr, env: Environment
) -> Function | None:
    """Apply a decorator that is an attribute of a function.

    @size.setter, @render.register(str)      of another function of the program
    """
    target = decorator_target(decorator)
    if not isinstance(target, ast.Attribute):
        return None

    if target.attr == "setter":
        getter = value(run, target.value, env)
        if isinstance(getter, Function):
            getter.setter = made
            return getter

    if target.attr == "register" and register_variant(run, made, decorator, target, env):
        return made

    return None


def decorate_by_library(
    run: Run, made: Function, decorator: ast.expr, owner: Value, env: Environment
) -> Value | None:
    """Return what a decorator makes; None where it changes nothing.

    @udf("int"), @dlt.table
    """
    name = decorator_name(decorator_target(decorator))
    full = owner.name if isinstance(owner, Library) else ""
    if full in SINGLE_DISPATCH:
        made.variants = []

    if run.collector is not None and full:
        found = run.collector.decorate(run, made, full, decorator, env)
        if found is not None:
            return found

    if name in UDFS and (not full or full.startswith(WITH_UDFS)):
        return make_udf(name, made, ast.unparse(decorator))

    if isinstance(owner, Builder) and owner.kind in UDF_DECORATORS:
        return make_udf(UDF_DECORATORS[owner.kind], made, str(owner.parts.get("text", "")))

    if name in DATASETS and full.startswith(PIPELINES):
        define_dataset(run, made, decorator, name, env)
        return made

    return None


def is_of_program(owner: Value) -> bool:
    """Return whether a decorator is a function, class or method of the program."""
    if isinstance(owner, Method):
        return owner.function is not None

    return isinstance(owner, (Function, Class))


def register_variant(
    run: Run, made: Function, decorator: Any, target: ast.Attribute, env: Environment
) -> bool:
    """Register a variant of a function for a type, and tell whether there is such a function.

    @render.register, @render.register(str)

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


def wrap_by(run: Run, owner: Value, made: Value, decorator: Any, env: Environment) -> Value | None:
    """A decorator of the program itself: what it gives back is called instead."""
    function: Value = owner
    if isinstance(decorator, ast.Call):
        function = value(run, decorator, env)

    found = invoke(run, function, Invocation([made], {}, decorator))
    if isinstance(found, (Function, Partial, Udf, Class, Instance, Method)):
        return found

    return None


def make_udf(kind: str, function: Value, text: str) -> Udf:
    """Return the UDF of a function. `text` is the call that makes it.

    @pandas_udf("double"), pandas_udf(f, "double", PandasUDFType.GROUPED_AGG), udf(lambda x: x + 1)
    """
    name = getattr(function, "name", "<lambda>")
    made = Udf("udf" if name == "<lambda>" else name)
    if kind == "udf":
        return replace(made, aggregates="GROUPED_AGG" in text, body=function, by_row=True)

    if kind != "pandas_udf":
        return replace(made, aggregates="GROUPED_AGG" in text)

    return replace(
        made,
        aggregates="GROUPED_AGG" in text or gives_one_value(function),
        body=function,
        is_iterator="SCALAR_ITER" in text or takes(function, "Iterator"),
    )


def gives_one_value(function: Value) -> bool:
    """A pandas UDF from a Series to one value aggregates."""
    if not isinstance(function, Function) or isinstance(function.node, ast.Lambda):
        return False

    result = function.node.returns
    if result is None or any(speaks_of(result, word) for word in ("Series", "Frame", "Iterator")):
        return False

    return takes(function, "Series")


def takes(function: Value, word: str) -> bool:
    """Return whether the annotation of a parameter has a word."""
    if not isinstance(function, Function):
        return False

    given = function.node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg]
    return any(speaks_of(each.annotation, word) for each in every if each is not None)


def speaks_of(annotation: ast.expr | None, word: str) -> bool:
    """Return whether a word is in an annotation."""
    return annotation is not None and word in ast.unparse(annotation)


def udf_of(run: Run, name: str, call: Invocation) -> Value:
    """Return a UDF, or a decorator that makes one.

    F.udf(f, "int"), F.udf(lambda x: …); without a function a decorator
    """
    kind = name.rpartition(".")[2]
    text = ast.unparse(call.node) if isinstance(call.node, ast.AST) else ""
    given = [*call.arguments, *call.keywords.values()]
    functions = instances(given, (Function, Partial))
    if not functions:
        return Builder(f"{kind}_decorator", {"text": text})

    return make_udf(kind, functions[0], text)


# -- functions that define a dataset ---

DROPPING = ("expect_or_drop", "expect_all_or_drop")


def define_dataset(run: Run, made: Function, decorator: Any, kind: str, env: Environment) -> None:
    """Define a dataset of a pipeline.

    @dlt.table(name="x")      the function's DataFrame is the dataset x
    """
    keywords: dict[str | None, Value] = {}
    if isinstance(decorator, ast.Call):
        keywords = {k.arg: value(run, k.value, env) for k in decorator.keywords}

    name = keywords.get("name", keywords.get("target"))
    if isinstance(name, Library):
        name = unknown_of(name, decorator)

    if isinstance(name, Unknown):
        run.dynamic(note_of("a target", name), decorator, name.level, gap=False)
        name = owned_name(f"{{{name.label}}}", name.home or run.home)

    if not isinstance(name, str):
        name = made.name

    env.file.pipelines.append((made, name, kind, decorator, expectations_of(run, made, env)))


def expectations_of(run: Run, made: Function, env: Environment) -> list[Value]:
    """Return the expectations of a dataset.

    @dlt.expect_or_drop("known", "id IS NOT NULL")

    rows that do not keep it are not in the dataset
    """
    found: list[Value] = []
    for decorator in made.node.decorator_list:
        if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
            continue

        given = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
        if decorator.func.attr not in DROPPING or not given:
            continue

        rules = value(run, given[-1], env)
        if isinstance(rules, dict):
            found += rules.values()
        else:
            found.append(rules)

    return found

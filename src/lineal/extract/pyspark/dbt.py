"""dbt's Python models: def model(dbt, session), and what `dbt` tells it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords, named_argument
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.session import read_name, read_table
from lineal.extract.pyspark.values import Function, Method, Native, Unknown, Value
from lineal.model.script import DbtContext
from lineal.model.sequences import all_are
from lineal.model.way import Confidence


@dataclass(frozen=True, eq=False)
class Dbt:
    """dbt, the first argument of a model; `part` is config for dbt.config."""

    model: str
    context: DbtContext | None
    part: str = ""


class RelationName(str):
    """dbt.this: a text that has parts"""


def is_dbt_model(function: Function) -> bool:
    """Tell whether a function is a dbt model.

    def model(dbt, session)
    """
    return function.name == "model" and [each.arg for each in function.node.args.args][:1] == [
        "dbt"
    ]


def attribute(run: Run, held: Dbt, name: str, node: ast.AST) -> Value:
    """Return an attribute of the dbt object.

    dbt.ref, dbt.source, dbt.config.get, dbt.this, dbt.is_incremental, dbt.var
    """
    if held.part:
        return Native(name, lambda run, call: setting(held, call.arguments, call.keywords))

    if name in ATTRIBUTES:
        return ATTRIBUTES[name](held)

    return Unknown(name, f"dbt has no {name}", Confidence.LOW)


def is_incremental(held: Dbt) -> Value:
    """dbt.is_incremental      what the project says, else unknown"""
    known = held.context.incremental if held.context is not None else None
    if known is None:
        return Unknown("is_incremental", "asked when it runs")

    return known


ATTRIBUTES: dict[str, Callable[[Dbt], Value]] = {
    "config": lambda held: Dbt(held.model, held.context, "config"),
    "this": lambda held: RelationName(held.model),
    "is_incremental": is_incremental,
    "ref": lambda held: Native(
        "ref", lambda run, call: relation(run, held, call.arguments, call.node, 1)
    ),
    "source": lambda held: Native(
        "source", lambda run, call: relation(run, held, call.arguments, call.node, 2)
    ),
    "var": lambda held: Native(
        "var", lambda run, call: variable(held, call.arguments, call.keywords)
    ),
}


def configure(run: Run, held: Dbt, call: Invocation) -> Value:
    """Set the configuration of a dbt model.

    dbt.config(materialized="table")
    """
    return None


def relation(run: Run, held: Dbt, arguments: Arguments, node: ast.AST, least: int) -> Value:
    """Return the DataFrame of a ref or a source.

    dbt.ref("orders"), dbt.ref("package", "orders"), dbt.source("raw", "orders")
    """
    if len(arguments) < least:
        return Unknown("ref()", "a relation without a name")

    if not all_are(arguments, str):
        return read_name(run, arguments[-1], node, read_table)

    if held.context is None:
        return read_name(
            run, arguments[-1] if least == 1 else ".".join(arguments), node, read_table
        )

    named = held.context.relations.get(".".join(arguments), arguments[-1])
    return read_name(run, named, node, read_table)


def setting(held: Dbt, arguments: Arguments, keywords: Keywords) -> Value:
    """Return a setting of a dbt model.

    dbt.config.get("columns", [])
    """
    return look_up_setting(
        held, held.context.settings if held.context is not None else None, arguments, keywords
    )


def variable(held: Dbt, arguments: Arguments, keywords: Keywords) -> Value:
    """Return a variable of the dbt project.

    dbt.var("start", "2024-01-01")
    """
    return look_up_setting(
        held, held.context.variables if held.context is not None else None, arguments, keywords
    )


def look_up_setting(held: Dbt, values: Any, arguments: Arguments, keywords: Keywords) -> Value:
    """Return a setting or its default.

    dbt.config.get("k"), dbt.var("k", 1)
    """
    name, *more = arguments or [None]
    default = named_argument(more, keywords, 0, "default")
    if not isinstance(name, str):
        return Unknown("…", "configuration", Confidence.LOW)

    if values is None:
        return Unknown(name, "configuration", Confidence.LOW)

    return values.get(name, default)


def part_of_name(run: Run, held: RelationName, name: str, node: ast.AST) -> Value:
    """Return a part of a relation's name.

    dbt.this.identifier
    """
    if name in ("identifier", "name", "table"):
        return str(held)

    if name in ("schema", "database"):
        return Unknown(name, "where the model is built", Confidence.LOW)

    return Method(held, name)

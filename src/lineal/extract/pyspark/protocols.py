"""Special methods of objects of the program: __iter__, __str__, __len__, __eq__."""

from __future__ import annotations

import ast

from lineal.extract.pyspark.dispatch import invoke, variable_name
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import (
    Function,
    Instance,
    Library,
    Pattern,
    Unknown,
    Value,
    is_elsewhere,
    label_of,
    method_of,
    reason_for_import,
)


def iterate(run: Run, held: Value, node: ast.AST) -> list[Value] | None:
    """The items of an iterable; an object of the program is asked for them."""
    if isinstance(held, Instance):
        made = held.home.find("__iter__")
        if isinstance(made, Function):
            return items_of(invoke(run, made, Invocation([held], {}, node)))

    return items_of(held)


def unknown_of(held: Value, node: ast.AST) -> Unknown:
    """Return an unknown value that is made of another value, with the reason of that one."""
    if isinstance(held, Unknown):
        return held

    if isinstance(held, Pattern):
        return Unknown(label_of(node), held.reason, held.level, held.variable, held.home)

    if isinstance(held, Library):
        return Unknown(label_of(node), reason_for_import(held), variable=held.name)

    return Unknown(label_of(node), "not followed", variable=variable_name(node))


def known_value(held: Value, node: ast.AST) -> Value:
    """clean(Cols.AMOUNT)      Return a value; one that is imported from elsewhere is not known."""
    if held.__class__ is Library and is_elsewhere(held):
        return unknown_of(held, node)

    return held


def call_special(run: Run, held: Value, name: str, arguments: list[Value], node: ast.AST) -> Value:
    """Return the result of a special method such as __len__; Ellipsis if the class has none."""
    found = method_of(held, name)
    if found is None:
        return ...

    return invoke(run, found, Invocation([held, *arguments], {}, node))


def as_text(run: Run, held: Value, node: ast.AST) -> Value:
    """Return the text of an object.

    str(query), f"{query}"      an object of the program says how it is written
    """
    if not isinstance(held, Instance):
        return held

    if held.home.enumerates and held.home.find("__str__") is None:
        return f"{held.home.name}.{held.names.get('name')}"

    for name in ("__str__", "__repr__"):
        said = call_special(run, held, name, [], node)
        if said is not ...:
            return said

    return held

"""Expressions of Python over abstract values: one function and one row per kind of node."""

from __future__ import annotations

import ast
from typing import Any

from lineal.extract.pyspark.dispatch import BUILTINS, EXPRESSIONS, value
from lineal.extract.pyspark.knowledge import items_of, set_of
from lineal.extract.pyspark.protocols import iterate, known_value, unknown_of
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.sizes import charge_items, is_small
from lineal.extract.pyspark.values import Choice, Function, Library, Unknown, Value

LONG_LITERAL = 100


def no_value(run: Run, node: None, env: Environment) -> Value:
    """Return None.

    return, yield      without a value
    """
    return None


def constant(run: Run, node: ast.Constant, env: Environment) -> Value:
    """Evaluate a constant.

    1, "orders", None
    """
    return node.value


def look_up_name(run: Run, node: ast.Name, env: Environment) -> Value:
    """Return the value of a name: of this function, those around it, a library or Python itself.

    df
    """
    here: Environment | None = env
    spelled = node.id
    if spelled in env.names and not env.shared:
        return env.names[spelled]

    while here is not None:
        if spelled in here.names and spelled not in here.shared:
            return here.names[spelled]

        here = here.outer

    for library in env.globals.wild:
        found = library(spelled)
        if found is not None:
            return found

    if spelled in BUILTINS:
        return Library(f"builtins.{spelled}")

    if spelled in run.program.predefined:
        return run.program.predefined[spelled]

    return run.program.undefined_name(spelled, run, node)


def sequence(run: Run, node: ast.List | ast.Tuple | ast.Set, env: Environment) -> Value:
    """Evaluate a list, tuple or set.

    ["a", "b"], ("a", *rest), {"a"}
    """
    if len(node.elts) > LONG_LITERAL and all(item.__class__ is ast.Constant for item in node.elts):
        found: list[Value] | Unknown = [item.value for item in node.elts]  # type: ignore[attr-defined]
    else:
        found = elements(run, node.elts, env)

    if isinstance(found, Unknown):
        return found

    if isinstance(node, ast.Tuple):
        return tuple(found)

    made = set_of(found) if isinstance(node, ast.Set) else found
    run.bear(made)
    return made


def elements(run: Run, nodes: list[ast.expr], env: Environment) -> list[Value] | Unknown:
    """Return the items of a display.

    a, *rest, b
    """
    found: list[Value] = []
    for item in nodes:
        if isinstance(item, ast.Starred):
            inner = value(run, item.value, env)
            several = iterate(run, inner, item)
            if several is None:
                return unknown_of(inner, item.value)

            charge_items(run, found, len(several))
            found.extend(several)
        else:
            found.append(known_value(value(run, item, env), item))

    return found


def dictionary(run: Run, node: ast.Dict, env: Environment) -> Value:
    """Evaluate a dictionary.

    {"a": 1, **more}
    """
    found: dict[Any, Value] = {}
    run.bear(found)
    for key_node, item_node in zip(node.keys, node.values, strict=True):
        item = known_value(value(run, item_node, env), item_node)
        if key_node is None:
            if not isinstance(item, dict):
                return unknown_of(item, item_node)

            found.update(item)
            continue

        key = known_value(value(run, key_node, env), key_node)
        if isinstance(key, (Unknown, list, dict, Choice)) or is_huge(key):
            return unknown_of(key, key_node)

        try:
            found[key] = item
        except TypeError:
            return Unknown("…", "a key that is not known")

    return found


def is_huge(key: Value) -> bool:
    """Whether a key of a dict is so large that it is not compared with others."""
    return isinstance(key, tuple) and not is_small(key)


def lambda_(run: Run, node: ast.Lambda, env: Environment) -> Value:
    """Evaluate a lambda.

    lambda row: row.a
    """
    return function_value(run, node, env, "<lambda>")


def function_value(run: Run, node: Any, env: Environment, called: str) -> Function:
    """Return a function with the values of its defaults."""
    defaults = [value(run, default, env) for default in node.args.defaults]
    keywords = {
        argument.arg: value(run, default, env)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is not None
    }
    return Function(node, env.file, env, called, defaults, keywords)


def unpack_starred(run: Run, node: ast.Starred, env: Environment) -> Value:
    """Evaluate a starred expression.

    *names
    """
    return value(run, node.value, env)


def await_value(run: Run, node: ast.Await, env: Environment) -> Value:
    """Evaluate await.

    await load()
    """
    return value(run, node.value, env)


def yield_value(run: Run, node: ast.Yield | ast.YieldFrom, env: Environment) -> Value:
    """Evaluate yield.

    yield df
    """
    held = value(run, node.value, env)
    if run.frames:
        collected = run.frames[-1]
        if isinstance(node, ast.YieldFrom):
            collected.extend(items_of(held) or [])
        else:
            collected.append(held)
            if collected.at_yield is not None:
                collected.at_yield(held)

    return Unknown("…", "sent to a generator")


EXPRESSIONS.update(
    {
        type(None): no_value,
        ast.Constant: constant,
        ast.Name: look_up_name,
        ast.List: sequence,
        ast.Tuple: sequence,
        ast.Set: sequence,
        ast.Dict: dictionary,
        ast.Lambda: lambda_,
        ast.Starred: unpack_starred,
        ast.Await: await_value,
        ast.Yield: yield_value,
        ast.YieldFrom: yield_value,
    }
)

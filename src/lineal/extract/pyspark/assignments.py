"""Assignments over abstract values: names, attributes, items, unpacking, del."""

from __future__ import annotations

import ast
from typing import Any

from lineal.extract.pyspark.blocks import Returns
from lineal.extract.pyspark.dispatch import invoke, value
from lineal.extract.pyspark.operators import DUNDERS, combined
from lineal.extract.pyspark.protocols import asked, unknown_of
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import (
    Class,
    Function,
    Instance,
    Library,
    Unknown,
    Value,
    is_known,
    items_for_targets,
    items_of,
    label_of,
    method_of,
)
from lineal.model.diagnostic import Code


def assignment(run: Run, node: ast.Assign, env: Environment, returns: Returns) -> None:
    """df = spark.table("orders")"""
    held = value(run, node.value, env)
    for target in node.targets:
        bind(run, target, held, env)
    if isinstance(held, Relation):
        run.leaves.append((held, node.value, run.reading))


def annotated(run: Run, node: ast.AnnAssign, env: Environment, returns: Returns) -> None:
    """df: DataFrame = spark.table("orders")"""
    if node.value is not None:
        bind(run, node.target, value(run, node.value, env), env)


def augmented(run: Run, node: ast.AugAssign, env: Environment, returns: Returns) -> None:
    """names += ["a"]"""
    load = ast.copy_location(_loaded(node.target), node.target)
    held = value(run, load, env)
    more = value(run, node.value, env)
    if isinstance(held, list) and isinstance(more, (list, tuple)) and isinstance(node.op, ast.Add):
        run.touch(held)
        held.extend(more)
        return
    if isinstance(held, Instance):
        said = asked(run, held, f"__i{DUNDERS.get(type(node.op), '')}__", [more], node)
        if said is not ...:
            bind(run, node.target, said, env)
            return

    bind(run, node.target, combined(run, node, held, more), env)


def _loaded(target: Any) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    return ast.Subscript(target.value, target.slice, ast.Load())


def bind(run: Run, target: ast.expr, held: Value, env: Environment) -> None:
    """x = …, a, *b = …, self.x = …, d["k"] = …"""
    if isinstance(target, ast.Name):
        home = env
        if target.id in env.shared:
            home = (env.outer.home_of(target.id) if env.outer is not None else None) or env.globals

        run.touch(home.names)
        home.names[target.id] = held
    elif isinstance(target, (ast.Tuple, ast.List)):
        unpack(run, target.elts, held, env)
    elif isinstance(target, ast.Starred):
        bind(run, target.value, held, env)
    elif isinstance(target, ast.Attribute):
        owner = value(run, target.value, env)
        if isinstance(owner, (Instance, Class)):
            set_on(run, owner, target.attr, held, target)
        elif isinstance(owner, Function):
            run.touch(owner.notes)
            owner.notes[target.attr] = held
        elif isinstance(owner, Library) and owner.name.rsplit(".", 1)[-1] in (
            "DataFrame",
            "Column",
        ):
            run.patched[owner.name.rsplit(".", 1)[-1], target.attr] = held
        elif isinstance(owner, Relation) and target.attr == "columns":
            run.report(Code.DYNAMIC, "df.columns is set", target)
    elif isinstance(target, ast.Subscript):
        owner = value(run, target.value, env)
        key = value(run, target.slice, env)
        setter = method_of(owner, "__setitem__")
        if setter is not None:
            invoke(run, setter, [owner, key, held], {}, target)
        else:
            store(run, owner, key, held)


def set_on(run: Run, owner: Instance | Class, name: str, held: Value, node: Any) -> None:
    """self.x = …      by its setter, where x is a property"""
    found = method_of(owner, name)
    if found is not None and found.setter is not None:
        invoke(run, found.setter, [owner, held], {}, node)
        return

    run.touch(owner.names)
    owner.names[name] = held


def store(run: Run, owner: Value, key: Value, held: Value) -> None:
    """config["a"] = 1      Set an item, where its place is known."""
    if storable(owner, key):
        run.touch(owner)
        owner[key] = held


def storable(owner: Value, key: Value) -> bool:
    """Tell whether an item can be set there."""
    if isinstance(owner, dict):
        return is_known(key) and not isinstance(key, (list, dict, set))
    return isinstance(owner, list) and isinstance(key, int) and -len(owner) <= key < len(owner)


def unpack(run: Run, targets: list[ast.expr], held: Value, env: Environment) -> None:
    """a, *b = items"""
    known = items_of(held)
    items = items_for_targets(known, targets, ast.Starred) if known is not None else None
    if items is None:
        for target in targets:
            bind(run, target, Unknown(label_of(target), unknown_of(held, target).reason), env)
        return

    for target, item in zip(targets, items, strict=True):
        bind(run, target, item, env)


def delete(run: Run, node: ast.Delete, env: Environment, returns: Returns) -> None:
    """del df, del config["a"]"""
    for target in node.targets:
        if isinstance(target, ast.Name):
            run.touch(env.names)
            env.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            delete_item(run, value(run, target.value, env), target.slice, env)
        elif isinstance(target, ast.Attribute):
            owner = value(run, target.value, env)
            if isinstance(owner, (Instance, Class)):
                run.touch(owner.names)
                owner.names.pop(target.attr, None)


def delete_item(run: Run, owner: Value, node: ast.expr, env: Environment) -> None:
    """del d["k"], del names[0], del names[2:]"""
    if isinstance(owner, list) and isinstance(node, ast.Slice):
        bounds = [value(run, bound, env) for bound in (node.lower, node.upper, node.step)]
        if all(bound is None or isinstance(bound, int) for bound in bounds) and bounds[2] != 0:
            run.touch(owner)
            del owner[slice(*bounds)]

        return

    key = value(run, node, env)
    if isinstance(owner, dict) and is_known(key):
        run.touch(owner)
        owner.pop(key, None)
    elif isinstance(owner, list) and storable(owner, key):
        run.touch(owner)
        del owner[key]

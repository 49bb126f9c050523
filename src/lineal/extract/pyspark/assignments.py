"""Assignments over abstract values: names, attributes, items, unpacking, del."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lineal.extract.pyspark.blocks import Returns
from lineal.extract.pyspark.collected import part_of
from lineal.extract.pyspark.dispatch import (
    ATTRIBUTE_TARGETS,
    FRAME_METHODS,
    FRAMES,
    ITEM_DELETIONS,
    ITEM_TARGETS,
    invoke,
    value,
)
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_known, items_for_targets, items_of
from lineal.extract.pyspark.operators import DUNDERS, combine_values
from lineal.extract.pyspark.protocols import call_special, known_value, unknown_of
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.sizes import charge_items
from lineal.extract.pyspark.values import (
    Class,
    ColumnValue,
    Function,
    Instance,
    Library,
    Unknown,
    Value,
    label_of,
    method_of,
    note_of,
)
from lineal.model.diagnostic import Code


def assign(run: Run, node: ast.Assign, env: Environment, returns: Returns) -> None:
    """Run an assignment.

    df = spark.table("orders")
    """
    held = value(run, node.value, env)
    for target in node.targets:
        bind(run, target, held, env)

    if held.__class__ in FRAMES:
        run.leaves.append((held, node.value, run.reading))


def assign_annotated(run: Run, node: ast.AnnAssign, env: Environment, returns: Returns) -> None:
    """Run an annotated assignment.

    df: DataFrame = spark.table("orders")
    """
    if node.value is not None:
        bind(run, node.target, value(run, node.value, env), env)


def assign_augmented(run: Run, node: ast.AugAssign, env: Environment, returns: Returns) -> None:
    """Run an augmented assignment.

    names += ["a"]
    """
    load = ast.copy_location(_target_as_value(node.target), node.target)
    held = value(run, load, env)
    more = value(run, node.value, env)
    if isinstance(held, list) and isinstance(more, (list, tuple)) and isinstance(node.op, ast.Add):
        charge_items(run, held, len(more))
        run.touch(held)
        held.extend(more)
        return

    if isinstance(held, Instance):
        said = call_special(run, held, f"__i{DUNDERS.get(type(node.op), '')}__", [more], node)
        if said is not ...:
            bind(run, node.target, said, env)
            return

    bind(run, node.target, combine_values(run, node, held, more), env)


def _target_as_value(target: Any) -> ast.expr:
    """Return the target of x += 1 as an expression."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())

    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())

    return ast.Subscript(target.value, target.slice, ast.Load())


def bind(run: Run, target: ast.expr, held: Value, env: Environment) -> None:
    """Bind a value to a target.

    x = …, a, *b = …, self.x = …, d["k"] = …
    """
    handler = TARGETS.get(target.__class__)
    if handler is not None:
        handler(run, target, held, env)


def bind_name(run: Run, target: ast.Name, held: Value, env: Environment) -> None:
    """Bind a value to a name.

    x = …, also after global x or nonlocal x
    """
    home: Environment | None = env
    if target.id in env.shared:
        home = env.outer.home_of(target.id) if env.outer is not None else None

    names = (home or env.globals).names
    run.touch(names)
    names[target.id] = held


def bind_several(run: Run, target: ast.Tuple | ast.List, held: Value, env: Environment) -> None:
    """Bind the items of a value to several targets.

    a, *b = …
    """
    unpack(run, target.elts, held, env)


def bind_rest(run: Run, target: ast.Starred, held: Value, env: Environment) -> None:
    """Bind the items that are left to a starred target.

    *rest, in a, *rest = …
    """
    bind(run, target.value, held, env)


def bind_attribute(run: Run, target: ast.Attribute, held: Value, env: Environment) -> None:
    """Bind a value to an attribute.

    self.x = …, clean.x = …, DataFrame.clean = clean
    """
    owner = value(run, target.value, env)
    change = ATTRIBUTE_TARGETS.get(owner.__class__)
    if change is not None:
        change(run, owner, target.attr, held, target)
    elif isinstance(owner, (Instance, Class)):
        set_attribute(run, owner, target.attr, held, target)
    elif isinstance(owner, Function):
        run.touch(owner.notes)
        owner.notes[target.attr] = held
    elif isinstance(owner, Library):
        kind = owner.name.rsplit(".", 1)[-1]
        if kind in PATCHABLE:
            run.patched[kind, target.attr] = held
    elif isinstance(owner, Relation) and target.attr == "columns":
        run.report(Code.DYNAMIC, "df.columns is set", target)


def bind_item(run: Run, target: ast.Subscript, held: Value, env: Environment) -> None:
    """Bind a value to an item.

    d["k"] = …
    """
    owner = value(run, target.value, env)
    key = known_value(value(run, target.slice, env), target.slice)
    setter = method_of(owner, "__setitem__")
    change = ITEM_TARGETS.get(owner.__class__)
    if change is not None:
        change(run, owner, key, held, target)
    elif setter is not None:
        invoke(run, setter, Invocation([owner, key, held], {}, target))
    elif isinstance(owner, Relation) and isinstance(key, str):
        given = Invocation([key, as_column(held)], {}, target)
        added = FRAME_METHODS["withColumn"](run, owner, given)
        bind(run, target.value, added, env)
    else:
        store(run, owner, key, held, target)


def as_column(held: Value) -> Value:
    """psdf["x"] = 1      a constant is a column without sources"""
    if isinstance(held, (ColumnValue, Unknown)):
        return held

    return ColumnValue(exp.Null())


PATCHABLE = ("DataFrame", "Column")
"""Classes of PySpark that programs add methods to."""

TARGETS: dict[type, Callable[[Run, Any, Value, Environment], None]] = {
    ast.Name: bind_name,
    ast.Tuple: bind_several,
    ast.List: bind_several,
    ast.Starred: bind_rest,
    ast.Attribute: bind_attribute,
    ast.Subscript: bind_item,
}
"""How a target is bound, by the class of its node."""


def set_attribute(run: Run, owner: Instance | Class, name: str, held: Value, node: ast.AST) -> None:
    """Set an attribute of an object.

    self.x = …      by its setter, where x is a property
    """
    found = method_of(owner, name)
    if found is not None and found.setter is not None:
        invoke(run, found.setter, Invocation([owner, held], {}, node))
        return

    run.touch(owner.names)
    owner.names[name] = held


def store(run: Run, owner: Value, key: Value, held: Value, node: ast.AST) -> None:
    """Set an item, where its place is known.

    config["a"] = 1
    """
    if is_storable(owner, key):
        run.touch(owner)
        owner[key] = held
    elif isinstance(owner, dict) and isinstance(key, Unknown):
        run.dynamic(note_of("a key", key), node, key.level, gap=False)


def is_storable(owner: Value, key: Value) -> bool:
    """Tell whether an item can be set there."""
    if isinstance(owner, dict):
        return is_known(key) and not isinstance(key, (list, dict, set))

    return isinstance(owner, list) and isinstance(key, int) and -len(owner) <= key < len(owner)


def unpack(run: Run, targets: list[ast.expr], held: Value, env: Environment) -> None:
    """Bind the items of a value to the targets of an assignment.

    a, *b = items
    """
    known = items_of(held)
    items = items_for_targets(known, targets, ast.Starred) if known is not None else None
    if items is None:
        for position, target in enumerate(targets):
            part = part_of(run, held, position, target) if isinstance(held, Unknown) else None
            unknown = Unknown(label_of(target), unknown_of(held, target).reason)
            bind(run, target, part or unknown, env)

        return

    for target, item in zip(targets, items, strict=True):
        bind(run, target, item, env)


def delete(run: Run, node: ast.Delete, env: Environment, returns: Returns) -> None:
    """Run a del statement.

    del df, del config["a"]
    """
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
    """Delete an item.

    del d["k"], del names[0], del names[2:]
    """
    if isinstance(owner, list) and isinstance(node, ast.Slice):
        bounds = [value(run, bound, env) for bound in (node.lower, node.upper, node.step)]
        if all(bound is None or isinstance(bound, int) for bound in bounds) and bounds[2] != 0:
            run.touch(owner)
            del owner[slice(*bounds)]

        return

    key = value(run, node, env)
    delete_of = ITEM_DELETIONS.get(owner.__class__)
    if delete_of is not None:
        delete_of(run, owner, key, node)
    elif isinstance(owner, dict) and is_known(key):
        run.touch(owner)
        owner.pop(key, None)
    elif isinstance(owner, list) and is_storable(owner, key):
        run.touch(owner)
        del owner[key]

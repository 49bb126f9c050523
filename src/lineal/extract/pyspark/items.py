"""value[key] over abstract values: one function and one row per class of value."""

from __future__ import annotations

import ast
from functools import partial, reduce
from typing import Any

from lineal.extract.pyspark.branches import merge_values
from lineal.extract.pyspark.collected import part_of
from lineal.extract.pyspark.columns.methods import method as column_method
from lineal.extract.pyspark.columns.trees import bound_column, dynamic_column
from lineal.extract.pyspark.dispatch import (
    EXPRESSIONS,
    FRAME_METHODS,
    ITEMS,
    LOOK_UPS,
    invoke,
    item_of,
    value,
)
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_known, is_text, items_of
from lineal.extract.pyspark.protocols import known_value
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import (
    Choice,
    Class,
    ColumnValue,
    DefaultDict,
    Function,
    Instance,
    Library,
    Pattern,
    SchemaValue,
    Unknown,
    Value,
    label_of,
    note_of,
)
from lineal.model.way import Confidence

FEW_ITEMS = 8
"""Of a dict with so few items, a key that is not known stands for any of them."""


def subscript(run: Run, node: ast.Subscript, env: Environment) -> Value:
    """Evaluate a subscript.

    held[key], held[1:3]
    """
    held = value(run, node.value, env)
    if isinstance(node.slice, ast.Slice) and held.__class__ not in SLICED:
        return slice_items(run, node.slice, held, env)

    return item_of(run, held, known_value(value(run, node.slice, env), node.slice), node)


def slice_items(run: Run, node: ast.Slice, held: Value, env: Environment) -> Value:
    """Return a slice of items.

    names[1:], names[::2]
    """
    written = (node.lower, node.upper, node.step)
    bounds = [value(run, bound, env) if bound is not None else None for bound in written]
    known = all(bound is None or isinstance(bound, int) for bound in bounds) and bounds[2] != 0
    if known and isinstance(held, (list, tuple, str)) and not isinstance(held, Pattern):
        return held[slice(*bounds)]

    if known and isinstance(held, Instance):
        return item_of(run, held, slice(*bounds), node)

    return Unknown("…", "a part that is not known", collected=getattr(held, "collected", None))


def slice_of(run: Run, node: ast.Slice, env: Environment) -> Value:
    """Evaluate a slice that is handed on as it is.

    df.loc[:, "a":"c"]
    """
    written = (node.lower, node.upper, node.step)
    return slice(*(value(run, bound, env) if bound is not None else None for bound in written))


SLICED: set[type] = set()
"""Values of DataFrame libraries that take slices by themselves."""


def item_of_relation(run: Run, held: Relation, key: Value, node: ast.AST) -> Value:
    """Return an item of a DataFrame.

    df["x"], df[["a", "b"]], df[df.a > 1], df[0]
    """
    if is_text(key):
        return ColumnValue(bound_column(run, held, key, node))

    if isinstance(key, (list, tuple)):
        return FRAME_METHODS["select"](run, held, Invocation(list(key), {}, node))

    if isinstance(key, ColumnValue):
        return FRAME_METHODS["filter"](run, held, Invocation([key], {}, node))

    count = len(held.attributes)
    if isinstance(key, int) and held.complete and -count <= key < count:
        return ColumnValue(bound_column(run, held, held.attributes[key].slot.name, node))

    return ColumnValue(dynamic_column(run, key, node))


def item_of_column(run: Run, held: ColumnValue, key: Value, node: ast.AST) -> Value:
    """Return an item of a Column.

    df.address["city"]
    """
    if isinstance(key, Unknown):
        run.dynamic(note_of("a field", key), node, key.level)

    return column_method(run, held, "getItem", Invocation([key], {}, node))


def item_of_dict(run: Run, held: dict[Any, Value], key: Value, node: ast.AST) -> Value:
    """Return an item of a dictionary.

    config["tables"]      a key that is one of several gives one of their values
    """
    if isinstance(key, Choice):
        options = [held[option] for option in key.options if option in held]
        if options:
            return one_of(run, options)

        return Unknown("…", "no such key")

    try:
        if key in held:
            return held[key]
    except TypeError:
        return Unknown("…", "a key that is not known")

    find = LOOK_UPS.get(key.__class__)
    if find is not None:
        return find(run, key, held, None, node)

    if isinstance(held, DefaultDict) and held.factory is not None and is_known(key):
        run.touch(held)
        held[key] = invoke(run, held.factory, Invocation([], {}, node))
        return held[key]

    if isinstance(key, (Unknown, Pattern)) and held and len(held) <= FEW_ITEMS:
        options = list(held.values())
        if len(set(map(type, options))) == 1 and not isinstance(held, DefaultDict):
            return one_of(run, options)

    if isinstance(held, DefaultDict) and isinstance(key, Unknown):
        run.dynamic(note_of("a key", key), node, key.level, gap=False)

    return Unknown(label_of(node), "no such key", Confidence.LOW)


def one_of(run: Run, options: list[Value]) -> Value:
    """Return a value that may be any of the options."""
    return reduce(partial(merge_values, run), options)


def item_of_sequence(run: Run, held: Any, key: Value, node: ast.AST) -> Value:
    """Return an item of a list or tuple.

    names[0], names[-1]
    """
    if isinstance(key, int) and -len(held) <= key < len(held):
        return held[key]

    if isinstance(key, slice):
        return held[key]

    return Unknown(label_of(node), "an item that only a run knows")


def item_of_pattern(run: Run, held: Pattern, key: Value, node: ast.AST) -> Value:
    """Return an item of a text with placeholders.

    f"{env}_orders"[0]
    """
    return Unknown(label_of(node), "not followed")


def item_of_schema(run: Run, held: SchemaValue, key: Value, node: ast.AST) -> Value:
    """Return a field of a schema.

    df.schema["id"]
    """
    found = {each.name: each for each in held.field_values}
    if isinstance(key, str) and key in found:
        return found[key]

    return Unknown("…", "no such field")


def item_of_class(run: Run, held: Class, key: Value, node: ast.AST) -> Value:
    """Return an item of a class.

    Color["RED"]      a member of an enumeration
    """
    if held.enumerates and isinstance(key, str):
        return held.find(key) or Unknown(key, "no such member")

    return Unknown(label_of(node), "not followed")


def item_of_library(run: Run, held: Library, key: Value, node: ast.AST) -> Value:
    """Return an item of a library.

    os.environ["HOME"]
    """
    return Unknown(label_of(node), f"{held.name} is only known when it runs", Confidence.LOW)


def item_of_unknown(run: Run, held: Unknown, key: Value, node: ast.AST) -> Value:
    """Return an item of a value that is not known.

    x["a"]      where the program uses x like a DataFrame, it is one
    """
    named = isinstance(key, str) and held.level >= Confidence.UNKNOWN
    if named and held.label in run.program.frame_like(node, run):
        return item_of(run, run.program.open_frame(run, held, node), key, node)

    found = part_of(run, held, key, node)
    if found is not None:
        return found

    level = min(held.level, Confidence.LOW)
    return Unknown(label_of(node), held.reason, level)


def item_of_instance(run: Run, held: Instance, key: Value, node: ast.AST) -> Value:
    """Return an item of an object.

    settings["a"]      what the class's own __getitem__ gives; a named tuple holds its fields
    """
    if held.home.is_tuple:
        return item_of(run, items_of(held), key, node)

    getter = held.home.find("__getitem__")
    if isinstance(getter, Function):
        return invoke(run, getter, Invocation([held, key], {}, node))

    return Unknown(label_of(node), "not followed")


EXPRESSIONS[ast.Subscript] = subscript
EXPRESSIONS[ast.Slice] = slice_of

ITEMS.update(
    {
        Relation: item_of_relation,
        ColumnValue: item_of_column,
        dict: item_of_dict,
        list: item_of_sequence,
        tuple: item_of_sequence,
        str: item_of_sequence,
        Pattern: item_of_pattern,
        SchemaValue: item_of_schema,
        Class: item_of_class,
        Library: item_of_library,
        Unknown: item_of_unknown,
        Instance: item_of_instance,
    }
)

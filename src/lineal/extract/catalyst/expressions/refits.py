"""Casts that the engine inserts: the value stays the same.

INSERT INTO t SELECT s FROM u      the fields of s, in the order that t has

So the engine reorders the fields of structs by their names, adds those that are missing, and pads
CHAR: no user has written it, and no value is another one.
"""

from __future__ import annotations

from collections.abc import Callable

from lineal.extract.catalyst.expressions.casts import is_engines_own, is_null_literal
from lineal.extract.catalyst.expressions.paths import path_from_column
from lineal.extract.catalyst.tree import Node


def original_of(node: Node) -> Node | None:
    """if(isnull(s), null, named_struct('b', s.b, 'a', s.a))

    s, which fits the type of a table or of a UNION now; None for what a user wrote
    """
    find = ORIGINALS.get(node.name)
    if find is None:
        return None

    return find(node)


def original_struct(node: Node) -> Node | None:
    """if(isnull(s), null, named_struct('b', s.b, 'a', s.a))      s"""
    test, missing, struct = node.children
    if test.name != "IsNull" or not is_null_literal(missing) or struct.name != "CreateNamedStruct":
        return None

    original = test.children[0]
    place = path_from_column(original)
    if place is None or not has_fields_of(struct, place):
        return None

    return original


def original_items(node: Node) -> Node | None:
    """transform(xs, x -> if(isnull(x), null, named_struct('b', x.b, 'a', x.a)))      xs"""
    items, function = node.children
    if function.name != "LambdaFunction" or len(function.children) != 2:
        return None

    body, item = function.children
    if body.name == item.name:
        return None

    place = path_from_column(item)
    if place is None:
        return None

    is_struct = item.args.get("name") in ENGINES_VARIABLES and body.name == "CreateNamedStruct"
    if (is_struct and has_fields_of(body, place)) or is_value_at(body, place):
        return items

    return None


def original_entries(node: Node) -> Node | None:
    """map_from_arrays(map_keys(m), transform(map_values(m), v -> …))      m"""
    keys, values = (original_of(child) or child for child in node.children)
    if (keys.name, values.name) != ("MapKeys", "MapValues"):
        return None

    original = keys.children[0]
    place = path_from_column(original)
    if place is None or place != path_from_column(values.children[0]):
        return None

    return original


ORIGINALS: dict[str, Callable[[Node], Node | None]] = {
    "If": original_struct,
    "ArrayTransform": original_items,
    "MapFromArrays": original_entries,
}
"""Expressions by which the engine fits structs, arrays and maps to a type."""

ENGINES_VARIABLES = ("element", "key", "value")
"""Spark's name for an item in the functions with which it fits arrays and maps to the table that
they go to.
"""


def has_fields_of(struct: Node, place: tuple[str, ...]) -> bool:
    """named_struct('b', s.b, 'c', null, 'a', s.a)

    some fields of s, and missing ones, under their own names
    """
    names = [str(child.args.get("value", "")).lower() for child in struct.children[0::2]]
    values = struct.children[1::2]
    return all(
        is_null_literal(value) or is_value_at(value, (*place, name))
        for name, value in zip(names, values, strict=True)
    )


def is_value_at(node: Node, place: tuple[str, ...]) -> bool:
    """Tell whether a node is the value at a path, whatever the engine has put around it."""
    while is_engines_own(node):
        node = node.children[0]

    return path_from_column(original_of(node) or node) == place

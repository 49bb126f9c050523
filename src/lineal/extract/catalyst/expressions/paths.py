"""Paths into columns: fields of structs, keys of maps, items of arrays, JSON.

SELECT s.y.z, m['k'].z, xs[0].z, get_json_object(j, '$.a[0].b')
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lineal.algebra.lineage import Lineage
from lineal.algebra.values import is_own, read_part
from lineal.extract.catalyst.expressions.casts import is_engines_own
from lineal.extract.catalyst.expressions.leaves import column_in
from lineal.extract.catalyst.expressions.replaceable import arguments_of
from lineal.extract.catalyst.expressions.scope import Scope
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.sequences import flatten

JSON_NAMES = re.compile(r"[^$.\[\]\"'\s]+")


def struct_field_name(node: Node) -> list[str]:
    """s.y      y, or its number in plans that do not name it"""
    field = node.args.get("field")
    if isinstance(field, dict):
        return [str(field.get("name", ""))]

    return [str(node.args.get("name") or node.args.get("fieldName") or node.args.get("ordinal"))]


def key_name(node: Node) -> list[str]:
    """m['k']      k"""
    key = arguments_of(node)[1]
    text = key.args.get("value")
    if key.name == "Literal" and isinstance(text, str):
        return [text]

    return []


def no_name(node: Node) -> list[str]:
    """xs[0]      nothing: a position has no name"""
    return []


def json_names(node: Node) -> list[str]:
    """get_json_object(j, '$.a[0].b'), variant_get(v, '$.a[0].b', 'int')      a, b"""
    names = flatten(map(JSON_NAMES.findall, key_name(node)))
    return [name for name in names if not name.isdigit()]


FIELDS: dict[str, Callable[[Node], list[str]]] = {
    "GetStructField": struct_field_name,
    "GetArrayStructFields": struct_field_name,
    "GetArrayItem": no_name,
    "Get": no_name,
    "ElementAt": key_name,
    "TryElementAt": key_name,
    "GetMapValue": key_name,
    "GetJsonObject": json_names,
    "VariantGet": json_names,
}
"""Expressions that take a part of a value, and the names by which they do."""


KEEPS_ITEMS = frozenset(
    ("ArrayFilter", "ArraySort", "Slice", "Reverse", "ArrayCompact", "MapFilter")
)
"""Functions that give some items of an array, or all of them in an order that a lambda tells."""


def base_of(node: Node) -> Node:
    """xs[0].price      xs"""
    while node.name in FIELDS:
        node = arguments_of(node)[0]

    return column_in(node)


def is_part(node: Node) -> bool:
    """xs, xs[0].price      a column, or a part of one"""
    return base_of(node).name == "AttributeReference"


def is_part_of_column(node: Node, scope: Scope) -> bool:
    """from_json(doc, …).items[0]      False: a parsed value is not a part of doc"""
    return is_own(scope.find_attribute(base_of(node)).lineage)


def lineage_at(node: Node, scope: Scope) -> Lineage:
    """x.items

    what a part of a column holds, of which a query inside may have told the fields
    """
    path: list[str] = []
    while node.name in FIELDS:
        path[:0] = FIELDS[node.name](node)
        node = arguments_of(node)[0]

    return read_part(scope.find_attribute(column_in(node)).lineage, path)


def path_from_column(node: Node) -> tuple[str, ...] | None:
    """s.geo.lat

    the id of s, 'geo', 'lat': of a column, or of an item that a function is called with
    """
    path: list[str] = []
    while node.name not in ("AttributeReference", "NamedLambdaVariable"):
        if node.name == "GetStructField":
            path[:0] = [name.lower() for name in struct_field_name(node)]
        elif not is_engines_own(node):
            return None

        node = node.children[0]

    return (expression_id(node.args), *path)

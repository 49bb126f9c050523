"""Structs: values that know their fields, built here or passed on.

SELECT named_struct('x', a, 'y', b), collect_list(struct(a, b))[0], s.withField("x", a)
"""

from __future__ import annotations

from collections.abc import Callable

from lineal.algebra.expression import VALUE, aggregate_of, window_way
from lineal.algebra.lineage import Lineage, unite_lineages
from lineal.algebra.values import (
    Items,
    Part,
    Struct,
    as_struct,
    build_items,
    build_struct,
    carry,
    drop_fields,
    is_own,
    keep_parts,
    put_field,
)
from lineal.extract.catalyst.expressions.leaves import column_in
from lineal.extract.catalyst.expressions.paths import FIELDS, is_part, lineage_at
from lineal.extract.catalyst.expressions.refits import original_of
from lineal.extract.catalyst.expressions.replaceable import arguments_of
from lineal.extract.catalyst.expressions.scope import Scope
from lineal.extract.catalyst.expressions.walk import expression_over, influences_of
from lineal.extract.catalyst.tree import Node
from lineal.model.sequences import instances
from lineal.model.way import IDENTITY, Way

BUILDERS = ("CreateNamedStruct", "UpdateFields")
"""Expressions that build a struct."""

WRAPPINGS = ("Alias", "KnownNotNull", "KnownNullable")
"""Expressions that leave the fields of a value as they are."""


def lineage_with_parts(node: Node, scope: Scope) -> Lineage:
    """named_struct('x', a, 'y', b)      the lineage of the whole, and of each field"""
    while node.name in WRAPPINGS:
        node = node.children[0]

    node = original_of(node) or node
    whole = influences_of(node, IDENTITY, scope)
    add_parts = PARTS.get(node.name)
    if add_parts is None:
        return whole

    return add_parts(node, whole, scope)


def parts_of_struct(node: Node, whole: Lineage, scope: Scope) -> Lineage:
    """named_struct('x', a, 'y', b)      x is a, y is b"""
    names = [
        str(child.args.get("value", child.args.get("name", ""))).lower()
        for child in node.children[0::2]
    ]
    items = zip(names, node.children[1::2], strict=True)
    return build_struct(whole, [(name, lineage_with_parts(item, scope)) for name, item in items])


def parts_of_update(node: Node, whole: Lineage, scope: Scope) -> Lineage:
    """s.withField("x", a), s.dropFields("y")

    x comes from a alone, y is gone, the others stay as they were
    """
    struct = as_struct(lineage_with_parts(node.children[0], scope))
    for operation in node.children[1:]:
        path = [str(operation.args.get("name", ""))]
        if operation.children:
            struct = put_field(
                struct, path, lineage_with_parts(operation.children[0], scope), whole
            )
        else:
            struct = drop_fields(struct, path, whole)

    return struct.under(whole)


def parts_of_field(node: Node, whole: Lineage, scope: Scope) -> Lineage:
    """x.items, xs[0]      the fields of a part of a column, as far as they are known"""
    if not is_part(node):
        return parts_passed_on(node, whole, scope)

    part = lineage_at(node, scope)
    if isinstance(part, Struct):
        return part.under(whole)

    if is_own(part):
        return Part(whole)

    return whole


def parts_passed_on(node: Node, whole: Lineage, scope: Scope) -> Lineage:
    """collect_list(struct(a, b))      the fields of the struct that is passed on"""
    return carried_struct(node, scope) or whole


def parts_of_array(node: Node, whole: Lineage, scope: Scope) -> Lineage:
    """array(struct(a AS p), struct(b))      the fields of an item"""
    return listed_item(node, scope) or whole


def parts_of_column(node: Node, whole: Lineage, scope: Scope) -> Lineage:
    """s, outer(s)      the fields that the column has below"""
    column = column_in(node)
    if column.name != "AttributeReference":
        return whole

    return keep_parts(whole, scope.find_attribute(column).lineage)


def carried_struct(node: Node, scope: Scope) -> Struct | None:
    """collect_list(struct(a, b))[0], lag(struct(a, b)) OVER (…)

    a struct that is passed on has its fields

    max_by(struct(a, b), c)      c is in every one of them
    """
    inner, step, in_window = node, VALUE, False
    others: list[tuple[Node, Way]] = []
    while (carrier := CARRIERS.get(inner.name)) is not None:
        if carrier == OVER:
            step, in_window = window_way(step), True
        elif carrier == AGGREGATES or (carrier == AT and not in_window):
            step = aggregate_of(step)

        if carrier in TAKES_OTHERS:
            others.extend((each, step) for each in arguments_of(inner)[1:])

        inner = arguments_of(inner)[0]

    if inner is node:
        return None

    struct = lineage_held_in(inner, scope)
    if not isinstance(struct, Struct):
        return None

    beside = [(expression_over(scope, other), way) for other, way in others]
    return carry(struct, step, influences_of(node, IDENTITY, scope), beside)


def lineage_held_in(node: Node, scope: Scope) -> Lineage | None:
    """Return the lineage of a struct that is built here, or of a column that holds one."""
    if node.name in BUILDERS:
        return lineage_with_parts(node, scope)

    column = column_in(node)
    if column.name != "AttributeReference":
        return None

    return scope.find_attribute(column).lineage


PASSED, AGGREGATES, AT, OVER = "passed on", "aggregated", "taken from one row", "made by a window"

CARRIERS = {
    **dict.fromkeys(
        ("AggregateExpression", "GetArrayItem", "Get", "ElementAt", "TryElementAt"), PASSED
    ),
    **dict.fromkeys(("CollectList", "CollectSet", "AnyValue", "MaxBy", "MinBy"), AGGREGATES),
    **dict.fromkeys(("First", "Last", "FirstValue", "LastValue", "NthValue", "Lag", "Lead"), AT),
    "WindowExpression": OVER,
}
"""Expressions that pass a struct on, and what they do to it."""

TAKES_OTHERS = (AGGREGATES, AT)
"""max_by(s, c), lag(s, 1, d)      c and d are in every field"""


def listed_item(node: Node, scope: Scope) -> Items | None:
    """array(struct(a AS p, 1 AS q), struct(b, 2))      an item: p is a or b, and q has no source"""
    if node.name != "CreateArray" or any(child.name not in BUILDERS for child in node.children):
        return None

    lineages = [lineage_with_parts(child, scope) for child in node.children]
    structs = instances(lineages, Struct)
    names = list(structs[0].fields) if structs else []
    if not names:
        return None

    return build_items(
        unite_lineages(lineages), names, [list(each.fields.values()) for each in structs]
    )


def zipped_item(node: Node, scope: Scope) -> Struct | None:
    """arrays_zip(a, b)      an item: the field a comes from a, the field b from b"""
    if node.name != "ArraysZip":
        return None

    named = [
        (str(column_in(array).args.get("name", position)), influences_of(array, VALUE, scope))
        for position, array in enumerate(node.children)
    ]
    return build_struct(influences_of(node, VALUE, scope), named[: named_arrays(node)])


def named_arrays(node: Node) -> int:
    """How many children are arrays: some versions of Spark list the names of the fields behind."""
    literals = [child.name == "Literal" for child in node.children]
    return literals.index(True) if True in literals else len(literals)


PARTS: dict[str, Callable[[Node, Lineage, Scope], Lineage]] = {
    **dict.fromkeys(CARRIERS, parts_passed_on),
    **dict.fromkeys(FIELDS, parts_of_field),
    "CreateNamedStruct": parts_of_struct,
    "UpdateFields": parts_of_update,
    "CreateArray": parts_of_array,
    "AttributeReference": parts_of_column,
    "OuterReference": parts_of_column,
}
"""How the fields of a value are found, by the class of its expression."""

"""Generate: LATERAL VIEW explode(xs) AS x."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lineal.algebra.expression import VALUE
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Expression, Lineage, pour, unite_lineages
from lineal.algebra.relation import explode
from lineal.algebra.values import Items, Struct, read_item, read_part
from lineal.extract.catalyst.expressions import (
    Scope,
    expression_over,
    influences_of,
    is_part,
    is_part_of_column,
    lineage_with_parts,
    listed_item,
    zipped_item,
)
from lineal.extract.catalyst.operators.outputs import output_title
from lineal.extract.catalyst.operators.walk import frame_below
from lineal.extract.catalyst.tree import Node
from lineal.model.way import IDENTITY, Clause

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_generate(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """LATERAL VIEW explode(xs) AS x, stack(2, a, b, c, d), json_tuple(j, 'a', 'b')"""
    child = frame_below(node, outer, plan)
    scope = Scope(child, outer, plan, Clause.LATERAL)
    generator = node.trees("generator")[0]
    outputs = node.trees("generatorOutput")
    read = GENERATORS.get(generator.name, array_items)
    lineages, arrays = read(generator, len(outputs), scope)
    items = (
        Slot(*output_title(output), lineage)
        for output, lineage in zip(outputs, lineages, strict=True)
    )
    return explode(child, items, arrays)


def array_items(generator: Node, width: int, scope: Scope) -> Generated:
    """explode(xs), inline(xs)      an item of xs, or a column for each of its fields"""
    array = influences_of(generator, IDENTITY, scope)
    item = item_value(generator.children[0], array, scope)
    fields = generator.args.get("fieldNames") or []
    lineages = [read_part(item, [name]) for name in fields] or [item] * width
    if isinstance(item, Items) or has_fixed_rows(generator):
        return lineages, []

    return lineages, [expression_over(scope, generator)]


def item_value(inner: Node, array: Lineage, scope: Scope) -> Lineage:
    """explode(xs)

    an item of xs, with the fields of its structs; of a computed array it is no part of a column
    """
    built = listed_item(inner, scope) or zipped_item(inner, scope)
    if built:
        return built

    whole = lineage_with_parts(inner, scope)
    item = read_item(array, is_part(inner) and is_part_of_column(inner, scope))
    if isinstance(whole, Struct):
        return whole.under(item)

    return item


def json_values(generator: Node, width: int, scope: Scope) -> Generated:
    """json_tuple(j, 'a', 'b')      j.a and j.b, in one row; a cast on the way keeps the path"""
    document, *keys = generator.children
    while document.name == "Cast":
        document = document.children[0]

    whole = lineage_with_parts(document, scope)
    return [json_value(whole, key, scope) for key in keys], []


def json_value(whole: Lineage, key: Node, scope: Scope) -> Lineage:
    """json_tuple(j, 'a')      j.a; all of j, where only a run knows the key"""
    name = key.args.get("value")
    path = [] if name is None else [str(name)]
    lineage = influences_of(key, VALUE, scope)
    pour(read_part(whole, path), VALUE, lineage)
    return lineage


def stack_values(generator: Node, width: int, scope: Scope) -> Generated:
    """stack(2, a, b, c, d)      column 0 takes a and c, column 1 takes b and d"""
    arguments = [influences_of(argument, IDENTITY, scope) for argument in generator.children[1:]]
    return [unite_lineages(arguments[position::width]) for position in range(width)], []


def has_fixed_rows(generator: Node) -> bool:
    """explode(array(a, b))      always two rows: no column decides how many"""
    return generator.children[0].name in ("CreateArray", "CreateMap", "Literal")


Generated = tuple[list[Lineage], list[Expression]]
"""The lineages of the columns that a generator makes, and the arrays that decide the rows."""

GENERATORS: dict[str, Callable[[Node, int, Scope], Generated]] = {
    "Stack": stack_values,
    "JsonTuple": json_values,
}
"""Generators whose rows no column decides; any other takes the items of an array or a map."""

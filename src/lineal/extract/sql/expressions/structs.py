"""Structs and arrays of structs: values that know the lineage of their fields."""

from __future__ import annotations

from typing import Any, TypeGuard

from sqlglot import exp

from lineal.algebra.expression import (
    VALUE,
    aggregate_of,
    window_way,
)
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage
from lineal.algebra.values import (
    Part,
    Row,
    Struct,
    as_struct,
    build_items,
    build_struct,
    carry,
    is_own,
    keep_parts,
)
from lineal.extract.sql.expressions.walk import expression_in, value_of
from lineal.extract.sql.paths import leads_to_part, path_of, reaches, step_of
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import field_of
from lineal.extract.sql.structs import is_document, parsed_document
from lineal.model.sequences import all_are
from lineal.model.way import IDENTITY as NEUTRAL
from lineal.model.way import Way

VALUES_AT = (exp.First, exp.Last, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead)


CARRYING_AGGREGATES = (
    exp.ArrayAgg,
    exp.ArrayUniqueAgg,
    exp.AnyValue,
    exp.ArgMax,
    exp.ArgMin,
    *VALUES_AT,
)


CARRIERS = (
    *CARRYING_AGGREGATES, exp.Filter, exp.Bracket, exp.Paren, exp.Order, exp.Limit, exp.IgnoreNulls, exp.RespectNulls,
    exp.Distinct, exp.Window,
)  # fmt: skip


def struct_passed_on(node: Any, scope: Scope) -> Struct | None:
    """Return the struct that an aggregate or a window passes on.

    array_agg(t ORDER BY d)[0], any_value(STRUCT(a, b)), lag(STRUCT(a, b)) OVER (…)

    one that is passed on

    It has its fields, each with what is done to the whole; max_by(STRUCT(a, b), c): c is in every
    one of them.
    """
    inner, step, in_window = node, VALUE, False
    others: list[tuple[Any, Way]] = []
    is_passed_on = isinstance(inner, CARRIERS)
    while isinstance(inner, CARRIERS):
        if isinstance(inner, exp.Window):
            step, in_window = window_way(step), True
        elif isinstance(inner, CARRYING_AGGREGATES):
            step = step if isinstance(inner, VALUES_AT) and in_window else aggregate_of(step)
            others.extend(
                (each, step) for each in inner.iter_expressions() if each is not inner.this
            )

        inner = inner.this

    inner = with_names_of_type(inner)
    held = struct_inside(inner, node, scope)
    if not isinstance(held, Struct):
        return None

    if inner is node and changes_fields(node):
        return held

    beside = [(expression_in(scope, other), way) for other, way in others]
    made = carry(held, step, value_of(node, NEUTRAL, scope), beside, node)
    if is_passed_on:
        return made

    return Row(made, made.fields, made.names, made.rest)


def struct_inside(inner: exp.Expr, node: exp.Expr, scope: Scope) -> Lineage | None:
    """The struct that a node passes on: one that is built, parsed or changed there, or a column's."""
    if isinstance(inner, (exp.Struct, exp.Tuple)):
        return struct_of(inner, scope)

    if is_document(inner):
        whole = value_of(inner, NEUTRAL, scope)
        return parsed_document(inner, whole, scope.evaluation.facts.name)

    if changes_fields(inner):
        return changed_struct(inner, scope)

    if inner is node or not isinstance(inner, exp.Column) or isinstance(inner.this, exp.Star):
        return None

    return held_by(inner, scope)


def changes_fields(node: exp.Expr) -> TypeGuard[exp.Anonymous]:
    """Tell whether a call returns its first argument with other fields.

    struct_insert(s, z := b), struct_update(s, x := b)      DuckDB
    """
    called = isinstance(node, exp.Anonymous) and node.name.lower() in CHANGES_FIELDS
    return called and bool(node.expressions)


CHANGES_FIELDS = frozenset(("struct_insert", "struct_update"))


def changed_struct(node: exp.Anonymous, scope: Scope) -> Struct:
    """Return the struct of a call that sets fields.

    struct_insert(s, z := b)      z is b; any other field is that of s
    """
    first, *fields = node.expressions
    whole = value_of(node, NEUTRAL, scope)
    made = as_struct(struct_of(first, scope))
    for field in fields:
        entry = struct_entry(field)
        if entry is not None:
            made = made.with_field(whole, entry[0], struct_of(entry[1], scope))

    return made


def held_by(node: exp.Column, scope: Scope) -> Lineage:
    """The lineage of a column that is looked at, and not read: whatever is counted is counted when
    it is.
    """
    evaluation = scope.evaluation
    counted = (evaluation.references, evaluation.ambiguous, evaluation.unresolved)
    held = scope.column(node).lineage
    evaluation.references, evaluation.ambiguous, evaluation.unresolved = counted
    return held


def with_names_of_type(node: exp.Expr) -> Any:
    """Give a row the field names of the type it is cast to.

    CAST(ROW(a, b) AS ROW(p INT, q INT))      a struct of p and q
    """
    if not isinstance(node, exp.Cast) or not isinstance(node.this, (exp.Struct, exp.Tuple)):
        return node

    names = [field.this for field in node.to.expressions if isinstance(field, exp.ColumnDef)]
    items = node.this.expressions
    if len(names) != len(items):
        return node

    pairs = zip(names, items, strict=True)
    return exp.Struct(
        expressions=[
            exp.PropertyEQ(this=name.copy(), expression=argument_value(item).copy())
            for name, item in pairs
        ]
    )


def with_names_of_items(node: exp.Expr) -> Any:
    """Give the items of an array the field names of their type.

    ARRAY<STRUCT<p INT64, q STRING>>[(a, b), (c, d)]      an array of structs of p and q
    """
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Array):
        kind = node.to.expressions[:1]
    else:
        kind = []

    tuples = node.this.expressions if kind else []
    if not tuples or not all_are(tuples, exp.Tuple):
        return node

    return exp.Array(
        expressions=[
            with_names_of_type(exp.Cast(this=exp.Struct(expressions=item.expressions), to=kind[0]))
            for item in tuples
        ]
    )


def item_of(node: exp.Expr, scope: Scope) -> Struct | None:
    """Return the struct that stands for any item of an array.

    [STRUCT(a AS p, 1 AS q), (b, 2)]

    an item: p is a or b, q has no source; the first names the fields
    """
    node = with_names_of_items(node)
    items = node.expressions if isinstance(node, exp.Array) else []
    if not items or not isinstance(items[0], exp.Struct):
        return None

    if not all_are(items, (exp.Struct, exp.Tuple)):
        return None

    rows = [[struct_of(argument_value(part), scope) for part in item.expressions] for item in items]
    names = [field_name(part, position) for position, part in enumerate(items[0].expressions)]
    return build_items(value_of(node, VALUE, scope), names, rows)


def zipped_item(node: exp.Expr, scope: Scope) -> Row | None:
    """Return the row that stands for any item of arrays that are zipped.

    list_zip(a, b), arrayZip(a, b)      an item: a's at position 1, b's at 2
    """
    name = node.name.lower() if isinstance(node, exp.Anonymous) else node.key
    titles = ZIPPED.get(name)
    if titles is None:
        return None

    arrays = node.expressions
    names = list(map(titles.format, range(1, len(arrays) + 1)))
    if isinstance(node, exp.ArraysZip):
        names = [array.name or str(position) for position, array in enumerate(arrays)]

    items = [keep_item(array, scope) for array in arrays]
    return build_struct(value_of(node, VALUE, scope), list(zip(names, items, strict=True)))


def keep_item(array: Any, scope: Scope) -> Lineage:
    """An item of an array: a part of the column that the array is."""
    item = value_of(array, VALUE, scope)
    return keep_own_part(array, item, scope) if leads_to_part(array) else item


def keep_own_part(node: exp.Expr, lineage: Lineage, scope: Scope) -> Lineage:
    """Return the lineage of a part of a column's value, or of an item of it.

    t.doc -> 'items'      its fields are further down the path, unless the column is computed
    """
    base, names, _ = path_of(node)
    held = field_of(Slot("", "", held_by(base, scope)), names, node).lineage
    if isinstance(held, Struct):
        return keep_parts(lineage, held)

    if is_own(held):
        return Part(lineage)

    return lineage


ZIPPED = {
    "list_zip": "element{}", "array_zip": "element{}", "arrayzip": "{}", "zip": "col{}", "arrayszip": "{}",
}  # fmt: skip
"""Functions that make one array of rows from several arrays, and how the fields are called."""


def argument_value(part: Any) -> Any:
    """Return the value of a named argument.

    a AS p, p := a      a
    """
    if isinstance(part, exp.PropertyEQ):
        return part.args["expression"]

    return part.unalias()


def field_name(part: Any, position: int) -> str:
    """Return the name of a struct's field.

    a AS p, p := a, a, 1      p, p, a, col4
    """
    named = part.this if isinstance(part, exp.PropertyEQ) else part
    if isinstance(named, (exp.Identifier, exp.Column, exp.Alias)):
        return named.alias_or_name

    return f"col{position + 1}"


def struct_of(node: exp.Expr, scope: Scope) -> Lineage:
    """Return the lineage of a struct.

    STRUCT(a AS p, b AS q), (a, b)      a value that knows of its fields
    """
    if not isinstance(node, (exp.Struct, exp.Tuple)):
        held = item_of(node, scope)
        held = held if held is not None else struct_passed_on(node, scope)
        if held is not None:
            return held

        return value_with_parts(node, scope)

    whole = value_of(node, NEUTRAL, scope)
    if has_star(node):
        return struct_of_star(node, whole, scope)

    return build_struct(
        whole, [(name, struct_of(item, scope)) for name, item in struct_items(node).items()]
    )


def value_with_parts(node: exp.Expr, scope: Scope) -> Lineage:
    """Return a value with its parts.

    STRUCT(s.c AS c)      c is still a part of s, whose fields are further down
    """
    lineage = value_of(node, NEUTRAL, scope)
    if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
        return keep_parts(lineage, held_by(node, scope))

    part = (
        step_of(node) is not None and leads_to_part(node) and reaches(path_of(node).names, lineage)
    )
    if part:
        return Part(lineage)

    return lineage


def has_star(node: exp.Struct | exp.Tuple) -> bool:
    """Tell whether a struct has a star among its fields.

    STRUCT(t.*, a)      whether some of the fields are those of a row
    """
    return any(isinstance(item, exp.Star) or is_row_star(item) for item in node.expressions)


def is_row_star(node: exp.Expr) -> bool:
    """Tell whether an item is the star of a source.

    t.*
    """
    return isinstance(node, exp.Column) and isinstance(node.this, exp.Star)


def struct_of_star(node: exp.Struct | exp.Tuple, whole: Lineage, scope: Scope) -> Lineage:
    """Return the lineage of a struct that lists a star.

    struct(t.*, a + 1 AS b)      a field for each column of t, and b

    Where the columns of t are not known, any other field is a column of t.
    """
    found: dict[str, Lineage] = {}
    open_stars: list[Lineage] = []
    for item in node.expressions:
        if isinstance(item, exp.Star) or is_row_star(item):
            slots = scope.evaluation.star_slots(item, scope)
            found.update((slot.name, slot.lineage) for slot in slots if slot.star is None)
            open_stars += [slot.lineage for slot in slots if slot.star is not None]
        elif (named := struct_entry(item)) is not None:
            found[named[0]] = struct_of(named[1], scope)

    if len(open_stars) > 1:
        return whole

    return build_struct(whole, found.items(), next(iter(open_stars), None))


def struct_item(node: exp.Struct, name: str) -> Any:
    """Find the value of a field by its name, whatever the case."""
    wanted = name.lower()
    return next((item for key, item in struct_items(node).items() if key.lower() == wanted), None)


def struct_items(node: exp.Struct | exp.Tuple) -> dict[str, Any]:
    """The fields by their names, in order; one without a name, or with that of another, is called
    by its position.

    STRUCT(a AS p, b + 1, p)      p, col2, col3
    """
    found: dict[str, Any] = {}
    taken: set[str] = set()
    for position, item in enumerate(node.expressions):
        name, value = struct_entry(item) or (f"col{position + 1}", argument_value(item))
        if name.lower() in taken:
            name = f"col{position + 1}"

        taken.add(name.lower())
        found[name] = value

    return found


def struct_entry(item: exp.Expr) -> tuple[str, Any] | None:
    """Return the name and the value of one field.

    p := a, a AS p, a      a field's name and its value
    """
    if isinstance(item, exp.PropertyEQ):
        return item.this.name, item.args["expression"]

    if isinstance(item, (exp.Column, exp.Alias)) and item.alias_or_name:
        return item.alias_or_name, item.unalias()

    return None

"""Catalyst's expressions: the same walk from the outside in, over Spark's own classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lineal.algebra.expression import (
    VALUE,
    aggregate_of,
    chosen_by_first,
    chosen_by_operand,
    chosen_in_turns,
    counted,
    first_that_is_there,
    first_unless_equal,
    masked,
    over,
    value,
    when,
    windowed,
)
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.functions import Function, Role, known
from lineal.algebra.lineage import NOTHING, Expression, Lineage, pour, united
from lineal.algebra.relation import take_existence, take_value
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
    read_part,
)
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.way import IDENTITY, Clause, Way

Stack = list[tuple[Node, Way, Any]]


class Scope:
    """The frame that attributes are looked up in, and the one around a subquery."""

    __slots__ = ("clause", "frame", "parent", "plan")

    def __init__(
        self, frame: Frame, parent: Scope | None, plan: Any, clause: Clause = Clause.SELECT
    ) -> None:
        self.frame = frame
        self.parent = parent
        self.plan = plan
        self.clause = clause

    def knows_attribute(self, key: str) -> bool:
        return key in self.frame.index or (
            self.parent is not None and self.parent.knows_attribute(key)
        )

    def find_attribute(self, node: Node) -> Slot:
        """a#12      the slot with that id, here or in the query around"""
        key = expression_id(node.args)
        scope: Scope | None = self
        while scope is not None:
            slot = scope.frame.index.get(key)
            if slot is not None:
                if slot.scanned is not None:
                    self.plan.read(slot.scanned, self.clause)
                return slot
            scope = scope.parent
        return Slot(str(node.args.get("name", "")), key, NOTHING)

    def expression(self, node: Node) -> Expression:
        """An expression of the plan, whose attributes are looked up here."""
        return lambda way, into: gather(node, way, into, self)

    def expressions(self, nodes: Iterable[Node]) -> list[Expression]:
        return [self.expression(node) for node in nodes]


Handler = Callable[[Node, Way, Any, Stack, Scope, Lineage], None]


def gather(root: Node, way: Way, into: Lineage, scope: Scope) -> None:
    """Add the influences of every attribute below `root`, each composed with `way`."""
    stack: Stack = [(root, way, None)]
    while stack:
        node, way, calls = stack.pop()
        handler = EXPRESSIONS.get(node.name)
        if handler is not None:
            handler(node, way, calls, stack, scope, into)
        elif "replacement" in node.args:
            replaceable(node, way, calls, stack, scope, into)
        elif scope.plan.names.own_functions and (row := own_row(node, scope)) is not None:
            by_row(row, node, node.children, way, calls, stack)
        else:
            by_function_table(node, node.children, way, calls, stack)


def own_row(node: Node, scope: Scope) -> Function | None:
    """tokenize_pii(a)

    a function of Python, Scala or Hive that the project file lists, or one of Spark's own
    """
    called = node.args.get("name") or node.args.get("udfName") or class_function_name(node.name)
    found: Function | None = scope.plan.names.own_functions.get(
        str(called).rpartition(".")[2].lower()
    )
    return found


def influences_of(node: Node, way: Way, scope: Scope) -> Lineage:
    into: Lineage = {}
    gather(node, way, into, scope)
    return into


def push_children(children: list[Node], way: Way, calls: Any, stack: Stack) -> None:
    stack.extend((child, way, calls) for child in reversed(children))


# -- leaves ----------------------------------------------------------------------------------------


def attribute_reference(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """a#12"""
    slot = scope.find_attribute(node)
    keys = scope.plan.grouping.get(slot.key)
    if keys is not None:  # grouping_id()
        for lineage in keys:
            pour(lineage, when(way), into, None, calls)
    pour(slot.lineage, way, into, node, calls)


def variable_reference(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """v, after SET VAR v = (SELECT max(a) FROM t)      max(a)"""
    pour(scope.plan.variable_lineage(str(node.args.get("variable", ""))), way, into, node, calls)


def outer_reference(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """outer(a#12)      an attribute of the query around"""
    push_children(node.trees("e"), way, calls, stack)


def without_columns(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """1, current_date(), a lambda's variable"""


def pass_through(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """a AS b, and what the analyser adds without changing a value"""
    push_children(node.children, way, calls, stack)


def user_cast(node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """CAST(a AS INT)

    a transformation when the user wrote it, none when the analyser inserted it
    """
    if node.args.get("user") is False:
        push_children(node.children, way, calls, stack)
    else:
        push_children(node.children, value(way), (node, calls), stack)


# -- conditions ------------------------------------------------------------------------------------


def case_when(node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """CASE WHEN t1 THEN v1 … ELSE v END      children: t1, v1, …, v"""
    around = (node, calls)
    stack.extend((child, step, around) for child, step in chosen_in_turns(node.children, way))


def if_else(node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """if(test, yes, no), unless the engine fits a struct to a type by it"""
    whole = refitted(node)
    if whole is not None:
        stack.append((whole, way, calls))
    else:
        by_law(chosen_by_first, node, node.children, way, calls, stack)


def first_not_null(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """coalesce(a, b)"""
    by_law(first_that_is_there, node, node.children, way, calls, stack)


Law = Callable[[Sequence[Node], Way], list[tuple[Node, Way]]]


def by_law(law: Law, node: Node, arguments: list[Node], way: Way, calls: Any, stack: Stack) -> None:
    """Push the arguments of a call, each with what it is to the value; the first is walked first."""
    around = (node, calls)
    stack.extend((argument, step, around) for argument, step in reversed(law(arguments, way)))


REPLACED: dict[str, Law] = {
    "Nvl": first_that_is_there,
    "IfNull": first_that_is_there,
    "ZeroIfNull": first_that_is_there,
    "NullIf": first_unless_equal,
    "NullIfZero": first_unless_equal,
    "Nvl2": chosen_by_first,
    "Decode": chosen_by_operand,
}
"""Functions of which the engine keeps what it computes instead, by the law of what the user wrote.
"""

TWO_MEANINGS = {"Decode": 2}
"""decode(a, 'UTF-8')      with so many arguments it is a function like any other"""


def replaceable(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """nvl(a, b), left(a, 2), count_if(a)

    as the user wrote it, not as the engine will compute it
    """
    written = arguments_of(node)
    if not written or any(is_stale(argument, scope) for argument in written):
        push_children(node.children, way, calls, stack)
        return
    law = REPLACED.get(node.name)
    if law is not None and len(written) != TWO_MEANINGS.get(node.name):
        by_law(law, node, written, way, calls, stack)
    else:
        by_function_table(node, written, way, calls, stack)


def is_stale(node: Node, scope: Scope) -> bool:
    """t JOIN t, and nullif(a, 1) of either

    the analyser gives one side new ids, but not what the user wrote
    """
    stack = [node]
    while stack:
        here = stack.pop()
        if here.name == "AttributeReference" and not scope.knows_attribute(
            expression_id(here.args)
        ):
            return True
        stack.extend(here.children)
    return False


def arguments_of(node: Node) -> list[Node]:
    """try_element_at(a, 1)      a and 1, which its replacement may hold in any shape"""
    if "replacement" not in node.args:
        return node.children
    return [tree for field in node.args if field != "replacement" for tree in node.trees(field)]


# -- functions and aggregates ----------------------------------------------------------------------


def by_function_table(
    node: Node, arguments: list[Node], way: Way, calls: Any, stack: Stack
) -> None:
    """f(a, b)      by the function table"""
    by_row(known(class_function_name(node.name)), node, arguments, way, calls, stack)


def by_row(
    row: Function | None, node: Node, arguments: list[Node], way: Way, calls: Any, stack: Stack
) -> None:
    masks = row is not None and row.masks
    if is_aggregate(node) or (row is not None and row.role in (Role.AGGREGATE, Role.ORDERED)):
        push_aggregate(
            node, arguments, counted(way) if masks else aggregate_of(way), way, calls, stack
        )
    else:
        push_children(arguments, masked(way) if masks else value(way), (node, calls), stack)


def push_aggregate(
    node: Node, arguments: list[Node], step: Way, way: Way, calls: Any, stack: Stack
) -> None:
    """listagg(a) WITHIN GROUP (ORDER BY b)      b: WINDOW"""
    around = (node, calls)
    for child in reversed(arguments):
        orders = child.name == "SortOrder" and len(arguments) > 1
        stack.append((child, over(way) if orders else step, around))


def is_aggregate(node: Node) -> bool:
    name = str(node.args.get("class", ""))
    return ".expressions.aggregate." in name or node.name == "PythonUDAF"


def aggregate_expression(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """sum(a) FILTER (WHERE b)      b: CONDITIONAL"""
    call, *conditions = node.children
    push_children(conditions, when(way), (call, calls), stack)
    if call.name in EXPRESSIONS or "replacement" in call.args or is_aggregate(call):
        stack.append((call, way, calls))
    else:
        push_aggregate(call, call.children, aggregate_of(way), way, calls, stack)


def pivot_first(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """pivotfirst(kind, sum(a))      the pivoted column decides"""
    pivoted, pivoted_value = node.children[:2]
    stack.append((pivoted_value, aggregate_of(way), calls))
    stack.append((pivoted, when(way), calls))


def window_expression(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """sum(a) OVER (PARTITION BY b ORDER BY c)      a: AGGREGATION, b, c: WINDOW"""
    inner = windowed(way)
    call, specification = node.children
    keys = [child for child in specification.children if not child.name.endswith("Frame")]
    made = call.children[0] if call.name == "AggregateExpression" else call
    push_children(keys, over(inner), (made, calls), stack)
    row = known(class_function_name(made.name))
    if row is not None and row.role is Role.RANKING:
        return
    if row is not None and row.role is Role.VALUE_AT:
        push_children(made.children, value(inner), (made, calls), stack)
    else:
        stack.append((call, inner, calls))


# -- structs, lambdas, subqueries ------------------------------------------------------------------


def struct_field(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """s.y.z, m['k'].z, xs[0].z

    the path stays on the origin; a struct built here gives only what is read of it
    """
    path: list[str] = []
    base = node
    while base.name in FIELDS or (base.name == "Cast" and path):
        if base.name in FIELDS:
            path[:0] = FIELDS[base.name](base)
            for other in arguments_of(base)[1:]:
                stack.append((other, value(way), (node, calls)))
        base = arguments_of(base)[0]
    base = column_in(base)
    if base.name == "AttributeReference":
        held: Lineage = scope.find_attribute(base).lineage
    elif base.name in BUILDERS:
        held = lineage_with_parts(base, scope)
    elif path and (struct := carried_struct(base, scope)) is not None:
        held = struct
    else:
        stack.append((base, value(way), (node, calls)))
        return
    pour(read_part(held, path), value(way), into, node, (node, calls))


def struct_field_name(node: Node) -> list[str]:
    field = node.args.get("field")
    if isinstance(field, dict):
        return [str(field.get("name", ""))]
    return [str(node.args.get("name") or node.args.get("fieldName") or node.args.get("ordinal"))]


def key_name(node: Node) -> list[str]:
    """m['k']      k"""
    key = arguments_of(node)[1]
    return (
        [str(key.args["value"])]
        if key.name == "Literal" and isinstance(key.args.get("value"), str)
        else []
    )


def no_name(node: Node) -> list[str]:
    """xs[0]      a position is no name"""
    return []


def json_names(node: Node) -> list[str]:
    """get_json_object(j, '$.a[0].b'), variant_get(v, '$.a[0].b', 'int')      a, b"""
    return [
        name for text in key_name(node) for name in JSON_NAMES.findall(text) if not name.isdigit()
    ]


JSON_NAMES = re.compile(r"[^$.\[\]\"'\s]+")


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
BUILDERS = ("CreateNamedStruct", "UpdateFields")


def lineage_with_parts(node: Node, scope: Scope) -> Lineage:
    """named_struct('x', a, 'y', b)      the lineage of the whole, and of each field"""
    while node.name in ("Alias", "KnownNotNull", "KnownNullable"):
        node = node.children[0]
    node = refitted(node) or node
    whole = influences_of(node, IDENTITY, scope)
    if node.name not in BUILDERS:
        if node.name in FIELDS and is_part(node):
            part = held_at(node, scope)
            if isinstance(part, Struct):
                return part.under(whole)
            return Part(whole) if is_own(part) else whole
        if node.name in FIELDS or node.name in CARRIERS:
            return carried_struct(node, scope) or whole
        if node.name == "CreateArray":
            return listed_item(node, scope) or whole
        node = column_in(node)
        if node.name != "AttributeReference":
            return whole
        return keep_parts(whole, scope.find_attribute(node).lineage)
    if node.name == "UpdateFields":
        return updated_struct(node, whole, scope)
    names = [
        str(child.args.get("value", child.args.get("name", ""))).lower()
        for child in node.children[0::2]
    ]
    items = zip(names, node.children[1::2], strict=True)
    return build_struct(whole, [(name, lineage_with_parts(item, scope)) for name, item in items])


def carried_struct(node: Node, scope: Scope) -> Struct | None:
    """collect_list(struct(a, b))[0], lag(struct(a, b)) OVER (…)

    a struct that is passed on has its fields

    max_by(struct(a, b), c)      c is in every one of them
    """
    inner, step, in_window = node, VALUE, False
    others: list[tuple[Node, Way]] = []
    while (carrier := CARRIERS.get(inner.name)) is not None:
        if carrier == OVER:
            step, in_window = windowed(step), True
        elif carrier != PASSED:
            step = step if carrier == AT and in_window else aggregate_of(step)
            others.extend((each, step) for each in arguments_of(inner)[1:])
        inner = arguments_of(inner)[0]
    held = held_in(inner, scope) if inner is not node else None
    if not isinstance(held, Struct):
        return None
    beside = [(scope.expression(other), way) for other, way in others]
    return carry(held, step, influences_of(node, IDENTITY, scope), beside)


def held_in(node: Node, scope: Scope) -> Lineage | None:
    """What is passed on: a struct that is built here, or a column that holds one."""
    if node.name in BUILDERS:
        return lineage_with_parts(node, scope)
    node = column_in(node)
    return scope.find_attribute(node).lineage if node.name == "AttributeReference" else None


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


def listed_item(node: Node, scope: Scope) -> Items | None:
    """array(struct(a AS p, 1 AS q), struct(b, 2))      an item: p is a or b, and q has no source"""
    if (
        node.name != "CreateArray"
        or not node.children
        or any(child.name not in BUILDERS for child in node.children)
    ):
        return None
    structs = [lineage_with_parts(child, scope) for child in node.children]
    names = list(structs[0].fields) if isinstance(structs[0], Struct) else []
    if not names:
        return None
    rows = [list(each.fields.values()) for each in structs if isinstance(each, Struct)]
    return build_items(united(structs), names, rows)


def is_part(node: Node) -> bool:
    """xs, xs[0].price      a column, or a part of one"""
    while node.name in FIELDS:
        node = arguments_of(node)[0]
    return column_in(node).name == "AttributeReference"


def held_at(node: Node, scope: Scope) -> Lineage:
    """x.items

    what a part of a column holds, of which a query inside may have told the fields
    """
    path: list[str] = []
    while node.name in FIELDS:
        path[:0] = FIELDS[node.name](node)
        node = arguments_of(node)[0]
    return read_part(scope.find_attribute(column_in(node)).lineage, path)


def is_part_of_column(node: Node, scope: Scope) -> bool:
    """from_json(doc, …).items[0]      whatever it is, it is no part of doc"""
    while node.name in FIELDS:
        node = arguments_of(node)[0]
    return is_own(scope.find_attribute(column_in(node)).lineage)


def column_in(node: Node) -> Node:
    """outer(a)      a, a column of the query around"""
    return node.trees("e")[0] if node.name == "OuterReference" else node


def updated_struct(node: Node, whole: Lineage, scope: Scope) -> Lineage:
    """s.withField("x", a), s.dropFields("y")

    x comes from a alone, y is gone, the others stay as they were
    """
    found = as_struct(lineage_with_parts(node.children[0], scope))
    for operation in node.children[1:]:
        name = str(operation.args.get("name", ""))
        if operation.children:
            found = put_field(
                found, [name], lineage_with_parts(operation.children[0], scope), whole
            )
        else:
            found = drop_fields(found, [name], whole)
    return found.under(whole)


def items_or_entries(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """transform(xs, x -> …), map_from_arrays(ks, vs)

    a function, unless the engine fits xs to a type by it
    """
    whole = refitted(node)
    if whole is not None:
        stack.append((whole, way, calls))
    else:
        by_function_table(node, node.children, way, calls, stack)


# -- what the engine puts into another type --------------------------------------------------------


def refitted(node: Node) -> Node | None:
    """if(isnull(s), null, named_struct('b', s.b, 'a', s.a))

    s, which fits the type of a table or of a UNION now

    So the engine reorders the fields of structs by their names, adds those that are missing, and
    pads CHAR: no user has written it, and no value is another one.
    """
    return REFITTED[node.name](node) if node.name in REFITTED else None


def refitted_struct(node: Node) -> Node | None:
    test, missing, struct = node.children
    if test.name != "IsNull" or not is_null_literal(missing) or struct.name != "CreateNamedStruct":
        return None
    whole = test.children[0]
    place = path_from_column(whole)
    return whole if place is not None and has_fields_of(struct, place) else None


def refitted_items(node: Node) -> Node | None:
    """transform(xs, x -> if(isnull(x), null, named_struct('b', x.b, 'a', x.a)))      xs"""
    items, function = node.children
    body, item, *index = (
        function.children if function.name == "LambdaFunction" else (node, node, node)
    )
    if index or body.name == item.name:
        return None
    place = path_from_column(item)
    own_name = item.args.get("name") in ENGINES_VARIABLES
    whole = (
        place is not None
        and own_name
        and body.name == "CreateNamedStruct"
        and has_fields_of(body, place)
    )
    return items if whole or (place is not None and gives(body, place)) else None


def refitted_entries(node: Node) -> Node | None:
    """map_from_arrays(map_keys(m), transform(map_values(m), v -> …))      m"""
    keys, values = (refitted(child) or child for child in node.children)
    if (keys.name, values.name) != ("MapKeys", "MapValues"):
        return None
    whole = keys.children[0]
    place = path_from_column(whole)
    return whole if place is not None and place == path_from_column(values.children[0]) else None


REFITTED: dict[str, Callable[[Node], Node | None]] = {
    "If": refitted_struct,
    "ArrayTransform": refitted_items,
    "MapFromArrays": refitted_entries,
}

ENGINES_VARIABLES = ("element", "key", "value")
"""What Spark calls an item in the functions with which it fits arrays and maps to the table that
they go to.
"""


def has_fields_of(struct: Node, place: tuple[str, ...]) -> bool:
    """named_struct('b', s.b, 'c', null, 'a', s.a)

    some fields of s, and missing ones, under their own names
    """
    names = [str(child.args.get("value", "")).lower() for child in struct.children[0::2]]
    values = struct.children[1::2]
    return all(
        is_null_literal(value) or gives(value, (*place, name))
        for name, value in zip(names, values, strict=True)
    )


def gives(node: Node, place: tuple[str, ...]) -> bool:
    while is_engines_own(node):
        node = node.children[0]
    return path_from_column(refitted(node) or node) == place


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


def is_engines_own(node: Node) -> bool:
    if node.name == "StaticInvoke":
        return checks_length(node)
    return EXPRESSIONS.get(node.name) is pass_through or (
        node.name == "Cast" and node.args.get("user") is False
    )


def is_null_literal(node: Node) -> bool:
    while node.name == "Cast":
        node = node.children[0]
    return node.name == "Literal" and "value" in node.args and node.args["value"] is None


def engine_time_window(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """window(t, '5 minutes').start      of the engine's arithmetic, only the time that goes in"""
    inner = [child for child in node.children if child.name != "Literal"]
    while inner and inner[0].name != node.name:
        inner = inner[0].children
    time = inner[0].children if inner else node.children
    push_children(time, value(way), (node, calls), stack)


def lambda_function(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """x -> x + a      only the body"""
    stack.append((node.children[0], way, calls))


def subquery_value(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """(SELECT max(a) FROM t WHERE b)      the value composes, the rows keep their own subtype"""
    for frame in scope.plan.frames_of(node, scope):
        take_value(frame, way, into, into, calls)


def exists_subquery(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """EXISTS (…)      no value, only the rows count"""
    for frame in scope.plan.frames_of(node, scope):
        take_existence(frame, into)


def shift_right(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """grouping(a), as shiftright(spark_grouping_id, k)      the key at that bit decides"""
    left, right = node.children
    keys = None
    if left.name == "AttributeReference":
        keys = scope.plan.grouping.get(expression_id(left.args))
    bit = right.args.get("value")
    if keys is None or bit is None or not str(bit).isdigit():
        by_function_table(node, node.children, way, calls, stack)
        return
    pour(keys[len(keys) - 1 - int(bit)], when(way), into, None, calls)


def scalar_function(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """f(a), a SQL function, inlined      what its body does to a"""
    push_children(node.children, value(way), (node, calls), stack)


def static_invoke(
    node: Node, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """Padding and length checks of CHAR and VARCHAR are the engine's own."""
    inserted = checks_length(node)
    push_children(
        node.children, way if inserted else value(way), calls if inserted else (node, calls), stack
    )


def checks_length(node: Node) -> bool:
    return str(node.args.get("functionName", "")).endswith(("WriteSideCheck", "readSidePadding"))


EXPRESSIONS: dict[str, Handler] = {
    "AttributeReference": attribute_reference,
    "OuterReference": outer_reference,
    "VariableReference": variable_reference,
    "Literal": without_columns,
    "NamedLambdaVariable": without_columns,
    "Alias": pass_through,
    "MultiAlias": pass_through,
    "SortOrder": pass_through,
    "KnownNotNull": pass_through,
    "KnownNullable": pass_through,
    "AssertNotNull": pass_through,
    "UpCast": pass_through,
    "CheckOverflow": pass_through,
    "CheckOverflowInTableInsert": pass_through,
    "CheckOverflowInTableWrite": pass_through,
    "PromotePrecision": pass_through,
    "TempResolvedColumn": pass_through,
    "Collate": pass_through,
    "NormalizeNaNAndZero": pass_through,
    "Cast": user_cast,
    "TryCast": user_cast,
    "AnsiCast": user_cast,
    "CaseWhen": case_when,
    "If": if_else,
    "Coalesce": first_not_null,
    "AggregateExpression": aggregate_expression,
    "PivotFirst": pivot_first,
    "WindowExpression": window_expression,
    **dict.fromkeys(FIELDS, struct_field),
    "LambdaFunction": lambda_function,
    "PreciseTimestampConversion": engine_time_window,
    "ScalarSubquery": subquery_value,
    "ListQuery": subquery_value,
    "LateralSubquery": subquery_value,
    "Exists": exists_subquery,
    "ShiftRight": shift_right,
    "SQLScalarFunction": scalar_function,
    "StaticInvoke": static_invoke,
    "ArrayTransform": items_or_entries,
    "MapFromArrays": items_or_entries,
}

CLASS_NAMES = {
    "Average": "avg", "Murmur3Hash": "hash", "HiveHash": "hash", "CaseWhen": "case", "EqualTo": "compare",
    "EqualNullSafe": "compare", "GreaterThan": "compare", "GreaterThanOrEqual": "compare", "LessThan": "compare",
    "LessThanOrEqual": "compare", "HyperLogLogPlusPlus": "approx_count_distinct", "NTile": "ntile", "First": "first",
    "Last": "last", "CollectList": "array_agg", "StddevSamp": "stddev_samp", "XxHash64": "xxhash64",
    "GetStructField": "getfield", "GetArrayStructFields": "getfield", "GetArrayItem": "getitem",
    "GetMapValue": "getitem",
    "Remainder": "modulo", "UnaryMinus": "negate", "AttributeReference": "", "SQLScalarFunction": "", "And": "",
    "Or": "", "Md5": "md5",
    "Sha1": "sha1", "Sha2": "sha2", "Crc32": "crc32", "NullIf": "nullif", "InSubquery": "in",
    "PosExplode": "posexplode", "IsNotNull": "is",  "IsNull": "is",
}  # fmt: skip


def class_function_name(name: str) -> str:
    """CollectSet → collect_set: the name that the function table knows a class by"""
    found = CLASS_NAMES.get(name)
    if found is not None:
        return found
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()

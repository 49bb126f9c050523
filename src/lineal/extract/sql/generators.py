"""Generators: explode, posexplode, inline, stack, in a SELECT list or in FROM."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import LATERAL
from lineal.algebra.expression import VALUE
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Expression, Lineage, absorb
from lineal.algebra.relation import explode, one_row, project, rename, repeat
from lineal.algebra.values import Items
from lineal.extract.sql.composites import origin_type
from lineal.extract.sql.expressions import (
    HANDLERS,
    Calls,
    Visit,
    expression_in,
    function,
    gather,
    item_of,
    keep_own_part,
    struct_passed_on,
    value_of,
    zipped_item,
)
from lineal.extract.sql.nodes import list_arg
from lineal.extract.sql.paths import leads_to_part
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import field_of
from lineal.extract.sql.structs import field_names, is_struct
from lineal.model.sequences import any_is, first_of_each, first_or_none, only_or_none
from lineal.model.way import IDENTITY, Clause, Way


def generator_columns(item: Any, alias: Any, scope: Scope, rows: Lineage) -> list[Slot]:
    """Return the columns that a generator in the SELECT list makes.

    SELECT explode(xs) AS x, stack(2, a, b) AS (p)

    rows are made of one value, columns of its parts
    """
    evaluation = scope.evaluation
    identifiers = [alias] if alias is not None else []
    if isinstance(item, exp.Aliases):
        identifiers, item = item.expressions, item.this

    if isinstance(item, exp.QueryTransform):
        return script_columns(item, scope)

    item = as_inline(item)
    names = [(i.name, evaluation.fold(i.name, i.args.get("quoted"))) for i in identifiers]
    if isinstance(item, exp.Stack):
        return list(rename(stack_columns(item, scope), names).slots)

    if is_json_tuple(item):
        return list(json_tuple(item, first_of_each(names), scope).slots)

    if not isinstance(item, GENERATOR_CALLS):  # f(a) AS (p, q)
        lineage = value_of(item, IDENTITY, scope)
        return [Slot(name, key, lineage) for name, key in names]

    if evaluation.facts.unnests_structs and not names and (taken := taken_apart(item, scope, rows)):
        return taken

    if not names and not isinstance(item, exp.Inline):
        names = [(name, name) for name in default_names(item, scope)]

    frame = lateral_view_columns([item], first_of_each(names), scope)
    absorb(frame.rows, rows)
    scope.clause = Clause.SELECT
    return list(rename(frame, names).slots)


CALLED_BY_NAME = frozenset(("inline_outer", "json_tuple", "parse_url_tuple"))
"""Generators that the parser has no class for."""


def is_generator(item: exp.Expr) -> bool:
    """Tell whether a call makes rows.

    explode(xs), inline_outer(xs)      whether a call makes rows
    """
    return item.__class__ in GENERATORS or (
        isinstance(item, exp.Anonymous) and item.name.lower() in CALLED_BY_NAME
    )


def as_inline(item: exp.Expr) -> Any:
    """Return an outer generator as its plain form.

    inline_outer(xs)      inline(xs), and a row of NULLs where xs is empty
    """
    if (
        isinstance(item, exp.Anonymous)
        and item.name.lower() == "inline_outer"
        and len(item.expressions) == 1
    ):
        return exp.Inline(this=item.expressions[0].copy())

    return item


def taken_apart(item: exp.Expr, scope: Scope, rows: Lineage) -> list[Slot]:
    """Return the columns of DuckDB's unnest.

    unnest(s), unnest(xs, recursive := true)      DuckDB: a column for each field of a struct

    Those of the items of a list only where it is asked to go on; a list decides how many rows there
    are.
    """
    if not isinstance(item, exp.Explode):
        return []

    lineage = struct_passed_on(item.this, scope) or parts_of(
        item.this, value_of(item.this, VALUE, scope), scope
    )
    struct = isinstance(item.this, exp.Struct) or is_struct(
        lineage, scope.evaluation.catalog, "duckdb"
    )
    goes_on = any(
        setting.name.lower() in ("recursive", "max_depth") for setting in item.expressions
    )
    if not (struct or goes_on):
        return []

    found = each_part(Slot("", "", lineage), item, scope, goes_on)
    if found and not struct:
        gather(item.this, LATERAL, rows, scope)

    return found


def each_part(value: Slot, node: exp.Expr, scope: Scope, goes_on: bool) -> list[Slot]:
    """Return the fields of a struct, one column each.

    unnest(s)      a column for each field, and for the fields of those, where it goes on
    """
    slots: list[Slot] = []
    for name in field_names(value.lineage, (), scope.evaluation.catalog):
        field = field_of(value, [name], node)._replace(
            name=name, key=scope.evaluation.fold(name, False)
        )
        slots.extend((each_part(field, node, scope, goes_on) if goes_on else []) or [field])

    return slots


def script_columns(item: exp.QueryTransform, scope: Scope) -> list[Slot]:
    """Return the columns that a script makes.

    TRANSFORM (a, b) USING 'script' AS (p, q)

    nobody knows what the script does: p and q are made of a and b
    """
    lineage: Lineage = {}
    for argument in item.expressions:
        gather(argument, VALUE, lineage, scope)

    schema = item.args.get("schema")
    if schema is not None:
        names = [column.name for column in schema.expressions]
    else:
        names = ["key", "value"]

    return [Slot(name, scope.evaluation.fold(name, False), lineage) for name in names]


def stack_columns(item: exp.Stack, scope: Scope) -> Frame:
    """Return the columns of stack.

    stack(2, 'a', a, 'b', b)      two rows of two columns: 'a' and 'b', a and b
    """
    if isinstance(item.this, exp.Literal) and item.this.name.isdigit():
        count = int(item.this.name)
    else:
        count = 1

    width = max(1, -(-len(item.expressions) // max(1, count)))
    found = [value_of(argument, IDENTITY, scope) for argument in item.expressions]
    titles = [(f"col{position}", f"col{position}") for position in range(width)]
    return repeat(
        one_row(), [(title, found[position::width]) for position, title in enumerate(titles)]
    )


def default_names(item: exp.Expr, scope: Scope) -> tuple[str, ...]:
    """Return the names of a generator's columns.

    explode(xs), explode(attrs)      col; key and value
    """
    if scope.evaluation.facts.unnests_structs:
        return (f"unnest({item.this.sql(dialect='duckdb')})",)

    names = GENERATED.get(type(item), ("col",))
    if names[-1] == "col" and (is_map(item.this, scope) or is_used_as_map(item)):
        return (*names[:-1], "key", "value")

    return names


def is_map(node: exp.Expr, scope: Scope) -> bool:
    """Tell whether a generator takes a map apart.

    explode(attrs), explode(map(…))      an item of a map has a key and a value
    """
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in MAPS

    if not isinstance(node, exp.Column):
        return isinstance(node, (exp.Map, exp.VarMap, exp.MapFromEntries, exp.StrToMap))

    origins = list(scope.column(node).lineage)
    if len(origins) != 1 or origins[0][1] is not IDENTITY:
        return False

    return origin_type(origins[0][0], scope).lower().startswith(("map<", "map("))


def is_used_as_map(item: Any) -> bool:
    """Tell whether the query around takes the keys and values of what a generator gives.

    SELECT key, value FROM (SELECT explode(attrs) FROM t)
    """
    inner = item.parent_select
    outer = inner.parent_select if inner is not None else None
    if outer is None or any(each.alias_or_name in PARTS_OF_MAP for each in inner.expressions):
        return False

    used = {column.name.lower() for column in outer.find_all(exp.Column)}
    return used >= PARTS_OF_MAP and "col" not in used


PARTS_OF_MAP = frozenset(("key", "value"))

MAPS = frozenset(
    ("map_filter", "map_concat", "map_zip_with", "transform_keys", "transform_values", "create_map")
)

GENERATED: dict[type, tuple[str, ...]] = {
    exp.Posexplode: ("pos", "col"),
    exp.PosexplodeOuter: ("pos", "col"),
    exp.Unnest: ("unnest",),
}


GENERATOR_CALLS = (
    exp.Explode,
    exp.ExplodeOuter,
    exp.Posexplode,
    exp.PosexplodeOuter,
    exp.Inline,
    exp.Unnest,
)


GENERATORS = frozenset(
    (
        *GENERATOR_CALLS,
        exp.FUNCTION_BY_NAME["EXPLODE_OUTER"],
        exp.Stack,
        exp.Aliases,
        exp.QueryTransform,
    )
)
"""Functions that make rows of one value, and expressions with several aliases."""


def lateral_view_columns(arguments: list[Any], names: list[str], scope: Scope) -> Frame:
    """Return the columns of a lateral view.

    LATERAL VIEW explode(xs) t AS x      x ← xs TRANSFORMATION, xs ⇒ JOIN
    """
    arguments = list(map(as_inline, arguments))
    if len(arguments) == 1 and isinstance(arguments[0], exp.Stack):
        return stack_columns(arguments[0], scope)

    if len(arguments) == 1 and is_json_tuple(arguments[0]):
        return json_tuple(arguments[0], names, scope)

    scope.clause = Clause.LATERAL
    lineage: Lineage = {}
    arrays: list[Expression] = []
    for argument in arguments:
        gather(argument, VALUE, lineage, scope)
        if not has_fixed_count(argument, scope):
            arrays.append(expression_in(scope, argument))

    if len(arguments) == 1:
        lineage = parts_of(exploded_value(arguments[0]), lineage, scope)

    if len(arguments) == 1 and isinstance(arguments[0], exp.Inline):
        items = fields_of_items(arguments[0], lineage, names, scope)
    else:
        fold = scope.evaluation.fold
        items = [Slot(name, fold(name, False), lineage) for name in names or ["col"]]

    return explode(one_row(), items, arrays)


def is_json_tuple(node: exp.Expr) -> bool:
    """Tell whether a call gives one row with a column for each key.

    json_tuple(doc, 'a', 'b'), parse_url_tuple(address, 'HOST')
    """
    return (
        isinstance(node, exp.Anonymous)
        and node.name.lower() in ("json_tuple", "parse_url_tuple")
        and len(node.expressions) > 1
    )


def json_tuple(node: exp.Anonymous, names: list[str], scope: Scope) -> Frame:
    """Return the columns of json_tuple.

    json_tuple(j, 'a', 'b')      j.a and j.b, in one row; parse_url_tuple: both are made of all of it
    """
    document, *keys = node.expressions
    is_document = node.name.lower() == "json_tuple"
    fold = scope.evaluation.fold
    slots = []
    for position, key in enumerate(keys):
        name = names[position] if position < len(names) else f"c{position}"
        part = document
        if is_document:
            part = exp.Bracket(this=document.copy(), expressions=[key.copy()])

        slots.append(Slot(name, fold(name, False), value_of(part, VALUE, scope)))

    return project(one_row(), slots)


def fields_of_items(node: exp.Expr, lineage: Lineage, names: list[str], scope: Scope) -> list[Slot]:
    """Return the fields of an array's items.

    inline(xs), BigQuery's UNNEST(xs)

    a column for each field of an item; of an unknown type, as named
    """
    fields = field_names(lineage, (), scope.evaluation.catalog)
    item = Slot("", "", lineage)
    taken = [field_of(item, [field], node).lineage for field in fields]
    called = names or list(fields) or ["col"]
    fold = scope.evaluation.fold
    return [
        Slot(name, fold(name, False), taken[position] if position < len(taken) else lineage)
        for position, name in enumerate(called)
    ]


def parts_of(argument: Any, lineage: Lineage, scope: Scope) -> Lineage:
    """The lineage of an item, which may be a part of a column, or one of several structs."""
    if leads_to_part(argument):
        return keep_own_part(argument, lineage, scope)

    built = item_of(argument, scope)
    built = built if built is not None else zipped_item(argument, scope)
    built = built if built is not None else struct_passed_on(argument, scope)
    if built is not None:
        return built

    return lineage


def exploded_value(argument: Any) -> Any:
    """Return the value that a generator takes apart.

    explode(xs), FLATTEN(input => x:items), UNNEST(xs)      what is taken apart
    """
    while isinstance(argument, (*GENERATOR_CALLS, exp.Kwarg)):
        inner = argument.args.get("expression" if isinstance(argument, exp.Kwarg) else "this")
        if inner is None:
            inner = first_or_none(argument.expressions)

        argument = inner

    return argument


def has_fixed_count(argument: Any, scope: Scope) -> bool:
    """Tell whether the text fixes the number of items.

    explode(array(a, b))

    the text says how many rows there are, unlike that of [x FOR x IN xs]

    Also where a CTE has listed the items.
    """
    while isinstance(
        argument, (exp.UDTF, exp.Explode, exp.Posexplode, exp.Inline, exp.Paren, exp.Cast)
    ):
        inner = argument.this if argument.args.get("this") is not None else None
        if inner is None:
            inner = only_or_none(argument.expressions)

        argument = inner

    if isinstance(argument, exp.Column) and not isinstance(argument.this, exp.Star):
        return isinstance(scope.column(argument).lineage, Items)

    if not isinstance(argument, (exp.Array, exp.Map, exp.VarMap, exp.Struct)):
        return False

    return not any_is(argument.expressions, (exp.Comprehension, exp.Query))


FLATTENED = ("seq", "key", "path", "index", "value", "this")
"""The columns of Snowflake's FLATTEN."""


def column_names(alias: exp.TableAlias | None) -> list[str]:
    """Return the column names that an alias lists.

    AS t(p, q)      p and q
    """
    if alias is not None:
        return [column.name for column in list_arg(alias, "columns")]

    return []


def set_of_rows(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Note the arrays that decide how many rows a query has.

    SELECT upper(unnest(xs))

    xs decides how many rows there are, wherever the function stands
    """
    makes_rows = isinstance(node, exp.Explode) or visit.scope.evaluation.facts.sets_in_select
    if makes_rows and visit.scope.clause is Clause.SELECT and visit.scope.rows is not None:
        for argument in node.iter_expressions():
            if not has_fixed_count(argument, visit.scope):
                gather(argument, LATERAL, visit.scope.rows, visit.scope)

    function(node, way, calls, visit)


HANDLERS[exp.Explode] = set_of_rows
HANDLERS[exp.ExplodingGenerateSeries] = set_of_rows

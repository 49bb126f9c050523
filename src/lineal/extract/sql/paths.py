"""Paths into a value: a.b[0].c, a:b.c, a -> 'b' ->> 'c', json_extract(a, '$.b.c')."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.lineage import Lineage
from lineal.algebra.values import PATH_DEPTH
from lineal.extract.sql.dialects import EITHER, LAMBDAS
from lineal.extract.sql.nodes import holds, is_string
from lineal.model.late_pattern import late_pattern
from lineal.model.sequences import instances, present


class Path(NamedTuple):
    """The start of a path, its names, and the other expressions that it reads."""

    base: Any
    names: list[str]
    beside: list[Any]
    """a[b]      b is read, too"""


def path_of(node: Any) -> Path:
    """Return the whole path that ends in a node; positions in arrays are left out, and so are a
    cast or PARSE_JSON on the way.
    """
    names: list[str] = []
    beside: list[Any] = []
    while True:
        step = step_of(node)
        if step is not None:
            found, others = step(node)
            names = [*found, *names]
            beside.extend(others)
            node = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
        elif isinstance(node, exp.Paren) or (names and is_passed_through(node)):
            node = node.this
        elif names and passes_fields(node):
            node, others = array_of(node)
            beside.extend(others)
        else:
            return Path(as_variable(node) if names else node, names, beside)


def as_variable(node: Any) -> Any:
    """x -> x.price      the variable of a lambda, which the parser leaves as a bare name"""
    return exp.Column(this=node.copy()) if isinstance(node, exp.Identifier) else node


def is_passed_through(node: exp.Expr) -> bool:
    """Tell whether a function passes a document on, or the items of a column.

    CAST(doc AS JSON), PARSE_JSON(doc), unnest(items)

    unlike CAST(ROW(a, b) AS ROW(p INT, q INT)), which names the fields
    """
    if isinstance(node, exp.Explode):
        return leads_to_part(node.this)

    return isinstance(node, exp.ParseJSON) or (
        isinstance(node, exp.Cast) and not isinstance(node.this, exp.Struct)
    )


KEEPS_ITEMS = frozenset(
    """
    arrayfilter list_filter arraysort array_sort sort_array sortarray list_sort list_reverse_sort arrayreversesort
    arraydistinct list_distinct array_distinct arrayslice list_slice array_slice slice arrayreverse list_reverse
    array_reverse reverse arraycompact array_compact array_remove arrayremove arrayfirst arraylast map_filter mapfilter
    """.split()  # noqa: SIM905
)
"""Functions that give some items of an array, or all of them in another order."""


def call_name(node: exp.Expr) -> str:
    """Return the name of a call in small letters; of one that the parser knows, that of its class.

    list_reduce(xs, …), transform(xs, …)      list_reduce, transform
    """
    return node.name.lower() if node.__class__ is exp.Anonymous else node.key


def keeps_items(node: exp.Expr) -> bool:
    """Tell whether a call gives items of its array.

    filter(xs, x -> x.p > 1), array_sort(xs), slice(xs, 1, 2)
    """
    return isinstance(node, exp.Func) and call_name(node) in KEEPS_ITEMS


COMPARES_ITEMS = frozenset(
    """
    arraysort array_sort sort_array sortarray list_sort list_reverse_sort arrayreversesort arraydistinct list_distinct
    array_distinct array_remove arrayremove
    """.split()  # noqa: SIM905
)
"""Those of them that compare whole items, unless a lambda compares."""


def passes_fields(node: exp.Expr) -> bool:
    """Tell whether a field of the items of a call is that field of its array.

    filter(xs, x -> x.p > 1), slice(xs, 1, 2)      and not sort_array(xs), filter(xs, x -> f(x)):
    there whole items decide which items they are
    """
    if not keeps_items(node):
        return False

    lambdas = [part for part in node.iter_expressions() if isinstance(part, exp.Lambda)]
    if not lambdas:
        return call_name(node) not in COMPARES_ITEMS

    return all(
        all(field_uses(variable, (each.this,))) for each in lambdas for variable in each.expressions
    )


def reads_fields_only(variable: exp.Expr, parts: Iterable[Any]) -> bool:
    """Tell whether expressions read fields of a variable, and never the variable as a whole.

    [x.p FOR x IN xs], x -> x.p > 1, x -> x:p::int
    """
    uses = field_uses(variable, parts)
    return bool(uses) and all(uses)


def field_uses(variable: exp.Expr, parts: Iterable[Any]) -> list[bool]:
    """Tell for each use of a variable whether it reads a field."""
    return [
        is_field(name)
        for part in parts
        for name in part.find_all(exp.Identifier)
        if name.name == variable.name and not is_later_part(name)
    ]


def is_later_part(name: exp.Identifier) -> bool:
    """a.x      whether a name comes behind a dot"""
    holder = name.parent
    if isinstance(holder, exp.Column):
        return holder.parts[0] is not name

    return isinstance(holder, exp.Dot) and name.arg_key == "expression"


def is_field(name: exp.Identifier) -> bool:
    """x.p, x['p'], x:p      whether a field is read of a name"""
    node: Any = name
    if isinstance(name.parent, exp.Column):
        node = name.parent
        if len(node.parts) > 1:
            return True

    while isinstance(node.parent, (exp.Paren, exp.Cast)):
        node = node.parent

    step = step_of(node.parent)
    return step is not None and node.arg_key == "this" and bool(step(node.parent)[0])


def array_of(node: exp.Expr) -> tuple[Any, list[Any]]:
    """Return the array whose items a call gives, and its other arguments.

    filter(xs, x -> x.p > 1)      xs, and the lambda
    """
    parts = list(node.iter_expressions())
    array = next((part for part in parts if not isinstance(part, exp.Lambda)), node.this)
    return array, [part for part in parts if part is not array]


def step_of(node: exp.Expr) -> Callable[[Any], Step] | None:
    """Return how a node leads into the value inside it; None if the node is not a path."""
    if node.__class__ is exp.Anonymous:
        if len(node.expressions) > 1:
            return CALLED.get(node.name.lower())

        return None

    if not is_call(node):
        return PATHS.get(node.__class__)

    return None


def is_call(node: Any) -> bool:
    """Tell whether a dotted expression is a call.

    geo.located(x)      a function in a schema, and no field
    """
    return isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func)


def leads_to_part(node: exp.Expr) -> bool:
    """Tell whether a node is a part of a column.

    Whether a node is a part of a column: xs, xs[0].price, payload:items
    """
    base = path_of(node).base
    return isinstance(base, exp.Column) and not isinstance(base.this, exp.Star)


def reaches(names: Sequence[str], lineage: Lineage) -> bool:
    """Whether a path has led into a column: the field of a value that was computed has none of its
    own.
    """
    tail = tuple(names)
    return not tail or any(
        way.direct and origin.path[-len(tail) :] == tail[:PATH_DEPTH] for origin, way in lineage
    )


def arrow_meant(node: exp.Expr, arrows: str) -> Any:
    """Return the path that was parsed as a lambda.

    f(doc -> 'a' ->> 'b')

    sqlglot takes the first arrow for a lambda's: the path that was meant, if it was

    Where a dialect has both kinds of arrow, only a path goes on with a literal.
    """
    if not isinstance(node, exp.Lambda) or arrows == LAMBDAS or len(node.expressions) != 1:
        return None

    body = node.this.copy()
    first = body
    while holds(first, STARTS_WITH_THIS, exp.Expr):
        first = first.this

    if arrows == EITHER and not isinstance(first, exp.Literal):
        return None

    key = first.copy()
    if isinstance(first, exp.Literal):
        kind = exp.JSONPathKey if first.is_string else exp.JSONPathSubscript
        key = exp.JSONPath(expressions=[exp.JSONPathRoot(), kind(this=first.name)])

    taken = exp.JSONExtract(this=exp.Column(this=node.expressions[0].copy()), expression=key)
    if first is body:
        return taken

    first.replace(taken)
    return body


STARTS_WITH_THIS = (exp.Binary, exp.Cast, exp.In, exp.Between, exp.Bracket)

Step = tuple[list[str], list[Any]]


def field(node: exp.Dot) -> Step:
    """Read a field of a path.

    ….city
    """
    return [node.expression.name], []


def bracket(node: exp.Bracket) -> Step:
    """Read an index or a key of a path.

    m['key'], xs[0], xs[i]
    """
    names = [item.name for item in node.expressions if is_string(item)]
    return names, [item for item in node.expressions if not isinstance(item, exp.Literal)]


def json_path(node: exp.Expr) -> Step:
    """Read a JSON path.

    a:b.c, a -> 'b', json_extract(a, '$.b[0].c'); of several paths in one call none is kept
    """
    if isinstance(node, (exp.JSONValue, exp.JSONExists)):
        wanted = node.args.get("path")
    else:
        wanted = node.args.get("expression")

    others = instances(node.expressions, exp.Expr)
    if others or wanted is None:
        return [], present((wanted, *others))

    return names_in(wanted)


def names_in(wanted: Any) -> Step:
    """Return the names in a path, and the expressions next to them."""
    if isinstance(wanted, exp.JSONPath):
        return [
            str(part.this) for part in wanted.expressions if isinstance(part, exp.JSONPathKey)
        ], []

    if not isinstance(wanted, exp.Literal):
        return [], [wanted]

    return [name for name in NAMES.findall(MODE.sub("", wanted.name)) if not name.isdigit()], []


MODE = late_pattern(r"^\s*(lax|strict)\s+(?=\$)", re.IGNORECASE)
"""'lax $.b'      how a path is walked does not belong to it"""


NAMES = late_pattern(r"[^$.*\[\]{},\"'\s]+")
"""'$.b[0].c', '$.b[*].c', '{b,0,c}'      b and c"""


def extract(node: exp.Expr) -> Step:
    """Read the path of an extracting function.

    struct_extract(s, 'f'), GET(a, 'b')
    """
    return names_in(node.expression)


PATHS: dict[type, Callable[[Any], Step]] = {
    exp.Dot: field,
    exp.Bracket: bracket,
    exp.JSONExtract: json_path,
    exp.JSONExtractScalar: json_path,
    exp.JSONBExtract: json_path,
    exp.JSONBExtractScalar: json_path,
    exp.JSONValue: json_path,
    exp.JSONExists: json_path,
    exp.JSONExtractArray: json_path,
    exp.JSONValueArray: json_path,
    exp.StructExtract: extract,
    exp.GetExtract: extract,
}


def item_called(node: exp.Anonymous) -> Step:
    """Read the path of get().

    get(xs, 0)      xs[0], and NULL where there is no such item
    """
    return [], [item for item in node.expressions[1:] if not isinstance(item, exp.Literal)]


def variant_called(node: exp.Anonymous) -> Step:
    """Read the path of variant_get().

    variant_get(v, '$.a[0].b', 'int')      a, b
    """
    return names_in(node.expressions[1])


def keys_called(node: exp.Anonymous) -> Step:
    """Read the path of a JSON function of ClickHouse.

    JSONExtractUInt(doc, 'a', 1, 'b')      a, b
    """
    keys = node.expressions[1:]
    return [key.name for key in keys if key.is_string], [
        key for key in keys if not isinstance(key, exp.Literal)
    ]


def typed_keys_called(node: exp.Anonymous) -> Step:
    """Read the path of a JSON function of ClickHouse whose last argument is a type.

    JSONExtract(doc, 'a', 'b', 'Float64')      a, b
    """
    names, others = keys_called(node)
    return names[:-1], others


KEYS_OF_CLICKHOUSE = (
    "jsonextractint", "jsonextractuint", "jsonextractfloat", "jsonextractbool", "jsonextractraw", "jsonextractarrayraw",
    "jsonextractkeys", "jsonextractkeysandvaluesraw", "jsonhas", "jsonlength", "jsontype",
)  # fmt: skip

SIMPLE_KEYS_OF_CLICKHOUSE = [
    f"{family}{kind}"
    for family in ("visitparamextract", "simplejsonextract")
    for kind in ("int", "uint", "float", "bool", "string", "raw")
] + ["visitparamhas", "simplejsonhas"]
"""visitParamExtractInt(doc, 'a')      the older names of JSON functions"""

CALLED: dict[str, Callable[[Any], Step]] = {
    "get": item_called,
    **dict.fromkeys(KEYS_OF_CLICKHOUSE, keys_called),
    **dict.fromkeys(SIMPLE_KEYS_OF_CLICKHOUSE, keys_called),
    "jsonextract": typed_keys_called,
    "jsonextractkeysandvalues": typed_keys_called,
    "json_query": variant_called,
    "json_exists": variant_called,
    "json_value": variant_called,
    "variant_get": variant_called,
    "try_variant_get": variant_called,
    **dict.fromkeys(
        (
            "jsonb_path_exists",
            "jsonb_path_match",
            "jsonb_path_query",
            "jsonb_path_query_tz",
            "jsonb_path_query_array",
            "jsonb_path_query_first",
        ),
        variant_called,
    ),
}
"""Paths that are written as a call, and that the parser does not know."""

"""The fields of structs, by the types that schemas declare."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from lineal.algebra.expression import VALUE
from lineal.algebra.lineage import Lineage
from lineal.algebra.values import Part, Struct
from lineal.model.edge import Column
from lineal.model.sequences import instances, last_or_none
from lineal.model.way import IDENTITY

if TYPE_CHECKING:
    from lineal.extract.sql.evaluation import Catalog


def field_names(lineage: Lineage, path: Sequence[str], catalog: Catalog) -> Sequence[str]:
    """The fields of a value, or of what a path in it leads to: a struct that was built, a column, a
    part of one.
    """
    while path and isinstance(lineage, Struct) and (inner := lineage.field(path[0])) is not None:
        lineage, path = inner, path[1:]

    if isinstance(lineage, Struct) and not path:
        if lineage.rest is None:
            return lineage.names

        return _with_rest(lineage, lineage.rest, catalog)

    if len(lineage) != 1:
        return ()

    (origin, way), _ = next(iter(lineage.items()))
    if way is not IDENTITY and not (way is VALUE and isinstance(lineage, Part)):
        return ()

    return catalog.struct_fields(Column(origin.dataset, origin.name, (*origin.path, *path)))


def _with_rest(struct: Struct, rest: Lineage, catalog: Catalog) -> Sequence[str]:
    """Return the fields of a struct together with those of the value it changes.

    s.withField('x', a).dropFields('y')

    the fields of s without y, and x in its place or behind them
    """
    inherited = field_names(rest, (), catalog)
    own = {name.lower() for name in struct.names}
    kept = [name for name in inherited if name.lower() not in struct.fields or name.lower() in own]
    there = {name.lower() for name in kept}
    if inherited:
        return [*kept, *(name for name in struct.names if name.lower() not in there)]

    return ()


def parsed_document(node: exp.Expr, whole: Lineage, dialect: str) -> Struct | None:
    """Return the struct of a parsed document.

    from_json(doc, 'a INT, b STRUCT<c: INT>')

    the schema tells the fields; each of them comes from doc
    """
    text = node.expression if isinstance(node, exp.FromJson) else node.expressions[1:2]
    text = text[0] if isinstance(text, list) and text else text
    if not isinstance(text, exp.Literal) or not text.is_string:
        return None

    spelled = text.name.strip()
    nested = spelled.lower().startswith(("struct<", "array<", "map<"))
    found = fields_in(whole, data_type(spelled if nested else f"struct<{spelled}>", dialect))
    if isinstance(found, Struct):
        return found

    return None


def fields_in(lineage: Lineage, kind: Any) -> Lineage:
    """A value of that type, whose fields all have its lineage; an array stands for its items."""
    kind = element(kind)
    if kind is not None:
        fields = instances(kind.expressions, exp.ColumnDef)
    else:
        fields = []

    if not fields:
        return lineage

    return Struct(
        lineage,
        {each.name.lower(): fields_in(lineage, each.kind) for each in fields},
        [each.name for each in fields],
    )


DOCUMENTS = frozenset(("from_csv", "from_xml"))


def is_document(node: exp.Expr) -> bool:
    """Tell whether a call parses a document.

    from_json(…), from_csv(…), from_xml(…)
    """
    return isinstance(node, exp.FromJson) or (
        isinstance(node, exp.Anonymous) and node.name.lower() in DOCUMENTS
    )


def is_struct(lineage: Lineage, catalog: Catalog, dialect: str) -> bool:
    """Whether the one column that a value is, or is a part of, is declared as a struct, and not as
    a list of some.
    """
    if len(lineage) != 1:
        return False

    origin = next(iter(lineage))[0]
    kind: Any = data_type(catalog.column_type(origin.dataset, origin.name), dialect)
    for name in origin.path:
        kind = inner(kind, name)

    return isinstance(kind, exp.DataType) and kind.this == exp.DataType.Type.STRUCT


def fields_at(text: str, path: Sequence[str], dialect: str) -> Sequence[str]:
    """Return the fields at a path of a type.

    struct<city:string,geo:struct<lat:double>>, and geo      lat
    """
    kind: Any = data_type(text, dialect)
    for name in path:
        kind = inner(kind, name)

    kind = element(kind)
    if kind is not None:
        return [field.name for field in kind.expressions if isinstance(field, exp.ColumnDef)]

    return ()


@lru_cache(maxsize=4096)
def data_type(text: str, dialect: str) -> exp.DataType | None:
    """A declared type, as the dialect reads it; None for what it does not."""
    if not any(mark in text for mark in "(<[") or too_deep(text):
        return None

    try:
        return exp.DataType.build(text, dialect=dialect or None)
    except (SqlglotError, ValueError, RecursionError):
        return None


DEEPEST_TYPE = 50
"""A type comes from a stranger's schema: nested some thousand levels deep, it would kill the parser
and the process.
"""


def too_deep(text: str) -> bool:
    """Say whether a type is nested deeper than any that is read."""
    depth = 0
    for char in text:
        depth += char in "(<"
        depth -= char in ")>"
        if depth > DEEPEST_TYPE:
            return True

    return text.count("[") > DEEPEST_TYPE


def element(kind: Any) -> Any:
    """Return the element type of nested arrays.

    array<array<struct<…>>>      the struct: a path says nothing of positions
    """
    while isinstance(kind, exp.DataType) and kind.this in ARRAYS and kind.expressions:
        kind = kind.expressions[0]

    if isinstance(kind, exp.DataType):
        return kind

    return None


def inner(kind: Any, name: str) -> Any:
    """The type of a struct's field, or of a map's values."""
    kind = element(kind)
    if kind is None:
        return None

    if kind.this == exp.DataType.Type.MAP:
        return last_or_none(kind.expressions)

    wanted = name.lower()
    fields = (field for field in kind.expressions if isinstance(field, exp.ColumnDef))
    return next((field.args.get("kind") for field in fields if field.name.lower() == wanted), None)


ARRAYS = frozenset((exp.DataType.Type.ARRAY, exp.DataType.Type.LIST))

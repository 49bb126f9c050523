"""Values with parts: structs, arrays and maps, and the fields and items that are read of them.

Struct   a struct that was built here: the lineage of the whole, and of each field
Items    an array of structs that the text lists
Part     a part of a column's value, whose own fields are further down the same path
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lineal.algebra.expression import VALUE
from lineal.algebra.lineage import (
    NOTHING,
    Expression,
    Lineage,
    Trail,
    pour,
    unite_lineages,
)
from lineal.model.edge import Column
from lineal.model.way import IDENTITY, Way


class Struct(dict[tuple[Column, Way], "Trail | None"]):
    """The lineage of a struct that was built here: of the whole, and of each field by its key."""

    fields: Mapping[str, Lineage]
    names: Sequence[str]
    """the fields as they were spelled, in order"""
    rest: Lineage | None
    """s.withField('x', a)      what the fields are parts of that nobody has named: s"""

    def __init__(
        self,
        whole: Lineage,
        fields: Mapping[str, Lineage],
        names: Sequence[str] | None = None,
        rest: Lineage | None = None,
    ) -> None:
        super().__init__(whole)
        self.fields = fields
        self.names = list(fields) if names is None else names
        self.rest = rest

    def field(self, name: str) -> Lineage | None:
        """The lineage of a field; None where the struct does not tell which it is."""
        found = self.fields.get(name.lower())
        return extend_path(self.rest, [name]) if found is None and self.rest is not None else found

    def under(self, whole: Lineage) -> Struct:
        """The same fields of another whole."""
        return self.__class__(whole, self.fields, self.names, self.rest)

    def with_field(self, whole: Lineage, name: str, made: Lineage) -> Struct:
        """Return the struct with one field set.

        s.withField('x', a)      x is a, in its place or behind the others
        """
        kept = [each for each in self.names if each.lower() != name.lower()]
        return Struct(whole, {**self.fields, name.lower(): made}, [*kept, name], self.rest)

    def without_field(self, whole: Lineage, name: str) -> Struct:
        """Return the struct without one field.

        s.dropFields('y')      y is gone, and has no source
        """
        kept = [each for each in self.names if each.lower() != name.lower()]
        return Struct(whole, {**self.fields, name.lower(): NOTHING}, kept, self.rest)


def as_struct(lineage: Lineage) -> Struct:
    """A struct whose fields are not listed: each is the part of the value that is called so."""
    return lineage if isinstance(lineage, Struct) else Struct(lineage, {}, rest=lineage)


class Row(Struct):
    """The lineage of a row whose values the text lists: a field also has a position.

    ROW(a, b)[1], (a, b).1      a
    """

    def field(self, name: str) -> Lineage | None:
        """The lineage of a field; `1` and `$1` are positions, from 1."""
        position = name.removeprefix("$")
        if position.isdecimal() and name not in self.fields:
            return self.field_at(int(position) - 1)

        return super().field(name)

    def field_at(self, position: int) -> Lineage | None:
        """The lineage of a field by its position, from 0; None where the fields are not listed."""
        if self.rest is None and 0 <= position < len(self.names):
            return self.field(self.names[position])

        return None


class OpenRow(Struct):
    """The lineage of a row of a table whose columns are not all known: its rest is `t.*`."""

    def field(self, name: str) -> Lineage | None:
        """The lineage of a column of the row; one that is not known is the table's of that name."""
        found = self.fields.get(name.lower())
        if found is not None or not self.rest:
            return found

        return {
            (Column(origin.dataset, name), way): trail for (origin, way), trail in self.rest.items()
        }


class Items(Struct):
    """The lineage of an array of structs that the text lists: as many as there are, whatever the
    columns hold.
    """


class AssignedFields(Struct):
    """UPDATE t SET s.f = a      the fields of a column that are assigned, each by its path"""


def assigned_lineages(lineage: Lineage) -> list[Lineage]:
    """Return the lineage that an assignment makes: of the whole value, or of each field."""
    if isinstance(lineage, AssignedFields):
        return list(lineage.fields.values())

    return [lineage]


class Part(dict[tuple[Column, Way], "Trail | None"]):
    """The lineage of a part of a column's value, a field or an element: its fields are further
    down the same path.
    """


def keep_parts(lineage: Lineage, like: Lineage) -> Lineage:
    """SELECT s FROM t

    A struct that is passed on keeps its fields, and a part of a column stays one
    """
    if isinstance(like, Struct):
        return like.under(lineage)

    return Part(lineage) if isinstance(like, Part) else lineage


def part_at(held: Lineage, path: Sequence[str]) -> Lineage:
    """Return the part that a path of fields leads to, as it was put there.

    STRUCT(a AS x).x      a: of a struct that was built here, only the field that is read
    s.geo.lat             the origin s, with the path geo.lat: further down the column's own value
    """
    while path and isinstance(held, Struct):
        inner = held.field(path[0])
        if inner is None:
            break

        held, path = inner, path[1:]

    return extend_path(held, path) if path else held


def read_part(held: Lineage, path: Sequence[str], node: Any = None) -> Lineage:
    """SELECT s.geo.lat FROM t      lat ← s.geo.lat TRANSFORMATION: reading a part transforms

    The value that is read keeps its own parts: the fields of an inner struct, the path of an inner
    column.
    """
    found = part_at(held, path)
    return keep_parts(read_item(found, is_own(found), node), found)


def read_item(array: Lineage, own: bool, node: Any = None) -> Lineage:
    """explode(xs), xs[0]      an item ← xs TRANSFORMATION

    Where the array is a column's own value, an item is a part of it; of a computed array it is not.
    """
    item: Lineage = Part() if own else {}
    pour(array, VALUE, item, node)
    return item


def build_struct(
    whole: Lineage, fields: Iterable[tuple[str, Lineage]], rest: Lineage | None = None
) -> Row:
    """Build a struct from its fields.

    STRUCT(a AS p, b AS q)      the whole ← a, b; the field p ← a, the field q ← b
    """
    named = dict(fields)
    return Row(whole, {name.lower(): value for name, value in named.items()}, list(named), rest)


def put_field(held: Lineage, path: Sequence[str], new: Lineage, whole: Lineage) -> Struct:
    """s.withField('home.city', a)

    The struct has the fields that it had before; the one at the end of the path comes from a alone.
    A struct on the way is made of what it held, and of a.
    """
    name, *deeper = path
    struct = as_struct(held)
    if deeper:
        inner = struct.field(name) or NOTHING
        around: Lineage = {}
        for lineage in (inner, new):
            pour(lineage, VALUE, around)

        new = put_field(inner, deeper, new, around)

    return struct.with_field(whole, name, new)


def drop_fields(held: Lineage, names: Iterable[str], whole: Lineage) -> Struct:
    """Return the struct without some fields.

    s.dropFields('x', 'y')      the struct without x and y; every other field stays as it was
    """
    struct = as_struct(held)
    for name in names:
        struct = struct.without_field(whole, name)

    return struct.under(whole)


def build_items(
    whole: Lineage, names: Sequence[str], structs: Sequence[Sequence[Lineage]]
) -> Items:
    """ARRAY(STRUCT(a AS p, 1 AS q), STRUCT(b, 2))      an item: p ← a, b; q has no source

    The first struct names the fields, the others fill them by position. The text fixes the number
    of items.
    """
    fields = {
        name.lower(): unite_lineages(
            struct[position] for struct in structs if position < len(struct)
        )
        for position, name in enumerate(names)
    }
    return Items(whole, fields, names)


def time_window(lineage: Lineage) -> Struct:
    """Return the struct that a time window gives.

    window(at, '5 minutes').*      start and end, both computed from at
    """
    return Struct(lineage, {"start": lineage, "end": lineage})


def carry(
    held: Struct,
    step: Way,
    whole: Lineage,
    others: Iterable[tuple[Expression, Way]],
    node: Any = None,
) -> Struct:
    """collect_list(STRUCT(a, b))[0], lag(STRUCT(a, b)) OVER (ORDER BY d)

    a struct that is passed on

    It keeps its fields, each with what is done to the whole (`step`). What decides the whole (d,
    WINDOW) decides every field, and so do the other arguments: of max_by(STRUCT(a, b), c), c.
    """
    beside = {key: trail for key, trail in whole.items() if not key[1].direct}
    for expression, way in others:
        expression(way, beside)

    fields = {name: pass_on(field, step, beside, node) for name, field in held.fields.items()}
    rest = None if held.rest is None else pass_on(held.rest, step, beside, node)
    return Struct(whole, fields, held.names, rest)


def pass_on(lineage: Lineage, way: Way, beside: Lineage, node: Any = None) -> Lineage:
    """max_by(STRUCT(a, b), c)

    The struct and each field of it, with what is done to the whole, and c next to it
    """
    made: Lineage = dict(beside)
    pour(lineage, way, made, node)
    if isinstance(lineage, Struct):
        fields = {name: pass_on(field, way, beside, node) for name, field in lineage.fields.items()}
        rest = None if lineage.rest is None else pass_on(lineage.rest, way, beside, node)
        return Struct(made, fields, lineage.names, rest)

    return Part(made) if isinstance(lineage, Part) else made


DEEPEST_MERGE = 3
"""Structs that recursion nests in each other are merged no deeper."""


def merge_parts(whole: Lineage, branches: Sequence[Lineage], depth: int = 0) -> Lineage:
    """Merge the parts of a value that has several branches.

    SELECT STRUCT(a AS p) UNION ALL SELECT s      the field p is a, or the p of s
    """
    structs = [branch for branch in branches if isinstance(branch, Struct)]
    if not structs:
        parts = all(
            isinstance(branch, Part) or all(way is IDENTITY for _, way in branch)
            for branch in branches
        )
        return Part(whole) if parts else whole

    if depth == DEEPEST_MERGE:
        return whole

    fields: dict[str, Lineage] = {}
    for position, name in enumerate(structs[0].names):
        members = [_member(branch, name, position) for branch in branches]
        fields[name.lower()] = merge_parts(unite_lineages(members), members, depth + 1)

    return Struct(whole, fields, structs[0].names)


def size_of(lineage: Lineage) -> int:
    """How many influences there are, those of a struct's fields as well."""
    return len(lineage) + (
        sum(map(len, lineage.fields.values())) if isinstance(lineage, Struct) else 0
    )


def _member(lineage: Lineage, name: str, position: int) -> Lineage:
    """A field by its name, else the one at its position."""
    if not isinstance(lineage, Struct):
        return extend_path(lineage, [name])

    if (
        name.lower() not in lineage.fields
        and lineage.rest is None
        and position < len(lineage.names)
    ):
        name = lineage.names[position]

    found = lineage.field(name)
    return NOTHING if found is None else found


PATH_DEPTH = 5
"""Paths of nested fields are cut here, or a recursive CTE would never reach its fixpoint."""


def is_own(lineage: Lineage) -> bool:
    """Whether a value is a column's own, whole or a part of it, and nothing that was computed from
    it.
    """
    if isinstance(lineage, Part):
        return True

    direct = [way is IDENTITY for _, way in lineage if way.direct]
    return bool(direct) and all(direct)


def extend_path(lineage: Lineage, path: Sequence[str]) -> Lineage:
    """address, and city in it

    The origin that the path leads to, where the value is still the column's own. A name in a row of
    unknown columns is one of them: city in t.* is t.city.
    """
    part = isinstance(lineage, Part)
    found: Lineage = Part() if is_own(lineage) else {}
    for (origin, way), trail in lineage.items():
        if way is IDENTITY or (part and way is VALUE):
            name, *deeper = (*origin.path, *path)
            if origin.name != "*":
                name, deeper = origin.name, [name, *deeper]

            origin = Column(origin.dataset, name, tuple(deeper)[:PATH_DEPTH])

        found[(origin, way)] = trail

    return found

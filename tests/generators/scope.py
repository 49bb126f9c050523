"""The names that a query may use, for the writers of random queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

NUMBER, TEXT = "number", "text"
"""Kinds of values. A dialect adds others."""

Columns = Mapping[str, str]
Schema = Mapping[str, Columns]


class Field(NamedTuple):
    """A column in a scope: `alias.name`, or `name` where no other column has that name."""

    alias: str
    name: str
    kind: str
    hidden: bool = False
    """a key of USING: it can be named with its table, and is no part of `*`"""

    @property
    def merged(self) -> bool:
        """The one column that USING makes of two: it can only be named without a table."""
        return not self.alias


Scope = Sequence[Field]


def table_fields(alias: str, columns: Columns) -> list[Field]:
    """Return a field for each column of a relation with this alias."""
    return [Field(alias, name, kind) for name, kind in columns.items()]


def fields_of_kind(scope: Scope, kind: str) -> list[Field]:
    """Return the fields of one kind."""
    return [field for field in scope if field.kind == kind]


def shown_fields(scope: Scope) -> list[Field]:
    """Return the fields that `*` selects."""
    return [field for field in scope if not field.hidden]


def shown_names(scope: Scope) -> list[str]:
    """Return the names that `*` selects."""
    return [field.name for field in shown_fields(scope)]


def has_unique_names(scope: Scope) -> bool:
    """Tell whether no two columns of `*` share a name."""
    names = shown_names(scope)
    return len(names) == len(set(names))


def common_names(left: Scope, right: Scope) -> list[str]:
    """Return the names that USING can join by: one column of one kind on either side."""
    kinds = {field.name: field.kind for field in shown_fields(right)}
    left_names, right_names = shown_names(left), shown_names(right)
    return [
        field.name
        for field in shown_fields(left)
        if field.kind == kinds.get(field.name)
        and left_names.count(field.name) == 1 == right_names.count(field.name)
    ]


def keys_first(left: Scope, right: Scope, keys: Sequence[str]) -> list[Field]:
    """a JOIN b USING (k)      k once, then the others; a.k and b.k can still be named"""
    kinds = {field.name: field.kind for field in left}
    merged = [Field("", key, kinds[key]) for key in keys]
    others = [field for field in (*left, *right) if field.hidden or field.name not in keys]
    behind = [
        field._replace(hidden=True)
        for field in (*left, *right)
        if field.name in keys and not field.hidden and not field.merged
    ]
    return [*merged, *others, *behind]


def keys_in_place(left: Scope, right: Scope, keys: Sequence[str]) -> list[Field]:
    """a JOIN b USING (k)      k in the place of the left one; a.k and b.k can still be named"""
    found: list[Field] = []
    for field in left:
        if field.name in keys and not field.hidden:
            found.append(Field("", field.name, field.kind))
            if not field.merged:
                found.append(field._replace(hidden=True))
        else:
            found.append(field)
    for field in right:
        hidden = field.hidden or field.name in keys
        found.append(field._replace(hidden=hidden))
    return found

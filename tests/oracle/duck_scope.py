"""What can be named where, for the writer of random statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Columns = Mapping[str, str]


class Field(NamedTuple):
    """A column that can be named: as `alias.name`, and as `name` where nothing else is called so."""

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


class Drawn(NamedTuple):
    """A query and its output: name → kind."""

    text: str
    columns: Columns


class Sourced(NamedTuple):
    """What follows FROM, and what can be named then."""

    text: str
    scope: list[Field]


def shown(fields: Scope) -> list[Field]:
    return [field for field in fields if not field.hidden]


def once(fields: Scope) -> bool:
    names = [field.name for field in shown(fields)]
    return len(names) == len(set(names))


def shared(left: Scope, right: Scope) -> list[str]:
    """The names by which two sides can be joined: each is the name of one column on either side, of
    one kind.
    """
    kinds = {field.name: field.kind for field in shown(right)}
    left_names, right_names = [f.name for f in shown(left)], [f.name for f in shown(right)]
    return [
        field.name
        for field in shown(left)
        if field.kind == kinds.get(field.name)
        and left_names.count(field.name) == 1 == right_names.count(field.name)
    ]


def using(left: Scope, right: Scope, keys: Sequence[str]) -> list[Field]:
    """a JOIN b USING (k)      k in the place of the left one; a.k and b.k can still be named"""
    found: list[Field] = []
    for field in left:
        if field.name in keys and not field.hidden:
            found.append(Field("", field.name, field.kind))
            if not field.merged:
                found.append(field._replace(hidden=True))
        else:
            found.append(field)
    return [
        *found,
        *(f._replace(hidden=True) if f.name in keys and not f.hidden else f for f in right),
    ]

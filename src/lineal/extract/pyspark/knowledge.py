"""Facts about an abstract value: whether it is a constant, whether it holds, its items."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeGuard

from lineal.extract.pyspark.values import (
    Choice,
    Class,
    ColumnValue,
    Generator,
    Instance,
    Library,
    Native,
    Pattern,
    SchemaValue,
    TextMember,
    Tree,
    TypeValue,
    Unknown,
    Value,
    is_elsewhere,
)
from lineal.model.sequences import instances

MOST_LOOKED_AT = 200_000
LONGEST_RANGE = 3_000


def is_known(value: Value) -> bool:
    """Whether a value is a constant throughout; one that holds itself is not."""
    if isinstance(value, CONSTANTS):
        return not isinstance(value, Pattern)

    waiting: list[Value] = [value]
    for _ in range(MOST_LOOKED_AT):
        if not waiting:
            return True

        here = waiting.pop()
        if isinstance(here, CONSTANTS):
            if isinstance(here, Pattern):
                return False
        elif isinstance(here, (list, tuple, set, frozenset)):
            waiting.extend(here)
        elif isinstance(here, dict):
            waiting.extend(here)
            waiting.extend(here.values())
        else:
            return False

    return False


def set_of(items: list[Value]) -> Value:
    """Return items as a set; those that no set can hold, or only a run knows, stay a list."""
    if not all(map(is_known, items)):
        return items

    try:
        return set(items)
    except TypeError:
        return items


def all_known(values: Iterable[Value]) -> bool:
    """Return whether all of several values are constants throughout."""
    return all(map(is_known, values))


def is_text(value: Value) -> TypeGuard[str]:
    """Return whether a value is a text without any part that only a run knows."""
    return isinstance(value, str) and not isinstance(value, Pattern)


CONSTANTS = (str, int, float, bool, bytes, type(None), complex, TypeValue)


def truth(value: Value) -> bool | None:
    """Whether a condition holds; None where only a run can tell."""
    if isinstance(value, UNDECIDED):
        return None

    ask = UNDECIDED_CLASSES.get(value.__class__)
    if ask is not None:
        ask(value)
        return None

    if isinstance(value, Library) and is_elsewhere(value):
        return None

    if isinstance(
        value, (str, int, float, bool, bytes, type(None), list, tuple, dict, set, frozenset)
    ):
        return bool(value)

    return True


UNDECIDED = (Unknown, Pattern, Choice, Native, ColumnValue)
UNDECIDED_CLASSES: dict[type, Callable[[Any], None]] = {}
"""Values of DataFrame libraries of which only a run knows whether they hold; each hears of it."""


def copy_container(held: Value) -> Value:
    """Return a list or dict of its own, and anything else as it is."""
    if isinstance(held, list):
        return list(held)

    if isinstance(held, dict):
        return dict(held)

    return held


def items_of_each(values: Iterable[Value]) -> list[list[Value]] | None:
    """Return the items of each of several iterables, or None where one is not known."""
    several = []
    for value in values:
        items = items_of(value)
        if items is None:
            return None

        several.append(items)

    return several


def any_of(answers: Sequence[bool | None]) -> bool | None:
    """Return whether one of several answers is yes; None where only a run can tell."""
    if True in answers:
        return True

    if None in answers:
        return None

    return False


def all_of(answers: Sequence[bool | None]) -> bool | None:
    """Return whether all answers are yes; None where only a run can tell."""
    if False in answers:
        return False

    if None in answers:
        return None

    return True


def items_for_targets(
    items: list[Value], targets: Sequence[ast.AST], star: type[ast.AST]
) -> list[Value] | None:
    """Return one value per target, or None where their number differs.

    a, *b, c = items
    """
    stars = [position for position, target in enumerate(targets) if isinstance(target, star)]
    if not stars:
        if len(items) == len(targets):
            return items

        return None

    start = stars[0]
    after = len(targets) - start - 1
    if len(items) < start + after:
        return None

    end = len(items) - after
    return [*items[:start], items[start:end], *items[end:]]


def items_of(value: Value) -> list[Value] | None:
    """Return the items of an iterable, where they are known; an expression of SQL has none."""
    if isinstance(value, Tree):
        return None

    for kind, items in ITERABLES:
        if isinstance(value, kind):
            return items(value)

    return None


def take_items(value: Generator) -> list[Value]:
    """Return what an iterator still has; afterwards it has nothing."""
    items, value.items = value.items, []
    return items


def members_of(value: Class) -> list[Value] | None:
    """Return the members of an enumeration.

    for kind in Kind: …
    """
    if not value.enumerates:
        return None

    return instances(value.names.values(), (Instance, TextMember))


def fields_of(value: Instance) -> list[Value] | None:
    """Return the fields of a named tuple.

    source, target = job
    """
    if not value.home.is_tuple:
        return None

    return [value.names[name] for name, _ in value.home.all_fields if name in value.names]


def numbers_of(value: range) -> list[Value] | None:
    """range(10)      Return its numbers, unless they are more than anything is made for."""
    if value[LONGEST_RANGE:]:
        return None

    return list(value)


ITERABLES: list[tuple[Any, Callable[[Any], list[Value] | None]]] = [
    ((list, tuple), list),
    ((set, frozenset), lambda value: sorted(value, key=str)),
    (dict, list),
    (Pattern, lambda value: None),
    (str, list),
    (range, numbers_of),
    (Generator, take_items),
    (Class, members_of),
    (SchemaValue, lambda value: value.field_values),
    (Instance, fields_of),
]
"""The items of a value, by the first kind that it is of."""

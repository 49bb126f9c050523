"""Short operations on lists, tuples, pairs and mappings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


def present(items: Iterable[T | None]) -> list[T]:
    """Return the items that are not None."""
    return [item for item in items if item is not None]


def instances(items: Iterable[Any], kind: type[T] | tuple[type[T], ...]) -> list[T]:
    """Return the items of a class, or of one of several."""
    return [item for item in items if isinstance(item, kind)]


def all_are(items: Iterable[Any], kind: type | tuple[type, ...]) -> bool:
    """Tell whether every item is of a class, or of one of several."""
    return all(isinstance(item, kind) for item in items)


def any_is(items: Iterable[Any], kind: type | tuple[type, ...]) -> bool:
    """Tell whether an item is of a class, or of one of several."""
    return any(isinstance(item, kind) for item in items)


def first_or_none(items: Iterable[T]) -> T | None:
    """Return the first item; None where there is none."""
    return next(iter(items), None)


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, and any other value as a list of one item."""
    return value if isinstance(value, list) else [value]


def only_or_none(items: Sequence[T]) -> T | None:
    """Return the item of a sequence that has just one; None for any other sequence."""
    return items[0] if len(items) == 1 else None


def last_or_none(items: Sequence[T]) -> T | None:
    """Return the last item; None where there is none."""
    return items[-1] if items else None


def flatten(several: Iterable[Iterable[T]]) -> list[T]:
    """Return the items of several collections in one list."""
    return list(chain.from_iterable(several))


def first_of_each(pairs: Iterable[tuple[T, Any]]) -> list[T]:
    """Return the first part of each pair."""
    return [first for first, _ in pairs]


def second_of_each(pairs: Iterable[tuple[Any, T]]) -> list[T]:
    """Return the second part of each pair."""
    return [second for _, second in pairs]


def positions_of(items: Iterable[T]) -> dict[T, int]:
    """Return the position of each item, counted from 0; that of the last one if some are equal."""
    return {item: position for position, item in enumerate(items)}


def invert(mapping: Mapping[K, V]) -> dict[V, K]:
    """Return the key of each value."""
    return {value: key for key, value in mapping.items()}

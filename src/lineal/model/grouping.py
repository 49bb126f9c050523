"""Values by a key: the lists that many readers of a graph or a corpus start from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


def group(values: Iterable[Value], key_of: Callable[[Value], Key]) -> dict[Key, list[Value]]:
    """Return values by their key, each list in their order."""
    found: dict[Key, list[Value]] = {}
    for value in values:
        found.setdefault(key_of(value), []).append(value)

    return found


def group_pairs(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return the second values of pairs by the first ones, each list in their order."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)

    return found

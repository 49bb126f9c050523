"""The search of a graph: everything that can be reached from some starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node")


def reach(starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> Iterator[Node]:
    """Yield each node behind the starts once, as it is met; the starts themselves are left out."""
    border = list(starts)
    met = set(border)
    while border:
        for each in following(border.pop()):
            if each not in met:
                met.add(each)
                border.append(each)
                yield each

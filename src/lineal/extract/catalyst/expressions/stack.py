"""The stack of the walk: the nodes that are still to be read, and how arguments get there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from lineal.algebra.lineage import Lineage
from lineal.extract.catalyst.tree import Node
from lineal.model.way import Way

if TYPE_CHECKING:
    from lineal.extract.catalyst.expressions.scope import Scope

Calls: TypeAlias = "tuple[Node, Calls] | None"
"""The calls around a node, innermost first."""

Stack = list[tuple[Node, Way, Calls]]
"""Nodes that are still to be read, each with the way from it to the result."""


class Visit:
    """The state that all handlers of one walk share.

    stack: the nodes that are still to be read; scope: where attributes are looked up; into: the
    lineage that is gathered.
    """

    __slots__ = ("into", "scope", "stack")

    def __init__(self, stack: Stack, scope: Scope, into: Lineage) -> None:
        """Keep the parts of a walk; every gathered expression makes one."""
        self.stack = stack
        self.scope = scope
        self.into = into


Handler = Callable[[Node, Way, Calls, Visit], None]
"""handler(node, way, calls, visit)

node: what is read; way: what is done to it on the way to the result; calls: the calls around it;
visit: where its children are pushed, and its attributes are looked up and gathered.
"""

Law = Callable[[Sequence[Node], Way], list[tuple[Node, Way]]]
"""The role of each argument of a call: it decides, or it is the value."""


def push_children(children: Iterable[Node], way: Way, calls: Calls, stack: Stack) -> None:
    """Push nodes that all go the same way; the first one is read first."""
    stack.extend([(child, way, calls) for child in children][::-1])


def by_law(
    law: Law, node: Node, arguments: list[Node], way: Way, calls: Calls, stack: Stack
) -> None:
    """Push the arguments of a call, each with what it is to the value; the first is read first."""
    around = (node, calls)
    stack.extend((argument, step, around) for argument, step in reversed(law(arguments, way)))

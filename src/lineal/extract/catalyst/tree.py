"""A plan's JSON as a tree of nodes.

Spark writes a tree as the flat list of its nodes, each before its children, with the number of its children.
What the JSON does not carry (which casts the user wrote, names of leaves and sinks) is annotated in the same order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


class Node:
    """A plan's operator or an expression: the short name of its class, its fields, its children."""

    __slots__ = ("args", "children", "name", "note")

    def __init__(self, name: str, args: dict[str, Any], children: list[Node]) -> None:
        self.name = name
        self.args = args
        self.children = children
        self.note: Any = None
        """a cast: whether the user wrote it; a leaf or a sink: what the engine says of it"""

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(child.name for child in self.children)})"

    def trees(self, field: str) -> list[Node]:
        """The expressions of a field, in order, however they are nested."""
        return list(trees_in(self.args.get(field)))


def read(text: str) -> Node:
    """The tree that `plan.toJSON` writes."""
    return tree_of(json.loads(text))


def tree_of(items: list[dict[str, Any]]) -> Node:
    nodes = [Node(short(item["class"]), item, []) for item in items]
    waiting: list[tuple[Node, int]] = []
    for node, item in zip(nodes, items, strict=True):
        while waiting and waiting[-1][1] == 0:
            waiting.pop()
        if waiting:
            parent, missing = waiting[-1]
            parent.children.append(node)
            waiting[-1] = (parent, missing - 1)
        waiting.append((node, item["num-children"]))
    return nodes[0]


def short(name: str) -> str:
    return name.rsplit(".", 1)[-1].rstrip("$")


def trees_in(value: Any) -> Iterator[Node]:
    """A tree is a list of objects with a class; a list of trees, a list of lists of trees, and so on."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, list) and value:
        if isinstance(value[0], dict):
            if "class" in value[0]:
                yield tree_of(value)
            else:
                for item in value:
                    yield from trees_in(list(item.values()))
        else:
            for item in value:
                yield from trees_in(item)


def is_tree(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and "class" in value[0]


def expression_id(args: dict[str, Any]) -> str:
    """a#12      the identity of an attribute, which its name is not"""
    return f"#{args['exprId']['id']}"


EXPRESSION_PACKAGE = ".expressions."


def plant(node: Node) -> None:
    """Turn every tree in the fields of a plan into nodes, once, so that notes can be attached to them."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        for field, value in current.args.items():
            if isinstance(value, list):
                planted = _planted(value)
                current.args[field] = planted
                waiting.extend(trees_in(planted))
        waiting.extend(current.children)


def _planted(value: Any) -> Any:
    if is_tree(value):
        return [tree_of(value)]
    if isinstance(value, list):
        return [_planted(item) for item in value]
    return value


def annotate(root: Node, casts: str, notes: list[Any]) -> bool:
    """Attach the engine's notes, given in the order of this walk; false if they do not fit the tree.

    The walk: a plan's expressions, then its children; an expression's own plan, then its children.
    """
    found_casts: list[Node] = []
    found_plans: list[Node] = []
    stack: list[tuple[Node, bool]] = [(root, True)]
    while stack:
        node, is_plan = stack.pop()
        if is_plan:
            found_plans.append(node)
            inner = [tree for tree in plans_of(node) if not node.children]
            expressions = [tree for tree in fields_of(node) if not is_plan_node(tree)]
            following = [*((e, False) for e in expressions), *((p, True) for p in (*inner, *node.children))]
        else:
            if node.name in CASTS:
                found_casts.append(node)
            own = node.trees("plan") if "plan" in node.args else []
            following = [*((p, True) for p in own), *((c, False) for c in node.children)]
        stack.extend(reversed(following))
    if len(found_casts) != len(casts) or len(found_plans) != len(notes):
        return False
    for node, flag in zip(found_casts, casts, strict=True):
        node.note = flag == "1"
    for node, note in zip(found_plans, notes, strict=True):
        node.note = note
    return True


CASTS = frozenset(("Cast", "TryCast", "AnsiCast"))


def fields_of(node: Node) -> Iterator[Node]:
    for value in node.args.values():
        if isinstance(value, list):
            yield from trees_in(value)


def plans_of(node: Node) -> list[Node]:
    """CREATE TABLE t AS …      a command keeps its query in a field"""
    return [tree for tree in fields_of(node) if is_plan_node(tree)]


def is_plan_node(node: Node) -> bool:
    name = str(node.args.get("class", ""))
    return EXPRESSION_PACKAGE not in name and (".plans." in name or ".execution." in name) and ".python." not in name

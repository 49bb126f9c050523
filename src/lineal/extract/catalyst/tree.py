"""A plan's JSON as a tree of nodes.

Spark writes a tree as the flat list of its nodes, each before its children, with the number of its
children. Trees stand in the fields of nodes, too: a plan's expressions, a subquery's plan.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from lineal.model.sequences import flatten


class Node:
    """A plan's operator or an expression: the short name of its class, its fields, its children."""

    __slots__ = ("args", "children", "name", "planted")

    def __init__(self, name: str, args: dict[str, Any], children: list[Node]) -> None:
        """Build a node of Spark's plan tree from its class name, its fields and its children."""
        self.name = name
        self.args = args
        self.children = children
        self.planted: dict[str, list[Node]] = {}

    def __repr__(self) -> str:
        """Show the class names of the node and its children."""
        return f"{self.name}({', '.join(child.name for child in self.children)})"

    def trees(self, field: str) -> list[Node]:
        """The trees of a field, in order, however they are nested."""
        found = self.planted.get(field)
        if found is None:
            found = self.planted[field] = list(trees_in(self.args.get(field)))

        return found

    def trees_of(self, fields: Iterable[str]) -> list[Node]:
        """The trees of several fields, one field after the other."""
        return flatten(map(self.trees, fields))

    def find_all(self, name: str) -> Iterator[Node]:
        """Find every node of a class, this one included."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node.name == name:
                yield node

            waiting.extend(node.children)

    def contains(self, name: str) -> bool:
        """Tell whether this tree has a node of a class."""
        return next(self.find_all(name), None) is not None

    @property
    def note(self) -> dict[str, Any]:
        """Return the engine's note in the plan: the name of a leaf or a sink, the projections of
        an Expand.
        """
        note = self.args.get("note")
        if isinstance(note, dict):
            return note

        return {}


def read_tree(text: str) -> Node:
    """The tree that `plan.toJSON` writes."""
    return build_tree(json.loads(text))


def build_tree(items: list[dict[str, Any]]) -> Node:
    """Build a tree of the flat list of its nodes, each before its children."""
    nodes = [Node(short_name(item["class"]), item, []) for item in items]
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


@lru_cache(maxsize=4096)
def short_name(name: str) -> str:
    """Return the last part of a class name, such as Project.

    org.apache.spark.sql.catalyst.plans.logical.Project
    """
    return name.rsplit(".", 1)[-1].rstrip("$")


def trees_in(value: Any) -> Iterator[Node]:
    """A tree is a list of objects with a class; a list of trees, a list of lists of trees, and so
    on.
    """
    if not isinstance(value, list) or not value:
        return

    if not isinstance(value[0], dict):
        for item in value:
            yield from trees_in(item)
    elif "class" in value[0]:
        yield build_tree(value)
    else:
        for item in value:
            yield from trees_in(list(item.values()))


def leaf_outputs(node: Node) -> list[Node]:
    """FROM t      the columns of a leaf; a Hive table lists those of its partitions apart"""
    return node.trees("output") or node.trees_of(("dataCols", "partitionCols"))


def expression_id(args: dict[str, Any]) -> str:
    """a#12      the identity of an attribute, which its name is not"""
    return f"#{args['exprId']['id']}"


def table_identifier(table: Any) -> list[str]:
    """CatalogTable(identifier = TableIdentifier(t, db, catalog))      [catalog, db, t]"""
    if not isinstance(table, dict) or not isinstance(table.get("identifier"), dict):
        return []

    return identifier_parts(table["identifier"])


def identifier_parts(identifier: dict[str, Any]) -> list[str]:
    """TableIdentifier(t, db, catalog)      [catalog, db, t], as far as they are named"""
    parts = list(map(identifier.get, ("catalog", "database", "table")))
    return [str(part) for part in parts if part]

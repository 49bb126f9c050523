"""The nodes that ref() and source() refer to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from lineal.projects.dbt.node import REFERABLE, Node

CALL = re.compile(r"\s*(ref|source)\s*\((.*)\)\s*\Z", re.S)
TEXTS = re.compile(r"""['"]([^'"]*)['"]""")
VERSION = re.compile(r"\b(?:v|version)\s*=\s*['\"]?(\w+)")


class Index:
    """Nodes by the names that templates call them by; the worker looks them up in the same way."""

    def __init__(self, nodes: Iterable[Node], root: str) -> None:
        self.root = root
        self.nodes: dict[str, list[Node]] = {}
        self.sources: dict[str, Node] = {}
        for node in nodes:
            if node.kind == "source":
                self.sources.setdefault(node.name, node)
                self.sources[f"{node.package}.{node.name}"] = node
            elif node.kind in REFERABLE:
                for name in self.names_of(node):
                    self.nodes.setdefault(name, []).append(node)

    def names_of(self, node: Node) -> list[str]:
        """Return the names by which `ref` can find a node."""
        if not node.version:
            return [node.name]

        return [f"{node.name}.v{node.version}", *([node.name] if node.latest else [])]

    def ref(self, package: str, names: list[str], version: str = "") -> Node | None:
        """Return the node that `ref` means."""
        *where, name = names[:2]
        several = self.nodes.get(f"{name}.v{version}" if version else name, [])
        for each in where or [package, self.root]:
            for node in several:
                if node.package == each:
                    return node

        if several and not where:
            return several[0]

        return None

    def source(self, package: str, names: list[str]) -> Node | None:
        """Return the node that `source` means."""
        name = ".".join(names[:2])
        return self.sources.get(f"{package}.{name}") or self.sources.get(name)

    def find_reference(self, package: str, text: str) -> Node | None:
        """ref('orders'), as YAML writes it"""
        found = CALL.match(text.strip().removeprefix("{{").removesuffix("}}"))
        if found is None:
            return None

        names = TEXTS.findall(found[2])
        if found[1] == "source":
            if len(names) > 1:
                return self.source(package, names)

            return None

        if not names:
            return None

        version = VERSION.search(found[2])
        return self.ref(package, names, version[1] if version else "")

    def setup(self) -> dict[str, Any]:
        """As the worker is told."""
        return {
            "nodes": {
                name: list(map(_worker_entry, several)) for name, several in self.nodes.items()
            },
            "sources": {name: _worker_entry(node) for name, node in self.sources.items()},
        }


def _worker_entry(node: Node) -> list[object]:
    """Return a node as the rendering process needs it."""
    return [node.id, node.package, list(node.parts), node.kind]

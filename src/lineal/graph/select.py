"""Selectors: `+dim_customers.customer_id`, `stg_orders.amount+`, `2+m.c`, `m.c+3`, `+m`, `tag:daily+`.

parse("+tag:daily")        every dataset with the tag, and all upstream of it
members(graph, parse("path:models/staging"))
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import NamedTuple

from lineal.graph.classify import Classification
from lineal.graph.graph import Graph, UnknownName
from lineal.model.edge import Column, Dataset

ALL = sys.maxsize
"""As many hops as there are."""

_SELECTOR = re.compile(
    r"(?:(?P<hops_up>\d*)(?P<up>\+))?"
    r"(?P<name>[^+\s](?:[^+]*[^+\s])?)"
    r"(?:(?P<down>\+)(?P<hops_down>\d*))?"
)


class Selection(NamedTuple):
    """A dataset or column, and how many hops to follow upstream and downstream from it."""

    name: str
    up: int = 0
    down: int = 0

    @property
    def follows(self) -> bool:
        """Tell whether it goes anywhere from what it names."""
        return bool(self.up or self.down)

    @property
    def method(self) -> str:
        """tag:daily      tag; '' for a name"""
        method, colon, _ = self.name.partition(":")
        return method if colon and method in METHODS else ""

    @property
    def value(self) -> str:
        """tag:daily      daily"""
        return self.name.partition(":")[2] if self.method else self.name


def parse(text: str) -> Selection | None:
    """Return the selection that a text asks for, or None for a plain name: a selector has a plus on
    either side, or a method.
    """
    found = _SELECTOR.fullmatch(text)
    if not found:
        return None

    selection = Selection(
        found["name"],
        _hops(found["up"], found["hops_up"]),
        _hops(found["down"], found["hops_down"]),
    )
    if selection.follows or found["up"] or found["down"] or selection.method:
        return selection

    return None


def _hops(plus: str | None, count: str | None) -> int:
    """Return how many hops a selector follows: `2+` is 2, `+` is all."""
    if not plus:
        return 0

    if count:
        return int(count)

    return ALL


# -- what a selector names -------------------------------------------------------------------------


def members(graph: Graph, selection: Selection) -> list[Column | Dataset]:
    """Return what a selection names; `UnknownName` if that is nothing."""
    if not selection.method:
        return [graph.find(selection.name)]

    found = METHODS[selection.method](graph, selection.value)
    if not found:
        raise UnknownName(
            f"{selection.name} selects nothing: check the spelling of {selection.value}"
        )

    return found


def select_by_tag(graph: Graph, tag: str) -> list[Column | Dataset]:
    """tag:daily      the datasets with a tag"""
    return [name for name, info in graph.infos.items() if tag in info.tags]


def of_kind(graph: Graph, kind: str) -> list[Column | Dataset]:
    """kind:source      the datasets of a kind"""
    return [name for name, info in graph.infos.items() if info.kind == kind.lower()]


def in_path(graph: Graph, path: str) -> list[Column | Dataset]:
    """path:models/staging      the datasets that files of a folder define or declare"""
    files: dict[Dataset, set[str]] = {}
    for name, info in graph.infos.items():
        if info.place is not None:
            files.setdefault(name, set()).add(info.place.file)

    for statement in graph.extraction.statements:
        if statement.place is not None:
            files.setdefault(statement.target, set()).add(statement.place.file)

    wanted = path.rstrip("/").removeprefix("./")
    return [
        name for name in graph.infos if any(is_in(file, wanted) for file in files.get(name, ()))
    ]


def is_in(file: str, path: str) -> bool:
    """Tell whether a file is the path, is below it, or matches it as a pattern."""
    return file == path or f"/{file}".find(f"/{path}/") >= 0 or fnmatchcase(file, path)


def select_by_label(graph: Graph, label: str) -> list[Column | Dataset]:
    """classification:pii      the columns that have a label, declared or brought along"""
    return list(Classification(graph).columns(label.lower()))


def select_by_group(graph: Graph, group: str) -> list[Column | Dataset]:
    """group:finance      the models of a group"""
    return select_by_tag(graph, f"group:{group}")


def select_by_access(graph: Graph, access: str) -> list[Column | Dataset]:
    """access:private      the models with an access: private, protected or public"""
    return select_by_tag(graph, f"access:{access.lower()}")


METHODS: dict[str, Callable[[Graph, str], list[Column | Dataset]]] = {
    "tag": select_by_tag,
    "path": in_path,
    "kind": of_kind,
    "classification": select_by_label,
    "group": select_by_group,
    "access": select_by_access,
}
"""The methods of selectors, each with what it finds."""

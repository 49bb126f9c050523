"""Where YAML files describe nodes and columns, found by their lines: the manifest has read them,
and not said where.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from lineal.model.diagnostic import Place
from lineal.projects.dbt.node import Node
from lineal.projects.text import peek_text
from lineal.projects.yaml import NOTHING, Value, of_plain, parse

ITEM = re.compile(r"^(\s*)-\s*\{?\s*name:\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s,}#]+))")
SECTION = re.compile(r"^(\w[\w-]*)\s*:")


class Item(NamedTuple):
    """- name: orders"""

    section: str
    indent: int
    name: str
    line: int
    column: int


class Places:
    """The items of YAML files, each file read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, list[Item]] = {}
        self.values: dict[str, Value | None] = {}

    def items(self, file: str) -> list[Item]:
        """Return the named items of a YAML file."""
        if file not in self.files:
            self.files[file] = list(_items(file))

        return self.files[file]

    def put(self, node: Node, section: str, file: str) -> None:
        """The place of a node in a file, and those of its columns."""
        items = self.items(file) if file else []
        for number, item in enumerate(items):
            if item.name == node.name and item.section == section:
                self.place(node, items, number, file)
                return

        node.place = node.known_place

    def put_table(self, node: Node, source: str, table: str) -> None:
        """Set the place of a source table."""
        items = self.items(node.file)
        inside = False
        for number, item in enumerate(items):
            if item.section != "sources":
                continue

            if item.name == source and not inside:
                inside, indent = True, item.indent
            elif inside and item.indent <= indent:
                inside = item.name == source
            elif inside and item.name == table:
                self.place(node, items, number, node.file)
                return

    def inner(self, file: str, owner: list[str], column: str) -> Place:
        """Return the place of a column that a file describes; of its owner if it does not."""
        found = Place(file, 1, 1)
        items = self.items(file)
        for number, item in enumerate(items):
            if item.name not in owner or item.section not in NODE_SECTIONS:
                continue

            found = Place(file, item.line, item.column)
            for beside in items[number + 1 :]:
                if beside.indent <= item.indent:
                    break

                if beside.name == column:
                    return Place(file, beside.line, beside.column)

        return found

    def value_of(self, data: Mapping[str, object], section: str, name: str, file: str) -> Value:
        """Return an entry of a manifest as YAML would have it, with the places of its parts; those
        of its named parts, if the file has them elsewhere than under its section.
        """
        written = self.entry(file, section, name)
        if written is not None:
            return take_places(of_plain(data), written)

        items = self.items(file)
        start = next(
            (at for at, each in enumerate(items) if each.name == name and each.section == section),
            None,
        )
        if start is None:
            start = next((at for at, each in enumerate(items) if each.name == name), None)

        if start is None:
            return place_by_name(of_plain(data), Place(file, 1, 1), {})

        here = items[start]
        inner: dict[str, list[Place]] = {}
        for item in items[start + 1 :]:
            if item.indent <= here.indent or item.section != here.section:
                break

            inner.setdefault(item.name, []).append(Place(file, item.line, item.column))

        return place_by_name(of_plain(data), Place(file, here.line, here.column), inner)

    def entry(self, file: str, section: str, name: str) -> Value | None:
        """Return what a YAML file says of an entry; None if it does not list it under its section."""
        if file not in self.values:
            self.values[file] = parse(peek_text(Path(file)), file, lambda _: None)

        whole = self.values[file] or NOTHING
        return next((each for each in whole.items_of(section) if name_of(each) == name), None)

    def place(self, node: Node, items: list[Item], number: int, file: str) -> None:
        """Set the place of a node and of its columns."""
        here = items[number]
        node.place = Place(file, here.line, here.column)
        inner: dict[str, Item] = {}
        for item in items[number + 1 :]:
            if item.indent <= here.indent or item.section != here.section:
                break

            inner.setdefault(item.name, item)

        node.columns = [
            column._replace(place=Place(file, found.line, found.column))
            if (found := inner.get(column.name))
            else column
            for column in node.columns
        ]


NODE_SECTIONS = ("models", "seeds", "snapshots", "sources")


def name_of(value: Value) -> str:
    """{name: orders, …}      orders"""
    return (value.get("name") or value).raw.strip()


def take_places(value: Value, written: Value) -> Value:
    """Give a value of a manifest the places of the same value in a file; parts that only the
    manifest has get the place of the value around them.

    measure: {name: revenue, filter: null}      measure: revenue in the file
    """
    where = replace(value, place=written.place, block=written.block)
    if isinstance(value.data, dict):
        data: Any = {
            key: take_places(each, written.entries.get(key) or written)
            for key, each in value.data.items()
        }
        return replace(where, data=data)

    if isinstance(value.data, list):
        named = {name_of(each): each for each in written.items}
        there = [named.get(name_of(each), written) for each in value.data]
        return replace(where, data=list(map(take_places, value.data, there)))

    return where


def place_by_name(value: Value, place: Place, inner: dict[str, list[Place]]) -> Value:
    """Give a value of a manifest the place of its item, and the items in it those of their names."""
    if isinstance(value.data, dict):
        name = value.data.get("name")
        own = inner.get(name.raw) if name is not None and value.name else None
        here = own.pop(0) if own else place
        data: Any = {key: place_by_name(each, here, inner) for key, each in value.data.items()}
        return replace(value, data=data, place=here)

    if isinstance(value.data, list):
        return replace(
            value, data=[place_by_name(each, place, inner) for each in value.data], place=place
        )

    return replace(value, place=place)


def _items(file: str) -> list[Item]:
    """Return the named items of a YAML file with their sections and lines."""
    lines = peek_text(Path(file)).split("\n")
    found: list[Item] = []
    section = ""
    for number, line in enumerate(lines, 1):
        if heading := SECTION.match(line):
            section = heading[1]
        elif item := ITEM.match(line):
            name = item[2] or item[3] or item[4] or ""
            indent = len(item[1])
            found.append(Item(section, indent, name, number, start_of(line, indent)))

    return found


def start_of(line: str, indent: int) -> int:
    """- name: x and - {name: x}      where the item begins, counted from 1"""
    return len(line) - len(line[indent + 1 :].lstrip()) + 1

"""Columns and datasets, taken out of the YAML that declares them.

    models:                          models:
      - name: orders                   - name: orders
        columns:                         columns:
          - name: id                       - name: id
          - name: tip

The new text is read again, and taken only if it says what it said before without the entry.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

from lineal.extract.sql.removals.edits import Cut, Refused, cut_text, line_end, line_start
from lineal.model.diagnostic import Place
from lineal.projects.descriptions import Cannot, Tree, plain_data

COUNTS_FOR_NOTHING = frozenset(("version",))
"""Keys that are left over when the last entry of a file is gone."""

PROSE = ("description:", "- name:", "name:", "#")
"""How a line begins that may name a column and needs none."""

YAML = (".yml", ".yaml")


def is_yaml(place: Place | None) -> bool:
    """Tell whether a place is in a YAML file."""
    return place is not None and place.file.lower().endswith(YAML)


def remove_entries(text: str, places: Iterable[Place]) -> str | None:
    """Return a YAML text without some entries; None if nothing would be left of it."""
    for place in sorted(places, key=lambda each: (-each.line, -each.column)):
        found = _remove_entry(text, place)
        if found is None:
            return None

        text = found

    return text


def entry_lines(text: str, place: Place) -> range:
    """Return the lines of an entry."""
    try:
        tree = Tree(text)
        node = tree.node_at(place)
    except Cannot as reason:
        raise Refused(f"its YAML entry cannot be removed: {reason}") from reason

    last = tree.last_of(node)
    return range(node.start_mark.line + 1, last.end_mark.line + 2)


def settings_in(text: str, place: Place) -> Iterator[tuple[int, str]]:
    """Yield the lines of an entry that are not prose, with their numbers."""
    lines = text.split("\n")
    for number in entry_lines(text, place):
        line = "".join(lines[number - 1 : number])
        if not line.strip().startswith(PROSE):
            yield number, line


def _remove_entry(text: str, place: Place) -> str | None:
    """Return a text without one entry; an entry alone takes the key of its list with it."""
    try:
        before = plain_data(text)
        tree = Tree(text)
        node = tree.node_at(place)
        path = tree.paths[id(node)]
        while path and _is_alone(before, path):
            node = tree.parents[id(node)]
            path = tree.paths[id(node)]

        if not path:
            return None

        made = cut_text(text, [_cut(text, tree, node, path)])
        if plain_data(made) != _data_without(before, path):
            raise Cannot("something else would change")
    except Cannot as reason:
        raise Refused(f"its YAML entry cannot be removed: {reason}") from reason

    return made


def _is_alone(data: Any, path: tuple[Any, ...]) -> bool:
    """Tell whether an entry is the only one that counts in its list or mapping."""
    around = data
    for step in path[:-1]:
        around = around[step]

    if isinstance(around, dict):
        return not set(around) - {path[-1], *COUNTS_FOR_NOTHING}

    return len(around) == 1


def _data_without(data: Any, path: tuple[Any, ...]) -> Any:
    """Return data without what a path leads to."""
    left = copy.deepcopy(data)
    around = left
    for step in path[:-1]:
        around = around[step]

    del around[path[-1]]
    return left


def _cut(text: str, tree: Tree, node: Any, path: tuple[Any, ...]) -> Cut:
    """Return the part of a text that an entry takes up."""
    parent = tree.parents[id(node)]
    if parent.flow_style:
        return _cut_in_flow(text, parent, node, path)

    start = node.start_mark.index
    if not isinstance(path[-1], int):
        start = next(key for key, value in parent.value if value is node).start_mark.index

    last = tree.last_of(node)
    first = line_start(text, start)
    if text[first:start].strip() not in ("", "-"):
        raise Cannot("it shares a line with something else")

    return Cut(first, line_end(text, last.end_mark.index - (last.end_mark.column == 0)))


def _cut_in_flow(text: str, parent: Any, node: Any, path: tuple[Any, ...]) -> Cut:
    """[a, b, c]      an item with one of its commas"""
    if not isinstance(path[-1], int):
        raise Cannot("it is an entry of a mapping in braces")

    start, end = node.start_mark.index, node.end_mark.index
    if path[-1] + 1 < len(parent.value):
        return Cut(start, parent.value[path[-1] + 1].start_mark.index)

    return Cut(parent.value[path[-1] - 1].end_mark.index, end)

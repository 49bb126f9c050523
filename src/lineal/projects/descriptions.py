"""Descriptions written into YAML files: each is added where it belongs, and every other byte stays
as it is.

- name: id               →   - name: id
                               description: Order number
[id, amount]             →   [{name: id, description: Order number}, amount]
id: INTEGER              →   id: {type: INTEGER, description: Order number}

The places of the YAML reader say where; what comes out is read again, and taken only if it says
what it said before and the new descriptions, nothing else.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from lineal.model.diagnostic import Place
from lineal.model.grouping import group
from lineal.model.sequences import flatten
from lineal.projects import yaml
from lineal.projects.columns import TYPE_KEYS
from lineal.projects.scalars import scalar

DESCRIPTION, NAME, COLUMNS = "description", "name", "columns"
ANCHORS = (*reversed(TYPE_KEYS), NAME)
"""A description goes below these."""


class Fill(NamedTuple):
    """A description for a column: where the column is declared, else where its dataset is.

    Without a text, the column is only declared.
    """

    dataset: str
    column: str
    text: str
    dataset_at: Place
    column_at: Place | None

    def __str__(self) -> str:
        return f"{self.dataset}.{self.column}"


class Edit(NamedTuple):
    """text[start:end] becomes something else, and what the data is after that."""

    start: int
    end: int
    new: str
    becomes: Callable[[Any], None]
    """does to the plain data of the whole file what the edit does to its text"""


class Cannot(Exception):
    """Why a description cannot be written; the reason fits behind the column's name."""


class FilledText(NamedTuple):
    """The new text of a file, the descriptions filled in, and those refused, with the reasons."""

    text: str
    filled: list[Fill]
    refused: list[tuple[Fill, str]]


def write_descriptions(text: str, fills: Iterable[Fill]) -> FilledText:
    """All of them at once; if that does not come out as it should, one after the other."""
    wanted = sorted(fills, key=lambda fill: fill.column_at is None)
    try:
        return FilledText(_add_descriptions(text, wanted), wanted, [])
    except Cannot:
        return _one_by_one(text, wanted)


def _one_by_one(text: str, fills: list[Fill]) -> FilledText:
    """From below, so that the places above stay true."""
    filled: list[Fill] = []
    refused: list[tuple[Fill, str]] = []
    for fill in sorted(fills, key=_from_below):
        try:
            text = _add_descriptions(text, [fill])
            filled.append(fill)
        except Cannot as reason:
            refused.append((fill, str(reason)))

    return FilledText(text, filled, refused)


def _from_below(fill: Fill) -> tuple[int, int, bool]:
    """Return a sort key that puts later places first."""
    at = fill.column_at or fill.dataset_at
    return (-at.line, -at.column, fill.column_at is None)


def _add_descriptions(text: str, fills: list[Fill]) -> str:
    """Return a YAML text with the descriptions added; raise Cannot if anything else would change."""
    before = plain_data(text)
    tree = Tree(text)
    edits = [
        edit
        for fill in fills
        if fill.column_at is not None
        for edit in tree.describe_declared(fill, fill.column_at)
    ]
    edits += tree.declare_columns([fill for fill in fills if fill.column_at is None])
    made = _apply_edits(text, edits)
    expected = copy.deepcopy(before)
    for edit in edits:
        edit.becomes(expected)

    if plain_data(made) != expected:
        raise Cannot("it cannot be written there without changing something else")

    return made


def _apply_edits(text: str, edits: list[Edit]) -> str:
    """Return a text with its edits applied."""
    parts, done = [], 0
    # of two at one spot the first comes first
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts += [text[done : edit.start], edit.new]
        done = edit.end

    return "".join([*parts, text[done:]])


def plain_data(text: str) -> Any:
    """The plain data; a file that is not read without a complaint is not written to."""
    problems: list[object] = []
    value = yaml.parse(text, "", problems.append)
    if value is None or problems:
        raise Cannot("the file is not sound YAML")

    return value.plain()


class Tree:
    """The nodes of a YAML text, each with the way that leads to it."""

    def __init__(self, text: str) -> None:
        import yaml as library

        self.library = library
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.paths: dict[int, tuple[Any, ...]] = {}
        self.parents: dict[int, Any] = {}
        self.shared: set[int] = set()
        self.at: dict[tuple[int, int], list[Any]] = {}
        try:
            root = library.compose(text, getattr(library, "CSafeLoader", library.SafeLoader))
        except (library.YAMLError, RecursionError) as error:
            raise Cannot("the file is not sound YAML") from error

        self._walk(root)

    def _walk(self, root: object) -> None:
        """From the outside in, in the order of the text."""
        waiting: list[tuple[Any, Any, tuple[Any, ...]]] = (
            [(root, None, ())] if root is not None else []
        )
        while waiting:
            node, parent, path = waiting.pop()
            if id(node) in self.paths:
                self.shared.add(id(node))
                continue

            self.paths[id(node)], self.parents[id(node)] = path, parent
            mark = node.start_mark
            self.at.setdefault((mark.line + 1, mark.column + 1), []).append(node)
            waiting += reversed([(inner, node, (*path, step)) for step, inner in self._steps(node)])

    def _steps(self, node: object) -> Iterator[tuple[Any, Any]]:
        """Yield the keys or positions below a YAML node, with their nodes."""
        if isinstance(node, self.library.MappingNode):
            yield from (
                (key.value if isinstance(key.value, str) else None, value)
                for key, value in node.value
            )
        elif isinstance(node, self.library.SequenceNode):
            yield from enumerate(node.value)

    def node_at(self, place: Place) -> Any:
        """Return the outermost node that begins at a place, and that the file uses only once."""
        nodes = self.at.get((place.line, place.column))
        if not nodes:
            raise Cannot("the file does not say so any more")

        node = nodes[0]
        if any(id(each) in self.shared for each in nodes) or None in self.paths[id(node)]:
            raise Cannot("it is used in several places")

        return node

    # -- a column that is listed -------------------------------------------------------------------

    def describe_declared(self, fill: Fill, place: Place) -> list[Edit]:
        """Return the edits that describe a column that is declared."""
        node = self.node_at(place)
        if isinstance(node, self.library.MappingNode):
            return [self._in_mapping(node, fill)]

        if (
            not isinstance(node, self.library.ScalarNode)
            or node.start_mark.line != node.end_mark.line
        ):
            raise Cannot("its declaration is neither a name nor a mapping")

        listed = isinstance(self.paths[id(node)][-1], int)
        if listed:
            return self._in_list(node, fill)

        return [self._as_value(node, fill)]

    def _in_mapping(self, node: Any, fill: Fill) -> Edit:
        """{name: id} and name: id

        a description below the name or type, or in the place of an empty one
        """
        path = self.paths[id(node)]
        becomes = _setting((*path, DESCRIPTION), fill.text)
        entries = {
            key.value: (key, value) for key, value in node.value if isinstance(key.value, str)
        }
        if DESCRIPTION in entries:
            return self._in_place_of(
                entries[DESCRIPTION][1], fill, becomes, flow=bool(node.flow_style)
            )

        if node.flow_style and not node.value:
            start, end = node.start_mark.index, node.end_mark.index
            return Edit(start, end, f"{{{DESCRIPTION}: {scalar(fill.text, flow=True)}}}", becomes)

        key, value = self._anchor(entries)
        if node.flow_style:
            spot = max(value.end_mark.index, key.end_mark.index)
            return Edit(spot, spot, f", {DESCRIPTION}: {scalar(fill.text, flow=True)}", becomes)

        indent = " " * node.value[0][0].start_mark.column
        return self._below(value, key, [f"{indent}{DESCRIPTION}: {scalar(fill.text)}"], becomes)

    def _anchor(self, entries: dict[str, Any]) -> tuple[Any, Any]:
        """The key and value that the description goes below: of those that end where they seem to."""
        ordered = [entries[name] for name in ANCHORS if name in entries] + list(entries.values())
        for key, value in ordered:
            if self._is_inline(value):
                return key, value

        raise Cannot("there is no simple line to write it below")

    def _is_inline(self, node: Any) -> bool:
        """Tell whether a node is written in one line."""
        if isinstance(node, self.library.ScalarNode):
            return node.style not in ("|", ">")

        return bool(node.flow_style)

    def _in_place_of(
        self, value: object, fill: Fill, becomes: Callable[[Any], None], *, flow: bool
    ) -> Edit:
        """Return the edit that replaces an empty description."""
        if (
            not isinstance(value, self.library.ScalarNode)
            or value.style in ("|", ">")
            or id(value) in self.shared
        ):
            raise Cannot("its empty description is written in an unusual way")

        if value.value.strip() and not value.tag.endswith(":null"):
            raise Cannot("it has a description")

        start, end = value.start_mark.index, value.end_mark.index
        space = "" if self.text[start - 1 : start].isspace() else " "
        return Edit(start, end, space + scalar(fill.text, flow=flow), becomes)

    def _in_list(self, node: Any, fill: Fill) -> list[Edit]:
        """[id] and - id      a name becomes a mapping"""
        start, end, path = node.start_mark.index, node.end_mark.index, self.paths[id(node)]
        becomes = _replacement_at(path, lambda name: {NAME: name, DESCRIPTION: fill.text})
        if self.parents[id(node)].flow_style:
            new = f"{{{NAME}: {scalar(node.value, flow=True)}, {DESCRIPTION}: {scalar(fill.text, flow=True)}}}"
            return [Edit(start, end, new, becomes)]

        indent = " " * node.start_mark.column
        below = self._below(
            node, node, [f"{indent}{DESCRIPTION}: {scalar(fill.text)}"], _change_nothing
        )
        return [Edit(start, start, f"{NAME}: ", becomes), below]

    def _as_value(self, node: Any, fill: Fill) -> Edit:
        """id: INTEGER      a type becomes a mapping"""
        start, end, path = node.start_mark.index, node.end_mark.index, self.paths[id(node)]
        kind = {} if node.tag.endswith(":null") else {TYPE_KEYS[0]: node.value}
        parts = [
            f"{key}: {scalar(value, flow=True)}"
            for key, value in {**kind, DESCRIPTION: fill.text}.items()
        ]
        space = "" if self.text[start - 1 : start].isspace() else " "
        becomes = _replacement_at(path, lambda _: {**kind, DESCRIPTION: fill.text})
        return Edit(start, end, f"{space}{{{', '.join(parts)}}}", becomes)

    # -- columns that are not listed ---------------------------------------------------------------

    def declare_columns(self, fills: list[Fill]) -> list[Edit]:
        """Return the edits that declare and describe columns."""
        by_dataset = group(fills, lambda fill: fill.dataset_at)
        return flatten(
            self._added_to(self.node_at(place), several) for place, several in by_dataset.items()
        )

    def _added_to(self, dataset: object, fills: list[Fill]) -> list[Edit]:
        """Return the edits that add columns to a dataset."""
        if (
            not isinstance(dataset, self.library.MappingNode)
            or dataset.flow_style
            or not dataset.value
        ):
            raise Cannot("its dataset is not declared in separate lines")

        listed = next(((key, value) for key, value in dataset.value if key.value == COLUMNS), None)
        if listed is None:
            return [self._new_list(self.last_of(dataset), dataset, fills, header=True)]

        key, columns = listed
        if id(columns) in self.shared:
            raise Cannot("its columns are used in several places")

        if isinstance(columns, self.library.ScalarNode):
            if columns.value:
                raise Cannot("its columns are neither a list nor a mapping")

            return [self._new_list(key, dataset, fills, header=False)]

        known = {str(name).lower() for name in self._names(columns)}
        if any(fill.column.lower() in known for fill in fills):
            raise Cannot("it is listed already, in an unusual way")

        return [self._longer(columns, fills)]

    def _names(self, columns: Any) -> Iterator[Any]:
        """The names that a list or mapping of columns has."""
        for item in columns.value:
            if isinstance(item, tuple):
                yield item[0].value
            elif isinstance(item, self.library.MappingNode):
                yield from (value.value for key, value in item.value if key.value == NAME)
            else:
                yield item.value

    def _new_list(self, below: Any, dataset: Any, fills: list[Fill], *, header: bool) -> Edit:
        """columns:      where there is no list, or nothing in it"""
        indent = " " * dataset.value[0][0].start_mark.column
        lines = [f"{indent}{COLUMNS}:"] if header else []
        for fill in fills:
            lines += self._item(f"{indent}  ", "- ", fill)

        becomes = _setting((*self.paths[id(dataset)], COLUMNS), list(map(_plain_column, fills)))
        return self._below(below, below, lines, becomes)

    def _item(self, indent: str, dash: str, fill: Fill) -> list[str]:
        """Return the lines of a new column in a YAML list."""
        first = f"{indent}{dash}{NAME}: {scalar(fill.column)}"
        if not fill.text:
            return [first]

        return [first, f"{indent}{' ' * len(dash)}{DESCRIPTION}: {scalar(fill.text)}"]

    def _longer(self, columns: Any, fills: list[Fill]) -> Edit:
        """Return the edit that adds columns to an existing list or mapping."""
        path = self.paths[id(columns)]
        listed = isinstance(columns, self.library.SequenceNode)
        if listed:
            becomes = _replacement_at(path, lambda before: [*before, *map(_plain_column, fills)])
        else:
            news = {fill.column: {DESCRIPTION: fill.text} for fill in fills}
            becomes = _replacement_at(path, lambda before: {**before, **news})

        if columns.flow_style or not columns.value:
            return self._longer_flow(columns, fills, becomes, listed=listed)

        first = columns.value[0]
        if listed and self.text[columns.start_mark.index] != "-":
            raise Cannot("its columns are written in an unusual way")

        at = columns.start_mark.column if listed else first[0].start_mark.column
        lines: list[str] = []
        for fill in fills:
            if listed:
                lines += self._item(" " * at, "-".ljust(max(first.start_mark.column - at, 2)), fill)
            else:
                lines.append(
                    f"{' ' * at}{scalar(fill.column)}: {{{DESCRIPTION}: {scalar(fill.text, flow=True)}}}"
                )

        last = self.last_of(columns)
        return self._below(last, last, lines, becomes)

    def _longer_flow(
        self, columns: Any, fills: list[Fill], becomes: Callable[[Any], None], *, listed: bool
    ) -> Edit:
        """Return the edit that adds columns to a list or mapping in braces."""
        new = []
        for fill in fills:
            name, text = scalar(fill.column, flow=True), scalar(fill.text, flow=True)
            new.append(
                f"{{{NAME}: {name}, {DESCRIPTION}: {text}}}"
                if listed
                else f"{name}: {{{DESCRIPTION}: {text}}}"
            )

        joined = ", ".join(new)
        if not columns.value:
            opening = columns.start_mark.index + 1
            return Edit(opening, opening, joined, becomes)

        last = columns.value[-1] if listed else self._value_or_key(*columns.value[-1])
        inside = columns.start_mark.index < last.start_mark.index  # an alias stands elsewhere
        end = last.end_mark.index if inside else columns.end_mark.index - 1
        return Edit(end, end, f", {joined}", becomes)

    def last_of(self, node: object) -> Any:
        """Return the last node of a block that has some text; a node in braces ends where the
        braces do.
        """
        while isinstance(node, self.library.CollectionNode) and node.value and not node.flow_style:
            last = node.value[-1]
            node = self._value_or_key(*last) if isinstance(last, tuple) else last

        return node

    def _value_or_key(self, key: Any, value: Any) -> Any:
        """The value; the key where it has none."""
        if value.start_mark.index == value.end_mark.index:
            return key

        return value

    def _below(
        self, value: Any, key: Any, lines: list[str], becomes: Callable[[Any], None]
    ) -> Edit:
        """Return new lines below the line that a value ends on, also where a comment follows the
        value.
        """
        end = max(value.end_mark.index, key.end_mark.index)
        if isinstance(value, self.library.ScalarNode) and value.style in ("|", ">"):
            end = value.start_mark.index + len(self.text[value.start_mark.index : end].rstrip())

        spot = _end_of_line(self.text, end)
        return Edit(spot, spot, "".join(self.newline + line for line in lines), becomes)


def _end_of_line(text: str, start: int) -> int:
    """Return where the line ends."""
    found = re.compile(r"\r?\n|\Z").search(text, start)
    assert found is not None
    return found.start()


def _plain_column(fill: Fill) -> dict[str, str]:
    """Return a new column as plain data."""
    if not fill.text:
        return {NAME: fill.column}

    return {NAME: fill.column, DESCRIPTION: fill.text}


# -- what an edit does to the data -----------------------------------------------------------------


def _setting(path: tuple[object, ...], value: object) -> Callable[[Any], None]:
    """Return a change of plain data: set the value at a path."""
    return _replacement_at(path, lambda _: value)


def _replacement_at(path: tuple[Any, ...], new: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Return a change of plain data: compute the value at a path from the one before."""

    def becomes(data: Any) -> None:
        """Change plain data the way the edit changes the text."""
        for step in path[:-1]:
            data = data[step]

        try:
            before = data[path[-1]]
        except KeyError:
            before = None

        data[path[-1]] = new(before)

    return becomes


def _change_nothing(data: object) -> None:
    """The other half of an edit in two parts has done it."""

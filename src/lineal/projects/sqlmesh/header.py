"""Headers of SQLMesh files: MODEL (…), AUDIT (…), METRIC (…).

MODEL (name shop.orders, kind VIEW, columns (id INT, amount DOUBLE));

header.text("name")             shop.orders
header.columns()                id INT, amount DOUBLE
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lineal.model.diagnostic import Place
from lineal.model.extraction import ColumnInfo
from lineal.projects.lines import blank, line_at
from lineal.projects.sqlmesh.pieces import (
    Part,
    closing_bracket,
    pieces,
    signs,
    split,
    split_items,
    unquote,
    unwrap,
)

AUDIT = "AUDIT"
WORD = re.compile(r"\b(MODEL|AUDIT|METRIC)\s*\(", re.IGNORECASE)
KEY = re.compile(r"\s*(\w+)\s*(.*)", re.DOTALL)
CALL = re.compile(r"\s*([\w.\"`@{}]+)\s*(\(.*\))?\s*$", re.DOTALL)
ASSIGNED = re.compile(r"\s*([\w\"`]+)\s*(?::=|=>|=)\s*(.*)", re.DOTALL)
COLUMN = re.compile(r"""\s*("(?:[^"]|"")*"|`[^`]*`|[\w$]+)\s*(.*)""", re.DOTALL)


@dataclass(frozen=True)
class Header:
    """One header: its word, its properties, and its range in the file."""

    word: str
    properties: dict[str, Part]
    file: str
    start: int
    end: int
    line: int
    closed: bool = True
    """Whether its bracket is closed; else the header ends where the line or the file does."""
    lines: dict[str, int] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """Return a property as a text, without quotes; '' if it is not given."""
        part = self.properties.get(key)
        if part is not None:
            return unquote(part.text)

        return ""

    def raw(self, key: str) -> str:
        """Return a property as it is written."""
        part = self.properties.get(key)
        if part is not None:
            return part.text

        return ""

    def place(self, key: str = "") -> Place:
        """Return where a property stands, or the header itself."""
        return Place(self.file, self.lines.get(key, self.line), 1)

    def is_false(self, key: str) -> bool:
        """Tell whether a property says no."""
        return self.text(key).lower() in ("false", "0")

    def columns(self) -> list[ColumnInfo]:
        """columns (id INT, amount DOUBLE), column_descriptions (id = 'the key')"""
        told = dict(assignments(self.raw("column_descriptions")))
        place = self.place("columns")
        found = []

        for part in split(unwrap(self.raw("columns"))):
            column = COLUMN.match(part.text)
            if column is not None:
                name = unquote(column[1])
                about = unquote(told.get(name, ""))
                found.append(ColumnInfo(name, column[2].strip(), about, place=place))

        return found

    def descriptions(self) -> dict[str, str]:
        """column_descriptions (id = 'the key')"""
        return {name: unquote(text) for name, text in assignments(self.raw("column_descriptions"))}


def assignments(text: str) -> Iterator[tuple[str, str]]:
    """(a := 1, b = 'x')      each name with the text behind it"""
    for part in split(unwrap(text)):
        found = ASSIGNED.match(part.text)
        if found is not None:
            yield unquote(found[1]), found[2].strip()


def split_call(text: str) -> tuple[str, str]:
    """not_null(columns := (a, b))      the name, and the text in the brackets"""
    found = CALL.match(text)
    if found is None:
        return "", ""

    return unquote(found[1]), unwrap(found[2] or "")


def headers_of(text: str, file: str, dialect: str = "") -> list[Header]:
    """Return the headers of a file, in order; each begins a statement."""
    found: list[Header] = []
    at = 0
    before = ";"

    for piece in pieces(text, dialect):
        if not piece.says or piece.start < at:
            continue

        opened = None
        if before == ";":
            opened = WORD.match(text, piece.start)

        before = piece.text
        if opened is not None:
            header = read_header(text, file, opened, dialect)
            found.append(header)
            at, before = header.end, ";"

    return found


def read_header(text: str, file: str, opened: re.Match[str], dialect: str) -> Header:
    """Read a header from its first bracket on."""
    opening = opened.end() - 1
    end = closing_bracket(text, opening, dialect)
    closed = end is not None
    if end is None:
        stop = text.find(";", opening)
        end = len(text)
        if stop >= 0:
            end = stop

    properties: dict[str, Part] = {}
    lines: dict[str, int] = {}

    for part in split(text[opening + 1 : end], ",", dialect):
        found = KEY.match(part.text)
        if found is not None:
            key = found[1].lower()
            properties[key] = Part(found[2].strip(), part.start + opening + 1)
            lines[key] = line_at(text, part.start + opening + 1)

    after = re.compile(r"\s*;?").match(text, min(end + 1, len(text)))
    stop = end
    if after is not None:
        stop = after.end()

    line = line_at(text, opened.start())
    return Header(opened[1].upper(), properties, file, opened.start(), stop, line, closed, lines)


def body_of(text: str, header: Header, following: list[Header], dialect: str = "") -> str:
    """Return the text that belongs to a header; everything before it is blank, so lines stay.

    An audit has one statement. Whatever else is in the file of a model is the model's, also behind
    an audit that is written in the same file.
    """
    if header.word == AUDIT:
        stop = end_of_statement(text, header.end, dialect)
        return blank(text[: header.end]) + text[header.end : stop]

    end = next((each.start for each in following if each.word != AUDIT), len(text))
    body = blank(text[: header.end]) + text[header.end : end]
    for audit in following:
        if audit.start < end:
            stop = end_of_statement(body, audit.end, dialect)
            body = body[: audit.start] + blank(body[audit.start : stop]) + body[stop:]

    return body


JINJA_BLOCK = re.compile(r"\s*JINJA_\w+_BEGIN\s*;.*?JINJA_END\s*;?", re.DOTALL | re.IGNORECASE)


def end_of_statement(text: str, start: int, dialect: str) -> int:
    """Return the offset behind the statement that begins at an offset; a block of Jinja is one."""
    block = JINJA_BLOCK.match(text, start)
    if block is not None:
        return block.end()

    for piece, depth in signs(text, dialect, start):
        if piece.text == ";" and depth <= 0:
            return piece.end

    return len(text)


SPACED = frozenset(("mysql", "doris", "starrocks", "singlestore"))
"""Dialects in which two dashes begin a comment only if a space is behind them. SQLMesh reads the
comment without it, too.
"""


def with_spaced_comments(body: str, dialect: str) -> str:
    """---- totals      --   totals"""
    if dialect not in SPACED:
        return body

    return "".join(
        f"-- {piece.text[3:]}" if piece.kind == "comment" and piece.text[:2] == "--" else piece.text
        for piece in pieces(body, dialect)
    )


def kind_of(header: Header) -> tuple[str, dict[str, str]]:
    """kind SEED (path 'a.csv')      SEED, {path: 'a.csv'}"""
    name, inner = split_call(header.raw("kind"))
    settings = {}

    for part in split(inner):
        found = KEY.match(part.text)
        if found is not None:
            settings[found[1].lower()] = found[2].strip()

    return name.upper(), settings


def names_in(text: str) -> list[str]:
    """(a, b), [a, b], a      the names of a list"""
    return list(map(unquote, split_items(text)))

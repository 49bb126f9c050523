"""Pieces of SQL text: strings, comments, macros and brackets, each with its offset.

    split("a, f(b, c), 'd,e'")                     a | f(b, c) | 'd,e'
    closing("MODEL (name x, grain (a, b));", 6)    the offset of the last bracket

SQLMesh's headers and macros are not SQL, so they are taken apart before a parser sees the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

BACKSLASHES = frozenset(
    ("bigquery", "spark", "databricks", "hive", "mysql", "clickhouse", "snowflake", "doris")
)
"""Dialects in which a backslash escapes a quote."""

STRINGS = {True: r"'(?:[^'\\]|''|\\.)*'", False: r"'(?:[^']|'')*'"}


def pattern_of(escapes: bool) -> re.Pattern[str]:
    """Return the pattern of the pieces of a text, with or without escapes in its strings."""
    return re.compile(
        rf"""(?P<comment>--[^\n]*|/\*.*?\*/)
        |(?P<string>\$\$.*?\$\$|{STRINGS[escapes]})
        |(?P<quoted>"(?:[^"]|"")*"|`[^`]*`)
        |(?P<macro>@(?:\{{\s*\w+\s*\}}|'(?:[^']|'')*'|@?\w+))
        |(?P<word>[\w$]+)
        |(?P<space>\s+)
        |(?P<sign>.)""",
        re.DOTALL | re.VERBOSE,
    )


PATTERNS = {escapes: pattern_of(escapes) for escapes in (True, False)}
OPENING, CLOSING = "([{", ")]}"


class Piece(NamedTuple):
    """A piece of a text: its kind, its own text and where it begins."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Return where the piece ends."""
        return self.start + len(self.text)

    @property
    def says(self) -> bool:
        """Tell whether the piece is more than a space or a comment."""
        return self.kind not in ("space", "comment")


def pieces(text: str, dialect: str = "", start: int = 0) -> Iterator[Piece]:
    """Yield the pieces of a text from an offset on."""
    for found in PATTERNS[dialect in BACKSLASHES].finditer(text, start):
        yield Piece(str(found.lastgroup), found[0], found.start())


def signs(text: str, dialect: str, start: int = 0) -> Iterator[tuple[Piece, int]]:
    """Yield the signs of a text, each with the number of brackets that are open behind it."""
    depth = 0

    for piece in pieces(text, dialect, start):
        if piece.kind == "sign":
            depth += (piece.text in OPENING) - (piece.text in CLOSING)
            yield piece, depth


def closing_bracket(text: str, opening: int, dialect: str = "") -> int | None:
    """Return the offset of the bracket that closes the one at an offset; None if nothing does."""
    for piece, depth in signs(text, dialect, opening):
        if piece.text in CLOSING and depth == 0:
            return piece.start

    return None


class Part(NamedTuple):
    """A part of a text between separators, without the spaces around it, and where it begins."""

    text: str
    start: int


def split(text: str, separator: str = ",", dialect: str = "") -> list[Part]:
    """Return the parts between separators outside brackets; empty ones are left out."""
    parts: list[Part] = []
    begin = 0

    for piece, depth in signs(text, dialect):
        if piece.text == separator and depth <= 0:
            parts.append(strip_part(text[begin : piece.start], begin))
            begin = piece.end

    parts.append(strip_part(text[begin:], begin))
    return [part for part in parts if part.text]


def strip_part(text: str, start: int) -> Part:
    """Return a part without the spaces and comments around it."""
    said = [piece for piece in pieces(text) if piece.says]
    if not said:
        return Part("", start)

    return Part(text[said[0].start : said[-1].end], start + said[0].start)


ARRAY = re.compile(r"ARRAY\s*(?=\[)", re.IGNORECASE)


def unwrap(text: str) -> str:
    """Return the text inside the brackets around a text: (a, b), [a, b], ARRAY[a, b]."""
    bare = ARRAY.sub("", text.strip(), count=1) if ARRAY.match(text.strip()) else text.strip()
    if bare and bare[0] in "([" and closing_bracket(bare, 0) == len(bare) - 1:
        return bare[1:-1].strip()

    return bare


def split_items(text: str) -> list[str]:
    """Return the items of a list that is written with or without brackets."""
    return [part.text for part in split(unwrap(text))]


def is_string(text: str) -> bool:
    """Tell whether a text is one string of SQL."""
    return len(text) > 1 and text[0] == "'" and text[-1] == "'"


def unquote(text: str) -> str:
    """Return a name or string without its quotes."""
    bare = text.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "'\"`":
        return bare[1:-1].replace(bare[0] * 2, bare[0])

    return bare

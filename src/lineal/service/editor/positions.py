"""Positions in a text, as editors count them: lines from 0, and characters in UTF-16 by default."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

Values = dict[str, Any]

UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
"""The encodings that an editor may count in, and the bytes of one unit."""


class Text:
    """A text that can tell offsets from positions."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self.encoding = encoding
        self.starts = [0]
        at = text.find("\n")
        while at >= 0:
            self.starts.append(at + 1)
            at = text.find("\n", at + 1)

    def line(self, number: int) -> str:
        """Return a line without its end, counted from 0; '' if there is none."""
        if number < 0:
            return ""

        return self.text[self.start_of(number) : self.start_of(number + 1)].rstrip("\r\n")

    def start_of(self, number: int) -> int:
        """Return the offset of a line, counted from 0; that of the end if there is none."""
        if number < len(self.starts):
            return self.starts[number]

        return len(self.text)

    def offset(self, position: Mapping[str, Any]) -> int:
        """Return the offset of a position; one behind the end of its line is the end."""
        number, units = int(position["line"]), int(position["character"])
        if number >= len(self.starts):
            return len(self.text)

        line = self.line(max(number, 0))
        return self.starts[max(number, 0)] + characters_in(line, units, self.encoding)

    def position(self, offset: int) -> Values:
        """Return the position of an offset."""
        offset = max(0, min(offset, len(self.text)))
        number = bisect_right(self.starts, offset) - 1
        head = self.text[self.starts[number] : offset]
        return {"line": number, "character": units_of(head, self.encoding)}

    def range(self, start: int, end: int) -> Values:
        """Return the range from one offset up to another."""
        return {"start": self.position(start), "end": self.position(end)}

    def at(self, line: int, column: int) -> int:
        """Return the offset of a place, whose line and column count from 1."""
        number = max(0, min(line - 1, len(self.starts) - 1))
        return min(self.starts[number] + max(column - 1, 0), len(self.text))


def units_of(text: str, encoding: str) -> int:
    """Return how many units a text has."""
    if text.isascii():
        return len(text)

    name, size = UNITS[encoding]
    return len(text.encode(name, "surrogatepass")) // size


def characters_in(line: str, units: int, encoding: str) -> int:
    """Return how many characters of a line have so many units."""
    if line.isascii():
        return max(0, min(units, len(line)))

    count = 0
    for number, character in enumerate(line):
        if count >= units:
            return number

        count += units_of(character, encoding)

    return len(line)

"""JSON as objects: one a line, or over many lines, in an array or one after the other.

{"sql": "SELECT 1"}        [            [{"sql": "SELECT 1"},       {
{"sql": "SELECT 2"}          {           {"sql": "SELECT 2"}]         "sql": "SELECT 1"
                               "sql": …                             }
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

BRACES = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}]')
LONGEST_OBJECT = 100_000_000


def is_by_line(lines: list[str]) -> bool:
    """Whether a file is read line by line: it does not begin with the bracket of an array, and its
    first lines hold an object each, or no JSON at all.
    """
    start = lines[0].lstrip()[:1] if lines else ""
    return start != "[" and (start != "{" or any(map(_is_object, lines)))


def _is_object(line: str) -> bool:
    """Tell whether a line is a JSON object by itself."""
    try:
        return isinstance(json.loads(line.strip().rstrip(",")), dict)
    except (ValueError, RecursionError):
        return False


def objects(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    """Yield the texts of the objects, each with the line that it starts on; broken text is yielded
    as it is.
    """
    reading = Objects()
    for number, line in enumerate(lines, 1):
        yield from reading.read(number, line)

    yield from reading.end()


class Objects:
    """Reads line after line: a string never goes beyond its own, so that braces outside strings
    can be counted.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.held: list[str] = []
        self.size = 0
        self.start = 0
        self.indent = ""
        """before the first object that starts a line"""
        self.is_indented = False
        """its contents are further to the right, so that whatever starts at its place is
        another one
        """

    def read(self, number: int, line: str) -> Iterator[tuple[int, str]]:
        """Yield each object that a line completes, with its first line."""
        if self.depth and (self.size > LONGEST_OBJECT or self.starts_another(number, line)):
            yield from self.end()

        done = 0
        for found in BRACES.finditer(line):
            brace = found[0]
            if brace == "{":
                if not self.depth:
                    yield from between(number, line[done : found.start()])
                    self.start, done = number, found.start()
                    self.note_indent(line[:done])

                self.depth += 1
            elif brace == "}" and self.depth:
                self.depth -= 1
                if not self.depth:
                    yield self.start, "".join([*self.held, line[done : found.end()]])
                    self.held, self.size, done = [], 0, found.end()

        if self.depth:
            self.held.append(line[done:])
            self.size += len(line)
        else:
            yield from between(number, line[done:])

    def note_indent(self, before: str) -> None:
        """Note how far objects are indented."""
        if not self.indent and not before.strip():
            self.indent = before

    def starts_another(self, number: int, line: str) -> bool:
        """A quote or a brace of the object before was never closed."""
        indent = len(line) - len(line.lstrip(" \t"))
        if number == self.start + 1:
            self.is_indented = indent > len(self.indent)

        return self.is_indented and line.startswith("{", indent) and indent <= len(self.indent)

    def end(self) -> Iterator[tuple[int, str]]:
        """Yield the object that is not complete, and start over."""
        if self.depth:
            yield self.start, "".join(self.held)

        self.depth, self.held, self.size = 0, [], 0


def between(number: int, text: str) -> Iterator[tuple[int, str]]:
    """Yield the text between objects, unless it only separates them."""
    if text.strip(" \t\r\n,[]"):
        yield number, text

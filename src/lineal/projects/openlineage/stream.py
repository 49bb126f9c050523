"""Text to events: one a line, one after the other over many lines, or a list of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects.text import Report

SPACE = re.compile(r"[\s,]*")
NEXT = re.compile(r"^[ \t]*(?=\{)", re.MULTILINE)


class JsonObject(NamedTuple):
    """A JSON object, and the line that it begins in."""

    value: dict[str, Any]
    place: Place


def read_objects(text: str, file: str, report: Report) -> Iterator[JsonObject]:
    """Yield every object in a text; other text is reported, and reading goes on at the next line
    that begins an object.
    """
    lines = _Lines(text, file)
    decode = json.JSONDecoder().raw_decode
    at = _after_space(text, 0)
    listed = text[at : at + 1] == "["
    if listed:
        at += 1

    while (at := _after_space(text, at)) < len(text):
        if listed and text[at] == "]":
            at, listed = at + 1, False
            continue

        place = lines.place(at)
        try:
            value, end = decode(text, at)
        except (ValueError, RecursionError) as problem:
            report(Diagnostic(Code.EVENT_ERROR, f"not JSON: {_reason(problem)}", place))
            end = _next_event_line(text, at)
        else:
            if isinstance(value, dict):
                yield JsonObject(value, place)
            else:
                report(Diagnostic(Code.EVENT_ERROR, "an event is a JSON object", place))

        at = end


def _after_space(text: str, at: int) -> int:
    """Return the offset behind white space."""
    found = SPACE.match(text, at)
    if found:
        return found.end()

    return at


def _next_event_line(text: str, at: int) -> int:
    """Where the next line begins that may be an event."""
    line_end = text.find("\n", at)
    found = NEXT.search(text, line_end + 1) if line_end >= 0 else None
    if found:
        return found.start()

    return len(text)


def _reason(problem: Exception) -> str:
    """Return the reason why a text is not JSON."""
    if isinstance(problem, RecursionError):
        return "it nests too deeply"

    if isinstance(problem, json.JSONDecodeError):
        return problem.msg

    return str(problem)[:100]


class _Lines:
    """The line of a position, for positions that only rise."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.at, self.line = 0, 1

    def place(self, at: int) -> Place:
        """Return the place of an offset."""
        self.line += self.text.count("\n", self.at, at)
        self.at = at
        return Place(self.file, self.line, 1)

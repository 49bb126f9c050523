"""SQL that is spelled out from YAML, with each part at the line and column where YAML has it."""

from __future__ import annotations

from lineal.model.diagnostic import Place
from lineal.model.script import Script

FIRST_LINE = 2
"""No item of a YAML list is above it; the texts of whole files begin at line 1."""


class Sheet:
    """A text that grows at given places; a part that is too late for its place follows at once."""

    def __init__(self, place: Place) -> None:
        self.file = place.file
        self.first = max(FIRST_LINE, place.line)
        self.line, self.column = self.first, 1
        self.parts: list[str] = []

    def put(self, text: str, place: Place | None = None) -> None:
        """Append a text, at its place if that is still ahead."""
        if place is not None and place.file == self.file and place.line >= self.line:
            self.append("\n" * (place.line - self.line))
            self.append(" " * (place.column - self.column))

        self.append(text)

    def append(self, text: str) -> None:
        """Append a text where the last one ended."""
        self.parts.append(text)
        lines = text.split("\n")
        if len(lines) > 1:
            self.line += len(lines) - 1
            self.column = 1

        self.column += len(lines[-1])

    def script(self, dialect: str, target: str, kind: str) -> Script:
        """Return the text as the script of a consumer."""
        return Script("".join(self.parts), dialect, self.file, self.first, target, kind)

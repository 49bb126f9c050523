"""Lines of a text whose parts are replaced: whatever comes after a part keeps its line."""

from __future__ import annotations

import re

COMMENTS = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"[^\"]*\"", re.DOTALL)


def line_at(text: str, offset: int) -> int:
    """Return the line of an offset, the first one being 1."""
    return text.count("\n", 0, offset) + 1


def blank(text: str) -> str:
    """Return a text of spaces that has the same lines."""
    return re.sub(r"[^\n]", " ", text)


def on_as_many_lines(made: str, original: str) -> str:
    """Return a text with as many lines as another one, so that the text after it keeps its lines."""
    wanted, present = original.count("\n"), made.count("\n")
    if present > wanted:
        return re.sub(r"\s*\n\s*", " ", without_comments(made)) + "\n" * wanted

    return made + "\n" * (wanted - present)


def without_comments(text: str) -> str:
    """Return SQL whose comments are spaces, so that it can be written on one line."""
    return COMMENTS.sub(lambda found: " " if found[0].startswith(("--", "/*")) else found[0], text)

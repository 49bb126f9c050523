"""Text from the input is text in every view: it never becomes an escape sequence, a line break or
markup.
"""

from __future__ import annotations

import re
import unicodedata

from lineal.model.late_pattern import late_pattern

_UNSEEN = late_pattern(
    # control characters: C0, DEL, C1 (U+009B starts an ANSI sequence on its own)
    "[\x00-\x1f\x7f-\x9f"
    # invisible, or turns the direction of writing
    "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
    "\u2028\u2029"  # line breaks to JavaScript and some terminals
    "\ud800-\udfff]"  # half of a character: cannot be written as UTF-8
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def make_visible(text: str) -> str:
    """Escape characters that are invisible or move the cursor: ESC becomes \\x1b."""
    return _UNSEEN.sub(_escape, text)


def json_safe(document: str) -> str:
    """The same inside a JSON document, where such a character can only be in a string."""
    return _UNSEEN.sub(
        lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", document
    )


def width(text: str) -> int:
    """How many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)

    return sum(map(_cells, text))


def _escape(found: re.Match[str]) -> str:
    """Return a character as an escape that a terminal shows as text."""
    code = ord(found[0])
    return _SHORT.get(found[0]) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def _cells(character: str) -> int:
    """Return how many cells of a terminal a character takes."""
    if unicodedata.combining(character):
        return 0

    if unicodedata.east_asian_width(character) in "WF":
        return 2

    return 1

"""Texts as YAML scalars: plain where that means the text, else in quotes, always on one line."""

from __future__ import annotations

import re

from lineal.projects import yaml

_PLAIN = re.compile(r"[^\W_](?:[^\n:#\[\]{}\"'\\&*!|>%@`?]|:(?=\S)|(?<=\S)#)*")
_RARE = re.compile(
    "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_QUOTED = re.compile(rf"{_RARE.pattern}|[\\\"]")
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def scalar(text: str, *, flow: bool = False) -> str:
    """A text as YAML: as it is where that means the text, else in quotes."""
    if _PLAIN.fullmatch(text) and not (flow and "," in text) and _means_itself(text):
        return text

    if ('"' in text or "\\" in text) and "'" not in text and not _RARE.search(text):
        return f"'{text}'"

    return f'"{_QUOTED.sub(_escape_character, text)}"'


def _means_itself(text: str) -> bool:
    """Tell whether YAML reads a plain text as the same text."""
    problems: list[object] = []
    value = yaml.parse(text, "", problems.append)
    return value is not None and not problems and value.data == text


def _escape_character(found: re.Match[str]) -> str:
    """Return the escape sequence of a character."""
    code = ord(found[0])
    return _ESCAPES.get(found[0]) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")

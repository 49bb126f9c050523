"""Texts as both databases take them: a NUL and half of a surrogate pair are written as escapes, and
come back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from lineal.model.edge import Calls

ESCAPE = "\x1a"
"""SUBSTITUTE: the character that Unicode has for the purpose."""
_UNFIT = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")


def storable(text: str) -> str:
    """Return a text that every database accepts: other characters are escaped."""
    return _UNFIT.sub(lambda found: f"{ESCAPE}{ord(found[0]):04x}", text)


def original(text: str) -> str:
    """Return the text that `plain` was given."""
    if ESCAPE in text:
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)

    return text


def all_plain(texts: Sequence[str]) -> Sequence[str]:
    """Those of a whole column, which most often can stay as they are."""
    whole = "".join(texts)
    if "\0" not in whole and ESCAPE not in whole and (whole.isascii() or _encodable(whole)):
        return texts

    return list(map(storable, texts))


def _encodable(text: str) -> bool:
    """Tell whether a text can be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False

    return True


listed: Callable[[Sequence[Any]], str] = json.JSONEncoder(
    ensure_ascii=True, separators=(",", ":")
).encode
"""A list of texts as one: JSON has escapes of its own."""


def parse_list(text: str) -> tuple[str, ...]:
    """Return the items of a saved list."""
    return tuple(json.loads(text))


def unlisted_calls(text: str) -> Calls:
    """Calls as they were listed; one of a macro or function is a list of its own."""
    return tuple(tuple(call) if isinstance(call, list) else call for call in json.loads(text))

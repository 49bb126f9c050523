"""The type of a field inside a column's type, read from the text of the type.

struct<city: string, geo: struct<lat: double>>    geo, lat    double
STRUCT(a INT, b VARCHAR)[]                        b           VARCHAR
ARRAY<STRUCT<sku STRING, n INT64>>                n           INT64
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

STRUCTS = ("struct", "row", "tuple", "nested", "object")
ARRAYS = ("array", "list")
OPENING, CLOSING = "(<[", ")>]"


def type_at(text: str, path: Sequence[str]) -> str:
    """Return the type that a path leads to; an empty text where the type does not say."""
    for name in path:
        fields = dict(_fields(_element(text)))
        text = fields.get(name.lower(), "")

    return text


def _element(text: str) -> str:
    """array<struct<…>>, struct(…)[]      the struct: a path does not name positions"""
    text = text.strip()
    while True:
        head, inside = _parts(text)
        if text.endswith("]") and text.rfind("[") > 0:
            text = text[: text.rfind("[")].strip()
        elif head in ARRAYS and inside:
            text = inside.strip()
        else:
            return text


def _parts(text: str) -> tuple[str, str]:
    """struct<a int>

    struct, and a int; nothing inside where the brackets do not enclose the rest of the text
    """
    start = next((at for at, char in enumerate(text) if char in OPENING), len(text))
    if start == len(text) or text[-1] not in CLOSING:
        return text.lower(), ""

    return text[:start].strip().lower(), text[start + 1 : -1]


def _fields(text: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of a struct, folded, with their types."""
    head, inside = _parts(text)
    if head not in STRUCTS:
        return

    for item in _items(inside):
        name, kind = _split_field(item.strip())
        if name and kind:
            yield name.lower(), kind


def _items(text: str) -> Iterator[str]:
    """a int, b map<string, int>      at the commas that are in no bracket and in no quotes"""
    depth, start, quote = 0, 0, ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"`'":
            quote = char
        elif char in OPENING:
            depth += 1
        elif char in CLOSING:
            depth -= 1
        elif char == "," and depth == 0:
            yield text[start:at]
            start = at + 1

    yield text[start:]


def _split_field(item: str) -> tuple[str, str]:
    """city: string, city STRING, "the city" VARCHAR      the name and the type"""
    if item[:1] in ('"', "`"):
        end = item.find(item[0], 1)
        if end < 0:
            return "", ""

        name, rest = item[1:end], item[end + 1 :]
    else:
        end = next((at for at, char in enumerate(item) if char in ": \t\n"), len(item))
        name, rest = item[:end], item[end:]

    return name, _without_comment(rest.strip().removeprefix(":").strip())


def _without_comment(kind: str) -> str:
    """string NOT NULL COMMENT 'where'      string; the text in brackets belongs to the type"""
    lowered = kind.lower()
    behind = max(map(kind.rfind, CLOSING)) + 1
    ends = [at for word in (" not null", " comment ") if (at := lowered.find(word, behind)) > 0]
    if ends:
        return kind[: min(ends)].strip()

    return kind

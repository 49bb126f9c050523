"""Plain data of JSON, YAML and TOML files: a value of any shape, read as the shape that is wanted.

A value of another shape reads as an empty one, so that a reader needs no checks of its own:

    for task in mappings_in(as_mapping(document).get("tasks")):
        target = as_text(task.get("python_file"))
"""

from __future__ import annotations

from typing import Any


def as_mapping(value: Any) -> dict[str, Any]:
    """Return the value if it is a mapping, else an empty mapping."""
    if isinstance(value, dict):
        return value

    return {}


def as_text(value: Any) -> str:
    """Return the value if it is a text, else ''."""
    if isinstance(value, str):
        return value

    return ""


def as_list(value: Any) -> list[Any]:
    """Return the items of a list or tuple; an empty list for any other value."""
    if isinstance(value, (list, tuple)):
        return list(value)

    return []


def one_or_more(value: Any) -> list[Any]:
    """Return the items of a list; a single value becomes a list of one: `a` is read as `[a]`."""
    if isinstance(value, (list, tuple)):
        return list(value)

    return [value]


def some_or_none(value: Any) -> list[Any]:
    """Return the items of a list, a single value as a list of one, and nothing as an empty list."""
    if value:
        return one_or_more(value)

    return []


def mappings_in(value: Any) -> list[dict[str, Any]]:
    """Return the items of a list that are mappings."""
    return [each for each in as_list(value) if isinstance(each, dict)]


def texts_in(value: Any) -> list[str]:
    """Return the items of a list that are texts."""
    return [each for each in as_list(value) if isinstance(each, str)]

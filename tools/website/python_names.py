"""The reference of the Python interface, from the docstrings of the public names."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import lineal

TITLE = """\
# Python names

Every public name with its signature and docstring. [The Python interface](api.md) has an example for each.
"""


def names_page() -> str:
    """Return the page of all public names."""
    parts = [TITLE]
    for name in sorted(lineal.__all__, key=lambda each: (each[0].isupper(), each)):
        parts += describe(name, getattr(lineal, name), "##")
    return "\n".join(parts)


def describe(name: str, value: Any, level: str) -> Iterator[str]:
    """Yield the heading, signature and docstring of a name, and those of its members."""
    yield f"{level} {name}\n"
    if callable(value) and not is_error(value):
        yield f"```python\n{name}{signature_of(value)}\n```\n"
    yield f"{doc_of(value)}\n"
    if inspect.isclass(value) and not is_error(value):
        for member, held in members_of(value):
            yield from describe_member(member, held)


def is_error(value: Any) -> bool:
    """Tell whether a name is an exception."""
    return inspect.isclass(value) and issubclass(value, Exception)


def signature_of(value: Any) -> str:
    """Return the signature of a function or class as it is written."""
    try:
        return str(inspect.signature(value)).replace("'", "")
    except ValueError:
        return "(…)"


def doc_of(value: Any) -> str:
    """Return the docstring of a value; what named tuples generate does not count."""
    text = inspect.getdoc(value) or ""
    return "" if text.startswith(f"{getattr(value, '__name__', '')}(") else text


def members_of(value: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that a class defines, in their order."""
    for name, held in vars(value).items():
        if not name.startswith("_") and (inspect.isfunction(held) or isinstance(held, property)):
            yield name, held


def describe_member(name: str, held: Any) -> Iterator[str]:
    """Yield an entry for a method or property."""
    call = (
        ""
        if isinstance(held, property)
        else signature_of(held).replace("(self, ", "(").replace("(self)", "()")
    )
    text = " ".join(doc_of(held).split("\n\n")[0].split())
    yield f"- `{name}{call}`" + (f": {text}" if text else "") + "\n"

"""Values that may be anything: what a reader of foreign JSON asks of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lineal.model.openlineage import Named

Complain = Callable[[str], None]


def read_name(value: object) -> Named | None:
    """The namespace and name of a dataset or job."""
    if (
        isinstance(value, dict)
        and isinstance(value.get("namespace"), str)
        and isinstance(value.get("name"), str)
    ):
        return Named(value["namespace"], value["name"])

    return None


def objects(value: object, what: str, complain: Complain) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list; any other value in it is reported and left out."""
    if value is None:
        return

    if not isinstance(value, list):
        complain(f"{what} is not a list")
        return

    for position, each in enumerate(value):
        if isinstance(each, dict):
            yield each
        else:
            complain(f"{what}[{position}] is not an object: left out")


def entries(value: Any, what: str, complain: Complain) -> Iterator[tuple[str, dict[str, Any]]]:
    """The names of an object with the objects that they stand for."""
    if value is None:
        return

    if not isinstance(value, dict):
        complain(f"{what} is not an object")
        return

    for name, about in value.items():
        if isinstance(about, dict):
            yield name, about
        elif about is not None:
            complain(f"{what}.{name} is not an object: left out")

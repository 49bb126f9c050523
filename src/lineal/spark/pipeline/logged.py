"""One statement of a log, and how it travels."""

from __future__ import annotations

import marshal
from typing import NamedTuple

from lineal.model.diagnostic import Place
from lineal.model.extraction import Occurrence


class Logged(NamedTuple):
    """One statement of a log, with those that differ only in literals."""

    key: str
    name: str
    text: str
    runs: int
    first: str
    last: str
    users: tuple[str, ...]
    database: str
    id: str
    schema: str = ""


def pack_seen(logged: Logged) -> bytes:
    """Return how often, when and by whom a statement was run, as bytes."""
    runs = logged.runs, logged.first, logged.last, logged.users
    return marshal.dumps((*runs, logged.database, logged.id))


def unpack_seen(data: bytes, name: str) -> Logged:
    """Return how often, when and by whom a statement was run."""
    runs, first, last, users, database, id_ = marshal.loads(data)  # noqa: S302  our own
    return Logged("", name, "", runs, first, last, users, database, id_)


def occurrence_of(logged: Logged) -> Occurrence:
    """Return how often and by whom a statement was run, as a lineage tells it."""
    databases = (logged.database,) if logged.database else ()
    place, when = Place(logged.name, 1, 1), (logged.first, logged.last)
    return Occurrence(logged.name, place, logged.runs, *when, logged.users, databases, logged.id)

"""Where statements and schemas come from: a project folder, SQL files, texts.

    load("examples/shop")                     a project, known by its lineal.yml or featherflow.yml
    load("jaffle/")                           a dbt project, or its target folder, or a
    manifest.json
    load("models/", dialect="spark")          a folder of .sql files, or one file
    load("queries.jsonl")                     a query log
    load("shop.lineal.json")                  a saved lineage
    load("output.json")                       the JSON of LineageX
    load("events.ndjson")                     OpenLineage events, or a folder of them
    load("lineal.store.db")                   a store
    load("lineage/")                          the folder that `lineal pipeline` wrote
    load("postgresql://ann@host/shop")        a PostgreSQL server
    corpus_of_text({"mart": "select …"})      SQL that is at hand
    read_schema("schema.yml"), schema_of({"orders": {"id": "int"}})

A new kind of project is one file with `matches` and `load`, and one name in `KINDS`. A kind is
imported when its turn comes, templates are rendered by a worker process, and YAML is read when it
is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lineal.model.boundary import internal_error
from lineal.model.diagnostic import Place
from lineal.model.script import Corpus
from lineal.projects.errors import ProjectError
from lineal.projects.files import corpus_of_text, united
from lineal.projects.postgres import is_address
from lineal.projects.schema import Schema, read_schema, schema_of

if TYPE_CHECKING:
    from lineal.projects.dbt.render_cache import Kept

__all__ = [
    "KINDS",
    "ProjectError",
    "Schema",
    "corpus_of_text",
    "has_stamp",
    "home",
    "is_saved",
    "load",
    "read_schema",
    "schema_of",
    "stamp",
    "united",
]


class Kind(Protocol):
    """A kind of input: whether a path is one, and what is in it."""

    def matches(self, path: Path) -> bool: ...

    def load(self, path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus: ...


class Stamped(Kind, Protocol):
    """A kind of input that is known by a stamp."""

    def stamp(self, path: Path) -> str: ...


KINDS = (
    "saved_lineage",
    "store_file",
    "pipeline",
    "dbt",
    "featherflow",
    "openlineage",
    "lineagex",
    "logs",
    "files",
)
"""The first one that matches reads the path."""


def kinds() -> Iterator[tuple[str, Kind]]:
    for name in KINDS:
        kind: Kind = import_module(f"{__name__}.{name}")
        yield name, kind


def load(
    path: str | os.PathLike[str],
    dialect: str | None = None,
    schema: Schema = None,
    log: Mapping[str, str] | None = None,
    kept: Kept | None = None,
    to_run: bool = False,
) -> Corpus:
    """Everything to analyse at a path; a path that is not there is the caller's mistake.

    What names the columns of a log makes a log of it: {"text": "sql", "user": "who"}. What is kept
    of an earlier time spares rendering templates again. A dbt project that is to be run has its
    steps read as well. If lineal fails over the whole of it, that is among the diagnostics.
    """
    try:
        return _load(path, dialect, schema, log, kept, to_run)
    except Exception as error:
        from lineal.projects.postgres import shown

        where = shown(str(path)) if "://" in str(path) else str(path)
        return Corpus(
            dialect or "", diagnostics=[internal_error(error, Place(where, 1, 1), "this input")]
        )


def _load(
    path: str | os.PathLike[str],
    dialect: str | None,
    schema: Schema,
    log: Mapping[str, str] | None,
    kept: Kept | None,
    to_run: bool,
) -> Corpus:
    if is_address(str(path)):
        from lineal.projects import postgres

        return postgres.load(str(path))
    if "://" in str(path):
        raise ProjectError(f"nothing here reads from {str(path).partition('://')[0]}://")
    where = Path(path)
    if log and where.exists():
        from lineal.projects import logs

        return logs.load(where, dialect, schema, log)
    for name, kind in kinds():
        if kind.matches(where):
            corpus = _loaded(name, kind, where, dialect, schema, kept, to_run)
            from lineal.projects.checks import checks_at

            corpus.checks = checks_at(where, corpus.diagnostics.append)
            return corpus
    raise ProjectError(f"there is no file or folder {os.fspath(path)}")


def _loaded(
    name: str,
    kind: Kind,
    where: Path,
    dialect: str | None,
    schema: Schema,
    kept: Kept | None,
    to_run: bool,
) -> Corpus:
    if name != "dbt":
        return kind.load(where, dialect, schema)
    from lineal.projects import dbt

    return dbt.load(where, dialect, schema, kept, to_run)


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether an input is lineage that lineal has written: its files were named when it was made."""
    from lineal.projects import pipeline
    from lineal.projects import saved_lineage as saved
    from lineal.projects import store_file as stored

    return any(kind.matches(Path(path)) for kind in (saved, stored, pipeline))


STAMPED = ("pipeline", "dbt")
"""Kinds of which it is known without reading an input what decides it."""


def home(path: str | os.PathLike[str]) -> Path:
    """The folder of a project, where a run keeps what it makes."""
    from lineal.projects import dbt

    where = Path(path)
    if dbt.matches(where):
        return dbt.home(where)
    return where if where.is_dir() else where.parent


def has_stamp(path: str | os.PathLike[str]) -> bool:
    """Whether it is known without reading an input what decides it."""
    return _stamped(path) is not None


def stamp(path: str | os.PathLike[str]) -> str | None:
    """The hash of all that decides what `load` gives."""
    kind = _stamped(path)
    return kind.stamp(Path(path)) if kind is not None else None


def _stamped(path: str | os.PathLike[str]) -> Stamped | None:
    if "://" in str(path):
        return None
    for name in STAMPED:
        kind: Stamped = import_module(f"{__name__}.{name}")
        if kind.matches(Path(path)):
            return kind
    return None

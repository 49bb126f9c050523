"""A store's file: its present lineage is joined with the lineage that is read from text."""

from __future__ import annotations

from pathlib import Path

from lineal.model.script import Corpus
from lineal.projects.errors import ProjectError
from lineal.projects.intake import peek_bytes
from lineal.projects.schema import Schema, empty_corpus
from lineal.store.errors import StoreError

HEADER = b"SQLite format 3\0"
"""The first bytes of every SQLite database."""


def matches(path: Path) -> bool:
    """Tell whether the path is a SQLite store."""
    return path.is_file() and peek_bytes(path, len(HEADER)) == HEADER


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """The lineage of every namespace, as it is."""
    from lineal.store.lineage import open_store

    corpus = empty_corpus(dialect, schema)
    try:
        with open_store(str(path)) as store:
            corpus.given += list(map(store.extraction, store.namespaces()))
    except StoreError as problem:
        raise ProjectError(str(problem)) from problem

    return corpus

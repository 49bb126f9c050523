"""A saved lineage: what `--save` has written stands beside what is read from text."""

from __future__ import annotations

from pathlib import Path

from lineal.model.script import Corpus
from lineal.projects.errors import ProjectError
from lineal.projects.schema import Schema, schema_datasets
from lineal.store.saved import ENDING, OPENING, SavedError, looks_saved, restored


def matches(path: Path) -> bool:
    """x.lineal.json, or a .json that begins as one."""
    return path.is_file() and (path.name.endswith(ENDING) or (path.suffix == ".json" and looks_saved(_head(path))))


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(len(OPENING) + 8)
    except OSError:
        return b""


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """Nothing is read again: the edges are those of the day on which it was saved."""
    corpus = Corpus(dialect or "")
    corpus.datasets = schema_datasets(schema, "", corpus.diagnostics.append)
    try:
        corpus.given.append(restored(path.read_text(encoding="utf-8")))
    except SavedError as problem:
        raise ProjectError(f"{path} is {problem}") from problem
    except UnicodeDecodeError as problem:
        raise ProjectError(f"{path} is not a saved lineage: byte {problem.start} is not UTF-8") from problem
    except OSError as problem:
        raise ProjectError(f"cannot read {path}: {problem.strerror}") from problem
    return corpus

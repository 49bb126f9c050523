"""The folder that `lineal pipeline` wrote: the lineage of a query history, or of a folder of
scripts.

    lineal pipeline log.jsonl --dialect spark --out lineage/
    lineal lineage lineage/                                       what `lineal lineage log.jsonl`
    shows

Nothing is analyzed again. A place is a line and a column in the text of a statement, which is
called query_<hash>.
"""

from __future__ import annotations

from pathlib import Path

from lineal.model.script import Corpus
from lineal.projects.errors import ProjectError
from lineal.projects.intake import LARGEST, peek_bytes
from lineal.projects.schema import Schema, empty_corpus
from lineal.store.errors import StoreError
from lineal.store.keys import digest
from lineal.store.outputs import MANIFEST, Output, manifest_in


def matches(path: Path) -> bool:
    """A folder with the manifest of an output in it, or that manifest."""
    return manifest_in(_folder(path)) is not None


def stamp(path: Path) -> str:
    """The hash of all that decides what `load` gives: the manifest has the digest of each table."""
    return digest("output", peek_bytes(_folder(path) / MANIFEST, LARGEST))


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """Nothing is read again: the edges are those of the day on which the tables were written."""
    from lineal.projects.pipeline.restored import Restored

    corpus = empty_corpus(dialect, schema)
    try:
        corpus.given.append(Restored(Output(_folder(path))).extraction())
    except StoreError as problem:
        raise ProjectError(str(problem)) from problem
    except OSError as problem:
        raise ProjectError(
            f"cannot read {problem.filename or path}: {problem.strerror}"
        ) from problem
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        said = f"{type(problem).__name__}: {problem}"
        raise ProjectError(
            f"the tables of {path} do not fit together ({said}): write them again with --fresh"
        ) from problem

    return corpus


def _folder(path: Path) -> Path:
    """Return the output folder of a manifest or folder."""
    if path.name == MANIFEST:
        return path.parent

    return path

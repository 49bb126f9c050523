"""A saved lineage, written by `--save` or `Lineage.save`, next to the lineage that is read from
text.
"""

from __future__ import annotations

from pathlib import Path

from lineal.model.diagnostic import Diagnostic
from lineal.model.script import Corpus
from lineal.projects.errors import ProjectError
from lineal.projects.intake import peek_bytes, read_bytes
from lineal.projects.schema import Schema, empty_corpus
from lineal.store.saved import ENDING, OPENING, SavedError, looks_saved, read_text

IN_A_FOLDER = ("lineage.json", "lineage.html")
"""The file that `Lineage.save(folder)` writes."""


def matches(path: Path) -> bool:
    """x.lineal.json, a .json that begins as one, or a folder that holds what Lineage.save writes
    and nothing else.
    """
    if path.is_dir():
        file = path / IN_A_FOLDER[0]
        return (
            file.is_file()
            and looks_saved(_head(file))
            and {each.name for each in path.iterdir()} <= {*IN_A_FOLDER}
        )

    return path.is_file() and (
        path.name.endswith(ENDING) or (path.suffix == ".json" and looks_saved(_head(path)))
    )


def _head(path: Path) -> bytes:
    """Return the first bytes of a file."""
    return peek_bytes(path, len(OPENING) + 8)


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """Nothing is read again: the edges are those of the day on which it was saved."""
    corpus = empty_corpus(dialect, schema)
    path = path / IN_A_FOLDER[0] if path.is_dir() else path
    try:
        corpus.given.append(read_text(_text(path)))
    except SavedError as problem:
        raise ProjectError(f"{path} is {problem}; write it again with --save") from problem

    return corpus


def _text(path: Path) -> str:
    """Return the text of a saved lineage; one that cannot be read is the caller's mistake."""
    problems: list[Diagnostic] = []
    data = read_bytes(path, problems.append)
    if data is None:
        raise ProjectError(problems[0].message)

    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        raise ProjectError(
            f"{path} is not a saved lineage: byte {problem.start} is not UTF-8"
        ) from problem

"""SQLMesh projects: a folder with config.yaml or config.py, and models with MODEL headers.

    models/orders.sql           MODEL (name shop.orders, kind VIEW); SELECT …
    models/items.py             @model("shop.items", columns={…})
    audits/, seeds/, macros/, metrics/, external_models.yaml

Macros are expanded as far as the text tells; nothing of the project is executed.
"""

from __future__ import annotations

from pathlib import Path

from lineal.model.script import Corpus
from lineal.projects.schema import Schema
from lineal.projects.sqlmesh.settings import FILES, WORDS
from lineal.projects.text import peek_text


def matches(path: Path) -> bool:
    """A folder with the configuration of SQLMesh, or the configuration itself."""
    if path.name in FILES and path.is_file():
        return is_config(path)

    return any(is_config(path / name) for name in FILES if (path / name).is_file())


def is_config(file: Path) -> bool:
    """Tell whether a file is the configuration of a SQLMesh project, by its words and folders."""
    text = peek_text(file)
    return any(word in text for word in WORDS) and (file.parent / "models").is_dir()


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """Return the corpus of a project."""
    from lineal.projects.sqlmesh.project import load_project

    return load_project(path.parent if path.is_file() else path, dialect, schema)

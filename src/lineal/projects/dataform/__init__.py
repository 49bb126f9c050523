"""Dataform projects: a folder with workflow_settings.yaml or dataform.json, and SQLX files.

    definitions/orders.sqlx     config { type: "table" } SELECT … FROM ${ref("raw_orders")}
    definitions/sources.js      declare({schema: "raw", name: "orders"})
    definitions/actions.yaml    actions of plain SQL files
    includes/dates.js           constants and functions, as dates.DAY

JavaScript is read as far as constants go; nothing of the project is executed.
"""

from __future__ import annotations

from pathlib import Path

from lineal.model.script import Corpus
from lineal.projects.dataform.settings import FILES
from lineal.projects.schema import Schema


def matches(path: Path) -> bool:
    """A folder with the settings of Dataform and definitions, or the settings themselves."""
    if path.name in FILES and path.is_file():
        return (path.parent / "definitions").is_dir()

    return (path / "definitions").is_dir() and any((path / name).is_file() for name in FILES)


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """Return the corpus of a project."""
    from lineal.projects.dataform.project import load_project

    return load_project(path.parent if path.is_file() else path, dialect, schema)

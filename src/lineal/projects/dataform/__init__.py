"""Dataform projects: a folder with definitions/ and workflow_settings.yaml or dataform.json.

Where the settings are kept elsewhere, SQLX files in definitions/ make the project.

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
    """A folder with definitions and settings or SQLX files, or the settings themselves."""
    if path.name in FILES and path.is_file():
        return (path.parent / DEFINITIONS).is_dir()

    definitions = path / DEFINITIONS
    if not definitions.is_dir():
        return False

    return any((path / name).is_file() for name in FILES) or has_sqlx(definitions)


DEFINITIONS = "definitions"
DEEPEST = 4


def has_sqlx(folder: Path) -> bool:
    """Tell whether a folder has a SQLX file, in itself or a few folders below."""
    patterns = ["/".join(["*"] * depth + ["*.sqlx"]) for depth in range(DEEPEST)]
    return any(next(folder.glob(pattern), None) is not None for pattern in patterns)


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """Return the corpus of a project."""
    from lineal.projects.dataform.project import load_project

    return load_project(path.parent if path.is_file() else path, dialect, schema)

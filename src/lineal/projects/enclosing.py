"""The project around a folder: models/ of a SQLMesh project, definitions/ of a Dataform project.

    lineal lineage shop/models        the SQLMesh project shop, if shop/config.yaml configures it

A folder of such a project cannot be read by itself: macros, variables and names are elsewhere.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from lineal.model.diagnostic import Code, Diagnostic, Place

HIGHEST = 8
"""How many folders above a path are asked."""

SQLMESH_FOLDERS = (
    "models", "audits", "macros", "metrics", "external_models", "seeds", "tests", "signals",
)  # fmt: skip
"""The folders of a SQLMesh project."""

DATAFORM_FOLDERS = ("definitions", "includes")
"""The folders of a Dataform project."""


FOLDERS = {"SQLMesh": SQLMESH_FOLDERS, "Dataform": DATAFORM_FOLDERS}


class Enclosing(NamedTuple):
    """A project, and the folder or file of it that was asked for."""

    kind: str
    folder: Path
    asked: Path

    @property
    def report(self) -> Diagnostic:
        """Return what to say: a folder is read with its project, a file is not."""
        place = Place(str(self.asked), 1, 1)
        part = f"{self.asked} is a part of the {self.kind} project {self.folder}"
        if self.asked.is_dir():
            return Diagnostic(Code.WHOLE_PROJECT, f"{part}, which is read as a whole", place)

        message = f"{part}: name the project to read its macros, names and columns"
        return Diagnostic(Code.WHOLE_PROJECT, message, place)


def project_around(path: Path) -> Enclosing | None:
    """Return the project that a folder or file belongs to; None if it does not belong to one."""
    inner = Path(os.path.abspath(path))  # noqa: PTH100
    below = inner.name

    for above in [*inner.parents][:HIGHEST]:
        for kind, folders in FOLDERS.items():
            if below in folders and is_project(kind, above):
                return Enclosing(kind, spelled_like(path, above), path)

        if (above / ".git").exists():
            return None

        below = above.name

    return None


def is_project(kind: str, folder: Path) -> bool:
    """Tell whether a folder is a project; the reader of the kind is imported only now."""
    reader = import_module(f"lineal.projects.{kind.lower()}")
    found: bool = reader.matches(folder)
    return found


def spelled_like(path: Path, folder: Path) -> Path:
    """Return a folder as the user writes paths: absolute, or from the folder that lineal runs in."""
    if path.is_absolute():
        return folder

    return Path(os.path.relpath(folder))

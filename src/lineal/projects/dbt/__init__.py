"""dbt projects: a folder with dbt_project.yml, its target folder, or a manifest.json.

With target/manifest.json the SQL is what dbt has compiled; without it the templates are rendered
here, in the sandbox. Models are called as dbt calls them, and sources <source>.<table>; the
relations that SQL names are mapped back.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lineal.model.collector import without_collector
from lineal.model.script import Corpus
from lineal.projects.dbt.options import NO_OPTIONS, DbtOptions
from lineal.projects.dbt.stamp import (
    MANIFEST_FILE,
    PROJECT_FILE,
    TARGET,
    folders_of,
    home_of,
    stamp_of,
)
from lineal.projects.intake import peek_bytes

if TYPE_CHECKING:
    from lineal.projects.dbt.render_cache import ByteCache
    from lineal.projects.schema import Schema


MARK, HEAD = b"dbt_", 1 << 16
"""The text near the start of a dbt manifest, and how many bytes are searched for it."""


def matches(path: Path) -> bool:
    """A folder with dbt_project.yml in it, the project file itself, a target folder, or a manifest."""
    if path.name in (PROJECT_FILE, MANIFEST_FILE):
        return path.is_file()

    return (path / PROJECT_FILE).is_file() or is_manifest_folder(path)


def is_manifest_folder(path: Path) -> bool:
    """Tell whether a folder is a target folder: it has a manifest of dbt but not a project file."""
    if (path / PROJECT_FILE).is_file():
        return False

    manifest = path / MANIFEST_FILE
    return manifest.is_file() and (path.name == TARGET or MARK in peek_bytes(manifest, HEAD))


def root_of(path: Path) -> Path:
    """The folder of the project that a path belongs to; that of a manifest alone is the one that it
    is in.
    """
    folder, project = folders_of(path)
    return project or folder


def home(path: Path) -> Path:
    """The folder that a run may write to: the project's own, and never dbt's target folder."""
    folder, project = folders_of(path)
    if project is not None:
        return project

    return home_of(folder)


def stamp(path: Path) -> str:
    """The hash of all that decides what `load` gives."""
    folder, project = folders_of(path)
    return stamp_of(project or folder)


def load(
    path: Path,
    dialect: str | None = None,
    schema: Schema = None,
    kept: ByteCache | None = None,
    to_run: bool = False,
    options: DbtOptions = NO_OPTIONS,
) -> Corpus:
    """Load the compiled SQL of a manifest, or else the files of the project. A run needs its tests,
    too.
    """
    from lineal.projects.dbt.loading import load_project

    with without_collector():  # a manifest is a million objects, and none of them is garbage
        return load_project(path, dialect, schema, kept, to_run, options)


def load_several(
    folders: list[Path],
    dialect: str | None = None,
    schema: Schema = None,
    kept: ByteCache | None = None,
    options: DbtOptions = NO_OPTIONS,
) -> list[Corpus]:
    """Return a corpus for each of the projects of a repository."""
    from lineal.projects.dbt.loading import load_projects

    with without_collector():
        return load_projects(folders, dialect, schema, kept, options)

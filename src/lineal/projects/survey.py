"""The contents of a folder: projects of dbt, SQLMesh, Dataform and lineal, SQL, notebooks and
Python.

    found = survey(Path("."), tree, configuration, report)
    found.projects        each with its kind and folder
    found.scripts         SQL and Python outside projects, by the folder that configures them

A walk over the names of files; only files that mark a project are opened. Nothing is kept of files
that nobody reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeGuard

from lineal.model.boundary import attempt, internal_error
from lineal.model.diagnostic import Place
from lineal.model.ledger import Reason
from lineal.projects import dataform, sqlmesh
from lineal.projects.beside import SETTINGS
from lineal.projects.configuration import OWN_FILES, Configuration, read_configuration
from lineal.projects.enclosing import DATAFORM_FOLDERS, SQLMESH_FOLDERS
from lineal.projects.extensions import EXTENSIONS, PYTHON, extension_of
from lineal.projects.intake import current, is_regular, walk
from lineal.projects.python_tests import TESTS, is_python_test
from lineal.projects.text import Report, peek_text
from lineal.projects.tree import Tree

DBT, LINEAL, FEATHERFLOW = "dbt", "lineal", "Feather-Flow"
SQLMESH, DATAFORM, AIRFLOW = "SQLMesh", "Dataform", "Airflow"
READ = (DBT, LINEAL, FEATHERFLOW, SQLMESH, DATAFORM, AIRFLOW)
"""The kinds of projects that lineal reads."""

CLOSED = (DBT, LINEAL, FEATHERFLOW)
"""The kinds whose SQL is all in the folders of the project; SQL elsewhere in it is left out."""

DBT_FILE = "dbt_project.yml"
FEATHERFLOW_FILES = ("featherflow.yml", "featherflow.yaml")


MARKS = frozenset((DBT_FILE, *OWN_FILES, *FEATHERFLOW_FILES))
"""The files that make a folder a project; a FIFO of such a name does not."""


AIRFLOW_FILE = "airflow.cfg"
DAGS = "dags"
EVENT_ENDINGS = (".json", ".jsonl", ".ndjson")
MOST_NAMED = 5


@dataclass
class Project:
    """A project that was found."""

    kind: str
    folder: Path
    owned: frozenset[str] = frozenset()
    """Absolute paths of the folders that its reader reads, or that are its tool's."""
    left_out: int = 0
    """SQL files that are not read: outside its paths."""
    examples: list[str] = field(default_factory=list)

    def leave_out(self, file: Path) -> None:
        """Count an SQL file that is not read."""
        self.left_out += 1
        if len(self.examples) < MOST_NAMED:
            self.examples.append(str(file))

        current().pass_over(str(file), Reason.OUTSIDE_PATHS)


@dataclass
class Survey:
    """The projects and files of a folder."""

    root: Path
    projects: list[Project] = field(default_factory=list)
    scripts: dict[Path, list[Path]] = field(default_factory=dict)
    """Files outside projects, by the folder whose lineal.yml or pyproject.toml is about them."""
    configurations: dict[Path, Configuration] = field(default_factory=dict)
    events: list[Path] = field(default_factory=list)
    """Files that may be OpenLineage events."""
    beside: list[Path] = field(default_factory=list)
    """Files of settings and SQL that nobody else reads: programs may name them."""

    def of_kind(self, *kinds: str) -> list[Project]:
        """Return the projects of these kinds, in the order of their folders."""
        return [project for project in self.projects if project.kind in kinds]

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to read."""
        return not self.scripts and not self.of_kind(*READ)


class Where(NamedTuple):
    """Where a walk is: the project around it, whether a reader has the folder, its configuration."""

    project: Project | None
    is_owned: bool
    configured: Path


class Surveyor:
    """One walk over a tree."""

    def __init__(
        self, root: Path, tree: Tree, configuration: Configuration, report: Report
    ) -> None:
        self.found = Survey(root, configurations={root: configuration})
        self.tree = tree
        self.report = report
        self.places: dict[str, Where] = {}
        self.owned: dict[Path, list[Path]] = {}
        """The files that readers of projects have, by the project's folder; kept for --include."""
        self.asks_for_tests = TESTS in root.parts

    def survey(self) -> Survey:
        """Walk over the tree, and return what it holds."""
        root = self.found.root
        for folder, names in walk(root, self.report, by_rules=True):
            visit = partial(self.visit, folder, names)
            attempt(visit, None, Place(str(folder), 1, 1), self.report, "this folder")

        if self.tree.included:
            self.leave_out_projects()

        return self.found

    def visit(self, folder: Path, names: list[str]) -> None:
        """Take the files of one folder, and note a project in it."""
        above = self.places.get(str(folder.parent), Where(None, False, self.found.root))
        here = self.enter(folder, names, above)
        self.places[str(folder)] = here
        if not here.is_owned:
            self.take_files(folder, names, here)
        elif self.tree.included and here.project is not None:
            self.owned.setdefault(here.project.folder, []).extend(map(folder.joinpath, names))

    def leave_out_projects(self) -> None:
        """Leave out the projects of which --include names no file."""
        for folder, files in self.owned.items():
            if not any(self.tree.is_included(str(file)) for file in files):
                kept = [each for each in self.found.projects if each.folder != folder]
                self.found.projects[:] = kept
                for file in files:
                    if extension_of(file.name) in EXTENSIONS:
                        current().pass_over(str(file), Reason.EXCLUDED)

    def enter(self, folder: Path, names: list[str], above: Where) -> Where:
        """Return where the walk is in a folder; a new project is added."""
        present = frozenset(
            name for name in names if name not in MARKS or is_regular(folder / name)
        )
        project, is_owned, configured = above
        opened = None if is_owned else self.try_open(folder, present)
        if opened is not None:
            self.found.projects.append(opened)
            project = opened

        is_owned = is_owned or (
            project is not None and os.path.abspath(folder) in project.owned  # noqa: PTH100
        )
        if folder != self.found.root and opened is None and present.intersection(OWN_FILES):
            self.found.configurations[folder] = read_configuration(folder, self.report)
            configured = folder

        return Where(project, is_owned, configured)

    def try_open(self, folder: Path, names: frozenset[str]) -> Project | None:
        """Return the project whose file is in a folder; its files are read as plain ones if that
        fails.
        """
        try:
            return self.open_project(folder, names)
        except Exception as error:
            self.report(internal_error(error, Place(str(folder), 1, 1), "this folder"))
            return None

    def open_project(self, folder: Path, names: frozenset[str]) -> Project | None:
        """Return the project whose file is in a folder."""
        if DBT_FILE in names:
            return Project(DBT, folder, dbt_folders(folder))

        own = names.intersection((*OWN_FILES, *FEATHERFLOW_FILES))
        if own:
            nodes = node_folders(folder)
            kind = LINEAL
            if own.intersection(FEATHERFLOW_FILES):
                kind = FEATHERFLOW

            if nodes:
                return Project(kind, folder, nodes)

        if sqlmesh.matches(folder):
            return Project(SQLMESH, folder, absolute(folder / name for name in SQLMESH_FOLDERS))

        if dataform.matches(folder):
            return Project(DATAFORM, folder, absolute(folder / name for name in DATAFORM_FOLDERS))

        if AIRFLOW_FILE in names:
            return Project(AIRFLOW, folder)

        if folder.name == DAGS and any(is_dag(folder / name) for name in sorted(names)):
            self.name_airflow(folder)

        return None

    def name_airflow(self, folder: Path) -> None:
        """Name a folder of DAGs once, whatever encloses it: its Python is read as it is."""
        known = {each.folder for each in self.found.of_kind(AIRFLOW)}
        if not any(map(folder.is_relative_to, known)):
            self.found.projects.append(Project(AIRFLOW, folder))

    def take_files(self, folder: Path, names: list[str], here: Where) -> None:
        """Sort the files of a folder that no reader of a project has."""
        extensions = self.found.configurations[here.configured].extensions
        for name in names:
            take = partial(self.take_file, folder, name, extensions, here)
            attempt(take, None, Place(str(folder / name), 1, 1), self.report, "this file")

    def take_file(
        self, folder: Path, name: str, extensions: Mapping[str, str], here: Where
    ) -> None:
        """Sort one file by its ending."""
        ending = extension_of(name)
        if ending in extensions:
            self.take_script(folder / name, extensions[ending] == PYTHON, here)
        elif ending in EVENT_ENDINGS and not is_closed(here.project):
            self.found.events.append(folder / name)

        if name.lower().endswith(SETTINGS):
            self.found.beside.append(folder / name)

    def take_script(self, file: Path, is_python: bool, here: Where) -> None:
        """Take a file of SQL or Python, or say why it is not read."""
        if not is_python and is_closed(here.project):
            here.project.leave_out(file)
            self.found.beside.append(file)  # a program may name it
        elif not self.tree.is_included(str(file)):
            current().pass_over(str(file), Reason.EXCLUDED)
        elif not self.asks_for_tests and is_python_test(file.relative_to(self.found.root)):
            current().pass_over(str(file), Reason.PYTHON_TEST)
        else:
            self.found.scripts.setdefault(here.configured, []).append(file)


def survey(root: Path, tree: Tree, configuration: Configuration, report: Report) -> Survey:
    """Return what a folder holds."""
    found = Surveyor(root, tree, configuration, report).survey()
    leave_shared_folders(found)
    return found


def is_closed(project: Project | None) -> TypeGuard[Project]:
    """Tell whether all SQL around a file belongs to a project."""
    return project is not None and project.kind in CLOSED


def leave_shared_folders(found: Survey) -> None:
    """Take out the files of folders that a project names outside its own: shared macros."""
    shared = [
        folder
        for project in found.projects
        for folder in project.owned
        if not Path(folder).is_relative_to(project.folder.absolute())
    ]
    if not shared:
        return

    for folder, files in list(found.scripts.items()):
        kept = [file for file in files if not is_below(file, shared)]
        found.scripts[folder] = kept
        if not kept:
            del found.scripts[folder]


def is_below(file: Path, folders: list[str]) -> bool:
    """Tell whether a file is in one of these folders."""
    path = os.path.abspath(file)  # noqa: PTH100
    return any(path.startswith(f"{folder}{os.sep}") for folder in folders)


def absolute(folders: Iterable[Path]) -> frozenset[str]:
    """Return folders as absolute paths."""
    return frozenset(map(os.path.abspath, folders))


def dbt_folders(folder: Path) -> frozenset[str]:
    """Return the folders that a dbt project names: of models, seeds, snapshots, macros and tests."""
    from lineal.projects.dbt.project import read_package

    package = read_package(folder, lambda _: None)
    return absolute(chain.from_iterable(package.paths.values()))


def node_folders(folder: Path) -> frozenset[str]:
    """Return the folders of a project with nodes; none for a lineal.yml that only configures."""
    from lineal.projects.featherflow import read_project

    project = read_project(folder, "", lambda _: None)
    if not project.has_nodes:
        return frozenset()

    return absolute((*project.node_folders, *project.macro_folders, *project.module_folders))


def is_dag(file: Path) -> bool:
    """Tell whether a Python file imports Airflow."""
    return file.suffix == ".py" and "airflow" in peek_text(file)

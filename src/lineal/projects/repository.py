"""A folder with whatever is in it: every part is read by its own rules, and all of them are one graph.

load(Path("."))        projects of dbt, SQLMesh, Dataform and lineal, SQL, Python, OpenLineage events
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lineal.model.boundary import attempt_each, internal_error, let_pass
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.script import Corpus
from lineal.projects import dataform, dbt, featherflow, sqlmesh
from lineal.projects.configuration import read_configuration
from lineal.projects.dbt.options import NO_OPTIONS, DbtOptions
from lineal.projects.files import add_contents, read_scripts, unite_corpora
from lineal.projects.intake import current
from lineal.projects.nothing import no_input
from lineal.projects.schema import Schema
from lineal.projects.survey import (
    DATAFORM,
    DBT,
    FEATHERFLOW,
    LINEAL,
    SQLMESH,
    Project,
    Survey,
    survey,
)
from lineal.projects.text import Report

if TYPE_CHECKING:
    from lineal.projects.dbt.render_cache import ByteCache


def matches(path: Path) -> bool:
    """Any folder; a folder that is a store, events or a manifest is asked for first."""
    return path.is_dir() and not dbt.is_manifest_folder(path)


def find(path: Path, report: Report) -> Survey:
    """Return what a folder holds, and leave out what its configuration, .gitignore and the options
    say.
    """
    configuration = read_configuration(path, report)
    tree = current().open_tree(path, configuration.exclude, configuration.include)
    return survey(path, tree, configuration, report)


def load(
    path: Path,
    dialect: str | None = None,
    schema: Schema = None,
    kept: ByteCache | None = None,
    options: DbtOptions = NO_OPTIONS,
) -> Corpus:
    """Everything below a folder as one corpus."""
    problems: list[Diagnostic] = []
    found = find(path, problems.append)
    parts = list(read_parts(found, dialect, schema, kept, options))
    events = read_events(found, dialect)
    if events is not None:
        parts.append(events)

    if not parts:
        parts = [read_nothing(path, dialect, schema, bool(problems))]

    corpus = parts[0] if len(parts) == 1 else unite_corpora(parts)
    corpus.diagnostics = [*problems, *corpus.diagnostics, *report_left_out(found)]
    return corpus


def read_parts(
    found: Survey,
    dialect: str | None,
    schema: Schema,
    kept: ByteCache | None,
    options: DbtOptions,
) -> list[Corpus]:
    """Return the corpus of each part, projects first."""
    parts: list[Corpus] = []
    dbt_folders = [project.folder for project in found.of_kind(DBT)]
    if dbt_folders:
        parts += read_dbt(dbt_folders, dialect, schema, kept, options)

    for kind, load_kind in LOADERS:
        for project in found.of_kind(kind):
            load_one = partial(load_kind, project.folder, dialect, schema)
            parts.append(attempt_project(load_one, project.folder))

    read = current().files.due_files
    for folder, several in found.scripts.items():
        files = [file for file in several if str(file) not in read]  # no module of a project
        configuration = found.configurations[folder]
        spoken = dialect if dialect is not None else configuration.dialect or None
        if not files:
            continue

        corpus = read_scripts(files, spoken, schema, configuration.extensions)
        add_contents(corpus, found.beside)
        if featherflow.matches(folder) and folder not in dbt_folders:
            corpus = featherflow.load_plain(folder, dialect, corpus)

        parts.append(corpus)

    return parts


LOADERS: tuple[tuple[str, Callable[[Path, str | None, Schema], Corpus]], ...] = (
    (LINEAL, lambda *asked: featherflow.load(*asked)),
    (FEATHERFLOW, lambda *asked: featherflow.load(*asked)),
    (SQLMESH, lambda *asked: sqlmesh.load(*asked)),
    (DATAFORM, lambda *asked: dataform.load(*asked)),
)
"""The readers of projects that are read one by one."""


def read_dbt(
    folders: list[Path],
    dialect: str | None,
    schema: Schema,
    kept: ByteCache | None,
    options: DbtOptions,
) -> list[Corpus]:
    """Return the corpora of dbt projects, which may refer to each other; one by one if that fails."""
    try:
        return dbt.load_several(folders, dialect, schema, kept, options)
    except Exception as error:
        let_pass(error)

    return [
        attempt_project(partial(load_alone, folder, dialect, schema, kept, options), folder)
        for folder in folders
    ]


def load_alone(
    folder: Path,
    dialect: str | None,
    schema: Schema,
    kept: ByteCache | None,
    options: DbtOptions,
) -> Corpus:
    """Return the corpus of one dbt project."""
    return unite_corpora(dbt.load_several([folder], dialect, schema, kept, options))


def attempt_project(load_one: Callable[[], Corpus], folder: Path) -> Corpus:
    """Return the corpus of a project; if its reader fails, the rest of the folder is still read."""
    try:
        return load_one()
    except Exception as error:
        problem = internal_error(error, Place(str(folder), 1, 1), "this project")
        return Corpus("", diagnostics=[problem])


def read_events(found: Survey, dialect: str | None) -> Corpus | None:
    """Return what OpenLineage events in the folder tell; None if there are none."""
    if not found.events:
        return None

    from lineal.projects import openlineage

    files = list(filter(openlineage.is_event_file, found.events))
    return openlineage.read_files(files, dialect) if files else None


def read_nothing(path: Path, dialect: str | None, schema: Schema, has_problems: bool) -> Corpus:
    """Return the corpus of a folder without anything to read."""
    if featherflow.matches(path):
        return featherflow.load(path, dialect, schema)

    corpus = read_scripts([], dialect, schema)
    if not has_problems:
        corpus.diagnostics.append(no_input(path, "no .sql, .py or .ipynb files"))

    return corpus


def report_left_out(found: Survey) -> list[Diagnostic]:
    """Name SQL files that no path of their project names."""
    reports: list[Diagnostic] = []
    named = attempt_each(found.projects, left_out, start_of_project, reports.append, "this project")
    reports.extend(list(named))
    return reports


def start_of_project(project: Project) -> Place:
    """Return the place of a project: its folder."""
    return Place(str(project.folder), 1, 1)


def left_out(project: Project) -> Diagnostic | None:
    """Return what to say of the files of a project that are not read."""
    named = ", ".join(project.examples) + (
        ", …" if project.left_out > len(project.examples) else ""
    )
    if not project.left_out:
        return None

    several = "SQL file is" if project.left_out == 1 else "SQL files are"
    message = (
        f"{project.left_out} {several} outside the paths of the {project.kind} project "
        f"{project.folder}: {named}"
    )
    return Diagnostic(Code.OUTSIDE_PATHS, message, start_of_project(project))

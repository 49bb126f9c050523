"""The parts of a folder as `lineal projects` lists them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lineal.model.diagnostic import Diagnostic
from lineal.model.ledger import Reason
from lineal.model.sequences import flatten
from lineal.projects.extensions import PYTHON, extension_of
from lineal.projects.intake import Intake, Rules, count_others, walk
from lineal.projects.repository import find, report_left_out
from lineal.projects.survey import AIRFLOW, Project, Survey

SQL, PROGRAMS, NOTEBOOKS = "SQL", "Python", "notebooks"
KINDS = {".ipynb": NOTEBOOKS, ".py": PROGRAMS}


class Part(NamedTuple):
    """One part of a folder."""

    kind: str
    folder: str
    files: int
    """SQL, Python and seed files that would be read."""
    is_read: bool
    left_out: int = 0
    """SQL files of a project that are outside its paths."""
    dialect: str = ""
    """As configured; '' if each file tells its own."""


@dataclass
class Listing:
    """The files of a folder."""

    parts: list[Part]
    diagnostics: list[Diagnostic] = field(default_factory=list)


def list_parts(path: Path, rules: Rules) -> Listing:
    """Return the parts of a folder, projects first, and the files that are left out by reason."""
    problems: list[Diagnostic] = []
    with Intake(path, rules) as intake:
        intake.admit(path)
        found = find(path, problems.append)
        parts = [project_part(project, found) for project in found.projects]
        parts += script_parts(found)
        for each in found.scripts.values():
            for file in each:
                intake.add(str(file))

        count_others(path, intake)
        parts += left_out_parts(intake)

    return Listing(parts, [*problems, *report_left_out(found)])


def project_part(project: Project, found: Survey) -> Part:
    """Return a project with the number of its files."""
    if project.kind == AIRFLOW:
        scripts = flatten(found.scripts.values())
        count = sum(file.is_relative_to(project.folder) for file in scripts)
        return Part(project.kind, str(project.folder), count, True)

    extensions = {*found.configurations[found.root].extensions, ".csv", ".sqlx", ".js"}
    files = {
        str(where / name)
        for folder in project.owned
        for where, names in walk(Path(folder), lambda _: None)
        for name in names
        if extension_of(name) in extensions
    }
    return Part(project.kind, str(project.folder), len(files), True, project.left_out)


def script_parts(found: Survey) -> Iterator[Part]:
    """Return the files outside projects, by kind and by the first folder below the root.

    The files of an Airflow folder are counted with that folder.
    """
    counts: dict[tuple[str, str, str], int] = {}
    of_dags = [project.folder for project in found.of_kind(AIRFLOW)]
    for folder, files in found.scripts.items():
        configuration = found.configurations[folder]
        for file in files:
            if any(map(file.is_relative_to, of_dags)):
                continue

            ending = extension_of(file.name)
            is_python = configuration.extensions[ending] == PYTHON
            kind = KINDS.get(ending, SQL)
            inner = file.relative_to(found.root).parts
            top = found.root / inner[0] if len(inner) > 1 else found.root
            key = (kind, str(top), "" if is_python else configuration.dialect)
            counts[key] = counts.get(key, 0) + 1

    for (kind, shown, dialect), count in sorted(counts.items(), key=lambda each: each[0][1::-1]):
        yield Part(kind, shown, count, True, dialect=dialect)


SHOWN = (Reason.IGNORED, Reason.EXCLUDED, Reason.BUILD_FOLDER, Reason.PYTHON_TEST)
"""The reasons that a reader may want to change."""


def left_out_parts(intake: Intake) -> Iterator[Part]:
    """Yield the files that were left out, by reason."""
    for reason, count, examples in intake.files.reasons():
        if reason in SHOWN:
            more = ", …" if count > len(examples) else ""
            yield Part(reason.label, ", ".join(examples) + more, count, False)

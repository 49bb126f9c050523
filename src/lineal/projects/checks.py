"""Where `lineal validate` finds its settings: one place for every kind of project.

The `validate:` section of `lineal.yml`, which may stand next to a dbt_project.yml, a featherflow.yml
or plain SQL files; a Feather-Flow project may have the section in its featherflow.yml.
"""

from __future__ import annotations

from pathlib import Path

from lineal.model.finding import Checks
from lineal.projects import yaml
from lineal.projects.extensions import PROJECT_FILES
from lineal.projects.text import Report, peek_text

SECTION = "validate"


def checks_at(path: Path, report: Report) -> Checks:
    """Read the checks of the analyzed folder, or of the folder of the analyzed file; mistakes in
    the section are reported.
    """
    folder = path if path.is_dir() else path.parent
    for name in PROJECT_FILES:
        file = folder / name
        if file.is_file() and SECTION in peek_text(file):
            # other mistakes in it are reported by the project's reader
            about = yaml.read(file, lambda _: None)
            if about is not None and about.get(SECTION) is not None:
                from lineal.projects.settings import read_checks

                return read_checks(about, report)

    return Checks()

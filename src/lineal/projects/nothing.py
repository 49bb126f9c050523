"""The message for an input without files: the files that lineal looked for, and those it found.

no .sql, .py or .ipynb files in jobs; found 2 dbt projects below: jobs/a, jobs/b
"""

from __future__ import annotations

from collections import Counter
from itertools import starmap
from pathlib import Path

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects.intake import walk

MARKS = {
    "dbt_project.yml": "dbt project",
    "lineal.yml": "lineal project",
    "featherflow.yml": "Feather-Flow project",
    "manifest.json": "dbt manifest",
}
"""The files that make a folder worth naming."""

MOST_FOLDERS = 2_000
MOST_NAMED = 3


def no_input(path: Path, looked_for: str) -> Diagnostic:
    """Return the diagnostic of an input without anything to read: the files that lineal looked for,
    and those that it found instead.
    """
    there = found_below(path) if path.is_dir() else ""
    return Diagnostic(Code.NO_INPUT, f"{looked_for} in {path}{there}", Place(str(path), 1, 1))


def found_below(folder: Path) -> str:
    """Return what a folder holds: its projects, else its most frequent kinds of files."""
    projects: dict[str, list[str]] = {}
    endings: Counter[str] = Counter()
    for number, (where, names) in enumerate(walk(folder, lambda _: None, by_rules=True)):
        for name in names:
            if name in MARKS:
                projects.setdefault(MARKS[name], []).append(str(where))

        endings.update(Path(name).suffix.lower() or name for name in names)
        if number > MOST_FOLDERS:
            break

    if projects:
        parts = list(starmap(several_of, projects.items()))
        return f"; found {' and '.join(parts)}"

    if endings:
        return f"; found {', '.join(starmap(files_of, endings.most_common(MOST_NAMED)))}"

    return "; it is empty"


def several_of(kind: str, places: list[str]) -> str:
    """Return 2 dbt projects below: a, b"""
    more = len(places) - MOST_NAMED
    named = ", ".join(places[:MOST_NAMED])
    plural = kind if len(places) == 1 else f"{kind}s"
    rest = f" and {more} more" if more > 0 else ""
    return f"{len(places)} {plural} below: {named}{rest}"


def files_of(ending: str, count: int) -> str:
    """Return 12 .csv files"""
    if count == 1:
        return f"{count} {ending} file"

    return f"{count} {ending} files"

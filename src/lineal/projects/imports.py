"""A job that is named alone brings along the modules next to it that it imports: they are read,
never imported.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from lineal.projects.text import peek_text

MOST_MODULES = 200
HIGHEST = 4
"""How many folders above a job its packages may start."""

MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "databricks.yml")
"""Files that the first folder of a project has."""

INCLUDED = re.compile(r"^\s*(?:#\s*MAGIC\s+)?%run\s+[\"']?([^\s\"'#]+)", re.MULTILINE)


def with_imports(job: Path, roots: list[Path] | None = None) -> list[Path]:
    """The job, and every module that it imports from the folders where imports start, directly or
    through others.
    """
    roots = list(roots_of(job)) if roots is None else roots
    found = {job.resolve(): job}
    waiting = [job]
    while waiting and len(found) < MOST_MODULES:
        for module in modules_of(waiting.pop(), roots):
            if module.resolve() not in found:
                found[module.resolve()] = module
                waiting.append(module)

    return list(found.values())


def roots_of(job: Path) -> Iterator[Path]:
    """Where imports may start: the job's folder, those above it up to the project's, and a `src` in
    any of them.
    """
    above = [job.resolve().parent, *job.resolve().parent.parents][: HIGHEST + 1]
    project = next((position for position, folder in enumerate(above) if is_project(folder)), None)
    highest = project if project is not None else first_without_package(above)
    for folder in above[: highest + 1]:
        shown = job.parent if folder == above[0] else folder
        yield from (each for each in (shown, shown / "src") if each.is_dir())


def is_project(folder: Path) -> bool:
    """Tell whether a folder is the root of a project."""
    return any((folder / mark).exists() for mark in MARKS)


def first_without_package(folders: list[Path]) -> int:
    """Where no folder says that a project starts there: as high as packages go."""
    outside = (
        position for position, folder in enumerate(folders) if not (folder / "__init__.py").exists()
    )
    return next(outside, len(folders) - 1)


def modules_of(file: Path, roots: list[Path]) -> Iterator[Path]:
    """import a.b; from a import b; from . import c; %run ./d

    the files that these name, where there are such
    """
    text = peek_text(file)
    try:
        yield from included_notebooks(text, file, roots)
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return  # what is wrong with it is said when it is read

    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = node.module or ""
            names = [
                (node.level, start),
                *((node.level, f"{start}.{alias.name}".strip(".")) for alias in node.names),
            ]
        else:
            continue

        for level, name in names:
            yield from files_of_module(
                name, [file.parents[level - 1]] if level and level <= len(file.parents) else roots
            )


def included_notebooks(text: str, file: Path, roots: list[Path]) -> Iterator[Path]:
    """%run ./helpers/io      a notebook of the same project; others are not read"""
    for name in INCLUDED.findall(text):
        base = file.parent / name
        several = (
            [base]
            if base.suffix in (".py", ".ipynb")
            else [Path(f"{base}{ending}") for ending in (".py", ".ipynb")]
        )
        for each in several:
            above = each.resolve().parents
            if each.is_file() and any(root.resolve() in above for root in roots):
                yield each


def files_of_module(name: str, roots: list[Path]) -> Iterator[Path]:
    """a.b      a/b.py or a/b/__init__.py, and the packages on the way"""
    parts = [part for part in name.split(".") if part.isidentifier()]
    for root in roots:
        for length in range(1, len(parts) + 1):
            base = root.joinpath(*parts[:length])
            yield from (
                each for each in (base.with_suffix(".py"), base / "__init__.py") if each.is_file()
            )

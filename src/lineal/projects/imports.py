"""A job that is named alone brings along the modules beside it that it imports: they are read, never imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

MOST_MODULES = 200
HIGHEST = 4
"""How many folders above a job its packages may start."""


def with_imports(job: Path) -> list[Path]:
    """The job, and every module of its tree that it imports, directly or through others."""
    roots = list(roots_of(job))
    found = {job.resolve(): job}
    waiting = [job]
    while waiting and len(found) < MOST_MODULES:
        for module in modules_of(waiting.pop(), roots):
            if module.resolve() not in found:
                found[module.resolve()] = module
                waiting.append(module)
    return list(found.values())


def roots_of(job: Path) -> Iterator[Path]:
    """Where imports may start: the job's folder, and those above it as long as they are packages, or hold one."""
    folder = job.parent
    for _ in range(HIGHEST):
        yield folder
        if folder.parent == folder or not (folder / "__init__.py").exists():
            return
        folder = folder.parent


def modules_of(file: Path, roots: list[Path]) -> Iterator[Path]:
    """import a.b; from a import b; from . import c      the files that these name, where there are such"""
    try:
        tree = ast.parse(file.read_text("utf-8", "replace"))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return  # what is wrong with it is said when it is read
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = node.module or ""
            names = [(node.level, start), *((node.level, f"{start}.{alias.name}".strip(".")) for alias in node.names)]
        else:
            continue
        for level, name in names:
            yield from located(name, [file.parents[level - 1]] if level and level <= len(file.parents) else roots)


def located(name: str, roots: list[Path]) -> Iterator[Path]:
    """a.b      a/b.py or a/b/__init__.py, and the packages on the way"""
    parts = [part for part in name.split(".") if part.isidentifier()]
    for root in roots:
        for length in range(1, len(parts) + 1):
            base = root.joinpath(*parts[:length])
            yield from (each for each in (base.with_suffix(".py"), base / "__init__.py") if each.is_file())

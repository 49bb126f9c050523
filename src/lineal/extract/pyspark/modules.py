"""The files of a program by the names under which they import each other."""

from __future__ import annotations

import ast
import re

from lineal.extract.pyspark.files import File
from lineal.model.sequences import flatten, instances, only_or_none, present

PACKAGE = "__init__"
INCLUDE = "lineal_include"
"""The call that %run ./helpers is read as."""


class ModuleIndex:
    """Find the file that a name or a path of an import means."""

    def __init__(self, files: list[File]) -> None:
        """Index files by every name that an import can call them."""
        self.files = files
        self.by_name: dict[str, list[File]] = {}
        self.by_parts: dict[tuple[str, ...], File] = {}
        for file in files:
            self.by_parts.setdefault(file.parts, file)
            for name in module_names(file):
                self.by_name.setdefault(name, []).append(file)

    def find(self, dotted: str, file: File, level: int) -> File | None:
        """Find the file of a module.

        utils.io

        utils/io.py or utils/io/__init__.py, the nearest to the file that imports it
        """
        names = tuple(part for part in dotted.split(".") if part)
        if level:
            return self.module_at((*file.parts[:-level], *names))

        if not names:
            return None

        fitting = [each for each in self.by_name.get(names[-1], ()) if ends_with(each, names)]
        others = [each for each in fitting if each is not file]
        return max(others, key=lambda each: shared_folders(each, file), default=None)

    def module_at(self, parts: tuple[str, ...]) -> File | None:
        """Return the file or the package of exactly this path."""
        return self.file_at(parts) or self.file_at((*parts, PACKAGE))

    def file_at(self, parts: tuple[str, ...]) -> File | None:
        """Return the file of exactly this path."""
        return self.by_parts.get(parts)

    def find_notebook(self, path: str, file: File) -> File | None:
        """Find the file of a notebook.

        %run ./helpers/io      by its path, else the only notebook of that name
        """
        wanted = re.sub(r"\.(py|ipynb)$", "", path.strip().strip("'\"")).strip("/").split("/")
        base = list(file.parts[:-1])

        for part in wanted:
            if part == "..":
                base = base[:-1]
            elif part != ".":
                base.append(part)

        found = self.file_at(tuple(base))
        if found is not None:
            return found

        alike = [each for each in self.files if each.parts[-1:] == (wanted[-1],)]
        others = [each for each in alike if each is not file]
        return only_or_none(others)

    def all_imports(self, file: File) -> list[File]:
        """Return the files of the program that a file imports, inside functions, too."""
        nodes = instances(ast.walk(file.tree), (ast.Import, ast.ImportFrom))
        return flatten(self.imports(node, file) for node in nodes)

    def imports(self, node: ast.AST, file: File) -> list[File]:
        """Return the files of the program that a statement imports."""
        found: list[File | None] = []
        if isinstance(node, ast.Import):
            found = [self.find(alias.name, file, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = self.imports_from(node, file)
        elif isinstance(node, ast.Expr):
            found = [self.find_notebook(path, file) for path in included_paths(node.value)]

        return present(found)

    def imports_from(self, node: ast.ImportFrom, file: File) -> list[File | None]:
        """Return the modules that a statement imports.

        from jobs import orders      the module jobs, and jobs.orders if that is one
        """
        names = [alias.name for alias in node.names]
        if not node.module:
            return [self.find(name, file, node.level) for name in names]

        members = [f"{node.module}.{name}" for name in names]
        return [self.find(name, file, node.level) for name in (node.module, *members)]


def module_names(file: File) -> set[str]:
    """Return the last names by which a file is imported: its own, and that of a package."""
    if file.parts[-1:] == (PACKAGE,):
        return set(file.parts[-2:])

    return set(file.parts[-1:])


def ends_with(file: File, names: tuple[str, ...]) -> bool:
    """Return whether a file is found under these names from some folder."""
    package = (*names, PACKAGE)
    return file.parts[-len(names) :] == names or file.parts[-len(package) :] == package


def shared_folders(left: File, right: File) -> int:
    """Return how many folders two files share."""
    count = 0
    for one, other in zip(left.parts, right.parts, strict=False):
        if one != other:
            break

        count += 1

    return count


def included_paths(node: ast.expr) -> list[str]:
    """Return the path of a notebook that is run, if the text spells it out.

    %run ./helpers
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return []

    if node.func.id != INCLUDE or not node.args:
        return []

    target = node.args[0]
    return [str(target.value)] if isinstance(target, ast.Constant) else []

"""Which files and folders of a tree are looked at, and why the others are not.

tree = Tree(Path("shop"), exclude=("archive/",))
tree.reason("/srv/shop", "target", is_folder=True)        Reason.BUILD_FOLDER
tree.reason("/srv/shop", "archive", is_folder=True)       Reason.EXCLUDED
tree.reason("/srv/shop", "models", is_folder=True)        None
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property

from lineal.model.ledger import Reason
from lineal.projects.extensions import EXTENSIONS
from lineal.projects.git_index import Tracked, read_index
from lineal.projects.ignore import IgnoreStack, PathPatterns, Read

INSTALLED_FOLDERS = frozenset(("node_modules", "__pycache__", "site-packages"))
"""Folders of tools, which hold nothing that the project says itself."""

BUILD_FOLDERS = INSTALLED_FOLDERS | {"target", "dbt_packages", "dbt_modules"}

OUTPUT_FOLDERS = frozenset(("build", "dist", "out"))
"""Folders that hold build output if a build file is next to them."""

BUILD_FILES = (
    "pyproject.toml",
    "setup.py",
    "package.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "Cargo.toml",
)

ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta")
"""The files that make a folder a virtual environment."""


class Tree:
    """The rules of one input: .gitignore, --exclude, --include, and the folders of tools."""

    def __init__(
        self, root: str, read: Read, exclude: Iterable[str] = (), include: Iterable[str] = ()
    ) -> None:
        self.root = os.path.abspath(root)  # noqa: PTH100
        self.read = read
        self.ignored = IgnoreStack(self.root, read)
        self.excluded = PathPatterns(self.root, exclude)
        self.included = PathPatterns(self.root, include)

    @cached_property
    def tracked(self) -> Tracked:
        """Return the files that git tracks, read if a rule ignores anything: a tracked file is not
        ignored.
        """
        return read_index(self.root, tuple(EXTENSIONS), self.read)

    def reason(self, folder: str, name: str, is_folder: bool) -> Reason | None:
        """Return why an entry of a folder is not looked at; the folder is an absolute path."""
        found = self.rule_against(folder, name, is_folder)
        if found is None and is_folder and is_build_folder(folder, name):
            return Reason.BUILD_FOLDER

        return found

    def rule_against(self, folder: str, name: str, is_folder: bool) -> Reason | None:
        """Return why an entry is left out by its name or by a rule that somebody wrote."""
        if name.startswith("."):
            return Reason.HIDDEN

        path = f"{folder.rstrip(os.sep)}{os.sep}{name}"
        if self.is_excluded(path, is_folder):
            return Reason.EXCLUDED

        if self.ignored.is_ignored(folder, name, is_folder):
            tracked = self.tracked.folders if is_folder else self.tracked.files
            return None if path in tracked else Reason.IGNORED

        return None

    def is_excluded(self, path: str, is_folder: bool) -> bool:
        """Tell whether --exclude or the configuration names a file or folder."""
        return bool(self.excluded) and self.excluded.match(path, is_folder)

    def is_included(self, path: str) -> bool:
        """Tell whether --include, if it is given, names a file."""
        return not self.included or self.included.match(os.path.abspath(path), False)  # noqa: PTH100


def is_build_folder(folder: str, name: str) -> bool:
    """Tell whether a folder holds what a tool has made or installed."""
    if name in BUILD_FOLDERS:
        return True

    path = f"{folder}{os.sep}{name}"
    if name in OUTPUT_FOLDERS:
        return any(map(os.path.exists, (f"{folder}{os.sep}{each}" for each in BUILD_FILES)))

    return any(map(os.path.exists, (f"{path}{os.sep}{mark}" for mark in ENVIRONMENT_MARKS)))

"""The files that a removal edits: read once, and written into a copy of the project to check it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lineal.projects.intake import open_regular
from lineal.projects.removals import FileEdit, Refused
from lineal.service.source import Source

LEFT_OUT = (".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__")
"""Folders that decide no lineage, and are large."""


class EditedFiles:
    """The texts of a project's files, with the edits that were made so far."""

    def __init__(self, source: Source) -> None:
        self.roots = [Path(path).resolve() for path in source.paths if Path(path).exists()]
        self.before: dict[str, str] = {}
        self.after: dict[str, str | None] = {}

    def text(self, file: str) -> str:
        """Return the text of a file as it is now; a file that is not the project's own is refused."""
        if file not in self.before:
            self.before[file] = self.after[file] = self._read(file)

        text = self.after[file]
        if text is None:
            raise Refused("its file is deleted already")

        return text

    def _read(self, file: str) -> str:
        """Return the text of a file; raise Refused if it is outside the project or unreadable."""
        path = Path(file).resolve()
        if not any(path == root or path.is_relative_to(root) for root in self.roots):
            raise Refused("it is declared outside the folder that was read")

        try:
            with open_regular(file) as stream:
                return stream.read().decode()
        except (OSError, UnicodeDecodeError) as problem:
            raise Refused(f"{file} cannot be edited: {problem}") from problem

    def write(self, file: str, text: str | None) -> None:
        """Change a file; None deletes it."""
        self.after[file] = text

    def edits(self) -> list[FileEdit]:
        """Return the edits, by file."""
        return [
            FileEdit(file, text, self.after[file])
            for file, text in sorted(self.before.items())
            if self.after[file] != text
        ]

    def forget(self) -> None:
        """Take all edits back."""
        self.after = dict(self.before)


@contextmanager
def edited_copy(source: Source, edits: list[FileEdit]) -> Iterator[tuple[Source, str]]:
    """Open a copy of the paths of a source, with some files edited; it is deleted at the end."""
    with tempfile.TemporaryDirectory(prefix="lineal-unused-") as folder:
        paths = []
        for number, path in enumerate(source.paths):
            root = Path(path).resolve()
            copy = Path(folder, str(number), root.name)
            _copy(root, copy)
            _write_edits(root, copy, edits)
            paths.append(str(copy))

        yield source._replace(paths=tuple(paths), rooted=True), folder


def _copy(root: Path, copy: Path) -> None:
    """Copy a file or folder; files are linked where the system allows it."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    if root.is_file():
        shutil.copy2(root, copy)
        return

    ignore = shutil.ignore_patterns(*LEFT_OUT)
    shutil.copytree(
        root, copy, symlinks=True, ignore=ignore, copy_function=_link, dirs_exist_ok=True
    )


def _link(origin: str, copy: str) -> str:
    """Link a file, or copy it where it cannot be linked."""
    try:
        os.link(origin, copy, follow_symlinks=False)
    except OSError:
        shutil.copy2(origin, copy, follow_symlinks=False)

    return copy


def _write_edits(root: Path, copy: Path, edits: list[FileEdit]) -> None:
    """Write the edited files of one root into its copy; a link is replaced, never written through."""
    for edit in edits:
        path = Path(edit.file).resolve()
        if not path.is_relative_to(root):
            continue

        target = copy / path.relative_to(root) if path != root else copy
        target.unlink(missing_ok=True)
        if edit.after is not None:
            target.write_bytes(edit.after.encode())

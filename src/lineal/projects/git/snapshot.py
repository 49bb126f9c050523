"""A revision written down as a folder: files only, each where its name says, and nothing outside."""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects.intake import open_regular

if TYPE_CHECKING:
    from lineal.projects.git.repository import Repository

LINK, SUBMODULE, OTHER = "120000", "160000", ""
"""The modes of entries that are not regular files; OTHER is a FIFO or a device in the work tree."""
LARGEST = 64 * 2**20
"""A larger file was not written by hand."""
DEEPEST = 400
"""A file below more folders is left out: Python makes and removes folders by recursion."""
POINTER = b"version https://git-lfs.github.com/spec/"
PACKAGES = ("dbt_packages", "dbt_modules")
"""Installed next to a project and ignored by git: both sides are read with those of the work tree.
"""


class Entry(NamedTuple):
    """A file of a revision; of the work tree, which has no objects, the content is on disk."""

    name: str
    mode: str
    object: str
    size: int


@dataclass
class Snapshot:
    """A folder with the files of a revision, the diagnostics of those left out, and its name."""

    folder: Path
    top: Path
    name: str
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def leave_out(self, entry: Entry, why: str, code: Code = Code.LEFT_OUT) -> None:
        """Report a file that is not written to disk."""
        message = f"{entry.name} is left out: {why}"
        self.diagnostics.append(Diagnostic(code, message, Place(entry.name, 1, 1)))


def write_snapshot(repository: Repository, entries: list[Entry], top: Path, name: str) -> Snapshot:
    """Write the entries into a folder; what cannot be read safely is left out, and said."""
    folder = top.joinpath(*repository.inside.parts)
    snapshot = Snapshot(folder, top, name)
    kept = [entry for entry in entries if _is_fit(entry, snapshot)]
    contents = dict(_contents(repository, kept))
    for entry in kept:
        content = _through_links(
            entry, contents, {each.name: each for each in kept} if entry.mode == LINK else {}
        )
        if content is None and entry.mode == LINK:
            snapshot.leave_out(entry, "it leads elsewhere")
        elif content is None:
            snapshot.leave_out(entry, "git cannot read its content", Code.UNREADABLE)
        elif content.startswith(POINTER):
            snapshot.leave_out(
                entry, "it is a pointer of Git LFS, and its content is not in the repository"
            )
        else:
            _try_to_write(snapshot, entry, content)

    if not folder.suffix:
        folder.mkdir(parents=True, exist_ok=True)

    try:
        _with_packages(repository, folder)
    except OSError as problem:  # a FIFO among the packages, a name that is too long
        entry = Entry(PACKAGES[0], "", "", 0)
        snapshot.leave_out(entry, f"it cannot be copied: {_reason(problem)[:200]}")

    return snapshot


def _is_fit(entry: Entry, snapshot: Snapshot) -> bool:
    """Tell whether a file goes into the snapshot; the reason is noted if it does not."""
    if entry.mode == SUBMODULE:
        snapshot.leave_out(entry, "it is a submodule")
    elif entry.mode == OTHER:
        snapshot.leave_out(entry, "it is not a regular file, or cannot be looked at")
    elif not _is_inside(entry.name):
        snapshot.leave_out(entry, "its name leads out of the repository")
    elif entry.name.count("/") > DEEPEST:
        snapshot.leave_out(entry, f"it is below more than {DEEPEST} folders")
    elif entry.size > LARGEST:
        snapshot.leave_out(entry, "it is too large")
    else:
        return True

    return False


def _is_inside(name: str) -> bool:
    """Tell whether a name stays inside the repository."""
    parts = name.replace("\\", "/").split("/") if os.name == "nt" else name.split("/")
    return bool(name) and not any(
        part in ("", ".", "..") or part.lower() == ".git" for part in parts
    )


def _contents(repository: Repository, entries: list[Entry]) -> Iterator[tuple[str, bytes | None]]:
    """Yield the names and contents of files, from the commit or from disk."""
    stored = [entry for entry in entries if entry.object]
    yield from zip(
        (entry.name for entry in stored),
        repository.blobs([entry.object for entry in stored]),
        strict=False,
    )
    for entry in entries:
        if not entry.object:
            yield entry.name, _on_disk(repository.top / entry.name, entry)


def _on_disk(file: Path, entry: Entry) -> bytes | None:
    """Return the content of a file on disk; None if it cannot be read."""
    with suppress(OSError):
        if entry.mode == LINK:
            return os.fsencode(file.readlink())

        with open_regular(file) as stream:
            return stream.read(LARGEST + 1)

    return None


def _through_links(
    entry: Entry, contents: dict[str, bytes | None], entries: dict[str, Entry]
) -> bytes | None:
    """Follow a link, as long as its target is a file of the same revision."""
    for _ in range(8):
        content = contents.get(entry.name)
        if entry.mode != LINK or content is None:
            return content

        target = posixpath.normpath(
            posixpath.join(posixpath.dirname(entry.name), os.fsdecode(content))
        )
        follow = entries.get(target)
        if follow is None:
            return None

        entry = follow

    return None


def _try_to_write(snapshot: Snapshot, entry: Entry, content: bytes) -> None:
    """Write a file; one whose name no file system takes, or another file has, is left out."""
    try:
        _write(snapshot.top, entry.name, content)
    except FileExistsError:
        snapshot.leave_out(entry, "another file has its name, or that of its folder")
    except (OSError, ValueError) as problem:
        snapshot.leave_out(entry, f"it cannot be written down: {_reason(problem)}")


def _reason(problem: Exception) -> str:
    """Return the reason of an error in words."""
    return getattr(problem, "strerror", None) or str(problem)


def _write(top: Path, name: str, content: bytes) -> None:
    """Write a new file of the snapshot."""
    file = top.joinpath(*name.split("/"))
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("xb") as stream:
        stream.write(content)


def _with_packages(repository: Repository, folder: Path) -> None:
    """Copy installed dbt packages into the snapshot: git does not track them."""
    for name in PACKAGES:
        installed = repository.top.joinpath(*repository.inside.parts, name)
        if installed.is_dir() and folder.is_dir() and not (folder / name).exists():
            shutil.copytree(installed, folder / name, symlinks=True, ignore_dangling_symlinks=True)

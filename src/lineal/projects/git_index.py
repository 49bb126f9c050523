"""The files that a git repository tracks, as its index lists them: they are never ignored.

    tracked = read_index("/repo", (".sql",), read)
    tracked.files        {"/repo/build/a.sql"}
    tracked.folders      {"/repo/build"}

The index is read as bytes; git is not run.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lineal.projects.ignore import Read, repository_above

SIGNATURE, VERSIONS = b"DIRC", (2, 3, 4)
HEADER, ENTRY, FLAGS_AT = 12, 62, 60
EXTENDED = 0x4000
"""The flag of an entry with two more bytes of flags."""


class Tracked(NamedTuple):
    """Absolute paths of the files in an index, and of the folders that they are in."""

    files: frozenset[str]
    folders: frozenset[str]


NOTHING = Tracked(frozenset(), frozenset())


def read_index(folder: str, endings: tuple[str, ...], read: Read) -> Tracked:
    """Return the tracked files with these endings in the repository that a folder is in."""
    top = repository_above(folder)
    if top is None:
        return NOTHING

    try:
        data = read(str(git_folder(Path(top), read) / "index"))
        files = frozenset(
            os.path.join(top, path)  # noqa: PTH118  thousands of them
            for path in paths_in(data)
            if path.lower().endswith(endings)
        )
    except (OSError, ValueError, struct.error, IndexError):
        return NOTHING

    folders: set[str] = set()
    for file in files:
        here = os.path.dirname(file)  # noqa: PTH120
        while here not in folders and len(here) > len(top):
            folders.add(here)
            here = os.path.dirname(here)  # noqa: PTH120

    return Tracked(files, frozenset(folders))


def git_folder(top: Path, read: Read) -> Path:
    """Return where git keeps the index: .git, or the folder that a .git file of a worktree names."""
    found = top / ".git"
    if found.is_dir():
        return found

    named = read(str(found)).decode("utf-8").strip().removeprefix("gitdir:").strip()
    return top / named


def paths_in(data: bytes) -> Iterator[str]:
    """Yield the path of each entry of an index."""
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != SIGNATURE or version not in VERSIONS:
        return

    at = HEADER
    before = b""
    for _ in range(count):
        (flags,) = struct.unpack_from(">H", data, at + FLAGS_AT)
        start = at + ENTRY + (2 if flags & EXTENDED else 0)
        if version == 4:
            removed, start = read_number(data, start)
            end = data.index(b"\0", start)
            before = before[: len(before) - removed] + data[start:end]
            at = end + 1
        else:
            end = data.index(b"\0", start)
            before = data[start:end]
            at += (end - at + 8) // 8 * 8

        yield os.fsdecode(before)


def read_number(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and where the next byte is."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)

    return value, at + 1

"""The files of a project: which of them have changed since somebody looked.

A file whose size, times and inode are the same has the same content, unless it was written at the
very moment when it was looked at: only states that are older than that are trusted, as git does it.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from lineal.projects.dbt import matches
from lineal.projects.dbt.stamp import content_of, deciding_files, environment_stamp, folders_of
from lineal.projects.intake import shadow_of

SETTLED = 2_000_000_000
"""Nanoseconds that a file must have been left alone before its times are trusted."""

Mark = tuple[int, int, int, int]
"""Size, time of the content, time of the entry, inode."""


class Files(NamedTuple):
    """The files that decide a lineage, with a digest of each."""

    taken: int
    """When they were looked at, in nanoseconds."""
    marks: dict[str, Mark]
    digests: dict[str, bytes]
    environment: bytes

    @property
    def stamp(self) -> str:
        """Return a digest of everything that decides the lineage."""
        made = hashlib.blake2b(self.environment, digest_size=20)
        for path, digest in self.digests.items():
            said = os.fsencode(path)
            made.update(b"%d:%s%s" % (len(said), said, digest))

        return made.hexdigest()

    def changed_since(self, before: dict[str, bytes]) -> list[str] | None:
        """Return the files with another content than before; None if there are other files."""
        if self.digests.keys() != before.keys():
            return None

        return [path for path, digest in self.digests.items() if before[path] != digest]

    def to_bytes(self) -> bytes:
        """Return the files as bytes, for the cache."""
        return marshal.dumps(tuple(self))

    @classmethod
    def from_bytes(cls, data: bytes | None) -> Files | None:
        """Return the files that such bytes describe."""
        if not data:
            return None

        return cls(*marshal.loads(data))  # noqa: S302  what we wrote ourselves, and its checksum holds


def has_files(path: str) -> bool:
    """Tell whether it is known without reading an input which files decide it: dbt projects."""
    return "://" not in path and matches(Path(path))


def look_at_files(path: str, before: Files | None = None) -> Files:
    """Return the files of a dbt project; files that have not changed since `before` are
    not read.
    """
    folder, project = folders_of(Path(path))
    return look_at(deciding_files(project or folder), before)


def look_at(files: Iterable[str], before: Files | None = None) -> Files:
    """Return these files; those that have not changed since `before` are not read."""
    taken = time.time_ns()
    marks: dict[str, Mark] = {}
    digests: dict[str, bytes] = {}
    for file in files:
        mark = marks[file] = _mark(file)
        if before is not None and _is_settled(mark, before.marks.get(file), before.taken):
            digests[file] = before.digests[file]
        else:
            digests[file] = hashlib.blake2b(content_of(file), digest_size=16).digest()

    return Files(taken, marks, digests, environment_stamp())


def one_version(name: str) -> Files:
    """Return one entry for all files of a revision, which never change."""
    return Files(0, {}, {"": name.encode()}, environment_stamp())


def _mark(file: str) -> Mark:
    """Return size, times and inode of a file, which tell whether it has changed."""
    try:
        found = os.stat(shadow_of(file))  # noqa: PTH116  thousands of them
    except OSError:
        return (-1, 0, 0, 0)

    return (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _is_settled(mark: Mark, before: Mark | None, taken: int) -> bool:
    """Tell whether a file is certainly what it was when it was looked at before."""
    if mark != before or mark[0] < 0:
        return False

    return max(mark[1], mark[2]) < taken - SETTLED

"""One digest of all files below some paths: it differs as soon as a file has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from lineal.model.folders import walk_folders


def version_of(paths: Sequence[str]) -> str:
    """Return a digest of names, sizes and times of all files."""
    made = hashlib.blake2b(digest_size=12)
    for path in paths:
        for name, size, changed in sorted(_files(path)):
            made.update(f"{name}\0{size}\0{changed}\n".encode("utf-8", "surrogateescape"))

    return made.hexdigest()


def _files(path: str) -> Iterator[tuple[str, int, int]]:
    """Hidden folders, in which tools keep what they make, do not count."""
    where = Path(path)
    if "://" in path:
        return

    if not where.is_dir():
        yield from _stat(where)
        return

    for folder, folders, names in walk_folders(where):
        folders[:] = [
            name for name in folders if not name.startswith(".") and name != "node_modules"
        ]
        for name in names:
            yield from _stat(Path(folder, name))


def _stat(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield name, size and time of a file that is there."""
    try:
        found = path.stat()
    except OSError:
        return

    yield str(path), found.st_size, found.st_mtime_ns

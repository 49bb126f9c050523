"""A lineage that follows its files: read again when one of them has changed."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lineal.graph.graph import Graph

PAUSE = 0.5
"""Seconds between two looks at the files."""
Read = Callable[[], tuple[Graph, Mapping[str, Any]]]


class Live:
    """What `read` gave the last time that the files had changed. A reading that fails leaves what
    was there.
    """

    def __init__(self, paths: Sequence[str], read: Read) -> None:
        self.paths = paths
        self.read = read
        self.problem = ""
        self._lock = threading.Lock()
        self._looked = time.monotonic()
        self._version = _version(paths)
        self._graph, self._data = read()

    def current(self) -> tuple[Graph, Mapping[str, Any], str]:
        """Return graph, data and version; read the files again if they changed."""
        with self._lock:
            if time.monotonic() - self._looked > PAUSE:
                self._look()
            return self._graph, self._data, self._version

    def _look(self) -> None:
        """Read the files if their version is a new one."""
        version = _version(self.paths)
        if version != self._version:
            try:
                self._graph, self._data = self.read()
                self.problem = ""
            except Exception as problem:  # a file that is half written now is whole the next time
                self.problem = f"{type(problem).__name__}: {problem}"
            self._version = version
        self._looked = time.monotonic()


def _version(paths: Sequence[str]) -> str:
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
    for folder, folders, names in os.walk(where):
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

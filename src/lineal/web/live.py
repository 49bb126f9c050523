"""A lineage that follows its files: read again when one of them has changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lineal.graph.graph import Graph
from lineal.service.file_versions import version_of

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
        self._version = version_of(paths)
        self._graph, self._data = read()

    def current(self) -> tuple[Graph, Mapping[str, Any], str]:
        """Return graph, data and version; read the files again if they changed."""
        with self._lock:
            if time.monotonic() - self._looked > PAUSE:
                self._look()
            return self._graph, self._data, self._version

    def _look(self) -> None:
        """Read the files if their version is a new one."""
        version = version_of(self.paths)
        if version != self._version:
            try:
                self._graph, self._data = self.read()
                self.problem = ""
            except Exception as problem:  # a file that is half written now is whole the next time
                self.problem = f"{type(problem).__name__}: {problem}"
            self._version = version
        self._looked = time.monotonic()

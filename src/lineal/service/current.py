"""The graph of a project as its files are now: read again when one of them has changed."""

from __future__ import annotations

import time
from collections.abc import Callable

from lineal.graph.graph import Graph
from lineal.service.file_versions import version_of
from lineal.service.project import Project

PAUSE = 0.5
"""Seconds between two looks at the files."""


class CurrentGraph:
    """What `read` gave the last time that the files had changed. A reading that fails leaves what
    was there.
    """

    def __init__(self, project: Project, read: Callable[[Project], Graph]) -> None:
        self.project = project
        self.read = read
        self.problem = ""
        self._paths = project.source.paths
        self._version = version_of(self._paths)
        self._looked = time.monotonic()
        self._graph = read(project)

    def __call__(self) -> Graph:
        """Return the graph; read the files again if they have changed."""
        if time.monotonic() - self._looked > PAUSE:
            self._look()
        return self._graph

    def _look(self) -> None:
        version = version_of(self._paths)
        if version != self._version:
            self._version = version
            self._read_again()
        self._looked = time.monotonic()

    def _read_again(self) -> None:
        try:
            self.project.update()
            self._graph = self.read(self.project)
            self.problem = ""
        except Exception as problem:  # a file that is half written now is whole the next time
            self.problem = f"{type(problem).__name__}: {problem}"

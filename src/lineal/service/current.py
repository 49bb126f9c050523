"""The corpus of some files as they are now: read again when one of them has changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from lineal.model.boundary import describe_error
from lineal.service.file_versions import version_of

PAUSE = 0.5
"""Seconds between two looks at the files."""

Found = TypeVar("Found")


class Current(Generic[Found]):
    """The value that `read` returned when the files last changed.

    If reading them again fails, the former result stays, and `problem` says why: whoever answers
    from it has to tell.
    """

    def __init__(self, paths: Sequence[str], read: Callable[[], Found]) -> None:
        self.paths = paths
        self.read = read
        self.problem = ""
        self.version = version_of(paths)
        self._lock = threading.Lock()
        self._looked = time.monotonic()
        self._found = read()

    def __call__(self) -> Found:
        """Return the result; read the files again if they have changed."""
        with self._lock:
            if time.monotonic() - self._looked > PAUSE:
                self._look()

            return self._found

    def _look(self) -> None:
        """Read the files if their version is a new one."""
        version = version_of(self.paths)
        if version != self.version:
            self.version = version
            try:
                self._found = self.read()
                self.problem = ""
            except Exception as problem:  # a file that is half written now is whole the next time
                self.problem = describe_error(problem)

        self._looked = time.monotonic()

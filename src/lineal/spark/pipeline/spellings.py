"""How the tables and columns of a log are spelled: on disk, since a log has many of them."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import numpy as np

from lineal.spark.pipeline.blobs import Unnamed

BUCKETS = 32
FULL = 30_000
"""Numbers that are held before they go to the disk."""


class Spellings:
    """Spellings of names, in buckets by the names."""

    def __init__(self, folder: Path) -> None:
        self.files = [Unnamed(folder) for _ in range(BUCKETS)]
        self.held = array("q")

    def add(self, rows: Any) -> None:
        """Add names, each with its spelling and its word."""
        self.held.frombytes(rows.tobytes())
        if len(self.held) >= FULL:
            self.spread()

    def spread(self) -> None:
        """Write the held spellings into the buckets."""
        rows = np.frombuffer(self.held, np.int64).reshape(-1, 3)
        bucket = rows[:, 0] % BUCKETS
        for number, file in enumerate(self.files):
            file.append(rows[bucket == number].tobytes())

        self.held = array("q")

    def irregular(self) -> Any:
        """Return the words of the names that have several spellings; then nothing is left."""
        self.spread()
        found = [np.zeros(0, np.int64)]
        for file in self.files:
            rows = np.frombuffer(file.read(0, file.end), np.int64).reshape(-1, 3)
            file.close()
            rows = rows[np.argsort(rows[:, 0], kind="stable")]
            starts = np.flatnonzero(np.diff(rows[:, 0], prepend=rows[:1, 0] - 1))
            usual = np.repeat(rows[starts, 1], np.diff(starts, append=len(rows)))
            found.append(np.unique(rows[rows[:, 1] != usual, 2]))

        return np.unique(np.concatenate(found))

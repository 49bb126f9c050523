"""The state of a warehouse: its tables, the inputs from which each was built, and the run at work
on it.

`state.json` is written to a temporary file and renamed, so that a kill leaves the former state or
the new one. It is the only truth about the tables: a folder that it does not name is the rest of a
killed run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from lineal.spark.lock import LockHeld, hold_file

STATE, LOCK = "state.json", "lock"
FORMAT = 1


class WarehouseError(Exception):
    """The warehouse cannot be used: one line that says why."""


@dataclass(frozen=True)
class Entry:
    """A table, view or seed that was built."""

    name: str
    kind: str
    version: str
    made_of: str
    """The fingerprint of its inputs."""
    passed: bool = False
    """Whether its tests passed: what did not pass is built again."""
    rows: int | None = None
    sql: str = ""
    """A view's query."""
    schema: str = ""
    files: dict[str, int] = field(default_factory=dict)
    """A table's files and their sizes: one that is missing or cut off is seen without reading it.
    """
    memory: dict[str, Any] = field(default_factory=dict)
    """The results of the tests and the comparison, to be shown again."""


class State:
    """The entries by key, kept on disk."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / STATE
        self.entries: dict[str, Entry] = {}
        self.unreadable = False
        self._lock = Lock()

    def read(self) -> None:
        """Read the state of the warehouse; a damaged one is marked unreadable."""
        try:
            data = json.loads(self.file.read_text(encoding="utf-8"))
            if data["format"] == FORMAT:
                self.entries = {key: Entry(**entry) for key, entry in data["entries"].items()}
        except FileNotFoundError:
            pass
        except (ValueError, TypeError, KeyError, AttributeError):
            self.unreadable = True

    def put(self, key: str, entry: Entry) -> None:
        """Save an entry."""
        with self._lock:
            self.entries[key] = entry
            self._write()

    def drop(self, *keys: str) -> None:
        """Remove entries."""
        with self._lock:
            for key in keys:
                self.entries.pop(key, None)

            self._write()

    def _write(self) -> None:
        """Write the state to its file."""
        data = {
            "format": FORMAT,
            "entries": {key: asdict(entry) for key, entry in self.entries.items()},
        }
        replace_file(self.file, json.dumps(data, indent=1).encode())


def replace_file(path: Path, content: bytes) -> None:
    """The old content or the new one, whatever happens in between."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with fresh.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())

    fresh.replace(path)


@contextmanager
def lock_warehouse(folder: Path) -> Iterator[None]:
    """One run at a time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / LOCK).touch()
    except OSError as problem:
        reason = problem.strerror or problem
        raise WarehouseError(
            f"cannot write to the warehouse {folder}: {reason}. Name another folder with --warehouse"
        ) from None

    with ExitStack() as stack:
        try:
            stack.enter_context(hold_file(folder / LOCK))
        except LockHeld as other:
            raise WarehouseError(
                f"another run is at work on {folder}{other}: wait for it, or use --warehouse"
            ) from None

        yield

"""Temporary folders that go with the process that made them, also if it is killed.

A shell waits for the end of its input, which the system closes when the process ends.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHELL = "/bin/sh"
REMOVE = 'cat >/dev/null; for s in 0 1 5; do [ -e "$1" ] || exit 0; sleep $s; rm -rf -- "$1"; done'
"""More than once: a process that is just ending may still write a file."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder, and remove it at the end of the block or of this process."""
    folder = Path(tempfile.mkdtemp(prefix="lineal-"))
    remover = _remover(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if remover is not None:
            remover.communicate()


def _remover(folder: Path) -> subprocess.Popen[bytes] | None:
    """Start the process that removes the folder when this one ends."""
    if os.name != "posix":
        return None

    return subprocess.Popen(  # noqa: S603  our own words
        [SHELL, "-c", REMOVE, SHELL, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )

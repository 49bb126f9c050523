"""Files that people keep: written as a whole, or not at all."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """The file is there as a whole or, after a failure, as it was; it keeps its rights, and a link
    stays a link.
    """
    where = path.resolve()
    # /dev/stdout, a pipe: there is nothing to keep, and no name to take
    if where.exists() and not where.is_file():
        where.write_bytes(data)
        return

    unfinished = where.with_name(f".{where.name}.{os.urandom(4).hex()}")
    try:
        unfinished.write_bytes(data)
        if where.exists():
            shutil.copymode(where, unfinished)

        unfinished.replace(where)
    except BaseException:  # a signal, too
        with suppress(OSError):
            unfinished.unlink()

        raise

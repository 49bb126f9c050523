"""A file that one process holds: the system frees it when the process is gone, however it went."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


class LockHeld(Exception):
    """Somebody else holds the file; the message says who, as ` (process 17 on host)`, if it is
    known.
    """


@contextmanager
def hold_file(file: Path) -> Iterator[None]:
    """Hold the file until the end of the block; raise Held if another process has it."""
    with file.open("a+b") as stream:
        if not _try_lock(stream):
            raise LockHeld(_holder(stream))

        _sign(stream, f"process {os.getpid()} on {socket.gethostname()}")
        try:
            yield
        finally:
            _sign(stream, "")


def _try_lock(stream: BinaryIO) -> bool:
    """Lock the file, and tell whether it is ours; a file system without locks has no contention."""
    from filelock import lock_descriptor  # executors import this module, and lock nothing

    try:
        return bool(lock_descriptor(stream.fileno(), blocking=False))
    except OSError:
        return True


def _sign(stream: BinaryIO, signature: str) -> None:
    """Write who holds the file."""
    with suppress(OSError):
        stream.truncate(0)
        stream.write(signature.encode())
        stream.flush()


def _holder(stream: BinaryIO) -> str:
    """Return who holds the file, as ` (process 17 on host)`, or nothing."""
    with suppress(OSError):
        stream.seek(0)
        signature = stream.read(200).decode(errors="replace").strip()
        if signature:
            return f" ({signature})"

    return ""

"""A file that one process holds: the system frees it when the process is gone, however it went."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


class Held(Exception):
    """Somebody else holds the file; the message says who, as ` (process 17 on host)`, if it is
    known.
    """


@contextmanager
def held(file: Path) -> Iterator[None]:
    """Ours until the end; Held if it is another's."""
    with file.open("a+b") as stream:
        if not _taken(stream):
            raise Held(_holder(stream))
        _sign(stream, f"process {os.getpid()} on {socket.gethostname()}")
        try:
            yield
        finally:
            _sign(stream, "")


def _taken(stream: BinaryIO) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _sign(stream: BinaryIO, said: str) -> None:
    with suppress(OSError):
        stream.truncate(0)
        stream.write(said.encode())
        stream.flush()


def _holder(stream: BinaryIO) -> str:
    with suppress(OSError):
        stream.seek(0)
        said = stream.read(200).decode(errors="replace").strip()
        return f" ({said})" if said else ""
    return ""

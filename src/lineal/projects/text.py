"""Text from files: UTF-8, with or without a byte order mark; what cannot be read is reported and
left out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lineal.model.diagnostic import Code, Diagnostic, Place

Report = Callable[[Diagnostic], None]
"""Where a reader puts what it could not read: usually a list's `append`."""


def start_of(path: Path) -> Place:
    """Where a file begins."""
    return Place(str(path), 1, 1)


def read_text(path: Path, report: Report) -> str | None:
    """The text of a file, or None and a diagnostic."""
    data = read_bytes(path, report)
    return None if data is None else decoded(data, str(path), report)


def read_bytes(path: Path, report: Report, most: int = -1) -> bytes | None:
    """The first `most` bytes of a file (all of them by default), or None and a diagnostic."""
    try:
        with path.open("rb") as stream:
            return stream.read(most)
    except OSError as error:
        report(unreadable(str(path), error))
        return None


def decoded(data: bytes, file: str, report: Report) -> str | None:
    """Bytes as text; the place of a diagnostic is the first byte that is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        report(not_utf8(file, error.object, error.start))
        return None


def unreadable(file: str, error: Exception) -> Diagnostic:
    return Diagnostic(
        Code.UNREADABLE,
        f"cannot read {file}: {getattr(error, 'strerror', None) or error}",
        Place(file, 1, 1),
    )


def not_utf8(file: str, data: bytes, offset: int) -> Diagnostic:
    line = data.count(b"\n", 0, offset) + 1
    column = offset - data.rfind(b"\n", 0, offset)
    return Diagnostic(
        Code.NOT_UTF8, f"{file} is not UTF-8: byte 0x{data[offset]:02x}", Place(file, line, column)
    )

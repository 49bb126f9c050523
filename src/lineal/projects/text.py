"""Text from files: the byte order mark says the encoding, else `--encoding` does, else it is UTF-8.

Text that is not UTF-8 is taken for Latin-1, with a diagnostic. A file that is not text is left out.
"""

from __future__ import annotations

import codecs
from pathlib import Path

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.ledger import Reason
from lineal.model.sequences import first_of_each
from lineal.projects.intake import (
    Refused,
    Report,
    current,
    leave_out,
    open_input,
    read_bytes,
    unreadable_file,
)

__all__ = [
    "Report",
    "decode",
    "encoding_of",
    "is_marked_text",
    "not_utf8",
    "peek_text",
    "read_text",
    "start_of",
    "start_of_text",
    "unreadable_file",
]

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""How a text begins that says its encoding; UTF-32 before UTF-16, whose mark it begins with."""

GLANCE = 8192
"""A file with a NUL among so many bytes is not text, as git sees it."""

OBJECT = b'{"'
"""How a file of JSON objects begins; no UTF-16 and no binary format does."""


def start_of(path: Path) -> Place:
    """Return the place where a file begins."""
    return Place(str(path), 1, 1)


def read_text(path: Path, report: Report, *, asked: bool = False) -> str | None:
    """Return the text of a file; None and a diagnostic if it cannot be read or is not text.

    A file that the caller has `asked` for by its name may be anywhere, and is not counted.
    """
    data = read_bytes(path, report, asked=asked)
    if data is None:
        return None

    return text_of(data, path, report, asked)


def text_of(data: bytes, path: Path, report: Report, asked: bool = False) -> str | None:
    """Return the bytes of a file as text; None and a diagnostic if they are none."""
    try:
        return decode(data, str(path), report)
    except Refused as refused:
        leave_out(path, refused, report, asked)
        return None


def peek_text(path: Path, *, asked: bool = False) -> str:
    """Return the text of a file to look at, '' if there is none. It is not counted."""
    try:
        with open_input(path, asked) as stream:
            data = stream.read(current().rules.largest)

        return decode(data, str(path), lambda _: None)
    except (OSError, ValueError):
        return ""


def encoding_of(head: bytes) -> str | None:
    """Return the encoding that a byte order mark or the rules say; None if nobody does."""
    marked = next((name for mark, name in MARKS if head.startswith(mark)), None)
    return marked or current().rules.encoding


def is_marked_text(head: bytes) -> bool:
    """Tell whether a text begins with a byte order mark."""
    return head.startswith(tuple(first_of_each(MARKS)))


def decode(data: bytes, file: str, report: Report) -> str:
    """Return bytes as text; `Refused` if they are not text, or not in the encoding that is said."""
    encoding = encoding_of(data)
    if encoding is None:
        return decode_unmarked(data, file, report)

    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError) as error:
        raise Refused(Reason.ENCODING, f"it is not {encoding}: {problem_of(error)}") from None


def decode_unmarked(data: bytes, file: str, report: Report) -> str:
    """Return bytes as UTF-8, else as Latin-1 with a diagnostic at the first other byte.

    Bytes with a NUL are not text. A NUL in a file of JSON objects costs its object only.
    """
    if b"\0" in data[:GLANCE] and not data.startswith(OBJECT):
        raise Refused(Reason.NOT_TEXT, "it is not text")

    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        report(not_utf8(file, error.object, error.start))
        return data.decode("latin-1")


def start_of_text(data: bytes, path: Path, report: Report, is_whole: bool) -> str | None:
    """Return the beginning of a file as text; a letter that is cut in two at its end is left out."""
    decoder = codecs.getincrementaldecoder(encoding_of(data) or "utf-8")()
    try:
        text = decoder.decode(data, final=is_whole)
    except UnicodeError:
        return text_of(data, path, report)

    if "\0" not in text[:GLANCE]:
        return text

    return text_of(data, path, report)


def problem_of(error: Exception) -> str:
    """Return in a few words why bytes of a known encoding cannot be decoded."""
    if isinstance(error, UnicodeDecodeError):
        return f"{error.reason} at byte {error.start}"

    if isinstance(error, UnicodeError):
        return "its bytes cannot be decoded"

    return "there is no encoding of this name"


def not_utf8(file: str, data: bytes, offset: int) -> Diagnostic:
    """Return the diagnostic of a text that is read as Latin-1, at its first byte that is not UTF-8."""
    line = data.count(b"\n", 0, offset) + 1
    column = offset - data.rfind(b"\n", 0, offset)
    message = (
        f"{file or 'the text'} is not UTF-8 (byte 0x{data[offset]:02x}): it is read as Latin-1"
    )
    return Diagnostic(Code.NOT_UTF8, message, Place(file, line, column))

"""The rows of a log file, one at a time: a file may be longer than memory, and any line of it may
be broken.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import os
import re
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase, BufferedReader, RawIOBase, TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import IO, Any, TextIO

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects.intake import current, open_input, peek_bytes, too_large
from lineal.projects.logs import json_text, postgres
from lineal.projects.logs.entry import Row, left_out
from lineal.projects.text import Report, encoding_of, is_marked_text

LONGEST_FIELD = 100_000_000
BLOCK = 1 << 16
MOST_TIMES = 200
"""How many times its size a compressed log may unpack to, if that is more than the limit."""
BROKEN = re.compile("[\ud800-\udfff]")
"""The replacement of bytes that are not UTF-8."""

PACKERS: dict[bytes, Any] = {b"\x1f\x8b": gzip, b"BZh": bz2}
"""How a packed file begins, whatever it is called."""
TORN = (OSError, EOFError, zlib.error)
"""A file that cannot be read, or only up to a place."""


def rows(file: Path, report: Report) -> Iterator[Row]:
    """The rows of a file, whichever way it is written."""
    said = head(file)
    if said.lstrip().startswith(("{", "[")):
        with open_log(file, "\n") as lines:
            yield from json_rows(str(file), lines, report, is_by_line(file))
    else:
        with open_log(file) as lines:
            yield from csv_rows(str(file), lines, report)


def head(file: Path) -> str:
    """How a file begins."""
    with decompress(file) as stream:
        data = stream.read(65_536)

    return data.decode(_encoding(data), "ignore")


def is_marked(file: Path) -> bool:
    """Tell whether a file begins with a mark of its encoding."""
    with decompress(file) as stream:
        return is_marked_text(stream.read(4))


def is_packed(file: Path) -> bool:
    """Tell whether a file is compressed, whatever it is called."""
    return _packer(peek_bytes(file, 3)) is not None


def is_by_line(file: Path) -> bool:
    """Whether a file of JSON has an object a line: the first two lines tell, however long they are."""
    with open_log(file, "\n") as lines:
        several = (line for line in lines if line.strip() not in ("", "["))
        return json_text.is_by_line(list(islice(several, 2)))


def open_log(file: Path, newline: str = "") -> TextIO:
    """The text of a file; bytes that are none are marked."""
    with decompress(file) as stream:
        encoding = _encoding(stream.read(4))

    errors = "surrogateescape" if encoding == "utf-8-sig" else "replace"
    return TextIOWrapper(decompress(file), encoding, errors, newline)


def decompress(file: Path) -> BufferedReader:
    """Open the bytes of a file, also of log.csv.gz; what it unpacks to has a limit."""
    stream = open_input(file)
    packer = _packer(stream.read(3))
    stream.seek(0)
    largest = current().rules.largest
    if packer is None:
        return BufferedReader(Limited(stream, stream, None, largest), BLOCK)

    most = max(largest, MOST_TIMES * os.fstat(stream.fileno()).st_size)
    return BufferedReader(Limited(packer.open(stream), stream, most, largest), BLOCK)


class Limited(RawIOBase):
    """The bytes of a log, up to a number of them; a single line has a limit, too."""

    def __init__(
        self, source: BufferedIOBase, file: IO[bytes], most: int | None, longest_line: int
    ) -> None:
        self.source = source
        self.file = file
        self.left = most
        self.longest_line = longest_line
        self.in_line = 0

    def readable(self) -> bool:
        """Say that these bytes can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; `Refused` if the file or its line is longer than may be read."""
        data = self.source.read1(len(buffer))  # what a torn file still has comes before its error
        buffer[: len(data)] = data
        if self.left is not None:
            self.left -= len(data)

        last = data.rfind(b"\n")
        self.in_line = len(data) - 1 - last + self.in_line * (last < 0)
        if self.in_line > self.longest_line or (self.left is not None and self.left < 0):
            raise too_large(self.longest_line)

        return len(data)

    def close(self) -> None:
        """Close the file."""
        self.source.close()
        self.file.close()
        super().close()


def _packer(head: bytes) -> Any:
    """Return the module that unpacks a file with this beginning."""
    return next((packer for mark, packer in PACKERS.items() if head.startswith(mark)), None)


def _encoding(head: bytes) -> str:
    """Return the encoding that the beginning of a file shows."""
    return encoding_of(head) or "utf-8-sig"


NAME_ENCODING = "Name the encoding with --encoding, or save the file as UTF-8."


def not_utf8(report: Report, file: str, line: int, broken: re.Match[str]) -> None:
    """Report a row that is left out since it is not UTF-8."""
    message = f"the row is not UTF-8: byte 0x{ord(broken[0]) & 0xFF:02x}"
    report(Diagnostic(Code.LOG_ROW, message, Place(file, line, 1), NAME_ENCODING))


def is_about_encoding(diagnostic: Diagnostic) -> bool:
    """Tell whether a row was left out since it is not UTF-8."""
    return diagnostic.code is Code.LOG_ROW and diagnostic.hint == NAME_ENCODING


# -- JSON ------------------------------------------------------------------------------------------


def json_rows(
    file: str, lines: Iterator[str], report: Report, by_line: bool = True
) -> Iterator[Row]:
    """An object a line, or over many; an array of them is read as well."""
    what = "line" if by_line else "text"
    for number, text in enumerate(lines, 1) if by_line else json_text.objects(lines):
        said = text.strip().rstrip(",")
        if not said or said in "[]":
            continue

        broken = BROKEN.search(said)
        if broken:
            not_utf8(report, file, number, broken)
            continue

        try:
            value = json.loads(said)
        except (ValueError, RecursionError) as error:
            why = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
            left_out(report, file, number, f"the {what} is not valid JSON: {why}")
            continue

        if isinstance(value, dict):
            yield Row(file, number, value, one_line=True)
        else:
            left_out(report, file, number, f"the {what} is no JSON object")


# -- CSV -------------------------------------------------------------------------------------------


def csv_rows(
    file: str, lines: Iterator[str], report: Report, names: list[str] | None = None
) -> Iterator[Row]:
    """A header with the names of the columns, then the rows; PostgreSQL's csvlog has no header, and
    who knows the
    names says so."""
    with long_fields():
        found = records(file, lines, report)
        first = next(found, None)
        if first is None:
            return

        fixed = names or postgres.header(first[1])
        header = fixed or [name.strip() for name in first[1]]
        if fixed:
            yield from fill_row(file, *first, fixed, report)

        for line, fields in found:
            yield from fill_row(file, line, fields, header, report)


def fill_row(
    file: str, line: int, fields: list[str], header: list[str], report: Report
) -> Iterator[Row]:
    """Yield a row of a CSV log, unless its fields do not fit the header."""
    if len(fields) != len(header):
        left_out(
            report,
            file,
            line,
            f"the row has {len(fields)} fields, and {len(header)} columns are named",
        )
        return

    broken = None if all(map(str.isascii, fields)) else BROKEN.search("".join(fields))
    if broken:
        not_utf8(report, file, line, broken)
        return

    yield Row(file, line, dict(zip(header, fields, strict=True)), one_line=False)


def records(file: str, lines: Iterator[str], report: Report) -> Iterator[tuple[int, list[str]]]:
    """The records with the lines that they start on. A quote that is never closed costs its own
    line only.
    """
    feed = Feed(lines)
    delimiter = feed.delimiter()
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    while True:
        feed.taken.clear()
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            left_out(report, file, feed.taken[0][0], f"the row is not valid CSV: {error}")
            feed.give_back()
            reader = csv.reader(feed, delimiter=delimiter, strict=True)
        else:
            if fields and feed.taken:
                yield feed.taken[0][0], fields


class Feed:
    """Lines with their numbers, which can be given back."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.lines = enumerate(lines, 1)
        self.again: deque[tuple[int, str]] = deque()
        self.taken: list[tuple[int, str]] = []

    def __iter__(self) -> Feed:
        return self

    def __next__(self) -> str:
        found = self.again.popleft() if self.again else next(self.lines)
        self.taken.append(found)
        return found[1]

    def give_back(self) -> None:
        """All but the first line of a record that turned out to be none."""
        self.again.extendleft(reversed(self.taken[1:]))

    def delimiter(self) -> str:
        """The one that the first line has most of."""
        try:
            first = next(self)
        except StopIteration:
            return ","

        self.again.appendleft(self.taken.pop())
        return max(",;\t|", key=first.count)


@contextmanager
def long_fields() -> Iterator[None]:
    """A statement may be longer than the csv module likes."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)

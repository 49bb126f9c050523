"""Seeds: the header of a CSV file, and whether its rows are the same."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

from lineal.model import names
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.projects.intake import current, open_regular, read_bytes, walk
from lineal.projects.text import Report, start_of_text

HEADER_BYTES = 1 << 20
"""Only the beginning of a seed is read: its header is there, and its rows do not matter."""


def read_header(path: Path, delimiter: str, report: Report) -> list[ColumnInfo]:
    """The columns of a CSV file, without types; none and a diagnostic if there is no header to
    read.
    """
    data = read_bytes(path, report, HEADER_BYTES)
    if data is None:
        return []

    text = start_of_text(data, path, report, len(data) < HEADER_BYTES)
    if text is None:
        return []

    try:
        rows = csv.reader(
            text.splitlines(keepends=True), delimiter=delimiter, skipinitialspace=True, strict=True
        )
        header = next((row for row in rows if any(cell.strip() for cell in row)), [])
    except csv.Error as error:
        current().mark_invalid(str(path))
        report(_seed_error(path, str(error)))
        return []

    return _columns(path, [name.strip() for name in header], report)


def with_header(info: DatasetInfo, header: list[ColumnInfo]) -> DatasetInfo:
    """A seed that declares no columns has those of its header.

    One that does is complete only if it lists them all: a column that is in the file can be
    selected.
    """
    columns = info.columns or header
    listed = {names.insensitive(column.name, False) for column in columns}
    complete = bool(columns) and all(
        names.insensitive(column.name, False) in listed for column in header
    )
    made = DatasetInfo(info.dataset, info.kind, columns, complete, info.description, info.place)
    made.terminal = info.terminal
    return made


def _columns(path: Path, header: list[str], report: Report) -> list[ColumnInfo]:
    """Return the columns of a CSV header; missing and repeated names are reported."""
    columns: dict[str, ColumnInfo] = {}
    for name in header:
        key = names.insensitive(name, False)
        if not name or key in columns:
            report(
                _seed_error(
                    path, f"the column '{name}' appears twice" if name else "a column has no name"
                )
            )
        elif name:
            columns[key] = ColumnInfo(name, place=Place(str(path), 1, 1))

    if not header:
        report(_seed_error(path, "there is no header line"))

    return list(columns.values())


def _seed_error(path: Path, problem: str) -> Diagnostic:
    """Return the diagnostic of a seed."""
    return Diagnostic(Code.SEED_ERROR, f"{path}: {problem}", Place(str(path), 1, 1))


def seed_digests(folder: Path) -> dict[str, list[str]]:
    """Return the digests of the CSV files below a folder, by the name of the seed: a file that is
    moved has the rows it had. Files that cannot be read have an empty digest.
    """
    found: dict[str, list[str]] = {}
    for where, files in walk(folder, ignore):
        for name in files:
            path = Path(where, name)
            if path.suffix.lower() == ".csv":
                found.setdefault(path.stem.lower(), []).append(_digest(path))

    return {stem: sorted(digests) for stem, digests in found.items()}


def ignore(found: Diagnostic) -> None:
    """Forget a diagnostic: the reader of the seeds reports it."""


def _digest(path: Path) -> str:
    """Return the digest of a file; '' if it cannot be read."""
    try:
        with open_regular(path) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""

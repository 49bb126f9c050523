"""The contents of a folder, for `lineal projects`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from lineal.model.diagnostic import Diagnostic
from lineal.views.safe import json_safe
from lineal.views.terminal import Grid, Page, line


class Listed(Protocol):
    """One part of a folder."""

    @property
    def kind(self) -> str:
        """The kind of project."""

    @property
    def folder(self) -> str:
        """The folder of the project."""

    @property
    def files(self) -> int:
        """The number of its files."""

    @property
    def is_read(self) -> bool:
        """Tell whether lineal reads it."""

    @property
    def left_out(self) -> int:
        """The number of files that are left out."""

    @property
    def dialect(self) -> str:
        """The dialect of its SQL."""


HEADER = ("kind", "files", "not read", "dialect", "folder")


def page(parts: Sequence[Listed]) -> Page:
    """A row for each part: those that are read, then those that are not."""
    if not parts:
        return [line("nothing to read")]

    rows = list(map(row_of, sorted(parts, key=lambda part: not part.is_read)))
    return [Grid(HEADER, rows, numbers=(1, 2), paths=True)]


def row_of(part: Listed) -> tuple[str, ...]:
    """Return the cells of a part."""
    read = part.files if part.is_read else 0
    missed = part.left_out if part.is_read else part.files
    return part.kind, f"{read:,}", f"{missed:,}" if missed else "", part.dialect, part.folder


def document(parts: Sequence[Listed], diagnostics: Sequence[Diagnostic]) -> str:
    """The same as JSON."""
    found = {
        "parts": [
            {
                "kind": part.kind,
                "path": part.folder,
                "files": part.files,
                "read": part.is_read,
                "outside_paths": part.left_out,
                "dialect": part.dialect or None,
            }
            for part in parts
        ],
        "diagnostics": [
            {
                "code": found.code.code,
                "severity": found.severity.label,
                "message": found.message,
                "file": found.place.file if found.place is not None else None,
            }
            for found in diagnostics
        ],
    }
    return json_safe(json.dumps(found, indent=2, ensure_ascii=False)) + "\n"

"""Deletions in a text, and files before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import unified_diff
from typing import NamedTuple


class Refused(Exception):
    """Why something cannot be removed; the reason fits behind its name and a colon."""


class Cut(NamedTuple):
    """A part of a text that goes: text[start:end]."""

    start: int
    end: int


class FileEdit(NamedTuple):
    """A file before and after; None: the file is deleted."""

    file: str
    before: str
    after: str | None


def cut_text(text: str, cuts: Iterable[Cut]) -> str:
    """Return a text without some of its parts, which may overlap."""
    parts: list[str] = []
    done = 0
    for cut in sorted(cuts):
        if cut.start > done:
            parts.append(text[done : cut.start])

        done = max(done, cut.end)

    return "".join([*parts, text[done:]])


def line_start(text: str, offset: int) -> int:
    """Return where the line of an offset begins."""
    return text.rfind("\n", 0, offset) + 1


def line_end(text: str, offset: int) -> int:
    """Return where the line of an offset ends, behind its line break."""
    found = text.find("\n", offset)
    return len(text) if found < 0 else found + 1


def patch_of(edit: FileEdit) -> Iterator[str]:
    """Yield the lines of a unified diff that `git apply` and `patch -p1` take."""
    name = edit.file.lstrip("/")
    after, target = edit.after or "", f"b/{name}"
    if edit.after is None:
        target = "/dev/null"

    before_lines = edit.before.splitlines(keepends=True)
    for line in unified_diff(before_lines, after.splitlines(keepends=True), f"a/{name}", target):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

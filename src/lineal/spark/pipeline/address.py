"""Where logs and outputs are: on this machine, or where Hadoop's FileSystem reaches.

history/  file:///data/history      here
s3a://bucket/history  hdfs:///logs  elsewhere
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from glob import iglob
from itertools import chain
from pathlib import Path

from lineal.spark.pipeline.errors import BulkError

SCHEME = re.compile(r"([a-z][a-z0-9+.-]+):/", re.IGNORECASE)
"""Of two letters at least: a drive of Windows is none."""

PATTERN = re.compile(r"([\\*?\[\]{}])")


def local(where: str | Path) -> Path | None:
    """Return the path of an address on this machine, None for any other address."""
    text = str(where)
    found = SCHEME.match(text) if isinstance(where, str) else None
    if found is None:
        return Path(where)

    if found[1].lower() != "file":
        return None

    path = text[len("file:") :]
    if path.startswith("//"):
        path = path[2:].removeprefix("localhost")
        if not path.startswith("/"):
            raise BulkError(f"{text} names a machine: write file:/// and the whole path")

    return Path(path)


def expand_patterns(paths: Iterable[str]) -> tuple[str, ...]:
    """history/*.csv, {may,june}/**/*.json

    what is here under such names, in order; else the names themselves
    """
    return tuple(chain.from_iterable(map(_files_at, paths)))


def _files_at(path: str) -> list[str]:
    """Return the files that a path or pattern names; raise BulkError if there are none."""
    where = local(path)
    if where is None or _is_there(where):
        return [path]

    if not PATTERN.search(path):
        raise BulkError(f"no such file or folder: {path}")

    spelt = _spellings(str(where))
    found = sorted({name for each in spelt for name in iglob(each, recursive=True)})  # noqa: PTH207  a whole pattern
    if not found:
        raise BulkError(f"no file or folder is called like {path}")

    return found


def _is_there(where: Path) -> bool:
    """Tell whether a path exists."""
    try:
        return str(where) != "" and os.path.lexists(where) and where.exists()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


def _spellings(pattern: str) -> Iterator[str]:
    """{may,june}.csv      may.csv and june.csv"""
    found = re.search(r"\{([^{}]*)\}", pattern)
    if found is None:
        yield pattern
        return

    for choice in found[1].split(","):
        yield from _spellings(pattern[: found.start()] + choice + pattern[found.end() :])


def fixed_folder(path: str) -> str:
    """history/2026-*/*.csv      history: the folder that all of it is in"""
    where = local(path)
    if where is None or _is_there(where):
        return path

    return str(next((parent for parent in where.parents if not PATTERN.search(str(parent))), where))


def to_read(where: str) -> str:
    """Return an address in the form that Spark needs: a local path has its scheme, whatever the
    default file system is, and its name is not taken for a pattern.
    """
    path = local(where)
    if path is None:
        return where

    if path.exists():
        return PATTERN.sub(r"\\\1", to_write(path))

    return to_write(path)


def to_write(path: Path) -> str:
    """Return a path as the URL that Spark writes to."""
    return f"file://{path.absolute().as_posix()}"

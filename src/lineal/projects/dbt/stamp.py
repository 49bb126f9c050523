"""A stamp of a project: the hash of every file that may decide its lineage, without reading what
they say.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from lineal.projects.extensions import EXTENSIONS
from lineal.projects.ignore import IGNORE_FILE
from lineal.projects.intake import LARGEST, open_regular
from lineal.projects.text import peek_text

PROJECT_FILE, MANIFEST_FILE, TARGET = "dbt_project.yml", "manifest.json", "target"
HINTS = (
    "requirements*.txt",
    "pyproject.toml",
    "Pipfile",
    "Dockerfile",
    "*.md",
    "*profiles*.yml",
    "*profile*.yml",
)
"""Where a project that brings no profile may say what it is for."""

SECRET = "DBT_ENV_SECRET"  # noqa: S105  a name, and the one that is not to be read
SEED_BYTES = 1 << 20
SUFFIXES = (*EXTENSIONS, ".yml", ".yaml", ".csv", ".md", ".txt", ".toml")
EVENTS = (".json", ".jsonl", ".ndjson")
"""Files that may hold events, unless dbt has written them."""
ARTIFACTS = (MANIFEST_FILE, "catalog.json")
PASSED_OVER = frozenset(("logs", "node_modules", "venv", "env", "__pycache__", "site-packages"))
LOCAL = re.compile(r"^\s*-?\s*local:\s*['\"]?([^'\"\s#]+)", re.M)


def folders_of(path: Path) -> tuple[Path, Path | None]:
    """The folder that is meant, and the one of the project that it belongs to."""
    folder = path if path.is_dir() else path.parent
    return folder, next(
        (each for each in (folder, folder.parent) if (each / PROJECT_FILE).is_file()), None
    )


def home_of(folder: Path) -> Path:
    """Return the folder that the paths in a manifest start from: target/manifest.json is one below
    it.
    """
    if folder.name == TARGET:
        return folder.parent

    return folder


def stamp_of(folder: Path) -> str:
    """Of the project in a folder; that of a manifest alone is the one of the folder that it is in."""
    made = hashlib.blake2b(digest_size=20)
    for path in deciding_files(folder):
        said = os.fsencode(path)
        data = content_of(path)
        made.update(b"%d:%s%d:" % (len(said), said, len(data)))
        made.update(data)

    made.update(environment_stamp())
    return made.hexdigest()


def deciding_files(folder: Path) -> list[str]:
    """Return the files that may decide the lineage of a project, sorted."""
    return sorted(set(_files(folder)))


def content_of(path: str) -> bytes:
    """Return the bytes of a file that decide a lineage: of seeds, only the first."""
    try:
        with open_regular(path) as stream:
            return stream.read(SEED_BYTES if path.endswith(".csv") else LARGEST)
    except OSError:
        return b"?"


def environment_stamp() -> bytes:
    """Return what the environment says to dbt; secrets are not read."""
    return b"".join(
        f"{name}={value}\0".encode("utf-8", "surrogatepass")
        for name, value in sorted(os.environ.items())
        if name.startswith("DBT_") and not name.startswith(SECRET)
    )


def _files(folder: Path) -> Iterator[str]:
    """Yield the files that decide what a project means."""
    yield from _files_below(str(folder))
    yield from (str(path) for pattern in HINTS for path in folder.parent.glob(pattern))
    for name in ("packages.yml", "dependencies.yml"):
        for found in LOCAL.findall(peek_text(folder / name)):
            yield from _files_below(str(folder / found))


def _files_below(folder: str) -> Iterator[str]:
    """Links to folders are not followed; of a target folder only what dbt writes for others counts."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            entries = list(os.scandir(here))
        except OSError:
            continue

        inside = any(entry.name in ARTIFACTS for entry in entries)
        for entry in entries:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                if (
                    not name.startswith(".")
                    and name not in PASSED_OVER
                    and not (inside and name in ("compiled", "run"))
                ):
                    waiting.append(entry.path)
            elif (
                name in ARTIFACTS
                or name.lower().endswith(SUFFIXES)
                or (not inside and name.lower().endswith(EVENTS))
                or name in ("Dockerfile", "Pipfile", IGNORE_FILE)
            ):
                yield entry.path

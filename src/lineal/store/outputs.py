"""The folder that `lineal pipeline` writes: its manifest, and its tables as rows, read with pyarrow
and without Spark.

manifest.json                      written last: the format, the coverage, the rows and the digest
                                   of each table
edges/level=column/part-00000.parquet …
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lineal.store.errors import Damaged, NoStore, StoreError, TooNew

MANIFEST = "manifest.json"
FORMAT = 2
"""Rises when a table changes; an output of another format is made again."""

TABLES = (
    "statements", "edges", "usages", "reads", "datasets", "columns", "writes", "diagnostics", "quarantine",
)  # fmt: skip
"""The files of a lineage; `nodes` and `closure` follow from the edges."""

LARGEST_MANIFEST = 1_000_000
ROWS_AT_ONCE = 50_000


class NoPyarrow(StoreError):
    """pyarrow is not installed."""


def said_by(manifest: bytes | None) -> dict[str, Any] | None:
    """Return the contents of a manifest; empty for that of another program."""
    try:
        found = json.loads(manifest or b"null")
    except ValueError:
        return None

    if isinstance(found, dict) and "lineal" in found:
        return found

    return None


def manifest_in(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of an output; None for any other folder."""
    file = folder / MANIFEST
    try:
        if not file.is_file() or file.stat().st_size > LARGEST_MANIFEST:
            return None

        found = said_by(file.read_bytes())
    except OSError:
        return None

    if found is not None and "format" in found:
        return found

    return None


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of an output that is whole; what to do is said where it is not."""
    said = manifest_in(folder)
    if said is None:
        raise NoStore(f"{folder} is not an output of lineal pipeline")

    if said["format"] != FORMAT:
        raise TooNew(
            f"{folder} was written by lineal {said['lineal']} in format {said['format']}, and this lineal reads "
            f"format {FORMAT}: write it again with lineal pipeline --fresh"
        )

    if said.get("complete") is not True:
        raise Damaged(
            f"{folder} is not complete: lineal pipeline is at work on it, or was stopped. "
            "Wait for it, or run the same command again"
        )

    missing = [name for name in TABLES if not isinstance(said.get("tables", {}).get(name), dict)]
    if missing:
        raise Damaged(
            f"{folder}/{MANIFEST} does not tell of the tables {', '.join(missing)}{AGAIN}"
        )

    return said


AGAIN = ": write them again with lineal pipeline --fresh"


class Output:
    """The tables of an output."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said = read_manifest(folder)

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table, in their order; a table that was changed since is an error."""
        parquet = _parquet()
        where, told = self.folder / table, self.said["tables"][table]
        if digest_of(where) != told.get("digest"):
            raise Damaged(f"{where} is not what lineal pipeline has written{AGAIN}")

        for file in parts_of(where):
            try:
                for batch in parquet.ParquetFile(file).iter_batches(ROWS_AT_ONCE):
                    yield from batch.to_pylist()
            except (OSError, ValueError) as problem:  # pyarrow's own errors are of these
                raise Damaged(
                    f"{file} cannot be read ({str(problem).splitlines()[0][:200]}){AGAIN}"
                ) from problem


def _parquet() -> Any:
    """Import pyarrow; raise NoPyarrow if it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError as missing:
        raise NoPyarrow(
            "the tables of lineal pipeline are read with pyarrow: pip install 'lineal[spark]'"
        ) from missing

    return pyarrow.parquet


def parts_of(table: Path) -> list[Path]:
    """The files of a table; the log that Delta keeps next to them does not count."""
    files = table.rglob("*.parquet")
    return sorted(file for file in files if "_delta_log" not in file.relative_to(table).parts)


def digest_of(table: Path) -> str:
    """A hash of the files of a table and their names."""
    digest = hashlib.blake2b(digest_size=20)
    for file in parts_of(table):
        digest.update(file.relative_to(table).as_posix().encode())
        digest.update(file.read_bytes())

    return digest.hexdigest()

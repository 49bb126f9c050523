"""Tables into a folder: Parquet in parts of a fixed size, each table there as a whole or as it was before."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

PART = 1_000_000
GROUP = 100_000
UNFINISHED = "_unfinished"


def write(folder: Path, name: str, table: pa.Table) -> dict[str, Any]:
    """A table as `name/part-00000.parquet`, …; edges by their level. What the manifest says about it."""
    aside = folder / UNFINISHED / name
    shutil.rmtree(aside, ignore_errors=True)
    if name == "edges":
        into_columns = pc.is_valid(table["target_column"])
        _parts(aside / "level=column", table.filter(into_columns))
        _parts(aside / "level=dataset", table.filter(pc.invert(into_columns)))
    else:
        _parts(aside, table)
    return commit(folder, name, table.num_rows)


def _parts(folder: Path, table: pa.Table) -> None:
    folder.mkdir(parents=True)
    for number, start in enumerate(range(0, max(table.num_rows, 1), PART)):
        write_part(folder, number, table.slice(start, PART))


def write_part(folder: Path, number: int, table: pa.Table) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, folder / f"part-{number:05}.parquet", compression="zstd", row_group_size=GROUP)


def commit(folder: Path, name: str, rows: int) -> dict[str, Any]:
    """Put what stands aside in the place of what was there."""
    aside, there = folder / UNFINISHED / name, folder / name
    gone = folder / UNFINISHED / f"{name}.gone"
    shutil.rmtree(gone, ignore_errors=True)
    if there.exists():
        there.rename(gone)
    aside.rename(there)
    shutil.rmtree(gone, ignore_errors=True)
    digest = hashlib.blake2b(digest_size=20)
    for file in sorted(there.rglob("*.parquet")):
        digest.update(file.relative_to(there).as_posix().encode())
        digest.update(file.read_bytes())
    return {"rows": rows, "digest": digest.hexdigest()}


def tidy(folder: Path) -> None:
    shutil.rmtree(folder / UNFINISHED, ignore_errors=True)

"""Rows on the driver's disk until a table is written: they come in any order, and go in the order
of a column, so many at once as fit.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lineal.spark.pipeline.freed import give_back_memory

AT_ONCE = 20_000
"""Rows that are sorted at once, about."""

MOST_RANGES = 250
"""Ranges of a table: each has a file that is open while rows are sorted into them."""

APART = 200
"""One row of so many is looked at, to tell how values are spread."""


class Spool:
    """The rows of some tables; each is cut into ranges of the values of one column."""

    def __init__(self, folder: Path, ranges: dict[str, str]) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        self.by = ranges
        self.open: dict[str, Any] = {}
        self.random = np.random.default_rng(1)
        self.rows = dict.fromkeys(ranges, 0)
        self.seen: dict[str, list[Any]] = {name: [] for name in ranges}

    def add(self, name: str, table: pa.Table) -> None:
        """Append rows to a table."""
        writer = self.open.get(name)
        if writer is None:
            writer = self.open[name] = pa.ipc.new_stream(str(self.folder / name), table.schema)

        writer.write_table(table)
        self.rows[name] += table.num_rows
        # not every so-many-th: pages of a log often resemble each other row by row
        looked = np.flatnonzero(self.random.random(table.num_rows) < 1 / APART)
        self.seen[name] += table[self.by[name]].take(looked).to_pylist()

    def ranges(self, name: str) -> Iterator[pa.Table]:
        """Yield the rows of a table range by range, in the order of the ranges; then they are gone."""
        if name not in self.open:
            return

        self.open.pop(name).close()
        count = min(self.rows[name] // AT_ONCE + 1, MOST_RANGES)
        seen = sorted(self.seen.pop(name))
        borders = sorted({seen[len(seen) * at // count] for at in range(1, count) if seen})
        file = self.folder / name
        if not borders:
            yield read_rows(file)
            return

        for part in self.part_by_ranges(file, self.by[name], borders):
            give_back_memory()
            yield read_rows(part)

    def part_by_ranges(self, file: Path, column: str, borders: Sequence[object]) -> list[Path]:
        """Write the rows of a file into a file for each range."""
        files = [file.with_name(f"{file.name}.{number}") for number in range(len(borders) + 1)]
        with ExitStack() as stack:
            reader = stack.enter_context(
                pa.ipc.open_stream(stack.enter_context(pa.OSFile(str(file))))
            )
            writers = [
                stack.enter_context(pa.ipc.new_stream(str(each), reader.schema)) for each in files
            ]
            limits = np.array(borders, object if isinstance(borders[0], str) else np.int64)
            for rows in read_together(reader):
                values = rows.column(column).chunk(0).dictionary_encode()
                known = np.searchsorted(limits, values.dictionary.to_numpy(False), "right")
                which = known[values.indices.to_numpy(False)]
                rows = rows.take(pa.array(np.argsort(which, kind="stable")))
                counts = np.bincount(which, minlength=len(files))
                starts = np.cumsum(counts) - counts
                for number in np.flatnonzero(counts).tolist():
                    writers[number].write_table(rows.slice(starts[number], counts[number]))

        file.unlink()
        return files

    def remove(self) -> None:
        """Remove all rows."""
        for writer in self.open.values():
            writer.close()

        shutil.rmtree(self.folder, ignore_errors=True)


def read_together(reader: pa.RecordBatchReader) -> Iterator[pa.Table]:
    """Yield the rows of a stream, so many at once as are written to all ranges."""
    held: list[pa.RecordBatch] = []
    for batch in reader:
        held.append(batch)
        if sum(map(len, held)) >= AT_ONCE:
            yield pa.Table.from_batches(held).combine_chunks()
            held = []

    if held:
        yield pa.Table.from_batches(held).combine_chunks()


def read_rows(file: Path) -> pa.Table:
    """Read a file to its end, and remove it."""
    with pa.OSFile(str(file)) as source, pa.ipc.open_stream(source) as reader:
        found = reader.read_all().combine_chunks()

    file.unlink()
    return found

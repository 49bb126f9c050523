"""The tables of all parts as one: in the order, and with the numbers, that they would have if the
log had been resolved as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lineal.spark.pipeline.spool import Spool
from lineal.spark.pipeline.tables import ORDER, SCHEMAS, TOGETHER, USED, Pages

RANGES = {
    "edges": "target_dataset",
    "usages": "at",
    "reads": "target",
    "datasets": "by",
    "columns": "by",
    "writes": "at",
    "diagnostics": "by",
}
"""The column by whose values the rows of a table are taken up one after the other."""

NUMBERED = ("edges", "datasets", "writes")


class Merging:
    """Collects the tables of parts, and gives each table as a whole."""

    def __init__(self, folder: Path, statements: int) -> None:
        self.spool = Spool(folder, RANGES)
        self.counts = {name: np.zeros(statements + 1, np.int32) for name in NUMBERED}
        """how many rows each statement of the log has"""
        self.first: dict[str, int] = {}
        """of each message that is reported once for all parts the first statement"""

    def add(self, name: str, page: pa.Table) -> None:
        """Take rows of a part."""
        if name in self.counts:
            at, counts = page["at"].to_numpy(), self.counts[name]
            which, times = np.unique(at[at >= 0], return_counts=True)
            counts[which] += times.astype(counts.dtype)

        if name == "diagnostics":
            self.note_first(page)

        if page.num_rows:
            self.spool.add(name, page)

    def note_first(self, page: pa.Table) -> None:
        """Note the first of the diagnostics that are reported once."""
        once = page.filter(pc.greater_equal(page["at"], 0))
        for message, at in zip(once["message"].to_pylist(), once["at"].to_pylist(), strict=True):
            self.first[message] = min(self.first.get(message, at), at)

    def rows(self, name: str) -> int:
        """Return how many rows the parts have."""
        return self.spool.rows[name]

    def tables(self) -> Iterator[tuple[str, Pages]]:
        """Yield each table by its name, page by page."""
        for name in ORDER:
            yield name, self.pages(name)

    def pages(self, name: str) -> Pages:
        """Yield a table page by page; the first page is empty."""
        schema = SCHEMAS[name]
        yield schema.empty_table()
        for table in FINISH[name](self, self.spool.ranges(name)):
            whole = table.select(schema.names).cast(schema)
            for start in range(0, whole.num_rows, TOGETHER):
                yield whole.slice(start, TOGETHER)

    def numbers(self, name: str, page: pa.Table) -> Any:
        """Return the numbers of rows in the whole table."""
        counts = self.counts[name]
        before = np.cumsum(counts, dtype=np.int64) - counts
        return before[page["at"].to_numpy()] + page["rank"].to_numpy()

    def remove(self) -> None:
        """Remove all that is left."""
        self.spool.remove()


Ranges = Iterator[pa.Table]


def with_column(table: pa.Table, name: str, values: object) -> pa.Table:
    """Put other values in the place of a column."""
    at = table.schema.get_field_index(name)
    return table.set_column(
        at, table.schema.field(at), pa.array(values, table.schema.field(at).type)
    )


def in_order(table: pa.Table, *names: str) -> pa.Table:
    """Sort rows by columns; nothing comes before everything else, and texts go by code points."""
    keys = pa.table(
        [
            pc.fill_null(table[name], "" if pa.types.is_string(table[name].type) else -1)
            for name in names
        ],
        list(names),
    )
    return table.take(pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in names]))


def first_of(table: pa.Table, *names: str) -> pa.Table:
    """Keep the first of the rows that follow each other and agree in columns."""
    return table.filter(pa.array(differences(table, *names)))


def differences(table: pa.Table, *names: str) -> Any:
    """Tell for each row whether it differs from the one before in one of the columns."""
    found = np.zeros(table.num_rows, bool)
    found[:1] = True
    for name in names:
        codes = table[name].combine_chunks().dictionary_encode(null_encoding="encode").indices
        values = codes.to_numpy()
        found[1:] |= values[1:] != values[:-1]

    return found


def _edges(merging: Merging, ranges: Ranges) -> Ranges:
    """The edges by the names of their targets, then of their sources."""
    for table in ranges:
        table = with_column(table, "number", merging.numbers("edges", table))
        yield in_order(
            table, "target_dataset", "target_column", "source_dataset", "source_column", "number"
        )


def _usages(merging: Merging, ranges: Ranges) -> Ranges:
    """Yield the usages of each range with the numbers of their edges."""
    for table in ranges:
        numbers = merging.numbers("edges", table)
        order = np.argsort(numbers, kind="stable")
        yield with_column(table, "edge", numbers).take(order)


def _reads(merging: Merging, ranges: Ranges) -> Ranges:
    """Yield the reads of each range in order."""
    for table in ranges:
        yield in_order(table, *table.column_names)


def _writes(merging: Merging, ranges: Ranges) -> Ranges:
    """Yield the writes of each range with their numbers."""
    for table in ranges:
        yield in_order(with_column(table, "number", merging.numbers("writes", table)), "number")


def _datasets(merging: Merging, ranges: Ranges) -> Ranges:
    """Datasets that statements write have the first numbers; the others follow by their names."""
    following = int(merging.counts["datasets"].sum())
    for table in ranges:
        table = first_of(in_order(table, "by"), "by")
        read_only = table["at"].to_numpy() < 0
        number = merging.numbers("datasets", table)
        number[read_only] = following + np.arange(read_only.sum())
        following += int(read_only.sum())
        yield with_column(table, "number", number)


def _columns(merging: Merging, ranges: Ranges) -> Ranges:
    """A table that several parts read has the columns that any of them uses, in the spelling of the
    first statement.
    """
    for table in ranges:
        place = pc.if_else(pc.equal(table["group"], USED), 0, table["rank"])
        table = in_order(table.append_column("place", place), "by", "group", "place", "key", "rank")
        table = first_of(table, "by", "group", "place", "key")
        by = table["by"].combine_chunks().dictionary_encode().indices.to_numpy()
        starts = np.flatnonzero(np.concatenate(([True], by[1:] != by[:-1])))
        within = np.arange(len(by)) - np.repeat(starts, np.diff(np.append(starts, len(by)))) + 1
        used = table["group"].to_numpy() == USED
        position = pc.if_else(pa.array(used), pa.array(within), table["position"])
        yield with_column(table, "position", position.combine_chunks())


def _diagnostics(merging: Merging, ranges: Ranges) -> Ranges:
    """Each once; of those that are reported once for all parts, the one of the first statement."""
    for table in ranges:
        about = zip(table["message"].to_pylist(), table["at"].to_pylist(), strict=True)
        kept = [at < 0 or merging.first[message] == at for message, at in about]
        table = table.filter(pa.array(kept, pa.bool_()))
        table = in_order(table, "by", "line", "position", "code", "message", "hint")
        yield first_of(table, *SCHEMAS["diagnostics"].names)


FINISH: dict[str, Callable[[Merging, Ranges], Ranges]] = {
    "edges": _edges,
    "usages": _usages,
    "reads": _reads,
    "datasets": _datasets,
    "columns": _columns,
    "writes": _writes,
    "diagnostics": _diagnostics,
}

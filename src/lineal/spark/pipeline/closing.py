"""The closure of a log that is resolved in parts.

A column that a statement makes is in the part of the statement, and so are all ways to it. So each
part has its own closure, in which the nodes have numbers of their own. The driver gives them the
numbers that they have in the whole log, and sorts the pairs.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lineal.model.edge import Column, Dataset, Edge
from lineal.spark.pipeline.closure import MOST, NODES, SCHEMA, Arrays, graph_of, part_of, stream
from lineal.spark.pipeline.merging import differences, in_order
from lineal.spark.pipeline.output import Output
from lineal.spark.pipeline.pages import pack_page
from lineal.spark.pipeline.shelving import Kept
from lineal.spark.pipeline.spool import Spool
from lineal.spark.pipeline.tables import Pages

NODE, PAIR = "nodes", "closure"


def closure_of_part(
    edges: list[Edge], written: Collection[Dataset]
) -> list[tuple[str, pa.Table]] | None:
    """Return the nodes and the pairs of a part; None if other parts tell more about its ways, or if
    there are too many pairs.
    """
    if any(_is_nested_elsewhere(edge.source, written) for edge in edges):
        return None

    graph, nodes = graph_of(edges)
    pairs = pairs_in(graph)
    if pairs is None:
        return None

    return [(NODE, nodes), (PAIR, pairs)]


def _is_nested_elsewhere(source: Column, written: Collection[Dataset]) -> bool:
    """t.s.f      a field of a table that nobody writes: other parts may read t.s"""
    return bool(source.path) and source.dataset not in written


def pairs_in(graph: Arrays) -> pa.Table | None:
    """Return the pairs of a graph; None if there are too many."""
    found = part_of(graph, 0, graph.nodes, MOST)
    if found is None:
        return None

    return found.table()


class Closing:
    """Collects the closures of parts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spool = Spool(folder / NODE, {NODE: "dataset"})
        self.kept = Kept(folder)
        self.first = self.slots = 0
        """the slot of the first node of the current part, and how many there are"""
        self.is_whole = True
        self.numbers: Any = None

    def begin_part(self, is_closed: bool) -> None:
        """From here on all rows are those of another part."""
        self.first = self.slots
        self.is_whole = self.is_whole and is_closed

    def add(self, name: str, page: pa.Table) -> None:
        """Take rows of a part."""
        if name == NODE:
            slots = np.arange(self.slots, self.slots + page.num_rows)
            self.spool.add(NODE, page.append_column("slot", pa.array(slots)))
            self.slots += page.num_rows
            return

        moved = {each: pc.add(page[each], self.first) for each in ("source", "target", "via")}
        others = {each: page[each] for each in ("depth", "subtypes")}
        self.kept.add(pack_page(pa.table({**moved, **others}).select(SCHEMA.names).cast(SCHEMA)))

    def write(self, output: Output) -> dict[str, Any]:
        """Write the tables `nodes` and `closure`, and return what the summary says of them."""
        output.commit(NODE, output.prepare(NODE, self.nodes()))
        output.commit(PAIR, stream(output.aside(PAIR), self.pairs()))
        self.remove()
        return {"pairs": output.written[PAIR]["rows"], "way": "parts"}

    def nodes(self) -> Pages:
        """Yield the nodes in their order, each once, and note the number of each slot."""
        self.numbers = np.zeros(self.slots, np.int32)
        count = 0
        yield NODES.empty_table()
        for table in self.spool.ranges(NODE):
            table = in_order(table, "dataset", "column")
            is_new = differences(table, "dataset", "column")
            number = count - 1 + np.cumsum(is_new)
            self.numbers[table["slot"].to_numpy()] = number
            count += int(is_new.sum())
            found = table.filter(pa.array(is_new))
            ids = pa.array(number[is_new], pa.int32())
            yield pa.table([ids, found["dataset"], found["column"]], schema=NODES)

    def pairs(self) -> Iterator[pa.Table]:
        """Yield the pairs in their order, by the numbers of the nodes."""
        spool = Spool(self.folder / PAIR, {PAIR: "source"})
        for page in self.kept.pages():
            columns = {name: page[name].to_numpy() for name in SCHEMA.names}
            for name in ("source", "target", "via"):
                columns[name] = self.numbers[columns[name]]

            spool.add(PAIR, pa.table(columns).cast(SCHEMA))

        yield from map(in_order_of_pairs, spool.ranges(PAIR))

    def remove(self) -> None:
        """Remove all rows."""
        self.spool.remove()
        shutil.rmtree(self.folder, ignore_errors=True)


def in_order_of_pairs(table: pa.Table) -> pa.Table:
    """Sort pairs by their sources and targets."""
    source, target = (table[name].to_numpy().astype(np.int64) for name in ("source", "target"))
    return table.take(pa.array(np.argsort((source << 32) | target, kind="stable")))

"""What every column comes from, at any distance: pairs with their depth, the last step of a shortest way, and what is
done on the shortest ways.

    orders.amount → stg.amount → mart.total      orders.amount → mart.total: depth 2, via stg.amount, AGGREGATION

While it fits, the graph is sent to the executors as arrays, and each traces the columns of its blocks. Past that the
pairs are joined with the edges, depth by depth, only with what the last depth has brought. Both give the same table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from lineal.graph.graph import overlap, whole
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.way import STRENGTH, How
from lineal.spark.bulk import output
from lineal.spark.bulk.tables import named

BUDGET = 512_000_000
"""Bytes of a graph that is sent to every executor."""

BLOCK = 4096
"""Columns that are traced side by side."""

ROUND = 20_000_000
"""Pairs that come back at once, as far as the rounds before tell."""

BITS = {how: 1 << number for number, how in enumerate(How)}
DIRECT = sum(BITS[how] for how in STRENGTH)
INDIRECT = (1 << len(BITS)) - 1 - DIRECT

PAIRS = "block bigint, part int, pairs binary"
"""A row for each block, or part of one: a row for each pair would have to go through the JVM value by value."""
PACKED = pa.schema([("block", pa.int64()), ("part", pa.int32()), ("pairs", pa.binary())])
MOST_PACKED = 4_000_000
SCHEMA = pa.schema([(name, pa.int32()) for name in ("source", "target", "depth", "via", "subtypes")])
NODES = pa.schema([("id", pa.int32()), ("dataset", pa.string()), ("column", pa.string())])


def _strongest(outer: int, inner: int) -> int:
    """Of two direct steps the stronger stays, for every pair that the two sets have."""
    pairs = [(o, i) for o in STRENGTH for i in STRENGTH if BITS[o] & outer and BITS[i] & inner]
    return sum({BITS[max(pair, key=STRENGTH.__getitem__)] for pair in pairs})


STRONGEST = [_strongest(outer, inner) for outer in range(DIRECT + 1) for inner in range(DIRECT + 1)]
"""By the direct bits of the later step and of the earlier one."""


class Arrays(NamedTuple):
    """A graph: of node n, the edges from starts[n] to starts[n + 1] lead to targets, by subtypes."""

    starts: Any
    targets: Any
    subtypes: Any

    @property
    def nodes(self) -> int:
        return len(self.starts) - 1

    @property
    def size(self) -> int:
        return int(self.starts.nbytes + self.targets.nbytes + self.subtypes.nbytes)


def arrays(sources: Any, targets: Any, subtypes: Any, nodes: int) -> Arrays:
    order = np.lexsort((targets, sources))
    starts = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(sources, minlength=nodes), out=starts[1:])
    return Arrays(starts, targets[order].astype(np.int32), subtypes[order].astype(np.int32))


def graph_of(edges: list[Edge]) -> tuple[Arrays, pa.Table]:
    """The edges as numbers, and the table of what the numbers mean; a dataset is a node whose column is null."""
    pairs: dict[tuple[tuple[str, str], tuple[str, str]], int] = {}
    for source, target, edge in chain(((edge.source, edge.target, edge) for edge in edges), _through_fields(edges)):
        pair = named(source), named(target)
        pairs[pair] = pairs.get(pair, 0) | _bits(edge)
    names = sorted({name for pair in pairs for name in pair})
    number = {name: at for at, name in enumerate(names)}
    sources = np.array([number[source] for source, _ in pairs], np.int64)
    targets = np.array([number[target] for _, target in pairs], np.int64)
    subtypes = np.array(list(pairs.values()), np.int64)
    nodes = pa.table(
        [list(range(len(names))), [name[0] for name in names], [name[1] or None for name in names]], schema=NODES
    )
    return arrays(sources, targets, subtypes, len(names)), nodes


def _through_fields(edges: list[Edge]) -> Iterator[tuple[Column, Column | Dataset, Edge]]:
    """t.s → v.s, v.s.f → w.f      so v.s → w.f: a column goes where its fields go, and they go where it goes"""
    ends = {end for edge in edges for end in (edge.source, edge.target) if isinstance(end, Column)}
    nested = {whole(column) for column in ends if column.path}
    families: dict[Column, list[Column]] = {}
    for column in ends if nested else ():
        if whole(column) in nested:
            families.setdefault(whole(column), []).append(column)
    for edge in edges if nested else ():
        for column in families.get(whole(edge.source), ()):
            if column != edge.source and overlap(column, edge.source):
                yield column, edge.target, edge


def _bits(edge: Edge) -> int:
    return sum({BITS[usage.how] for usage in edge.usages})


def write(spark: SparkSession, folder: Path, edges: list[Edge], budget: int = BUDGET) -> dict[str, Any]:
    """The tables `nodes` and `closure`, and what the summary says of them."""
    graph, nodes = graph_of(edges)
    output.write(folder, "nodes", nodes)
    way = "tracing" if graph.size <= budget else "joins"
    found = traced(spark, graph) if way == "tracing" else joined(spark, graph)
    pairs = _stream(folder / output.UNFINISHED / "closure", found)
    output.commit(folder, "closure", pairs)
    return {"pairs": pairs, "way": way}


def _stream(folder: Path, found: Iterator[pa.Table]) -> int:
    """Parts of a fixed size, whatever comes at once."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    held, number, pairs = SCHEMA.empty_table(), 0, 0
    for table in found:
        pairs += table.num_rows
        held = pa.concat_tables([held, table])
        while held.num_rows >= output.PART:
            output.write_part(folder, number, held.slice(0, output.PART).combine_chunks())
            held, number = held.slice(output.PART), number + 1
    if held.num_rows or not number:
        output.write_part(folder, number, held.combine_chunks())
    return pairs


# -- by tracing --------------------------------------------------------------------------------------------------


def traced(spark: SparkSession, graph: Arrays) -> Iterator[pa.Table]:
    """The pairs in the order of their columns, so many blocks at once as fit."""
    context = spark.sparkContext
    shared = context.broadcast(graph)
    blocks = -(-graph.nodes // BLOCK)
    done, width = 0, 8 * context.defaultParallelism
    while done < blocks:
        ahead = min(width, blocks - done)
        tasks = min(ahead, 4 * context.defaultParallelism)
        rows = spark.range(done, done + ahead, 1, tasks).mapInArrow(tracing(shared), PAIRS).toArrow().to_pylist()
        rows.sort(key=lambda row: (row["block"], row["part"]))
        found = 0
        for row in rows:
            made = unpacked(row["pairs"])
            found += made.num_rows
            yield made
        done += ahead
        width = max(1, min(ahead * 16, ahead * ROUND // max(found, 1)))
    shared.destroy()


def tracing(graph: Any) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for block in batch.column(0).to_pylist():
                pairs = block_closure(graph.value, block)
                for part, start in enumerate(range(0, max(pairs.shape[1], 1), MOST_PACKED)):
                    data = pairs[:, start : start + MOST_PACKED].tobytes()
                    yield pa.RecordBatch.from_pylist([{"block": block, "part": part, "pairs": data}], PACKED)

    return work


def unpacked(data: bytes) -> pa.Table:
    return pa.table(list(np.frombuffer(data, np.int32).reshape(5, -1)), schema=SCHEMA)


def block_closure(graph: Arrays, block: int) -> Any:
    """All pairs from the columns of a block, breadth first, as five rows of numbers in the order of the pairs."""
    nodes = graph.nodes
    first, last = block * BLOCK, min((block + 1) * BLOCK, nodes)
    sources = np.arange(first, last, dtype=np.int64)
    met = Met(sources * nodes + sources)
    ends, subtypes = sources, np.full(len(sources), BITS[How.IDENTITY], np.int64)
    found: list[tuple[Any, ...]] = []
    depth = 0
    while len(ends):
        depth += 1
        counts = graph.starts[ends + 1] - graph.starts[ends]
        total = int(counts.sum())
        if not total:
            break
        origin = np.repeat(np.arange(len(ends)), counts)
        edge = np.arange(total) + np.repeat(graph.starts[ends] - (np.cumsum(counts) - counts), counts)
        keys = sources[origin] * nodes + graph.targets[edge]
        made = graph.subtypes[edge] if depth == 1 else composed(graph.subtypes[edge], subtypes[origin])
        fresh = ~met.has(keys)
        keys, via, made = keys[fresh], ends[origin[fresh]], made[fresh]
        if not len(keys):
            break
        order = np.argsort(keys, kind="stable")  # the ends of a source ascend: the first is the smallest
        keys, via, made = keys[order], via[order], made[order]
        heads = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        subtypes = np.bitwise_or.reduceat(made, heads)
        keys, via = keys[heads], via[heads]
        met.add(keys)
        sources, ends = keys // nodes, keys % nodes
        found.append((sources, ends, np.full(len(ends), depth), via, subtypes))
    if not found:
        return np.zeros((5, 0), np.int32)
    whole = np.array([np.concatenate([level[part] for level in found]) for part in range(5)], np.int32)
    return whole[:, np.lexsort((whole[1], whole[0]))]


def composed(outer: Any, inner: Any) -> Any:
    """`model.way.compose`, for sets of subtypes as bits."""
    through = np.where(outer & DIRECT, inner & INDIRECT, 0)
    strongest = np.asarray(STRONGEST)[(outer & DIRECT) * (DIRECT + 1) + (inner & DIRECT)]
    return (outer & INDIRECT) | through | strongest


class Met:
    """The pairs that were met: sorted runs, of which small ones are put together."""

    def __init__(self, keys: Any) -> None:
        self.runs = [keys]

    def has(self, keys: Any) -> Any:
        found = np.zeros(len(keys), bool)
        for run in self.runs:
            at = np.minimum(np.searchsorted(run, keys), len(run) - 1)
            found |= run[at] == keys
        return found

    def add(self, keys: Any) -> None:
        self.runs.append(keys)
        while len(self.runs) > 1 and len(self.runs[-2]) < 2 * len(self.runs[-1]):
            last, before = self.runs.pop(), self.runs.pop()
            self.runs.append(np.sort(np.concatenate((before, last)), kind="stable"))


# -- by joins ----------------------------------------------------------------------------------------------------


def joined(spark: SparkSession, graph: Arrays) -> Iterator[pa.Table]:
    """Depth by depth: what the last one has brought goes one edge on, and what is known already is left out."""
    sources = np.repeat(np.arange(graph.nodes, dtype=np.int32), np.diff(graph.starts))
    table = pa.table({"source": sources, "target": graph.targets, "subtypes": graph.subtypes})
    edges = spark.createDataFrame(table).where("source <> target").localCheckpoint()
    border = edges.select("source", "target", F.lit(1).alias("depth"), F.col("source").alias("via"), "subtypes")
    levels = [border]
    depth = 1
    steps = edges.select(F.col("source").alias("end"), F.col("target").alias("next"), F.col("subtypes").alias("step"))
    known = border.select("source", "target")
    while True:
        depth += 1
        onward = border.join(steps, F.col("target") == F.col("end")).where("source <> next")
        united = onward.groupBy("source", "next").agg(
            F.min("target").alias("via"), F.bit_or(_composed_by_spark()).alias("subtypes")
        )
        fresh = united.withColumnRenamed("next", "target").join(known, ["source", "target"], "left_anti")
        border = fresh.select("source", "target", F.lit(depth).alias("depth"), "via", "subtypes").localCheckpoint()
        if border.isEmpty():
            break
        levels.append(border)
        known = known.union(border.select("source", "target")).localCheckpoint()
    yield from _in_order(levels, graph.nodes)


def _in_order(levels: list[DataFrame], nodes: int) -> Iterator[pa.Table]:
    """The pairs in the order of their columns, a range of columns at once."""
    whole = levels[0]
    for level in levels[1:]:
        whole = whole.union(level)
    whole = whole.localCheckpoint()
    width = max(1, nodes * ROUND // max(whole.count(), ROUND))
    for first in range(0, nodes, width):
        part = whole.where((F.col("source") >= first) & (F.col("source") < first + width))
        yield part.orderBy("source", "target").toArrow().cast(SCHEMA)


def _composed_by_spark() -> Any:
    table = ", ".join(map(str, STRONGEST))
    return F.expr(
        f"(step & {INDIRECT}) | IF((step & {DIRECT}) <> 0, subtypes & {INDIRECT}, 0)"
        f" | element_at(array({table}), (step & {DIRECT}) * {DIRECT + 1} + (subtypes & {DIRECT}) + 1)"
    )

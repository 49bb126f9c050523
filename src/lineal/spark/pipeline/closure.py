"""The upstream columns of every column, at any distance: pairs with their depth, the last step of a
shortest path, and the usages along the shortest paths.

    orders.amount → stg.amount → mart.total      orders.amount → mart.total: depth 2, via
    stg.amount, AGGREGATION

While it fits, the graph is sent to the executors as arrays, and each traces the columns of its
blocks. Past that the pairs are joined with the edges, depth by depth, only with what the last depth
has brought. Both give the same table.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from lineal.graph.graph import overlap, whole_column
from lineal.model.edge import Column, Dataset, Edge, Reader, Usage
from lineal.model.grouping import group_pairs
from lineal.model.sequences import positions_of
from lineal.model.way import STRENGTH, How, way
from lineal.spark.pipeline.output import PART, Output, write_part
from lineal.spark.pipeline.sessions import is_connect, parallelism, share_value
from lineal.spark.pipeline.tables import end_names

BUDGET = 512_000_000
"""Bytes of a graph that is sent to every executor."""

BLOCK = 4096
"""Columns that are traced side by side."""

ROUND = 12_000_000
"""Pairs that come back at once, as far as one can tell."""

BITS = {how: 1 << number for number, how in enumerate(How)}
DIRECT = sum(BITS[how] for how in STRENGTH)
INDIRECT = (1 << len(BITS)) - 1 - DIRECT

MOST = 8_000_000
"""Pairs of a block that are held at once."""

OF_TASK = 1_500_000
"""Pairs of a task, about: the driver's machine holds the results of several while it takes them in.
"""

SAMPLES, NEIGHBOURS, MOST_SAMPLED = 32, 16, 100_000
"""Where a look is taken before it begins, at how many columns, and how many of their pairs at most.
"""

MARKS = 22
"""Bits of a mark: what a core's cache holds."""

MOST_RUNS = 12
"""Sorted runs that are searched one by one."""

SCHEMA = pa.schema(
    [(name, pa.int32()) for name in ("source", "target", "depth", "via", "subtypes")]
)
COLUMNS = ", ".join(f"{name} int" for name in SCHEMA.names)
Batches = Iterator[pa.RecordBatch]
NODES = pa.schema([("id", pa.int32()), ("dataset", pa.string()), ("column", pa.string())])


def _strongest(outer: int, inner: int) -> int:
    """Of two direct steps the stronger stays, for every pair that the two sets have."""
    pairs = [(o, i) for o in STRENGTH for i in STRENGTH if BITS[o] & outer and BITS[i] & inner]
    return sum({BITS[max(pair, key=STRENGTH.__getitem__)] for pair in pairs})


STRONGEST = [_strongest(outer, inner) for outer in range(DIRECT + 1) for inner in range(DIRECT + 1)]
"""By the direct bits of the later step and of the earlier one."""


def _compositions() -> Any:
    """`model.way.compose`, for sets of subtypes as bits: by those of the later step and of the
    earlier one.
    """
    outer, inner = np.divmod(np.arange(1 << 2 * len(BITS)), 1 << len(BITS))
    through = np.where(outer & DIRECT, inner & INDIRECT, 0)
    strongest = np.asarray(STRONGEST)[(outer & DIRECT) * (DIRECT + 1) + (inner & DIRECT)]
    return ((outer & INDIRECT) | through | strongest).astype(np.uint16)


COMPOSED = _compositions()
IDENTITY = np.array(BITS[How.IDENTITY])


class Arrays(NamedTuple):
    """A graph: of node n, the edges from starts[n] to starts[n + 1] lead to targets, by subtypes."""

    starts: Any
    targets: Any
    subtypes: Any

    @property
    def nodes(self) -> int:
        """Return how many nodes the graph has."""
        return len(self.starts) - 1

    @property
    def size(self) -> int:
        """Return how many bytes the graph takes."""
        return int(self.starts.nbytes + self.targets.nbytes + self.subtypes.nbytes)


def arrays(sources: Any, targets: Any, subtypes: Any, nodes: int) -> Arrays:
    """Return a graph as sorted arrays."""
    order = np.lexsort((targets, sources))
    starts = np.zeros(nodes + 1, np.int32 if len(targets) < 1 << 31 else np.int64)
    np.cumsum(np.bincount(sources, minlength=nodes), out=starts[1:])
    return Arrays(starts, targets[order].astype(np.int32), subtypes[order].astype(np.uint16))


class EdgesOf:
    """The edges of the table that was just written, as far as the closure needs them."""

    def __init__(self, output: Output) -> None:
        self.output = output

    def __iter__(self) -> Iterator[Edge]:
        with self.output.folder.local_copy() as path:
            for file in sorted((path / "edges").rglob("*.parquet")):
                for batch in pq.ParquetFile(file).iter_batches(AT_ONCE, columns=list(OF_EDGE)):
                    yield from map(_edge_in, *(batch.column(name).to_pylist() for name in OF_EDGE))


OF_EDGE = (
    "source_dataset", "source_column", "source_path", "target_dataset", "target_column", "target_path", "subtypes",
)  # fmt: skip
AT_ONCE = 10_000


def _edge_in(
    source: str,
    column: str,
    path: list[str],
    target: str,
    into: str | None,
    inside: list[str],
    subtypes: list[str],
) -> Edge:
    """Return an edge of a row."""
    end: Column | Dataset = Dataset("", target)
    if into is not None:
        end = _column_in(target, into, inside)

    return Edge(_column_in(source, column, path), end, _usages_in(tuple(subtypes)))


def _column_in(dataset: str, written: str, path: list[str]) -> Column:
    """Return a column of its dataset, its written name and its path."""
    name = written.removesuffix("".join(f".{each}" for each in path))
    return Column(Dataset("", dataset), name, tuple(path))


@cache
def _usages_in(subtypes: tuple[str, ...]) -> tuple[Usage, ...]:
    """Return the usages of subtypes."""
    return tuple(Usage(way(How(each)), None, None, cast("Reader", None)) for each in subtypes)


def graph_of(edges: Iterable[Edge]) -> tuple[Arrays, pa.Table]:
    """The edges as numbers, and the table of what the numbers mean; a dataset is a node whose
    column is null.
    """
    pairs: dict[tuple[tuple[str, str], tuple[str, str]], int] = {}
    for source, target, edge in chain(
        ((edge.source, edge.target, edge) for edge in edges), _through_fields(edges)
    ):
        pair = end_names(source), end_names(target)
        pairs[pair] = pairs.get(pair, 0) | _bits(edge)

    names = sorted(set(chain.from_iterable(pairs)))
    number = positions_of(names)
    sources = np.array([number[source] for source, _ in pairs], np.int64)
    targets = np.array([number[target] for _, target in pairs], np.int64)
    subtypes = np.array(list(pairs.values()), np.int64)
    nodes = pa.table(
        [list(range(len(names))), [name[0] for name in names], [name[1] or None for name in names]],
        schema=NODES,
    )
    return arrays(sources, targets, subtypes, len(names)), nodes


def _through_fields(edges: Iterable[Edge]) -> Iterator[tuple[Column, Column | Dataset, Edge]]:
    """t.s → v.s, v.s.f → w.f

    so v.s → w.f: a column goes where its fields go, and they go where it goes
    """
    ends = {end for edge in edges for end in (edge.source, edge.target) if isinstance(end, Column)}
    nested = {whole_column(column) for column in ends if column.path}
    families = group_pairs(
        (whole_column(column), column) for column in ends if whole_column(column) in nested
    )
    for edge in edges if nested else ():
        for column in families.get(whole_column(edge.source), ()):
            if column != edge.source and overlap(column, edge.source):
                yield column, edge.target, edge


def _bits(edge: Edge) -> int:
    """Return the subtypes of an edge as bits."""
    return bits_of(tuple([usage.way.how for usage in edge.usages]))


@cache
def bits_of(subtypes: tuple[How, ...]) -> int:
    """Return a set of subtypes as bits: few combinations, and many edges."""
    return sum({BITS[how] for how in subtypes})


def write(
    spark: SparkSession, output: Output, edges: Iterable[Edge], budget: int = BUDGET
) -> dict[str, Any]:
    """The tables `nodes` and `closure`, and what the summary says of them."""
    graph, nodes = graph_of(edges)
    output.write("nodes", nodes)
    way = "tracing" if graph.size <= budget else "joins"
    found = trace_in_blocks(spark, graph) if way == "tracing" else trace_by_depth(spark, graph)
    pairs = stream(output.aside("closure"), found)
    output.commit("closure", pairs)
    return {"pairs": pairs, "way": way}


def stream(folder: Path, found: Iterator[pa.Table]) -> int:
    """Parts of a fixed size, whatever comes at once."""
    held, number, pairs = SCHEMA.empty_table(), 0, 0
    for table in found:
        pairs += table.num_rows
        held = pa.concat_tables([held, table])
        while held.num_rows >= PART:
            write_part(folder, number, held.slice(0, PART).combine_chunks())
            held, number = held.slice(PART), number + 1

    if held.num_rows or not number:
        write_part(folder, number, held.combine_chunks())

    return pairs


# -- by tracing ------------------------------------------------------------------------------------


class Part(NamedTuple):
    """The pairs of some neighboring columns: how many each has, then the values of each pair, in
    their order.
    """

    first: int
    counts: Any
    targets: Any
    depths: Any
    vias: Any
    subtypes: Any

    def table(self) -> pa.Table:
        """Return the pairs as an Arrow table."""
        sources = np.repeat(
            np.arange(self.first, self.first + len(self.counts), dtype=np.int32), self.counts
        )
        columns = (sources, self.targets, self.depths, self.vias, self.subtypes)
        return pa.table([column.astype(np.int32, copy=False) for column in columns], schema=SCHEMA)


def trace_in_blocks(spark: SparkSession, graph: Arrays) -> Iterator[pa.Table]:
    """The pairs in the order of their columns, so many blocks at once as fit."""
    expected = pairs_of_blocks(graph)
    done, off = 0, 1.0
    with share_value(spark, graph) as shared:
        while done < len(expected):
            ahead = max(1, int(np.searchsorted(np.cumsum(expected[done:]) * off, ROUND)))
            firsts = range(done * BLOCK, min(done + ahead, len(expected)) * BLOCK, BLOCK)
            found = 0
            tasks = max(2 * parallelism(spark), int(expected[done : done + ahead].sum() / OF_TASK))
            for table in _traced_blocks(spark, shared, firsts, min(len(firsts), tasks)):
                found += table.num_rows
                yield table

            off = max(1.0, found / expected[done : done + ahead].sum())
            done += ahead


def _traced_blocks(
    spark: SparkSession, graph: object, firsts: range, tasks: int
) -> Iterator[pa.Table]:
    """The pairs of some blocks, in their order."""
    if not is_connect(spark):
        several = spark.sparkContext.parallelize(firsts, tasks)
        found = several.mapPartitions(tracer_of(graph, BLOCK)).collect()
        yield from (part.table() for part in found)
        return

    frame = spark.createDataFrame(pa.table({"first": pa.array(firsts, pa.int64())}))
    made = frame.mapInArrow(_tracing_rows(graph), COLUMNS).toArrow()
    yield made.cast(SCHEMA).sort_by([("source", "ascending"), ("target", "ascending")])


def _tracing_rows(graph: object) -> Callable[[Batches], Batches]:
    """The same of a frame's rows, as a frame's rows."""
    trace = tracer_of(graph, BLOCK)

    def work(batches: Batches) -> Batches:
        """Trace each batch of nodes."""
        for batch in batches:
            for part in trace(batch.column(0).to_pylist()):
                yield from part.table().to_batches()

    return work


def pairs_of_blocks(graph: Arrays) -> Any:
    """About how many pairs the columns of each block have, by a look at a few here and there."""
    firsts = np.unique(np.linspace(0, max(graph.nodes - NEIGHBOURS, 0), SAMPLES).astype(np.int64))
    found = [
        part_of(graph, first, min(first + NEIGHBOURS, graph.nodes), MOST_SAMPLED)
        for first in firsts.tolist()
    ]
    pairs = [len(part.targets) if part is not None else MOST_SAMPLED for part in found]
    blocks = np.arange(0, graph.nodes, BLOCK)
    return (np.interp(blocks, firsts, pairs) / NEIGHBOURS + 1) * BLOCK


def tracer_of(graph: Any, block: int) -> Callable[[Iterable[int]], Iterator[Part]]:
    """Return a function that traces blocks of sources on an executor."""

    def work(firsts: Iterable[int]) -> Iterator[Part]:
        """Trace blocks of nodes on an executor."""
        known = graph.value
        gc.freeze()  # nobody looks for garbage in what is here to stay
        for first in firsts:
            yield from parts(known, first, min(first + block, known.nodes))

    return work


def parts(graph: Arrays, first: int, last: int) -> Iterator[Part]:
    """All pairs from some columns; where they are too many to be held, from one half after the
    other.
    """
    found = part_of(graph, first, last, MOST if last - first > 1 else None)
    if found is not None:
        yield found
    else:
        middle = (first + last) // 2
        yield from parts(graph, first, middle)
        yield from parts(graph, middle, last)


def part_of(graph: Arrays, first: int, last: int, most: int | None = None) -> Part | None:
    """All pairs from the columns of a range, breadth first; None if there are more than so many.

    A pair is one number: the column's place in the range, and then the bits of the other one. The
    ends of a column ascend, so that of several ways of one length the first goes through the
    smallest.
    """
    shift = graph.nodes.bit_length()
    border = np.arange(first, last) | np.arange(last - first) << shift
    met = Met(border)
    subtypes = IDENTITY
    levels: list[tuple[Any, Any, Any]] = []
    pairs = 0
    while len(border):
        ends = border & (1 << shift) - 1
        low = graph.starts[ends]
        counts = graph.starts[ends + 1] - low
        total = int(counts.sum())
        if most is not None and pairs + total > most:
            return None

        origin = np.repeat(np.arange(len(ends), dtype=np.int32), counts)
        edge = np.arange(total) + np.repeat(low - (np.cumsum(counts) - counts), counts)
        keys, order = order_keys((border - ends)[origin] + graph.targets[edge])
        made = compose_subtypes(graph.subtypes[edge], subtypes[origin] if levels else subtypes)[
            order
        ]
        heads = np.flatnonzero(np.concatenate((keys[:1] >= 0, keys[1:] != keys[:-1])))
        if len(heads) < total:
            keys, order, made = keys[heads], order[heads], np.bitwise_or.reduceat(made, heads)

        fresh = ~met.has(keys)
        if not fresh.all():
            keys, order, made = keys[fresh], order[fresh], made[fresh]

        if not len(keys):
            break

        met.add(keys)
        border, subtypes = keys, made
        levels.append((keys, ends[origin[order]].astype(np.int32), made))
        pairs += len(keys)

    return _join_levels(first, last - first, shift, levels)


def _join_levels(first: int, count: int, shift: int, levels: list[tuple[Any, Any, Any]]) -> Part:
    """Join the levels of a trace into one part, sorted by source."""
    nothing = (np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.uint16))
    keys, vias, subtypes = map(np.concatenate, zip(nothing, *levels, strict=True))
    numbers = np.arange(1, len(levels) + 1, dtype=np.min_scalar_type(len(levels)))
    depths = np.repeat(numbers, [len(each) for each, *_ in levels])
    keys, order = order_keys(keys)
    counts = np.diff(np.searchsorted(keys, np.arange(count + 1) << shift))
    targets = (keys & (1 << shift) - 1).astype(np.int32)
    return Part(
        first, counts.astype(np.int32), targets, depths[order], vias[order], subtypes[order]
    )


def order_keys(keys: Any) -> tuple[Any, Any]:
    """The keys in order, those that are equal as they stood, and which they were.

    Where there is room in a number, it has both: that is sorted several times faster.
    """
    bits = len(keys).bit_length()
    if len(keys) and int(keys.max()).bit_length() + bits < 64:
        packed = keys << bits | np.arange(len(keys))
        packed.sort()
        return packed >> bits, packed & (1 << bits) - 1

    order = np.argsort(keys, kind="stable")
    return keys[order], order


def compose_subtypes(outer: Any, inner: Any) -> Any:
    """Return the subtypes of paths of two steps."""
    return COMPOSED[outer.astype(np.int64) << len(BITS) | inner]


class Met:
    """The pairs that were met: sorted runs; and a table of marks, of which most say that a pair was
    not.
    """

    def __init__(self, keys: Any) -> None:
        self.runs: list[Any] = []
        self.marks = np.zeros(1 << MARKS, bool)
        self.add(keys)

    def has(self, keys: Any) -> Any:
        """Tell for each key whether it was met."""
        found = self.marks[_mark(keys)]
        marked = np.flatnonzero(found)
        if len(marked):
            suspects = keys[marked]
            found[marked] = False
            for run in self.runs:
                at = np.searchsorted(run, suspects)
                at[at == len(run)] = 0
                found[marked] |= run[at] == suspects

        return found

    def add(self, keys: Any) -> None:
        """Remember keys."""
        self.marks[_mark(keys)] = True
        self.runs.append(keys)
        if len(self.runs) > MOST_RUNS:
            self.runs = [np.sort(np.concatenate(self.runs))]


def _mark(keys: Any) -> Any:
    """Fibonacci hashing: the upper bits of a product."""
    return keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - MARKS)


# -- by joins --------------------------------------------------------------------------------------


def trace_by_depth(spark: SparkSession, graph: Arrays) -> Iterator[pa.Table]:
    """Yield the pairs depth by depth: the pairs of the last depth go one edge further, and known
    pairs are left out.
    """
    sources = np.repeat(np.arange(graph.nodes, dtype=np.int32), np.diff(graph.starts))
    table = pa.table(
        {"source": sources, "target": graph.targets, "subtypes": graph.subtypes.astype(np.int32)}
    )
    edges = spark.createDataFrame(table).where("source <> target").localCheckpoint()
    border = edges.select(
        "source", "target", F.lit(1).alias("depth"), F.col("source").alias("via"), "subtypes"
    )
    levels = [border]
    depth = 1
    steps = edges.select(
        F.col("source").alias("end"), F.col("target").alias("next"), F.col("subtypes").alias("step")
    )
    known = border.select("source", "target")
    while True:
        depth += 1
        onward = border.join(steps, F.col("target") == F.col("end")).where("source <> next")
        united = onward.groupBy("source", "next").agg(
            F.min("target").alias("via"), F.bit_or(_composed_by_spark()).alias("subtypes")
        )
        fresh = united.withColumnRenamed("next", "target").join(
            known, ["source", "target"], "left_anti"
        )
        border = fresh.select(
            "source", "target", F.lit(depth).alias("depth"), "via", "subtypes"
        ).localCheckpoint()
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
    """Return Spark's expression for the composition of two sets of subtypes."""
    table = ", ".join(map(str, STRONGEST))
    return F.expr(
        f"(step & {INDIRECT}) | IF((step & {DIRECT}) <> 0, subtypes & {INDIRECT}, 0)"
        f" | element_at(array({table}), (step & {DIRECT}) * {DIRECT + 1} + (subtypes & {DIRECT}) + 1)"
    )

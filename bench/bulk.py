"""lineal pipeline next to an analysis of each row by itself, in one Spark session; and the closure
next to scipy's.

LINEAL_BENCH_ROWS (1,000,000) rows of a log over a hundredth as many statements: half of the repeats
are exact, half differ in literals. LINEAL_BENCH_EDGES (1,000,000) edges, ten deep.
"""

from __future__ import annotations

import gc
import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lineal.model.script import Corpus
from lineal.spark.pipeline import Options, run
from lineal.spark.pipeline.closure import Arrays, arrays, trace_in_blocks
from lineal.spark.pipeline.folder import Local
from lineal.spark.pipeline.gathering import PackedMemory, Resolved
from lineal.spark.pipeline.logged import Logged
from lineal.spark.pipeline.parcels import Part
from lineal.spark.pipeline.resolve import Resolution, resolve
from lineal.spark.pipeline.ship import start_session
from lineal.spark.pipeline.stages import Run
from lineal.spark.pipeline.state import State
from lineal.spark.pipeline.statements import Log
from lineal.spark.pipeline.tables import Pages

ROWS = int(os.environ.get("LINEAL_BENCH_ROWS", "1000000"))
EDGES = int(os.environ.get("LINEAL_BENCH_EDGES", "1000000"))
DEEP = 10
SAMPLE = 3_000
TURNS = 7

SHAPES = (
    """CREATE OR REPLACE TABLE mart.daily_{i} AS
       SELECT o.day, c.region_{i}, sum(o.amount * (1 - o.discount)) AS revenue, count(DISTINCT o.customer_id) AS buyers
       FROM raw.orders_{i} o JOIN raw.customers c ON o.customer_id = c.id
       WHERE o.day BETWEEN '{n}' AND '{m}' AND o.status IN ('paid', 'sent{n}') GROUP BY o.day, c.region_{i}""",
    """SELECT d.day, d.revenue, lag(d.revenue) OVER (ORDER BY d.day) AS before_{i}
       FROM mart.daily_{i} d WHERE d.buyers > {n} AND d.revenue < {m}.5 ORDER BY d.day LIMIT {n}""",
    """INSERT INTO mart.totals_{i} (day, revenue) SELECT d.day, d.revenue FROM mart.daily_{i} d WHERE d.day = '{n}'""",
    """WITH recent AS (SELECT id, name_{i}, email FROM raw.customers WHERE created > {n})
       SELECT r.id, upper(r.name_{i}) AS name, CASE WHEN s.score > {m} THEN 'good' ELSE 'bad' END AS mark
       FROM recent r LEFT JOIN raw.scores_{i} s ON s.id = r.id WHERE s.kind = 'k{n}'""",
    """UPDATE mart.accounts_{i} SET balance = {n}, changed = '{m}' WHERE account_id = {n} AND region = 'r{m}'""",
)


class Figures(NamedTuple):
    alone: float
    """seconds that all rows would take one by one"""
    pipeline: float
    driver: float
    """bytes of memory at the peak: Python and the JVM"""
    cpu: float
    """seconds of driver and workers, from the statements to the tables of the result"""
    plain: float
    """seconds of one process for the same"""
    statements: int


def log(path: Path) -> int:
    """Write the log; how many statements it has."""
    random, distinct = Random(5), max(ROWS // 100, 50)

    def text(number: int, n: int, m: int) -> str:
        return SHAPES[number % len(SHAPES)].format(i=number // len(SHAPES), n=n, m=m)

    firsts = [text(number, 1, 2) for number in range(distinct)]
    schema = pa.schema([(name, pa.string()) for name in ("query_text", "user_name", "start_time")])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, ROWS, 100_000):
            numbers = range(start, min(start + 100_000, ROWS))
            texts = [
                firsts[at % distinct]
                if at < distinct or random.random() < 0.5
                else text(at % distinct, random.randrange(10**6), random.randrange(10**6))
                for at in numbers
            ]
            users = [f"user{at % 97}" for at in numbers]
            times = [f"2026-05-{1 + at * 27 // ROWS:02}T10:00:00Z" for at in numbers]
            writer.write_table(pa.table([texts, users, times], schema=schema))
    return distinct


def one_by_one() -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Every row analyzed by itself, whatever was analyzed before."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import lineal

        for batch in batches:
            counts = [len(lineal.lineage(text).edges) for text in batch.column(0).to_pylist()]
            yield pa.RecordBatch.from_arrays([pa.array(counts, pa.int64())], ["edges"])

    return work


def measure() -> Figures:
    with TemporaryDirectory() as folder, start_session("local[2]", {}) as spark:
        path = Path(folder, "log.parquet")
        log(path)
        sample = (
            spark.read.parquet(str(path))
            .select("query_text")
            .limit(SAMPLE)
            .repartition(2)
            .localCheckpoint()
        )
        for _ in range(2):  # what starts first is warm the second time
            alone = time_of(
                sample.mapInArrow(one_by_one(), "edges bigint").agg({"edges": "sum"}).collect
            )
        options = Options((str(path),), Path(folder, "out"), closure=False)
        started_at = time.perf_counter()
        summary = run(options, spark)
        took = time.perf_counter() - started_at
        memory = peak("self") + peak(str(java(spark)))
        corpus, log_ = Run(
            options, spark, State(Local(Path(folder, "again"))), lambda stage: None
        ).read()
        cpu, plain = in_turns(spark, corpus, log_, Path(folder))
        return Figures(alone * ROWS / SAMPLE, took, memory, cpu, plain, summary.statements)


def time_of(work: Any) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def in_turns(spark: Any, corpus: Corpus, log_: Log, folder: Path) -> tuple[float, float]:
    """Seconds of CPU of the pipeline and of one process, from statements to tables: the turn that
    is in the middle.

    What was taken is given back, which costs, too: a worker has to, and a process has when it ends.
    A second takes longer, by CPU too, where the other core is busy: as in the pipeline, two
    processes work at once.
    """
    turns = []
    scripts = log_.book.scripts()
    whole, logged = replace(corpus, scripts=scripts), log_.book.logged_statements(scripts)
    with get_context("spawn").Pool(2) as pool:
        for turn in range(TURNS):
            before = pythons()
            state = State(Local(folder / f"turn{turn}"))
            found = resolve(spark, replace(corpus), state, 60, log_.book)
            made = edges_in(found, folder / f"rows{turn}")
            ours = pythons() - before
            several = pool.map(in_one_process, [(whole, logged)] * 2, chunksize=1)
            turns.append((ours, mean(seconds for seconds, _ in several)))
            assert {edges for _, edges in several} == {made}
    return sorted(turns, key=lambda turn: turn[0] / turn[1])[TURNS // 2]


def in_one_process(given: tuple[Corpus, dict[str, Logged]]) -> tuple[float, int]:
    """Seconds of CPU, and how many edges there are."""
    before = time.process_time()
    with TemporaryDirectory() as folder:
        made = edges_in(resolved_here(*given), Path(folder, "rows"))
    return time.process_time() - before, made


def resolved_here(corpus: Corpus, logged: dict[str, Logged]) -> Resolution:
    part = Part(corpus, PackedMemory({}), None)
    found = part.within(60)
    resolved = Resolved(found, part.statements_of, {}, len(corpus.scripts), [])
    return Resolution(found.coverage, [], {}, 0, whole=(part, resolved, logged))


def edges_in(resolution: Resolution, folder: Path) -> int:
    """How many there are; everything else is given back."""

    def count(name: str, pages: Pages) -> int:
        return sum(page.num_rows for page in pages)

    rows = resolution.write(folder, count)
    gc.collect()
    return rows["edges"]


def pythons() -> float:
    """Seconds of CPU: this process, and the workers that its Spark keeps."""
    ticks, spent = os.sysconf("SC_CLK_TCK"), time.process_time()
    found = processes()
    for process in found.values():
        if b"pyspark.daemon" in process.command or b"pyspark/daemon" in process.command:
            ancestor = process.parent
            while ancestor in found and ancestor != os.getpid():
                ancestor = found[ancestor].parent
            if ancestor == os.getpid():
                spent += process.ticks / ticks
    return spent


class Process(NamedTuple):
    parent: int
    ticks: int
    """of CPU, with those of its children that are gone"""
    command: bytes


def processes() -> dict[int, Process]:
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            command = (status.parent / "cmdline").read_bytes()
            found[int(status.parent.name)] = Process(
                int(fields[1]), sum(map(int, fields[11:15])), command
            )
    return found


def java(spark: Any) -> int:
    return int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())


def peak(process: str) -> float:
    """Bytes that a process has held at most."""
    if process == "self" and not Path("/proc/self/status").exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    said = Path("/proc", process, "status").read_text()
    return (
        int(next(line for line in said.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024
    )


# -- the closure -----------------------------------------------------------------------------------


class Closing(NamedTuple):
    own: float
    scipy: float
    pairs: int

    @property
    def ratio(self) -> float:
        return self.own / self.scipy


def layers(share: float) -> Arrays:
    """Eleven layers of columns; each is made of one of the layer before, and that share of them of
    another one, too.
    """
    random = np.random.default_rng(3)
    width = int(EDGES / DEEP / (1 + share))
    nodes = (DEEP + 1) * width
    into = np.arange(width)
    ends = []
    for layer in range(DEEP):
        for targets in (into, into[random.random(width) < share]):
            sources = layer * width + random.integers(0, width, len(targets))
            ends.append(sources * nodes + (layer + 1) * width + targets)
    sources, targets = np.divmod(np.unique(np.concatenate(ends)), nodes)
    return arrays(sources, targets, np.full(len(sources), 2), nodes)


def by_scipy(graph: Arrays) -> int:
    """All pairs with their depths, by products of sparse matrices; nothing is met twice in layers."""
    from scipy import sparse

    ones = np.ones(len(graph.targets), np.int8)
    step = sparse.csr_matrix((ones, graph.targets, graph.starts), shape=(graph.nodes, graph.nodes))
    border, pairs = step, 0
    depths = []
    while border.nnz:
        pairs += border.nnz
        depths.append(border.tocoo())
        border = border @ step
        border.data[:] = 1
    return pairs


def closure(share: float) -> Closing:
    """Seconds of lineal and of scipy, the better of three tries each, and the pairs."""
    graph = layers(share)
    with start_session("local[2]", {}) as spark:
        tries = [(_time_trace(spark, graph), time_of(lambda: by_scipy(graph))) for _ in range(3)]
        own, scipy = map(min, zip(*tries, strict=True))
    return Closing(own, scipy, by_scipy(graph))


def _time_trace(spark: Any, graph: Arrays) -> float:
    found = 0
    begun = time.perf_counter()
    for table in trace_in_blocks(spark, graph):
        found += table.num_rows
    took = time.perf_counter() - begun
    assert found == by_scipy(graph)
    return took

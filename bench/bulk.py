"""lineal pipeline beside an analysis of each row by itself, in one Spark session; and the closure beside scipy's.

LINEAL_BENCH_ROWS (1,000,000) rows of a log over a hundredth as many statements: half of the repeats are exact, half
differ in literals. LINEAL_BENCH_EDGES (1,000,000) edges, ten deep.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lineal.spark.bulk import Options, pipeline, run
from lineal.spark.bulk.closure import Arrays, arrays, traced
from lineal.spark.bulk.pipeline import Run
from lineal.spark.bulk.resolve import here
from lineal.spark.bulk.state import State
from lineal.spark.bulk.tables import tables
from lineal.spark.session import session

ROWS = int(os.environ.get("LINEAL_BENCH_ROWS", "1000000"))
EDGES = int(os.environ.get("LINEAL_BENCH_EDGES", "1000000"))
DEEP = 10
SAMPLE = 3_000

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
    """seconds of all Python processes, from the statements to the tables of the result"""
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
    """Every row analysed by itself, whatever was analysed before."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import lineal

        for batch in batches:
            counts = [len(lineal.lineage(text).edges) for text in batch.column(0).to_pylist()]
            yield pa.RecordBatch.from_arrays([pa.array(counts, pa.int64())], ["edges"])

    return work


def measure() -> Figures:
    with TemporaryDirectory() as folder:
        path = Path(folder, "log.parquet")
        log(path)
        spark = session("local[2]")
        sample = spark.read.parquet(str(path)).select("query_text").limit(SAMPLE).repartition(2).localCheckpoint()
        for _ in range(2):  # what starts first is warm the second time
            alone = timed(sample.mapInArrow(one_by_one(), "edges bigint").agg({"edges": "sum"}).collect)
        spent: list[float] = []
        options = Options((str(path),), Path(folder, "out"), closure=False)
        started = time.perf_counter()
        with watched(spent):
            summary = run(options, spark)
        took = time.perf_counter() - started
        memory = peak("self") + peak(str(java(spark)))
        corpus, log_ = Run(options, spark, State(Path(folder, "again")), lambda stage: None).read()
        before = time.process_time()
        made = tables(here(corpus), log_.statements, log_.quarantined)
        plain = time.process_time() - before
        assert made["edges"].num_rows == summary.edges
        return Figures(alone * ROWS / SAMPLE, took, memory, sum(spent), plain, summary.statements)


def timed(work: Any) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


class watched:
    """The CPU that Python processes spend in the stages that extract and make tables."""

    def __init__(self, spent: list[float]) -> None:
        self.spent = spent

    def __enter__(self) -> None:
        self.stages = pipeline.resolve, pipeline.tables
        pipeline.resolve, pipeline.tables = map(self.counted, self.stages)  # type: ignore[assignment]

    def __exit__(self, *_: object) -> None:
        pipeline.resolve, pipeline.tables = self.stages

    def counted(self, stage: Any) -> Any:
        def work(*arguments: Any) -> Any:
            before = pythons()
            found = stage(*arguments)
            self.spent.append(pythons() - before)
            return found

        return work


def pythons() -> float:
    """Seconds of CPU: this process, and the workers that Spark keeps."""
    ticks = os.sysconf("SC_CLK_TCK")
    spent = time.process_time()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            command = (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if b"pyspark.daemon" in command or b"pyspark/daemon" in command:
            spent += sum(map(int, fields[11:15])) / ticks
    return spent


def java(spark: Any) -> int:
    return int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())


def peak(process: str) -> float:
    """Bytes that a process has held at most."""
    if process == "self" and not Path("/proc/self/status").exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    said = Path("/proc", process, "status").read_text()
    return int(next(line for line in said.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024


# -- the closure -------------------------------------------------------------------------------------------------


def layers() -> Arrays:
    """Eleven layers of columns; each of a layer is made of one or two of the layer before."""
    random = np.random.default_rng(3)
    width = EDGES // DEEP
    sources = [layer * width + random.integers(0, width, width) for layer in range(DEEP)]
    targets = [(layer + 1) * width + np.arange(width) for layer in range(DEEP)]
    return arrays(np.concatenate(sources), np.concatenate(targets), np.full(EDGES, 2), (DEEP + 1) * width)


def by_scipy(graph: Arrays) -> int:
    """All pairs with their depths, by products of sparse matrices."""
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


def closure() -> tuple[float, float | None, int]:
    """Seconds of lineal and of scipy, where it is installed, and the pairs."""
    graph = layers()
    spark = session("local[2]")
    sum(table.num_rows for table in traced(spark, arrays(*np.zeros((3, 1), np.int64), 1)))  # warm
    started = time.perf_counter()
    pairs = sum(table.num_rows for table in traced(spark, graph))
    own = time.perf_counter() - started
    try:
        started = time.perf_counter()
        assert by_scipy(graph) == pairs
    except ImportError:
        return own, None, pairs
    return own, time.perf_counter() - started, pairs

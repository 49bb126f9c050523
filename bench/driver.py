"""What the driver of `lineal pipeline` holds and computes as the log grows.

    python bench/driver.py 2000 10000 30000
    python bench/driver.py --short 10000 100000     short statements: most of the time is Spark's
    python bench/driver.py --hub 10000              all of them read one view of the log
    python bench/driver.py --depth 5 50 500         2,000 statements in chains of these lengths
    python bench/driver.py --held 10000 300000      only what the driver holds, without Spark

Each size is a process and a session of its own: a log of so many distinct statements of
`bench/bulk.py`. It prints memory of the driver at the peak (Python and JVM), the JVM's live heap
after each stage, the driver's share of the Python CPU, and the slopes from size to size.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bulk import SHAPES, java, peak, pythons
from lineal.model.script import Corpus, Script
from lineal.spark.pipeline import Options, run
from lineal.spark.pipeline.blobs import Records
from lineal.spark.pipeline.book import Book, page_of
from lineal.spark.pipeline.components import component_numbers, members
from lineal.spark.pipeline.facts import LENGTH, Facts
from lineal.spark.pipeline.logged import Logged
from lineal.spark.pipeline.parts import split
from lineal.spark.pipeline.share import Setting, evaluate_levels, evaluate_rows
from lineal.spark.pipeline.ship import start_session

SIZES = (2_000, 10_000, 30_000)
PAGE = os.sysconf("SC_PAGE_SIZE")
OFTEN = 0.05
IN_CHAINS = 2_000


def write_log(path: Path, statements: int) -> None:
    """Write a log in which no statement repeats."""
    texts = [
        SHAPES[number % len(SHAPES)].format(i=number // len(SHAPES), n=1, m=2)
        for number in range(statements)
    ]
    users = [f"user{number % 97}" for number in range(statements)]
    times = [
        f"2026-05-{1 + number * 27 // statements:02}T10:00:00Z" for number in range(statements)
    ]
    names = ["query_text", "user_name", "start_time"]
    pq.write_table(pa.table([texts, users, times], names=names), path)


def write_texts(path: Path, texts: list[str]) -> None:
    """Write a log of some statements, in their order."""
    times = [
        f"2026-05-01T{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}Z"
        for at in range(len(texts))
    ]
    pq.write_table(pa.table([texts, times], names=["query_text", "start_time"]), path)


def write_short(path: Path, statements: int) -> None:
    """Write a log of short statements, in pairs that read each other."""
    shapes = (
        "CREATE TABLE m.t{i} AS SELECT x.a, x.b{i} FROM s.u{i} x",
        "SELECT y.a FROM m.t{i} y WHERE y.b{i} > 0",
    )
    write_texts(path, [shapes[at % 2].format(i=at // 2) for at in range(statements)])


def write_hub(path: Path, statements: int) -> None:
    """Write a log in which all statements read one view."""
    view = "CREATE VIEW m.calendar AS SELECT d.day, d.week FROM raw.days d"
    reader = "CREATE TABLE m.t{i} AS SELECT c.week, x.b{i} FROM s.u{i} x JOIN m.calendar c ON c.day = x.day"
    write_texts(path, [view, *(reader.format(i=at) for at in range(1, statements))])


def write_chains(path: Path, depth: int) -> None:
    """Write a log of views, each over the one before it; so many in a chain."""
    write_texts(path, chains(depth))


def chains(depth: int) -> list[str]:
    """Return views, each over the one before it; so many in a chain."""
    return [
        f"CREATE VIEW v_{number // depth}_{number % depth} AS SELECT a, b + {number} AS b, c"
        f" FROM v_{number // depth}_{number % depth - 1} x WHERE x.c > 0"
        if number % depth
        else f"CREATE VIEW v_{number // depth}_0 AS SELECT a, b, c FROM raw.t_{number}"
        for number in range(IN_CHAINS)
    ]


def resident_bytes() -> int:
    """Return the bytes that this process holds now."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE


class Stages:
    """Notes at the start of each stage what the stage before has held and computed."""

    def __init__(self, spark: Any) -> None:
        self.jvm = spark.sparkContext._jvm
        self.name = "start"
        self.most = 0
        self.found: list[dict[str, Any]] = []
        self.own, self.all = time.process_time(), pythons()
        self.ended = threading.Event()
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self) -> None:
        """Note the most that Python holds."""
        while not self.ended.wait(OFTEN):
            self.most = max(self.most, resident_bytes())

    def begin(self, name: str) -> None:
        """Close the stage before."""
        own, every = time.process_time(), pythons()
        self.jvm.java.lang.System.gc()
        runtime = self.jvm.java.lang.Runtime.getRuntime()
        self.found.append({
            "stage": self.name, "python": self.most, "heap": runtime.totalMemory() - runtime.freeMemory(),
            "own": own - self.own, "all": every - self.all,
        })  # fmt: skip
        self.name, self.most, self.own, self.all = name, resident_bytes(), own, every


# -- without Spark ---------------------------------------------------------------------------------

SAMPLE = 500


def sample() -> tuple[pa.Table, list[bytes]]:
    """Return a page of a book, and the records of its statements."""
    texts = [SHAPES[at % len(SHAPES)].format(i=at // len(SHAPES), n=1, m=2) for at in range(SAMPLE)]
    names = [f"query_{at:08}" for at in range(SAMPLE)]
    scripts = [
        Script(text, "", name, target=name, one_line=True, recurs=True)
        for text, name in zip(texts, names, strict=True)
    ]
    logged = [
        Logged("", each.file, each.text, 1, "2026-05-01", "2026-05-01", ("eve",), "", "")
        for each in scripts
    ]
    page = page_of(scripts, logged, b"")
    glance = Book.from_scripts(Path(gettempdir()), scripts, b"").glance()
    rows = [
        {
            "key": key,
            "script": script,
            "mentions": [],
            "writes": [],
            "level": int(level),
            "record": None,
        }
        for key, script, level in zip(
            page["key"].to_pylist(), page["script"].to_pylist(), glance.levels, strict=True
        )
    ]
    rows.sort(key=itemgetter("level"))
    setting = Setting("", [], [], "", True, [], 60)
    found = {
        row["key"]: row["record"]
        for batch in evaluate_levels(rows, setting, evaluate_rows)
        for row in batch.to_pylist()
    }
    return page, [found[key] for key in page["key"].to_pylist()]


def other_page(page: pa.Table, turn: int) -> pa.Table:
    """Return the page of other statements, with other names."""
    keys = [hashlib.blake2b(key + bytes([turn % 256, turn >> 8]), digest_size=20).digest()
            for key in page["key"].to_pylist()]  # fmt: skip
    found = page.set_column(0, page.schema.field(0), pa.array(keys, pa.binary()))
    for name in ("makes", "fills", "words"):
        column = found[name].combine_chunks()
        numbers = pa.array(column.flatten().to_numpy() ^ turn)
        made = pa.ListArray.from_arrays(column.offsets, numbers)
        found = found.set_column(found.schema.get_field_index(name), name, made)

    return found.cast(page.schema)


def other_record(record: bytes, turn: int) -> bytes:
    """Return the record of another statement."""
    end = LENGTH + int.from_bytes(record[:LENGTH], "little")
    numbers = np.frombuffer(record[LENGTH:end], np.int64).copy()
    numbers[len(Facts._fields) :] ^= turn
    return record[:LENGTH] + numbers.tobytes() + record[end:]


def hold(size: int) -> None:
    """Put so many statements in a book, find their levels, groups and parts, and print the memory."""
    page, records = sample()
    gc.collect()
    before, began = resident_bytes(), time.process_time()
    with TemporaryDirectory() as folder:
        book, known = Book(Path(folder), True), Records(Path(folder))
        for turn in range(size // SAMPLE):
            several = other_page(page, turn)
            book.add(several)
            for key, record in zip(several["key"].to_pylist(), records, strict=True):
                known.put(key, other_record(record, turn))
        glance = book.glance()
        levels, mentions = glance.levels.max() + 1, glance.mentions
        groups = sum(1 for _ in members(
            component_numbers(size, mentions.statements, mentions.names, glance.names)
        ))  # fmt: skip
        looked = resident_bytes() - before
        del glance, mentions
        parts = split(book, Corpus(""), known, set())
        held = resident_bytes() - before
        took = (time.process_time() - began) / size * 1e6
        most = max(held, looked, peak("self") - before)
        print(
            f"{size:,} statements, {levels} levels, {groups:,} groups, {len(parts):,} parts: {held / 1e6:,.0f} MB held,"
            f" at the most {most / 1e6:,.0f} MB; {took:.0f} µs of CPU for each"
        )


WRITERS = {
    "--size": write_log,
    "--short": write_short,
    "--hub": write_hub,
    "--depth": write_chains,
}


def measure(kind: str, size: int) -> dict[str, Any]:
    """Run the pipeline once."""
    with TemporaryDirectory() as folder, start_session("local[2]", {}) as spark:
        path = Path(folder, "log.parquet")
        # by another process: its memory is not the driver's
        subprocess.run([sys.executable, __file__, "--write", kind, str(size), path], check=True)
        stages = Stages(spark)
        begun = time.perf_counter()
        summary = run(Options((str(path),), Path(folder, "out")), spark, stages.begin)
        took = time.perf_counter() - begun
        stages.begin("end")
        stages.ended.set()
        own, every = (sum(each[which] for each in stages.found) for which in ("own", "all"))
        return {
            "statements": summary.statements, "edges": summary.edges, "seconds": took,
            "python": peak("self"), "jvm": peak(str(java(spark))),
            "heap": max(each["heap"] for each in stages.found), "own": own, "all": every,
            "stages": stages.found,
        }  # fmt: skip


def run_apart(kind: str, size: int) -> dict[str, Any]:
    """Run the pipeline once in a process of its own."""
    command = [sys.executable, __file__, "--one", kind, str(size)]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(json.loads(said.splitlines()[-1]))


def tell(found: dict[str, Any], before: dict[str, Any] | None) -> None:
    """Print the figures of a size, and the slopes since the size before."""
    mb = {name: found[name] / 1e6 for name in ("python", "jvm", "heap")}
    print(
        f"{found['statements']:,} statements, {found['edges']:,} edges, {found['seconds']:.0f} s: Python"
        f" {mb['python']:,.0f} MB, JVM {mb['jvm']:,.0f} MB ({mb['heap']:,.0f} MB of live heap); CPU of"
        f" Python {found['all']:.1f} s, the driver's share {found['own'] / found['all']:.1%}"
    )
    for each in found["stages"]:
        print(
            f"    {each['stage']:8} Python {each['python'] / 1e6:7,.0f} MB, heap {each['heap'] / 1e6:6,.0f} MB,"
            f" CPU {each['own']:6.1f} of {each['all']:6.1f} s"
        )
    if before is not None:
        more = found["statements"] - before["statements"]
        slopes = (
            f"{name} {(found[name] - before[name]) / more / 1e3:.1f} KB"
            for name in ("python", "heap", "jvm")
        )
        print(f"    more for each statement: {', '.join(slopes)}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(sys.argv[2], int(sys.argv[3]))))
    elif sys.argv[1:2] == ["--write"]:
        WRITERS[sys.argv[2]](Path(sys.argv[4]), int(sys.argv[3]))
    elif sys.argv[1:2] == ["--hold"]:
        hold(int(sys.argv[2]))
    elif sys.argv[1:2] == ["--held"]:
        for size in sys.argv[2:]:
            subprocess.run([sys.executable, __file__, "--hold", size], check=True)
    elif sys.argv[1:2] == ["--depth"]:
        for depth in map(int, sys.argv[2:]):
            print(f"depth {depth}: ", end="")
            tell(run_apart("--depth", depth), None)
    else:
        kind = sys.argv.pop(1) if sys.argv[1:2] in (["--short"], ["--hub"]) else "--size"
        last = None
        for size in map(int, sys.argv[1:] or SIZES):
            made = run_apart(kind, size)
            tell(made, last)
            last = made

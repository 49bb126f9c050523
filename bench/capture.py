"""A Spark job of several writes, with and without capture; and what it takes to begin to watch.

    python bench/capture.py

Wall-clock time, the smallest of several rounds in which the two take turns. The time with capture
is that of the whole block: to attach, to write the events of each write to a file, to wait for the
listeners at the end.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from lineal.spark import capture
from lineal.spark.session import session

ROWS = 200_000
WRITES = 4
ROUNDS = 5


class Figures(NamedTuple):
    """Seconds."""

    first: float
    """to attach for the first time, which compiles the listener"""
    plain: float
    watched: float
    edges: int

    @property
    def cost(self) -> float:
        """How much longer the job takes, as a share."""
        return self.watched / self.plain - 1


def measure() -> Figures:
    spark = session(f"local[{os.cpu_count() or 2}]")
    with TemporaryDirectory(prefix="lineal-") as folder:
        events = Path(folder, "events.ndjson")
        make_sales(spark, folder)
        start = time.perf_counter()
        with capture(spark):
            first = time.perf_counter() - start
        found: list[int] = []

        def watched() -> None:
            with capture(spark, to=events) as captured:
                job(spark, folder)
            found.append(len(captured.extraction.edges))

        times = smallest_times({"plain": lambda: job(spark, folder), "watched": watched})
        return Figures(first, times["plain"], times["watched"], found[-1])


def smallest_times(contenders: dict[str, Callable[[], None]]) -> dict[str, float]:
    times: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, contender in contenders.items():
            start = time.perf_counter()
            contender()
            took = time.perf_counter() - start
            times[name] = min(times.get(name, took), took)
    return times


def make_sales(spark: Any, folder: str) -> None:
    columns = [f"hash(id, {number}) % 1000 AS c{number}" for number in range(20)]
    spark.range(ROWS).selectExpr(
        "id", "id % 97 AS shop", "id % 365 AS day", *columns
    ).write.parquet(f"{folder}/sales")


def job(spark: Any, folder: str) -> None:
    """Reads the sales and writes them, joined and grouped, in some ways."""
    sales = spark.read.parquet(f"{folder}/sales").where("day > 10")
    for number in range(WRITES):
        path = f"{folder}/out{number}"
        shutil.rmtree(path, ignore_errors=True)
        totals = sales.groupBy("shop").agg({f"c{each}": "sum" for each in range(number + 5)})
        sales.join(totals, "shop").where(f"c{number} > day").groupBy("day").max().write.parquet(
            path
        )


def main() -> None:
    figures = measure()
    times = f"without {figures.plain:.2f} s, with capture {figures.watched:.2f} s"
    print(f"{times}: {figures.cost:+.1%}; {figures.edges} edges")
    print(f"to attach for the first time: {figures.first:.2f} s")


if __name__ == "__main__":
    main()

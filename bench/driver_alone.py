"""What the driver of `lineal pipeline` holds and computes, without the work of executors.

    python bench/driver_alone.py 10000 30000 100000 300000
    python bench/driver_alone.py --depth 5 50 500       CPU of the executors for chains of views

Each size is a process of its own. The driver does all that it does in a run, from the pages of
statements that it fetches to the tables and the closure that it writes. In place of Spark, the
answers of executors to 500 statements are given again and again, with other names. So a size takes
seconds that takes hours with Spark.

The exit code is 1 if the driver takes more than 25 % more memory for the last size than for the first.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bulk import SHAPES, peak
from driver import SAMPLE, chains, other_page, other_record, resident_bytes, sample
from lineal.model.boundary import DEBUG
from lineal.model.script import Corpus, Script
from lineal.spark.pipeline import resolve
from lineal.spark.pipeline.book import Book
from lineal.spark.pipeline.folder import Local
from lineal.spark.pipeline.logged import Logged
from lineal.spark.pipeline.pages import pack_page, read_page
from lineal.spark.pipeline.parcels import ABOUT, PARCEL_SCHEMA, PartSetting, parcel_of
from lineal.spark.pipeline.parts import PartNumbers
from lineal.spark.pipeline.share import Setting, evaluate_levels, evaluate_rows
from lineal.spark.pipeline.shelving import Kept
from lineal.spark.pipeline.stages import Options, Run
from lineal.spark.pipeline.state import State
from lineal.spark.pipeline.statements import Log
from lineal.spark.pipeline.tables import statement_pages

FLAT = 1.25
"""How much more memory the last size may take than the first."""

NAMED = ("source_dataset", "target_dataset", "target", "dataset", "by")
"""Columns with names of tables."""


class NoSession:
    """The settings of a session that nobody started."""

    def __init__(self) -> None:
        self.conf: dict[str, str] = {}


class Answers:
    """The answers of executors, made from those to a sample."""

    def __init__(self) -> None:
        self.page, self.records = sample()
        columns = {name: self.page[name].to_pylist() for name in ("key", "script", "seen")}
        rows = [
            {"at": at, "record": record, "lent": False, **dict(zip(columns, values, strict=True))}
            for at, (record, *values) in enumerate(
                zip(self.records, *columns.values(), strict=True)
            )
        ]
        setting = PartSetting(Setting("", [], [], "", True, [], 60), False, True)
        (self.about, *tables) = parcel_of(rows, setting).to_pylist()
        self.tables = [(each["name"], read_page(each["data"])) for each in tables]
        self.took = 0.0
        """seconds of CPU to make them, which are not the driver's"""

    def records_of(self, levels: Any, groups: list[Any]) -> list[resolve.Answer]:
        """Return records, as a job would."""
        sent = [pack_page(page) for page in map(levels.page, levels.shares(groups))]
        began = time.process_time()
        found = [
            (levels.book.key(at), other_record(self.records[at % SAMPLE], at // SAMPLE), None)
            for at in np.concatenate(groups).tolist()
        ]
        self.took += time.process_time() - began
        del sent
        return found

    def parcels_of(self, levels: Any, parts: list[pa.Table], *_: Any) -> list[pa.RecordBatch]:
        """Return the rows of parts, as a job would."""
        sent = [pack_page(part) for part in parts]
        began = time.process_time()
        numbers = np.concatenate([part["at"].to_numpy() for part in parts])
        turns = (numbers[numbers % SAMPLE == 0] // SAMPLE).tolist()
        found = [self.parcel(turn) for turn in turns]
        self.took += time.process_time() - began
        del sent
        return found

    def parcel(self, turn: int) -> pa.RecordBatch:
        """Return the rows of the sample with other names and places."""
        rows = [(ABOUT, self.about["data"])]
        rows += [(name, pack_page(self.renamed(table, turn))) for name, table in self.tables]
        names, data = map(list, zip(*rows, strict=True))
        arrays = [pa.array(names, pa.string()), pa.array(data, pa.binary())]
        return pa.RecordBatch.from_arrays(arrays, schema=PARCEL_SCHEMA)

    def renamed(self, table: pa.Table, turn: int) -> pa.Table:
        """Return rows with other names and places."""
        for at, field in enumerate(table.schema):
            column = table.column(at)
            if field.name in NAMED and pa.types.is_string(field.type):
                column = pc.binary_join_element_wise(column, f"_{turn}", "")
            elif field.name == "at":
                column = pc.if_else(pc.less(column, 0), column, pc.add(column, turn * SAMPLE))

            table = table.set_column(at, field, column)

        return table


def log_of(answers: Answers, size: int, folder: Path) -> Log:
    """Return a log of so many statements, page by page."""
    texts = [SHAPES[at % len(SHAPES)].format(i=at // len(SHAPES), n=1, m=2) for at in range(SAMPLE)]
    day = "2026-05-01"
    logged = [
        Logged(f"{at:040}", f"query_{at:08}", text, 1, day, day, ("eve",), "", "")
        for at, text in enumerate(texts)
    ]
    statements = pack_page(pa.concat_tables(statement_pages(logged)))
    log = Log(Book(folder, True), Kept(folder), size, size, size, {}, {})
    for turn in range(size // SAMPLE):
        began = time.process_time()
        page = pack_page(other_page(answers.page, turn))
        answers.took += time.process_time() - began
        log.tables.add(statements)
        log.book.add(read_page(page))

    return log


def measure(size: int) -> None:
    """Run the driver once, and print what it takes."""
    os.environ[DEBUG] = "1"  # raise a failure here instead of resolving the whole log again
    answers = Answers()
    # executors need not agree that names are not shared by parts: these are told apart by turns
    resolve.has_crossed = lambda defined, met: False
    resolve.Levels.tasks = 2
    resolve.Levels.elsewhere = lambda levels, groups: answers.records_of(levels, groups)
    resolve.Levels.parcels_elsewhere = lambda levels, *about: answers.parcels_of(levels, *about)
    stages: list[tuple[str, int]] = []

    def say(stage: str) -> None:
        stages.append((stage, peak("self")))
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # begins a new peak

    session: Any = NoSession()
    with TemporaryDirectory() as folder:
        out = Path(folder, "out")
        state = State(Local(out))
        run = Run(Options((folder,), out), session, state, say)
        run.read = lambda: (Corpus(""), log_of(answers, size, out / "book"))
        before, began = resident_bytes(), time.process_time()
        answers.took = 0.0
        summary = run.all()
        took = (time.process_time() - began - answers.took) / size
        say("end")
        most = max(each for _, each in stages[1:]) / 1e6
        print(
            f"{size:,} statements, {summary.edges:,} edges: {most:,.0f} MB at the peak"
            f" ({before / 1e6:,.0f} MB before); {took * 1e6:,.0f} µs of CPU for each"
        )
        for (name, _), (_, most) in pairwise(stages):
            print(f"    {name:8} {most / 1e6:7,.0f} MB")


def measure_chains(depth: int) -> None:
    """Do the work of an executor for views in chains, and print the time."""
    texts = chains(depth)
    names = [f"query_{at:08}" for at in range(len(texts))]
    scripts = [
        Script(text, "", name, target=name, one_line=True, recurs=True)
        for text, name in zip(texts, names, strict=True)
    ]
    logged = [Logged("", each.file, each.text, 1, "", "", (), "", "") for each in scripts]
    session: Any = NoSession()
    with TemporaryDirectory() as folder:
        book = Book.from_scripts(Path(folder), scripts, b"", logged)
        state = State(Local(Path(folder, "out")))
        levels = resolve.Levels(session, Corpus(""), book, state, 60)
        every = np.arange(len(book))
        rows = levels.page([every]).to_pylist()
        began = time.process_time()
        batches = list(evaluate_levels(rows, levels.setting, evaluate_rows))
        evaluated = time.process_time()
        found = {row["key"]: row["record"] for batch in batches for row in batch.to_pylist()}
        state.keep(found, {}, set())
        part = levels.statements(PartNumbers(every, every[:0])).to_pylist()
        times = [time.process_time()]
        for closure in (False, True):
            parcel_of(part, PartSetting(levels.setting, False, closure))
            times.append(time.process_time())

    resolved, closed = (after - before for before, after in pairwise(times))
    print(
        f"depth {depth}, {len(texts):,} statements: evaluated in {evaluated - began:.1f} s of CPU, resolved in"
        f" {resolved:.1f} s, closure {closed - resolved:.1f} s"
    )


def measure_apart(size: str) -> int:
    """Run the driver in a process of its own, and return the megabytes at the peak."""
    asked = [sys.executable, __file__, "--one", size]
    told = subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout
    print(told, end="", flush=True)
    (most,) = re.findall(r"([\d,]+) MB at the peak", told)
    return int(most.replace(",", ""))


def main(asked: list[str]) -> int:
    """Measure what the arguments name."""
    if asked[:1] == ["--one"]:
        measure(int(asked[1]))
        return 0

    if asked[:1] == ["--depth"]:
        for each in asked[1:]:
            measure_chains(int(each))

        return 0

    peaks = list(map(measure_apart, asked))
    growth = peaks[-1] / peaks[0]
    print(f"{growth:.2f} times the memory for the last size, at most {FLAT}")
    return int(growth > FLAT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""On the executors: a share of the statements is parsed and evaluated; records travel back, as a memory keeps them."""

from __future__ import annotations

import marshal
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import current_thread, main_thread
from typing import Any, NamedTuple

import pyarrow as pa

from lineal.extract.memory import Held, Memory, Record
from lineal.extract.parallel import Foreign, Share
from lineal.extract.sql.parse import deep
from lineal.extract.timeline import order_matters
from lineal.model.collector import uncollected
from lineal.model.extraction import DatasetInfo
from lineal.model.script import Corpus, Function, Script
from lineal.spark.bulk.glance import words_of

TOGETHER = 200
"""Statements that are evaluated side by side."""

FOUND = "number int, key binary, record binary, fault string"
SCHEMA = pa.schema([("number", pa.int32()), ("key", pa.binary()), ("record", pa.binary()), ("fault", pa.string())])
PACKED = pa.schema([("number", pa.int32()), ("script", pa.binary())])
SlotNames = list[tuple[str, str, bool]]


class Told(NamedTuple):
    """What a statement that was read before defines: its key, its record without results, and the columns it makes."""

    key: bytes
    script: Script
    """without its text"""
    outline: Record
    columns: list[SlotNames | None]


class Setting(NamedTuple):
    """What all shares have in common."""

    dialect: str
    datasets: list[DatasetInfo]
    functions: list[Function]
    namespace: str
    collapse: bool
    procedural: list[Script]
    """of the corpus: what a function does may change any statement"""
    seconds: float
    """that one statement may take"""


class TooLong(BaseException):
    """A statement takes longer than it may."""


class Bulk(Share):
    """A share whose statements may be given up one by one."""

    def __init__(self, corpus: Corpus, keys: dict[int, bytes], clock: Clock) -> None:
        super().__init__(corpus, Memory())
        self.keys = keys
        self.clock = clock
        self.faults: dict[int, str] = {}

    def key_of(self, script: Script) -> bytes:
        """What was read before has its key, and no text."""
        found = self.keys.get(id(script))
        if found is None:
            found = self.keys[id(script)] = super().key_of(script)
        return found

    def read_each(self, scripts: list[Script]) -> None:
        for script in scripts:
            self.limited(script, partial(self.read_one, script))
        self.mine = {held.key: held for held in self.held if not order_matters(list(held.plans))}

    def read_one(self, script: Script) -> None:
        self.own[id(script)] = super(Share, self).prepare(script)

    def evaluate_each(self) -> None:
        for definition in self.ready:
            with suppress(Foreign):  # it reads what nobody could tell: the driver will see
                self.limited(definition.reading.script, partial(self.settle, definition))

    def limited(self, script: Script, work: Callable[[], object]) -> None:
        """Do what is to be done for one script; if it takes too long, it is given up."""
        self.clock.began = time.monotonic()
        try:
            work()
        except TooLong:
            self.faults[id(script)] = f"took longer than {self.clock.seconds:g} seconds"
        except (MemoryError, RecursionError) as problem:
            self.faults[id(script)] = f"could not be read ({type(problem).__name__})"

    def record_of(self, script: Script) -> Record | None:
        held: Held | None = self.mine.get(self.key_of(script))
        return self.renewed(held) if held is not None else None


class Clock:
    """Rings now and then, and looks how long the work at hand has been going on: to begin another costs nothing."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.began = time.monotonic()

    def ring(self, *_: object) -> None:
        if time.monotonic() - self.began > self.seconds:
            self.began = time.monotonic()
            raise TooLong

    @contextmanager
    def ticking(self) -> Iterator[None]:
        if current_thread() is not main_thread():  # only there a signal can be caught
            yield
            return
        before = signal.signal(signal.SIGALRM, self.ring)
        often = min(1.0, self.seconds / 4)
        signal.setitimer(signal.ITIMER_REAL, often, often)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


Batches = Iterator[pa.RecordBatch]


def evaluating(setting: Any, learnt: Any) -> Callable[[Batches], Batches]:
    """number, script → records; both arguments are broadcast: a Setting, and Told by last parts of names."""

    def work(batches: Batches) -> Batches:
        for batch in batches:
            rows = batch.to_pylist()
            for start in range(0, len(rows), TOGETHER):
                yield evaluated(rows[start : start + TOGETHER], setting.value, learnt.value)

    return work


def packed(scripts: list[Script]) -> list[dict[str, Any]]:
    """Scripts as rows, on their way to an executor."""
    return [{"number": at, "script": marshal.dumps(tuple(vars(one).values()))} for at, one in enumerate(scripts)]


def evaluated(rows: list[dict[str, Any]], setting: Setting, learnt: dict[str, list[Told]]) -> pa.RecordBatch:
    dialect = setting.dialect
    mine = [Script(*marshal.loads(row["script"])) for row in rows]  # noqa: S302  from our own driver
    named = set().union(*(words_of(script.text) for script in mine)) & learnt.keys()
    told = list({each.key: each for name in named for each in learnt[name]}.values())
    foreign = [replace(each.script) for each in told]
    keys = {id(script): each.key for script, each in zip(foreign, told, strict=True)}
    corpus = Corpus(dialect, [*setting.procedural, *foreign, *mine], setting.datasets, setting.functions,
                    namespace=setting.namespace, collapse_temporary=setting.collapse)  # fmt: skip
    clock = Clock(setting.seconds)
    with deep(), uncollected():
        share = Bulk(corpus, keys, clock)
        with clock.ticking():
            share.read_each([*setting.procedural, *mine])
        share.learn([(each.key, each.outline) for each in told])
        share.hear([((each.key, n), made) for each in told for n, made in enumerate(each.columns) if made is not None])
        with clock.ticking():
            share.evaluate_each()
        return pa.RecordBatch.from_pylist([_row(row, s, share) for row, s in zip(rows, mine, strict=True)], SCHEMA)


def _row(row: dict[str, Any], script: Script, share: Bulk) -> dict[str, Any]:
    fault = share.faults.get(id(script))
    record = share.record_of(script) if fault is None else None
    data = marshal.dumps(record) if record is not None else None
    return {"number": row["number"], "key": share.key_of(script), "record": data, "fault": fault}


def columns_of(record: Record) -> list[SlotNames | None]:
    """The columns that each statement of a script makes, as far as they are known."""
    made = []
    for kept in record[4]:
        slots = kept[1][0] if kept is not None else None
        made.append([(name, key, star is not None) for name, key, star, _ in slots] if slots is not None else None)
    return made

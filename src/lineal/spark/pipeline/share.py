"""On the executors: a share of the statements is parsed and evaluated; records travel back, as a
memory keeps them.
"""

from __future__ import annotations

import gc
import marshal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from lineal.extract.entries import Definition
from lineal.extract.sql.parse import allow_deep_calls
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.trees import take_apart
from lineal.incremental.memory import HeldScript, Memory, Record
from lineal.incremental.parallel import Foreign, Share
from lineal.model.boundary import Passing
from lineal.model.collector import without_collector
from lineal.model.extraction import DatasetInfo
from lineal.model.ledger import Statements
from lineal.model.script import Corpus, Defaults, Expansion, Function, Meaning, Script
from lineal.resolve.timeline import order_matters
from lineal.spark.pipeline.clock import Clock, TooLong
from lineal.spark.pipeline.facts import pack, unpack
from lineal.spark.pipeline.guard import NOBODY, Fault, Note, run_guarded, too_long
from lineal.spark.pipeline.pages import read_page

TOGETHER = 100
"""Statements that are evaluated side by side: few enough to stay in memory until they are let go."""

FOUND = "key binary, record binary, fault string"
SCHEMA = pa.schema([("key", pa.binary()), ("record", pa.binary()), ("fault", pa.string())])
PACKED = pa.schema(
    [
        ("key", pa.binary()), ("script", pa.binary()), ("mentions", pa.list_(pa.int64())),
        ("writes", pa.list_(pa.int64())), ("level", pa.int32()), ("record", pa.binary()),
    ]
)  # fmt: skip
"""A script; the names in it that others may tell something about, and those that it tells others
about, as numbers; its level; and its record, if it was read before and only tells others.
"""
SlotNames = list[tuple[str, str, bool]]


class Told(NamedTuple):
    """The definitions of a statement that was read before: its key, its record without results, its
    columns.
    """

    key: bytes
    script: Script
    """without its text"""
    outline: Record
    columns: list[SlotNames | None]


class Setting(NamedTuple):
    """The settings that all shares have in common."""

    dialect: str
    datasets: list[DatasetInfo]
    functions: list[Function]
    namespace: str
    collapse: bool
    procedural: list[Script]
    """of the corpus: what a function does may change any statement"""
    seconds: float
    """that one statement may take"""
    defaults: Defaults | None = None
    meanings: tuple[Meaning, ...] = ()
    only_read: bool = False
    """to see whether they can be, by somebody who may die of it"""


class Bulk(Share):
    """A share whose statements may be given up one by one."""

    def __init__(self, corpus: Corpus, keys: dict[int, bytes], clock: Clock) -> None:
        super().__init__(corpus, Memory())
        self.keys = keys
        self.clock = clock
        self.faults: dict[int, str] = {}

    def key_of(self, script: Script) -> bytes:
        """Mostly known: the driver has asked for it, too."""
        found = self.keys.get(id(script))
        if found is None:
            found = self.keys[id(script)] = super().key_of(script)

        return found

    def read_each(self, scripts: list[Script]) -> None:
        """Read the scripts, each within its time."""
        for script in scripts:
            self.limit_work(script, partial(self.read_one, script))

    def read_one(self, script: Script) -> None:
        """Read one script."""
        self.own[id(script)] = super(Share, self).prepare(script)

    def evaluate_after(self, told: list[Told]) -> None:
        """Evaluate the scripts of this share with the columns that other shares have found."""
        self.mine = {held.key: held for held in self.held if not order_matters(list(held.plans))}
        self.learn([(each.key, each.outline) for each in told])
        self.hear(
            [
                ((each.key, n), made)
                for each in told
                for n, made in enumerate(each.columns)
                if made is not None
            ]
        )
        with self.clock.ticking():
            self.evaluate_each()

    def evaluate_each(self) -> None:
        """Evaluate the definitions, each within its time."""
        for definition in self.ready:
            with suppress(Foreign):  # it reads what nobody could tell: the driver will see
                self.limit_work(
                    definition.reading.script, partial(self.evaluator.settle, definition)
                )

    def limit_work(self, script: Script, work: Callable[[], object]) -> None:
        """Do some work for one script; a script that takes too long is given up."""
        self.clock.began = time.monotonic()
        try:
            work()
        except TooLong:
            self.faults[id(script)] = too_long(self.clock.seconds).why
        except Passing:
            raise
        except Exception as problem:
            self.faults[id(script)] = f"could not be read ({type(problem).__name__})"

    def give_up(self, definition: Definition, error: Exception) -> None:
        """Leave a failed statement to the driver, which reports why; except for one that takes all
        memory.
        """
        if isinstance(error, MemoryError):
            raise error

        super().give_up(definition, error)

    def fail_script(self, reading: Reading, error: Exception, before: Statements) -> None:
        """Fail one script; lack of memory fails the whole share."""
        if isinstance(error, MemoryError):
            raise error

        super().fail_script(reading, error, before)

    def record_of(self, script: Script) -> Record | None:
        """Return the record of a script, if it has one."""
        held: HeldScript | None = self.mine.get(self.key_of(script))
        if held is not None:
            return self.usable_record(held)

        return None

    def let_go(self) -> None:
        """Nodes know their parents, and definitions their evaluations: with these circles cut, all
        of it goes at once,
        and the collector has nothing to look for."""
        for prepared in self.own.values():
            take_apart(prepared.reading.statements)

        for definition in self.order:
            del definition.entry, definition.evaluation, definition.frame

        super().let_go()


class Guarded(Bulk):
    """Says which of its statements is being read: it may be the last."""

    def __init__(
        self, corpus: Corpus, keys: dict[int, bytes], clock: Clock, rows: list[Script], note: Note
    ) -> None:
        super().__init__(corpus, keys, clock)
        self.numbers = {id(script): number for number, script in enumerate(rows)}
        self.note = note

    def limit_work(self, script: Script, work: Callable[[], object]) -> None:
        """Do work within its time, and note which script it is for."""
        self.note(self.numbers.get(id(script), NOBODY))
        super().limit_work(script, work)
        self.note(NOBODY)

    def record_of(self, script: Script) -> Record | None:
        """Return the record of a script, and note which one it is."""
        self.note(self.numbers[id(script)])
        return super().record_of(script)


Batches = Iterator[pa.RecordBatch]
Learnt = dict[int, list[Told]]
Row = dict[str, Any]
Evaluate = Callable[[list[Row], "Setting", Learnt], pa.RecordBatch]


def script_evaluator(setting: Any, guard: bool = False) -> Callable[[Batches], Batches]:
    """Scripts → records; a row holds the scripts of a task. The argument is broadcast: a Setting.

    The scripts of a task are in the order of their levels: a level knows what those before it
    define.
    """
    evaluate = evaluated_apart if guard else evaluate_rows

    def work(batches: Batches) -> Batches:
        """Evaluate the levels of each batch."""
        gc.freeze()  # nobody looks for garbage in what is here to stay
        with without_collector():
            for batch in batches:
                for data in batch.column(0):
                    yield from evaluate_page(data.as_buffer(), setting.value, evaluate)
                    gc.collect()

    return work


def evaluate_page(data: Any, setting: Setting, evaluate: Evaluate) -> Iterator[pa.RecordBatch]:
    """Evaluate the scripts of a page."""
    return evaluate_levels(read_page(data).to_pylist(), setting, evaluate)


def evaluate_levels(
    rows: list[Row], setting: Setting, evaluate: Evaluate
) -> Iterator[pa.RecordBatch]:
    """Evaluate rows level by level, and learn from each what the next ones ask for."""
    known: Learnt = {}
    for row in rows:
        if row["record"] is not None:
            learn(known, row["writes"], row["key"], script_in(row), row["record"])

    for same in _side_by_side([row for row in rows if row["record"] is None]):
        found = evaluate(same, setting, known)
        yield found
        for row, data in zip(same, found.column("record").to_pylist(), strict=True):
            if data is not None and row["writes"]:
                learn(known, row["writes"], row["key"], script_in(row), data)


def _side_by_side(rows: list[Row]) -> Iterator[list[Row]]:
    """Rows of one level, few enough to be evaluated at once."""
    for _, several in groupby(rows, itemgetter("level")):
        level = list(several)
        for start in range(0, len(level), TOGETHER):
            yield level[start : start + TOGETHER]


def learn(
    learnt: Learnt, names: Iterable[int], key: bytes, script: Script, packed_record: bytes
) -> None:
    """Learn the columns of the names that a script writes, as far as its record knows them."""
    record = unpack(packed_record)
    nothing = [None] * len(record[4])
    outline = (*record[:4], nothing, nothing)
    told = Told(key, replace(script, text=""), outline, columns_of(record))
    for name in names:
        learnt.setdefault(name, []).append(told)


def pack_script(script: Script) -> bytes:
    """Return a script on its way to an executor."""
    fields = {**vars(script), "expansions": list(map(tuple, script.expansions))}
    return marshal.dumps(fields)


def unpack_script(data: bytes) -> Script:
    """Return a script that has arrived."""
    fields = marshal.loads(data)  # noqa: S302  from our own driver
    fields["expansions"] = tuple(Expansion(*each) for each in fields["expansions"])
    return Script(**fields)


def evaluate_rows(rows: list[Row], setting: Setting, learnt: Learnt) -> pa.RecordBatch:
    """Return records and faults as an Arrow batch."""
    return pa.RecordBatch.from_pylist(answers(rows, setting, learnt), SCHEMA)


def evaluated_apart(rows: list[Row], setting: Setting, learnt: Learnt) -> pa.RecordBatch:
    """The same in children, which may die."""

    def work(several: list[Row], note: Note) -> list[Row]:
        """Answer some rows in a guarded process."""
        return answers(several, setting, learnt, note)

    found = run_guarded(work, rows, setting.seconds)
    made = [
        {"key": row["key"], "record": None, "fault": each.why} if isinstance(each, Fault) else each
        for row, each in zip(rows, found, strict=True)
    ]
    return pa.RecordBatch.from_pylist(made, SCHEMA)


def script_in(row: Row) -> Script:
    """Unpack the script of a row."""
    return unpack_script(row["script"])


def corpus_of(setting: Setting, scripts: list[Script]) -> Corpus:
    """Return a corpus of some scripts."""
    return Corpus(setting.dialect, [*setting.procedural, *scripts], setting.datasets, setting.functions,
                  list(setting.meanings), namespace=setting.namespace, defaults=setting.defaults,
                  collapse_temporary=setting.collapse)  # fmt: skip


def answers(
    rows: list[Row], setting: Setting, learnt: Learnt, note: Note | None = None
) -> list[Row]:
    """Return a record or a fault for each row."""
    mine = list(map(script_in, rows))
    named = learnt.keys() & set().union(*(row["mentions"] for row in rows))
    told = list({each.key: each for name in named for each in learnt[name]}.values())
    foreign = [replace(each.script) for each in told]
    keys = {id(script): each.key for script, each in zip(foreign, told, strict=True)}
    keys |= {id(script): row["key"] for script, row in zip(mine, rows, strict=True)}
    corpus = corpus_of(setting, [*foreign, *mine])
    clock = Clock(setting.seconds)
    with allow_deep_calls(), without_collector():
        share = (
            Bulk(corpus, keys, clock) if note is None else Guarded(corpus, keys, clock, mine, note)
        )
        with clock.ticking():
            share.read_each([*setting.procedural, *mine])

        if not setting.only_read:
            share.evaluate_after(told)

        found = [_row(row, script, share) for row, script in zip(rows, mine, strict=True)]
        share.let_go()
        return found


def _row(row: Row, script: Script, share: Bulk) -> Row:
    """Return the record or the fault of a script as a row."""
    fault = share.faults.get(id(script))
    record = share.record_of(script) if fault is None else None
    data = pack(record, share.facts.fold) if record is not None else None
    return {"key": row["key"], "record": data, "fault": fault}


def columns_of(record: Record) -> list[SlotNames | None]:
    """The columns that each statement of a script makes, as far as they are known."""
    made = []
    for kept in record[4]:
        slots = kept[1][0] if kept is not None else None
        made.append(
            [(name, key, star is not None) for name, key, star, _ in slots]
            if slots is not None
            else None
        )

    return made

"""Several processes read a corpus: each parses its share of the scripts and evaluates what it can.

Trees stay where they were parsed; what travels are records, as a memory keeps them. A statement
that reads what another process defines waits until that one has told its columns, in rounds.
Nothing that comes back is taken on trust: the caller goes through the corpus with the records as
its memory, which asks every question again; what does not hold is worked out again. So the result is
the same for any number of processes, and for any that fail.
"""

from __future__ import annotations

import marshal
import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lineal.algebra.frame import Frame, Slot, Star
from lineal.algebra.lineage import NOTHING
from lineal.algebra.relation import one_row, project
from lineal.extract.entries import Definition
from lineal.extract.sql.dialects import facts_of
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.expansions import reading_of
from lineal.extract.sql.parse import allow_deep_calls
from lineal.incremental.codec import Unfit
from lineal.incremental.memory import HeldScript, Memory, Record, Remembering, outline_script
from lineal.model.boundary import Passing
from lineal.model.collector import without_collector
from lineal.model.lifeline import end_with
from lineal.model.limits import is_watched, take_slot
from lineal.model.script import Corpus, Script
from lineal.model.sequences import flatten, second_of_each
from lineal.resolve.scripts import Prepared
from lineal.resolve.timeline import order_matters

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

FEWEST = 1_500
"""Scripts that are worth starting processes for: fewer are read before others have begun."""
TOGETHER = 64
"""A share is made of runs of so many neighbours: files of one folder read each other."""

Tick = Callable[[int], object]
Name = tuple[bytes, int]
"""A statement: the key of its script, and its number there."""


def remember_in_parallel(corpus: Corpus, memory: Memory, jobs: int, tick: Tick) -> bool:
    """Have the scripts that a memory does not know read by so many processes; whether there are
    enough of them.
    """
    known = Remembering(corpus, memory)
    corpus = known.corpus
    new = [
        at
        for at, script in enumerate(corpus.scripts)
        if memory.record(known.key_of(script)) is None
    ]
    if jobs < 2 or len(new) < FEWEST or known.naming.speaks or corpus.meanings:
        return False

    shares = [
        [at for number, at in enumerate(new) if number // TOGETHER % jobs == job]
        for job in range(jobs)
    ]
    with suppress(OSError, EOFError):  # a process that is gone: its share is read by the caller
        workers = [
            _start(corpus, memory, share, number) for number, share in enumerate(shares) if share
        ]
        _work(workers, memory, tick)

    return True


def _start(corpus: Corpus, memory: Memory, share: list[int], number: int) -> tuple[Any, Connection]:
    """Start a worker process for a share of the scripts, and return it with its connection."""
    import multiprocessing  # only here: after an edit no process is started

    # a process that is watched has no other thread, and its workers are watched if they are forked
    context: Any = multiprocessing.get_context("fork" if is_watched() else None)
    ours, theirs = context.Pipe()
    bare = replace(corpus, steps=[], occurrences=[])
    told = (bare, memory.records, share, theirs, os.getpid(), number)
    process = context.Process(target=_serve, args=told, daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _work(workers: list[tuple[Any, Connection]], memory: Memory, tick: Tick) -> None:
    """Drive the workers through outlines, frames and results, and add what they return to the
    memory.
    """
    lines = second_of_each(workers)
    try:
        told = [_receive_outlines(line, tick) for line in lines]
        whole = not any(second_of_each(told))
        _tell(lines, flatten(records.items() for records, _ in told) if whole else None)
        while whole:
            news = flatten(map(_receive, lines))
            _tell(lines, news or None)
            if not news:
                break

        if whole:
            for line in lines:
                memory.tell(_receive(line))
    except BaseException:
        for process, _ in workers:
            process.kill()

        raise
    finally:
        for process, line in workers:
            line.close()
            process.join(5)
            process.kill()


def _receive_outlines(line: Connection, tick: Tick) -> tuple[dict[bytes, Record], bool]:
    """Return the outlines of a worker; report its progress until they arrive."""
    while True:
        said = _receive(line)
        if not isinstance(said, int):
            return said  # type: ignore[no-any-return]

        tick(said)


def _tell(lines: Iterable[Connection], said: Any) -> None:
    """Send the same message to several workers."""
    data = marshal.dumps(said)
    for line in lines:
        line.send_bytes(data)


def _receive(line: Connection) -> Any:
    """Return the next message of a worker."""
    return marshal.loads(line.recv_bytes())  # noqa: S302  from a process that we started


# -- in another process ----------------------------------------------------------------------------


def _serve(
    corpus: Corpus,
    records: dict[bytes, Record],
    share: list[int],
    line: Connection,
    parent: int,
    number: int,
) -> None:
    """Work on a share of the scripts, in a process of its own."""
    # Ctrl-C is for the parent, which ends this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with(parent)
    take_slot(number)
    memory = Memory()
    memory.records = dict(records)
    with (
        allow_deep_calls(),
        without_collector(),
        suppress(Exception),
    ):  # whatever it is, the caller can do without
        worker = Share(corpus, memory)
        _tell(
            [line],
            worker.read([corpus.scripts[at] for at in share], lambda count: _tell([line], count)),
        )
        told = _receive(line)
        if told is None:
            return

        worker.learn(told)
        while True:
            _tell([line], worker.evaluate_more())
            news = _receive(line)
            if news is None:
                break

            worker.hear(news)

        _tell([line], worker.records())


class Foreign(Passing):
    """A statement reads what another process defines, and has not told yet."""

    def __init__(self, name: Name) -> None:
        self.name = name


class Share(Remembering):
    """The definitions of a corpus as one of several processes knows them: its own, and what the
    others tell.
    """

    def __init__(self, corpus: Corpus, memory: Memory) -> None:
        super().__init__(corpus, memory)
        self.own: dict[int, Prepared] = {}
        self.mine: dict[bytes, HeldScript] = {}
        self.foreign: dict[Name, Definition] = {}
        self.waiting: dict[Name, list[Definition]] = {}
        self.ready: list[Definition] = []

    def read(self, scripts: list[Script], tick: Tick) -> tuple[dict[bytes, Record], bool]:
        """Parse the scripts of this share: what they define, and whether there is procedural code
        among them.
        """
        for count, script in enumerate(scripts, 1):
            self.own[id(script)] = super().prepare(script)
            if count % TOGETHER == 0:
                tick(TOGETHER)

        made: dict[bytes, Record] = {}
        for held in self.held:
            with suppress(Unfit):
                if not order_matters(list(held.plans)):
                    made[held.key] = outline_script(held)
                    self.mine[held.key] = held

        return made, bool(self.procedural)

    def learn(self, told: list[tuple[bytes, Record]]) -> None:
        """Take the definitions of the other processes; the own ones are ready to be evaluated."""
        others = {key: record for key, record in told if key not in self.mine}
        self.memory.records.update(others)
        self.gather_definitions()
        for definition in self.order:
            held, number = self.plans.get(id(definition.plan), (None, 0))
            if held is not None and held.key in others:
                self.foreign[held.key, number] = definition
            elif held is not None and held.key in self.mine:
                self.ready.append(definition)

    def prepare(self, script: Script) -> Prepared:
        """Take a script of this share as it was read, and one of the others from its record."""
        found = self.own.get(id(script))
        if found is not None:
            return found

        if self.memory.record(self.key_of(script)) is not None:
            return super().prepare(script)

        # another's, and not to be told in few words
        return Prepared(reading_of(script), facts_of(script.dialect), [])

    def frame_of(self, definition: Definition, evaluation: Evaluation) -> Frame:
        """Evaluate a definition of this share; one of another share waits for that share's
        columns.
        """
        held, number = self.plans.get(id(definition.plan), (None, 0))
        if held is not None and (held.key, number) in self.foreign:
            raise Foreign((held.key, number))

        return super().frame_of(definition, evaluation)

    def evaluate_more(self) -> list[tuple[Name, list[tuple[str, str, bool]]]]:
        """Evaluate the definitions that need not wait; return the columns of those that
        are done.
        """
        done: list[tuple[Name, list[tuple[str, str, bool]]]] = []
        for definition in self.ready:
            try:
                self.evaluator.settle(definition)
            except Foreign as foreign:
                self.waiting.setdefault(foreign.name, []).append(definition)
                continue

            held, number = self.plans[id(definition.plan)]
            assert definition.frame is not None
            columns = [
                (slot.name, slot.key, slot.star is not None) for slot in definition.frame.slots
            ]
            done.append(((held.key, number), columns))

        self.ready = []
        return done

    def hear(self, news: list[tuple[Name, list[tuple[str, str, bool]]]]) -> None:
        """Take the columns of what others have evaluated, and wake who waited for them."""
        for name, columns in news:
            definition = self.foreign.get(name)
            if definition is not None:
                star = Star(definition.target)
                slots = [
                    Slot(column, key, NOTHING, star if open_ else None)
                    for column, key, open_ in columns
                ]
                definition.frame = project(one_row(), slots)
                definition.evaluation = QueryEvaluation(
                    self.references, definition.reading, definition.facts, definition.target
                )
                self.ready += self.waiting.pop(name, [])

    def records(self) -> dict[bytes, Record]:
        """The records of this share's scripts."""
        found = {key: self.usable_record(held) for key, held in self.mine.items()}
        return {key: record for key, record in found.items() if record is not None}

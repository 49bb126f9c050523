"""Limits: how much CPU time and memory one statement or file may take.

    with Task("statement", text):
        tree = tree_of(words, dialect, text)

A `Task` is a piece of work that can be abandoned: the reading of a file, the parsing of a
statement, the evaluation of a definition. Two things end a task that takes too long:

- `check` raises `LimitExceeded` between two steps of Python code. This holds everywhere.
- A parent process watches the `Board`, shared memory on which each task announces itself. It kills
  the process whose task takes too much, and starts it again with that task on the list of abandoned
  ones. This also holds inside compiled code, which no signal interrupts. The command line works
  this way (`lineal.cli.supervisor`).

The boundary makes the diagnostic `limit-exceeded` of a `LimitExceeded`; everything else keeps its
result.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import struct
import threading
from collections.abc import Hashable
from enum import IntEnum
from time import thread_time
from typing import Any, NamedTuple

TIMEOUT = "LINEAL_STATEMENT_TIMEOUT"
"""The variable with the seconds of CPU time that a task may take."""
MEMORY = "LINEAL_MEMORY_LIMIT"
"""The variable with the memory that a task may take."""

DEFAULT_SECONDS = 60.0
DEFAULT_MEMORY = 8 << 30
"""At most so many bytes, and at most half of the memory that the machine has."""

MEGABYTE = 1 << 20
UNITS = {"": MEGABYTE, "K": 1 << 10, "M": MEGABYTE, "G": 1 << 30, "T": 1 << 40}
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", re.IGNORECASE)


class Limits(NamedTuple):
    """The limits of one statement or file; 0 means no limit."""

    seconds: float = DEFAULT_SECONDS
    memory: int = 0
    """bytes"""

    @property
    def exist(self) -> bool:
        """Tell whether there is anything to watch."""
        return self.seconds > 0 or self.memory > 0


def size_of(text: str) -> int:
    """4GB, 500 MB, 500: a size in bytes; a number alone counts megabytes."""
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is not a size: write 500MB or 4GB, or 0 for no limit")

    return int(float(found[1]) * UNITS[found[2].upper()])


def default_memory() -> int:
    """The memory that a task may take if nobody says more: 8 GB, or half of what the machine has."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return DEFAULT_MEMORY

    return min(DEFAULT_MEMORY, total // 2)


def limits_of_environment() -> Limits:
    """The limits that the environment sets; a value that cannot be read counts as the default."""
    try:
        seconds = float(os.environ.get(TIMEOUT) or DEFAULT_SECONDS)
    except ValueError:
        seconds = DEFAULT_SECONDS

    return Limits(max(seconds, 0.0))


class Reason(IntEnum):
    """Why a task was abandoned."""

    TIME = 1
    MEMORY = 2
    CRASH = 3


class LimitExceeded(Exception):
    """A statement or file takes more than it may, or has ended the process that read it."""

    def __init__(self, reason: Reason, limits: Limits) -> None:
        self.reason = reason
        super().__init__(_message(reason, limits))


def _message(reason: Reason, limits: Limits) -> str:
    """Return the message of a limit that was reached."""
    if reason is Reason.TIME:
        return f"takes more than {limits.seconds:g} s of CPU time"

    if reason is Reason.MEMORY:
        return f"takes more than {limits.memory // MEGABYTE:,} MB of memory"

    return "ended the process that read it"


# -- tasks -----------------------------------------------------------------------------------------


class _Process:
    """The limits that are in force in this process."""

    limits: Limits | None = None
    board: Board | None = None


class _Thread(threading.local):
    """The work that this thread is doing."""

    task: Task | None = None


_process = _Process()
_thread = _Thread()


def current_limits() -> Limits:
    """The limits of this process; at first those of the environment."""
    if _process.limits is None:
        _process.limits = limits_of_environment()

    return _process.limits


def set_limits(limits: Limits, board: Board | None = None) -> None:
    """Set the limits of this process, and the board on which it announces its tasks."""
    _process.limits, _process.board = limits, board


def key_of(*parts: Hashable) -> int:
    """A number for a task: the same in every process that was forked from the one that watches."""
    return hash(parts) or 1


def is_abandoned(key: int) -> bool:
    """Tell whether a task was given up in an earlier attempt."""
    return _process.board is not None and key in _process.board.abandoned_tasks()


class Task:
    """A statement or file that is being worked on; a task inside it counts for itself.

    A text of more than a megabyte may take as many times the limit as it has megabytes.
    """

    __slots__ = ("allowance", "deadline", "key", "outer")

    def __init__(self, *parts: Hashable, size: int = 0) -> None:
        self.key = hash(parts) or 1
        self.allowance = current_limits().seconds
        if size > MEGABYTE:
            self.allowance *= size / MEGABYTE

        self.deadline = 0.0
        """when it has taken too long, from the first check on"""

    def __enter__(self) -> Task:
        board = _process.board
        if board is not None:
            reason = board.abandoned_tasks().get(self.key)
            if reason is not None:
                raise LimitExceeded(reason, current_limits())

            board.announce(self.key, self.allowance)

        self.outer = _thread.task
        _thread.task = self
        return self

    def __exit__(self, *_: object) -> None:
        board, outer = _process.board, self.outer
        _thread.task = outer
        if outer is not None:
            outer.deadline = 0.0

        if board is not None:
            board.resume(outer)


def check() -> None:
    """Raise LimitExceeded if the task of this thread has taken more CPU time than it may."""
    task = _thread.task
    if task is None or not task.allowance:
        return

    now = thread_time()
    if not task.deadline:
        task.deadline = now + task.allowance
    elif now > task.deadline:
        raise LimitExceeded(Reason.TIME, current_limits())


# -- the board -------------------------------------------------------------------------------------

HEADER = struct.Struct("<II")
"""How many tasks are abandoned, and whether the process has begun to write its results."""
ENTRY = struct.Struct("<qq")
"""The key of an abandoned task, and the reason."""
SLOT = struct.Struct("<QQqd")
"""How many tasks a process has begun, its id, the key of its task and the seconds it may take."""

SAVED_AT, SAVED_SIZE = 64, 960
ENTRIES_AT, MOST_ENTRIES = 1_024, 1_000
SLOTS_AT, SLOTS = 20_480, 128
SIZE_OF_BOARD = SLOTS_AT + SLOTS * SLOT.size


class Announcement(NamedTuple):
    """The message in which a process announces its work."""

    number: int
    process: int
    key: int
    allowance: float


class Board:
    """Shared memory between the processes of a command and the parent that watches them.

    Each process has a slot and writes only there; only the parent writes the abandoned tasks.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, SIZE_OF_BOARD)
        self._at = SLOTS_AT
        self._number = 0
        self._process = 0
        self._abandoned: dict[int, Reason] = {}

    # in the processes that are watched

    def take_slot(self, slot: int) -> None:
        """From now on announce the tasks of this process in a slot of its own."""
        self._at = SLOTS_AT + slot * SLOT.size
        self._process = os.getpid()
        self.announce(0, 0.0)

    def announce(self, key: int, allowance: float) -> None:
        """Tell what this process is at; the key 0 means that it is at no task."""
        self._number += 1
        SLOT.pack_into(self._memory, self._at, self._number, self._process, key, allowance)

    def resume(self, task: Task | None) -> None:
        """Tell that a task inside another has ended; None if it was inside no other."""
        if task is not None:
            self.announce(task.key, task.allowance)
        else:
            self.announce(0, 0.0)

    def abandoned_tasks(self) -> dict[int, Reason]:
        """The tasks that nobody shall begin again, by their keys."""
        count = self._memory[0] | self._memory[1] << 8
        while len(self._abandoned) < count:
            at = ENTRIES_AT + len(self._abandoned) * ENTRY.size
            key, reason = ENTRY.unpack_from(self._memory, at)
            self._abandoned[key] = Reason(reason)

        return self._abandoned

    def commit(self) -> None:
        """Tell that results are being written: from now on there is no second attempt."""
        HEADER.pack_into(self._memory, 0, HEADER.unpack_from(self._memory)[0], 1)

    def save(self, state: dict[str, Any]) -> None:
        """Keep a few values for the next attempt."""
        data = json.dumps(state).encode()
        if len(data) < SAVED_SIZE:
            self._memory[SAVED_AT : SAVED_AT + len(data) + 1] = data + b"\0"

    def saved_values(self) -> dict[str, Any]:
        """The values that an earlier attempt has kept."""
        data = self._memory[SAVED_AT : SAVED_AT + SAVED_SIZE].partition(b"\0")[0]
        state: dict[str, Any] = json.loads(data) if data else {}
        return state

    # in the parent

    def announcements(self) -> list[tuple[int, Announcement]]:
        """The processes that are there, by their slots."""
        found = []
        for slot in range(SLOTS):
            said = Announcement(*SLOT.unpack_from(self._memory, SLOTS_AT + slot * SLOT.size))
            if not said.number:  # slots are taken in their order
                break

            if said.process:
                found.append((slot, said))

        return found

    def clear_slot(self, slot: int) -> None:
        """Forget a process that has ended."""
        SLOT.pack_into(self._memory, SLOTS_AT + slot * SLOT.size, 1, 0, 0, 0.0)

    def abandon(self, key: int, reason: Reason) -> bool:
        """Put a task on the list; False if it is there already, or if the list is full."""
        known = self.abandoned_tasks()
        if key in known or len(known) >= MOST_ENTRIES:
            return False

        ENTRY.pack_into(self._memory, ENTRIES_AT + len(known) * ENTRY.size, key, reason)
        _, committed = HEADER.unpack_from(self._memory)
        HEADER.pack_into(self._memory, 0, len(known) + 1, committed)
        return True

    @property
    def is_committed(self) -> bool:
        """Tell whether a process has begun to write its results."""
        return bool(HEADER.unpack_from(self._memory)[1])


def commit() -> None:
    """Tell the watching process that results are being written; call it before output other than to a
    file.
    """
    if _process.board is not None:
        _process.board.commit()


def save_state(**state: Any) -> None:
    """Keep a few values for the case that this process is started again."""
    if _process.board is not None:
        _process.board.save({**_process.board.saved_values(), **state})


def saved_state() -> dict[str, Any]:
    """The values that an earlier attempt of this process has kept."""
    return _process.board.saved_values() if _process.board is not None else {}


def take_slot(worker: int) -> None:
    """Announce the tasks of a worker process in a slot of its own."""
    if _process.board is not None:
        _process.board.take_slot(1 + worker % (SLOTS - 1))


def is_watched() -> bool:
    """Tell whether a parent process watches this one."""
    return _process.board is not None

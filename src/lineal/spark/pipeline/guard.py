"""Work that may kill its process is done by a child process: only the guilty item is lost.

    rows ─▶ a share of them, in a child ─▶ answers
                    │ it dies over one (a segmentation fault, no memory left, a loop that no signal
                    ends) └─▶ that one again, by itself: if it kills again, it is guilty; and the
                    others without it

A share goes this way only after it has failed without: what costs nobody anything needs no child.
"""

from __future__ import annotations

import faulthandler
import marshal
import mmap
import os
import resource
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from lineal.model.lifeline import end_with

Item = TypeVar("Item")
Note = Callable[[int], None]
"""Told the number of the item that is worked on."""

NOBODY = 2**32 - 1
LATE = 1
"""The exit code of a process that a clock has ended."""

SIGNALS = {each.value: each.name for each in signal.Signals}


class Fault(NamedTuple):
    """Why a statement is given up; and after how many seconds, if it only took too long."""

    why: str
    seconds: float = 0.0


def too_long(seconds: float) -> Fault:
    """Return the fault of an item that took too much time."""
    return Fault(f"took longer than {seconds:g} seconds", seconds)


def fault_of(why: str, seconds: float) -> Fault:
    """Return the fault that was found under this limit."""
    late = too_long(seconds)
    if why == late.why:
        return late

    return Fault(why)


class Death(NamedTuple):
    """A child has not answered: which item it was at, if it was at one."""

    at: int | None
    fault: Fault


def run_guarded(
    work: Callable[[list[Item], Note], list[Any]], items: list[Item], seconds: float
) -> list[object]:
    """Return the result of `work` for each item, or a Fault. Results are values that marshal writes."""
    control = in_child(work, [], seconds)
    if isinstance(control, Death):  # it is no statement's fault
        raise RuntimeError(control.fault.why)

    answers: list[Any] = [None] * len(items)
    shares = [list(range(len(items)))] if items else []
    while shares:
        share = shares.pop()
        found = in_child(work, [items[number] for number in share], seconds)
        if not isinstance(found, Death):
            for number, answer in zip(share, found, strict=True):
                answers[number] = answer
        elif len(share) == 1:
            answers[share[0]] = found.fault
        elif found.at is None:
            shares += [[number] for number in share]
        else:
            shares += [share[: found.at] + share[found.at + 1 :], [share[found.at]]]

    return answers


def in_child(
    work: Callable[[list[Item], Note], list[Any]], items: list[Item], seconds: float
) -> list[Any] | Death:
    """Return the answers of a child process, or how it died."""
    hand = mmap.mmap(-1, 4)
    receiving, sending = os.pipe()
    began = time.monotonic()
    parent, child = os.getpid(), os.fork()
    if not child:
        status = 1
        try:
            # a child has all that its parent holds, the lock of the output and the life of the JVM
            end_with(parent)
            os.close(receiving)
            status = _answer(work, items, hand, sending)
        finally:
            os._exit(status)  # whatever happens, a child never returns to its parent's work

    os.close(sending)
    try:
        with os.fdopen(receiving, "rb") as pipe:
            data = pipe.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(child, 0)

    if status == 0:
        ended, said = marshal.loads(data)  # noqa: S302  from a process that we started
        if ended:
            return list(said)

        fault = Fault(said)
    else:
        late = time.monotonic() - began > seconds and os.waitstatus_to_exitcode(status) == LATE
        fault = too_long(seconds) if late else Fault(_ending(status))

    at = int.from_bytes(hand, "little")
    return Death(at if at < len(items) else None, fault)


def _answer(
    work: Callable[[list[Item], Note], list[Any]], items: list[Item], hand: mmap.mmap, sending: int
) -> int:
    """Work in the child process, and send the answer to its parent."""

    def note(number: int) -> None:
        """Tell the parent which item is at work."""
        hand[:] = number.to_bytes(4, "little")

    note(NOBODY)
    may_die()
    try:
        said = marshal.dumps((True, work(items, note)))
    except Exception as problem:
        said = marshal.dumps((False, f"could not be read ({type(problem).__name__})"))

    with os.fdopen(sending, "wb") as pipe:
        pipe.write(said)

    return 0


def may_die() -> None:
    """Quietly, and without leaving an image; when memory runs out, rather than the process that
    waits for it.
    """
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _ending(status: int) -> str:
    """Return how a process has ended, in words."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"killed the process that read it ({SIGNALS.get(number, number)})"

    return f"ended the process that read it (exit code {os.waitstatus_to_exitcode(status)})"

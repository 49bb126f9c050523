"""The supervisor: a parent process that watches the one that does the work of a command.

    lineal ──fork──▶ the command, which announces each statement on the board
      │ looks at the clock and at the memory, five times a second
      ├─ a statement takes too much: kill the process, start it again without the statement
      └─ a signal: pass it on, and after a second end the process with all that it has started

The parent does nothing else and holds nothing: what a command prints comes from its child, and the
parent ends as the child does. See docs/decisions/018-limits.md.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NamedTuple, NoReturn

from lineal.cli import CRASHED, Commands
from lineal.model.boundary import is_debugging
from lineal.model.lifeline import end_with
from lineal.model.limits import (
    Announcement,
    Board,
    Limits,
    Reason,
    limits_of_environment,
    set_limits,
)

PAUSE = 0.2
"""Seconds between two looks at the child."""
STEP = 0.05
"""Seconds of CPU time in which a process does not get at much memory: so long nobody looks."""
GRACE = 1.0
"""Seconds of CPU time that a task has, at most, to notice by itself that it takes too long."""
PATIENCE = 0.8
"""Seconds that a child has to end after a signal, before it is killed."""
OWN_TIME = 0.2
"""Seconds that a child has to end by itself: Ctrl-C in a terminal reaches it, too."""
MOST_CRASHES = 20
"""So many statements may end the process by themselves, before the command gives up."""

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if os.name == "posix" else ()

WORDS = {
    Reason.TIME: "takes too long",
    Reason.MEMORY: "takes too much memory",
    Reason.CRASH: "has ended the process that read it",
}


class _SavedInput:
    """The state that survives when a child process is started again."""

    input: BinaryIO | None = None
    """standard input, as an earlier attempt has read it"""


def supervise(limits: Limits) -> None:
    """Go on in a child process that keeps to the limits; the parent ends here, as the child does.

    Where no process may be forked, the limits hold as far as this process can keep them.
    """
    if not (limits.exist and _can_fork()):
        set_limits(limits)
        return

    if "-" in sys.argv:
        from tempfile import TemporaryFile

        _SavedInput.input = TemporaryFile()  # noqa: SIM115  open as long as the process lives

    Supervisor(limits).run()


def supervise_spark() -> None:
    """Go on in a child process whose JVM and workers end with it; the parent ends here, as the child
    does.

    A job runs once: nothing is started again, and the limits are those that a process keeps itself.
    """
    if _can_fork():
        Supervisor(Limits(0.0, 0)).run()
        set_limits(limits_of_environment())


def read_standard_input() -> bytes:
    """Everything on standard input; an attempt that follows another gets the same."""
    if sys.stdin is None:  # closed, as by <&-
        return b""

    kept = _SavedInput.input
    if kept is None:
        return sys.stdin.buffer.read()

    kept.seek(0)
    content = kept.read()
    if not content:
        content = sys.stdin.buffer.read()
        kept.write(content)
        kept.flush()

    return content


def _can_fork() -> bool:
    """Tell whether this process may fork: a program with one thread."""
    alone = Commands.is_program and threading.active_count() == 1
    return alone and hasattr(os, "fork") and not is_debugging()


class ObservedTask(NamedTuple):
    """A task when it was first seen: what its process had taken until then."""

    number: int
    seconds: float
    memory: int
    looked: float
    """the CPU time of the process when its memory was last looked at"""


class Supervisor:
    """Starts the child, watches it, and starts it again if it has to be killed."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.board = Board()
        self.seen: dict[int, ObservedTask] = {}
        self.child = 0
        self.crashes = 0
        self.told: int | None = None
        """the signal that ends the command"""
        self.wakeup, self.bell = os.pipe()

    def run(self) -> None:
        """Return in the child; in the parent, end with the child."""
        adopt_orphans()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()

        while True:
            if not self.start():
                return

            status = self.watch()
            if not self.begins_again(status):
                self.end_as(status)

    def start(self) -> bool:
        """Fork a child; whether this is the parent."""
        parent = os.getpid()
        try:
            self.child = os.fork()
        except OSError:  # no process may be started here
            set_limits(self.limits)
            return False

        if self.child:
            self.listen()
            return True

        self.begin(parent)
        return False

    def begin(self, parent: int) -> None:
        """In the child: take its slot, and end with the parent, whatever ends that."""
        signal.set_wakeup_fd(-1)
        os.close(self.wakeup)
        os.close(self.bell)
        signal.signal(signal.SIGINT, _interrupt_once)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, _end_in_order)
        end_with(parent)
        if self.limits.exist:
            set_limits(self.limits, self.board)
            self.board.take_slot(0)

    def listen(self) -> None:
        """In the parent: wake up when the child ends, or when a signal comes."""
        os.set_blocking(self.bell, False)
        os.set_blocking(self.wakeup, False)
        signal.set_wakeup_fd(self.bell, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, *ENDING):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.note)

    def note(self, number: int, frame: FrameType | None) -> None:
        """Remember the first signal that asks for the end."""
        if number in ENDING and self.told is None:
            self.told = number

    # -- watching ----------------------------------------------------------------------------------

    def watch(self) -> int:
        """Wait until the child has ended; its status."""
        deadline = 0.0
        forwarded = False
        while True:
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                return status

            if self.told is not None:
                now = time.monotonic()
                deadline = deadline or now + PATIENCE
                is_due = self.told != signal.SIGINT or now > deadline - PATIENCE + OWN_TIME
                if now > deadline:
                    self.kill(self.child, signal.SIGKILL)
                elif is_due and not forwarded:
                    forwarded = True
                    self.kill(self.child, self.told)
            else:
                self.look()

            self.sleep()

    def sleep(self) -> None:
        """Wait for a moment, or until a signal comes."""
        ready, _, _ = select.select([self.wakeup], [], [], PAUSE)
        if ready:
            with suppress(OSError):
                os.read(self.wakeup, 512)

    def look(self) -> None:
        """Kill each process whose task takes more than it may."""
        for slot, said in self.board.announcements():
            reason = self.excess(slot, said)
            if reason is not None and self.board.abandon(said.key, reason):
                self.kill(said.process, signal.SIGKILL)
                self.forget(slot)

    def excess(self, slot: int, said: Announcement) -> Reason | None:
        """Which limit a task exceeds; None if it exceeds none."""
        if not said.key:
            self.seen.pop(slot, None)
            return None

        seconds = cpu_time(said.process)
        before = self.seen.get(slot)
        if before is None or before.number != said.number:
            memory = resident_memory(said.process)
            self.seen[slot] = ObservedTask(said.number, seconds, memory, seconds)
            return None

        grace = min(GRACE, said.allowance)
        if said.allowance and seconds - before.seconds > said.allowance + grace:
            return Reason.TIME

        if not self.limits.memory or seconds - before.looked < STEP:
            return None

        self.seen[slot] = before._replace(looked=seconds)
        if resident_memory(said.process) - before.memory > self.limits.memory:
            return Reason.MEMORY

        return None

    def forget(self, slot: int) -> None:
        """Forget a process that is killed."""
        self.seen.pop(slot, None)
        if slot:  # the child itself is still asked why it has ended
            self.board.clear_slot(slot)

    def kill(self, process: int, number: int) -> None:
        """Send a signal to a process, which may have ended by now."""
        with suppress(OSError):
            os.kill(process, number)

    # -- the end -----------------------------------------------------------------------------------

    def begins_again(self, status: int) -> bool:
        """Whether the child was killed over one statement, so that a new one can do without it."""
        own = dict(self.board.announcements()).get(0)
        for slot, _ in self.board.announcements():
            self.board.clear_slot(slot)

        self.seen.clear()
        if os.WIFSIGNALED(status) or self.told is not None:
            end_descendants()

        if not os.WIFSIGNALED(status) or self.told is not None or self.board.is_committed:
            return False

        if own is None or not own.key:
            return False

        if os.WTERMSIG(status) in ENDING:
            return False

        reason = self.board.abandoned_tasks().get(own.key)
        if reason is None:  # a segmentation fault, or the system has no memory left
            self.crashes += 1
            reason = Reason.CRASH
            if self.crashes > MOST_CRASHES or not self.board.abandon(own.key, reason):
                return False

        complain(f"a statement {WORDS[reason]}: reading again without it")
        return True

    def end_as(self, status: int) -> NoReturn:
        """End this process as the child has ended."""
        if not os.WIFSIGNALED(status):
            os._exit(os.waitstatus_to_exitcode(status))

        number = self.told if self.told is not None else os.WTERMSIG(status)
        if self.told is None and number not in ENDING:
            name = signal.Signals(number).name
            complain(f"Error: the process that did the work was ended by {name}.")
            os._exit(CRASHED)

        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        os._exit(128 + number)


# -- what the child has started --------------------------------------------------------------------

ADOPTS_ORPHANS = 36
"""PR_SET_CHILD_SUBREAPER"""
LAST_WORDS = 0.2
"""Seconds between asking a process that is left to end, and killing it."""


def adopt_orphans() -> None:
    """Become the parent of what the child leaves behind: a JVM, and the workers that it has started."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(ADOPTS_ORPHANS, 1, 0, 0, 0)


def end_descendants() -> None:
    """End every process that the child has left behind, where the system tells which these are."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in descendants_of(os.getpid()):
            with suppress(OSError):
                os.kill(process, number)

        deadline = time.monotonic() + LAST_WORDS
        while descendants_of(os.getpid()) and time.monotonic() < deadline:
            time.sleep(0.02)


def descendants_of(process: int) -> list[int]:
    """The processes that a process has started, and those that these have started.

    One that has begun a session of its own, as a browser does, goes its own way.
    """
    parents: dict[int, int] = {}
    session = str(os.getsid(process))
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, IndexError, ValueError):
            state, parent, _, own_session = (
                stat.read_text("ascii", "replace").rpartition(")")[2].split()[:4]
            )
            if state != "Z" and own_session == session:
                parents[int(stat.parent.name)] = int(parent)

    found: list[int] = []
    border = {process}
    while border:
        border = {each for each, parent in parents.items() if parent in border}
        found += border

    return found


def _interrupt_once(number: int, frame: FrameType | None) -> NoReturn:
    """SIGINT: interrupt the command. The parent sends the same signal again a moment later, which
    must not interrupt the way out.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _end_in_order(number: int, frame: FrameType | None) -> NoReturn:
    """SIGTERM: end, after temporary files are removed."""
    raise SystemExit(128 + number)


def complain(text: str) -> None:
    """Write a line to standard error, past everything that buffers."""
    with suppress(OSError):
        os.write(2, f"lineal: {text}\n".encode())


def cpu_time(process: int) -> float:
    """The seconds of CPU time that a process has taken; elsewhere than on Linux the clock."""
    if sys.platform == "linux":
        with suppress(OSError):
            return time.clock_gettime(~process << 3 | 2)

    return time.monotonic()


PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4_096


def resident_memory(process: int) -> int:
    """The bytes of memory that a process holds; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/statm").read_bytes().split()
        return int(fields[1]) * PAGE
    except (OSError, IndexError, ValueError):
        return 0

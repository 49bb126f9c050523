"""The lifeline: a process that lineal starts ends when the process that started it does, however
that one ends.

The command line starts with this module, so that it imports what it needs when it needs it.

On Linux the kernel ends it at once, whatever it is doing. Elsewhere a thread waits for the parent,
and looks whether it is still there.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

PAUSE = 0.5
"""Seconds between two looks at the parent."""

TOLD_OF_PARENTS_DEATH = 1
"""PR_SET_PDEATHSIG"""

GONE = 1
"""The exit code of a process whose parent is gone: nobody reads it."""


def end_with(parent: int) -> None:
    """End this process when the one with this id ends, which has started it."""
    is_child = os.getppid() == parent
    if is_child and _end_by_kernel(parent):
        return

    import multiprocessing

    if not is_child and multiprocessing.parent_process() is None:
        os._exit(GONE)  # the parent is gone already

    Thread(target=_wait_for, args=(parent, is_child), name="lineal-lifeline", daemon=True).start()


def tie_child() -> Callable[[], None] | None:
    """Return what a command that this process starts has to call first, to end with this process.

    subprocess.run(…, preexec_fn=tie_child())      None where the kernel offers no way
    """
    if sys.platform != "linux":
        return None

    parent = os.getpid()
    return lambda: end_with(parent)


def _end_by_kernel(parent: int) -> bool:
    """Have the kernel end this process; whether it will."""
    if sys.platform != "linux":
        return False

    import ctypes

    told = -1
    with suppress(OSError, AttributeError):
        told = ctypes.CDLL(None).prctl(TOLD_OF_PARENTS_DEATH, signal.SIGKILL)

    if os.getppid() != parent:  # it was too late to be told
        os._exit(GONE)

    return told == 0


def _wait_for(parent: int, is_child: bool) -> None:
    """A child knows its parent by its id; one that a server has forked for it, only by a handle."""
    while not _is_over() and (not is_child or os.getppid() == parent):
        pass

    os._exit(GONE)


def _is_over() -> bool:
    """Wait for a while; whether the handle of multiprocessing tells that the parent is gone."""
    import multiprocessing
    from multiprocessing.connection import wait

    process = multiprocessing.parent_process()
    if process is not None:
        with suppress(OSError):
            return bool(wait([process.sentinel], PAUSE))

    time.sleep(PAUSE)
    return False

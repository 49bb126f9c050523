"""A limit to the time that one statement may take."""

from __future__ import annotations

import faulthandler
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

GRACE = 5.0
"""Seconds beyond the limit for code that hears no signal."""

PATIENCE = 10
"""How often the limit may pass while a statement hardly runs: a machine may have too much to do, or
be paused.
"""


Hear = Callable[[Any], object]
"""Told of an item when work on it begins."""


class TooLong(BaseException):
    """A statement takes longer than it may."""

    def __init__(self, hand: Any = None) -> None:
        self.hand = hand


class Clock:
    """Rings now and then, and looks how long the current work has been going on: to begin another
    costs nothing.

    Compiled code hears no ringing until it is done. If it never is, a process that is no driver is
    ended, and whoever waits for it does the work again under `guard`.
    """

    deadly = True
    hand: Any = None

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.began = time.monotonic()
        self.noticed = self.used = 0.0
        self.nowhere = -1

    def ring(self, *_: object) -> None:
        """Raise TooLong if the current item takes too much time."""
        self.wind()
        now, used = time.monotonic(), time.process_time()
        if self.began != self.noticed:
            self.noticed, self.used = self.began, used
        elif used - self.used > self.seconds or now - self.began > PATIENCE * self.seconds:
            self.began = now
            raise TooLong(self.hand)

    def wind(self) -> None:
        """Put off the end of the process."""
        if self.deadly:
            faulthandler.dump_traceback_later(self.seconds + GRACE, exit=True, file=self.nowhere)

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Watch the time while the block runs."""
        if current_thread() is not main_thread():  # only there a signal can be caught
            yield
            return

        self.began = time.monotonic()
        self.nowhere = os.open(os.devnull, os.O_WRONLY)
        before = signal.signal(signal.SIGALRM, self.ring)
        often = min(1.0, self.seconds / 4)
        self.wind()
        signal.setitimer(signal.ITIMER_REAL, often, often)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if self.deadly:
                faulthandler.cancel_dump_traceback_later()

            signal.signal(signal.SIGALRM, before)
            os.close(self.nowhere)


class Following(Clock):
    """Sees from an iterator over a list whether the work goes on: nobody has to tell it."""

    def __init__(self, seconds: float, work: Iterator[Any]) -> None:
        super().__init__(seconds)
        self.work = work
        self.left = -1

    def ring(self, *_: object) -> None:
        """Take the next item for begun when the iterator has moved on."""
        left = self.work.__length_hint__()  # type: ignore[attr-defined]
        if left != self.left:
            self.left, self.began = left, time.monotonic()

        super().ring()


class Blaming(Clock):
    """Where one item is worked on within another, the innermost gets the blame.

    The driver's clock is not deadly.
    """

    def __init__(self, seconds: float, hear: Hear | None = None) -> None:
        super().__init__(seconds)
        self.hear = hear
        """told which item is worked on, by an executor"""
        self.deadly = hear is not None

    def take(self, work: Any) -> Any:
        """From now on it is this; what it was before, to be taken up again."""
        before, self.hand = self.hand, work
        self.began = time.monotonic()
        if self.hear is not None:
            self.hear(work)

        return before

    def ring(self, *_: object) -> None:
        """Watch the time only while an item is being processed."""
        self.wind()
        if self.hand is not None:
            super().ring()

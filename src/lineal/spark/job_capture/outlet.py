"""Where events go while the job runs: a file, or a server that may not answer. The job never waits
for either.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Thread
from typing import Any

from lineal.model.sequences import first_or_none
from lineal.spark.availability import one_line

Event = dict[str, Any]
Said = Callable[[str], None]

PAUSE = 30.0
"""The seconds for which a server that goes on failing is left alone; the first time it is a moment
only.
"""

MOMENT = 0.5

REFUSED = re.compile(r" answers 4(?!08|25|29)\d\d\b")
"""The server is there, and does not want this event: the others may still be welcome. 429 Too Many
Requests and its
like say that the event is welcome later."""

MOST_WAITING = 10_000
"""The events that wait for a server; later ones go the way of those that did not
arrive.
"""


class ToFile:
    """One event a line, after those that the file has."""

    def __init__(self, path: str, said: Said) -> None:
        self.path = path
        self._path = Path(path)
        self._said = said
        self._failed = False

    def put(self, events: list[Event]) -> None:
        """Append events to the file; the first failure is reported."""
        from lineal.views.openlineage import line

        if self._failed:
            return

        try:
            text = "".join(f"{line(event)}\n" for event in events)
            with self._path.open("ab", buffering=0) as stream:  # whole lines, in one piece
                stream.write(text.encode())
        except OSError as problem:
            self._failed = True
            self._said(f"events cannot be written to {self._path}: {problem.strerror}")

    def close(self, timeout: float) -> None:
        """Nothing waits."""


class ToServer:
    """Posts events in a thread of its own; events that have not arrived when the job ends are
    counted once.
    """

    def __init__(self, url: str, endpoint: str, timeout: float, unsent: str, said: Said) -> None:
        from lineal.deliver import send

        self._config = send.to_server(url, endpoint, timeout, retries=0)
        self._unsent = ToFile(unsent, said) if unsent else None
        self._said = said
        self._waiting: deque[Event] = deque()
        self._gone = 0
        self._change = Condition()
        self._closing = False
        self._hopeless = False
        self._pause = MOMENT
        self._until = float("inf")
        self._reason = "there was no answer in time"
        self._thread = Thread(target=self._run, name="lineal-events", daemon=True)
        self._thread.start()

    def put(self, events: list[Event]) -> None:
        """Queue events for the server; those without room are given up."""
        with self._change:
            room = max(MOST_WAITING - len(self._waiting), 0)
            self._waiting.extend(events[:room])
            self._change.notify()

        self._give_up(events[room:])

    def close(self, timeout: float) -> None:
        """Send waiting events while there is time, and ask a busy server again until then."""
        with self._change:
            self._closing = True
            self._until = time.monotonic() + timeout
            self._change.notify()

        self._thread.join(timeout)
        with self._change:
            left = list(self._waiting)
            self._waiting.clear()

        self._give_up(left)
        if self._gone:
            self._said(
                f"{self._gone} of the events did not arrive: {self._reason}; {self._where()}"
            )

    def _run(self) -> None:
        """Send events until the outlet is closed, with pauses after failures."""
        while (event := self._next()) is not None:
            if self._send(event):
                self._pause = MOMENT
                self._drop(event)
            elif REFUSED.search(self._reason):
                self._drop(event)
                self._give_up([event])
            elif self._hopeless or not self._wait():
                return

    def _next(self) -> Event | None:
        """The first that waits; None when the job has ended and nothing does."""
        with self._change:
            while not self._waiting and not self._closing:
                self._change.wait()

            return first_or_none(self._waiting)

    def _drop(self, event: Event) -> None:
        """It waits no longer, unless who closes has taken it away."""
        with self._change:
            if self._waiting and self._waiting[0] is event:
                self._waiting.popleft()

    def _wait(self) -> bool:
        """True after a pause, each longer than the last; False when there is no time left for one.

        The end of the job shortens it: then a server gets its last chances.
        """
        began = time.monotonic()
        with self._change:
            while not self._closing and (left := began + self._pause - time.monotonic()) > 0:
                self._change.wait(left)

            if self._closing:
                left = self._until - time.monotonic()
                if left <= 0:
                    return False

                self._change.wait(min(MOMENT, left))

        self._pause = min(self._pause * 2, PAUSE)
        return True

    def _send(self, event: Event) -> bool:
        """Send an event; return whether the server took it."""
        from lineal.deliver.send import NotSent, Unavailable, send

        try:
            send([event], self._config, lambda _: None)
        except (NotSent, Unavailable) as problem:
            self._reason = str(problem)
            self._hopeless = isinstance(problem, Unavailable)
            return False
        except Exception as problem:  # this thread has to live as long as the job
            self._reason = f"{type(problem).__name__}: {one_line(problem)}"
            return False

        return True

    def _give_up(self, events: list[Event]) -> None:
        """Count events as lost to the server, and write them to the file for unsent events."""
        if not events:
            return

        with self._change:
            self._gone += len(events)
            if self._unsent is not None:
                self._unsent.put(events)

    def _where(self) -> str:
        """Return where unsent events are."""
        if self._unsent is None:
            return "they are lost: name a file for them"

        return f"they are in {self._unsent.path}: lineal emit {self._unsent.path} sends them"

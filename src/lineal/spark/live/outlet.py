"""Where events go while the job runs: a file, or a server that may not answer. The job never waits for either."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Thread
from typing import Any

from lineal.spark.session import one_line

Event = dict[str, Any]
Said = Callable[[str], None]

PAUSE = 30.0
"""The seconds for which a server that has failed is left alone."""

REFUSED = " answers 4"
"""The server is there, and does not want this event: the others may still be welcome."""


class ToFile:
    """One event a line, after those that the file has."""

    def __init__(self, path: str, said: Said) -> None:
        self._path = Path(path)
        self._said = said
        self._failed = False

    def put(self, events: list[Event]) -> None:
        from lineal.views.openlineage import line

        if self._failed:
            return
        try:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.writelines(f"{line(event)}\n" for event in events)
        except OSError as problem:
            self._failed = True
            self._said(f"events cannot be written to {self._path}: {problem.strerror}")

    def close(self, timeout: float) -> None:
        """Nothing waits."""


class ToServer:
    """Events are posted by a thread of their own; what has not arrived when the job has ended is counted once."""

    def __init__(self, url: str, endpoint: str, timeout: float, unsent: str, said: Said) -> None:
        from lineal.web import send

        self._config = send.to_server(url, endpoint, timeout, retries=0)
        self._unsent = unsent
        self._said = said
        self._waiting: deque[Event] = deque()
        self._refused: list[Event] = []
        self._change = Condition()
        self._closing = False
        self._reason = "there was no answer in time"
        self._thread = Thread(target=self._run, name="lineal-events", daemon=True)
        self._thread.start()

    def put(self, events: list[Event]) -> None:
        with self._change:
            self._waiting.extend(events)
            self._change.notify()

    def close(self, timeout: float) -> None:
        with self._change:
            self._closing = True
            self._change.notify()
        self._thread.join(timeout)
        left = [*self._refused, *self._waiting]
        if left:
            self._said(f"{len(left)} of the events did not arrive: {self._reason}; {self._kept(left)}")

    def _run(self) -> None:
        while True:
            with self._change:
                while not self._waiting and not self._closing:
                    self._change.wait()
                if not self._waiting:
                    return
                event = self._waiting[0]
            if self._sent(event):
                self._waiting.popleft()
            elif REFUSED in self._reason:
                self._refused.append(self._waiting.popleft())
            elif self._closing or not self._paused():
                return

    def _paused(self) -> bool:
        """True after a pause; the end of the job is a last chance."""
        until = time.monotonic() + PAUSE
        with self._change:
            while not self._closing and (left := until - time.monotonic()) > 0:
                self._change.wait(left)
        return True

    def _sent(self, event: Event) -> bool:
        from lineal.web.send import NotSent, Unavailable, send

        try:
            send([event], self._config, lambda _: None)
        except (NotSent, Unavailable) as problem:
            self._reason = str(problem)
            return False
        except Exception as problem:  # this thread has to live as long as the job
            self._reason = f"{type(problem).__name__}: {one_line(problem)}"
            return False
        return True

    def _kept(self, left: list[Event]) -> str:
        if not self._unsent:
            return "they are lost: name a file for them"
        ToFile(self._unsent, self._said).put(left)
        return f"they are in {self._unsent}: lineal emit {self._unsent} sends them"

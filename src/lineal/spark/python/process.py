"""The run's side of a Python model: its process, its output, its time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import IO, Any, TypeVar

LOG_LIMIT = 10_000_000
"""The bytes of output that are kept of one model."""

LAST_WORDS = 1.0
"""The seconds that are waited for the output of a process that has ended: one that it has started
may hold the pipe.
"""

GRACE = 10.0
"""The seconds that Spark has to give up a cancelled job."""

COMMAND = (sys.executable, "-P", "-c", "from lineal.spark.python.child import main; main()")

Result = TypeVar("Result")


class OutOfTime(Exception):
    """A model has not ended within its time."""


class Ended(Exception):
    """The process of a model has ended without an answer; the message says how."""


class Deadline:
    """The moment at which a model is stopped."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Return how many seconds are left."""
        return max(self._end - time.monotonic(), 0.0)


class ModelProcess:
    """One process, from its start to its end: `with ModelProcess(…) as process`."""

    def __init__(self, request: Mapping[str, Any], log: Path, deadline: Deadline) -> None:
        self._request = request
        self._log = log
        self._deadline = deadline
        self._answers: Queue[bytes] = Queue()

    def __enter__(self) -> ModelProcess:
        self._process = subprocess.Popen(  # noqa: S603
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **OWN_GROUP,
        )
        RUNNING.add(self)
        output, answers, requests = self._process.stderr, self._process.stdout, self._process.stdin
        assert output is not None and answers is not None and requests is not None
        listen = (
            Thread(target=keep, args=(output, self._log)),
            Thread(target=self._listen, args=(answers,)),
        )
        self._listening = listen
        for thread in listen:
            thread.daemon = True
            thread.start()

        with suppress(OSError):  # it is gone already: what it has said is in the log
            requests.write(json.dumps(self._request).encode() + b"\n")
            requests.flush()

        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def answer(self) -> dict[str, Any]:
        """Return the result of the model, or its error; OutOfTime or Ended if there is neither."""
        try:
            line = self._answers.get(timeout=self._deadline.left)
        except Empty:
            raise OutOfTime from None

        if not line.strip():
            raise Ended(self._how_it_ended())

        found = json.loads(line)
        assert isinstance(found, dict)
        return found

    def stop(self) -> None:
        """End the process and all that it has started, and wait for its last words."""
        RUNNING.discard(self)
        kill(self._process)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)

        for thread in self._listening:
            thread.join(LAST_WORDS)

        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

    def _listen(self, answers: IO[bytes]) -> None:
        """Pass the first answer on."""
        with answers:
            self._answers.put(answers.readline())

    def _how_it_ended(self) -> str:
        """Return how the process has ended, in words."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)

        code = self._process.returncode
        if code is None:
            return "it has closed its connection to the run"

        if code < 0:
            with suppress(ValueError):
                return f"its process was killed by the signal {signal.Signals(-code).name}"

        return f"its process ended with the exit code {code} before the model was done"


OWN_GROUP: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {}
"""A process that has started others is ended together with them."""

RUNNING: set[ModelProcess] = set()
"""The processes that have not ended yet."""


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children."""
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def stop_all() -> None:
    """End every process of this run: it was interrupted."""
    for process in list(RUNNING):
        process.stop()


def keep(output: IO[bytes], log: Path) -> None:
    """Write the output to the log, up to its limit; further output is read and thrown away. Without
    output there is no log.
    """
    kept = 0
    with output, suppress(OSError, ValueError):
        log.unlink(missing_ok=True)
        while part := os.read(output.fileno(), 65536):
            if kept > LOG_LIMIT:
                continue

            with log.open("ab") as stream:
                stream.write(part[: LOG_LIMIT - kept])
                kept += len(part)
                if kept > LOG_LIMIT:
                    stream.write(
                        f"\n… the output continues: only {LOG_LIMIT:,} bytes of it are kept\n".encode()
                    )


def finish_within(
    deadline: Deadline, action: Callable[[], Result], cancel: Callable[[], None]
) -> Result:
    """Return the result of an action. At the deadline it is cancelled, and abandoned if it does not
    end: OutOfTime.
    """
    done: Queue[tuple[Result | None, BaseException | None]] = Queue()

    def act() -> None:
        """Do the action, and keep its result or its error."""
        try:
            done.put((action(), None))
        except BaseException as problem:
            done.put((None, problem))

    Thread(target=act, daemon=True).start()
    try:
        made, problem = done.get(timeout=deadline.left)
    except Empty:
        cancel()
        with suppress(Empty):
            done.get(timeout=GRACE)

        raise OutOfTime from None

    if problem is not None:
        raise problem

    return made  # type: ignore[return-value]

"""Processes in groups of their own, so that whatever they start can be ended with them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

Process = subprocess.Popen[bytes]


class TooLong(Exception):
    """A process has not come to its end."""


SECONDS = 5
_lock = threading.Lock()
_running: list[Process] = []
_endings: list[Callable[[], None]] = []


def start_group(
    command: Sequence[str | Path],
    folder: Path,
    variables: Mapping[str, str],
    output: IO[bytes] | int,
) -> Process:
    """Starts a process that reads nothing, and whose two streams are one, as on a terminal."""
    with _lock:
        made = subprocess.Popen(
            list(map(str, command)), cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        _running.append(made)
    return made


def end_group(process: Process) -> None:
    """Ends a process with all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    with _lock, contextlib.suppress(ValueError):
        _running.remove(process)


def at_the_end(ending: Callable[[], None]) -> None:
    """Something else that has to be done when everything is ended at once."""
    _endings.append(ending)


def end_everything(number: int, _: object = None) -> None:
    """Ends all groups and this process: what a signal asks for, whatever the threads are waiting
    for.
    """
    _lock.acquire(timeout=SECONDS)  # never released: no thread starts anything more
    for process in list(_running):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    for ending in reversed(_endings):
        with contextlib.suppress(Exception):
            ending()
    os._exit(128 + number)


def run_process(
    command: Sequence[str | Path], folder: Path, variables: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Runs a process to its end; what it leaves running is ended, and its output is not waited for."""
    with tempfile.TemporaryFile() as output:
        process = start_group(command, folder, variables, output)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise TooLong(
                f"not finished after {seconds:.0f} seconds:\n{describe_output(output)}"
            ) from None
        finally:
            end_group(process)
        return subprocess.CompletedProcess(
            list(map(str, command)), process.returncode, describe_output(output)
        )


def describe_output(output: IO[bytes]) -> str:
    output.seek(0)
    return output.read().decode(errors="replace")

"""A job's file, run as spark-submit would run it, and watched from the moment it has a context."""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from lineal.spark.availability import one_line
from lineal.spark.job_capture.watch import Watch
from lineal.spark.jvm import jvm_ends_with_us

STOPPED = 130
"""The exit code after Ctrl-C."""


def run_job(file: str, arguments: Sequence[str], watch: Watch) -> int:
    """The job's own exit code; what it raises is shown as Python shows it."""
    failure, code = "", 0
    with watch_contexts(watch.attach), started_as(file, arguments), jvm_ends_with_us():
        try:
            runpy.run_path(file, run_name="__main__")
        except SystemExit as leaving:
            code = exit_code(leaving)
            failure = f"exit code {code}" if code else ""
        except KeyboardInterrupt:
            failure, code = "stopped", STOPPED
        except BaseException as problem:
            show(problem)
            failure, code = f"{type(problem).__name__}: {one_line(problem)}", 1

    watch.close(failure)
    return code


def exit_code(leaving: SystemExit) -> int:
    """sys.exit("why")      says why, and is 1"""
    if leaving.code is None or isinstance(leaving.code, int):
        return leaving.code or 0

    sys.stderr.write(f"{leaving.code}\n")  # as Python does
    return 1


@contextmanager
def watch_contexts(attach: Callable[[Any], None]) -> Iterator[None]:
    """Every context, from its first moment: the one that is there, and those that the job makes."""
    from pyspark import SparkContext

    begin = SparkContext._do_init

    def beginning(context: Any, *args: Any, **named: Any) -> Any:
        """Start the context, and attach the capture to it."""
        made = begin(context, *args, **named)
        attach(context)
        return made

    running = SparkContext._active_spark_context
    if running is not None:
        attach(running)

    SparkContext._do_init = beginning  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        SparkContext._do_init = begin  # type: ignore[method-assign]


@contextmanager
def started_as(file: str, arguments: Sequence[str]) -> Iterator[None]:
    """python job.py a b      sys.argv and sys.path as the job knows them"""
    argv, path = sys.argv, list(sys.path)
    sys.argv = [file, *arguments]
    sys.path.insert(0, str(Path(file).resolve().parent))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = argv, path


def show(problem: BaseException) -> None:
    """The traceback from the job's own first line on."""
    traceback.print_exception(type(problem), problem, from_the_job(problem.__traceback__))


def from_the_job(trace: TracebackType | None) -> TracebackType | None:
    """Return the traceback from the first frame of the job on."""
    start = trace
    while start is not None and start.tb_frame.f_globals.get("__name__") != "__main__":
        start = start.tb_next

    return start or trace

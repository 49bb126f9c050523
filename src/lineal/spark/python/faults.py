"""An exception of a Python model in one line, with the line of the project's code that it comes
from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

from lineal.model.diagnostic import Place
from lineal.spark.run.errors import causes
from lineal.spark.run.errors import message_of as said_by_spark

Files = Mapping[str, str]
"""The project's own files: as Python or Spark names them, and as the project calls them."""

LONGEST = 400
WORKER_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+)', re.MULTILINE)
WORKER_ERROR = re.compile(
    r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning)\b.*)$", re.MULTILINE
)
CALL_SITE = re.compile(r"^(.*):(\d+)$")


def message_of(problem: BaseException) -> str:
    """ZeroDivisionError: division by zero; of Spark's exceptions what Spark says."""
    deepest = list(causes(problem))[-1]
    inside = worker_text(problem)
    if inside:
        said = WORKER_ERROR.findall(inside)
        if said:
            return f"{said[-1].strip()} (in a function that Spark's workers call)"[:LONGEST]

        return inside[:LONGEST]

    if type(deepest).__module__.startswith(("pyspark", "py4j")):
        return said_by_spark(deepest)

    lines = str(deepest).strip().splitlines()
    if type(deepest).__module__.startswith("lineal.") and lines:
        return lines[0][:LONGEST]

    if lines:
        return f"{type(deepest).__name__}: {lines[0]}"[:LONGEST]

    return type(deepest).__name__


def place_of(problem: BaseException, files: Files) -> Place | None:
    """The innermost line of the project's own code."""
    inside = worker_text(problem)
    if inside:
        frames = [(name, int(line)) for name, line in WORKER_FRAME.findall(inside) if name in files]
        if frames:
            return Place(files[frames[-1][0]], frames[-1][1], 1)

    if (
        isinstance(problem, SyntaxError)
        and problem.filename is not None
        and problem.filename in files
    ):
        return Place(files[problem.filename], problem.lineno or 1, problem.offset or 1)

    frames_here = [found for found in frames_of(problem.__traceback__) if found.file in files]
    if frames_here:
        return frames_here[-1]._replace(file=files[frames_here[-1].file])

    return next(call_sites(problem, files), None) or next(fragments(problem, files), None)


def frames_of(trace: TracebackType | None) -> Iterator[Place]:
    """Every place that an exception came through, the outermost first."""
    while trace is not None:
        code = trace.tb_frame.f_code
        _, _, column, _ = next(islice(code.co_positions(), trace.tb_lasti // 2, None), (None,) * 4)
        yield Place(code.co_filename, trace.tb_lineno, (column or 0) + 1)
        trace = trace.tb_next


def from_project(trace: TracebackType | None, files: Files) -> TracebackType | None:
    """The traceback from the project's first line on."""
    start = trace
    while start is not None and start.tb_frame.f_code.co_filename not in files:
        start = start.tb_next

    return start or trace


def fragments(problem: BaseException, files: Files) -> Iterator[Place]:
    """spark.sql("select 1 / 0")

    where the part of a SQL text that failed later stands, if it stands once
    """
    texts = {name: text for name in files if (text := _text(name))}
    for context in contexts(problem):
        fragment = ""
        with suppress(Exception):  # a context of a DataFrame has none
            fragment = str(context.fragment()).strip()

        found = [
            (name, text) for name, text in texts.items() if fragment and text.count(fragment) == 1
        ]
        if len(found) == 1:
            name, text = found[0]
            before = text[: text.index(fragment)]
            yield Place(files[name], before.count("\n") + 1, len(before) - before.rfind("\n"))


def _text(name: str) -> str:
    """Return the text of a file; '' if it cannot be read."""
    try:
        return Path(name).read_text("utf-8", "replace")
    except OSError:
        return ""


def contexts(problem: BaseException) -> list[Any]:
    """Return Spark's query contexts of an exception."""
    found: list[Any] = []
    for each in causes(problem):
        with suppress(Exception):  # not one of Spark's exceptions
            found += each.getQueryContext()  # type: ignore[attr-defined]

    return found


def call_sites(problem: BaseException, files: Files) -> Iterator[Place]:
    """Where the DataFrame operation that failed later was written: Spark keeps the line of it."""
    for context in contexts(problem):
        site = ""
        with suppress(Exception):  # a context of a SQL text has none
            site = str(context.callSite()).strip()

        found = CALL_SITE.match(site.splitlines()[0]) if site else None
        if found is not None and found[1] in files:
            yield Place(files[found[1]], int(found[2]), 1)


def worker_text(problem: BaseException) -> str:
    """The traceback of a function that failed in a worker of Spark: '' for every other exception."""
    texts = [str(getattr(each, "desc", None) or each) for each in causes(problem)]
    found = [text for text in texts if "Traceback (most recent call last)" in text]
    if found:
        return found[-1]

    return ""

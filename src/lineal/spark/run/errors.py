"""Spark's exceptions in one line, with the file and line of the SQL that caused them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lineal.model.diagnostic import Place
from lineal.spark.run.result import Fault

LONGEST = 400
POSITION = re.compile(r"\(?\bline (\d+),? pos (\d+)\)?")
STATE = re.compile(r"\s*SQLSTATE: \w+.*", re.DOTALL)
CLASS = re.compile(r"^(?:[\w$]+\.)+[\w$]+(?:Exception|Error): ")
NAMED = re.compile(r"(`[^`]+`(?:\.`[^`]+`)*)")
LEADING = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
"""The words before a query; Spark leaves them out of a view's text."""


@dataclass(frozen=True)
class Origin:
    """A text that was given to Spark behind a head of our own: CREATE VIEW v AS ⏎ text."""

    file: str
    text: str
    head: str = ""
    line: int = 1
    """The line of the file that the text begins on; 0 if the text is not the file's but a
    translation.
    """
    source: str = ""
    """Of a translation: the text that it was made of, from its first line on."""
    first: int = 1
    """The line of the file that the source begins on."""

    def at(self, index: int) -> Place:
        """The place of a character of the text."""
        if not self.line:
            return Place(self.file, 1, 1)

        before = self.text[: max(index, 0)]
        return Place(self.file, self.line + before.count("\n"), len(before) - before.rfind("\n"))

    def of_line(self, line: int, position: int) -> Place:
        """The place of a line and position of head and text together."""
        inside = line - self.head.count("\n")
        if not self.line or inside < 1:
            return Place(self.file, 1, 1)

        return Place(self.file, self.line + inside - 1, position + 1)


Views = Callable[[str], Origin | None]
"""The origin of a view that Spark names in an error."""


def fault_of(
    problem: BaseException, origin: Origin | None = None, views: Views = lambda name: None
) -> Fault:
    """Return the error of Spark, or of the machine, in one line."""
    deepest = list(causes(problem))[-1]
    message = message_of(deepest)
    if origin is not None and not origin.line:
        return Fault(message, mention(message, origin))

    place = next(
        (found for each in causes(problem) if (found := _place(each, origin, views))), None
    )
    return Fault(message, place or (Place(origin.file, 1, 1) if origin else None))


def mention(message: str, origin: Origin) -> Place:
    """Where the text before its translation has the name that an error is about: the first that the
    error quotes.
    """
    quoted = NAMED.search(message)
    name = quoted[1].rpartition(".")[2].strip("`") if quoted is not None else ""
    found = (
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", origin.source, re.IGNORECASE)
        if name
        else None
    )
    if found is None:
        return Place(origin.file, origin.first, 1)

    before = origin.source[: found.start()]
    return Place(origin.file, origin.first + before.count("\n"), len(before) - before.rfind("\n"))


def causes(problem: BaseException) -> Iterator[BaseException]:
    """The exception and what caused it: TASK_WRITE_FAILED hides the cast that failed."""
    seen: set[int] = set()
    here: BaseException | None = problem
    while here is not None and id(here) not in seen:
        seen.add(id(here))
        yield here
        here = getattr(here, "_cause", None) or getattr(here, "cause", None)


def message_of(problem: BaseException) -> str:
    """[UNRESOLVED_COLUMN] … cannot be resolved. Did you mean …?

    the first line, without the plan below it
    """
    java = getattr(problem, "java_exception", None)
    text = (
        str(java.toString()) if java is not None else str(getattr(problem, "desc", None) or problem)
    )
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    first = STATE.sub("", CLASS.sub("", lines[0])) if lines else type(problem).__name__
    return POSITION.sub("", first).strip(" ;")[:LONGEST] or type(problem).__name__


def in_sql(problem: BaseException) -> bool:
    """Tell whether the text of a query failed, and not a later use of its result."""
    return any(_start(context) >= 0 for each in causes(problem) for context in _contexts(each))


def _start(context: Any) -> int:
    """Return where the context of an error begins; -1 if it does not say."""
    try:
        return int(context.startIndex())
    except Exception:  # a DataFrame's context has no text
        return -1


def _place(problem: BaseException, origin: Origin | None, views: Views) -> Place | None:
    """Return the place of an error in the project."""
    for context in _contexts(problem):
        found = _place_in(context, origin, views)
        if found is not None:
            return found

    position = POSITION.search(str(problem))
    if origin is None or position is None:
        return None

    return origin.of_line(int(position[1]), int(position[2]))


def _contexts(problem: BaseException) -> list[object]:
    """Return the query contexts of an error."""
    try:
        return list(problem.getQueryContext())  # type: ignore[attr-defined]
    except Exception:  # not one of Spark's, or from an older Java side
        return []


def _place_in(context: Any, origin: Origin | None, views: Views) -> Place | None:
    """A context is a spot in the statement, or in the text of a view that the statement reads."""
    start = _start(context)
    if start < 0:  # there is no text, or it was lost on the way through a view
        return None

    name = str(context.objectName())
    if not name:
        if origin is not None:
            return origin.at(start - len(origin.head))

        return None

    view = views(name)
    if view is None:
        return None

    skipped = LEADING.match(view.text)
    return view.at(start + (skipped.end() if skipped else 0))

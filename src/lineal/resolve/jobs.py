"""Jobs: what writes each dataset, with the text of its statements."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import Any, NamedTuple

from lineal.extract.entries import Definition
from lineal.extract.sql.reading import Reading, offset_of
from lineal.extract.sql.words import statements
from lineal.model.edge import Dataset
from lineal.model.job import Job
from lineal.model.redaction import redact_text

PYTHON = "python"


class Written(NamedTuple):
    """A dataset, and the statement that writes it."""

    target: Dataset
    reading: Reading
    node: Any
    """the statement's tree, or where it starts; None where that is not known"""


def written_by(definition: Definition, target: Dataset) -> Written:
    """What a definition writes, under the name that is shown, and where."""
    return Written(target, definition.reading, definition.plan.node)


Span = tuple[int, int]
"""Where a statement of a script begins and ends."""


class Jobs:
    """One job for each dataset that is written and each task that writes it, in the order of
    definition; several statements are one text.
    """

    def __init__(self) -> None:
        self._jobs: dict[tuple[Dataset, str], Job] = {}
        self._spans: dict[int, list[Span]] = {}

    def add(self, written: Written) -> None:
        """Add a statement to the job of its target."""
        found = _job(written, self._spans)
        key = (written.target, found.name)
        before = self._jobs.get(key)
        self._jobs[key] = found if before is None else _both(before, found)

    def all(self) -> list[Job]:
        """Every job, in the order of definition."""
        return list(self._jobs.values())


def _job(written: Written, spans: dict[int, list[Span]]) -> Job:
    target, reading, node = written
    place = reading.place_of_statement(node) if node is not None else None
    if reading.script.dialect == PYTHON:
        return Job((target,), place=place)
    if id(reading) not in spans:
        spans[id(reading)] = [
            (chunk[0].start, chunk[-1].end + 1) for chunk in statements(reading.tokens)
        ]
    sql = redact_text(_text(written, spans[id(reading)]))
    script = reading.script
    return Job((target,), name=script.job, sql=sql, dialect=script.dialect, place=place)


def _text(written: Written, spans: list[Span]) -> str:
    """The statement as it is written; of a procedure the whole script."""
    text, node = written.reading.script.text, written.node
    offset = offset_of(node) if node is not None and written.reading.found is None else None
    if len(spans) < 2 or offset is None:
        return text.strip().removesuffix(";").rstrip()
    start, end = spans[max(bisect_right(spans, offset, key=lambda span: span[0]) - 1, 0)]
    return text[start:end]


def _both(before: Job, found: Job) -> Job:
    if not found.sql or found.sql in before.sql.split(SEPARATOR):
        return before
    return replace(before, sql=SEPARATOR.join(filter(None, (before.sql, found.sql))))


SEPARATOR = ";\n\n"

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


class WrittenDataset(NamedTuple):
    """A dataset, and the statement that writes it."""

    target: Dataset
    reading: Reading
    node: Any
    """the statement's tree, or where it starts; None where that is not known"""


def written_by(definition: Definition, target: Dataset) -> WrittenDataset:
    """Return the dataset that a definition writes, under its shown name, and the place."""
    return WrittenDataset(target, definition.reading, definition.plan.node)


Span = tuple[int, int]
"""Where a statement of a script begins and ends."""


class Jobs:
    """One job for each dataset that is written and each task that writes it, in the order of
    definition; several statements are one text.
    """

    def __init__(self) -> None:
        self._jobs: dict[tuple[Dataset, str], Job] = {}
        self._texts: dict[tuple[Dataset, str], dict[str, None]] = {}
        """the statements of each job; a text that several statements share is kept once"""
        self._spans: dict[int, list[Span]] = {}
        self._scripts: dict[int, str] = {}
        """the text of each script that is shown as a whole"""

    def add(self, written: WrittenDataset) -> None:
        """Add a statement to the job of its target."""
        target, reading, node = written
        script = reading.script
        place = reading.place_of_statement(node) if node is not None else None
        if script.dialect == PYTHON:
            found = Job((target,), place=place)
        else:
            found = Job((target,), name=script.job, dialect=script.dialect, place=place)

        key = (target, found.name)
        self._jobs.setdefault(key, found)
        if script.dialect != PYTHON:
            self._texts.setdefault(key, {})[self._text(written)] = None

    def all(self) -> list[Job]:
        """Every job, in the order of definition."""
        return [
            replace(job, sql=SEPARATOR.join(filter(None, self._texts.get(key, ()))))
            for key, job in self._jobs.items()
        ]

    def _text(self, written: WrittenDataset) -> str:
        """The statement as it is written; of a procedure the whole script."""
        reading, node = written.reading, written.node
        text = reading.script.text
        offset = offset_of(node) if node is not None and reading.found is None else None
        spans = self._spans_of(reading) if offset is not None else []
        if len(spans) < 2 or offset is None:
            if id(reading) not in self._scripts:
                whole = text.strip().removesuffix(";").rstrip()
                self._scripts[id(reading)] = redact_text(whole)

            return self._scripts[id(reading)]

        start, end = spans[max(bisect_right(spans, offset, key=lambda span: span[0]) - 1, 0)]
        return redact_text(text[start:end])

    def _spans_of(self, reading: Reading) -> list[Span]:
        """Where the statements of a script begin and end."""
        if id(reading) not in self._spans:
            self._spans[id(reading)] = [
                (chunk[0].start, chunk[-1].end + 1) for chunk in statements(reading.tokens)
            ]

        return self._spans[id(reading)]


SEPARATOR = ";\n\n"

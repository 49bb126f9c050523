"""A lineage as a file: JSON, an item a line, and back again with nothing lost.

    lineal lineage models/ --save shop.lineal.json
    lineal lineage shop.lineal.json

Datasets and files stand once, in tables of names, and are numbers everywhere else. A place is
[file, line, column], a column [dataset, name, …path], a dataset [dataset].
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Call, Column, Dataset, Doubt, Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction, Occurrence
from lineal.model.job import Job, Run
from lineal.model.ledger import Coverage
from lineal.model.statement import Statement
from lineal.model.way import Clause, Confidence, How, way
from lineal.store.files import replace_file

ENDING = ".lineal.json"
FORMAT = 2
"""Rises when a file of the new form could not be read by the code before it."""
READABLE = (1, FORMAT)
"""The forms that are read. In the first, a read did not say how the column is spelled there."""

OPENING = '{"lineal":'
"""The first bytes of such a file, whatever its name."""


class SavedError(ValueError):
    """The text is not a saved lineage, or is one of a later version."""


def write(extraction: Extraction, file: str | os.PathLike[str]) -> None:
    """The file is there as a whole or, after a failure, as it was."""
    replace_file(Path(file), write_text(extraction).encode())


def write_text(extraction: Extraction) -> str:
    """Return the lineage as the text of a file."""
    return _Writer().text(extraction)


def read_text(text: str) -> Extraction:
    """Return the lineage of the text of a file."""
    try:
        made = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise SavedError(f"not a saved lineage: {problem}") from problem

    if not isinstance(made, dict) or "lineal" not in made:
        raise SavedError('not a saved lineage: it has no "lineal"')

    if made["lineal"] not in READABLE:
        raise SavedError(
            f"a saved lineage of format {made['lineal']!r}, and this lineal reads up to format {FORMAT}"
        )

    try:
        return _Reader(made).extraction()
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as problem:
        raise SavedError(
            f"a damaged saved lineage: {type(problem).__name__}: {problem}"
        ) from problem


class _Numbers(dict[Any, int]):
    """Each value's number, in the order of first use."""

    def __missing__(self, value: object) -> int:
        self[value] = number = len(self)
        return number


class _Writer:
    def __init__(self) -> None:
        self.files = _Numbers()
        self.names = _Numbers()

    def text(self, extraction: Extraction) -> str:
        """Return the whole file."""
        parts: dict[str, Iterable[Any]] = {
            "datasets": list(map(self.dataset, extraction.datasets.values())),
            "edges": list(map(self.edge, extraction.edges)),
            "reads": list(map(self.read, extraction.reads)),
            "diagnostics": list(map(self.diagnostic, extraction.diagnostics)),
            "occurrences": list(map(self.occurrence, extraction.occurrences)),
            "jobs": list(map(self.job, extraction.jobs)),
            "statements": list(map(self.statement, extraction.statements)),
        }
        tables: dict[str, Iterable[Any]] = {"files": self.files, "names": map(list, self.names)}
        lines = [f'"{name}":[{_lines(items)}]' for name, items in (tables | parts).items()]
        return (
            ",\n".join(
                [f"{OPENING}{FORMAT}", f'"coverage":{_json(extraction.coverage.to_json())}', *lines]
            )
            + "}\n"
        )

    def place(self, place: Place | None) -> list[int] | None:
        """Write a place as numbers: file, line, column."""
        if place is not None:
            return [self.files[place.file], place.line, place.column]

        return None

    def end(self, end: Column | Dataset) -> list[Any]:
        """Write the end of an edge."""
        if isinstance(end, Column):
            return [self.names[end.dataset], end.name, *end.path]

        return [self.names[end]]

    def dataset(self, info: DatasetInfo) -> dict[str, Any]:
        """Write a dataset with its columns."""
        return _brief(
            name=self.names[info.dataset],
            kind=info.kind,
            complete=info.complete,
            description=info.description,
            place=self.place(info.place),
            columns=list(map(self.column, info.columns)),
            terminal=info.terminal,
        ) | {
            name: list(map(self.column, columns))
            for name, columns in (("declared", info.declared), ("produced", info.produced))
            if columns is not None
        }

    def column(self, info: ColumnInfo) -> dict[str, Any]:
        """Write a column."""
        return _brief(
            name=info.name,
            type=info.type,
            description=info.description,
            classification=info.classification,
            place=self.place(info.place),
            quoted=info.quoted,
            own=not info.inherits,
        )

    def edge(self, edge: Edge) -> list[Any]:
        """Write an edge with its usages."""
        return [
            self.end(edge.source),
            self.end(edge.target),
            list(map(self.usage, edge.usages)),
        ]

    def usage(self, usage: Usage) -> dict[str, Any]:
        """Write a usage."""
        doubt = usage.doubt
        return _brief(
            how=usage.how.value,
            clause=usage.clause.value,
            masked=usage.masked,
            windowed=usage.way.windowed,
            level=usage.reader.level.name,
            doubt=[doubt.level.name, doubt.ambiguous, doubt.evidence]
            if doubt is not None
            else None,
            place=self.place(usage.place),
            expression=usage.expression,
            calls=usage.calls,
            path=usage.path if usage.path != usage.calls else None,
        )

    def read(self, read: Read) -> list[Any]:
        """Write a read."""
        place = self.place(read.place)
        stands = (
            [int(read.aggregated), int(read.from_variable)]
            if read.aggregated or read.from_variable
            else []
        )
        return [
            self.names[read.target],
            self.names[read.dataset],
            read.column,
            read.clause.value,
            place,
            *stands,
        ]

    def diagnostic(self, found: Diagnostic) -> list[Any]:
        """Write a diagnostic."""
        return [found.code.name, found.message, self.place(found.place), found.hint]

    def occurrence(self, each: Occurrence) -> dict[str, Any]:
        """Write an occurrence."""
        return _brief(**each._replace(place=None)._asdict()) | {"place": self.place(each.place)}  # type: ignore[arg-type]

    def statement(self, each: Statement) -> list[Any]:
        """Write a statement."""
        place = self.place(each.place)
        return [self.names[each.target], each.kind, place, each.dialect, each.words, each.meaning]

    def job(self, job: Job) -> dict[str, Any]:
        """Write a job."""
        return _brief(
            outputs=[self.names[output] for output in job.outputs],
            namespace=job.namespace,
            name=job.name,
            sql=job.sql,
            dialect=job.dialect,
            description=job.description,
            place=self.place(job.place),
            location=job.location,
            time=job.time,
            run=astuple(job.run) if job.run is not None else None,
            given=job.given,
        )


def _brief(**values: object) -> dict[str, object]:
    """Leave out empty values; the number 0 is not empty."""
    return {
        name: value
        for name, value in values.items()
        if value or (value == 0 and value is not False)
    }


def _lines(items: Iterable[object]) -> str:
    """Return items as lines of JSON."""
    written = ",\n".join(map(_json, items))
    if written:
        return f"\n{written}"

    return ""


_json: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


class _Reader:
    def __init__(self, made: Mapping[str, Any]) -> None:
        self.made = made
        self.files = list(map(_text, made["files"]))
        self.names = [Dataset(_text(namespace), _text(name)) for namespace, name in made["names"]]

    def extraction(self) -> Extraction:
        """Return the whole lineage of the file."""
        made = self.made
        datasets = list(map(self.dataset, made["datasets"]))
        return Extraction(
            [self.edge(*each) for each in made["edges"]],
            [self.read(*each) for each in made["reads"]],
            {info.dataset: info for info in datasets},
            [self.diagnostic(*each) for each in made["diagnostics"]],
            Coverage.from_json(made["coverage"]),
            list(map(self.occurrence, made["occurrences"])),
            [self.statement(*each) for each in made.get("statements", ())],
            list(map(self.job, made.get("jobs", ()))),
        )

    def place(self, made: list[int] | None) -> Place | None:
        """Read a place."""
        if made is not None:
            return Place(self.files[made[0]], int(made[1]), int(made[2]))

        return None

    def end(self, number: int, *names: str) -> Column | Dataset:
        """Read the end of an edge."""
        dataset = self.names[number]
        if names:
            return Column(dataset, _text(names[0]), tuple(map(_text, names[1:])))

        return dataset

    def dataset(self, made: Mapping[str, Any]) -> DatasetInfo:
        """Read a dataset with its columns."""
        return DatasetInfo(
            self.names[made["name"]],
            _text(made["kind"]),
            list(map(self.column, made.get("columns", ()))),
            bool(made.get("complete", False)),
            _text(made.get("description", "")),
            self.place(made.get("place")),
            declared=self.columns(made, "declared"),
            produced=self.columns(made, "produced"),
            terminal=bool(made.get("terminal", False)),
        )

    def columns(self, made: Mapping[str, Any], key: str) -> list[ColumnInfo] | None:
        """Read the columns under a key; None if the key is missing."""
        if key in made:
            return list(map(self.column, made[key]))

        return None

    def column(self, made: Mapping[str, Any]) -> ColumnInfo:
        """Read a column."""
        return ColumnInfo(
            _text(made.get("name", "")),
            _text(made.get("type", "")),
            _text(made.get("description", "")),
            tuple(map(_text, made.get("classification", ()))),
            self.place(made.get("place")),
            bool(made.get("quoted", False)),
            not made.get("own", False),
        )

    def edge(self, source: list[Any], target: list[Any], usages: list[Any]) -> Edge:
        """Read an edge with its usages."""
        origin = self.end(*source)
        if not isinstance(origin, Column):
            raise ValueError(f"an edge from {origin}, which is not a column")

        return Edge(origin, self.end(*target), tuple(map(self.usage, usages)))

    def usage(self, made: Mapping[str, Any]) -> Usage:
        """Read a usage."""
        taken = way(
            How(made["how"]),
            Clause(made["clause"]),
            bool(made.get("masked")),
            bool(made.get("windowed")),
        )
        site = Site(
            self.place(made.get("place")),
            _text(made.get("expression", "")),
            tuple(map(_call, made.get("path", made.get("calls", ())))),
            Confidence[made["level"]],
        )
        return Usage(taken, _doubt(made.get("doubt")), None, site)

    def read(
        self,
        target: int,
        dataset: int,
        column: str | None,
        clause: str,
        place: list[int] | None,
        *stands: int,
    ) -> Read:
        """Read a read."""
        named = None if column is None else _text(column)
        where = self.place(place)
        return Read(
            self.names[target],
            self.names[dataset],
            named,
            Clause(clause),
            where,
            *map(bool, stands),
        )

    def diagnostic(self, code: str, message: str, place: list[int] | None, hint: str) -> Diagnostic:
        """Read a diagnostic."""
        return Diagnostic(Code[code], _text(message), self.place(place), _text(hint))

    def occurrence(self, made: Mapping[str, Any]) -> Occurrence:
        """Read an occurrence."""
        place = self.place(made["place"])
        assert place is not None
        return Occurrence(
            **{
                "name": "",
                **made,
                "place": place,
                "users": tuple(made.get("users", ())),
                "databases": tuple(made.get("databases", ())),
            }
        )

    def statement(
        self,
        target: int,
        kind: str,
        place: list[int] | None,
        dialect: str,
        words: str,
        meaning: str,
    ) -> Statement:
        """Read a statement."""
        said = map(_text, (dialect, words, meaning))
        return Statement(self.names[target], _text(kind), self.place(place), *said)

    def job(self, made: Mapping[str, Any]) -> Job:
        """Read a job."""
        run = made.get("run")
        return Job(
            tuple(self.names[number] for number in made.get("outputs", ())),
            place=self.place(made.get("place")),
            location=tuple((_text(key), _text(value)) for key, value in made.get("location", ())),
            run=Run(*map(_text, run)) if run is not None else None,
            given=bool(made.get("given", False)),
            **{key: _text(made.get(key, "")) for key in JOB_TEXTS},
        )


JOB_TEXTS = ("namespace", "name", "sql", "dialect", "description", "time")


def _doubt(made: list[Any] | None) -> Doubt | None:
    """Return the doubt of a saved list."""
    if made is not None:
        return Doubt(Confidence[made[0]], bool(made[1]), _text(made[2]))

    return None


def _call(made: object) -> Call:
    """A call, or a macro or function with the calls of its body."""
    if isinstance(made, list):
        return tuple(map(_text, made))

    return _text(made)


def _text(value: object) -> str:
    """Return a text; raise TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")

    return value


def looks_saved(head: bytes) -> bool:
    """Tell whether a file that begins so is a saved lineage."""
    return head.lstrip()[: len(OPENING)] == OPENING.encode()

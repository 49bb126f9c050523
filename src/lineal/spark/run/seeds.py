"""Seeds: CSV files as tables, with the types that the project declares. Nothing that does not fit is let through.

Python reads the file, because it knows the line of each record; Spark casts the values, because they are to be Spark's.
Between the two stands a file of JSON lines: {"line": 12, "cells": ["7", null]}.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lineal.extract.sql.translate import type_name
from lineal.model.diagnostic import Place
from lineal.spark.run.errors import message_of
from lineal.spark.run.jobs import Job, key_of
from lineal.spark.run.result import Fault, Refused

SHOWN = 3
"""So many faults of a file are named; the rest is counted."""

GUESSES = ("BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP")
"""The types that a column without a declared one may have: the first that all of its values fit."""

RECORDS = "line BIGINT, cells ARRAY<STRING>"


class Typed(NamedTuple):
    """A column of the file and the type it is to have; '' where none is declared."""

    name: str
    type: str
    place: Place | None


def seed_frame(job: Job, spark: Any, scratch: Path) -> Any:
    """The rows of a seed as a DataFrame; Refused, with the lines, if some of them do not fit."""
    path = Path(job.step.file)
    delimiter = str(job.step.settings.get("delimiter", ","))
    if path.suffix.lower() != ".csv":
        raise Refused(Fault(f"there is no {job.name}.csv beside it", job.step.place))
    header = spooled(path, delimiter, scratch / "records.json")
    columns = typed(job, header, path)
    records = spark.read.schema(RECORDS).option("mode", "FAILFAST").json(str(scratch / "records.json"))
    columns = guessed(columns, records)
    check(columns, records, path)
    return records.select(*(value(at, each.type).alias(each.name) for at, each in enumerate(columns)))


# -- the file ------------------------------------------------------------------------------------


def spooled(path: Path, delimiter: str, target: Path) -> list[str]:
    """Write the records as JSON lines; the header comes back. Every record has as many cells as the header."""
    faults: list[Fault] = []
    count = 0
    header: list[str] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as source, target.open("w", encoding="utf-8") as sink:
            for line, cells in records_of(source, delimiter):
                if not header:
                    header = [cell.strip() for cell in cells]
                elif len(cells) == len(header):
                    sink.write(json.dumps({"line": line, "cells": [cell or None for cell in cells]}) + "\n")
                else:
                    count += 1
                    faults += [ragged(path, line, cells, header)] if count <= SHOWN else []
    except UnicodeDecodeError as problem:
        raise Refused(Fault("the file is not UTF-8", Place(str(path), line_of_bad_byte(path, problem), 1))) from None
    except OSError as problem:
        raise Refused(Fault(f"cannot read it: {problem.strerror or problem}", Place(str(path), 1, 1))) from None
    except Broken as broken:
        raise Refused(Fault(broken.args[0], Place(str(path), broken.args[1], 1))) from None
    if faults:
        raise Refused(*faults, *more(count, path, "lines"))
    return header


class Broken(Exception):
    """The file is no CSV from some line on: (message, line)."""


def records_of(source: Any, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each record and the line it begins on; empty lines are none."""
    begin = 1
    try:
        reader = csv.reader(source, delimiter=delimiter, skipinitialspace=True, strict=True)
        for cells in reader:
            if cells:
                yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as problem:
        raise Broken(f"not valid CSV: {problem}", begin) from None
    except TypeError:
        raise Broken(f"delimiter: expected one character, found {delimiter!r}", 1) from None


def ragged(path: Path, line: int, cells: list[str], header: list[str]) -> Fault:
    found = f"{len(cells)} {'value' if len(cells) == 1 else 'values'}"
    return Fault(f"the line has {found}, the header {len(header)}", Place(str(path), line, 1))


def line_of_bad_byte(path: Path, problem: UnicodeDecodeError) -> int:
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            return number
    return 1


def more(count: int, path: Path, what: str) -> list[Fault]:
    return [Fault(f"and {count - SHOWN:,} more {what}", Place(str(path), 1, 1))] if count > SHOWN else []


# -- the types -----------------------------------------------------------------------------------


def typed(job: Job, header: list[str], path: Path) -> list[Typed]:
    """The header's columns with their declared types."""
    here = Place(str(path), 1, 1)
    if not header:
        raise Refused(Fault("there is no header line", here))
    keys = [key_of(name) for name in header]
    twice = next((name for at, name in enumerate(header) if keys.index(keys[at]) != at), None)
    if twice is not None or "" in keys:
        raise Refused(Fault(f"the column {twice} is there twice" if twice else "a column has no name", here))
    missing = [info for info in job.columns if key_of(info.name) not in keys]
    if missing:
        listed = ", ".join(info.name for info in missing)
        raise Refused(Fault(f"the header lacks {listed}, which {missing[0].place or 'the project'} declares", here))
    declared = {key_of(info.name): info for info in job.columns}
    return [
        Typed(
            name,
            type_name(info.type, job.dialect) if (info := declared.get(key)) and info.type else "",
            info.place if info else None,
        )
        for name, key in zip(header, keys, strict=True)
    ]


def value(at: int, kind: str) -> Any:
    """The cell of a column in its type, null where it does not fit."""
    from pyspark.sql import functions as F

    cell = F.col("cells")[at]
    return cell if kind.upper() == "STRING" else cell.try_cast(kind)


def misfit(at: int, kind: str) -> Any:
    """Whether a cell says something that its type cannot hold: no number, too large, too many digits, too long."""
    from pyspark.sql import functions as F

    cell, made = F.col("cells")[at], value(at, kind)
    lost = cell.isNotNull() & made.isNull()
    base, _, size = kind.upper().partition("(")
    if base in ("DECIMAL", "NUMERIC"):
        whole = cell.try_cast("DECIMAL(38,18)")
        return lost | (whole.isNotNull() & (whole != made))
    if base in ("VARCHAR", "CHAR") and size:
        return F.length(cell) > int(size.rstrip(")"))
    return lost


def guessed(columns: list[Typed], records: Any) -> list[Typed]:
    """Columns without a type get the first that fits; 007 is no number, it would lose its zeros."""
    from pyspark.sql import functions as F

    open_ = [at for at, each in enumerate(columns) if not each.type]
    if not open_:
        return columns
    tests = [_unlike(at, kind).alias(f"{at} {kind}") for at in open_ for kind in GUESSES]
    found = records.agg(*(F.count(F.col("cells")[at]).alias(f"{at}") for at in open_), *tests).first()
    kinds = {at: _guess(at, found) for at in open_}
    return [each._replace(type=kinds.get(at, each.type)) for at, each in enumerate(columns)]


def _unlike(at: int, kind: str) -> Any:
    from pyspark.sql import functions as F

    cell = F.col("cells")[at]
    padded = cell.rlike(r"^\s*-?0\d") if kind in ("BIGINT", "DOUBLE") else F.lit(False)
    number = cell.rlike(r"^\s*[01]\s*$") if kind == "BOOLEAN" else F.lit(False)
    return F.count_if(misfit(at, kind) | padded | number)


def _guess(at: int, found: Any) -> str:
    if not found[f"{at}"]:
        return "STRING"
    return next((kind for kind in GUESSES if not found[f"{at} {kind}"]), "STRING")


def check(columns: list[Typed], records: Any, path: Path) -> None:
    """Refused, with the lines, if a value does not fit its type."""
    from pyspark.sql import functions as F

    for at, each in enumerate(columns):
        try:
            records.select(value(at, each.type))
        except Exception as problem:
            place = each.place or Place(str(path), 1, 1)
            raise Refused(
                Fault(f"{each.name}: {each.type} is no type of Spark: {message_of(problem)}", place)
            ) from None
    counts = records.agg(*(F.count_if(misfit(at, each.type)) for at, each in enumerate(columns))).first()
    faults: list[Fault] = []
    for at, (each, count) in enumerate(zip(columns, counts, strict=True)):
        if count:
            bad = records.where(misfit(at, each.type)).orderBy("line").limit(SHOWN)
            found = bad.select("line", F.col("cells")[at]).collect()
            faults += [_unfit(each, row[0], row[1], path) for row in found]
            faults += more(count, path, f"values of {each.name}")
    if faults:
        raise Refused(*faults)


def _unfit(each: Typed, line: int, text: str, path: Path) -> Fault:
    shown = text if len(text) <= 60 else f"{text[:57]}…"
    return Fault(f"{each.name}: {shown!r} is no {each.type}", Place(str(path), line, 1))

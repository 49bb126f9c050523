"""Seeds: CSV files as tables, with the types that the project declares. Nothing that does not fit
is let through.

Python reads the file, because it knows the line of each record; Spark casts the values, because
they are to be Spark's. Between the two stands a file of JSON lines: {"line": 12, "cells": ["7",
null]}.
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

RECORDS = "line BIGINT, cells ARRAY<STRING>"
STRING = "STRING"
PLAIN_TEXT = ("VARCHAR", "CHAR")
UNKNOWN_TO_SPARK = frozenset(
    ("JSON", "JSONB", "VARIANT", "SUPER", "OBJECT", "GEOGRAPHY", "GEOMETRY", "UUID")
)


class Guess(NamedTuple):
    """A type that a column without a declared one may have, and the cells that it does not take."""

    type: str
    unlike: str = ""
    """A pattern of cells that Spark would cast, and that are not meant so."""
    like: str = ""
    """The pattern that every cell must have."""


class Rules(NamedTuple):
    """How a CSV file is read."""

    guesses: tuple[Guess, ...]
    """The first that all values of a column fit is its type."""
    empty: str = STRING
    """The type of a column without any value."""
    nulls: frozenset[str] = frozenset(("",))
    strict: bool = True
    """A line with fewer values than the header, or a value that loses digits, is a fault."""
    number: str = ""
    """The characters of numbers that are not digits, as a pattern."""


OWN = Rules(
    (
        Guess("BIGINT", r"^\s*-?0\d"),
        Guess("DOUBLE", r"^\s*-?0\d"),
        Guess("BOOLEAN", r"^\s*[01]\s*$"),
        Guess("DATE"),
        Guess("TIMESTAMP"),
    )
)
"""007 is not a number: it would lose its zeros."""

DBT = Rules(
    (
        Guess("BIGINT"),
        Guess("DOUBLE"),
        Guess("DATE", like=r"^\s*\d{4}-\d{1,2}-\d{1,2}\s*$"),
        Guess("TIMESTAMP", like=r"^\s*\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2}|T\S+)\s*$"),
        Guess("BOOLEAN", like=r"(?i)^\s*(true|false)\s*$"),
    ),
    empty="BIGINT",
    nulls=frozenset(("", "null")),
    strict=False,
    number=r"[%,$£€¥]",
)
"""As dbt reads a seed; what does not fit the type that column_types gives it, no database takes."""

RULES = {"dbt": DBT, "dbt-duckdb": DBT._replace(nulls=frozenset(("",)))}
"""DuckDB copies the file itself: null is a word like any other."""


class Typed(NamedTuple):
    """A column of the file and the type it is to have; '' where none is declared."""

    name: str
    type: str
    place: Place | None
    guessed: bool = False


def seed_frame(job: Job, spark: object, scratch: Path) -> Any:
    """The rows of a seed as a DataFrame; Refused, with the lines, if some of them do not fit."""
    path = Path(job.step.file)
    if path.suffix.lower() != ".csv":
        raise Refused(Fault(f"there is no {job.name}.csv next to it", job.step.place))

    return csv_frame(
        job, path, RULES.get(str(job.step.settings.get("reader")), OWN), spark, scratch
    )


def source_frame(job: Job, spark: Any, scratch: Path) -> Any:
    """The rows of a file that stands for a source."""
    path = Path(str(job.step.settings["file"]))
    if path.suffix.lower() == ".csv":
        return csv_frame(job, path, DBT, spark, scratch)

    return spark.read.format(path.suffix[1:].lower()).load(str(path))


def csv_frame(job: Job, path: Path, rules: Rules, spark: Any, scratch: Path) -> Any:
    """Return a CSV file as a DataFrame with the declared types."""
    delimiter = str(job.step.settings.get("delimiter", ","))
    header = write_records(path, delimiter, scratch / "records.json", rules)
    columns = declared_columns(job, header, path, rules)
    records = (
        spark.read.schema(RECORDS).option("mode", "FAILFAST").json(str(scratch / "records.json"))
    )
    columns = guess_types(columns, records, rules)
    check(columns, records, path, rules)
    return records.select(
        *(cell_value(at, each, rules).alias(each.name) for at, each in enumerate(columns))
    )


# -- the file --------------------------------------------------------------------------------------


def write_records(path: Path, delimiter: str, target: Path, rules: Rules) -> list[str]:
    """Write the records as JSON lines; the header comes back. Every record has as many cells as the
    header.
    """
    faults: list[Fault] = []
    count = 0
    header: list[str] = []
    try:
        with (
            path.open(encoding="utf-8-sig", newline="") as source,
            target.open("w", encoding="utf-8") as sink,
        ):
            for line, cells in records_of(source, delimiter, rules.strict):
                if not header:
                    header = [cell.strip() for cell in cells]
                    continue

                if len(cells) < len(header) and not rules.strict:
                    cells = [*cells, *[""] * (len(header) - len(cells))]

                if len(cells) == len(header):
                    known = [
                        None if cell.strip().lower() in rules.nulls else cell for cell in cells
                    ]
                    sink.write(json.dumps({"line": line, "cells": known}) + "\n")
                else:
                    count += 1
                    faults += [ragged_line(path, line, cells, header)] if count <= SHOWN else []
    except UnicodeDecodeError as problem:
        raise Refused(
            Fault("the file is not UTF-8", Place(str(path), line_of_bad_byte(path, problem), 1))
        ) from None
    except OSError as problem:
        raise Refused(
            Fault(f"cannot read it: {problem.strerror or problem}", Place(str(path), 1, 1))
        ) from None
    except Broken as broken:
        raise Refused(Fault(broken.args[0], Place(str(path), broken.args[1], 1))) from None

    if faults:
        raise Refused(*faults, *more(count, path, "lines"))

    return header


class Broken(Exception):
    """The file is not valid CSV from some line on: (message, line)."""


def records_of(source: Any, delimiter: str, strict: bool) -> Iterator[tuple[int, list[str]]]:
    """Each record and the line it begins on; empty lines are none."""
    begin = 1
    try:
        reader = csv.reader(source, delimiter=delimiter, skipinitialspace=strict, strict=strict)
        for cells in reader:
            if cells:
                yield begin, cells

            begin = reader.line_num + 1
    except csv.Error as problem:
        raise Broken(f"not valid CSV: {problem}", begin) from None
    except TypeError:
        raise Broken(f"delimiter: expected one character, found {delimiter!r}", 1) from None


def ragged_line(path: Path, line: int, cells: list[str], header: list[str]) -> Fault:
    """Return the fault of a line with too few or too many values."""
    found = f"{len(cells)} {'value' if len(cells) == 1 else 'values'}"
    return Fault(f"the line has {found}, the header {len(header)}", Place(str(path), line, 1))


def line_of_bad_byte(path: Path, problem: UnicodeDecodeError) -> int:
    """Return the first line that is not UTF-8."""
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            return number

    return 1


def more(count: int, path: Path, what: str) -> list[Fault]:
    """Return a fault that counts those that are not shown."""
    if count > SHOWN:
        return [Fault(f"and {count - SHOWN:,} more {what}", Place(str(path), 1, 1))]

    return []


# -- the types -------------------------------------------------------------------------------------


def declared_columns(job: Job, header: list[str], path: Path, rules: Rules) -> list[Typed]:
    """The header's columns with their declared types."""
    here = Place(str(path), 1, 1)
    if not header:
        raise Refused(Fault("there is no header line", here))

    keys = list(map(key_of, header))
    twice = next((name for at, name in enumerate(header) if keys.index(keys[at]) != at), None)
    if twice is not None or "" in keys:
        raise Refused(
            Fault(f"the column {twice} appears twice" if twice else "a column has no name", here)
        )

    declared = {key_of(info.name): (info.type, info.place) for info in job.columns}
    if rules is not OWN:  # a description's type tells readers something, and dbt nothing
        kinds = job.step.settings.get("column_types")
        known = kinds if isinstance(kinds, dict) else {}
        declared = {key_of(str(name)): (str(kind), job.step.place) for name, kind in known.items()}

    missing = (
        [info for info in job.columns if key_of(info.name) not in keys] if rules is OWN else []
    )
    if missing:
        listed = ", ".join(info.name for info in missing)
        raise Refused(
            Fault(
                f"the header lacks {listed}, which {missing[0].place or 'the project'} declares",
                here,
            )
        )

    found = []
    for name, key in zip(header, keys, strict=True):
        kind, place = declared.get(key, ("", None))
        found.append(Typed(name, spark_type(kind, job.dialect, rules) if kind else "", place))

    return found


def spark_type(kind: str, dialect: str, rules: Rules) -> str:
    """VARCHAR is STRING, INTEGER is INT; of a type that Spark does not have, the text."""
    made = type_name(kind, dialect)
    if rules is OWN:
        return made

    base = made.upper().partition("(")[0]
    if base in PLAIN_TEXT or base in UNKNOWN_TO_SPARK or kind.upper() in UNKNOWN_TO_SPARK:
        return STRING

    return made


def cell_value(at: int, each: Typed, rules: Rules) -> Any:
    """The cell of a column in its type, null where it does not fit."""
    from pyspark.sql import functions as F

    cell = F.col("cells")[at]
    if each.type.upper() == STRING:
        return cell

    if rules.number and each.guessed and each.type in ("BIGINT", "DOUBLE"):
        cell = F.regexp_replace(F.trim(cell), rules.number, "")

    return cell.try_cast(each.type)


def is_misfit(at: int, each: Typed, rules: Rules) -> Any:
    """Tell whether a cell says something that its type cannot hold: no number, too large, too many
    digits, too long.
    """
    from pyspark.sql import functions as F

    cell, made = F.col("cells")[at], cell_value(at, each, rules)
    lost = cell.isNotNull() & made.isNull()
    base, _, size = each.type.upper().partition("(")
    if not rules.strict:
        return lost

    if base in ("DECIMAL", "NUMERIC"):
        whole = cell.try_cast("DECIMAL(38,18)")
        return lost | (whole.isNotNull() & (whole != made))

    if base in PLAIN_TEXT and size:
        return F.length(cell) > int(size.rstrip(")"))

    return lost


def guess_types(columns: list[Typed], records: Any, rules: Rules) -> list[Typed]:
    """Columns without a type get the first that fits."""
    from pyspark.sql import functions as F

    open_ = [at for at, each in enumerate(columns) if not each.type]
    if not open_:
        return columns

    tests = [
        F.count_if(contradicts_type(at, columns[at], guess, rules)).alias(f"{at} {guess.type}")
        for at in open_
        for guess in rules.guesses
    ]
    found = records.agg(
        *(F.count(F.col("cells")[at]).alias(f"{at}") for at in open_), *tests
    ).first()
    kinds = {at: _guess(at, found, rules) for at in open_}
    return [
        each._replace(type=kinds[at], guessed=True) if at in kinds else each
        for at, each in enumerate(columns)
    ]


def contradicts_type(at: int, each: Typed, guess: Guess, rules: Rules) -> Any:
    """Tell whether a cell speaks against a type."""
    from pyspark.sql import functions as F

    cell = F.col("cells")[at]
    found = is_misfit(at, each._replace(type=guess.type, guessed=True), rules)
    found = found | cell.rlike(guess.unlike) if guess.unlike else found
    if guess.like:
        return found | (cell.isNotNull() & ~cell.rlike(guess.like))

    return found


def _guess(at: int, found: Any, rules: Rules) -> str:
    """Return the first type that all values of a column fit."""
    if not found[f"{at}"]:
        return rules.empty

    return next((guess.type for guess in rules.guesses if not found[f"{at} {guess.type}"]), STRING)


def check(columns: list[Typed], records: Any, path: Path, rules: Rules) -> None:
    """Refused, with the lines, if a value does not fit its type."""
    from pyspark.sql import functions as F

    for at, each in enumerate(columns):
        try:
            records.select(cell_value(at, each, rules))
        except Exception as problem:
            place = each.place or Place(str(path), 1, 1)
            raise Refused(
                Fault(
                    f"{each.name}: {each.type} is not a type of Spark: {message_of(problem)}", place
                )
            ) from None

    counts = records.agg(
        *(F.count_if(is_misfit(at, each, rules)) for at, each in enumerate(columns))
    ).first()
    faults: list[Fault] = []
    for at, (each, count) in enumerate(zip(columns, counts, strict=True)):
        if count:
            bad = records.where(is_misfit(at, each, rules)).orderBy("line").limit(SHOWN)
            found = bad.select("line", F.col("cells")[at]).collect()
            faults += [_type_fault(each, row[0], row[1], path) for row in found]
            faults += more(count, path, f"values of {each.name}")

    if faults:
        raise Refused(*faults)


def _type_fault(each: Typed, line: int, text: str, path: Path) -> Fault:
    """Return the fault of a value that is not of its type."""
    shown = text if len(text) <= 60 else f"{text[:57]}…"
    return Fault(f"{each.name}: {shown!r} is not of type {each.type}", Place(str(path), line, 1))

"""Truth from runs: what a job's outputs depend on, found by running it.

A job is a Python file whose first comments describe the files that it reads:

    # orders.csv(id key, status word, amount float, at date)

It is run over random rows. Then each column is drawn again, alone, and the job is run again: every
output column that changes depends on that column. Two laws follow.

- Every change is covered by an edge: from the column to the output column, or to the dataset.
- Every HIGH edge is seen: some redraw of its source changes its target. `# unseen a.x -> b.y` in
  the job names an edge that random rows cannot show, with the reason behind `:`.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import runpy
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from lineal.incremental.extraction import extract
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.script import Corpus, Script
from lineal.model.way import Confidence

HERE = Path(__file__).parent
SOURCE = re.compile(r"^# ([\w./@]+)\((.*)\)$", re.MULTILINE)
UNSEEN = re.compile(r"^# unseen (\S+) (->|=>) (\S+?):", re.MULTILINE)
ROWS = 24
DRAWS = 4
WORDS = ("red", "blue", "green", "olive", "grey", "pink")
START = date(2024, 1, 1)

Draw = Callable[[random.Random, Sequence[str]], Any]
KINDS: dict[str, Draw] = {
    "int": lambda rng, words: rng.randrange(1, 100),
    "maybe": lambda rng, words: rng.choice((None, rng.randrange(1, 100))),
    "float": lambda rng, words: round(rng.uniform(1, 100), 2),
    "word": lambda rng, words: rng.choice(words),
    "text": lambda rng, words: f"{rng.choice(words)} {rng.randrange(100)}",
    "maybe_word": lambda rng, words: rng.choice((None, *words)),
    "flag": lambda rng, words: rng.random() < 0.5,
    "bit": lambda rng, words: rng.randrange(2),
    "date": lambda rng, words: START + timedelta(days=rng.randrange(60)),
    "day": lambda rng, words: (START + timedelta(days=rng.randrange(60))).isoformat(),
    "ints": lambda rng, words: [rng.randrange(9) for _ in range(rng.randrange(1, 4))],
    "words": lambda rng, words: [rng.choice(words) for _ in range(rng.randrange(1, 4))],
    "place": lambda rng, words: {"city": rng.choice(words), "zip": rng.randrange(99)},
}
"""What a column may hold; a draw takes its words from four of all words, so that sets change, too."""

SAMPLES: dict[str, tuple[int, int]] = {"id": (30, ROWS), "key": (10, 6), "small": (6, 3)}
"""Numbers: of so many so many are in a column; an id is there once, a key several times."""

Table = dict[str, list[Any]]
Output = dict[str, Table]
"""The columns of each dataset that a job wrote."""


@dataclass(frozen=True)
class Job:
    """A job, and the sources that its comments describe."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def sources(self) -> dict[str, dict[str, str]]:
        """Return the kinds of the columns of each source."""
        found = {}
        for name, columns in SOURCE.findall(self.text):
            pairs = (item.strip().partition(" ") for item in columns.split(","))
            found[name] = {column: kind for column, _, kind in pairs}
        return found

    @property
    def unseen(self) -> set[tuple[str, str, str]]:
        """Return the edges that random rows cannot show."""
        return set(UNSEEN.findall(self.text))

    def tables(self, redrawn: tuple[str, str] | None = None, draw: int = 0) -> dict[str, Table]:
        """Return random rows; one column may be drawn again."""
        return {
            name: {
                column: column_of(
                    f"{name}.{column}", kind, draw if redrawn == (name, column) else 0
                )
                for column, kind in columns.items()
            }
            for name, columns in self.sources.items()
        }

    def read(self, known: bool = True) -> Extraction:
        """Return the lineage that lineal reads from the text."""
        schema = [
            DatasetInfo(
                Dataset("", name),
                "table",
                [ColumnInfo(column) for column in columns],
                complete=True,
            )
            for name, columns in self.sources.items()
        ]
        script = Script(self.text, "python", self.path.name)
        return extract(Corpus("spark", [script], schema if known else []))


def column_of(name: str, kind: str, draw: int) -> list[Any]:
    """Return random values of a column; another draw gives others, and another set of them."""
    rng = random.Random(f"{name} {draw}")
    if kind in SAMPLES:
        numbers = rng.sample(range(SAMPLES[kind][0]), SAMPLES[kind][1])
        return numbers if kind == "id" else rng.choices(numbers, k=ROWS)
    words = [*WORDS[:2], *rng.sample(WORDS[2:], 2)]
    return [KINDS[kind](rng, words) for _ in range(ROWS)]


Runner = Callable[[Job, dict[str, Table]], Output]
Change = tuple[tuple[str, str], str, str]
"""A source column, and the dataset and column that it changes; an empty column: the rows."""


def changes_of(job: Job, run: Runner, draws: int = DRAWS) -> set[Change]:
    """Run a job over redrawn columns, and return what changes."""
    before = run(job, job.tables())
    assert before, "the job wrote nothing"
    found: set[Change] = set()
    for name, columns in job.sources.items():
        for column in columns:
            for draw in range(1, draws + 1):
                after = run(job, job.tables((name, column), draw))
                found.update(
                    ((name, column.lower()), target, changed)
                    for target, changed in differences(before, after)
                )
    return found


def differences(before: Output, after: Output) -> Iterator[tuple[str, str]]:
    """Return the columns that differ between two runs."""
    for target, table in before.items():
        other = after.get(target, {})
        if rows_in(table) != rows_in(other):
            yield target, ""
        for column in {**table, **other}:
            if same_digits(table.get(column)) != same_digits(other.get(column)):
                yield target, column


def same_digits(values: list[Any] | None) -> list[Any] | None:
    """Return values without the digits that only the order of a sum decides."""
    if values is None:
        return None
    return [round(each, 6) if isinstance(each, float) else each for each in values]


def rows_in(table: Table) -> int:
    """Return the number of rows."""
    return len(next(iter(table.values()), []))


def recorded(job: Job, run: Runner, draws: int = DRAWS) -> set[Change]:
    """Return what changes, from the record next to the job; LINEAL_GOLDEN=write runs it again."""
    record = job.path.with_suffix(".changes")
    if os.environ.get("LINEAL_GOLDEN") == "write":
        found = changes_of(job, run, draws)
        lines = (f"{name}.{column} {target} {changed}" for (name, column), target, changed in found)
        record.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")
        return found

    changes = set()
    for line in record.read_text(encoding="utf-8").splitlines():
        source, target, changed = line.split(" ")
        name, _, column = source.rpartition(".")
        changes.add(((name, column), target, changed))
    return changes


# -- what the edges say ----------------------------------------------------------------------------


class Reach:
    """What the edges of a job say: which columns and datasets a source column reaches."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.leaving: dict[tuple[str, str], list[Edge]] = {}
        for edge in edges:
            self.leaving.setdefault(place_of(edge.source), []).append(edge)
        self.columns: dict[str, set[tuple[str, str]]] = {}
        for edge in edges:
            for place in (place_of(edge.source), place_of(edge.target)):
                self.columns.setdefault(place[0], set()).add(place)

    def columns_from(self, source: tuple[str, str]) -> set[tuple[str, str]]:
        """Return the columns that a column reaches; one without a name is the whole dataset."""
        found: set[tuple[str, str]] = set()
        waiting = [source, (source[0], "*")]
        while waiting:
            here = waiting.pop()
            for edge in self.leaving.get(here, ()):
                place = place_of(edge.target)
                if place in found:
                    continue
                found.add(place)
                waiting.append(place)
                if not place[1] or place[1] == "*":
                    waiting.extend(self.columns.get(place[0], ()))
        return found


def place_of(held: Column | Dataset) -> tuple[str, str]:
    """Return a dataset and a column; a part of a column is its column."""
    if isinstance(held, Dataset):
        return held.name, ""
    return held.dataset.name, held.name.lower()


def uncovered(edges: Sequence[Edge], changes: set[Change]) -> set[Change]:
    """Return the changes that no edge covers; that of a pivot covers columns named after data."""
    reach = Reach(edges)
    known = {source: reach.columns_from(source) for source, _, _ in changes}
    found = set()
    for source, target, column in changes:
        reached = known[source]
        wanted = {(target, ""), (target, column.lower()), (target, "*")}
        is_pivot = any(name == target and "<pivot:" in each for name, each in reached)
        if not (reached & wanted) and not (column and is_pivot):
            found.add((source, target, column))
    return found


def is_seen(edge: Edge, changes: set[Change]) -> bool:
    """Tell whether some redraw of an edge's source changed its target."""
    source, (dataset, name) = place_of(edge.source), place_of(edge.target)
    return any(
        each == source and target == dataset and (not name or name == column.lower() or "<" in name)
        for each, target, column in changes
    )


def sure_edges(extraction: Extraction) -> list[Edge]:
    """Return the edges that lineal calls certain."""
    return [edge for edge in extraction.edges if edge.level >= Confidence.HIGH]


def unseen(job: Job, changes: set[Change]) -> list[tuple[str, str, str]]:
    """Return the certain edges from a source of the job that no run has shown."""
    return [
        spell(edge)
        for edge in sure_edges(job.read())
        if edge.source.dataset.name in job.sources
        and spell(edge) not in job.unseen
        and not is_seen(edge, changes)
    ]


def spell(edge: Edge) -> tuple[str, str, str]:
    """Return an edge as jobs spell it."""
    return (str(edge.source), "->" if edge.field_level else "=>", str(edge.target))


# -- running -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def quiet_in(folder: Path) -> Iterator[None]:
    """Run a block in a folder, without its output."""
    home = Path.cwd()
    path = list(sys.path)
    os.chdir(folder)
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        os.chdir(home)
        sys.path[:] = path


def run_program(path: Path, names: dict[str, Any] | None = None) -> None:
    """Run a job as a program."""
    runpy.run_path(str(path), names or {}, run_name="__main__")


def jobs_in(folder: str) -> list[Job]:
    """Return the jobs of a library."""
    return [Job(path) for path in sorted((HERE / folder).glob("*.py"))]

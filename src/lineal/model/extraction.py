"""The result of a front end: edges, reads, datasets, diagnostics and coverage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lineal.model.boundary import Failures
from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.edge import Dataset, Edge, Read
from lineal.model.job import Job
from lineal.model.ledger import Coverage
from lineal.model.statement import Statement


class ColumnInfo(NamedTuple):
    """The declared or known facts about a column."""

    name: str
    type: str = ""
    description: str = ""
    classification: tuple[str, ...] = ()
    place: Place | None = None
    quoted: bool = False
    """CREATE TABLE t ("Id" INT): the name is meant exactly."""
    inherits: bool = True
    """meta: {lineal: {inherit: false}}: its description is its own, whatever it is copied from."""
    filled: bool = False
    """id INT IDENTITY in T-SQL: the table fills it, and an INSERT without a list passes it over."""


class LateColumn(ColumnInfo):
    """A column whose type is computed when it is first read: until then a function takes the place
    of the type.
    """

    __slots__ = ()

    @property
    def type(self) -> str:
        """Return the type of the column, which is computed when it is first read."""
        ask: object = self[1]
        return str(ask()) if callable(ask) else str(ask)

    @property
    def settled(self) -> ColumnInfo:
        """Return the column as a plain record."""
        return ColumnInfo(self.name, self.type, *self[2:])

    def __eq__(self, other: object) -> bool:
        return self.settled == (other.settled if isinstance(other, LateColumn) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.settled)

    def __reduce__(self) -> tuple[object, ...]:
        return ColumnInfo, tuple(self.settled)


@dataclass
class DatasetInfo:
    """A dataset as it is known: its columns in order, and whether that list is complete.

    What is declared and what a statement makes are also kept apart, so that they can be compared.
    """

    dataset: Dataset
    kind: str
    columns: list[ColumnInfo] = field(default_factory=list)
    complete: bool = False
    description: str = ""
    place: Place | None = None
    exact: bool = False
    """the name is meant exactly, as a server's catalog has it: "Orders" and orders are two"""
    declared: list[ColumnInfo] | None = None
    """The columns that YAML, a catalog or a schema lists; None if nothing declares the dataset."""
    produced: list[ColumnInfo] | None = None
    """The columns that its statements make, with the types that follow from them; None where that is not known.
    """
    terminal: bool = False
    """terminal: true: it is made to be looked at, by readers outside the input."""
    tags: tuple[str, ...] = ()
    """The tags of a dbt node, for the selector tag:x."""

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        return [column.name for column in self.columns]

    @property
    def declared_columns(self) -> list[ColumnInfo]:
        """Return the declared columns; none where nothing declares the dataset."""
        return self.declared or []

    @property
    def produced_columns(self) -> list[ColumnInfo]:
        """Return the columns that statements make; none where that is not known."""
        return self.produced or []

    @property
    def quoted(self) -> frozenset[str]:
        """The names that are meant exactly."""
        return frozenset(column.name for column in self.columns if column.quoted)

    def column(self, name: str) -> ColumnInfo | None:
        """Return the column of a name, if there is one."""
        return next((info for info in self.columns if info.name == name), None)


class Occurrence(NamedTuple):
    """A statement of a query log, with those that differ only in literals: how often it ran, when,
    and for whom.
    """

    name: str
    """`query_<hash>`: what a bare SELECT defines; of other statements only a name for the log's
    sake
    """
    place: Place
    """its first place"""
    runs: int = 1
    first: str = ""
    last: str = ""
    users: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    id: str = ""
    """its name in the log, at its first place"""


Pairs = dict[tuple[Dataset, Dataset], None]
"""A dataset, and one that is read to make it."""


class Extraction:
    """The result of a front end; reads, datasets, statements and jobs are many, and listed only
    when asked for.
    """

    def __init__(
        self,
        edges: list[Edge] | None = None,
        reads: list[Read] | Callable[[], list[Read]] | None = None,
        datasets: dict[Dataset, DatasetInfo]
        | Callable[[], dict[Dataset, DatasetInfo]]
        | None = None,
        diagnostics: list[Diagnostic] | None = None,
        coverage: Coverage | None = None,
        occurrences: list[Occurrence] | None = None,
        statements: list[Statement] | Callable[[], list[Statement]] | None = None,
        jobs: list[Job] | Callable[[], list[Job]] | None = None,
        failures: Failures | None = None,
        texts: Mapping[str, str] | None = None,
        read_pairs: Callable[[], Pairs] | None = None,
    ) -> None:
        self.edges = edges if edges is not None else []
        self._reads = reads if reads is not None else []
        self._datasets = datasets if datasets is not None else {}
        self.diagnostics = diagnostics if diagnostics is not None else []
        self.coverage = coverage if coverage is not None else Coverage()
        self.occurrences = occurrences if occurrences is not None else []
        self._statements = statements if statements is not None else []
        self._jobs = jobs if jobs is not None else []
        self.failures = failures if failures is not None else Failures()
        self._read_pairs = read_pairs
        self.failures.follow(self.diagnostics, self.coverage)
        self.texts = texts if texts is not None else {}
        """The texts that places point into and that no file holds: statements of a query
        history, by their names.
        """

    def for_one_use(self) -> Extraction:
        """Return the same extraction for one use: the lists that are made for it go with it."""
        return Extraction(
            self.edges, self._reads, self._datasets, self.diagnostics, self.coverage, self.occurrences,
            self._statements, self._jobs, self.failures, self.texts, self._read_pairs,
        )  # fmt: skip

    @property
    def reads(self) -> list[Read]:
        """Return every reference to a dataset or a column."""
        if callable(self._reads):
            self._reads = self._reads()

        return self._reads

    @property
    def read_pairs(self) -> Pairs:
        """Return each dataset with each one that it reads, in the order of the reads."""
        if self._read_pairs is not None:
            return self._read_pairs()

        return dict.fromkeys((read.target, read.dataset) for read in self.reads)

    @property
    def datasets(self) -> dict[Dataset, DatasetInfo]:
        """Return every dataset with its columns."""
        if callable(self._datasets):
            self._datasets = self._datasets()

        return self._datasets

    @property
    def statements(self) -> list[Statement]:
        """Return every statement that writes a dataset."""
        if callable(self._statements):
            self._statements = self._statements()

        return self._statements

    @property
    def jobs(self) -> list[Job]:
        """Who writes the datasets: their statements, and the jobs that others report."""
        if callable(self._jobs):
            self._jobs = self._jobs()

        return self._jobs

    def __reduce__(self) -> tuple[object, ...]:
        return Extraction, (
            self.edges, self.reads, self.datasets, self.diagnostics, self.coverage, self.occurrences, self.statements,
            self.jobs, None, self.texts,
        )  # fmt: skip

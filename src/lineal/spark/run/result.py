"""Events of a run: which job began, how it ended, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from lineal.graph.compare import Disagreement
from lineal.model.diagnostic import Place


class Status(StrEnum):
    OK = "ok"
    KEPT = "kept"
    """Built by a former run from the same inputs."""
    FAILED = "failed"
    MISSING = "missing"
    """A source that nothing provides."""
    SKIPPED = "skipped"
    EXTERNAL = "external"
    """Not built by lineal run: Python that is neither a PySpark model nor a Spark job."""

    @property
    def stands(self) -> bool:
        """Tell whether what depends on it can be built."""
        return self in (Status.OK, Status.KEPT, Status.EXTERNAL)


@dataclass(frozen=True)
class Fault:
    """One line that says what went wrong, and where."""

    message: str
    place: Place | None = None

    def __str__(self) -> str:
        if self.place:
            return f"{self.place}: {self.message}"

        return self.message


class Refused(Exception):
    """A job cannot be done: its faults say why."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults


class Missing(Refused):
    """A source is not there: its fault says how to provide it."""


@dataclass(frozen=True)
class Tested:
    """How a test ended: passed, warned or failed with so many values, or not run and why."""

    column: str
    name: str
    status: str = "passed"
    failures: int = 0
    examples: tuple[str, ...] = ()
    message: str = ""
    place: Place | None = None

    rows: bool = False
    """Whether rows failed, and not values: the test is a query."""

    def __str__(self) -> str:
        called = f"{self.name} of {self.column}" if self.column else self.name
        if self.message:
            return f"{called}: {self.message}"

        noun = "row" if self.rows else "value"
        values = f"{self.failures:,} {noun if self.failures == 1 else f'{noun}s'}"
        shown = f", for example {', '.join(self.examples)}" if self.examples else ""
        return f"{called}: {values} {self.status}{shown}"


@dataclass(frozen=True)
class Agreement:
    """Static lineage compared with Catalyst's: field-level and inspect edges of each, and what only one of
    them has.
    """

    static: tuple[int, int] = (0, 0)
    exact: tuple[int, int] = (0, 0)
    disagreements: tuple[Disagreement, ...] = ()
    problem: str = ""
    incomparable: tuple[str, ...] = ()
    """The columns of which the two cannot be compared; `m` itself stands for the rows of the model
    m.
    """
    reason: str = "only a run knows them"
    """Why they cannot be compared."""

    @property
    def agrees(self) -> bool:
        """Tell whether both engines have the same edges."""
        return not self.disagreements and not self.problem


@dataclass(frozen=True)
class Outcome:
    """How a job ended."""

    name: str
    kind: str
    status: Status
    rows: int | None = None
    seconds: float = 0.0
    faults: tuple[Fault, ...] = ()
    tests: tuple[Tested, ...] = ()
    agreement: Agreement | None = None
    because: str = ""
    """The job that failed, or the source that is missing, where this one is skipped."""
    lacks: str = "failed"
    """The fault of that job."""
    notes: tuple[str, ...] = ()
    """Notes for the user in addition to the failures."""
    missing: bool = False
    """Of an external node: its table is not in the warehouse."""

    @property
    def stands(self) -> bool:
        """Tell whether what depends on it can be built."""
        return self.status.stands and not self.missing

    @property
    def green(self) -> bool:
        """Tell whether the node was built and both engines agree."""
        return self.status.stands and (self.agreement is None or self.agreement.agrees)


@dataclass(frozen=True)
class Planned:
    """How many jobs there are: the first event."""

    jobs: int


@dataclass(frozen=True)
class Began:
    name: str
    kind: str


@dataclass(frozen=True)
class Ended:
    outcome: Outcome


@dataclass(frozen=True)
class Note:
    """A note to the user that is not a failure: a half-written table that is built again."""

    text: str


Event = Planned | Began | Ended | Note


@dataclass(frozen=True)
class Summary:
    """All outcomes, in the order of the jobs."""

    outcomes: tuple[Outcome, ...] = field(default=())
    seconds: float = 0.0

    @property
    def green(self) -> bool:
        """Tell whether every node is green."""
        return all(outcome.green for outcome in self.outcomes)

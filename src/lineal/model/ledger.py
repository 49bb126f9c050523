"""The ledger of a run: what it found, what became of it, and one percentage.

    files       found → due → read → rendered
    statements  found → parsed → evaluated
    columns     named → resolved

    coverage = Coverage()
    coverage.files.found += 2
    coverage.files.lose("rendered", "a template error")         1 of 2 files has no text
    coverage.statements.found += 4
    coverage.statements.lose("parsed", "parse-error")           1 of 4 statements has no tree
    coverage.percent                                            100 × 1/2 × 3/4 = 37.5

A chain holds how many there are, and how many were lost before each stage, by reason. Its other
numbers follow: each is at most the one before it, and every difference has a reason with a count.

A corpus lists its files by name while they are read:

    ledger = FileLedger()
    ledger.add("models/a.sql")                                  read, and rendered if it is a template
    ledger.leave_out("models/b.sql", Reason.TEMPLATE_ERROR)     read, but not rendered
    ledger.leave_out("target/c.sql", Reason.BUILD_FOLDER)       found, but not due
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any, ClassVar, Self

from lineal.model.grouping import group_pairs

EXAMPLES = 5
"""How many files the ledger names for each reason: it must not grow with files that nobody reads."""


@dataclass(frozen=True)
class Loss:
    """So many did not reach a stage, for one reason; the first of them by name, if they have names."""

    stage: str
    reason: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass
class Chain:
    """How many there are, and how many were lost before each stage."""

    stages: ClassVar[tuple[str, ...]] = ()
    """The names of the chain's numbers; the first counts everything."""

    found: int = 0
    lost: dict[tuple[str, str], int] = field(default_factory=dict)
    """The counts, by stage and reason."""
    examples: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def lose(self, stage: str, reason: str, count: int = 1, examples: Iterable[str] = ()) -> None:
        """Count some that are found and do not reach a stage; nothing can be lost twice."""
        count = count and min(count, self.complete)
        if count <= 0:
            return

        self.lost[stage, reason] = self.lost.get((stage, reason), 0) + count
        for example in examples:
            listed = self.examples.setdefault((stage, reason), [])
            if len(listed) < EXAMPLES and example not in listed:
                listed.append(example)

    def reaching(self, stage: str) -> int:
        """Return how many reached a stage."""
        passed = self.stages[: self.stages.index(stage) + 1]
        return self.found - sum(count for (at, _), count in self.lost.items() if at in passed)

    @property
    def complete(self) -> int:
        """How many reached the last stage."""
        return self.found - sum(self.lost.values())

    @property
    def due(self) -> int:
        """How many should have reached the last stage."""
        return self.found

    def losses(self) -> list[Loss]:
        """List the losses, in the order of the stages, the most frequent reason first."""
        ordered = sorted(
            self.lost.items(), key=lambda item: (self.stages.index(item[0][0]), -item[1], item[0])
        )
        return [
            Loss(stage, reason, count, tuple(self.examples.get((stage, reason), ())))
            for (stage, reason), count in ordered
        ]

    def count_of(self, reason: str) -> int:
        """Return how many were lost for one reason, at any stage."""
        return sum(count for (_, each), count in self.lost.items() if each == reason)

    def add(self, other: Chain) -> None:
        """Add the numbers of another chain of the same kind."""
        self.found += other.found
        if not other.lost:
            return

        for loss in other.losses():
            self.lose(loss.stage, loss.reason, loss.count, loss.examples)

    def copy(self) -> Self:
        """Return a chain with the same numbers."""
        return type(self)(self.found, dict(self.lost), deepcopy(self.examples))

    def to_json(self) -> dict[str, Any]:
        """Return the numbers of the chain, and the losses on the way."""
        made: dict[str, Any] = {stage: self.reaching(stage) for stage in self.stages}
        made["left_out"] = list(map(_loss_to_json, self.losses()))
        return made

    @classmethod
    def from_json(cls, made: Mapping[str, Any]) -> Self:
        """Return the chain of such a document; a ValueError if it is not one."""
        chain = cls(_count_in(made.get(cls.stages[0])))
        for loss in made.get("left_out", ()):
            if loss.get("stage") not in cls.stages[1:]:
                raise ValueError(f"{loss.get('stage')} is not a stage")

            examples = list(map(str, loss.get("examples", ())))
            chain.lose(loss["stage"], str(loss["reason"]), _count_in(loss["count"]), examples)

        return chain


def _loss_to_json(loss: Loss) -> dict[str, Any]:
    """Return a loss as JSON."""
    made: dict[str, Any] = {"stage": loss.stage, "reason": loss.reason, "count": loss.count}
    if loss.examples:
        made["examples"] = list(loss.examples)

    return made


def _count_in(value: object) -> int:
    """Return a count from JSON; raise ValueError if it is not a count."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value

    raise ValueError(f"{value!r} is not a count")


class Files(Chain):
    """The files of a run; a text without a file, a Spark plan and a server count as one each."""

    stages = ("found", "due", "read", "rendered")

    @property
    def due(self) -> int:
        """The files that lineal should read."""
        return self.reaching("due")

    @property
    def read(self) -> int:
        """The files that were opened and decoded."""
        return self.reaching("read")

    @property
    def rendered(self) -> int:
        """The files whose text could be used: templates rendered, YAML valid."""
        return self.complete


class Statements(Chain):
    """The statements of a run; a write of a program is one. Reasons are codes of diagnostics."""

    stages = ("found", "parsed", "evaluated")

    @property
    def parsed(self) -> int:
        """The statements that have a syntax tree."""
        return self.reaching("parsed")

    @property
    def evaluated(self) -> int:
        """The statements that have a result, or no lineage to find (DROP, GRANT)."""
        return self.complete

    def lose_some(self, stage: str, codes: list[str], count: int) -> None:
        """Lose so many statements, for the reasons that their diagnostics tell; the rest are parse
        errors, several of which one diagnostic may report.
        """
        for code in codes[: max(0, count)]:
            self.lose(stage, code)

        self.lose(stage, "parse-error", count - len(codes))


AMBIGUOUS, UNRESOLVED, DYNAMIC, OPEN = "ambiguous", "unresolved", "dynamic", "open"
"""Why a column is not resolved."""


class Columns(Chain):
    """The columns that statements name; a star over a dataset without a schema is one of them."""

    stages = ("named", "resolved")

    @property
    def named(self) -> int:
        """The references to columns, and the open stars."""
        return self.found

    @property
    def resolved(self) -> int:
        """The references that mean one column for certain."""
        return self.complete

    def count(self, named: int, **lost: int) -> None:
        """Add columns that a statement names, and how many of them are ambiguous, unresolved, …"""
        self.found += named
        for reason, count in lost.items():
            self.lose("resolved", reason, count)

    @property
    def ambiguous(self) -> int:
        """The references that several sources may have."""
        return self.count_of(AMBIGUOUS)

    @property
    def unresolved(self) -> int:
        """The references that no source can have."""
        return self.count_of(UNRESOLVED)

    @property
    def dynamic(self) -> int:
        """The parts of the input that only a run knows."""
        return self.count_of(DYNAMIC)

    @property
    def open(self) -> int:
        """The stars over datasets whose columns are not known."""
        return self.count_of(OPEN)


@dataclass
class Coverage:
    """How much of the input was read and understood: the ledger of a run."""

    files: Files = field(default_factory=Files)
    statements: Statements = field(default_factory=Statements)
    columns: Columns = field(default_factory=Columns)

    @property
    def chains(self) -> dict[str, Chain]:
        """The three chains by name."""
        return {"files": self.files, "statements": self.statements, "columns": self.columns}

    @property
    def percent(self) -> float | None:
        """100 × rendered/due × evaluated/found × resolved/named, cut to tenths: 100 means that
        nothing is missing. None if no file is due.
        """
        if not self.files.due:
            return None

        part, whole = 1000, 1
        for chain in self.chains.values():
            if chain.due:
                part, whole = part * chain.complete, whole * chain.due

        return part // whole / 10

    @property
    def is_complete(self) -> bool:
        """Tell whether files were due, and nothing of them is missing."""
        return self.percent == 100

    def fail(self, code: str, statements: int = 1) -> None:
        """Count statements that were found, and that have no result for the reason of a diagnostic."""
        self.statements.lose("evaluated", code, statements)

    def miss(self, code: str, statements: int = 1) -> None:
        """Count statements that failed before anybody counted them: a part of the input that cannot
        be read has at least one.
        """
        self.statements.found += statements
        self.statements.lose("parsed", code, statements)

    def add(self, other: Coverage) -> None:
        """Add the numbers of another run."""
        self.files.add(other.files)
        self.statements.add(other.statements)
        self.columns.add(other.columns)

    def to_json(self) -> dict[str, Any]:
        """Return the ledger as every JSON document shows it."""
        chains = {name: chain.to_json() for name, chain in self.chains.items()}
        return {"percent": self.percent, **chains}

    @classmethod
    def from_json(cls, made: Mapping[str, Any]) -> Coverage:
        """Return the ledger of such a document; a ValueError if it is not one."""
        try:
            if "files" not in made:
                return _read_former(made)

            return cls(
                Files.from_json(made["files"]),
                Statements.from_json(made["statements"]),
                Columns.from_json(made["columns"]),
            )
        except (AttributeError, KeyError, TypeError) as problem:
            raise ValueError("these are not the counts of a run") from problem


FORMER = ("read", "parsed", "resolved", "references", "ambiguous", "unresolved", "open")
"""The counts of runs that were saved before there was a chain of files."""


def _read_former(made: Mapping[str, Any]) -> Coverage:
    """Return the ledger of a former run: its input counts as one file."""
    if not set(made) <= set(FORMER):
        raise ValueError("these are not the counts of a run")

    counts = [_count_in(made.get(name, 0)) for name in FORMER]
    read, parsed, resolved, references, ambiguous, unresolved, open_stars = counts
    coverage = Coverage(Files(1), Statements(read))
    coverage.statements.lose("parsed", "parse-error", read - parsed)
    coverage.statements.lose("evaluated", "internal-error", parsed - resolved)
    coverage.columns.found = references + open_stars
    for reason, count in ((AMBIGUOUS, ambiguous), (UNRESOLVED, unresolved), (OPEN, open_stars)):
        coverage.columns.lose("resolved", reason, count)

    return coverage


# -- files by name ---------------------------------------------------------------------------------


class Stage(IntEnum):
    """How far a file came along the chain."""

    FOUND = 0
    DUE = 1
    READ = 2
    RENDERED = 3

    @property
    def lost_before(self) -> str:
        """Return the stage of the files' chain that such a file did not reach."""
        return Files.stages[self + 1]


class Reason(Enum):
    """Why a file was left out, and how far it came."""

    IGNORED = "ignored by .gitignore", Stage.FOUND
    EXCLUDED = "excluded", Stage.FOUND
    HIDDEN = "hidden", Stage.FOUND
    BUILD_FOLDER = "in a build folder", Stage.FOUND
    PYTHON_TEST = "a Python test", Stage.FOUND
    DISABLED = "disabled", Stage.FOUND
    EMPTY = "empty", Stage.FOUND
    OUTSIDE_PATHS = "SQL outside the paths of its project", Stage.FOUND
    OTHER_KIND = "not a kind that lineal reads", Stage.FOUND

    NOT_REGULAR = "not a regular file", Stage.DUE
    OUTSIDE = "a link that leaves the project", Stage.DUE
    UNREADABLE = "cannot be opened", Stage.DUE
    TOO_LARGE = "too large", Stage.DUE
    NOT_IN_REVISION = "not readable in the revision", Stage.DUE
    NOT_TEXT = "not text", Stage.DUE
    ENCODING = "in an unknown encoding", Stage.DUE
    INTERNAL_ERROR = "failed inside lineal", Stage.DUE

    INVALID = "not valid YAML, JSON or CSV", Stage.READ
    FAULTY = "has errors: parts of it are left out", Stage.READ
    MISSING_CODE = "its SQL or Python file is missing", Stage.READ
    TEMPLATE_ERROR = "a template error", Stage.READ
    MISSING_PACKAGE = "needs a package that is not installed", Stage.READ

    IBIS = "uses ibis, which is not traced", Stage.READ
    DASK = "uses Dask, which is not traced", Stage.READ
    MODIN = "uses Modin, which is not traced", Stage.READ
    VAEX = "uses Vaex, which is not traced", Stage.READ
    CUDF = "uses cuDF, which is not traced", Stage.READ
    DAFT = "uses Daft, which is not traced", Stage.READ

    def __init__(self, label: str, stage: Stage) -> None:
        self.label = label
        self.stage = stage


@dataclass
class FileLedger:
    """The files of a run: those that were due with what became of them, the others by count."""

    due_files: dict[str, Reason | None] = field(default_factory=dict)
    """None for a file that was read and rendered."""
    passed_over: Counter[Reason] = field(default_factory=Counter)
    """Files that are not due, by reason."""
    examples: dict[Reason, list[str]] = field(default_factory=dict)
    """The first files of each reason in `passed_over`."""

    def add(self, file: str) -> None:
        """Count a file that was read; a reason that is known for it already stays."""
        self.due_files.setdefault(file, None)

    def leave_out(self, file: str, reason: Reason) -> None:
        """Count a file that was not read, or not whole; of several reasons the first in the chain counts."""
        if reason.stage is Stage.FOUND:
            self._pass_over(file, reason)
            return

        known = self.due_files.get(file)
        if known is None or reason.stage < known.stage:
            self.due_files[file] = reason

    def has_lost(self, file: str) -> bool:
        """Tell whether a file was due, and has no text that could be used."""
        return self.due_files.get(file) is not None

    def pass_over_rest(self) -> None:
        """Nothing to read was found: the files that were read, such as that of a project, say nothing."""
        for file in [file for file, reason in self.due_files.items() if reason is None]:
            del self.due_files[file]
            self._pass_over(file, Reason.EMPTY)

    def _pass_over(self, file: str, reason: Reason) -> None:
        """Count a file that is passed over, and keep some names as examples."""
        self.passed_over[reason] += 1
        named = self.examples.setdefault(reason, [])
        if len(named) < EXAMPLES:
            named.append(file)

    def chain(self) -> Files:
        """Return the numbers of these files: found, due, read, rendered, and every reason between."""
        made = Files(len(self.due_files) + self.passed_over.total())
        for reason, count, examples in self.reasons():
            made.lose(reason.stage.lost_before, reason.label, count, examples)

        return made

    def reasons(self) -> Iterator[tuple[Reason, int, list[str]]]:
        """List every reason with its count and its first files, in the order of the chain."""
        due = group_pairs(
            (reason, file) for file, reason in self.due_files.items() if reason is not None
        )
        for reason in Reason:
            if reason in due:
                yield reason, len(due[reason]), sorted(due[reason])[:EXAMPLES]
            elif reason in self.passed_over:
                yield reason, self.passed_over[reason], self.examples[reason]

    def unite(self, other: FileLedger) -> None:
        """Add the files of another ledger; a file in both counts once."""
        for file, reason in other.due_files.items():
            self.add(file)
            if reason is not None:
                self.leave_out(file, reason)

        self.passed_over.update(other.passed_over)
        for reason, files in other.examples.items():
            named = self.examples.setdefault(reason, [])
            named.extend(files[: EXAMPLES - len(named)])

"""The evaluation of one statement: what it reads, reports and learns on the way to its frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from sqlglot import exp

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Lineage
from lineal.algebra.symbols import MOST_SHARED, SharedLineages, share_relations
from lineal.extract.sql.dialects import Facts
from lineal.model.diagnostic import Code, Diagnostic, Severity
from lineal.model.edge import Column, Dataset
from lineal.model.names import Fold
from lineal.model.way import Clause

if TYPE_CHECKING:
    from lineal.extract.entries import Definition, State
    from lineal.extract.sql.own_functions import OwnFunctions
    from lineal.extract.sql.procedural.pieces import Routine
    from lineal.extract.sql.procedural.summary import Summary
    from lineal.extract.sql.procedural.values import Locals
    from lineal.extract.sql.reading import Reading
    from lineal.extract.sql.scope import Scope
    from lineal.extract.sql.sources import CTEs
    from lineal.model.extraction import ColumnInfo


class Catalog(Protocol):
    """The backward glance: the facts about names outside this statement."""

    functions: dict[str, list[Routine]]
    shapes: dict[str, Routine]
    own_functions: OwnFunctions

    def scan(
        self, key: str, spelling: str, evaluation: Evaluation, node: exp.Expr
    ) -> tuple[Dataset | None, Frame]:
        """Return the dataset and the frame of a name.

        FROM t

        evaluates t's definition first, when it has one; without a dataset it is composed away
        """
        ...

    def column_type(self, dataset: Dataset, name: str) -> str:
        """The type of a column as it was declared; '' where it is not known."""
        ...

    def row_type(self, type_: str) -> list[ColumnInfo]:
        """The fields of a composite type, or of a table's rows."""
        ...

    def witness(self, key: str, origins: dict[Column, Slot]) -> tuple[Column, str] | None:
        """The one candidate that the corpus speaks for, and why."""
        ...

    def struct_fields(self, origin: Column) -> Sequence[str]:
        """The fields of a column, or of what its path leads to; none where its type is not known."""
        ...

    def summary_of(self, function: Routine, evaluation: Evaluation) -> Summary | None:
        """Return the summary of a function's value; None while it is being computed."""
        ...


class Notes:
    """The names of a statement, each with the column that it means, for an editor."""

    def __init__(self) -> None:
        """Start without a mention of a column."""
        self.columns: list[tuple[exp.Column, Slot, Scope]] = []
        """each mention of a column, with the slot it means and its scope"""
        self.selects: list[tuple[exp.Select, Scope, list[Slot]]] = []
        """each SELECT, with its scope and its columns"""


class Evaluation(ABC):
    """Everything that one statement's evaluation carries."""

    __slots__ = (
        "absorbed",
        "ambiguous",
        "around",
        "catalog",
        "composed",
        "datasets_read",
        "definition",
        "diagnostics",
        "facts",
        "fold",
        "fold_dataset",
        "fold_table",
        "frames",
        "further",
        "keys",
        "learnt",
        "notes",
        "own_functions",
        "reading",
        "reads",
        "references",
        "shared",
        "table_keys",
        "target",
        "undecided",
        "unresolved",
        "used",
    )

    def __init__(self, catalog: Catalog, reading: Reading, facts: Facts, target: Dataset) -> None:
        """Start the evaluation of one statement that writes `target`."""
        self.catalog = catalog
        self.own_functions = catalog.own_functions
        self.reading = reading
        self.facts = facts
        self.fold: Fold = facts.fold
        self.fold_table: Fold = facts.fold_table
        self.fold_dataset: Fold = facts.fold_dataset
        self.keys = facts.keys
        self.table_keys = facts.table_keys
        self.target = target
        self.reads: defaultdict[Clause, dict[Column, Any]] = defaultdict(dict)
        self.further: list[tuple[Clause, Column, Any]] | None = [] if reading.every_place else None
        """where else a clause names a column that it has named before; None where only the first
        place counts
        """
        self.datasets_read: dict[Dataset, Any] = {}
        self.learnt: dict[Column, int] = {}
        self.diagnostics: list[Diagnostic] = []
        self.references = 0
        self.ambiguous = 0
        self.unresolved = 0
        self.undecided = False
        self.frames: dict[int, Frame] = {}
        self.shared: SharedLineages | None = None
        """the large lineages of CTEs, if there are any"""
        self.definition: Definition | None = None
        self.composed: list[State] = []
        """the states of hidden tables that the statement reads"""
        self.absorbed: set[Evaluation] = set()
        """the evaluations of variables and functions whose reads are among its own"""
        self.used: list[Any] | None = None
        """the values that an assignment uses, whose reads are not its own; None for a statement"""
        self.around: Locals | None = None
        """the variables of the procedure around the statement"""
        self.notes: Notes | None = None
        """the meaning of each name, if an editor asks; None if nobody does"""

    def read(
        self, column: Column | None, clause: Clause, node: exp.Expr, learn: bool = True
    ) -> None:
        """Record that a clause reads a column."""
        if column is None:
            return

        reads = self.reads[clause]
        if column not in reads:
            reads[column] = node
        elif self.further is not None:
            self.further.append((clause, column, node))

        if learn:
            self.learnt[column] = self.learnt.get(column, 0) + 1

    def scan(self, key: str, spelling: str, node: Any) -> tuple[Dataset | None, Frame]:
        """Return the frame of a name outside this statement; of a temporary table, its sources."""
        dataset, frame = self.catalog.scan(key, spelling, self, node)
        if dataset is not None:
            self.datasets_read.setdefault(dataset, node)

        return dataset, frame

    def share(self, frame: Frame) -> Frame:
        """WITH c AS (…)      c, with symbols for its large lineages"""
        if self.shared is None:
            self.shared = share_relations()

        return self.shared.share(frame)

    def share_column(self, slot: Slot) -> Slot:
        """a FULL JOIN b USING (id) FULL JOIN …      the merged key, with a symbol if it is large"""
        if len(slot.lineage) <= MOST_SHARED:
            return slot

        if self.shared is None:
            self.shared = share_relations()

        return slot._replace(lineage=self.shared.symbol(slot.lineage))

    @property
    def symbol_count(self) -> int:
        """How many symbols stand for lineages of CTEs so far."""
        return len(self.shared.lineages) if self.shared is not None else 0

    def spell_out(self, frame: Frame, since: int = 0) -> Frame:
        """A result, with the lineages that symbols stand for; those of the query around stay."""
        if self.shared is None or len(self.shared.lineages) <= since:
            return frame

        self.shared.first = since
        return self.shared.put_values(frame)

    def frame_of(self, node: Any, scope: Scope) -> Frame:
        """A subquery in an expression; COALESCE looks at it twice, and gets the same frame."""
        found = self.frames.get(id(node))
        if found is None:
            found = self.frames[id(node)] = self.query(node, scope, scope.ctes)

        return found

    @abstractmethod
    def query(self, node: Any, parent: Scope | None, ctes: CTEs) -> Frame:
        """Return the frame of any query inside another."""

    @abstractmethod
    def value_of(self, node: exp.Expr, scope: Scope) -> Lineage:
        """The lineage of an expression's value."""

    @abstractmethod
    def has_body(self, node: exp.Expr) -> bool:
        """Whether a call is that of a function which the project defines itself."""

    @abstractmethod
    def star_slots(self, node: Any, scope: Scope) -> list[Slot]:
        """The columns that a star stands for."""

    def report(self, code: Code, message: str, node: exp.Expr, hint: str = "") -> None:
        """Add a diagnostic at the place of a node."""
        self.diagnostics.append(Diagnostic(code, message, self.reading.place_of(node), hint))

    @property
    def has_errors(self) -> bool:
        """Tell whether any diagnostic is an error."""
        return any(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics)

    def absorb(self, other: Evaluation, call: Any = None) -> None:
        """Take over the reads of a variable's query or of a function's body: the statement that
        uses it reads them at its call.
        """
        for clause, columns in other.reads.items():
            reads = self.reads[clause]
            for column, node in columns.items():
                reads.setdefault(column, call or node)

        for dataset, node in other.datasets_read.items():
            self.datasets_read.setdefault(dataset, call or node)

        for column in other.learnt:
            self.learnt.setdefault(column, 1)

        self.undecided = self.undecided or other.undecided
        self.absorbed.add(other)
        if other.diagnostics:
            self.diagnostics[:] = dict.fromkeys((*self.diagnostics, *other.diagnostics))

        if other.composed:
            self.composed[:] = dict.fromkeys((*self.composed, *other.composed))

    def absorb_all(self, several: Iterable[Evaluation]) -> None:
        """Absorb several evaluations; what one of them has absorbed itself is not read again."""
        for each in several:
            if each not in self.absorbed:
                self.absorb(each)

    def witness(self, key: str, origins: dict[Column, Slot]) -> tuple[Column, str] | None:
        """Find the one candidate that the corpus speaks for."""
        return self.catalog.witness(key, origins)

"""Values: what the variables of a body stand for, as lineages. A variable is read as a scalar subquery would be."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineal.algebra.frame import NOTHING, Frame, Lineage, Slot, union_by_name, united
from lineal.extract.sql.evaluation import Catalog, Evaluation
from lineal.extract.sql.procedural.flow import Assignment, Body, Moment
from lineal.extract.sql.query import query
from lineal.extract.sql.scope import Scope, Source
from lineal.model.edge import Column, Dataset
from lineal.model.way import IDENTITY, Clause

if TYPE_CHECKING:
    from lineal.extract.entries import Definition

MOST_ROUNDS = 16
"""x := y, y := x + z in a loop: until nothing new is found."""

PARAMETERS = Dataset("", "\0parameters")
"""The origin of a parameter, until a call says what it is."""


class Locals(Scope):
    """The scope around a statement of a body: its variables and parameters, behind every column of a source."""

    __slots__ = ("called", "moment")

    def __init__(self, evaluation: Evaluation, moment: Moment, called: bool = False) -> None:
        super().__init__(evaluation, None, {})
        self.moment = moment
        self.called = called
        self.sources = Records(self)

    def known(self, name: str, key: str, node: Any, clause: Clause) -> Slot | None:
        """v_max, where no source has a column of that name"""
        return self.variable(name, key)

    def variable(self, name: str, key: str) -> Slot | None:
        if key not in self.moment.body.names:
            return None
        frame = self.record(key)
        return Slot(name, key, united([*(slot.lineage for slot in frame.slots), frame.rows]))

    def sigil(self, node: Any) -> Slot | None:
        """@x, :x, $1      a variable with a mark of its own"""
        name = str(node.name)
        if node.__class__ is exp.Placeholder:
            return self.variable(name, self.evaluation.fold(name, False))
        return self.variable(name, f"@{name.lower()}") or self.variable(name, f"${name.lower()}")

    def tables(self) -> dict[str, Frame]:
        """What a trigger calls `inserted`."""
        body = self.moment.body
        values = values_of(body, self.evaluation.catalog, self.called)
        return {name: values.of(query, self.evaluation) for name, query in body.tables.items()}

    def record(self, key: str) -> Frame:
        """r in FOR r IN (SELECT …)      the row that it holds"""
        values = values_of(self.moment.body, self.evaluation.catalog, self.called)
        return values.at(key, self.moment, self.evaluation)


class Records(dict[str, Source]):
    """r.a      a variable that holds a row is looked up like a source"""

    def __init__(self, scope: Locals) -> None:
        self.scope = scope

    def get(self, key: str, default: Any = None) -> Any:
        if key and key == self.scope.moment.body.owner and key not in self.scope.moment.body.names:
            return own_parameters(self.scope)
        if key not in self.scope.moment.body.names:
            key = key.lower()  # MySQL's and BigQuery's tables know upper and lower case, their variables do not
            if key not in self.scope.moment.body.names:
                return default
        frame = self.scope.record(key)
        slots = [slot._replace(lineage=united([slot.lineage, frame.rows])) for slot in frame.slots]
        return Source(key, key, Frame(slots, NOTHING)) if slots else UNKNOWN_RECORD


class Anything(dict[str, Slot]):
    """NEW.a in a trigger's function      a field of a record that is not known: no lineage"""

    def get(self, key: str, default: Any = None) -> Any:
        return Slot(key, key, NOTHING)


class Parameters(dict[str, Slot]):
    """f.a in the body of f      its parameter a"""

    def __init__(self, scope: Locals) -> None:
        self.scope = scope

    def get(self, key: str, default: Any = None) -> Any:
        return self.scope.variable(key, key) or default


def own_parameters(scope: Locals) -> Source:
    source = Source("", "", Frame([], NOTHING))
    source.index = Parameters(scope)
    return source


UNKNOWN_RECORD = Source("", "", Frame([], NOTHING))
UNKNOWN_RECORD.index = Anything()


class Values:
    """The values of one body, evaluated on first use and remembered.

    `called`: in terms of the parameters, which a call will fill; else these have no lineage.
    """

    def __init__(self, body: Body, catalog: Catalog, called: bool) -> None:
        self.called = called
        self.body = body
        self.catalog = catalog
        self.frames: dict[Assignment, Frame] = {}
        self.evaluations: dict[Assignment, Evaluation] = {}
        self.settled: set[Assignment] = set()
        self.active: set[Assignment] = set()
        self.witnessed = False

    def at(self, key: str, moment: Moment, evaluation: Evaluation) -> Frame:
        """What a variable holds at a moment; what was read for it is read by the statement that uses it."""
        frames = []
        for assignment, column in self.body.refs(key, moment):
            frame = self.of(assignment, evaluation)
            frames.append(frame if column is None else Frame(frame.slots[column : column + 1], frame.rows))
        if len(frames) == 1:
            return frames[0]
        return Frame(union_by_name(frames), united(frame.rows for frame in frames)) if frames else EMPTY

    def of(self, assignment: Assignment, evaluation: Evaluation) -> Frame:
        self.settle(assignment, evaluation)
        if assignment in self.evaluations:
            evaluation.absorb(self.evaluations[assignment])
        return self.frames.get(assignment, EMPTY)

    def settle(self, assignment: Assignment, evaluation: Evaluation) -> None:
        """Evaluate an assignment, what it needs first; a circle, which a loop makes, until nothing new is found."""
        self.witness()
        if assignment in self.settled or assignment in self.active:
            return
        for circle in circles(assignment, self.body, self.settled):
            self.active.update(circle)
            try:
                self.evaluate_all(circle, evaluation)
            finally:
                self.active.difference_update(circle)
            self.settled.update(circle)

    def witness(self) -> None:
        """What was undecided is evaluated again, once all of the corpus has been read."""
        if not self.witnessed and getattr(self.catalog, "evidence", None) is not None:
            self.witnessed = True
            self.settled -= {each for each, evaluation in self.evaluations.items() if evaluation.undecided}

    def evaluate_all(self, circle: list[Assignment], user: Evaluation) -> None:
        straight = len(circle) == 1 and circle[0] not in set(self.body.needs(circle[0]))
        for _ in range(1 if straight else MOST_ROUNDS):
            before = sum(map(self.size, circle))
            for assignment in circle:
                self.evaluate(assignment, user)
            if sum(map(self.size, circle)) == before:
                break

    def size(self, assignment: Assignment) -> int:
        frame = self.frames.get(assignment)
        return sum(len(slot.lineage) for slot in frame.slots) + len(frame.rows) + 1 if frame is not None else 0

    def evaluate(self, assignment: Assignment, user: Evaluation) -> None:
        if assignment.reading is None:
            (name,) = assignment.mentions
            lineage: Lineage = {(Column(PARAMETERS, name), IDENTITY): None} if self.called else NOTHING
            self.frames[assignment] = Frame([Slot(name, name, lineage)], NOTHING)
            return
        evaluation = Evaluation(self.catalog, assignment.reading, user.facts, user.target)
        evaluation.definition = reader_of(assignment, user)
        evaluation.around = Locals(evaluation, assignment.moment, self.called)
        self.frames[assignment] = query(assignment.tree, evaluation.around, {}, evaluation)
        self.evaluations[assignment] = evaluation


EMPTY = Frame([], NOTHING)


def reader_of(assignment: Assignment, user: Evaluation) -> Definition | None:
    """SET @n = (SELECT … FROM #t)      reads #t as it is there, and not as it is where @n is used"""
    definition = user.definition
    if definition is None or definition.setting is None or definition.reading is not assignment.reading:
        return None
    reader = copy(definition)
    reader.setting = definition.setting._replace(position=assignment.position)
    return reader


def values_of(body: Body, catalog: Catalog, called: bool) -> Values:
    found: Values | None = body.values.get(called)
    if found is None or found.catalog is not catalog:
        found = body.values[called] = Values(body, catalog, called)
    return found


def circles(assignment: Assignment, body: Body, settled: set[Assignment]) -> list[list[Assignment]]:
    """The assignments that one needs and that are not settled, those first that need no other (Tarjan's algorithm)."""
    found: list[list[Assignment]] = []
    index: dict[Assignment, int] = {}
    low: dict[Assignment, int] = {}
    path: list[Assignment] = []
    on_path: set[Assignment] = set()
    work: list[tuple[Assignment, Any]] = []

    def visit(node: Assignment) -> None:
        index[node] = low[node] = len(index)
        path.append(node)
        on_path.add(node)
        work.append((node, iter(list(body.needs(node)))))

    visit(assignment)
    while work:
        node, needed = work[-1]
        following = next((other for other in needed if other not in settled), None)
        if following is None:
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                start = len(path) - 1
                while path[start] is not node:
                    start -= 1
                found.append(path[start:])
                on_path.difference_update(path[start:])
                del path[start:]
        elif following not in index:
            visit(following)
        elif following in on_path:
            low[node] = min(low[node], index[following])
    return found

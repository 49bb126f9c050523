"""Values: what the variables of a body stand for, as lineages. A variable is read as a scalar
subquery would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineal.algebra.expression import VALUE
from lineal.algebra.frame import Frame, Made, Slot, Star, star_slot
from lineal.algebra.lineage import NOTHING, Lineage, pour, united
from lineal.algebra.relation import (
    beside,
    one_row,
    project,
    rename,
    row_fields,
    take_row,
    union,
    union_by_name,
)
from lineal.extract.sql.evaluation import Catalog, Evaluation
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.procedural.flow import Assignment, Body, Moment, Ref
from lineal.extract.sql.procedural.triggers import NO_TRIGGER
from lineal.extract.sql.query import query
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import Source, field_of
from lineal.extract.sql.tables import Named
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Column, Dataset
from lineal.model.way import IDENTITY, Clause

if TYPE_CHECKING:
    from lineal.extract.entries import Definition

MOST_ROUNDS = 16
"""x := y, y := x + z in a loop: until nothing new is found."""

PARAMETERS = Dataset("", "\0parameters")
"""The origin of a parameter, until a call says what it is."""


class Locals(Scope):
    """The scope around a statement of a body: its variables and parameters, behind every column of
    a source.

    `trigger` is the one of several triggers for whose table the body runs.
    """

    __slots__ = ("called", "moment", "trigger")

    def __init__(
        self,
        evaluation: Evaluation,
        moment: Moment,
        called: bool = False,
        trigger: Assignment | None = None,
    ) -> None:
        super().__init__(evaluation, None, {})
        self.moment = moment
        self.called = called
        self.trigger = trigger
        self.sources = Records(self)

    @property
    def values(self) -> Values:
        return values_of(self.moment.body, self.evaluation.catalog, self.called, self.trigger)

    def known(self, name: str, key: str, node: Any, clause: Clause) -> Slot | None:
        """v_max, where no source has a column of that name"""
        return self.variable(name, key)

    def variable(self, name: str, key: str) -> Slot | None:
        if key not in self.moment.body.names:
            return None
        frame = self.values.at(key, self.moment, self.evaluation)
        if self.values.lacks_trigger(key, self.moment):
            self.report_unknown_row()
        whole = united([*(slot.lineage for slot in frame.slots), frame.rows])
        if not self.values.holds_row(key):
            return Slot(name, key, whole)
        lineage: Lineage = {}
        pour(whole, VALUE, lineage)
        return Slot(name, key, lineage)

    def sigil(self, node: Any) -> Slot | None:
        """@x, :x, $1      a variable with a mark of its own"""
        name = str(node.name)
        if node.__class__ is exp.Placeholder:
            return self.variable(name, self.evaluation.fold(name, False))
        return self.variable(name, f"@{name.lower()}") or self.variable(name, f"${name.lower()}")

    def row_of(self, node: exp.Parameter) -> Source | None:
        """EXECUTE '… VALUES ($1.*)' USING NEW      the row that a numbered parameter stands for"""
        found: Source | None = self.sources.get(f"${node.name}")
        return found

    def tables(self) -> dict[str, Frame]:
        """What a trigger calls `inserted`."""
        body = self.moment.body
        queries = {name: self.values.of_trigger(query) for name, query in body.tables.items()}
        return {name: self.values.of(query, self.evaluation) for name, query in queries.items()}

    def report_unknown_row(self) -> None:
        """NEW.a in a function that no trigger of the input executes"""
        name, place = self.moment.body.trigger_function or ("", None)
        message = f"no trigger executes '{name}': the rows that NEW and OLD stand for are not known"
        diagnostic = Diagnostic(Code.UNKNOWN_TRIGGER, message, place)
        if diagnostic not in self.evaluation.diagnostics:
            self.evaluation.diagnostics.append(diagnostic)


class Records(dict[str, Source]):
    """r.a      a variable that holds a row is looked up like a source"""

    def __init__(self, scope: Locals) -> None:
        self.scope = scope

    def get(self, key: str, default: Any = None) -> Any:
        if key and key == self.scope.moment.body.owner and key not in self.scope.moment.body.names:
            return own_parameters(self.scope)
        if key not in self.scope.moment.body.names:
            # MySQL's and BigQuery's tables know upper and lower case, their variables do not
            key = key.lower()
            if key not in self.scope.moment.body.names:
                return default
        scope = self.scope
        frame = scope.values.at(key, scope.moment, scope.evaluation)
        lacks_trigger = scope.values.lacks_trigger(key, scope.moment)
        if lacks_trigger:
            scope.report_unknown_row()
        if lacks_trigger or not frame.slots:
            return UnknownRow(scope.evaluation, row_fields(frame.slots, frame.rows), lacks_trigger)
        return Row(key, frame, scope.values.row(key, scope.moment, scope.evaluation))


class Row(Source):
    """A variable that holds a row: its fields by name, and all of them in order."""

    __slots__ = ("listed",)

    def __init__(self, key: str, frame: Frame, listed: Sequence[Slot]) -> None:
        super().__init__(key, key, take_row(frame))
        self.listed = row_fields(listed, frame.rows)

    @property
    def row_slots(self) -> Sequence[Slot]:
        """SELECT r.*, VALUES (r.*)"""
        return self.listed


class UnknownRow(Source):
    """A record of which only the fields that were set are known: any other has no lineage, and r.*
    stays open.
    """

    __slots__ = ("counts", "evaluation")

    def __init__(self, evaluation: Evaluation, known: list[Slot], counts: bool) -> None:
        super().__init__("", "", one_row())
        self.evaluation = evaluation
        self.counts = counts
        self.index = Anything(self, known)

    @property
    def row_slots(self) -> Sequence[Slot]:
        self.evaluation.references += self.counts
        self.count_unresolved()
        return [star_slot(Star(Dataset("", "<dynamic>"), made=Made({}, "", "")))]

    def count_unresolved(self) -> None:
        """What no trigger tells is lineage that is missing; a variable that nothing fills has none."""
        self.evaluation.unresolved += self.counts


class Anything(dict[str, Slot]):
    """NEW.a in a trigger's function      a field of a record that is not known: no lineage"""

    def __init__(self, row: UnknownRow, known: list[Slot]) -> None:
        self.row = row
        self.known = {slot.key: slot for slot in known}

    def get(self, key: str, default: Any = None) -> Any:
        self.row.count_unresolved()
        return self.known.get(key) or Slot(key, key, NOTHING)


class Parameters(dict[str, Slot]):
    """f.a in the body of f      its parameter a"""

    def __init__(self, scope: Locals) -> None:
        self.scope = scope

    def get(self, key: str, default: Any = None) -> Any:
        return self.scope.variable(key, key) or default


def own_parameters(scope: Locals) -> Source:
    source = Source("", "", one_row())
    source.index = Parameters(scope)
    return source


class Values:
    """The values of one body, evaluated on first use and remembered.

    `called`: in terms of the parameters, which a call will fill; else these have no lineage.
    `trigger`: the rows that NEW and OLD are, where several triggers execute the body; None for
    those of all.
    """

    def __init__(
        self, body: Body, catalog: Catalog, called: bool, trigger: Assignment | None = None
    ) -> None:
        self.called = called
        self.trigger = trigger
        self.body = body
        self.catalog = catalog
        self.frames: dict[Assignment, Frame] = {}
        self.evaluations: dict[Assignment, Evaluation] = {}
        self.settled: set[Assignment] = set()
        self.active: set[Assignment] = set()
        self.witnessed = False

    def at(self, key: str, moment: Moment, evaluation: Evaluation) -> Frame:
        """What a variable holds at a moment; what was read for it is read by the statement that
        uses it.
        """
        held = self.held(key, moment, evaluation)
        columns = self.columns_of(key, evaluation)
        if columns and held:
            return of_type(held, columns)
        frames = [frame for frame, _ in held]
        if len(frames) == 1:
            return frames[0]
        if frames:
            return union_by_name(frames)

        return EMPTY

    def row(self, key: str, moment: Moment, evaluation: Evaluation) -> Sequence[Slot]:
        """SELECT r.*

        the fields of a row in order: what several queries give is matched by position
        """
        if self.columns_of(key, evaluation):
            return self.at(key, moment, evaluation).slots
        held = self.held(key, moment, evaluation)
        whole = [frame for frame, ref in held if not ref.field]
        fields = [frame for frame, ref in held if ref.field]
        same = len({len(frame.slots) for frame in whole}) == 1
        first = union(whole) if same else union_by_name(whole)
        return union_by_name([first, *fields]).slots

    def held(self, key: str, moment: Moment, evaluation: Evaluation) -> list[tuple[Frame, Ref]]:
        """What each of the assignments gives that a variable may hold at a moment."""
        found = []
        for ref in self.refs(key, moment):
            frame = self.of(ref.assignment, evaluation)
            slots = frame.slots
            if ref.column is not None:
                slots = slots[ref.column : ref.column + 1]
            if ref.field:
                slots = [Slot(ref.field, ref.field, slot.lineage) for slot in slots]
            found.append((frame if slots is frame.slots else project(frame, slots), ref))
        return found

    def refs(self, key: str, moment: Moment) -> Iterator[Ref]:
        """The assignments that a variable may hold; NEW and OLD hold the rows of the triggers'
        tables.
        """
        for ref in self.body.refs(key, moment):
            if ref.assignment is not self.body.trigger_row:
                yield ref
                continue
            for row in self.triggers:
                yield ref._replace(assignment=row)

    @property
    def triggers(self) -> Sequence[Assignment]:
        """The rows that NEW and OLD may be."""
        if self.trigger is None:
            return self.body.triggers
        if self.trigger is NO_TRIGGER:
            return ()

        return (self.trigger,)

    def lacks_trigger(self, key: str, moment: Moment) -> bool:
        """Whether a variable may be a trigger's row, and no trigger is known."""
        if self.body.trigger_row is None or self.triggers:
            return False
        return any(ref.assignment is self.body.trigger_row for ref in self.body.refs(key, moment))

    def of_trigger(self, query: Assignment) -> Assignment:
        """The rows of the trigger's table, where several triggers execute the body and it runs for
        this one.
        """
        chosen = (
            self.trigger is not None
            and self.trigger is not NO_TRIGGER
            and query in self.body.triggers
        )
        if chosen and self.trigger is not None:
            return self.trigger

        return query

    def columns_of(self, key: str, evaluation: Evaluation) -> list[Named]:
        """r orders%ROWTYPE      the columns of orders; none for a record, whose query tells them"""
        named = self.body.row_types.get(key)
        if not named:
            return []
        return [
            (info.name, evaluation.fold(info.name, False)) for info in self.catalog.row_type(named)
        ]

    def holds_row(self, key: str) -> bool:
        """Whether a variable is a record or a row, rather than a single value."""
        named = self.body.row_types.get(key)
        return named is not None and (not named or bool(self.catalog.row_type(named)))

    def of(self, assignment: Assignment, evaluation: Evaluation) -> Frame:
        self.settle(assignment, evaluation)
        if assignment in self.evaluations:
            evaluation.absorb(self.evaluations[assignment])
        return self.frames.get(assignment, EMPTY)

    def settle(self, assignment: Assignment, evaluation: Evaluation) -> None:
        """Evaluate an assignment, what it needs first; a circle, which a loop makes, until nothing
        new is found.
        """
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
            self.settled -= {
                each for each, evaluation in self.evaluations.items() if evaluation.undecided
            }

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
        if frame is not None:
            return sum(len(slot.lineage) for slot in frame.slots) + len(frame.rows) + 1

        return 0

    def evaluate(self, assignment: Assignment, user: Evaluation) -> None:
        if assignment is self.body.trigger_row:
            self.frames[assignment] = EMPTY  # the rows of the triggers' tables stand for it
            return
        if assignment.reading is None:
            (name,) = assignment.mentions
            lineage: Lineage = (
                {(Column(PARAMETERS, name), IDENTITY): None} if self.called else NOTHING
            )
            self.frames[assignment] = project(one_row(), [Slot(name, name, lineage)])
            return
        evaluation = QueryEvaluation(self.catalog, assignment.reading, user.facts, user.target)
        evaluation.definition = reader_of(assignment, user)
        evaluation.around = around = Locals(
            evaluation, assignment.moment, self.called, self.trigger
        )
        row = self.row_named(assignment.tree, evaluation)
        if row is not None:
            self.frames[assignment] = self.at(row, assignment.moment, evaluation)
        else:
            self.frames[assignment] = query(
                row_items(assignment.tree), around, around.tables(), evaluation
            )
        self.evaluations[assignment] = evaluation

    def row_named(self, tree: Any, evaluation: Evaluation) -> str | None:
        """r := NEW

        the key of a variable that holds a row, where nothing but its name is assigned
        """
        if (
            not isinstance(tree, exp.Select)
            or len(tree.expressions) != 1
            or tree.args.get("from_") is not None
        ):
            return None
        item = tree.expressions[0]
        if not isinstance(item, exp.Column) or item.args.get("table") is not None or item.is_star:
            return None
        key = evaluation.fold(item.name, item.this.args.get("quoted"))
        if key in self.body.names and self.holds_row(key):
            return key

        return None


EMPTY = one_row()


def row_items(tree: Any) -> Any:
    """r := ROW(a, b), r := (a, b)      SELECT a, b: a column for each field"""
    if not isinstance(tree, exp.Select) or tree.args.get("from_") is not None:
        return tree
    if len(tree.expressions) != 1:
        return tree

    row = tree.expressions[0]
    if isinstance(row, exp.Tuple) or (isinstance(row, exp.Anonymous) and row.name.upper() == "ROW"):
        return exp.Select(expressions=[item.copy() for item in row.expressions])
    return tree


def of_type(held: list[tuple[Frame, Ref]], columns: list[Named]) -> Frame:
    """r orders%ROWTYPE      a row is assigned by position, a field by its name"""
    parts: dict[str, list[Lineage]] = {key: [] for _, key in columns}
    for frame, ref in held:
        slots = frame.slots
        if ref.assignment.reading is None:  # a parameter: its fields are what a call gives
            slots = [
                field_of(slot, [name], exp.Star())._replace(key=key)
                for slot in slots
                for name, key in columns
            ]
        elif not ref.field:
            slots = rename(frame, columns).slots
        for slot in slots:
            if slot.key in parts:
                parts[slot.key].append(slot.lineage)
    slots = [Slot(name, key, united(parts[key])) for name, key in columns]
    return project(beside([frame for frame, _ in held]), slots)


def reader_of(assignment: Assignment, user: Evaluation) -> Definition | None:
    """SET @n = (SELECT … FROM #t)

    reads #t as it is there, and not as it is where @n is used
    """
    definition = user.definition
    if (
        definition is None
        or definition.setting is None
        or definition.reading is not assignment.reading
    ):
        return None
    reader = copy(definition)
    reader.setting = definition.setting._replace(position=assignment.position)
    return reader


def values_of(
    body: Body, catalog: Catalog, called: bool, trigger: Assignment | None = None
) -> Values:
    found: Values | None = body.values.get((called, trigger))
    if found is None or found.catalog is not catalog:
        found = body.values[called, trigger] = Values(body, catalog, called, trigger)
    return found


def circles(assignment: Assignment, body: Body, settled: set[Assignment]) -> list[list[Assignment]]:
    """The assignments that one needs and that are not settled, those first that need no other
    (Tarjan's algorithm).
    """
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

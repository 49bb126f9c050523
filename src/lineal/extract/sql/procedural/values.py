"""Values: what the variables of a body stand for, as lineages.

A variable is read as a scalar subquery would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from operator import is_
from typing import TYPE_CHECKING

from sqlglot import exp

from lineal.algebra.expression import VALUE
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import NOTHING, Lineage, pour, unite_lineages
from lineal.algebra.relation import (
    decided_rows,
    one_row,
    project,
    put_side_by_side,
    rename,
    union,
    union_by_name,
)
from lineal.extract.sql.dialects.procedures import STATUS_VALUES
from lineal.extract.sql.evaluation import Catalog, Evaluation
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.nodes import is_call
from lineal.extract.sql.procedural.flow import (
    Assignment,
    Body,
    Moment,
    Ref,
    queries_left,
)
from lineal.extract.sql.procedural.rows import Records
from lineal.extract.sql.procedural.settling import circles
from lineal.extract.sql.procedural.symbols import Symbols
from lineal.extract.sql.procedural.triggers import NO_TRIGGER, unknown_row
from lineal.extract.sql.procedural.used import UsedEvaluations
from lineal.extract.sql.query import query
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import Source, field_of
from lineal.extract.sql.tables import Named
from lineal.model.edge import Column, Dataset
from lineal.model.sequences import first_of_each, only_or_none
from lineal.model.way import IDENTITY, Clause

if TYPE_CHECKING:
    from lineal.extract.entries import Definition


MOST_UNIONS = 4
"""So many unions of one variable are remembered: a loop asks for the same again, and a little more."""

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
        """Build the scope of variables as they are at a moment."""
        super().__init__(evaluation, None, {})
        self.moment = moment
        self.called = called
        self.trigger = trigger
        self.sources = Records(self)

    @property
    def values(self) -> Values:
        """The values of the body, for this trigger."""
        return values_of(self.moment.body, self.evaluation.catalog, self.called, self.trigger)

    def known(self, name: str, key: str, node: exp.Expr, clause: Clause) -> Slot | None:
        """Return a variable that no column hides.

        v_max, where no source has a column of that name
        """
        found = self.variable(name, key)
        if found is None and self.is_status(key):
            return Slot(name, key, NOTHING)

        return found

    def is_status(self, key: str) -> bool:
        """SQLERRM      whether a name is a value that a procedure has about its last statement"""
        return key.lower() in STATUS_VALUES.get(self.evaluation.facts.name, ())

    def has_surely(self, key: str) -> bool:
        """Whether a variable holds a value: over an unknown schema it is the variable that is meant.

        SELECT sum(a) INTO a FROM t      nothing has filled the variable a yet: t's column is meant
        """
        body = self.moment.body
        if key not in body.names:
            return self.is_status(key)

        return bool(body.refs(key, self.moment))

    def variable(self, name: str, key: str) -> Slot | None:
        """Return the value of a variable at this moment; None for any other name."""
        if key not in self.moment.body.names:
            return None

        frame = self.values.at(key, self.moment, self.evaluation)
        if self.values.lacks_trigger(key, self.moment):
            self.report_unknown_row()

        whole = unite_lineages([*(slot.lineage for slot in frame.slots), frame.rows])
        if not self.values.holds_row(key):
            return Slot(name, key, whole)

        lineage: Lineage = {}
        pour(whole, VALUE, lineage)
        return Slot(name, key, lineage)

    def sigil(self, node: exp.Expr) -> Slot | None:
        """Return a variable that has a mark.

        @x, :x, $1      a variable with a mark of its own
        """
        name = str(node.name)
        if node.__class__ is exp.Placeholder:
            return self.variable(name, self.evaluation.fold(name, False))

        return self.variable(name, f"@{name.lower()}") or self.variable(name, f"${name.lower()}")

    def row_of(self, node: exp.Parameter) -> Source | None:
        """Return the row of a numbered parameter.

        EXECUTE '… VALUES ($1.*)' USING NEW      the row that a numbered parameter stands for
        """
        found: Source | None = self.sources.get(f"${node.name}")
        return found

    def tables(self) -> dict[str, Frame]:
        """Return the tables that a trigger calls `inserted`."""
        body = self.moment.body
        queries = {name: self.values.of_trigger(query) for name, query in body.tables.items()}
        return {
            name: self.values.frame_of(query, self.evaluation) for name, query in queries.items()
        }

    def put_values(self, frame: Frame) -> Frame:
        """Replace symbols in the frame that a statement writes by the values of variables."""
        return self.values.symbols.put_values_for(frame, self.evaluation)

    def rows_of_loops(self) -> Lineage:
        """FOR r IN (SELECT …) LOOP      what decides how often a statement in the loop is executed"""
        queries = self.moment.queries
        return unite_lineages(
            [self.values.frame_of(query, self.evaluation).rows for query in queries]
        )

    def report_unknown_row(self) -> None:
        """Report a row that no trigger gives.

        NEW.a in a function that no trigger of the input executes
        """
        diagnostic = unknown_row(self.moment.body)
        if diagnostic not in self.evaluation.diagnostics:
            self.evaluation.diagnostics.append(diagnostic)


class Values:
    """The values of one body, evaluated on first use and remembered.

    `called`: in terms of the parameters, which a call will fill; else these have no lineage.
    `trigger`: the rows that NEW and OLD are, where several triggers execute the body; None for
    those of all.
    """

    def __init__(
        self, body: Body, catalog: Catalog, called: bool, trigger: Assignment | None = None
    ) -> None:
        """Evaluate assignments of a body on demand; nothing is evaluated yet."""
        self.called = called
        self.trigger = trigger
        self.body = body
        self.catalog = catalog
        self.frames: dict[Assignment, Frame] = {}
        self.evaluations: dict[Assignment, Evaluation] = {}
        self.settled: set[Assignment] = set()
        self.active: set[Assignment] = set()
        self.parts: dict[Ref, tuple[Frame, Frame]] = {}
        """the values of an assignment that a variable holds, next to the frame that they were made of"""
        self.united: dict[str, list[Union]] = {}
        """the last lists of assignments that a variable was asked for, and what either of them
        gives
        """
        self.left: dict[tuple[int, ...], tuple[list[Frame], Frame]] = {}
        """values that loops have left behind, by the frames that they are made of, which are kept"""
        self.symbols = Symbols(self)
        self.used = UsedEvaluations(self)
        self.witnessed = False

    def at(self, key: str, moment: Moment, evaluation: Evaluation) -> Frame:
        """Return the frame of a variable at a moment; the statement that uses the variable also
        reads the sources of its value.
        """
        if key not in self.body.row_types:
            whole = self.symbols.at(key, moment, evaluation)
            if whole is not None:
                return project(one_row(), [Slot(key, key, whole)])

        held = self.frames_at(key, moment, evaluation)
        columns = self.columns_of(key, evaluation)
        if not held:
            return EMPTY

        if columns:
            return of_type(held, columns)

        return self.unite(key, first_of_each(held))

    def unite(self, key: str, frames: list[Frame]) -> Frame:
        """Unite the frames of several assignments.

        IF … SET @v = @v + … adds an assignment to those before, whose union is remembered.
        """
        if len(frames) == 1:
            return frames[0]

        memory = self.united.setdefault(key, [])
        counts = [_frames_spared(known, frames) for known, _ in memory]
        shared = max(counts, default=0)
        unite = union_by_name if self.holds_row(key) else union_values
        if not shared:
            before = self.remember(memory, frames[:-1], unite(frames[:-1]))
            return self.remember(memory, frames, unite([before, frames[-1]]))

        best = memory.pop(counts.index(shared))
        memory.append(best)  # the last one that was of use
        if best[0][0] is not frames[0]:
            return self.remember(memory, frames, unite([*frames[:-shared], best[1]]))

        united = best[1]
        if len(frames) - shared > 1:  # all but the last will be asked for again, with another one
            united = unite([united, *frames[shared:-1]])
            self.remember(memory, frames[:-1], united)
            shared = len(frames) - 1

        if len(frames) > shared:
            united = self.remember(memory, frames, unite([united, frames[-1]]))

        return united

    def remember(self, memory: list[Union], frames: Sequence[Frame], united: Frame) -> Frame:
        """Keep a union for the next time."""
        memory.append((frames, united))
        del memory[:-MOST_UNIONS]
        return united

    def row(self, key: str, moment: Moment, evaluation: Evaluation) -> Sequence[Slot]:
        """Return the fields of a row.

        SELECT r.*

        the fields of a row in order: what several queries give is matched by position
        """
        if key not in self.body.row_types or self.columns_of(key, evaluation):
            return self.at(key, moment, evaluation).slots

        held = self.frames_at(key, moment, evaluation)
        whole = [frame for frame, ref in held if not ref.field]
        fields = [frame for frame, ref in held if ref.field]
        widths = {len(frame.slots) for frame in whole}
        unite = union if len(widths) == 1 else union_by_name
        return union_by_name([unite(whole), *fields]).slots

    def frames_at(
        self, key: str, moment: Moment, evaluation: Evaluation
    ) -> list[tuple[Frame, Ref]]:
        """Return the frame of each assignment that a variable may hold at a moment."""
        refs = list(self.refs(key, moment))
        found = self.frames_of(refs, moment, evaluation)
        self.used.use([ref.assignment for ref in refs], evaluation)
        return found

    def frames_of(
        self, refs: Sequence[Ref], moment: Moment, evaluation: Evaluation
    ) -> list[tuple[Frame, Ref]]:
        """Return the frame of each of some assignments at a moment."""
        for ref in refs:
            self.settle(ref.assignment, evaluation)

        found = []
        for ref in refs:
            frame = self.part(ref)
            if ref.assignment in moment.queries:
                # the statement is executed for each row: what decides the rows decides its own
                frame = project(one_row(), frame.slots)
            else:
                frame = self.after_loops(frame, ref.assignment, moment, evaluation)

            found.append((frame, ref))

        return found

    def part(self, ref: Ref) -> Frame:
        """Return the part of an assignment that a variable holds; the same frame for the same part."""
        frame = self.frames.get(ref.assignment, EMPTY)
        known = self.parts.get(ref)
        if known is None or known[0] is not frame:
            self.parts[ref] = known = frame, part_of(frame, ref)

        return known[1]

    def after_loops(
        self, frame: Frame, assignment: Assignment, moment: Moment, evaluation: Evaluation
    ) -> Frame:
        """A value that a loop has left behind: what decides the loop's rows decides it."""
        left = queries_left(assignment.moment, moment)
        left = [query for query in left if query is not assignment]
        if not left:
            return frame

        around = [self.frame_of(query, evaluation) for query in left]
        key = tuple(map(id, (frame, *around)))
        known = self.left.get(key)
        if known is None:
            rows = unite_lineages([frame.rows, *(each.rows for each in around)])
            made = project(decided_rows(rows), frame.slots)
            self.left[key] = known = [frame, *around], made

        return known[1]

    def refs(self, key: str, moment: Moment) -> Iterator[Ref]:
        """The assignments that a variable may hold; NEW and OLD hold the rows of the triggers'
        tables.
        """
        for ref in self.body.refs(key, moment):
            yield from self.of_triggers(ref)

    def of_triggers(self, ref: Ref) -> Iterator[Ref]:
        """An assignment as it is; the row of a trigger as the rows of the triggers' tables."""
        if ref.assignment is not self.body.trigger_row:
            yield ref
            return

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
        if self.trigger is None or self.trigger is NO_TRIGGER:
            return query

        if query not in self.body.triggers:
            return query

        return self.trigger

    def columns_of(self, key: str, evaluation: Evaluation) -> list[Named]:
        """Return the columns of a row type.

        r orders%ROWTYPE      the columns of orders; none for a record, whose query tells them
        """
        type_name = self.body.row_types.get(key)
        if not type_name:
            return []

        declared = self.body.row_fields.get(key)
        names = declared or [info.name for info in self.catalog.row_type(type_name)]
        return [(name, evaluation.fold(name, False)) for name in names]

    def holds_row(self, key: str) -> bool:
        """Whether a variable is a record or a row, rather than a single value."""
        type_name = self.body.row_types.get(key)
        if not type_name:
            return type_name is not None

        return key in self.body.row_fields or bool(self.catalog.row_type(type_name))

    def untyped_parameter(self, key: str, moment: Moment, frame: Frame) -> Slot | None:
        """Return what a caller gives for a parameter whose type is declared elsewhere; None for
        other variables.

        p shop.order_t      p.id is a field of p
        """
        if not self.body.row_types.get(key) or self.holds_row(key):
            return None

        held = list(self.refs(key, moment))
        if all(ref.field or ref.assignment.reading is not None for ref in held):
            return None

        fields = {ref.field for ref in held if ref.field}
        return only_or_none([slot for slot in frame.slots if slot.key not in fields])

    def frame_of(self, assignment: Assignment, evaluation: Evaluation) -> Frame:
        """Return the frame of an assignment; the evaluation records its reads."""
        self.settle(assignment, evaluation)
        self.used.use([assignment], evaluation)
        return self.frames.get(assignment, EMPTY)

    def settle(self, assignment: Assignment, evaluation: Evaluation) -> None:
        """Evaluate an assignment, what it needs first; a circle, which a loop makes, until nothing
        new is found.
        """
        self.witness()
        if assignment in self.settled:
            return

        if assignment in self.active:
            # FOR r IN (SELECT … FROM t) LOOP … DELETE FROM t: the query asks for t, which asks for
            # the query; the statement is evaluated again when the query is known
            evaluation.undecided = evaluation.undecided or evaluation.used is None
            return

        for circle in circles(assignment, self.body, self.settled, self.active):
            self.active.update(circle)
            try:
                self.evaluate_all(circle, evaluation)
            finally:
                self.active.difference_update(circle)

            self.settled.update(circle)

    def witness(self) -> None:
        """Evaluate undecided assignments again, once all of the corpus has been read."""
        if not self.witnessed and getattr(self.catalog, "evidence", None) is not None:
            self.witnessed = True
            self.symbols.followed.clear()
            self.used.gathered.clear()
            self.settled -= {
                each for each, evaluation in self.evaluations.items() if evaluation.undecided
            }

    def evaluate_all(self, circle: list[Assignment], user: Evaluation) -> None:
        """Evaluate assignments that need each other, until nothing new is found."""
        rounds = MOST_ROUNDS
        if len(circle) == 1 and circle[0] not in set(self.body.needs(circle[0])):
            rounds = 1

        for _ in range(rounds):
            before = sum(map(self.size, circle))
            for assignment in circle:
                self.evaluate(assignment, user)

            if sum(map(self.size, circle)) == before:
                break

    def size(self, assignment: Assignment) -> int:
        """How much lineage an assignment has so far."""
        frame = self.frames.get(assignment)
        if frame is None:
            return 0

        return sum(len(slot.lineage) for slot in frame.slots) + len(frame.rows) + 1

    def evaluate(self, assignment: Assignment, user: Evaluation) -> None:
        """Evaluate one assignment, in the place of the statement that uses it."""
        if assignment is self.body.trigger_row:
            self.frames[assignment] = EMPTY  # the rows of the triggers' tables stand for it
            return

        if assignment.reading is None:
            self.frames[assignment] = self.parameter(assignment)
            return

        evaluation = QueryEvaluation(self.catalog, assignment.reading, user.facts, user.target)
        evaluation.definition = reader_of(assignment, user)
        evaluation.used = []
        evaluation.around = around = Locals(
            evaluation, assignment.moment, self.called, self.trigger
        )
        row = self.row_named(assignment.query, evaluation)
        if row is not None:
            self.frames[assignment] = self.at(row, assignment.moment, evaluation)
        else:
            self.frames[assignment] = query(
                self.construct_row(row_items(assignment.query)), around, around.tables(), evaluation
            )

        self.evaluations[assignment] = evaluation

    def construct_row(self, tree: exp.Expr) -> exp.Expr:
        """SELECT row_t(a, b)      SELECT a AS id, b AS v, where another script declares row_t"""
        only = only_or_none(tree.expressions)
        if not isinstance(tree, exp.Select) or not isinstance(only, exp.Anonymous):
            return tree

        fields = self.catalog.row_type(only.name)
        if not fields or len(fields) != len(only.expressions):
            return tree

        named = zip(only.expressions, fields, strict=True)
        aliased = [exp.alias_(value.copy(), info.name, quoted=True) for value, info in named]
        return exp.Select(expressions=aliased)

    def parameter(self, assignment: Assignment) -> Frame:
        """Return the value of a parameter.

        f(a INT)      a, which a call fills; without lineage, where nobody calls f
        """
        (name,) = assignment.mentions
        lineage: Lineage = NOTHING
        if self.called:
            lineage = {(Column(PARAMETERS, name), IDENTITY): None}

        return project(one_row(), [Slot(name, name, lineage)])

    def row_named(self, tree: exp.Expr, evaluation: Evaluation) -> str | None:
        """Return the variable whose row is assigned.

        r := NEW

        the key of a variable that holds a row, where nothing but its name is assigned
        """
        item = only_item(tree)
        if not isinstance(item, exp.Column) or item.args.get("table") is not None or item.is_star:
            return None

        key = evaluation.fold(item.name, item.this.args.get("quoted"))
        if key not in self.body.names or not self.holds_row(key):
            return None

        return key


EMPTY = one_row()

Union = tuple[Sequence[Frame], Frame]
"""Some frames, and what either of them gives."""


def union_values(frames: Sequence[Frame]) -> Frame:
    """Either of several values; what their columns are called does not matter."""
    if all(len(frame.slots) == 1 for frame in frames):
        return union(frames)

    return union_by_name(frames)


def _frames_spared(known: Sequence[Frame], frames: Sequence[Frame]) -> int:
    """How many frames a union that is known spares: all of its own, at the start or at the end."""
    count = len(known)
    if count < 2 or count > len(frames):
        return 0

    if all(map(is_, known, frames)) or all(map(is_, known, frames[-count:])):
        return count

    return 0


def part_of(frame: Frame, ref: Ref) -> Frame:
    """Return the part of a query's row that a variable holds: one column, a field, or all of it."""
    slots = frame.slots
    if ref.column is not None:
        slots = slots[ref.column : ref.column + 1]

    if ref.field:
        slots = [Slot(ref.field, ref.field, slot.lineage) for slot in slots]

    if ref.set_later:
        slots = [
            Slot(slot.name, slot.key, NOTHING) if slot.key in ref.set_later else slot
            for slot in slots
        ]

    if slots is frame.slots:
        return frame

    return project(frame, slots)


def only_item(tree: exp.Expr) -> exp.Expr | None:
    """Return the only item of a query.

    SELECT a      a; None for any other query
    """
    if not isinstance(tree, exp.Select) or tree.args.get("from_") is not None:
        return None

    if len(tree.expressions) != 1:
        return None

    item: exp.Expr = tree.expressions[0]
    return item


def row_items(tree: exp.Expr) -> exp.Expr:
    """Return the fields of a row that is written down.

    r := ROW(a, b), r := (a, b)      SELECT a, b: a column for each field
    """
    row = only_item(tree)
    if isinstance(row, exp.Tuple) or (is_call(row, "ROW")):
        return exp.Select(expressions=[item.copy() for item in row.expressions])

    return tree


def of_type(held: list[tuple[Frame, Ref]], columns: list[Named]) -> Frame:
    """Return a row under the names of its type.

    r orders%ROWTYPE      a row is assigned by position, a field by its name
    """
    parts: dict[str, list[Lineage]] = {key: [] for _, key in columns}
    for frame, ref in held:
        for slot in typed_slots(frame, ref, columns):
            if slot.key in parts:
                parts[slot.key].append(slot.lineage)

    slots = [Slot(name, key, unite_lineages(parts[key])) for name, key in columns]
    return project(put_side_by_side(first_of_each(held)), slots)


def typed_slots(frame: Frame, ref: Ref, columns: list[Named]) -> Sequence[Slot]:
    """The fields of a row that is assigned; those of a parameter are what a call gives."""
    if ref.assignment.reading is not None:
        return frame.slots if ref.field else rename(frame, columns).slots

    return [
        field_of(slot, [name], exp.Star())._replace(key=key)
        for slot in frame.slots
        for name, key in columns
    ]


def reader_of(assignment: Assignment, user: Evaluation) -> Definition | None:
    """Return the definition that an assignment reads as.

    SET @n = (SELECT … FROM #t)

    reads #t as it is there, and not as it is where @n is used
    """
    definition = user.definition
    if definition is None or definition.setting is None:
        return None

    if definition.reading is not assignment.reading:
        return None

    reader = copy(definition)
    reader.setting = definition.setting._replace(position=assignment.position)
    return reader


def values_of(
    body: Body, catalog: Catalog, called: bool, trigger: Assignment | None = None
) -> Values:
    """The values of a body, evaluated over a catalog and remembered there."""
    values: Values | None = body.values.get((called, trigger))
    if values is None or values.catalog is not catalog:
        values = body.values[called, trigger] = Values(body, catalog, called, trigger)

    return values

"""The frame that a statement writes: its query, arranged by the columns of its target."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from lineal.algebra.changes import delete_each, insert_each, update_each
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Lineage
from lineal.algebra.relation import extend, one_row, project, rename, union_by_name, values
from lineal.extract.entries import Definition
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.query import query, with_
from lineal.extract.sql.scope import CTEs, Scope, Source
from lineal.model.consumers import ONLY_READ
from lineal.model.diagnostic import Code
from lineal.model.sequences import first_of_each
from lineal.resolve.hooks import EvaluationHooks
from lineal.resolve.references import References

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.flow import Assignment

REPEATED: dict[type, Callable[[Frame, Lineage], Frame]] = {
    exp.Update: update_each,
    exp.Delete: delete_each,
}
"""FOR r IN (SELECT …) LOOP      what a statement does that is executed for each row"""


class StatementFrames:
    """The frames of statements."""

    def __init__(self, references: References, hooks: EvaluationHooks) -> None:
        self.references = references
        self.hooks = hooks

    def frame_of(self, definition: Definition, evaluation: Evaluation) -> Frame:
        """Return the frame that a statement writes, composed through temporary tables."""
        frame = self.frame_as_read(definition, evaluation)
        if definition.plan.kind in ONLY_READ:
            return project(one_row(), [])  # a test has no columns, whatever its statement selects

        return frame if definition.hidden else self.references.schemas.spell_out(frame)

    def frame_as_read(self, definition: Definition, evaluation: Evaluation) -> Frame:
        """Return the frame that a statement writes, with symbols for temporary tables. In a
        trigger's function it is written for each table that has the trigger.
        """
        moment = definition.plan.moment
        if moment is None or not moment.body.triggers or definition.plan.trigger is not None:
            return self.frame_for(definition, evaluation, definition.plan.trigger)

        from lineal.extract.sql.procedural.triggers import NO_TRIGGER, triggers_at

        triggers = triggers_at(moment, definition.facts.fold_dataset)
        if len(triggers) < 2:
            return self.frame_for(definition, evaluation, triggers[0] if triggers else NO_TRIGGER)

        tried = [self.frame_for_table(definition, evaluation, trigger) for trigger in triggers]
        fitting = [each for each in tried if not each[1].has_errors] or tried
        for _, own in fitting:
            evaluation.absorb(own)

        evaluation.around = fitting[0][1].around
        for count in ("references", "ambiguous", "unresolved"):
            setattr(evaluation, count, max(getattr(own, count) for _, own in fitting))

        frames = first_of_each(fitting)
        return union_by_name(frames)

    def frame_for_table(
        self, definition: Definition, evaluation: Evaluation, trigger: Assignment
    ) -> tuple[Frame, Evaluation]:
        """Return the frame of a statement in a trigger's function, with NEW and OLD as rows of one
        of its tables.
        """
        own = QueryEvaluation(
            self.references, definition.reading, definition.facts, definition.target
        )
        own.definition = evaluation.definition
        return self.frame_for(definition, own, trigger), own

    def frame_for(
        self, definition: Definition, evaluation: Evaluation, trigger: Assignment | None
    ) -> Frame:
        """Return the frame of a statement, with the variables, CTEs and columns around its query."""
        frame = self.frame_once(definition, evaluation, trigger)
        frame = evaluation.spell_out(frame)
        around = evaluation.around
        if around is None:
            return frame

        if around.moment.queries:
            repeat = REPEATED.get(definition.plan.node.__class__, insert_each)
            frame = repeat(frame, around.rows_of_loops())

        return around.put_values(frame)

    def frame_once(
        self, definition: Definition, evaluation: Evaluation, trigger: Assignment | None
    ) -> Frame:
        """Return the frame of a statement that is executed once."""
        plan = definition.plan
        parent: Scope | None = None
        ctes: CTEs = {}
        if plan.moment is not None:
            from lineal.extract.sql.procedural.values import Locals

            parent = evaluation.around = Locals(evaluation, plan.moment, trigger=trigger)
            ctes = evaluation.around.tables()
        elif definition.parameters:
            parent = parameter_scope(definition.parameters, evaluation)

        if plan.with_ is not None:
            ctes = with_(plan.with_, parent, ctes, evaluation)

        if plan.made is not None:
            return plan.made(evaluation, ctes)

        frame = query(plan.query, parent, ctes, evaluation)
        columns = plan.columns or (self.hooks.target_columns(definition) if plan.positional else [])
        if plan.partition is not None:
            columns = plan.partition.column_names(columns, frame)

        if columns:
            frame = rename_by_position(frame, columns, definition, evaluation)

        if plan.partition is not None:
            frame = extend(frame, (Slot(*named, {}) for named in plan.partition.given))

        return plan.after(frame, evaluation, ctes) if plan.after is not None else frame


def parameter_scope(parameters: tuple[str, ...], evaluation: Evaluation) -> Scope:
    """A function's parameters are names without lineage."""
    scope = Scope(evaluation, None, {})
    scope.add(Source("", "", values((name, evaluation.fold(name, False)) for name in parameters)))
    return scope


def rename_by_position(
    frame: Frame,
    columns: list[tuple[str, str]],
    definition: Definition,
    evaluation: Evaluation,
) -> Frame:
    """Name the columns of a frame by their positions.

    CREATE VIEW v (a, b) AS …, INSERT INTO t (a, b) …      by position
    """
    shorter = (
        len(frame.slots) < len(columns)
        and not definition.plan.columns
        and definition.facts.fewer_values
    )
    differs = len(columns) != len(frame.slots) and not shorter
    if frame.complete and differs and definition.plan.node is not None:
        message = f"{len(columns)} columns are named, the query has {len(frame.slots)}"
        evaluation.report(Code.COLUMN_COUNT, message, definition.plan.node)

    return rename(frame, columns)

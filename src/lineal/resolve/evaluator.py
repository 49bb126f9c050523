"""The evaluator: a definition is evaluated on first use, and what it reads before it."""

from __future__ import annotations

from collections.abc import Iterable

from lineal.algebra.frame import Frame, Scan
from lineal.algebra.relation import scan_on_demand
from lineal.extract.entries import Definition, Entry, Pending
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.limits import Task, is_abandoned, key_of
from lineal.resolve.alterations import use_final_names
from lineal.resolve.boundary import Boundary, failure_of, place_of_statement
from lineal.resolve.evidence import Evidence
from lineal.resolve.hooks import EvaluationHooks
from lineal.resolve.progress import Evaluated, Progress
from lineal.resolve.references import References
from lineal.resolve.schemas import cycle_message


class Evaluator:
    """Evaluates definitions, whatever order their statements came in."""

    def __init__(
        self,
        references: References,
        evidence: Evidence,
        boundary: Boundary,
        hooks: EvaluationHooks,
    ) -> None:
        self.references = references
        self.catalog = references.catalog
        self.schemas = references.schemas
        self.evidence = evidence
        self.boundary = boundary
        self.hooks = hooks
        self.progress: Progress | None = None
        self.advanced: set[int] = set()
        """the definitions that progress has been told of"""

    def evaluate_all(self, definitions: Iterable[Definition]) -> None:
        """Evaluate the definitions that nothing has asked for yet."""
        for definition in definitions:
            if definition.frame is None:
                try:
                    self.settle(definition)
                except Exception as error:
                    self.hooks.give_up(definition, error)

    def settle(self, definition: Definition) -> None:
        """Evaluate a definition; what it reads through a long chain goes first, by a work list."""
        waiting: list[Entry] = []
        while definition.frame is None:
            try:
                if waiting:
                    self.schemas.schema(waiting[-1])
                    waiting.pop()
                else:
                    self.evaluate(definition)
            except Pending as pending:
                if pending.entry in waiting:
                    self.report_cycle(pending.entry, definition)
                    pending.entry.broken = True
                else:
                    waiting.append(pending.entry)

    def evaluate(self, definition: Definition) -> Frame:
        """Evaluate a definition; if that fails, it has no result, and nobody else is the worse."""
        entry = definition.entry
        was_active, depth = entry.active, self.schemas.depth
        try:
            frame = self.evaluate_now(definition)
        except Exception as error:
            self.hooks.give_up(definition, error)
            assert definition.frame is not None
            frame = definition.frame
        finally:
            self.schemas.depth, entry.active = depth, was_active

        if self.progress is not None:
            self.advance(definition, self.progress)

        return frame

    def evaluate_now(self, definition: Definition) -> Frame:
        """Evaluate a definition, after what its target is made of."""
        plan, entry = definition.plan, definition.entry
        if not plan.defines and entry.deciding:
            self.schemas.schema(entry)

        evaluation = QueryEvaluation(
            self.references, definition.reading, definition.facts, definition.target
        )
        evaluation.definition = definition
        entry.active = True
        before = definition.evaluation
        self.schemas.depth += 1
        with evaluation_task(definition):
            frame = check_column_names(self.hooks.frame_of(definition, evaluation))

        if entry.changes:
            frame = use_final_names(frame, definition)

        meanwhile = definition.evaluation
        if meanwhile is not None and meanwhile is not before:
            # SET @m = (SELECT … FROM t); what it needs has read this statement before it was known
            evaluation.undecided = evaluation.undecided or meanwhile.undecided

        definition.frame, definition.evaluation, definition.failure = frame, evaluation, None
        return frame

    def give_up(self, definition: Definition, error: Exception) -> None:
        """A statement failed: nothing is known of what it writes, and nothing that it met on its
        way counts.
        """
        node = definition.plan.node
        definition.failure = failure_of(error, node, definition.reading)
        definition.frame = scan_on_demand(definition.target, [], False)
        definition.evaluation = QueryEvaluation(
            self.references, definition.reading, definition.facts, definition.target
        )
        definition.evaluation.definition = definition

    def report_cycle(self, entry: Entry, definition: Definition) -> None:
        """Report that a definition needs a name that is defined through itself."""
        at = place_of_statement(definition.reading, definition.plan.node)
        self.boundary.report(Diagnostic(Code.CYCLIC_DEFINITION, cycle_message(entry), at))

    def follow(self, progress: Progress | None) -> None:
        """From now on tell of each statement that is evaluated; first of those that programs have
        asked for, now that the number of all is known.
        """
        self.progress = progress
        if progress is None:
            return

        for definition in self.catalog.order:
            if definition.evaluation is not None:
                self.advance(definition, progress)

    def advance(self, definition: Definition, progress: Progress) -> None:
        """Tell of a statement that is evaluated, once; of one that is undecided when the whole
        corpus has decided.
        """
        evaluation = definition.evaluation if definition.failure is None else None
        decided = self.evidence.counts is not None
        undecided = evaluation is not None and evaluation.undecided and not decided
        if undecided or id(definition) in self.advanced:
            return

        self.advanced.add(id(definition))
        counts = (0, 0, 0)
        if evaluation is not None:
            counts = (evaluation.references, evaluation.ambiguous, evaluation.unresolved)

        done, of_all = len(self.advanced), len(self.catalog.order)
        progress(Evaluated(done, of_all, definition.target, *counts, evaluation is None))


def evaluation_task(definition: Definition) -> Task:
    """The task of evaluating a statement: at first with all others of its script that write the
    same dataset; by itself if these took too much in an earlier attempt.
    """
    text, target = definition.reading.script.text, definition.target
    key = ("evaluation", text, target)
    if len(definition.entry.definitions) > 1 and is_abandoned(key_of(*key)):
        return Task(*key, definition.reading.statement_near(definition.plan.node))

    return Task(*key)


def check_column_names(frame: Frame) -> Frame:
    """A frame whose columns are called by texts: a name of another kind would break the code that shows
    or keeps it.
    """
    if frame.__class__ is not Scan:
        for slot in frame.slots:
            if slot.name.__class__ is not str:
                raise TypeError(
                    f"a column is called by {type(slot.name).__name__}, which is not a text"
                )

    return frame

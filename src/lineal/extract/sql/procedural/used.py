"""The reads behind the values of variables, which count for the statement that uses them.

SET @v = @v + (SELECT …), n times

Each of the assignments reads what all before it have read, which is n² in all. An assignment that
uses much only notes what it uses; a statement reads all that is behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.procedural.flow import Assignment, Held, Ref, expand_if_few

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.values import Values

Used = Assignment | Held
"""The sources of a value: assignments, or the meaning of a symbol."""

MOST_READS = 32
"""An evaluation that has read no more is taken over as it is."""

MOST_NOTED = 8


class UsedEvaluations:
    """The evaluations behind the values of one body."""

    def __init__(self, values: Values) -> None:
        """Start without an evaluation that a variable's value uses."""
        self.values = values
        self.gathered: dict[Held, Evaluation] = {}
        """all that is behind a meeting of many values, if it is little"""

    def use(self, needed: Sequence[Used], evaluation: Evaluation) -> None:
        """Count the reads behind some values for the evaluation that uses them."""
        if evaluation.used is None:
            for each in needed:
                evaluation.absorb_all(self.behind(each, evaluation))

            return

        for each in needed:
            own = self.values.evaluations.get(each) if isinstance(each, Assignment) else None
            if own is None or not is_small(own):
                note(each, evaluation.used)
            else:
                evaluation.absorb(own)
                for further in own.used or ():
                    note(further, evaluation.used)

            if own is not None and own.undecided:
                evaluation.undecided = True

    def behind(self, needed: Used, user: Evaluation) -> list[Evaluation]:
        """The evaluations of a value, and of all that it uses."""
        found: dict[Evaluation, None] = {}
        seen: set[Used] = set()
        waiting: list[Used] = [needed]
        while waiting:
            each = waiting.pop()
            if each in seen:
                continue

            seen.add(each)
            own = self.evaluation_of(each)
            if own is None:
                if not isinstance(each, Assignment):
                    waiting += self.members_of(each, user)
            elif own not in user.absorbed:
                found[own] = None
                waiting += own.used or ()

        evaluations = list(reversed(found))
        if not isinstance(needed, Assignment) and needed not in self.gathered:
            self.gather(needed, evaluations, user)

        return evaluations

    def evaluation_of(self, each: Used) -> Evaluation | None:
        """The reads behind a value, as far as they are known."""
        if isinstance(each, Assignment):
            return self.values.evaluations.get(each)

        return self.gathered.get(each)

    def members_of(self, held: Held, user: Evaluation) -> Iterator[Used]:
        """The values that meet in one."""
        members = (held,) if isinstance(held, Ref) else tuple(expand_if_few(held.held))
        for each in members:
            if not isinstance(each, Ref):
                yield each
                continue

            for ref in self.values.of_triggers(each):
                self.values.settle(ref.assignment, user)
                yield ref.assignment

    def gather(self, held: Held, behind: list[Evaluation], user: Evaluation) -> None:
        """Keep the reads behind a meeting for the next one that has it among its values."""
        if self.values.active or any(each in user.absorbed for each in behind):
            return

        whole = QueryEvaluation(user.catalog, user.reading, user.facts, user.target)
        for each in behind:
            whole.absorb(each)
            if not is_small(whole):
                return

        self.gathered[held] = whole


def is_small(evaluation: Evaluation) -> bool:
    """Whether little was read, so that it can be taken over again and again."""
    count = len(evaluation.datasets_read) + len(evaluation.diagnostics) + len(evaluation.composed)
    count += sum(map(len, evaluation.reads.values())) + len(evaluation.learnt)
    return count <= MOST_READS and len(evaluation.used or ()) <= MOST_NOTED


def note(used: Used, notes: list[Used]) -> None:
    """Note a use, once."""
    if used not in notes:
        notes.append(used)

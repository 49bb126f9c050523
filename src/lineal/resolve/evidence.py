"""Evidence: what statements tell about tables whose columns nobody declares."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from lineal.extract.entries import Definition, State
from lineal.model.edge import Column, Dataset
from lineal.model.names import column_key
from lineal.resolve.boundary import Boundary
from lineal.resolve.catalog import NameCatalog
from lineal.resolve.hooks import EvaluationHooks
from lineal.resolve.versions import forget_states


class Evidence:
    """The columns that statements use, and whose they are."""

    def __init__(self, catalog: NameCatalog, boundary: Boundary, hooks: EvaluationHooks) -> None:
        self.catalog = catalog
        self.boundary = boundary
        self.hooks = hooks
        self.facts = catalog.facts
        self.counts: dict[tuple[Dataset, str], int] | None = None
        """how often each column is certainly used; None until the whole corpus has been read"""
        self.learnt: dict[Dataset, dict[str, str]] | None = None
        """the columns that statements use, by their keys; None until somebody asks"""

    def witness(self, origins: Iterable[Column]) -> tuple[Column, str] | None:
        """Find the one candidate that other statements name with a qualifier.

        x is only used qualified with orders: then an unqualified x is orders' x, too
        """
        if self.counts is None:
            return None

        fold = self.facts.fold
        counts = {
            origin: self.counts.get((origin.dataset, column_key(origin.name, fold)), 0)
            for origin in origins
        }
        speaking = [origin for origin, count in counts.items() if count]
        if len(speaking) != 1:
            return None

        found = speaking[0]
        times = "once" if counts[found] == 1 else f"{counts[found]} times"
        return found, f"`{found.name}` is only used with `{found.dataset}`, {times}"

    def decide(self) -> None:
        """Decide, once the whole corpus is read, which source of several has a column."""
        evaluations = (definition.evaluation for definition in self.catalog.order)
        if not any(each is not None and each.undecided for each in evaluations):
            return

        self.counts = {}
        self.boundary.attempt_each(self.gather_evidence, self.catalog.order)
        again: set[int] = set()
        self.boundary.attempt_each(partial(self.decide_one, again=again), self.catalog.in_order)

    def gather_evidence(self, definition: Definition) -> None:
        """Count the references of a statement that were certain."""
        assert self.counts is not None and definition.evaluation is not None
        fold = self.facts.fold
        for column, count in definition.evaluation.learnt.items():
            place = (column.dataset, column_key(column.name, fold))
            self.counts[place] = self.counts.get(place, 0) + count

    def decide_one(self, definition: Definition, again: set[int]) -> None:
        """Evaluate a statement again if it, or what it reads of its script, was undecided."""
        evaluation = definition.evaluation
        assert evaluation is not None
        if evaluation.undecided or any(id(state) in again for state in evaluation.composed):
            if isinstance(definition.entry, State):
                again.update(map(id, forget_states(definition.entry)))

            self.hooks.evaluate(definition)

    def learnt_columns(self) -> dict[Dataset, dict[str, str]]:
        """Return the columns that use reveals of datasets whose schema is not known."""
        if self.learnt is None:
            self.learnt = {}
            self.boundary.attempt_each(self.learn_columns, self.catalog.order)

        return self.learnt

    def learn_columns(self, definition: Definition) -> None:
        """Note the columns that one statement uses."""
        assert definition.evaluation is not None and self.learnt is not None
        fold = self.facts.fold
        for column in definition.evaluation.learnt:
            self.learnt.setdefault(column.dataset, {}).setdefault(
                column_key(column.name, fold), column.name
            )

"""The output: what all definitions together amount to."""

from __future__ import annotations

from functools import partial
from itertools import chain

from lineal.algebra.edges import name as name_dataset
from lineal.algebra.frame import Frame
from lineal.extract.entries import Definition
from lineal.extract.sql.evaluation import Evaluation
from lineal.model.diagnostic import order_of
from lineal.model.edge import Dataset, Edge, Read
from lineal.model.extraction import Extraction
from lineal.model.job import Job
from lineal.model.statement import Statement
from lineal.model.way import Clause
from lineal.resolve.boundary import Boundary
from lineal.resolve.datasets import DatasetInfos
from lineal.resolve.digests import statements_of
from lineal.resolve.edges import Edges
from lineal.resolve.hooks import OutputHooks
from lineal.resolve.jobs import Jobs, written_by
from lineal.resolve.references import References
from lineal.resolve.stars import Stars
from lineal.resolve.versions import Versions, evaluations_of

ReadKey = tuple[Dataset, Dataset, str | None, Clause]
"""Who reads, what is read, which column of it, and where."""


class Output:
    """Puts the extraction of a corpus together."""

    def __init__(
        self,
        references: References,
        versions: Versions,
        stars: Stars,
        datasets: DatasetInfos,
        boundary: Boundary,
        hooks: OutputHooks,
    ) -> None:
        self.references = references
        self.catalog = references.catalog
        self.versions = versions
        self.stars = stars
        self.datasets = datasets
        self.boundary = boundary
        self.hooks = hooks

    def build(self) -> Extraction:
        """Draw the edges now; reads, datasets, statements and jobs when somebody asks for them."""
        edges = Edges()
        self.versions.show_unread()
        self.boundary.attempt_each(partial(self.collect, edges=edges), self.catalog.order)
        self.stars.settle(edges)
        self.boundary.attempt(self.report_idle_functions, None, "the set of functions")
        return Extraction(
            edges=edges.all(),
            reads=self.reads,
            datasets=self.datasets.all,
            diagnostics=sorted(set(self.boundary.diagnostics), key=order_of),
            coverage=self.boundary.coverage,
            occurrences=self.catalog.corpus.occurrences,
            statements=self.statements,
            jobs=self.jobs,
            failures=self.boundary.failures,
        )

    def report_idle_functions(self) -> None:
        """Report what the project explains of functions and no statement calls."""
        self.boundary.diagnostics.extend(self.references.own_functions.without_effect())

    def collect(self, definition: Definition, edges: Edges) -> None:
        """Add the edges, the diagnostics and the counts of one statement."""
        if definition.failure is not None:
            self.boundary.tell_failure(definition)
            return
        frame, evaluation = definition.frame, definition.evaluation
        assert frame is not None and evaluation is not None
        if not definition.hidden:
            edges.add(definition.target, self.hooks.edges_into(definition, frame))
        self.boundary.diagnostics.extend(evaluation.diagnostics)
        coverage = self.boundary.coverage
        coverage.references += evaluation.references
        coverage.ambiguous += evaluation.ambiguous
        coverage.unresolved += evaluation.unresolved

    def edges_into(self, definition: Definition, frame: Frame) -> list[Edge]:
        """What one statement makes of its sources."""
        fallback = (definition.plan.query or definition.plan.node, None, None, None)
        return name_dataset(frame, definition.target, definition.reading, fallback)

    def reads(self) -> list[Read]:
        """Every name that a statement mentions, once per clause; that a program mentions, once per
        place.
        """
        reads: dict[tuple[object, ...], Read] = {}
        self.boundary.attempt_each(partial(self.add_reads, reads=reads), self.catalog.order)
        return list(reads.values())

    def add_reads(self, definition: Definition, reads: dict[tuple[object, ...], Read]) -> None:
        """Add the names that one statement mentions, and those that made what it reads."""
        if definition.hidden:
            return
        target, place_of = definition.target, definition.reading.place_of
        for evaluation in evaluations_of(definition):
            for dataset, node in evaluation.datasets_read.items():
                key: ReadKey = (target, dataset, None, Clause.FROM)
                if key not in reads:
                    reads[key] = Read(*key, place_of(node))
            if evaluation.further is not None:
                add_places(definition, evaluation, reads)
                continue
            for clause, columns in evaluation.reads.items():
                for column, node in columns.items():
                    key = (target, column.dataset, column.name, clause)
                    if key not in reads:
                        reads[key] = Read(*key, place_of(node))

    def statements(self) -> list[Statement]:
        """What writes each dataset, with digests of what it says."""
        return statements_of(self.references, self.boundary.failures)

    def jobs(self) -> list[Job]:
        """What writes each dataset, with its text."""
        jobs = Jobs()
        self.boundary.attempt_each(
            lambda each: jobs.add(written_by(each)),
            [each for each in self.catalog.order if not each.hidden],
        )
        return jobs.all()


def add_places(
    definition: Definition, evaluation: Evaluation, reads: dict[tuple[object, ...], Read]
) -> None:
    """Every place of a program that names a column, with how it stands there."""
    reading = definition.reading
    first = (
        (clause, *read) for clause, columns in evaluation.reads.items() for read in columns.items()
    )
    for clause, column, node in chain(first, evaluation.further or ()):
        key = (definition.target, column.dataset, column.name, clause, reading.place_of(node))
        if key not in reads:
            reads[key] = Read(*key, *reading.manner(node, column.name))

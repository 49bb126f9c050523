"""The output: what all definitions together amount to."""

from __future__ import annotations

from functools import partial
from itertools import chain

from lineal.algebra.edges import name as name_dataset
from lineal.algebra.frame import Frame
from lineal.extract.entries import Definition
from lineal.extract.sql.evaluation import Evaluation
from lineal.model.boundary import internal_error
from lineal.model.consumers import ONLY_READ
from lineal.model.diagnostic import Code, Diagnostic, order_of, redact_diagnostic
from lineal.model.edge import Dataset, Edge, Read
from lineal.model.extraction import Extraction, Pairs
from lineal.model.job import Job
from lineal.model.limits import Task
from lineal.model.statement import Statement
from lineal.model.way import Clause
from lineal.resolve.boundary import Boundary
from lineal.resolve.datasets import DatasetInfos
from lineal.resolve.digests import statements_of
from lineal.resolve.edges import Edges
from lineal.resolve.hooks import OutputHooks
from lineal.resolve.jobs import Jobs, written_by
from lineal.resolve.references import References
from lineal.resolve.shown import ShownNames
from lineal.resolve.stars import Stars
from lineal.resolve.versions import Versions, evaluations_of

ReadKey = tuple[Dataset, Dataset, str | None, Clause]
"""The reader, the dataset, its column, and the place."""


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
        self.shown = datasets.shown
        self.boundary = boundary
        self.hooks = hooks

    def build(self) -> Extraction:
        """Draw the edges now; reads, datasets, statements and jobs when somebody asks for them."""
        edges = Edges()
        attempt = self.boundary.attempt
        attempt(self.versions.show_unread, None, "the versions that nothing reads")
        attempt(self.shown.settle, None, "the names that are shown")
        self.boundary.attempt_each(partial(self.collect, edges=edges), self.catalog.order)
        attempt(partial(self.stars.settle, edges), None, "the open stars")
        attempt(self.report_idle_functions, None, "the set of functions")
        named = self.named_edges(edges)
        diagnostics = sorted({*map(redact_diagnostic, self.boundary.diagnostics)}, key=order_of)
        self.count_dynamic(diagnostics)
        return Extraction(
            edges=named,
            reads=self.reads,
            datasets=self.datasets.all,
            diagnostics=diagnostics,
            coverage=self.boundary.coverage,
            occurrences=self.catalog.corpus.occurrences,
            statements=self.statements,
            jobs=self.jobs,
            failures=self.boundary.failures,
            read_pairs=self.read_pairs,
        )

    def named_edges(self, edges: Edges) -> list[Edge]:
        """Return all edges with the names that are shown; as statements spell them if that fails."""
        named = edges.all()
        try:
            return self.shown.edges(named)
        except Exception as error:
            self.boundary.lose(internal_error(error, None, "the names of edges"))
            return named

    def count_dynamic(self, diagnostics: list[Diagnostic]) -> None:
        """Count each part of the input that only a run knows as a column that is not resolved, if
        it has not cost a whole statement its result.
        """
        coverage = self.boundary.coverage
        parts = sum(found.code is Code.DYNAMIC for found in diagnostics)
        parts = max(0, parts - coverage.statements.count_of(Code.DYNAMIC.code))
        coverage.columns.count(parts, dynamic=parts)

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
        self.boundary.coverage.columns.count(
            evaluation.references,
            ambiguous=evaluation.ambiguous,
            unresolved=evaluation.unresolved,
        )

    def edges_into(self, definition: Definition, frame: Frame) -> list[Edge]:
        """Return the edges of one statement; a test has none, it only reads."""
        if is_check(definition):
            return []

        target, reading = definition.target, definition.reading
        fallback = (definition.plan.query or definition.plan.node, None, None, None)
        with Task("edges", reading.script.text, target):
            return name_dataset(frame, target, reading, fallback)

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

        shown = self.shown
        target, place_of = shown.dataset(definition.target), definition.reading.place_of
        for evaluation in evaluations_of(definition):
            for dataset, node in evaluation.datasets_read.items():
                key: ReadKey = (target, shown.dataset(dataset), None, Clause.FROM)
                if key not in reads:
                    reads[key] = Read(*key, place_of(node))

            if evaluation.further is not None:
                add_places(definition, evaluation, shown, reads)
                continue

            for clause, columns in evaluation.reads.items():
                for read, node in columns.items():
                    column = shown.column(read) if shown.differ else read
                    key = (target, column.dataset, column.name, clause)
                    if key not in reads:
                        reads[key] = Read(*key, place_of(node))

    def read_pairs(self) -> Pairs:
        """Each dataset with those that its statements mention: reads without columns and places."""
        pairs: Pairs = {}
        self.boundary.attempt_each(partial(self.add_pairs, pairs=pairs), self.catalog.order)
        return pairs

    def add_pairs(self, definition: Definition, pairs: Pairs) -> None:
        """Add the datasets that one statement mentions, and those that made what it reads."""
        if definition.hidden:
            return

        shown = self.shown.dataset
        target = shown(definition.target)
        for evaluation in evaluations_of(definition):
            for dataset in evaluation.datasets_read:
                pairs[target, shown(dataset)] = None

            for columns in evaluation.reads.values():
                for column in columns:
                    pairs[target, shown(column.dataset)] = None

            for _, column, _ in evaluation.further or ():
                pairs[target, shown(column.dataset)] = None

    def statements(self) -> list[Statement]:
        """Return the statements that write each dataset, with their digests."""
        return statements_of(self.references, self.boundary.failures, self.shown.dataset)

    def jobs(self) -> list[Job]:
        """Return the jobs that write each dataset, with their texts."""
        jobs = Jobs()
        self.boundary.attempt_each(
            lambda each: jobs.add(written_by(each, self.shown.dataset(each.target))),
            [each for each in self.catalog.order if not each.hidden and not is_check(each)],
        )
        return jobs.all()


def is_check(definition: Definition) -> bool:
    """Tell whether a definition only reads, as a test does: no job writes it."""
    return definition.plan.kind in ONLY_READ or definition.entry.kind in ONLY_READ


def add_places(
    definition: Definition,
    evaluation: Evaluation,
    shown: ShownNames,
    reads: dict[tuple[object, ...], Read],
) -> None:
    """Add every place of a program that names a column, with the clause that it is in."""
    reading = definition.reading
    first = (
        (clause, *read) for clause, columns in evaluation.reads.items() for read in columns.items()
    )
    target = shown.dataset(definition.target)
    for clause, read, node in chain(first, evaluation.further or ()):
        column = shown.column(read)
        key = (target, column.dataset, column.name, clause, reading.place_of(node))
        if key not in reads:
            reads[key] = Read(*key, *reading.manner(node, read.name))

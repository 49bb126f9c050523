"""Definitions: a name is resolved by evaluating its definition first, whatever order the statements
came in.

The work is done by the parts (see `lineal.resolve`); this module puts them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lineal.algebra.frame import Frame
from lineal.extract.entries import Definition, Entry
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.parse import allow_deep_calls
from lineal.extract.sql.reading import Reading
from lineal.model.boundary import Passing, culprits, internal_error, is_debugging
from lineal.model.collector import without_collector
from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import Extraction
from lineal.model.ledger import Statements
from lineal.model.script import Corpus, Script
from lineal.model.way import Way
from lineal.resolve.boundary import Boundary
from lineal.resolve.catalog import NameCatalog
from lineal.resolve.datasets import DatasetInfos
from lineal.resolve.edges import Edges
from lineal.resolve.evaluator import Evaluator
from lineal.resolve.evidence import Evidence
from lineal.resolve.frames import StatementFrames
from lineal.resolve.gathering import Gatherer
from lineal.resolve.nearest import read_by_nearest_grammar
from lineal.resolve.output import Output
from lineal.resolve.packages import announce_packages
from lineal.resolve.progress import Progress
from lineal.resolve.references import References
from lineal.resolve.routines import Routines
from lineal.resolve.schemas import Schemas
from lineal.resolve.scripts import Prepared, ScriptReader
from lineal.resolve.stars import Stars
from lineal.resolve.types import Types
from lineal.resolve.versions import Versions


class Definitions:
    """Every name of a corpus, evaluated on first use and remembered.

    A subclass may take the steps that `lineal.resolve.hooks` names in its own way.
    """

    def __init__(self, corpus: Corpus) -> None:
        corpus = announce_packages(read_by_nearest_grammar(corpus))
        self.corpus = corpus
        self.boundary = Boundary(corpus)
        self.catalog = NameCatalog(corpus, self.boundary)
        self.schemas = Schemas(self.catalog, self.boundary, self)
        self.routines = Routines(self.catalog, self.boundary)
        self.evidence = Evidence(self.catalog, self.boundary, self)
        self.references = References(self.catalog, self.schemas, self.routines, self.evidence, self)
        self.frames = StatementFrames(self.references, self)
        self.evaluator = Evaluator(self.references, self.evidence, self.boundary, self)
        self.reader = ScriptReader(self.catalog, self.routines, self.boundary, self)
        self.versions = Versions(self.catalog, self.schemas, self.boundary)
        self.gatherer = Gatherer(self.catalog, self.versions, self.routines, self.boundary, self)
        self.datasets = DatasetInfos(
            self.catalog, self.schemas, self.build_types(), self.evidence, self.boundary
        )
        self.stars = Stars(self.catalog, self.evidence, self.boundary, self.datasets.shown, self)
        self.output = Output(
            self.references, self.versions, self.stars, self.datasets, self.boundary, self
        )
        self.parts = (
            self.boundary, self.catalog, self.schemas, self.routines, self.evidence,
            self.references, self.frames, self.evaluator, self.reader, self.versions,
            self.gatherer, self.stars, self.datasets, self.output,
        )  # fmt: skip
        # what callers ask for most
        self.facts = self.catalog.facts
        self.entries = self.catalog.entries
        self.order = self.catalog.order
        self.created = self.catalog.created
        self.naming = self.catalog.naming
        self.routines_read = self.routines.read
        self.programs: dict[str, int] = {}
        """the entry points among the Python files, and how often each of them writes"""
        self.gaps: dict[Dataset, set[Diagnostic]] = {}
        """the places on the way to what a program writes of which only a run knows what they do"""
        self.unread: list[Diagnostic] = []
        """the places of programs that may write something of which the text does not tell"""
        self.written_surely: set[Dataset] = set()
        """the tables that programs write outside branches"""

    def build_types(self) -> Types:
        """Make what works out the types of columns."""
        return Types(self.catalog, self.schemas, self.boundary)

    def extract(self, progress: Progress | None = None) -> Extraction:
        """Read the corpus, evaluate its definitions, and build the extraction."""
        with allow_deep_calls(), without_collector():
            self.gather_definitions()
            self.evaluator.follow(progress)
            attempt = self.boundary.attempt
            attempt(self.routines.report_unknown_calls, None, "the calls of routines")
            self.evaluator.evaluate_all(self.catalog.in_order)
            attempt(self.evidence.decide, None, "the evidence about columns")
            found = self.output.build()
            self.show_names()
            return found

    def show_names(self) -> None:
        """Key the gaps and the certain targets of programs by the names that are shown."""
        shown = self.output.shown.dataset
        try:
            self.gaps = {shown(target): gaps for target, gaps in self.gaps.items()}
            self.written_surely = set(map(shown, self.written_surely))
        except Exception as error:
            self.boundary.failures.add(error, None, "shown", "the names that programs write")

    def gather_definitions(self) -> None:
        """Fill the catalog; programs come last, since they ask for what the statements define."""
        self.gatherer.gather()
        programs = self.corpus.programs
        if programs:
            at = Place(programs[0].file, programs[0].line, 1)
            work = partial(self.define_programs, programs)
            self.boundary.attempt(work, at, "this program", len(programs))

    def define_programs(self, programs: list[Script]) -> None:
        """Add what programs write; those over which that fails are left out, and reported."""
        # most projects have none, and the front end is large
        from lineal.resolve.programs import define

        said = len(self.boundary.diagnostics)
        try:
            define(self, programs)
        except Exception as error:
            guilty = [] if isinstance(error, Passing) or is_debugging() else self.guilty(programs)
            if not guilty:
                raise

            del self.boundary.diagnostics[said:]
            for script, why in guilty:
                at = Place(script.file, script.line, 1)
                self.boundary.lose(internal_error(why, at, "this program"))

            left_out = {id(script) for script, _ in guilty}
            define(self, [script for script in programs if id(script) not in left_out])

    def guilty(self, programs: list[Script]) -> list[tuple[Script, Exception]]:
        """Return the programs that cannot be defined even alone, each with its error."""
        from lineal.resolve.programs import define

        def define_apart(some: Sequence[Script]) -> None:
            """Define some scripts apart from the others."""
            apart = replace(self.corpus, scripts=list(some), diagnostics=[])
            define(Definitions(apart), list(some))

        return culprits(programs, define_apart)

    def entry_of(self, dataset: Dataset) -> Entry | None:
        """The entry of a dataset; None for one that nothing mentions."""
        return self.catalog.entry_of(dataset)

    def let_go(self) -> None:
        """Cut the circles between the parts: all that they hold goes at once."""
        for part in self.parts:
            vars(part).clear()

        vars(self).clear()

    # -- the steps that a subclass may take in its own way -----------------------------------------

    def prepare(self, script: Script) -> Prepared:
        """Read a script, and plan its statements."""
        return self.reader.prepare(script)

    def parse(self, reading: Reading) -> list[Any]:
        """Parse a script into trees, one for each statement."""
        return self.reader.parse(reading)

    def fail_script(self, reading: Reading, error: Exception, before: Statements) -> None:
        """Report that a script cannot be read at all."""
        self.reader.fail_script(reading, error, before)

    def evaluate(self, definition: Definition) -> Frame:
        """Evaluate a definition, and what it reads before it."""
        return self.evaluator.evaluate(definition)

    def frame_of(self, definition: Definition, evaluation: Evaluation) -> Frame:
        """Work out what a statement writes."""
        return self.frames.frame_of(definition, evaluation)

    def target_columns(self, definition: Definition) -> list[tuple[str, str]]:
        """Name the columns of the target that a statement writes by position."""
        return self.schemas.target_columns(definition)

    def give_up(self, definition: Definition, error: Exception) -> None:
        """Leave a statement without a result."""
        self.evaluator.give_up(definition, error)

    def edges_into(self, definition: Definition, frame: Frame) -> list[Edge]:
        """Draw the edges into the target of one statement."""
        return self.output.edges_into(definition, frame)

    def add_closing(
        self, origin: Column, way: Way, target: Column, definition: Definition, edges: Edges
    ) -> None:
        """Draw the edge of a column that passes through an open star."""
        self.stars.add_closing(origin, way, target, definition, edges)

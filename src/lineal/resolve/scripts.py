"""Scripts: from a text to the steps that its statements take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.extract.sql.dialects import Facts, facts_of
from lineal.extract.sql.expansions import reading_of
from lineal.extract.sql.parse import parse
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.statements.families import plan_of
from lineal.extract.sql.statements.steps import Plan, Shown, Step, Unsupported, Using
from lineal.model.boundary import FAILED
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.ledger import Statements
from lineal.model.script import Script
from lineal.resolve.boundary import Boundary, failure_of, untraced_statement
from lineal.resolve.catalog import NameCatalog
from lineal.resolve.hooks import ReadingHooks
from lineal.resolve.naming import Naming
from lineal.resolve.routines import Routines

MANY = 500
"""Scripts of a corpus whose words do not stay in memory: they take as much as half of the trees."""
NAMED = (exp.Alias, exp.Column, exp.Star)
"""Items of a SELECT list that have a name; others may be named by their words."""


class Prepared(NamedTuple):
    """A script whose statements are parsed, and known for what they do."""

    reading: Reading
    facts: Facts
    steps: list[tuple[Step, Naming | None]]
    plain: bool = True
    """no statement says what the others' names mean"""


class ScriptReader:
    """Parses scripts, and plans their statements."""

    def __init__(
        self, catalog: NameCatalog, routines: Routines, boundary: Boundary, hooks: ReadingHooks
    ) -> None:
        self.catalog = catalog
        self.routines = routines
        self.boundary = boundary
        self.hooks = hooks

    def prepare(self, script: Script) -> Prepared:
        """The steps of a script, each with what names without a schema mean there; none, if it
        cannot be read.
        """
        reading = reading_of(script, self.boundary.failures)
        facts = facts_of(script.dialect)
        before = self.boundary.coverage.statements.copy()
        try:
            prepared = self.read_steps(reading, facts)
            if len(self.catalog.corpus.scripts) > MANY and not needs_words(prepared):
                reading.forget_words()

            return prepared
        except Exception as error:
            self.hooks.fail_script(reading, error, before)
            return Prepared(reading, facts, [], False)

    def fail_script(self, reading: Reading, error: Exception, before: Statements) -> None:
        """A script cannot be read: its statements, as far as they were counted by then, have no
        result.
        """
        script, coverage = reading.script, self.boundary.coverage
        statements = max(1, coverage.statements.found - before.found)
        before.found += statements
        coverage.statements = before
        reading.fail(error, Place(script.file, script.line, 1), statements, "this script")

    def read_steps(self, reading: Reading, facts: Facts) -> Prepared:
        """Return the steps of a script; USE and names for existing datasets are handled here."""
        naming = self.catalog.naming.within(reading.script)
        steps: list[tuple[Step, Naming | None]] = []
        plain = True
        for step in self.steps_of(reading, facts, steps):
            try:
                if isinstance(step, Using):
                    naming = naming.using(step)
                    plain = False
                elif isinstance(step, Shown):
                    self.catalog.shown[step.key] = (step.of_key, step.of_name)
                    plain = False
                else:
                    own = naming.around(step, facts)
                    steps.append((self.fully_named(step, own), own if own.speaks else None))
            except Exception as error:
                reading.fail(error, reading.statement_near(getattr(step, "node", None)))

        return Prepared(reading, facts, steps, plain)

    def fully_named(self, step: Step, naming: Naming) -> Step:
        """A step with the full name of what it defines."""
        if naming.speaks and isinstance(step, Plan) and step.defines and step.name:
            step.name, step.key = naming.name_created(step.name, step.key)
            self.catalog.note_short_names(step, naming)

        return step

    def steps_of(
        self, reading: Reading, facts: Facts, before: Sequence[Any] = ()
    ) -> Iterator[Step]:
        """Return the steps of each statement; one that cannot be traced is reported and costs only
        itself.

        A statement counts as evaluated, unless something fails over it.
        """
        for tree in self.hooks.parse(reading):
            try:
                found = plan_of(tree, facts)
                if found is not Unsupported and reading.found is not None:
                    found = reading.found.place(tree, found, len(before))
            except Exception as error:
                failure = failure_of(error, tree, reading)
                self.boundary.failures.report(failure, (id(reading), failure.place))
                continue

            if found is Unsupported:
                untraced = untraced_statement(tree, reading)
                self.boundary.coverage.fail(untraced.code.code)
                self.boundary.report(untraced)
            elif isinstance(found, list):
                yield from found
            elif found is not None:
                assert not isinstance(found, type)
                yield found

    def parse(self, reading: Reading) -> list[Any]:
        """Parse a script, and count its statements; what does not parse is reported."""
        trees, statements, diagnostics = parse(reading)
        counts = self.boundary.coverage.statements
        counts.found += statements
        counts.lose_some("parsed", reasons_unparsed(diagnostics), statements - len(trees))
        self.boundary.diagnostics.extend(diagnostics)
        if reading.found is not None:
            self.routines.add_script(reading, reading.found)

        return trees


UNPARSED = (*FAILED, Code.TOO_DEEP, Code.PARSE_ERROR, Code.DYNAMIC)
"""Why a statement has no tree, the gravest reason first."""


def reasons_unparsed(diagnostics: list[Diagnostic]) -> list[str]:
    """List the reasons for which statements of a script may have no tree, the gravest first."""
    found = [each.code for each in diagnostics if each.code in UNPARSED]
    return [code.code for code in sorted(found, key=UNPARSED.index)]


def needs_words(prepared: Prepared) -> bool:
    """Tell whether the words of a script are needed soon: those of a procedure, of a text without
    a name, and of an expression without an alias.
    """
    reading = prepared.reading
    if reading.found is not None or not (reading.script.file or reading.script.target):
        return True

    return any(
        map(has_unnamed, (step.query for step, _ in prepared.steps if isinstance(step, Plan)))
    )


def has_unnamed(query: Any) -> bool:
    """SELECT sum(a) FROM t"""
    return isinstance(query, exp.Query) and any(
        not isinstance(item, NAMED) for item in query.selects
    )

"""The boundary of an extraction: what failed, and how much of the text was read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlglot import exp

from lineal.extract.entries import Definition
from lineal.extract.sql.placeholders import is_open_name
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.trees import MISNAMED, find_bad_name, nests_deeply
from lineal.model.boundary import Failures, internal_error, internal_errors
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.ledger import Coverage
from lineal.model.limits import Task
from lineal.model.script import Corpus


class Boundary:
    """The diagnostics and the coverage of a corpus; the failure of one statement stays its own."""

    def __init__(self, corpus: Corpus) -> None:
        self.diagnostics: list[Diagnostic] = list(corpus.diagnostics)
        self.coverage = Coverage(corpus.files.chain())
        for found in internal_errors(corpus.diagnostics):
            if found.place is None or not corpus.files.has_lost(found.place.file):
                self.coverage.miss(found.code.code)

        rows = sum(found.code is Code.LOG_ROW for found in corpus.diagnostics)
        self.coverage.miss(Code.LOG_ROW.code, rows)
        self.failures = Failures()
        self.failures.follow(self.diagnostics, self.coverage)

    def report(self, diagnostic: Diagnostic) -> None:
        """Add a diagnostic."""
        self.diagnostics.append(diagnostic)

    def lose(self, diagnostic: Diagnostic) -> None:
        """Something was not read at all, for the reason that a diagnostic tells."""
        self.report(diagnostic)
        self.coverage.miss(diagnostic.code.code)

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Do some work a second time: what it reports and counts is known already."""
        diagnostics, coverage = self.diagnostics, self.coverage
        self.diagnostics, self.coverage = [], Coverage()
        try:
            yield
        finally:
            self.diagnostics, self.coverage = diagnostics, coverage

    def attempt(
        self, work: Callable[[], object], place: Place | None, what: str, statements: int = 1
    ) -> None:
        """Some work that belongs to no statement; if it fails, that counts as so many that were not
        read.
        """
        try:
            with Task(what, place):
                work()
        except Exception as error:
            self.lose(internal_error(error, place, what))
            self.coverage.miss(Code.INTERNAL_ERROR.code, statements - 1)

    def attempt_each(
        self, work: Callable[[Definition], object], definitions: Iterable[Definition]
    ) -> None:
        """Some work for each statement; the failure of one does not keep the others from it."""
        for definition in definitions:
            try:
                work(definition)
            except Exception as error:
                self.fail(definition, error)

    def fail(self, definition: Definition, error: Exception) -> None:
        """A part of a result failed, after others may have used the rest: the statement counts as
        not resolved.
        """
        node = definition.plan.node
        definition.failure = failure_of(error, node, definition.reading)
        self.tell_failure(definition)

    def tell_failure(self, definition: Definition) -> None:
        """Report the failure of a statement."""
        failure = definition.failure
        assert failure is not None
        self.failures.report(failure, (id(definition.reading), failure.place))


def failure_of(error: Exception, tree: object, reading: Reading) -> Diagnostic:
    """Why a statement has no result: it nests too deeply, gives a value as a name, or lineal fails
    over it.
    """
    place = reading.statement_near(tree)
    with suppress(Exception):  # a tree that is odd enough for one failure may cause another
        if isinstance(error, RecursionError):
            if nests_deeply(tree):
                return Diagnostic(Code.TOO_DEEP, "the statement nests too deeply", place)
        elif (node := find_bad_name(tree)) is not None:
            return Diagnostic(Code.PARSE_ERROR, MISNAMED, reading.place_of(node) or place)

    return internal_error(error, place)


def untraced_statement(tree: object, reading: Reading) -> Diagnostic:
    """Report a tree that lineal does not trace; an expression without a statement is a
    parse error.
    """
    at = place_of_statement(reading, tree)
    if isinstance(tree, exp.Column) and is_open_name(tree.this):
        message = f"{tree.name} was not rendered: the statement is not read"
        return Diagnostic(Code.DYNAMIC, message, at)

    if isinstance(tree, (exp.Condition, exp.Alias, exp.Tuple)):
        return Diagnostic(Code.PARSE_ERROR, "this is not a statement", at)

    return Diagnostic(Code.UNSUPPORTED_STATEMENT, f"{statement_name(tree)} is not traced", at)


def statement_name(tree: Any) -> str:
    """Return the words by which a message calls a statement.

    CREATE RULE …, ALTER …, MERGE      how a message calls a statement
    """
    if isinstance(tree, exp.Command):
        kind = KIND.match(str(tree.args.get("expression") or ""))
        words = [str(tree.this).upper(), *([kind[1].upper()] if kind else []), "…"]
        return " ".join(words)

    return str(tree.key).upper()


KIND = re.compile(r"\s*(?:OR\s+(?:REPLACE|ALTER)\s+)?([A-Z_]{2,30})\b", re.IGNORECASE)
"""The word behind CREATE or ALTER."""


def place_of_statement(reading: Reading, node: object) -> Place | None:
    """Find where a statement starts; None for one without a tree."""
    return reading.place_of_statement(node) if node is not None else None

"""The boundary: a failure inside lineal costs one statement or file its result, and nothing else.

    try:
        frame = self.frame_of(definition, evaluation)
    except Exception as error:
        failures.add(error, place, statement)

Every path that reads, renders, parses, plans, evaluates, looks up places or draws edges ends here
when it fails:
`internal_error` makes a diagnostic of the exception, and raises it again in two cases. A `Passing`
exception is a message to a caller, such as a mistake in what was asked. With LINEAL_DEBUG=1 nothing
is contained.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.limits import LimitExceeded, Task

if TYPE_CHECKING:
    from lineal.model.ledger import Coverage

DEBUG = "LINEAL_DEBUG"
"""The variable that makes every failure a traceback."""

LONGEST_MESSAGE = 200
STEPS_NAMED = 8
"""The innermost calls of a traceback that its name is made of."""

FAILED = (Code.INTERNAL_ERROR, Code.LIMIT_EXCEEDED)
"""The codes of statements that have no result because of lineal."""

Item = TypeVar("Item")
Made = TypeVar("Made")
Report = Callable[[Diagnostic], object]


class Passing(Exception):
    """An exception that is a message to a caller and no failure: it passes every boundary."""


def is_debugging() -> bool:
    """Tell whether failures are raised instead of contained."""
    return bool(os.environ.get(DEBUG))


def let_pass(error: Exception) -> None:
    """Raise an error again that no boundary may hold: a limit of the run, or any when debugging."""
    if isinstance(error, Passing) or is_debugging():
        raise error


def internal_error(
    error: Exception, place: Place | None, what: str = "this statement"
) -> Diagnostic:
    """The diagnostic of a failure inside lineal; raises the error again if no boundary may hold it."""
    if isinstance(error, LimitExceeded):
        return Diagnostic(Code.LIMIT_EXCEEDED, f"{what} {error}", place)

    let_pass(error)
    message = f"lineal failed on {what}: {describe_error(error)} (trace {trace_id(error)})"
    return Diagnostic(Code.INTERNAL_ERROR, message, place)


def describe_error(error: BaseException) -> str:
    """The type of an exception and what it says, on one line."""
    try:
        said = " ".join(str(error).split())
    except Exception:
        said = ""

    name = type(error).__name__
    return f"{name}: {said[:LONGEST_MESSAGE]}" if said else name


def trace_id(error: BaseException) -> str:
    """Eight digits that name the calls which led to an error: one defect has one name, on every
    machine.
    """
    steps = islice(_distinct_steps(error), STEPS_NAMED)
    named = "\n".join((type(error).__name__, *steps))
    return hashlib.blake2b(named.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _distinct_steps(error: BaseException) -> Iterable[str]:
    """The calls of a traceback, from the innermost outwards; a recursion counts once."""
    steps = []
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        steps.append(
            f"{frame.f_globals.get('__name__')}:{frame.f_code.co_qualname}:{trace.tb_lineno}"
        )
        trace = trace.tb_next

    return dict.fromkeys(reversed(steps))


def raised_in(error: BaseException, package: str) -> bool:
    """Tell whether an exception was raised by a library, rather than by its caller."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next

    if trace is None:
        return False

    inside = str(trace.tb_frame.f_globals.get("__name__") or "")
    return inside.partition(".")[0] == package


def internal_errors(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics of work that failed inside lineal or was given up."""
    return [found for found in diagnostics if found.code in FAILED]


def told_by_all(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics that every command shows: failures, and an input without anything to
    read.
    """
    return [found for found in diagnostics if found.code in FAILED or found.code is Code.NO_INPUT]


def attempt(
    work: Callable[[], Made], otherwise: Made, place: Place | None, report: Report, what: str
) -> Made:
    """Return the result of some work; if it fails, report a diagnostic and return the fallback."""
    try:
        with Task(what, place):
            return work()
    except Exception as error:
        report(internal_error(error, place, what))
        return otherwise


def attempt_each(
    items: Iterable[Item],
    work: Callable[[Item], Made | None],
    place_of: Callable[[Item], Place | None],
    report: Report,
    what: str,
) -> Iterator[Made]:
    """Return the results of some work for each item, without empty results and without items that
    fail.
    """
    for item in items:
        try:
            with Task(what, place_of(item)):
                made = work(item)
        except Exception as error:
            report(internal_error(error, place_of(item), what))
            continue

        if made is not None:
            yield made


class Failures:
    """The failures of one extraction, later lookups included.

    Each statement is reported once, and counts as not resolved in every ledger that follows.
    """

    def __init__(self) -> None:
        self.count = 0
        self.left_out: set[Hashable] = set()
        """the datasets of which nobody can show how they are made"""
        self.unseen: set[Hashable] = set()
        """the datasets of which nobody can show anything"""
        self._reports: list[list[Diagnostic]] = []
        self._coverages: list[Coverage] = []
        self._known: set[Hashable] = set()

    def follow(self, diagnostics: list[Diagnostic], coverage: Coverage) -> None:
        """Tell these of every failure from now on."""
        if not any(held is diagnostics for held in self._reports):
            self._reports.append(diagnostics)

        if not any(held is coverage for held in self._coverages):
            self._coverages.append(coverage)

    def add(
        self,
        error: Exception,
        place: Place | None,
        key: Hashable,
        what: str = "this statement",
        statements: int = 1,
    ) -> None:
        """Add the failure of a statement, or of so many of a script; later failures of it are not
        reported.
        """
        self.report(internal_error(error, place, what), key, statements)

    def report(self, diagnostic: Diagnostic, key: Hashable, statements: int = 1) -> None:
        """A statement has no result, for the reason that a diagnostic tells."""
        if key in self._known:
            return

        self._known.add(key)
        self.count += 1
        for report in self._reports:
            report.append(diagnostic)

        for coverage in self._coverages:
            coverage.fail(diagnostic.code.code, statements)


# -- what fails as a whole -------------------------------------------------------------------------


def culprits(
    items: Sequence[Item], work: Callable[[Sequence[Item]], object]
) -> list[tuple[Item, Exception]]:
    """The items over which some work fails, each with its error: found by halves, since most are
    sound.

    An item is guilty if the work fails over it alone. A failure that needs several items together
    finds none.
    """
    error = _error_of(work, items)
    if error is None or not items:
        return []

    if len(items) == 1:
        return [(items[0], error)]

    middle = len(items) // 2
    return [*culprits(items[:middle], work), *culprits(items[middle:], work)]


def _error_of(work: Callable[[Sequence[Item]], object], items: Sequence[Item]) -> Exception | None:
    """Return the error that the work raises on some items; None if it raises none."""
    try:
        work(items)
    except Passing:
        return None
    except Exception as error:
        return error

    return None

"""Draw a number of examples of a strategy from a seed, and shrink one that fails.

    draw_examples(spark_statements(), seed=7, count=300)       the same 300 statements every time
    shrink_example(spark_statements(), 7, 300, disagrees)      the smallest one that still disagrees

Tests that judge many examples at once (a Spark session, a database) draw them first. A failure then
draws them again with the same seed, and Hypothesis makes the failing one smaller.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

Thing = TypeVar("Thing")

FRESH_EXAMPLES = int(os.environ.get("LINEAL_EXAMPLES") or 0)
"""How many new examples of each law are asked for; 0 draws the same ones on every run."""


def draw_examples(strategy: SearchStrategy[Thing], number: int, count: int) -> list[Thing]:
    """Return as many examples as asked for; the same seed gives the same ones."""
    found: list[Thing] = []
    visit_examples(strategy, number, count, (Phase.generate,), found.append)
    return found


def shrink_example(
    strategy: SearchStrategy[Thing], number: int, count: int, fails: Callable[[Thing], bool]
) -> Thing | None:
    """Return the smallest example that Hypothesis finds to fail, from the same seed."""
    smallest: list[Thing] = []

    def check(thing: Thing) -> None:
        if fails(thing):
            smallest[:] = [thing]
            raise AssertionError("the example fails")

    with contextlib.suppress(AssertionError, Flaky):
        visit_examples(strategy, number, count, (Phase.generate, Phase.shrink), check)
    return smallest[0] if smallest else None


def fixed_examples(count: int) -> settings:
    """Return settings of a test that draws the same examples on every run.

    LINEAL_EXAMPLES=2000 asks for new ones; `--hypothesis-seed=7` draws those of a failure again.
    """
    return settings(
        max_examples=FRESH_EXAMPLES or count,
        derandomize=not FRESH_EXAMPLES,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


def visit_examples(
    strategy: SearchStrategy[Thing],
    number: int | str,
    count: int,
    phases: tuple[Phase, ...],
    visit: Callable[[Thing], object],
) -> None:
    """Hand a function the examples that a seed draws."""
    rules = settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
    )

    def each(thing: Thing) -> None:
        visit(thing)

    seed(number)(rules(given(thing=strategy)(each)))()

"""Loops over numbers: they end early when their rounds change nothing but plain values.

    for epoch in range(1000):
        loss = step(batch)
        history.append(loss)

A plain value has nothing to do with columns: a number, None, or one that only a run knows. What the
rounds that are left would do follows from those that were followed: plain values become unknown, and
lists grow by the same items. A round that reads, writes or reports something is followed, and so are
those until every test of a number came out both ways.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from lineal.extract.pyspark.repetition import FIRST_WATCHED, STABLE_ROUNDS, is_same
from lineal.extract.pyspark.run import NumberTest, Run
from lineal.extract.pyspark.values import Pattern, Unknown, Value
from lineal.model.sequences import instances

FEWEST_NUMBERS = FIRST_WATCHED + STABLE_ROUNDS + 2
"""A loop over fewer numbers is followed to its end."""

COUNTED = "a value that a loop changes"
EITHER_WAY = {True, False}
NOTHING = "nothing"


def only_counts(node: ast.For | ast.AsyncFor) -> bool:
    """Tell whether the body of a loop over numbers never asks for the number.

    for _ in range(1000): cursor.execute("INSERT …")
    """
    if not isinstance(node.target, ast.Name):
        return False

    named = instances(ast.walk(node), ast.Name)
    return [each.id for each in named].count(node.target.id) == 1


def is_number(held: Value) -> bool:
    """Tell whether a value is a number; True and False do not count."""
    return isinstance(held, (int, float)) and not isinstance(held, bool)


class NumberRounds:
    """The rounds of a loop over numbers, and what they change."""

    def __init__(self, run: Run, only_counts: bool) -> None:
        """Start with the first round; rounds that never ask for their number may write and read."""
        self.run = run
        self.traces_of = targets_since if only_counts else traces_since
        self.number = 0
        self.stable = 0
        self.asked: dict[int, set[NumberTest]] = {}
        """the tests of numbers in the last round: the node, the numbers and the results"""
        self.varying: set[int] = set()
        """the tests that do not ask for the same numbers in each round"""
        self.outcomes: dict[int, set[bool]] = {}
        """the results of tests since the rounds are stable"""
        self.depth = self.watched = self.since = 0
        self.widened = run.widened
        """how many expressions had become too large before the loop"""
        self.before = count_traces(run)
        self.traces: object = None
        """what the last round has read, written and reported"""
        self.changed: list[tuple[Value, Value]] = []
        """the containers that the last round changed, as they are and as they were before it"""

    def begin(self) -> None:
        """Begin a round."""
        self.number += 1
        self.run.round += 1
        self.since = self.run.round
        if self.number <= FIRST_WATCHED:
            return

        run = self.run
        self.before = count_traces(run)
        self.depth, self.watched = len(run.tests), run.watched
        run.tests.append({})
        run.begin()
        run.watched += 1

    def end(self) -> bool:
        """End a round; return whether those that follow would do the same again."""
        if self.number <= FIRST_WATCHED:
            return False

        run = self.run
        journal = run.journals[-1] if run.journals else {}
        self.changed = [each for each in journal.values() if not run.is_young(each[0], self.since)]
        run.keep()
        run.watched = self.watched
        before, self.asked = self.asked, run.tests[self.depth]
        del run.tests[self.depth :]
        if self.number > FIRST_WATCHED + 1:
            changed = (node for node, seen in self.asked.items() if before.get(node) != seen)
            self.varying.update(changed)

        traces, self.traces = self.traces, self.traces_of(run, self.before)
        is_stable = self.traces in (traces, NOTHING) and self.adds_nothing()
        self.count_round(is_stable)
        return self.stable >= STABLE_ROUNDS and all(
            self.outcomes.get(node, EITHER_WAY) == EITHER_WAY for node in self.varying
        )

    def adds_nothing(self) -> bool:
        """Tell whether the last round adds nothing to the values; it cannot add to an expression
        that has become too large to be followed, which is reported.
        """
        if self.run.widened != self.widened:
            return True

        return all(repeats(old, container) for container, old in self.changed)

    def count_round(self, is_stable: bool) -> None:
        """Count a round that changes nothing but plain values, with the results of its tests."""
        if not is_stable:
            self.stable = 0
            self.outcomes = {}
            return

        self.stable += 1
        for node, seen in self.asked.items():
            self.outcomes.setdefault(node, set()).update(outcome for _, outcome in seen)

    def leave(self, left: int) -> None:
        """Do what the rounds that are left would do: plain values change, and lists grow."""
        for container, before in self.changed:
            self.run.touch(container)
            forget_changes(container, before)
            if isinstance(container, list):
                container.extend(container[len(before) :] * left)


class Traces(NamedTuple):
    """How much a run has read, written and reported so far."""

    writes: int
    queries: int
    scans: int
    unread: int
    diagnostics: int


def count_traces(run: Run) -> Traces:
    """Return how much a run has read, written and reported so far."""
    return Traces(
        len(run.writes), len(run.queries), run.scans, run.left_unread, len(run.diagnostics)
    )


def traces_since(run: Run, before: Traces) -> object:
    """Return what a round has left; two rounds that left anything are never the same."""
    return NOTHING if count_traces(run) == before else object()


def targets_since(run: Run, before: Traces) -> object:
    """Return the names that a round has written, and the number of its reports."""
    written = {(each.name, each.kind) for each in run.writes[before.writes :]}
    told = len(run.diagnostics) - before.diagnostics
    return (written, told) if written or told else NOTHING


def note_test(run: Run, node: ast.AST, outcome: Value, *held: Value) -> None:
    """Note a test of numbers that was decided, if a loop over numbers is watched."""
    if not run.tests or not isinstance(outcome, bool) or not any(map(is_number, held)):
        return

    numbers = tuple(each if is_number(each) else id(each) for each in held)
    for tests in run.tests:
        tests.setdefault(id(node), set()).add((numbers, outcome))


def repeats(before: Value, after: Value) -> bool:
    """Tell whether a round changed nothing but plain values in a container, and made a list longer
    by what it had at its end.
    """
    if isinstance(after, dict):
        return all(
            is_repeated(before.get(key), after.get(key)) for key in before.keys() | after.keys()
        )

    if not isinstance(after, list):
        return bool(before == after)

    more = after[len(before) :]
    if len(after) < len(before) or len(more) > len(before):
        return False

    grown = zip(before[len(before) - len(more) :], more, strict=True)
    return all(map(is_repeated, before, after)) and all(
        is_same(one, other, exactly=True) for one, other in grown
    )


def is_repeated(before: Value, after: Value) -> bool:
    """Tell whether a value is what it was, or plain as it was."""
    return (is_plain(before) and is_plain(after)) or is_same(before, after, exactly=True)


def is_plain(held: Value) -> bool:
    """Tell whether a value is a number, nothing, or unknown without a column behind it."""
    if isinstance(held, Unknown):
        return held.collected is None and not held.inputs

    if isinstance(held, Pattern):
        return not held.values

    return held is None or is_number(held)


def forget_changes(container: Value, before: Value) -> None:
    """Make the plain values unknown that a round has changed."""
    for place, old, held in places_of(container, before):
        if is_plain(held) and not is_same(old, held, exactly=True):
            container[place] = Unknown(str(place), COUNTED)


def places_of(container: Value, before: Value) -> Iterator[tuple[Value, Value, Value]]:
    """Yield the keys of a container, with the values of before and now."""
    if isinstance(container, dict):
        for key in before.keys() & container.keys():
            yield key, before[key], container[key]
    elif isinstance(container, list):
        for place, old in enumerate(before):
            yield place, old, container[place]

"""Rounds of mutants: drawn by Hypothesis from a seed, judged, and shrunk where something is wrong."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from hypothesis import Phase
from hypothesis.errors import Flaky

from fuzz.mutants import Mutant, mutants
from fuzz.verdicts import Bench, Finding
from generators.rounds import visit_examples

MOST_TRIES = 400
"""How often a text is read again while it is made smaller."""


class Found(NamedTuple):
    """A finding, the mutant that shows it, and the smallest text that does."""

    finding: Finding
    mutant: Mutant
    trace: str = ""


@dataclass
class Round:
    """The mutants of one format that one seed draws."""

    format: str
    seed: str
    count: int
    read: int = 0
    found: dict[str, Found] = field(default_factory=dict)
    times: Counter[str] = field(default_factory=Counter)
    """the mutants that show each finding"""

    def run(
        self,
        bench: Bench,
        known: frozenset[str] = frozenset(),
        started: Callable[[Mutant], object] = lambda mutant: None,
    ) -> None:
        """Read every mutant; of each finding that is not known, shrink the first mutant."""

        def read(mutant: Mutant) -> None:
            self.read += 1
            started(mutant)
            finding = bench.judge(mutant)
            if finding is not None:
                self.times[finding.signature] += 1
                self.found.setdefault(finding.signature, Found(finding, mutant))

        visit_mutants(self.format, self.seed, self.count, (Phase.generate,), read)
        for signature, first in list(self.found.items()):
            if signature not in known:
                self.found[signature] = self.shrink(bench, first, started)

    def shrink(self, bench: Bench, first: Found, started: Callable[[Mutant], object]) -> Found:
        """The same finding with few edits, then with a short text."""
        smallest = first

        def fail(mutant: Mutant) -> None:
            nonlocal smallest
            started(mutant)
            finding = bench.judge(mutant)
            if finding == first.finding:
                if weight(mutant) <= weight(smallest.mutant):
                    smallest = Found(finding, mutant)
                raise AssertionError(finding.signature)

        if first.finding.kind != "hang":
            phases = (Phase.generate, Phase.shrink)
            with contextlib.suppress(AssertionError, Flaky):
                visit_mutants(self.format, self.seed, self.count, phases, fail)
        mutant = shorter(bench, smallest)
        finding = bench.judge(mutant) or smallest.finding
        return Found(finding, mutant, bench.traceback_of(mutant))


def weight(mutant: Mutant) -> tuple[int, int]:
    return len(mutant.edits), len(mutant.text)


def visit_mutants(
    format: str, number: str, count: int, phases: tuple[Phase, ...], visit: Callable[[Mutant], None]
) -> None:
    """Hand a function the mutants of a format that a seed draws."""
    visit_examples(mutants(format), number, count, phases, visit)


def shorter(bench: Bench, found: Found) -> Mutant:
    """The mutant with as many lines, words and characters left out as the finding allows."""
    mutant, tries = found.mutant, MOST_TRIES if found.finding.kind != "hang" else 20
    for unit in (r".*\n?", r"\w+|\W", r"."):
        pieces = [
            piece
            for piece in re.findall(unit, mutant.text, re.DOTALL if unit == "." else 0)
            if piece
        ]
        size = max(1, len(pieces) // 2)
        while tries > 0:
            at, cut = 0, False
            while at < len(pieces) and tries > 0:
                smaller = replace(mutant, text="".join(pieces[:at] + pieces[at + size :]))
                tries -= 1
                if bench.judge(smaller) == found.finding:
                    del pieces[at : at + size]
                    mutant, cut = smaller, True
                else:
                    at += size
            if size == 1 and not cut:
                break
            size = max(1, size // 2)
    return mutant

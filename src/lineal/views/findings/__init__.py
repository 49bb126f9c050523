"""Findings as text: for people, for programs, for code scanning, for the lines of a pull request.

A view is one file with one function `view(verdict)`. To add one: a file here and a row in FORMATS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from lineal.model.diagnostic import Place, Severity
from lineal.model.finding import Finding
from lineal.model.ledger import Coverage
from lineal.views.words import count_noun

if TYPE_CHECKING:
    from lineal.rules import Rule
    from lineal.views.terminal import Page

FORMATS: Mapping[str, str] = {
    "text": "lineal.views.findings.text",
    "json": "lineal.views.findings.json",
    "sarif": "lineal.views.findings.sarif",
    "github": "lineal.views.findings.github",
}


@dataclass(frozen=True)
class Verdict:
    """The findings, the rules that were asked, and the lines of the findings."""

    findings: Sequence[Finding]
    rules: Sequence[Rule]
    coverage: Coverage
    line: Callable[[Place], str]

    @property
    def count(self) -> str:
        """2 errors, 1 warning"""
        counts = Counter(finding.severity for finding in self.findings)
        present = (severity for severity in sorted(Severity, reverse=True) if counts[severity])
        return (
            ", ".join(count_noun(counts[severity], severity.label) for severity in present)
            or "no findings"
        )


def counts_by_code(verdict: Verdict) -> list[str]:
    """12  A051 description-drift      a line for each rule that found anything, most first"""
    counts = Counter((finding.code, finding.name) for finding in verdict.findings)
    ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    wide = max((len(f"{count:,}") for _, count in ranked), default=0)
    return [
        f"{count:>{wide},}  {code}" + (f" {name}" if name != code else "")
        for (code, name), count in ranked
    ]


def view(name: str, verdict: Verdict) -> str | Page:
    """Return the findings in the format of that name."""
    made: str | Page = import_module(FORMATS[name]).view(verdict)
    return made

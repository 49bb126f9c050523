"""A090: -- lineal: ignore[A050], and there is no A050 to be ignored."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.model.diagnostic import Severity
from lineal.model.finding import Found
from lineal.rules.rule import Rule, Subject


def find(subject: Subject) -> Iterator[Found]:
    """Known only after all of the others: see Silence.unused."""
    yield from ()


RULE = Rule(
    "A090",
    "unused-suppression",
    Severity.INFO,
    "A comment silences a rule that finds nothing there, or that does not exist.",
    "Remove the comment, or check the code.",
    find,
)

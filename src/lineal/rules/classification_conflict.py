"""A060: a column declares classification: public, but is a copy of one that is pii."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.model.diagnostic import Severity
from lineal.model.finding import Found, Spot
from lineal.rules.rule import Rule, Subject


def find(subject: Subject) -> Iterator[Found]:
    """Yield each column whose declared labels contradict those that reach it."""
    for conflict in subject.labels.clashes():
        about = conflict.column
        source = next(iter(conflict.brought.values()))
        made, declared = subject.made_at(about), subject.declared_at(about)
        spots = (Spot(made, "brought here"),) if made and declared else ()
        yield Found(str(conflict), declared or made, "", about, source, spots)


RULE = Rule(
    "A060",
    "classification-conflict",
    Severity.WARNING,
    "A column declares a classification that differs from that of its unmasked sources. The declared one counts.",
    "Declare the labels of the sources, or mask the column.",
    find,
)
